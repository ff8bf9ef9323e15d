//! Residual of the contact laws: one number that is zero at a solution and nowhere else.

use super::block::Vec6;
use super::cone::{project, shift};
use super::jacobian::Jacobian;
use crate::math::DVec3;

/// The input of every method: Jacobians, and the terms that a retry may change.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub jacobians: &'a [Jacobian],
    /// `b_i`.
    pub offsets: &'a [DVec3],
    /// `g_i`, a third of the trace of `J_i J_i^T`.
    pub compliance: &'a [f64],
    pub friction: &'a [f64],
    /// The unit of speed.
    pub speed: f64,
    pub bodies: usize,
}

impl View<'_> {
    /// `max_i |j - P(j - (u + mu |u_t| n) / g_i)| g_i / V`, with `x = sum J^T j`: the natural map
    /// of the complementarity problem with de Saxcé's shift, in units of the island's speed. NaN if
    /// any term is.
    pub fn residual(&self, impulses: &[DVec3], x: &[Vec6]) -> f64 {
        let mut worst = 0.0_f64;
        for (i, (row, &j)) in self.jacobians.iter().zip(impulses).enumerate() {
            let value = self.contact_residual(i, j, row.apply(x) + self.offsets[i]);
            if value.is_nan() {
                return f64::NAN;
            }
            worst = worst.max(value);
        }
        worst.sqrt() / self.speed
    }

    /// The square of one contact's share, in the unit of speed.
    #[inline(always)]
    fn contact_residual(&self, i: usize, j: DVec3, mut u: DVec3) -> f64 {
        let (g, mu) = (self.compliance[i], self.friction[i]);
        u.x += shift(u, mu);
        (j - project(j - u / g, mu)).length_squared() * g * g
    }

    /// `x = sum J^T j`.
    pub fn response(&self, impulses: &[DVec3], x: &mut [Vec6]) {
        x.fill([0.0; 6]);
        for (row, &j) in self.jacobians.iter().zip(impulses) {
            row.add_transposed(j, x);
        }
    }
}
