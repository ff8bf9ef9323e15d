//! One impact with friction in the plane, in closed form (Baber 2011, section 5).
//!
//! In the plane sliding has two directions, and each is a ray: the impact has at most two straight
//! pieces, before and after the stop, and one compression.

use super::frictional::{Ending, Impact, InvalidImpact, Line, Outcome, Phase, Progress, Scaled, guarded};
use crate::math::{DMat3, DVec3};
use crate::tolerances::IMPACT;
use glam::Vec3Swizzles;
pub use glam::{DMat2, DVec2};

/// An impact in the plane: x is tangential, y is the normal and points to body A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarImpact {
    /// The collision matrix in 1/kg; only its symmetric part is used. Its second diagonal element
    /// is positive.
    pub k: DMat2,
    /// The velocity of A's contact point relative to B's, in m/s; `y < 0` approaches.
    pub velocity: DVec2,
    /// The coefficient of friction, 0 or more.
    pub friction: f64,
    /// The coefficient of restitution, from 0 to 1, of Stronge's law.
    pub restitution: f64,
}

/// The result of an impact in the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanarOutcome {
    /// The relative velocity after the impact, in m/s. Its tangential part is exactly zero if the
    /// contact sticks.
    pub velocity: DVec2,
    /// The impulse on body A, in N s; body B gets its opposite.
    pub impulse: DVec2,
    /// The work of the normal impulse in compression, `W_c <= 0`, in J.
    pub compression_work: f64,
    /// The work of the normal impulse in restitution, `W_d = -e^2 W_c`, in J.
    pub restitution_work: f64,
    /// The change of kinetic energy, at most zero, in J.
    pub energy_change: f64,
    /// The contact's motion at the end.
    pub ended_by: Ending,
    /// The phase in which sliding stopped, if it did (or never began).
    pub stick_phase: Option<Phase>,
}

/// The collision matrix of two bodies that move in a plane, from inverse masses (1/kg), inverse
/// moments of inertia (1/(kg m²)) and arms from the centres of mass to the contact (m). Both
/// inverses of an immovable body are zero.
pub fn collision_matrix(inverse_masses: [f64; 2], inverse_inertias: [f64; 2], arms: [DVec2; 2]) -> DMat2 {
    let part = |i: usize| {
        let across = DVec2::new(-arms[i].y, arms[i].x);
        DMat2::from_diagonal(DVec2::splat(inverse_masses[i]))
            + DMat2::from_cols(across * across.x, across * across.y) * inverse_inertias[i]
    };
    part(0) + part(1)
}

/// Solves an impact in the plane.
///
/// # Errors
/// As [`super::frictional::solve`]: [`InvalidImpact`] if the input is invalid. Never a panic or a
/// NaN.
///
/// ```
/// use dolmen::impact::planar::{PlanarImpact, solve};
/// use glam::{DMat2, DVec2, Vec3Swizzles};
/// // A rod of 1 kg falls on its end at 45 degrees and 1 m/s, and friction holds the end.
/// let rod = PlanarImpact {
///     k: DMat2::from_cols(DVec2::new(2.5, -1.5), DVec2::new(-1.5, 2.5)),
///     velocity: DVec2::new(0.0, -1.0),
///     friction: 0.6,
///     restitution: 0.5,
/// };
/// let after = solve(&rod)?;
/// assert_eq!(after.velocity, DVec2::new(0.0, 0.5));
/// assert!((after.impulse - DVec2::new(0.375, 0.625) * 1.5).length() < 1e-15);
/// # Ok::<(), dolmen::impact::frictional::InvalidImpact>(())
/// ```
pub fn solve(impact: &PlanarImpact) -> Result<PlanarOutcome, InvalidImpact> {
    let PlanarImpact { k, velocity, friction, restitution } = *impact;
    let coupling = 0.5 * (k.x_axis.y + k.y_axis.x);
    let problem = Scaled::new(&Impact {
        k: DMat3::from_cols(
            DVec3::new(k.x_axis.x, 0.0, coupling),
            DVec3::new(0.0, k.x_axis.x, 0.0),
            DVec3::new(coupling, 0.0, k.y_axis.y),
        ),
        velocity: DVec3::new(velocity.x, 0.0, velocity.y),
        friction,
        restitution,
    })?;
    let outcome = problem.restore(guarded(&problem, integrate(&problem)))?;
    Ok(PlanarOutcome {
        velocity: outcome.velocity.xz(),
        impulse: outcome.impulse.xz(),
        compression_work: outcome.compression_work,
        restitution_work: outcome.restitution_work,
        energy_change: outcome.energy_change,
        ended_by: outcome.ended_by,
        stick_phase: outcome.stick_phase,
    })
}

/// Sliding along `direction`, 1 or -1, against friction; with `direction = 0` the frictionless
/// line.
fn sliding(problem: &Scaled, direction: f64) -> Line {
    let friction = -problem.friction * direction;
    Line {
        velocity: [problem.kx + problem.k11 * friction, 0.0],
        friction: [friction, 0.0],
        slope: problem.kz + problem.kx * friction,
    }
}

/// Steps 3 to 8 of the algorithm of section 5.2.
fn integrate(problem: &Scaled) -> Outcome {
    let mut state = Progress::new(problem.velocity);
    let ux = state.velocity.x;
    if problem.friction == 0.0 {
        state.follow(problem, &sliding(problem, 0.0), f64::INFINITY, &mut ());
        let moves = ux != 0.0 || problem.kx != 0.0;
        return state.outcome(if moves { Ending::Sliding } else { Ending::StableSticking }, None, 0);
    }
    if ux != 0.0 {
        let line = sliding(problem, ux.signum());
        let growth = line.velocity[0] * ux.signum();
        let length = if growth < 0.0 { ux.abs() / -growth } else { f64::INFINITY };
        if state.follow(problem, &line, length, &mut ()) {
            return state.outcome(Ending::Sliding, None, 0);
        }
    }
    state.velocity.x = 0.0;
    let stick_phase = Some(state.phase());
    if problem.kx.abs() <= problem.friction * problem.k11 * (1.0 + IMPACT.rounding) {
        // A contact without tangential response (locked axes) has no coupling either.
        let holding = if problem.k11 > 0.0 { problem.kx / problem.k11 } else { 0.0 };
        let line = Line { velocity: [0.0, 0.0], friction: [-holding, 0.0], slope: problem.kz - problem.kx * holding };
        state.follow(problem, &line, f64::INFINITY, &mut ());
        return state.outcome(Ending::StableSticking, stick_phase, 0);
    }
    state.follow(problem, &sliding(problem, problem.kx.signum()), f64::INFINITY, &mut ());
    state.outcome(Ending::UnstableSticking, stick_phase, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::collision_matrix::BodyAtContact;

    #[test]
    fn the_planar_collision_matrix_is_the_spatial_one_seen_from_above() {
        let (masses, inertias) = ([0.5, 2.0], [3.0, 0.7]);
        let arms = [DVec2::new(0.3, -0.4), DVec2::new(-1.1, 0.2)];
        let body_at_contact = |i: usize| BodyAtContact {
            inverse_mass: masses[i],
            inverse_inertia: DMat3::from_diagonal(DVec3::new(0.0, 0.0, inertias[i])),
            arm: arms[i].extend(0.0),
        };
        let spatial = crate::impact::collision_matrix::collision_matrix(&body_at_contact(0), &body_at_contact(1));
        let planar = collision_matrix(masses, inertias, arms);
        assert!((planar.x_axis - spatial.x_axis.truncate()).length() < 1e-15);
        assert!((planar.y_axis - spatial.y_axis.truncate()).length() < 1e-15);
    }
}
