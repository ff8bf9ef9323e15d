//! The last part of an approach to an attracting ray in closed form.
//!
//! Near such a ray the angle `phi` to it obeys `r dphi/dp_z = f' phi` with `f' < 0`. On a ray where
//! the sliding speed falls as `r' = g < 0`, `phi = phi_0 (r / r_0)^(f'/g)`. The rest of the
//! trajectory until sliding stops has a closed form to first order in `phi_0`, and the powers
//! cancel at the stop.

use super::observer::Observer;
use super::problem::Scaled;
use super::progress::Progress;
use super::series::Local;
use super::sticking::holding_matrix;
use crate::math::DVec3;

/// Required accuracy of the approach.
pub(super) struct Accuracy {
    /// The tolerance of the impact.
    pub tolerance: f64,
    /// The allowed error of the impulse.
    pub impulse: f64,
}

/// True if jumping onto the ray and going straight changes the impulse by no more than allowed.
///
/// The angle to the ray shrinks along the way, so only the angle times part of the way counts.
/// Steps that are long for the attraction keep an angle of about their tolerance, so it need not
/// fall below that.
#[inline]
pub(super) fn is_straight(problem: &Scaled, local: &Local, accuracy: &Accuracy) -> bool {
    let (turning, pull) = (local.turning.abs(), -local.turning_slope);
    let closing = pull - local.growth;
    turning <= STEP_NOISE * accuracy.tolerance * pull
        || (turning <= NEAR_RAY * pull
            && closing > 0.0
            && problem.friction * turning * local.speed <= accuracy.impulse * pull * closing)
}

/// The angle that steps keep, in units of their tolerance (measured as one or two).
const STEP_NOISE: f64 = 4.0;

/// Relative excess over the cone that a stop may have: the cone is enforced at the end of the
/// impact.
const CONE_SLACK: f64 = 1e-6;

/// Largest angle to a ray (rad) at which [`settle`] is sure to find that ray and no other.
const NEAR_RAY: f64 = 0.1;

/// Turns a direction close to an attracting ray onto it, by Newton's method on the rate of turning,
/// until the rate is at most `on_ray`.
pub(super) fn settle(problem: &Scaled, state: &mut Progress, mut local: Local, on_ray: f64) -> Local {
    for _ in 0..6 {
        let angle = -local.turning / local.turning_slope;
        // On the ray up to rounding, or not attracted, or too far away.
        let near = local.turning_slope < 0.0 && angle.abs() <= 2.0 * NEAR_RAY;
        if local.turning.abs() <= on_ray || !near {
            break;
        }
        let (x, y) = (local.cx - angle * local.cy, local.cy + angle * local.cx);
        let onto = local.speed / (x * x + y * y).sqrt();
        state.velocity.x = x * onto;
        state.velocity.y = y * onto;
        local = Local::new(problem, state.velocity, local.speed);
    }
    local
}

/// Advances the state to the stop of sliding, if the way there is nearly a ray without other
/// events. Returns whether it did.
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
    // The neglected part is of second order in the remaining angle, weighted with the way.
    let remaining_angle = local.turning / rate;
    let way = local.speed / rate;
    if mu * remaining_angle * remaining_angle * way * problem.scale() > accuracy.impulse * rate {
        return false;
    }
    let Some([m11, m12, m22]) = holding_matrix(problem) else { return false };
    let straight = local.speed / slowing;
    let length = straight * (1.0 + (local.turning - local.shear) * remaining_angle / slowing);
    // u_t + k p_z + M p_t = 0 at the stop: exact, given the length.
    let (x, y) = (state.velocity.x + problem.kx * length, state.velocity.y + problem.ky * length);
    let (px, py) = (-(m11 * x + m12 * y), -(m12 * x + m22 * y));
    // A piece of an impact stays in the cone, except by rounding where M is nearly singular.
    let limit = mu * length * (1.0 + CONE_SLACK);
    if px * px + py * py > limit * limit {
        return false;
    }
    let uz = state.velocity.z + problem.kz * length + problem.kx * px + problem.ky * py;
    let curvature_work = 0.5 * mu * local.across * remaining_angle * straight * local.speed / (rate + slowing);
    let work = 0.5 * length * (state.velocity.z + uz) + curvature_work;
    if length.is_nan() || length <= 0.0 {
        return false;
    }
    // No other event may occur on the way.
    if state.compressing {
        if uz >= 0.0 || work > 0.0 {
            return false;
        }
        state.compression_work += work;
    } else {
        if work < 0.0 || work >= state.work_due(problem) {
            return false;
        }
        state.restitution_work += work;
    }
    let before = *state;
    state.velocity = DVec3::new(0.0, 0.0, uz);
    state.impulse += DVec3::new(px, py, length);
    let after = *state;
    // Straight to the accuracy of a picture.
    observer.piece(|part| (before.velocity.lerp(after.velocity, part), before.impulse.lerp(after.impulse, part)));
    true
}
