//! Scalars of many bodies in rows that become vector registers.

use super::unit_quat::UnitQuat;
use crate::math::{Real, Vec3};

/// Bodies in a block.
pub const LANES: usize = 16;

/// One scalar of each body of a block.
pub type LaneRow = [Real; LANES];

#[inline(always)]
pub(in crate::motion) fn put3(rows: &mut [LaneRow; 3], lane: usize, v: Vec3) {
    (rows[0][lane], rows[1][lane], rows[2][lane]) = (v.x, v.y, v.z);
}

#[inline(always)]
pub(in crate::motion) fn put4(rows: &mut [LaneRow; 4], lane: usize, q: UnitQuat) {
    (rows[0][lane], rows[1][lane], rows[2][lane], rows[3][lane]) = (q.v.x, q.v.y, q.v.z, q.w);
}

#[inline(always)]
pub(in crate::motion) fn vector(rows: &[LaneRow; 3], lane: usize) -> Vec3 {
    Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane])
}

#[inline(always)]
pub(in crate::motion) fn unit(rows: &[LaneRow; 4], lane: usize) -> UnitQuat {
    UnitQuat { v: Vec3::new(rows[0][lane], rows[1][lane], rows[2][lane]), w: rows[3][lane] }
}
