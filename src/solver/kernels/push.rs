//! The normal impulse of one point.

use crate::solver::block::{Block, PointRows};
use crate::solver::lanes::Lane;
use crate::solver::soft::Soft;

/// The springs of some lanes of a block in a substep.
pub(super) struct Springs<L> {
    /// 1/s.
    inverse_h: L,
    /// Least bias velocity (m/s): overlaps are pushed out no faster.
    max_push: L,
    rate: L,
    mass_scale: L,
    impulse_scale: L,
}

impl<L: Lane> Springs<L> {
    #[inline(always)]
    pub fn load(block: &Block, o: usize, soft: &Soft) -> Self {
        Self {
            inverse_h: L::splat(soft.inverse_h),
            max_push: L::splat(-soft.max_push),
            rate: L::load(&block.rate, o),
            mass_scale: L::load(&block.mass_scale, o),
            impulse_scale: L::load(&block.impulse_scale, o),
        }
    }

    /// Finds the impulse of points with separation `s` (m) and normal velocity `velocity` (m/s), which was `came` before their
    /// manifold was visited; returns the change (N s).
    #[inline(always)]
    pub fn push<const RELAX: bool>(&self, rows: &mut PointRows, o: usize, s: L, velocity: L, came: L) -> L {
        let zero = L::splat(0.0);
        let (mass, old) = (L::load(&rows.mass, o), L::load(&rows.impulse, o));
        let new = if RELAX {
            // A gap that is still open may close within the substep and no faster, unless nothing has met yet: to brake an
            // approach here would take its speed before the impact, which is another stage's.
            let gap = s.max(zero) * self.inverse_h;
            let unmet = L::select(s.gt(zero), gap.max(gap - came), gap);
            let bias = L::select(old.gt(zero), gap, unmet);
            s.store(&mut rows.gap, o);
            old - mass * (velocity + bias)
        } else {
            let open = s.gt(zero);
            let bias = L::select(open, s * self.inverse_h, (s * self.rate).max(self.max_push));
            let keep = L::select(open, zero, self.impulse_scale);
            let scale = L::select(open, L::splat(1.0), self.mass_scale);
            old - mass * scale * (velocity + bias) - keep * old
        };
        let new = new.max(zero);
        new.store(&mut rows.impulse, o);
        new - old
    }
}
