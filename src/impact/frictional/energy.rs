//! The energy guard: no impact adds energy by truncation or rounding.

use super::problem::Scaled;
use super::progress::{Line, Progress};
use super::types::{Ending, Guard, Outcome};
use crate::math::DVec3;
use crate::tolerances::IMPACT;

/// The factor for which an impulse conserves energy exactly: `-2 p.u_0 / p.K p`.
///
/// The change of energy by `a p` is `a p.u_0 + a^2 p.K p / 2`. A cone contains its scaled vectors,
/// so the scaled impulse stays inside the friction cone. Outside `0..=1` if no scaling helps.
pub(super) fn energy_preserving_factor(along: f64, response: f64) -> f64 {
    -2.0 * along / response
}

/// The impulse with its tangential part clamped to the friction cone, against truncation errors.
#[inline]
fn in_cone(impulse: DVec3, friction: f64) -> DVec3 {
    let tangential = (impulse.x * impulse.x + impulse.y * impulse.y).sqrt();
    let limit = friction * impulse.z;
    if tangential <= limit {
        return impulse;
    }
    let shrink = limit / tangential;
    DVec3::new(impulse.x * shrink, impulse.y * shrink, impulse.z)
}

/// The outcome with its change of energy, scaled if that was positive; `None` if the scaling would
/// be too strong and the impact should be solved again. The `last` solution is scaled as far as
/// necessary.
#[inline]
pub(super) fn guard(problem: &Scaled, outcome: Outcome, last: bool) -> Option<Outcome> {
    let p = in_cone(outcome.impulse, problem.friction);
    let outcome = Outcome { impulse: p, ..outcome };
    let (along, response) = (p.dot(problem.velocity), p.dot(problem.apply(p)));
    let change = along + 0.5 * response;
    let redone = if last { Guard::Redone } else { Guard::Kept };
    if !(p.z > 0.0 && outcome.velocity.is_finite()) {
        return None;
    }
    if change <= 0.0 {
        return Some(Outcome { energy_change: change, guard: redone, ..outcome });
    }
    let factor = energy_preserving_factor(along, response);
    let mild = 1.0 - factor <= IMPACT.max_scaling;
    if !(factor > 0.0 && factor <= 1.0 && (mild || last)) {
        return None;
    }
    let impulse = p * factor;
    let velocity = problem.velocity + problem.apply(impulse);
    // The two terms cancel but for rounding.
    let guard = if last { Guard::Redone } else { Guard::Shrunk(factor) };
    Some(Outcome { impulse, velocity, energy_change: 0.0, guard, ..outcome })
}

/// The outcome with its change of energy, scaled as far as necessary or frictionless.
#[inline]
pub(crate) fn guarded(problem: &Scaled, outcome: Outcome) -> Outcome {
    guard(problem, outcome, true).unwrap_or_else(|| frictionless(problem))
}

/// The impact without friction: in the cone, and without a gain of energy.
#[cold]
fn frictionless(problem: &Scaled) -> Outcome {
    let mut state = Progress::new(problem.velocity);
    let line = Line { velocity: [problem.kx, problem.ky], friction: [0.0, 0.0], slope: problem.kz };
    state.follow(problem, &line, f64::INFINITY, &mut ());
    let p = state.impulse;
    let energy_change = (p.dot(problem.velocity) + 0.5 * p.dot(problem.apply(p))).min(0.0);
    Outcome { energy_change, guard: Guard::Frictionless, ..state.outcome(Ending::Sliding, None, 0) }
}

#[cfg(test)]
mod tests {
    use super::super::Impact;
    use super::*;
    use crate::math::DMat3;

    fn problem() -> Scaled {
        let k = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 1.0));
        Scaled::new(&Impact { k, velocity: DVec3::new(1.0, 0.0, -1.0), friction: 0.5, restitution: 1.0 }).unwrap()
    }

    fn outcome(impulse: DVec3) -> Outcome {
        let problem = problem();
        let mut state = Progress::new(problem.velocity);
        state.impulse = impulse;
        state.velocity = problem.velocity + problem.apply(impulse);
        state.outcome(Ending::Sliding, None, 1)
    }

    /// The unit of the scaled problem is a power of two; impulses scale with its inverse.
    fn elastic() -> f64 {
        2.0 * -problem().velocity.z / problem().kz
    }

    #[test]
    fn an_impulse_that_loses_energy_is_kept() {
        let kept = guard(&problem(), outcome(DVec3::new(0.0, 0.0, 0.9 * elastic())), false).unwrap();
        assert_eq!(kept.guard, Guard::Kept);
        assert!(kept.energy_change < 0.0);
    }

    #[test]
    fn a_small_gain_is_taken_back_by_shrinking() {
        let guarded = guard(&problem(), outcome(DVec3::new(0.0, 0.0, elastic() * (1.0 + 1e-6))), false).unwrap();
        assert!(matches!(guarded.guard, Guard::Shrunk(factor) if (1.0 - factor - 1e-6).abs() < 1e-9));
        assert!((guarded.impulse.z - elastic()).abs() < 1e-14 * elastic());
    }

    #[test]
    fn a_large_gain_asks_for_a_finer_solution_and_only_then_shrinks() {
        let gaining = outcome(DVec3::new(0.0, 0.0, 1.5 * elastic()));
        assert!(guard(&problem(), gaining, false).is_none());
        let last = guard(&problem(), gaining, true).unwrap();
        assert_eq!(last.guard, Guard::Redone);
        assert!((last.impulse.z - elastic()).abs() < 1e-14 * elastic());
    }

    #[test]
    fn an_impulse_that_no_shrinking_mends_gives_way_to_the_frictionless_one() {
        let pulling = outcome(DVec3::new(elastic(), 0.0, 0.0));
        assert!(guard(&problem(), pulling, true).is_none());
        let last = frictionless(&problem());
        assert!((last.impulse.z - elastic()).abs() < 1e-14 * elastic() && last.energy_change <= 0.0);
    }

    #[test]
    fn a_nan_is_never_kept() {
        assert!(guard(&problem(), outcome(DVec3::splat(f64::NAN)), true).is_none());
    }
}
