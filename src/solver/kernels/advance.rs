//! The last sweep of a step: separations carried on, so that a kept block needs nobody to measure them again.

use super::{Frame, moved};
use crate::math::Real;
use crate::solver::block::Block;
use crate::solver::lanes::{Kernel, Lane, Path, Vector, WIDTH};

/// Adds the step's motion to the separations of a block and to its travel.
///
/// # Safety
/// The block's lines must exist at `lines` and nobody may be writing them.
pub(crate) unsafe fn advance(path: Path, block: &mut Block, lines: *const Real) {
    path.run(Advance { block, lines });
}

struct Advance<'a> {
    block: &'a mut Block,
    lines: *const Real,
}

impl Kernel for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { block, lines } = self;
        let mut o = 0;
        while o < WIDTH {
            let frame = Frame::<L>::load(block, o);
            // SAFETY: passed on to the caller of `advance`.
            let ((pa, ta), (pb, tb)) = unsafe { (moved::<L>(lines, &block.a, o), moved::<L>(lines, &block.b, o)) };
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
