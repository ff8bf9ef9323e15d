//! One impact with friction in space: Stronge's energetic restitution with Coulomb friction, after
//! Baber 2011 and Mirtich 1996.
//!
//! During the impact the normal impulse `p_z` grows from zero, and the relative velocity follows
//!
//! ```text
//! du/dp_z = K (-mu c, 1)   c = (u_x, u_y) / |(u_x, u_y)|    while sliding          (Baber, eq. 3)
//! dW/dp_z = u_z            work of the normal impulse                              (Baber, eq. 4)
//! ```
//!
//! Work done while `u_z < 0` is compression, `W_c <= 0`; work returned while `u_z > 0` is
//! restitution, `W_d >= 0`. The impact ends when `W_d = -e^2 W_c`. Several compressions may occur.
//! If sliding stops, the contact sticks to the end if the friction cone allows it, and otherwise
//! leaves along the one diverging ray.
//!
//! The solution, one file for each part:
//!
//! * `problem`: the input checked, and scaled so that every number is near one.
//! * `series`: sliding, in the variable `s` with `dp_z = |u_t| ds`. In it the equations are smooth
//!   even as the sliding speed goes to zero, and are integrated by Taylor series without a division
//!   or an angle.
//! * `sliding`: the loop over steps. `events`: what happens inside one: `u_z` crosses zero, the
//!   work is paid back.
//! * `progress`: the state along the way; straight pieces (rays, sticking) are taken in closed
//!   form.
//! * `work`: the work of the normal impulse in a step. `polynomial`: values and roots.
//! * `approach`: the last part of the way to a ray or to a stop, without steps.
//! * `sticking`: where a contact that stopped goes on, by Newton's method on the secular equation
//!   instead of a quartic.
//! * `energy`: the guard that keeps rounding and truncation from adding energy.
//! * `trace`: the trajectory, for pictures and tables.

mod approach;
mod energy;
mod events;
mod observer;
mod polynomial;
mod problem;
mod progress;
mod series;
mod sliding;
mod sticking;
mod trace;
mod types;
mod work;

pub use trace::{Moment, trace};
pub use types::{Ending, Guard, Impact, InvalidImpact, Outcome, Phase};

pub(super) use energy::guarded;
pub(super) use problem::Scaled;
pub(super) use progress::{Line, Progress};

use crate::tolerances::IMPACT;
use observer::Observer;

/// Tolerance of [`solve`] that the engine uses: local error of a step over the sliding speed.
pub const DEFAULT_TOLERANCE: f64 = IMPACT.tolerance;

/// Tolerance of [`solve`] for reference solutions.
pub const TIGHT_TOLERANCE: f64 = 100.0 * IMPACT.tolerance_range.0;

/// Solves an impact.
///
/// `tolerance` bounds the local error of a step as a fraction of the sliding speed; the engine uses
/// [`DEFAULT_TOLERANCE`]. Values are clamped to 1e-15 and 1e-5; NaN counts as
/// [`DEFAULT_TOLERANCE`]. The result has the same bits on every machine: only the four operations
/// and square roots are used.
///
/// # Errors
/// [`InvalidImpact`] if the input is invalid: not finite, not approaching, negative friction,
/// restitution outside `0..=1`, or a matrix that is not a collision matrix. It never panics, never
/// hangs, and never returns a NaN.
///
/// ```
/// use dolmen::impact::frictional::{DEFAULT_TOLERANCE, Ending, Impact, solve};
/// use dolmen::math::{DMat3, DVec3};
/// // A solid ball of 1 kg hits the floor at 1 m/s while its lowest point slides at 1 m/s: it sticks.
/// let ball = Impact {
///     k: DMat3::from_diagonal(DVec3::new(3.5, 3.5, 1.0)),
///     velocity: DVec3::new(1.0, 0.0, -1.0),
///     friction: 0.5,
///     restitution: 0.5,
/// };
/// let after = solve(&ball, DEFAULT_TOLERANCE)?;
/// assert_eq!(after.ended_by, Ending::StableSticking);
/// assert_eq!(after.velocity, DVec3::new(0.0, 0.0, 0.5));
/// assert!((after.impulse - DVec3::new(-2.0 / 7.0, 0.0, 1.5)).length() < 1e-15);
/// # Ok::<(), dolmen::impact::frictional::InvalidImpact>(())
/// ```
#[inline]
pub fn solve(impact: &Impact, tolerance: f64) -> Result<Outcome, InvalidImpact> {
    solve_observed(impact, tolerance, &mut ())
}

/// Solves an impact and passes every piece of the trajectory to the observer.
fn solve_observed<O: Observer>(impact: &Impact, tolerance: f64, observer: &mut O) -> Result<Outcome, InvalidImpact> {
    let (finest, coarsest) = IMPACT.tolerance_range;
    let tolerance = if tolerance.is_nan() { IMPACT.tolerance } else { tolerance.clamp(finest, coarsest) };
    let problem = Scaled::new(impact)?;
    observer.begin(&problem);
    let first = integrate(&problem, tolerance, observer);
    let outcome = match energy::guard(&problem, first, false) {
        Some(outcome) => outcome,
        None => {
            observer.begin(&problem);
            let second = integrate(&problem, finest, observer);
            energy::guarded(&problem, second)
        }
    };
    problem.restore(outcome)
}

/// The whole impact in scaled units, without the energy guard.
fn integrate<O: Observer>(problem: &Scaled, tolerance: f64, observer: &mut O) -> Outcome {
    let mut state = Progress::new(problem.velocity);
    let mut steps = 0;
    let mut stick_phase = None;
    let ended_by = if problem.friction == 0.0 {
        let moves = state.sliding_speed() > 0.0 || problem.kx != 0.0 || problem.ky != 0.0;
        let line = Line { velocity: [problem.kx, problem.ky], friction: [0.0, 0.0], slope: problem.kz };
        state.follow(problem, &line, f64::INFINITY, observer);
        if moves { Ending::Sliding } else { Ending::StableSticking }
    } else if sliding::slide(problem, &mut state, tolerance, &mut steps, observer) {
        Ending::Sliding
    } else {
        stick_phase = Some(state.phase());
        sticking::stick(problem, &mut state, observer)
    };
    state.outcome(ended_by, stick_phase, steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DMat3, DVec3};

    /// Uniform in -1..1, from a counter (the fractional part of its square times an irrational).
    fn scattered(counter: &mut f64) -> f64 {
        *counter += 1.0;
        2.0 * (*counter * *counter * 0.754_877_666_246_692_7).fract() - 1.0
    }

    #[test]
    fn solving_again_beats_shrinking_where_a_coarse_solution_gains_much_energy() {
        // Coarser than callers may choose: at valid tolerances no solution gains so much.
        let coarse_tolerance = 1e-2;
        let mut counter = 0.0;
        let (mut shrunk, mut redone) = (Vec::new(), Vec::new());
        for _ in 0..200_000 {
            let mut draw = |low: f64, high: f64| low + (high - low) * 0.5 * (1.0 + scattered(&mut counter));
            let axes = DMat3::from_rotation_x(draw(0.0, 6.3))
                * DMat3::from_rotation_z(draw(0.0, 6.3))
                * DMat3::from_rotation_x(draw(0.0, 6.3));
            let eigenvalues = DVec3::new(1.0, draw(0.0, 6.0).exp(), draw(0.0, 6.0).exp());
            let slide = draw(-12.0, 8.0).exp();
            let angle = draw(0.0, 6.3);
            let impact = Impact {
                k: axes * DMat3::from_diagonal(eigenvalues) * axes.transpose(),
                velocity: DVec3::new(slide * angle.cos(), slide * angle.sin(), -1.0),
                friction: 10.0 * draw(0.0, 1.0).powi(3),
                restitution: 1.0,
            };
            let Ok(problem) = Scaled::new(&impact) else { continue };
            let coarse = integrate(&problem, coarse_tolerance, &mut ());
            if energy::guard(&problem, coarse, false).is_some() {
                continue;
            }
            let exact = integrate(&problem, 1e-12, &mut ()).impulse;
            let error = |outcome: Outcome| (outcome.impulse - exact).length() / exact.length();
            shrunk.push(error(energy::guarded(&problem, coarse)));
            redone.push(error(energy::guarded(&problem, integrate(&problem, IMPACT.tolerance_range.0, &mut ()))));
        }
        assert!(shrunk.len() >= 20, "the rule has to run to be tested: {}", shrunk.len());
        let median = |errors: &mut Vec<f64>| {
            errors.sort_by(f64::total_cmp);
            errors[errors.len() / 2]
        };
        let (shrunk, redone) = (median(&mut shrunk), median(&mut redone));
        assert!(redone < 0.05 * shrunk, "{redone:e} against {shrunk:e}");
    }
}
