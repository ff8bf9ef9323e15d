//! Conversion of `f64` quaternions to the engine's scalar.

use crate::math::{DQuat, Quat, Real};

/// A quaternion rounded to the engine's scalar.
pub(super) fn from_f64(q: DQuat) -> Quat {
    let [x, y, z, w] = q.to_array().map(|c| c as Real);
    Quat::from_xyzw(x, y, z, w)
}
