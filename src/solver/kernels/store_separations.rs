//! End of a step: separations advanced by the motion of the bodies, so that kept blocks need no
//! narrow phase to measure them again.

use super::{Frame, gather_displacement};
use crate::math::Real;
use crate::solver::block::ContactBlock;
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, Vector, WIDTH};

/// Advances the separations of a block by the motion of the step, and adds to the travel of its
/// surfaces.
///
/// # Safety
/// The states of the block's bodies must exist at `states`, and no thread may be writing them.
pub(crate) unsafe fn store_separations(simd: SimdLevel, block: &mut ContactBlock, states: *const Real) {
    simd.run(StoreSeparations { block, states });
}

struct StoreSeparations<'a> {
    block: &'a mut ContactBlock,
    states: *const Real,
}

impl SimdKernel for StoreSeparations<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Self { block, states } = self;
        let mut o = 0;
        while o < WIDTH {
            let frame = Frame::<L>::load(block, o);
            // SAFETY: the contract of `store_separations`.
            let ((pa, ta), (pb, tb)) = unsafe {
                (gather_displacement::<L>(states, &block.a, o), gather_displacement::<L>(states, &block.b, o))
            };
            let at_a = pa + ta.cross(frame.ra);
            let at_b = pb + tb.cross(frame.rb);
            let turn = tb - ta;
            let (d0, d1, d2) = (frame.n.dot(at_b - at_a), frame.t1.dot(turn), frame.t2.dot(turn));
            for rows in &mut block.points[..block.count as usize] {
                let (u, v) = (L::load(&rows.u, o), L::load(&rows.v, o));
                (L::load(&rows.separation, o) + (d0 + v * d1 - u * d2)).store(&mut rows.separation, o);
            }
            let length = |v: Vector<L>| v.dot(v).sqrt();
            let reach = length(frame.ra).max(length(frame.rb));
            let travel = length(at_b - at_a) + length(ta).max(length(tb)) * reach;
            (L::load(&block.travel, o) + travel).store(&mut block.travel, o);
            o += L::N;
        }
    }
}
