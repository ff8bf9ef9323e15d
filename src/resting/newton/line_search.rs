//! Line search of a Newton step: the root of the slope, within a tenth.
//!
//! Backtracking is insufficient: if contacts open, the right length is of the order of the proximal
//! softness, and ten halvings stall.

use crate::tolerances::DIRECT_NEWTON;

/// Most evaluations of a line search (Illinois method). Not reached in practice.
const MAX_EVALUATIONS: usize = 30;

/// The length at which `slope`, which falls from the positive `at_start`, is zero to within a
/// fraction of that.
pub(super) fn find_step(slope: impl Fn(f64) -> f64, at_start: f64) -> f64 {
    let enough = DIRECT_NEWTON.good_reduction * at_start.abs();
    let (mut low, mut at_low) = (0.0, at_start);
    let (mut high, mut at_high) = (f64::INFINITY, f64::NAN);
    let mut a = 1.0;
    // The end kept by the last bracketing: Illinois halves the weight of an end kept twice.
    let mut kept = 0;
    for _ in 0..MAX_EVALUATIONS {
        let value = slope(a);
        if value.abs() <= enough || !value.is_finite() {
            break;
        }
        if value > 0.0 {
            (low, at_low) = (a, value);
            if kept == 1 {
                at_high *= 0.5;
            }
            kept = 1;
        } else {
            (high, at_high) = (a, value);
            if kept == -1 {
                at_low *= 0.5;
            }
            kept = -1;
        }
        a = if high.is_finite() { low + (high - low) * at_low / (at_low - at_high) } else { 2.0 * a };
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_near_and_far_are_found() {
        for root in [1e-4, 0.03, 0.9, 7.0] {
            let steep = |a: f64| if a < root { 1.0 - 0.1 * a / root } else { 0.9 - 50.0 * (a - root) / root };
            let a = find_step(steep, 1.0);
            assert!(steep(a).abs() <= 0.1, "{root} {a}");
        }
    }
}
