//! The last part of an approach to an attracting ray, without steps.
//!
//! Near such a ray the angle `phi` to it obeys `r dphi/dp_z = f' phi` with `f' < 0`, so that on a ray on which the
//! sliding speed falls as `r' = g < 0`, `phi = phi_0 (r / r_0)^(f'/g)`. What a trajectory still does until sliding
//! stops then has a closed form to first order in `phi_0`, and the powers drop out at the stop itself.

use super::series::Local;
use super::sticking::holding_matrix;
use super::trace::Observer;
use super::{Progress, Scaled};
use crate::math::DVec3;

/// How accurately the approach has to be followed.
pub(super) struct Accuracy {
    /// The tolerance of the impact.
    pub tolerance: f64,
    /// The error of the impulse that the tolerance allows here.
    pub impulse: f64,
}

/// Whether going straight on from here misses the impulse by no more than is allowed.
///
/// The angle to the ray shrinks as the contact goes, so that only the angle times some of the way counts. A ray on
/// which sliding gets faster has to be taken itself, not a line beside it: see [`settle`].
#[inline]
pub(super) fn is_straight(problem: &Scaled, local: &Local, accuracy: &Accuracy) -> bool {
    let (turning, pull) = (local.turning.abs(), -local.turning_slope);
    if turning <= accuracy.tolerance * pull {
        return true;
    }
    let closing = pull - local.growth;
    let near = pull > 0.0 && closing > 0.0 && turning <= NEAR_RAY * pull;
    near && problem.friction * turning * local.speed <= accuracy.impulse * pull * closing
}

/// How close, in radians, a direction must be to a ray for [`settle`] to find that ray and no other.
const NEAR_RAY: f64 = 0.1;

/// Turns a direction close to an attracting ray onto it, by Newton's method on the rate of turning.
pub(super) fn settle(problem: &Scaled, state: &mut Progress, mut local: Local) -> Local {
    for _ in 0..6 {
        let angle = -local.turning / local.turning_slope;
        // Not towards a ray, or too far to be sure of it.
        if !(local.turning_slope < 0.0 && angle.abs() <= 2.0 * NEAR_RAY) {
            break;
        }
        let (x, y) = (local.cx - angle * local.cy, local.cy + angle * local.cx);
        let onto = local.speed / (x * x + y * y).sqrt();
        state.velocity.x = x * onto;
        state.velocity.y = y * onto;
        local = Local::new(problem, state.velocity, local.speed);
        if angle.abs() <= f64::EPSILON {
            break;
        }
    }
    local
}

/// Takes the state to where sliding stops, if the way there is nearly a ray and nothing happens on it; whether it did.
#[inline]
pub(super) fn stop_on_ray<O: Observer>(
    problem: &Scaled,
    state: &mut Progress,
    local: &Local,
    accuracy: &Accuracy,
    observer: &mut O,
) -> bool {
    let (slowing, pull, mu) = (-local.growth, -local.turning_slope, problem.friction);
    let rate = slowing + pull;
    if !(slowing > 0.0 && rate > 0.5 * slowing && local.slope > 0.0) {
        return false;
    }
    // What is left out is of second order in the angle that the contact still turns, weighted with the way.
    let swing = local.turning / rate;
    let way = local.speed / rate;
    if mu * swing * swing * way * problem.scale() > accuracy.impulse * rate {
        return false;
    }
    let Some([m11, m12, m22]) = holding_matrix(problem) else { return false };
    let straight = local.speed / slowing;
    let length = straight * (1.0 + (local.turning - local.shear) * swing / slowing);
    // u_t + k p_z + M p_t = 0 at the stop: exact, given the length.
    let (x, y) = (state.velocity.x + problem.kx * length, state.velocity.y + problem.ky * length);
    let (px, py) = (-(m11 * x + m12 * y), -(m12 * x + m22 * y));
    let uz = state.velocity.z + problem.kz * length + problem.kx * px + problem.ky * py;
    let bend = 0.5 * mu * local.across * swing * straight * local.speed / (rate + slowing);
    let work = 0.5 * length * (state.velocity.z + uz) + bend;
    if !(length > 0.0) {
        return false;
    }
    // Nothing else may happen on the way.
    if state.compressing {
        if uz >= 0.0 {
            return false;
        }
        state.compression_work += work;
    } else {
        if work >= state.work_due(problem) {
            return false;
        }
        state.restitution_work += work;
    }
    let before = *state;
    state.velocity = DVec3::new(0.0, 0.0, uz);
    state.impulse += DVec3::new(px, py, length);
    let after = *state;
    // The way is straight to what a picture shows.
    observer.piece(|part| (before.velocity.lerp(after.velocity, part), before.impulse.lerp(after.impulse, part)));
    true
}
