//! Rotation of bodies with three equal moments of inertia.

use super::{
    RotationState,
    lane_rows::{LANES, LaneRow, put3, put4, unit, vector},
    unit_quat::{UnitQuat, select},
    wide::RotationBlock,
};
use crate::math::{Real, Vec3};
use crate::motion::trig::SMALL;

/// Rotates a body with three equal moments `inertia` (kg m²) for `h` seconds under a constant
/// `torque` (N m, world axes).
///
/// Without torque the angular velocity is constant to the last bit. With a torque it changes
/// linearly, and the rotation is Magnus's series to its second term: `h w + h²/2 b + h³/12 b x w`
/// with `b = torque / inertia`, exact if the torque is parallel to the angular velocity, and of
/// fourth order if not (Magnus 1954).
#[inline]
pub fn isotropic(spin: RotationState, inertia: Real, torque: Vec3, h: Real) -> RotationState {
    let growth = torque / inertia;
    let turn = mean_turn(spin.velocity, growth, h);
    let orientation = turn.times(UnitQuat::from_quat(spin.orientation)).normalized().to_quat();
    RotationState { orientation, velocity: spin.velocity + growth * h, residual: spin.residual }
}

/// [`isotropic`] for the lanes of a block that `chosen` selects, with the first moment of each.
#[inline(always)]
pub(in crate::motion) fn isotropic_lanes(block: &mut RotationBlock, chosen: &[bool; LANES], h: Real) {
    let (mut halves, mut growths): ([LaneRow; 3], [LaneRow; 3]) = Default::default();
    let mut small = true;
    for (lane, &chosen) in chosen.iter().enumerate() {
        let growth = vector(&block.torque, lane) / block.principal[0][lane];
        let half = mean_half_turn(vector(&block.velocity, lane), growth, h);
        put3(&mut growths, lane, growth);
        put3(&mut halves, lane, half);
        small &= !chosen | (half.length_squared() <= SMALL * SMALL);
    }
    if small {
        turn_lanes::<true>(block, chosen, &halves, &growths, h);
    } else {
        turn_lanes::<false>(block, chosen, &halves, &growths, h);
    }
}

#[inline(always)]
fn turn_lanes<const SMALL: bool>(
    block: &mut RotationBlock,
    chosen: &[bool; LANES],
    halves: &[LaneRow; 3],
    growths: &[LaneRow; 3],
    h: Real,
) {
    for (lane, &chosen) in chosen.iter().enumerate() {
        let half = vector(halves, lane);
        let turn = if SMALL { UnitQuat::exp_small(half) } else { UnitQuat::exp(half) };
        let (before, velocity) = (unit(&block.orientation, lane), vector(&block.velocity, lane));
        let after = turn.times(before).normalized();
        let faster = velocity + vector(growths, lane) * h;
        put4(&mut block.orientation, lane, UnitQuat::select(chosen, after, before));
        put3(&mut block.velocity, lane, select(chosen, faster, velocity));
    }
}

/// The rotation in `h` seconds with the initial angular velocity `velocity` (rad/s) and the angular
/// acceleration `growth` (rad/s²).
#[inline]
pub(super) fn mean_turn(velocity: Vec3, growth: Vec3, h: Real) -> UnitQuat {
    UnitQuat::exp(mean_half_turn(velocity, growth, h))
}

#[inline(always)]
fn mean_half_turn(velocity: Vec3, growth: Vec3, h: Real) -> Vec3 {
    let bend = growth.cross(velocity) * (h * h * h / 12.0);
    (velocity * h + growth * (0.5 * h * h) + bend) * 0.5
}
