//! The Jacobian of a contact: from impulses to motion and back.

use super::block::{JacobianBlock, Vec6, add_scaled, dot};
use crate::math::DVec3;

/// The rows of a contact (normal and two tangents), and the bodies they act on. The index one past
/// the last body stands for the world, with rows of zeros.
#[derive(Clone, Debug)]
pub(super) struct Jacobian {
    pub first: u32,
    pub second: u32,
    pub on_first: JacobianBlock,
    pub on_second: JacobianBlock,
}

impl Jacobian {
    /// `J x`, contact axes.
    #[inline(always)]
    pub fn apply(&self, x: &[Vec6]) -> DVec3 {
        let (a, b) = (&x[self.first as usize], &x[self.second as usize]);
        DVec3::new(
            dot(&self.on_first[0], a) + dot(&self.on_second[0], b),
            dot(&self.on_first[1], a) + dot(&self.on_second[1], b),
            dot(&self.on_first[2], a) + dot(&self.on_second[2], b),
        )
    }

    /// `x += J^T j`.
    #[inline(always)]
    pub fn add_transposed(&self, j: DVec3, x: &mut [Vec6]) {
        for (body, rows) in [(self.first, &self.on_first), (self.second, &self.on_second)] {
            let target = &mut x[body as usize];
            for k in 0..6 {
                target[k] += j.x * rows[0][k] + j.y * rows[1][k] + j.z * rows[2][k];
            }
        }
    }

    /// `x += J_n^T j` of the normal alone.
    #[inline(always)]
    pub fn add_normal_transposed(&self, j: f64, x: &mut [Vec6]) {
        add_scaled(&mut x[self.first as usize], j, &self.on_first[0]);
        add_scaled(&mut x[self.second as usize], j, &self.on_second[0]);
    }

    /// `J_n x` of the normal alone.
    #[inline(always)]
    pub fn apply_normal(&self, x: &[Vec6]) -> f64 {
        dot(&self.on_first[0], &x[self.first as usize]) + dot(&self.on_second[0], &x[self.second as usize])
    }
}

/// The place of a joint constraint among the rows of a problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstraintSlot {
    pub row: u32,
    pub axis: u32,
    /// Factor from the row's unknown to the constraint's strength: 1 or -1, for torques times a
    /// length (m).
    pub unit: f64,
}

impl ConstraintSlot {
    /// The strength of the constraint (N s, N m s) in these impulses.
    pub fn strength(&self, impulses: &[DVec3]) -> f64 {
        impulses[self.row as usize][self.axis as usize] * self.unit
    }

    /// Writes a strength into impulses.
    pub fn set_strength(&self, strength: f64, impulses: &mut [DVec3]) {
        impulses[self.row as usize][self.axis as usize] = strength / self.unit;
    }
}
