//! Bodies with three equal moments of inertia.

use super::{Spin, unit::Unit};
use crate::math::{Real, Vec3};

/// Turns a body whose moments of inertia all are `inertia` (kg m²) for `h` seconds under a constant `torque` (N m,
/// world axes).
///
/// Free, its angular velocity is constant to the last bit. With a torque the angular velocity grows evenly, and the
/// rotation is Magnus's series to its second term: `h w + h²/2 b + h³/12 b x w` with `b = torque / inertia`. It is
/// exact where the torque is parallel to the spin, and of fourth order where it is not (Magnus 1954).
#[inline]
pub fn isotropic(spin: Spin, inertia: Real, torque: Vec3, h: Real) -> Spin {
    let growth = torque / inertia;
    let turn = mean_turn(spin.velocity, growth, h);
    let orientation = turn.times(Unit::from_quat(spin.orientation)).normalized().to_quat();
    Spin { orientation, velocity: spin.velocity + growth * h, residual: spin.residual }
}

/// The rotation in `h` seconds at an angular velocity that starts with `velocity` (rad/s) and grows by `growth`
/// (rad/s²).
#[inline]
pub(super) fn mean_turn(velocity: Vec3, growth: Vec3, h: Real) -> Unit {
    let bend = growth.cross(velocity) * (h * h * h / 12.0);
    Unit::exp((velocity * h + growth * (0.5 * h * h) + bend) * 0.5)
}
