//! Quaternions between the engine's scalar and `f64`.

use crate::math::{DQuat, Quat, Real};

/// A unit quaternion in `f64`.
pub(super) fn to_f64(q: Quat) -> DQuat {
    let [x, y, z, w] = q.to_array().map(f64::from);
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// A quaternion rounded to the engine's scalar.
pub(super) fn from_f64(q: DQuat) -> Quat {
    let [x, y, z, w] = q.to_array().map(|c| c as Real);
    Quat::from_xyzw(x, y, z, w)
}
