//! One sweep of Gauss-Seidel over the contacts of a run of blocks: the solve and the relaxation of a substep.

use super::point::point;
use super::push::Springs;
use super::rub::{arms, rub};
use super::{Frame, Side, freed, moved, spun};
use crate::math::Real;
use crate::solver::block::Block;
use crate::solver::lanes::{Kernel, Lane, Path, Vector, WIDTH};
use crate::solver::soft::Soft;

/// Sweeps the blocks in order and returns the greatest correction of a manifold's normal velocity (m/s).
///
/// `RELAX` false: soft normal impulses, no friction. `RELAX` true: friction, twist and rolling, then rigid normal
/// impulses that leave no push-out velocity; friction lives here alone, where no push-out disturbs it. `inner` is how
/// often the points of a manifold are gone over in one visit.
///
/// # Safety
/// The blocks' lines must exist at `lines`, those they move belong to the caller alone and occur once a block, and
/// nobody may be writing the others.
pub(crate) unsafe fn pass<const RELAX: bool>(
    path: Path,
    blocks: &mut [Block],
    lines: *mut Real,
    soft: &Soft,
    inner: u32,
) -> Real {
    path.run(Pass::<RELAX> { blocks, lines, soft, inner })
}

struct Pass<'a, const RELAX: bool> {
    blocks: &'a mut [Block],
    lines: *mut Real,
    soft: &'a Soft,
    inner: u32,
}

impl<const RELAX: bool> Kernel for Pass<'_, RELAX> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Lane>(self) -> Real {
        let Self { blocks, lines, soft, inner } = self;
        let mut worst = L::splat(0.0);
        for block in blocks {
            let mut sliding = 0;
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: passed on to the caller of `pass`.
                let correction = unsafe {
                    if block.count > 1 {
                        patch::<L, RELAX>(block, lines, soft, inner, o, &mut sliding)
                    } else {
                        point::<L, RELAX>(block, lines, soft, inner, o, &mut sliding)
                    }
                };
                worst = correction.max(worst);
                o += L::N;
            }
            if RELAX {
                block.sliding = sliding;
            }
        }
        worst.greatest(0.0)
    }
}

/// Lanes `o .. o + N` of one block; returns the greatest correction of each (m/s).
#[inline(always)]
unsafe fn patch<L: Lane, const RELAX: bool>(
    block: &mut Block,
    lines: *mut Real,
    soft: &Soft,
    inner: u32,
    o: usize,
    sliding: &mut u32,
) -> L {
    let zero = L::splat(0.0);
    let frame = Frame::<L>::load(block, o);
    // SAFETY: passed on to the caller.
    let (mut a, mut b) = unsafe { (Side::<L>::gather(lines, &block.a, o), Side::<L>::gather(lines, &block.b, o)) };
    let count = block.count as usize;

    let still = Vector::new(zero, zero, zero);
    let ((pa, ta), (pb, tb)) = if RELAX {
        // SAFETY: passed on to the caller.
        unsafe { (moved::<L>(lines, &block.a, o), moved::<L>(lines, &block.b, o)) }
    } else {
        // Nothing has moved since the relaxation.
        ((still, still), (still, still))
    };
    let mut swing = zero;
    if RELAX {
        let arms = arms(block, o, &frame, [(&a, ta), (&b, tb)], soft.h, &mut swing);
        rub(block, o, &frame, arms, [&mut a, &mut b], soft.h, sliding);
    }

    // The arms of the normal, and velocity and displacement in reduced space.
    let (qa, qb) = (frame.ra.cross(frame.n), frame.rb.cross(frame.n));
    let spin = b.w - a.w;
    let (y0, y1, y2) = (frame.n.dot(b.v - a.v) + (qb.dot(b.w) - qa.dot(a.w)), frame.t1.dot(spin), frame.t2.dot(spin));
    let [d0, d1, d2] = if RELAX {
        let turn = tb - ta;
        [frame.n.dot(pb - pa) + (qb.dot(tb) - qa.dot(ta)), frame.t1.dot(turn), frame.t2.dot(turn)]
    } else {
        [zero; 3]
    };
    let k = &block.coupling;
    let (k00, k11, k22) = (L::load(&k[0], o), L::load(&k[1], o), L::load(&k[2], o));
    let (k01, k02, k12) = (L::load(&k[3], o), L::load(&k[4], o), L::load(&k[5], o));

    let springs = Springs::<L>::load(block, o, soft);
    let (mut z0, mut z1, mut z2) = (y0, y1, y2);
    let (mut total, mut moment_u, mut moment_v) = (zero, zero, zero);
    for _ in 0..inner {
        for k in 0..count {
            let rows = &mut block.points[if RELAX { count - 1 - k } else { k }];
            let (u, v) = (L::load(&rows.u, o), L::load(&rows.v, o));
            let s = if RELAX { L::load(&rows.separation, o) + (d0 + v * d1 - u * d2) } else { L::load(&rows.gap, o) };
            let came = y0 + v * y1 - u * y2;
            let change = springs.push::<RELAX>(rows, o, s, z0 + v * z1 - u * z2, came);
            let (cu, cv) = (change * u, change * v);
            z0 = z0 + (change * k00 + cv * k01 - cu * k02);
            z1 = z1 + (change * k01 + cv * k11 - cu * k12);
            z2 = z2 + (change * k02 + cv * k12 - cu * k22);
            total = total + change;
            moment_u = moment_u + cu;
            moment_v = moment_v + cv;
        }
    }

    let arm = L::load(&block.arm, o);
    let correction = (z0 - y0).abs() + arm * ((z1 - y1).abs() + (z2 - y2).abs());
    let angular = frame.t1.scale(moment_v) - frame.t2.scale(moment_u);
    // The arms are at hand, so this is `apply` with the cross products already taken.
    a.v = a.v - freed(frame.n.scale(total * a.m), block.locked != 0, &block.free_a, o);
    a.w = a.w - spun(qa.scale(total) + angular, block, &block.inertia_a, o);
    b.v = b.v + freed(frame.n.scale(total * b.m), block.locked != 0, &block.free_b, o);
    b.w = b.w + spun(qb.scale(total) + angular, block, &block.inertia_b, o);
    // SAFETY: passed on to the caller.
    unsafe {
        a.scatter(lines, &block.a, block.write_a, o);
        b.scatter(lines, &block.b, block.write_b, o);
    }
    correction.max(swing)
}
