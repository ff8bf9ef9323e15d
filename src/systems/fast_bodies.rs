//! Bodies that move or rotate too far in a step for linear motion from contacts at its start.

use crate::bodies::Bodies;
use crate::math::{Norm, Real, Vec3};
use crate::tolerances::{CCD, CCD_ROTATION};

/// True if a body without joints moves too far in a step of `dt` (s) for the contacts at its start.
pub(crate) fn is_fast(bodies: &Bodies, slot: usize, dt: Real) -> bool {
    if bodies.jointed[slot] {
        return false;
    }
    let speed = bodies.linear_velocity[slot].norm() + bodies.acceleration[slot].norm() * dt;
    if !speed.is_finite() || !bodies.angular_velocity[slot].is_finite() {
        // The body does not move, and is reset: see `out_of_range`.
        return false;
    }
    speed * dt > CCD.travel * bodies.radius[slot] && bodies.radius[slot] > 0.0 || is_spinning(bodies, slot, dt)
}

/// True if a body rotates too far in a step of `dt` (s) for linear motion of its surface.
pub(crate) fn is_spinning(bodies: &Bodies, slot: usize, dt: Real) -> bool {
    let far = |turns: Vec3| turns.length_squared() * (dt * dt) > CCD_ROTATION * CCD_ROTATION;
    let turns = bodies.angular_velocity[slot];
    if !far(turns) || bodies.core_radius[slot] <= CCD.moved_radius * bodies.radius[slot] {
        return false;
    }
    // Rotation about an axis of symmetry does not move the surface.
    let axis = bodies.orientation[slot] * bodies.round_axis[slot];
    far(turns - axis * axis.dot(turns))
}
