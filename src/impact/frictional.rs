//! One impact with friction, in space: Stronge's energy law with Coulomb friction, after Baber 2011 and Mirtich 1996.
//!
//! During the impact the normal impulse `p_z` grows from zero, and the relative velocity follows
//!
//! ```text
//! du/dp_z = K (-mu c, 1)     c = (u_x, u_y) / |(u_x, u_y)|     while the contact slides          (Baber, eq. 3)
//! dW/dp_z = u_z                                                 the work of the normal impulse    (Baber, eq. 4)
//! ```
//!
//! Work done while `u_z < 0` is compression, `W_c <= 0`; work given back while `u_z > 0` is restitution, `W_d >= 0`.
//! The impact ends when `W_d = -e^2 W_c`. It may go through several compressions. If sliding stops, the contact
//! sticks for good where friction can hold it, and leaves along the one diverging ray where it cannot.
//!
//! How it is solved, a file for each part:
//!
//! * `problem`: the input checked, and scaled so that every number is near one.
//! * `series`: sliding, in the variable `s` with `dp_z = |u_t| ds`. In it the equations are smooth even as the sliding
//!   speed goes to zero, and are integrated by Taylor series without a division or an angle.
//! * `sliding`: the loop over steps. `events`: what happens inside one: `u_z` crosses zero, the work is paid back.
//! * `progress`: the state along the way; straight pieces (rays, sticking) are taken in closed form.
//! * `work`: the work of the normal impulse in a step. `polynomial`: values and roots.
//! * `approach`: the last part of the way to a ray or to a stop, without steps.
//! * `sticking`: where a contact that stopped goes on, by Newton's method on the secular equation instead of a quartic.
//! * `energy`: the guard that keeps rounding and truncation from adding energy.
//! * `trace`: the trajectory, for pictures and tables.

mod approach;
mod energy;
mod events;
mod polynomial;
mod problem;
mod progress;
mod series;
mod sliding;
mod sticking;
mod trace;
mod work;

pub use energy::Guard;
pub use problem::{Impact, InvalidImpact};
pub use trace::{Moment, trace};

pub(super) use energy::guarded;
pub(super) use problem::Scaled;
pub(super) use progress::{Line, Progress};

use crate::math::DVec3;
use crate::tolerances::{IMPACT_REDO_FACTOR, IMPACT_TOLERANCE, IMPACT_TOLERANCE_RANGE};
use trace::Observer;

/// What an impact does to the contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The relative velocity after the impact, in m/s, in the contact's frame. Where the contact sticks its tangential
    /// part is exactly zero. Equal to `u_0 + K p` to the tolerance.
    pub velocity: DVec3,
    /// The impulse on body A, in N s, in the contact's frame; body B gets its opposite. Inside the friction cone.
    pub impulse: DVec3,
    /// The work of the normal impulse in all compressions, `W_c <= 0`, in J.
    pub compression_work: f64,
    /// The work of the normal impulse in all restitutions, `W_d = -e^2 W_c`, in J.
    pub restitution_work: f64,
    /// The change of kinetic energy that `impulse` makes, `p.u_0 + p.K p / 2 <= 0`, in J.
    pub energy_change: f64,
    /// How many times the bodies were pressed together: nearly always one.
    pub phases: u32,
    /// How the contact moved at the end.
    pub ended_by: Ending,
    /// In which phase sliding stopped, if it did (or never was).
    pub stick_phase: Option<Phase>,
    /// How many steps the integration of sliding took.
    pub steps: u32,
    /// What the energy guard did.
    pub guard: Guard,
}

/// How a contact moves at the end of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It slides, and never stopped.
    Sliding,
    /// It stopped, and friction holds it.
    StableSticking,
    /// It stopped, friction could not hold it, and it left along the diverging ray.
    UnstableSticking,
}

/// A phase of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The bodies approach: `u_z < 0`.
    Compression,
    /// The bodies separate: `u_z >= 0`.
    Restitution,
}

/// Solves an impact.
///
/// `tolerance` bounds the local error of a step as a fraction of the sliding speed; the engine uses
/// [`IMPACT_TOLERANCE`]. Values outside [`IMPACT_TOLERANCE_RANGE`] are brought inside; NaN counts as
/// [`IMPACT_TOLERANCE`]. The same input gives the same bits everywhere: only the four operations and square roots
/// are used.
///
/// # Errors
/// [`InvalidImpact`] if the input is no impact: not finite, not approaching, negative friction, restitution outside
/// `0..=1`, or a matrix that is not a collision matrix. It never panics, never hangs, and never returns a NaN.
///
/// ```
/// use dolmen::impact::frictional::{Ending, Impact, solve};
/// use dolmen::math::{DMat3, DVec3};
/// use dolmen::tolerances::IMPACT_TOLERANCE;
/// // A solid ball of 1 kg meets the floor at 1 m/s while its lowest point slides at 1 m/s: friction stops the slip.
/// let ball = Impact {
///     k: DMat3::from_diagonal(DVec3::new(3.5, 3.5, 1.0)),
///     velocity: DVec3::new(1.0, 0.0, -1.0),
///     friction: 0.5,
///     restitution: 0.5,
/// };
/// let after = solve(&ball, IMPACT_TOLERANCE)?;
/// assert_eq!(after.ended_by, Ending::StableSticking);
/// assert_eq!(after.velocity, DVec3::new(0.0, 0.0, 0.5));
/// assert!((after.impulse - DVec3::new(-2.0 / 7.0, 0.0, 1.5)).length() < 1e-15);
/// # Ok::<(), dolmen::impact::frictional::InvalidImpact>(())
/// ```
#[inline]
pub fn solve(impact: &Impact, tolerance: f64) -> Result<Outcome, InvalidImpact> {
    solve_observed(impact, tolerance, &mut ())
}

/// Solves an impact and shows the observer every piece of the trajectory.
fn solve_observed<O: Observer>(impact: &Impact, tolerance: f64, observer: &mut O) -> Result<Outcome, InvalidImpact> {
    let (finest, coarsest) = IMPACT_TOLERANCE_RANGE;
    let tolerance = if tolerance.is_nan() { IMPACT_TOLERANCE } else { tolerance.clamp(finest, coarsest) };
    let problem = Scaled::new(impact)?;
    observer.begin(&problem);
    let first = integrate(&problem, tolerance, observer);
    let outcome = match energy::guard(&problem, first, false) {
        Some(outcome) => outcome,
        None => {
            observer.begin(&problem);
            let finer = (tolerance * IMPACT_REDO_FACTOR).max(finest);
            let second = integrate(&problem, finer, observer);
            energy::guarded(&problem, second)
        }
    };
    problem.restore(outcome)
}

/// The impact from its first touch to its end, in scaled units, without the guard.
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
    use crate::math::DMat3;

    /// Uniform in -1..1, from a counter (the fractional part of its square times an irrational).
    fn scattered(counter: &mut f64) -> f64 {
        *counter += 1.0;
        2.0 * (*counter * *counter * 0.754_877_666_246_692_7).fract() - 1.0
    }

    #[test]
    fn solving_again_beats_shrinking_where_a_coarse_solution_gains_much_energy() {
        // Coarser than any caller may ask for: at the tolerances allowed nothing gains so much.
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
            redone.push(error(energy::guarded(
                &problem,
                integrate(&problem, coarse_tolerance * IMPACT_REDO_FACTOR, &mut ()),
            )));
        }
        assert!(shrunk.len() >= 20, "the rule has to run to be tested: {}", shrunk.len());
        let median = |errors: &mut Vec<f64>| {
            errors.sort_by(f64::total_cmp);
            errors[errors.len() / 2]
        };
        let (shrunk, redone) = (median(&mut shrunk), median(&mut redone));
        // Measured: an eightieth.
        assert!(redone < 0.05 * shrunk, "{redone:e} against {shrunk:e}");
    }
}
