//! The visit to a block whose lanes have one point each: what touches at a point is half of a heap of balls and most of one of
//! everything. The point is its patch's own centre, so nothing of reduced space is left but the normal.

use super::push::Springs;
use super::rub::rub;
use super::{Frame, Side, freed, moved, spun};
use crate::math::Real;
use crate::solver::block::Block;
use crate::solver::lanes::{Lane, Vector};
use crate::solver::soft::Soft;

/// Lanes `o .. o + N` of one block; returns the greatest correction of each (m/s).
///
/// # Safety
/// As for [`super::pass`].
#[inline(always)]
pub(super) unsafe fn point<L: Lane, const RELAX: bool>(
    block: &mut Block,
    lines: *mut Real,
    soft: &Soft,
    inner: u32,
    o: usize,
    sliding: &mut u32,
) -> L {
    // SAFETY: passed on to the caller.
    let (mut a, mut b) = unsafe { (Side::<L>::gather(lines, &block.a, o), Side::<L>::gather(lines, &block.b, o)) };
    if RELAX {
        let frame = Frame::<L>::load(block, o);
        rub(block, o, &frame, [frame.ra, frame.rb], [&mut a, &mut b], soft.h, sliding);
    }
    let n = Vector::<L>::load(&block.normal, o);
    let (ra, rb) = (Vector::<L>::load(&block.lever_a, o), Vector::<L>::load(&block.lever_b, o));
    let (qa, qb) = (ra.cross(n), rb.cross(n));
    let springs = Springs::<L>::load(block, o, soft);
    let s = if RELAX {
        // SAFETY: passed on to the caller.
        let ((pa, ta), (pb, tb)) = unsafe { (moved::<L>(lines, &block.a, o), moved::<L>(lines, &block.b, o)) };
        L::load(&block.points[0].separation, o) + (n.dot(pb - pa) + (qb.dot(tb) - qa.dot(ta)))
    } else {
        // Nothing has moved since the relaxation.
        L::load(&block.points[0].gap, o)
    };
    let came = n.dot(b.v - a.v) + (qb.dot(b.w) - qa.dot(a.w));
    let coupling = L::load(&block.coupling[0], o);
    let (mut velocity, mut total) = (came, L::splat(0.0));
    for _ in 0..inner {
        let change = springs.push::<RELAX>(&mut block.points[0], o, s, velocity, came);
        velocity = velocity + change * coupling;
        total = total + change;
    }
    let locked = block.locked != 0;
    a.v = a.v - freed(n.scale(total * a.m), locked, &block.free_a, o);
    a.w = a.w - spun(qa.scale(total), block, &block.inertia_a, o);
    b.v = b.v + freed(n.scale(total * b.m), locked, &block.free_b, o);
    b.w = b.w + spun(qb.scale(total), block, &block.inertia_b, o);
    // SAFETY: passed on to the caller.
    unsafe {
        a.scatter(lines, &block.a, block.write_a, o);
        b.scatter(lines, &block.b, block.write_b, o);
    }
    (velocity - came).abs()
}
