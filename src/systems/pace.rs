//! Which bodies go, or turn, too far in a step to be taken for standing still or moving straight on.

use crate::bodies::Bodies;
use crate::math::{Real, Vec3};
use crate::tolerances::{SWEEP_SWING, SWEEP_TRAVEL, SWEEP_TURN};

/// Whether a body moves too far in a step of `dt` (s) for contacts at its start to tell what it meets, and is free to be followed.
pub(crate) fn is_fast(bodies: &Bodies, slot: usize, dt: Real) -> bool {
    if bodies.jointed[slot] {
        return false;
    }
    let speed = bodies.linear_velocity[slot].length() + bodies.acceleration[slot].length() * dt;
    if !speed.is_finite() || !bodies.angular_velocity[slot].is_finite() {
        // It goes nowhere, and is put back: see `bounds`.
        return false;
    }
    speed * dt > SWEEP_TRAVEL * bodies.radius[slot] && bodies.radius[slot] > 0.0 || is_spinning(bodies, slot, dt)
}

/// Whether a body turns too far in a step of `dt` (s) for its surface to seem to move straight on.
pub(crate) fn is_spinning(bodies: &Bodies, slot: usize, dt: Real) -> bool {
    let far = |turns: Vec3| turns.length_squared() * (dt * dt) > SWEEP_TURN * SWEEP_TURN;
    let turns = bodies.angular_velocity[slot];
    if !far(turns) || bodies.swing[slot] <= SWEEP_SWING * bodies.radius[slot] {
        return false;
    }
    // A top about its own axis moves nothing.
    let axis = bodies.orientation[slot] * bodies.round_axis[slot];
    far(turns - axis * axis.dot(turns))
}
