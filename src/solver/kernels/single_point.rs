//! Sweep over a block whose lanes have one point each, as do contacts of balls and most contacts in
//! a mixed pile. The point is the centre of its manifold, so that reduced space consists of the
//! normal alone.

use super::friction::solve_friction;
use super::normal::{NormalSprings, turned_away};
use super::{BodyVelocities, Frame, along_free_axes, angular_change, gather_displacement};
use crate::math::Real;
use crate::solver::block::ContactBlock;
use crate::solver::simd::Simd;
use crate::solver::soft::SoftContact;

/// Solves lanes `o .. o + N` of one block; returns the largest correction of each (m/s).
///
/// # Safety
/// As for [`super::pgs_sweep`].
#[inline(always)]
pub(super) unsafe fn single_point<L: Simd, const RELAX: bool>(
    block: &mut ContactBlock,
    states: *mut Real,
    soft: &SoftContact,
    inner: u32,
    o: usize,
    sliding: &mut u32,
) -> L {
    // SAFETY: the caller's contract.
    let (mut a, mut b) =
        unsafe { (BodyVelocities::<L>::gather(states, &block.a, o), BodyVelocities::<L>::gather(states, &block.b, o)) };
    let frame = Frame::<L>::load(block, o);
    if RELAX {
        solve_friction(block, o, &frame, [frame.ra, frame.rb], [&mut a, &mut b], soft.h, sliding);
    }
    let Frame { n, ra, rb, .. } = frame;
    let (qa, qb) = (ra.cross(n), rb.cross(n));
    let springs = NormalSprings::<L>::load(block, o, soft);
    let s = if RELAX {
        // SAFETY: the caller's contract.
        let ((pa, ta), (pb, tb)) =
            unsafe { (gather_displacement::<L>(states, &block.a, o), gather_displacement::<L>(states, &block.b, o)) };
        let moved = n.dot(pb - pa) + (qb.dot(tb) - qa.dot(ta));
        L::load(&block.points[0].separation, o) + (moved + turned_away(&frame, [ta, tb], soft))
    } else {
        // No body has moved since the relaxation.
        L::load(&block.points[0].gap, o)
    };
    let initial = n.dot(b.v - a.v) + (qb.dot(b.w) - qa.dot(a.w));
    let inverse_mass = L::load(&block.normal_matrix[0], o);
    let (mut velocity, mut total) = (initial, L::splat(0.0));
    for _ in 0..inner {
        let change = springs.solve_normal::<RELAX>(&mut block.points[0], o, s, velocity, initial);
        velocity = velocity + change * inverse_mass;
        total = total + change;
    }
    let locked = block.locked != 0;
    a.v = a.v - along_free_axes(n.scale(total * a.m), locked, &block.free_a, o);
    a.w = a.w - angular_change(qa.scale(total), block, &block.inertia_a, o);
    b.v = b.v + along_free_axes(n.scale(total * b.m), locked, &block.free_b, o);
    b.w = b.w + angular_change(qb.scale(total), block, &block.inertia_b, o);
    // SAFETY: the caller's contract.
    unsafe {
        a.scatter(states, &block.a, block.write_a, o);
        b.scatter(states, &block.b, block.write_b, o);
    }
    (velocity - initial).abs()
}
