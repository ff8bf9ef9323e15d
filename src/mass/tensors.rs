//! Products of vectors, and the inertia tensor of second moments.

use glam::{DMat3, DVec3};

/// The outer product `a b^T`.
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// `a b^T + b a^T`.
pub(super) fn symmetric_outer(a: DVec3, b: DVec3) -> DMat3 {
    outer(a, b) + outer(b, a)
}

/// The inertia tensor of a distribution with the second moments `second` about the same point:
/// `tr(S) 1 - S`.
pub(super) fn inertia_of_second(second: DMat3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(second.x_axis.x + second.y_axis.y + second.z_axis.z)) - second
}
