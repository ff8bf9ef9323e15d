//! Events inside a step of sliding: the bodies stop approaching, approach again, or the work is
//! returned.

use super::polynomial::{ORDER, Polynomial, root_between, value, value_and_derivative};
use super::problem::Scaled;
use super::progress::Progress;
use super::series::{Local, Series};
use super::work::Work;

/// Adds the work of a step to its phases. Returns the end of the impact within the step, if there
/// is one.
#[inline]
pub(super) fn end_within(
    problem: &Scaled,
    state: &mut Progress,
    local: &Local,
    series: &Series,
    step: f64,
) -> Option<f64> {
    let z = series.normal_velocity(problem, local, state.velocity.z);
    let w = Work::new(problem, local, series, state.velocity.z);
    // u_z grows along the whole step unless friction can press harder than the normal impulse
    // lifts.
    let can_fall = problem.friction * problem.friction * (problem.kx * problem.kx + problem.ky * problem.ky)
        >= problem.kz * problem.kz;
    if !can_fall {
        return monotone_piece(problem, state, (local, series), &z, &w, 0.0, step);
    }
    let mut from = 0.0;
    for extreme in extremes(local, series, &z, step).into_iter().flatten() {
        if let Some(end) = monotone_piece(problem, state, (local, series), &z, &w, from, extreme) {
            return Some(end);
        }
        from = extreme;
    }
    monotone_piece(problem, state, (local, series), &z, &w, from, step)
}

/// A part of a step in which `u_z` is monotone.
#[inline]
fn monotone_piece(
    problem: &Scaled,
    state: &mut Progress,
    (local, series): (&Local, &Series),
    z: &Polynomial,
    w: &Work,
    low: f64,
    high: f64,
) -> Option<f64> {
    let z_high = value(z, high);
    let w_high = w.until(high);
    let mut from = low;
    let mut w_from = if low == 0.0 { 0.0 } else { w.until(low) };
    if state.compressing {
        if z_high <= 0.0 {
            state.compression_work += w_high - w_from;
            return None;
        }
        let turn = zero_of_normal_velocity(z, low, high, z_high);
        let w_turn = w.until(turn);
        state.compression_work += w_turn - w_from;
        state.compressing = false;
        (from, w_from) = (turn, w_turn);
    }
    let falls = z_high < 0.0;
    let turn = if falls { zero_of_normal_velocity(z, from, high, z_high) } else { high };
    let w_turn = if falls { w.until(turn) } else { w_high };
    let due = state.work_due(problem);
    if due <= 0.0 {
        return Some(from);
    }
    if w_turn - w_from >= due {
        state.restitution_work += due;
        // From the moment of maximum compression the work grows as the square of the way.
        let guess = from + (turn - from) * (due / (w_turn - w_from)).sqrt();
        let target = w_from + due;
        let surplus = |s: f64| (w.until(s) - target, local.speed * series.speed(s) * value(z, s));
        return Some(root_between(surplus, true, from, turn, guess));
    }
    state.restitution_work += w_turn - w_from;
    if falls {
        state.phases += 1;
        state.compressing = true;
        state.compression_work += w_high - w_turn;
    }
    None
}

/// The zero of `u_z` in a piece whose far end has the other sign; the near end if rounding has it
/// there already.
fn zero_of_normal_velocity(z: &Polynomial, low: f64, high: f64, at_high: f64) -> f64 {
    let at_low = value(z, low);
    if at_low * at_high < 0.0 {
        let guess = low + (high - low) * (at_low / (at_low - at_high));
        root_between(|s| value_and_derivative(z, s), at_low < 0.0, low, high, guess)
    } else {
        low
    }
}

/// The extremes of `u_z` inside a step, in order.
///
/// `du_z/dp_z = kz - mu k.c` depends only on the direction `c`, which turns one way, and is least
/// where `c` passes `k`. So there are at most two zeros, one on each side of that.
#[cold]
fn extremes(local: &Local, series: &Series, z: &Polynomial, step: f64) -> [Option<f64>; 2] {
    let mut growth = [0.0; ORDER + 1];
    let mut from_k = [0.0; ORDER + 1];
    for m in 0..ORDER {
        growth[m] = (m + 1) as f64 * z[m + 1];
        from_k[m] = local.along * series.y[m] - local.across * series.x[m];
    }
    let root = |of: &Polynomial, low: f64, high: f64| {
        let (at_low, at_high) = (value(of, low), value(of, high));
        (at_low * at_high < 0.0)
            .then(|| root_between(|s| value_and_derivative(of, s), at_low < 0.0, low, high, f64::NAN))
    };
    let zero = |low: f64, high: f64| root(&growth, low, high);
    if let Some(middle) = root(&from_k, 0.0, step) {
        [zero(0.0, middle), zero(middle, step)]
    } else {
        [zero(0.0, step), None]
    }
}
