//! Block Gauss-Seidel: one contact after another, each solved exactly.
//!
//! Cheap and robust for loose piles. Slow for stacks: information travels one contact a sweep.

use super::block::Vec6;
use super::local::solve_contact;
use super::residual::View;
use crate::math::{DMat3, DVec3};

/// Sweeps over every contact `count` times. `x` must be `sum J^T j`, and stays so.
pub(super) fn sweep(view: &View, grams: &[DMat3], impulses: &mut [DVec3], x: &mut [Vec6], count: usize) {
    for _ in 0..count {
        for (i, row) in view.jacobians.iter().enumerate() {
            let old = impulses[i];
            let u = row.apply(x) + view.offsets[i];
            let new = solve_contact(&grams[i], u - grams[i] * old, view.friction[i], old);
            impulses[i] = new;
            if new != old {
                row.add_transposed(new - old, x);
            }
        }
    }
}
