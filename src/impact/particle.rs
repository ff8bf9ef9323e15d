//! Impacts of particles: balls without rotation (the impulse collision method, appendix B).
//!
//! The response of a particle is a multiple of the identity, so normal and tangential parts are not
//! coupled and nothing is badly conditioned: unlike the other impact laws these use the engine's
//! scalar.
//!
//! Conventions: the normal points from `b` to `a`; velocities are those of `a` relative to `b`;
//! impulses act on `a`, and the opposite ones on `b`.

use crate::math::{Real, Vec3};

/// Material of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surfaces {
    /// Coefficient of friction, at least 0.
    pub friction: Real,
    /// Newton's coefficient of restitution, 0 to 1.
    pub restitution: Real,
}

/// The impulse on `a` (N s) in an impact with relative velocity `velocity` (m/s), where
/// `inverse_mass` is the sum of both inverse masses (1/kg, positive): restitution along the normal,
/// and friction clamped so that it stops sliding and never reverses it (appendix B, steps b.2 to
/// c.4). Zero unless they approach.
///
/// Energy never rises: along the normal because `e <= 1`, along the tangent because friction only
/// slows.
///
/// ```
/// use dolmen::impact::particle::{Surfaces, impulse};
/// use dolmen::math::Vec3;
/// let surfaces = Surfaces { friction: 0.1, restitution: 0.5 };
/// let p = impulse(Vec3::Y, Vec3::new(3.0, -2.0, 0.0), 0.5, surfaces);
/// assert!((p - Vec3::new(-0.6, 6.0, 0.0)).length() < 1e-6);
/// ```
#[inline]
pub fn impulse(normal: Vec3, velocity: Vec3, inverse_mass: Real, surfaces: Surfaces) -> Vec3 {
    let approach = -normal.dot(velocity);
    if approach <= 0.0 {
        return Vec3::ZERO;
    }
    let push = (1.0 + surfaces.restitution) * approach / inverse_mass;
    normal * push + friction(normal, velocity, inverse_mass, surfaces.friction * push)
}

/// The friction impulse on `a` (N s): at most `most` (N s), against the sliding part of `velocity`,
/// and no more than stops it.
#[inline]
pub fn friction(normal: Vec3, velocity: Vec3, inverse_mass: Real, most: Real) -> Vec3 {
    let sliding = velocity - normal * normal.dot(velocity);
    let speed = sliding.length();
    if speed > 0.0 { sliding * -((most / speed).min(1.0 / inverse_mass)) } else { Vec3::ZERO }
}

/// Position correction of `a` (m along the normal): the part `factor` of the overlap (m),
/// distributed by inverse masses (step c.5 and equation B.18). `b` gets the rest of that part.
///
/// Below a factor of 1/2 the projection of many simultaneous contacts is stable (equation B.22 and
/// after).
#[inline]
pub fn projection(overlap: Real, factor: Real, own_inverse_mass: Real, inverse_mass: Real) -> Real {
    factor * overlap.max(0.0) * (own_inverse_mass / inverse_mass)
}

/// Impact of a particle on an immovable surface in the middle of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceHit {
    /// Approach speed after the step's acceleration (m/s).
    pub approach: Real,
    /// Depth of the particle then (m): it reached the surface earlier in the step, and more slowly.
    pub depth: Real,
    /// Acceleration towards the surface (m/s²).
    pub pull: Real,
    /// The time step (s).
    pub dt: Real,
}

/// Rebound speed of the particle (m/s, at least 0), if it is also moved onto the surface.
///
/// In a leapfrog step the whole acceleration acts in the middle, at the moment of the impact. Half
/// of the step's gain in speed is still to come, the gain below the surface is spurious, and half
/// of the step's loss lies ahead. With these corrections the energy after the step is that before
/// it, with the kinetic part at the surface times the squared restitution: a particle with `e = 1`
/// keeps its height forever, and a resting one stays at rest.
///
/// ```
/// use dolmen::impact::particle::{SurfaceHit, rebound};
/// // At rest: what gravity gave in this step is all there is.
/// let still = SurfaceHit { approach: 9.81 / 60.0, depth: 0.0, pull: 9.81, dt: 1.0 / 60.0 };
/// assert_eq!(rebound(still, 1.0), 0.0);
/// // Without a pull it is Newton's law.
/// assert_eq!(rebound(SurfaceHit { approach: 2.0, pull: 0.0, ..still }, 0.5), 1.0);
/// ```
#[inline]
pub fn rebound(meeting: SurfaceHit, restitution: Real) -> Real {
    let half = 0.5 * meeting.pull.max(0.0) * meeting.dt;
    let middle = (meeting.approach - half).max(0.0);
    let surface = (middle * middle - 2.0 * meeting.pull.max(0.0) * meeting.depth.max(0.0)).max(0.0).sqrt();
    (restitution * surface - half).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURFACES: Surfaces = Surfaces { friction: 0.3, restitution: 0.7 };

    #[test]
    fn two_particles_keep_momentum_and_part_with_the_restitution_of_their_approach() {
        let (ma, mb) = (2.0, 3.0);
        let (va, vb) = (Vec3::new(1.0, -2.0, 0.5), Vec3::new(-0.5, 1.0, 0.0));
        let normal = Vec3::Y;
        let p = impulse(normal, va - vb, 1.0 / ma + 1.0 / mb, Surfaces { friction: 0.0, ..SURFACES });
        let (wa, wb) = (va + p / ma, vb - p / mb);
        assert!((wa * ma + wb * mb - va * ma - vb * mb).length() < 1e-6);
        assert!(((wa - wb).y - 0.7 * 3.0).abs() < 1e-6);
        assert_eq!(((wa - wb).x, (wa - wb).z), ((va - vb).x, (va - vb).z));
    }

    #[test]
    fn friction_is_clipped_where_it_would_turn_sliding_round() {
        let p = impulse(Vec3::Y, Vec3::new(0.1, -5.0, 0.0), 1.0, SURFACES);
        assert!((p.x + 0.1).abs() < 1e-6, "{p}");
        let p = impulse(Vec3::Y, Vec3::new(40.0, -5.0, 0.0), 1.0, SURFACES);
        assert!((p.x + 0.3 * p.y).abs() < 1e-5, "{p}");
    }

    #[test]
    fn what_parts_or_rests_gets_no_impulse() {
        assert_eq!(impulse(Vec3::Y, Vec3::new(1.0, 0.0, 0.0), 1.0, SURFACES), Vec3::ZERO);
        assert_eq!(impulse(Vec3::Y, Vec3::new(1.0, 0.2, 0.0), 1.0, SURFACES), Vec3::ZERO);
    }

    #[test]
    fn projection_shares_the_overlap_by_inverse_mass_and_never_pulls() {
        let (wa, wb) = (0.5, 1.5);
        let (a, b) = (projection(0.2, 0.4, wa, wa + wb), projection(0.2, 0.4, wb, wa + wb));
        assert!((a + b - 0.08).abs() < 1e-7 && (b - 3.0 * a).abs() < 1e-7);
        assert_eq!(projection(-0.2, 0.4, wa, wa + wb), 0.0);
    }

    #[test]
    fn an_elastic_rebound_keeps_the_energy_of_the_leapfrog() {
        let (g, h): (Real, Real) = (9.81, 1.0 / 60.0);
        for (height, speed) in [(0.01, -3.0), (0.03, -8.0), (0.002, -0.9)] {
            let middle = height + 0.5 * speed * h;
            assert!(middle < 0.0 || speed == -0.9);
            let depth = (-middle).max(0.0);
            let meeting = SurfaceHit { approach: -speed + g * h, depth, pull: g, dt: h };
            let (away, place) = (rebound(meeting, 1.0), middle + depth);
            let after = 0.5 * away * away + g * (place + 0.5 * h * away);
            let before = 0.5 * speed * speed + g * height;
            assert!((after - before).abs() < 1e-4 * before, "{before} {after}");
        }
    }
}
