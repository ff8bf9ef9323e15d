//! Prediction of the linearisation poses by the last joint impulses.
//!
//! Poses predicted with the last impulses are nearer to the solution than free ones. Where the
//! impulses oscillate from substep to substep, as in light links between heavy balls, the
//! prediction would amplify the oscillation: a gate by its error disables it.

use super::batch::BatchView;
use super::jacobians::{predict_poses, predict_poses_masked};
use crate::math::Real;
use crate::solver::simd::{Simd, Vector};
use crate::tolerances::JOINTS;

/// Predicts the poses after `h` (s) with the last impulses, and saves the predicted change of the
/// angular velocities.
#[inline(always)]
pub(super) fn predict_with_impulses<L: Simd>(view: &mut BatchView, o: usize, h: Real) {
    predict_poses::<L>(view, o, h);
    for body in view.bodies.iter_mut() {
        Vector::<L>::load(&body.velocity_change[1], o).store(&mut body.predicted_spin_change, o);
    }
}

/// Predicts the poses after `h` (s) without joint impulses, in lanes where the last prediction was
/// wrong.
#[inline(always)]
pub(super) fn predict_without_impulses<L: Simd>(view: &mut BatchView, o: usize, h: Real) {
    let invalid = L::splat(0.5).gt(L::load(view.prediction_valid, o));
    if L::bits(invalid) != 0 {
        predict_poses_masked::<L>(view, o, h, invalid);
    }
}

/// Compares the joints' change of the angular velocities with the prediction.
#[inline(always)]
pub(super) fn update_prediction_gate<L: Simd>(view: &mut BatchView, o: usize) {
    let zero = L::splat(0.0);
    let (mut error_sum, mut actual_sum) = (zero, zero);
    for body in view.bodies.iter() {
        let actual = Vector::<L>::load(&body.velocity[1], o) + Vector::load(&body.velocity_change[1], o);
        let error = actual - Vector::load(&body.predicted_spin_change, o);
        error_sum = error_sum + error.dot(error);
        actual_sum = actual_sum + actual.dot(actual);
    }
    L::select(error_sum.gt(L::splat(JOINTS.prediction_max_error2) * actual_sum), zero, L::splat(1.0))
        .store(view.prediction_valid, o);
}
