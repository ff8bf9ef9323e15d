//! Tests whether joints reach limits in the rest of a step.

use super::batch::BatchView;
use super::body_pair::BodyPair;
use super::row::RowKind;
use super::substep_passes::load_bodies;
use crate::math::Real;
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, WIDTH};

/// True if a joint of a batch would pass a limit at constant velocities within `time` (s), by more
/// than a velocity of `stop` (m/s, rad/s) would move it.
///
/// # Safety
/// As for [`begin_step`](super::substep_passes::begin_step).
pub(crate) unsafe fn reaches_limit(
    simd: SimdLevel,
    view: &mut BatchView,
    states: *mut Real,
    time: Real,
    stop: Real,
) -> bool {
    simd.run(LimitSearch { view, states, time, stop })
}

struct LimitSearch<'a, 'b> {
    view: &'a mut BatchView<'b>,
    states: *mut Real,
    time: Real,
    stop: Real,
}

impl SimdKernel for LimitSearch<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<L: Simd>(self) -> bool {
        let Self { view, states, time, stop } = self;
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: passed on to the caller of `reaches_limit`.
            unsafe { load_bodies::<L>(view, states, o) };
            if L::bits(max_overshoot::<L>(view, o, time).gt(L::splat(stop * time))) != 0 {
                return true;
            }
            o += L::N;
        }
        false
    }
}

/// Largest violation of a limit after `time` (s).
#[inline(always)]
fn max_overshoot<L: Simd>(view: &BatchView, o: usize, time: Real) -> L {
    let mut furthest = L::splat(0.0);
    for (kind, block) in view.factor.joints.iter().zip(&view.factor.blocks) {
        let pair = BodyPair::<L>::load(view.bodies, kind.bodies, o);
        for (row, &(coordinate, row_kind)) in
            view.rows[block.scalar_rows()].iter().zip(&kind.rows[block.point_rows()..])
        {
            if row_kind == RowKind::Limit {
                let value = L::load(&row.value, o);
                let by = pair.rate(coordinate, row, o) * L::splat(time);
                let (least, most) = (L::load(&row.target, o), L::load(&row.target_high, o));
                // Existing violations are corrected by the passes.
                let over = value.min(most) + by - most;
                let under = least - (value.max(least) + by);
                furthest = over.max(under).max(furthest);
            }
        }
    }
    furthest
}
