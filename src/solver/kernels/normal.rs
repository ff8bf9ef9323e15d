//! The normal impulse of one point.

use crate::solver::block::{ContactBlock, PointLanes};
use crate::solver::simd::Simd;
use crate::solver::soft::SoftContact;

/// Contact springs of lanes `o ..` of a block in a substep.
pub(super) struct NormalSprings<L> {
    /// 1/s.
    inverse_h: L,
    /// Least bias velocity (m/s): overlaps are separated no faster.
    max_push: L,
    rate: L,
    mass_scale: L,
    impulse_scale: L,
}

impl<L: Simd> NormalSprings<L> {
    #[inline(always)]
    pub fn load(block: &ContactBlock, o: usize, soft: &SoftContact) -> Self {
        Self {
            inverse_h: L::splat(soft.inverse_h),
            max_push: L::splat(-soft.max_push),
            rate: L::load(&block.rate, o),
            mass_scale: L::load(&block.mass_scale, o),
            impulse_scale: L::load(&block.impulse_scale, o),
        }
    }

    /// Solves the normal impulse of a point with separation `s` (m) and normal velocity `velocity`
    /// (m/s), which was `initial` before this sweep reached the manifold; returns the change of the
    /// impulse (N s).
    #[inline(always)]
    pub fn solve_normal<const RELAX: bool>(&self, rows: &mut PointLanes, o: usize, s: L, velocity: L, initial: L) -> L {
        let zero = L::splat(0.0);
        let (mass, old) = (L::load(&rows.mass, o), L::load(&rows.impulse, o));
        let new = if RELAX {
            // An open gap may close within the substep and no faster. If the contact has no impulse
            // yet, its approach is not braked: that would take its speed before the impact, which
            // another stage solves.
            let gap = s.max(zero) * self.inverse_h;
            let free_approach = L::select(s.gt(zero), gap.max(gap - initial), gap);
            let bias = L::select(old.gt(zero), gap, free_approach);
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
