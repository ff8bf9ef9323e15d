//! Sliding: the loop over steps, until the impact ends or sliding stops.

use super::approach::{Accuracy, is_straight, settle, stop_on_ray};
use super::events::end_within;
use super::observer::Observer;
use super::problem::Scaled;
use super::progress::{Line, Progress};
use super::series::{Local, Series};
use crate::math::DVec3;
use crate::tolerances::{IMPACT, ROUNDING};

/// Cap on the steps of one impact, which then goes straight on. Ordinary impacts take at most about
/// twenty; only matrices made of rounding reach the cap.
const MAX_STEPS: u32 = 1000;

/// Slides until the impact ends (returns true) or sliding stops (returns false).
#[inline]
pub(super) fn slide<O: Observer>(
    problem: &Scaled,
    state: &mut Progress,
    tolerance: f64,
    steps: &mut u32,
    observer: &mut O,
) -> bool {
    let mut speed = state.sliding_speed();
    if speed <= IMPACT.rounding * (speed - state.velocity.z) {
        return false;
    }
    let on_ray = IMPACT.rounding * problem.scale();
    // Lower bound of the final normal impulse.
    let k_length = (problem.kx * problem.kx + problem.ky * problem.ky).sqrt();
    let least_impulse = -state.velocity.z / (problem.kz + problem.friction * k_length);
    let (soft, stiff) = problem.tangential_responses();
    let soft = soft.max(ROUNDING.solution * stiff);
    let evenness = if stiff > 0.0 { (soft / stiff).sqrt() } else { 1.0 };
    loop {
        let local = Local::new(problem, state.velocity, speed);
        let impulse = least_impulse.max(state.impulse.z);
        // Friction never separates two trajectories: in the norm of M^-1, a difference of u_t only
        // shrinks as p_z grows. So an error of the sliding velocity is not amplified where sliding
        // is slow, and its effect on the impulse is at most that of the softest tangential
        // direction.
        let speed_scale = soft * impulse;
        let stopping = speed <= IMPACT.standstill * tolerance * speed_scale;
        let step_tolerance = (tolerance * (speed_scale / speed).max(1.0)).min(IMPACT.tolerance_range.1.max(tolerance));
        let accuracy = Accuracy { tolerance, impulse: tolerance * evenness * impulse };
        let straight = is_straight(problem, &local, &accuracy) || local.turning.abs() <= on_ray;
        if straight || stopping || *steps >= MAX_STEPS {
            let local = if straight { settle(problem, state, local, on_ray) } else { local };
            return go_straight(problem, state, &local, stopping, observer);
        }
        if stop_on_ray(problem, state, &local, &accuracy, observer) {
            return false;
        }
        *steps += 1;
        let series = Series::new(&local);
        let step = series.longest_step(step_tolerance);
        match end_within(problem, state, &local, &series, step) {
            Some(end) => {
                advance(problem, state, &local, &series, end, observer);
                // Rounding may leave u_z slightly negative; a plastic impact ends at zero by
                // definition.
                state.velocity.z = if problem.restitution_squared == 0.0 { 0.0 } else { state.velocity.z.max(0.0) };
                return true;
            }
            None => advance(problem, state, &local, &series, step, observer),
        }
        speed = state.sliding_speed();
    }
}

/// Continues along the current direction to the stop of sliding, or without end if it does not slow
/// down.
fn go_straight<O: Observer>(
    problem: &Scaled,
    state: &mut Progress,
    local: &Local,
    stopping: bool,
    observer: &mut O,
) -> bool {
    let length = if local.growth < 0.0 {
        local.speed / -local.growth
    } else if stopping {
        0.0
    } else {
        f64::INFINITY
    };
    let mu = problem.friction;
    // Along the ray itself: the remaining turning is below the tolerance, and would miss the
    // origin.
    let line = Line {
        velocity: [local.growth * local.cx, local.growth * local.cy],
        friction: [-mu * local.cx, -mu * local.cy],
        slope: local.slope,
    };
    state.follow(problem, &line, length, observer)
}

/// Velocity and impulse at `s` along a step.
#[inline]
fn moment(problem: &Scaled, local: &Local, series: &Series, from: &Progress, s: f64) -> (DVec3, DVec3) {
    let [x, y, d] = series.integrals(s);
    let r = local.speed;
    let (change_x, change_y) = (
        r * (local.growth * x - local.shear * y + local.along * d),
        r * (local.turning * x - local.cross * y + local.across * d),
    );
    let change_z = r * (local.slope * x - problem.friction * local.across * y + problem.kz * d);
    let (fx, fy) = (-problem.friction * r * x, -problem.friction * r * y);
    let turned = |x: f64, y: f64, z: f64| DVec3::new(local.cx * x - local.cy * y, local.cy * x + local.cx * y, z);
    (from.velocity + turned(change_x, change_y, change_z), from.impulse + turned(fx, fy, r * (x + d)))
}

/// Moves the state to `s` along a step.
#[inline]
fn advance<O: Observer>(
    problem: &Scaled,
    state: &mut Progress,
    local: &Local,
    series: &Series,
    s: f64,
    observer: &mut O,
) {
    let before = *state;
    observer.piece(|fraction| moment(problem, local, series, &before, fraction * s));
    (state.velocity, state.impulse) = moment(problem, local, series, &before, s);
}
