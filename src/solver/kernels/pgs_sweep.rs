//! One sweep of projected Gauss-Seidel over the contacts of a run of blocks: the solve or the
//! relaxation of a substep.

use super::friction::{patch_arms, solve_friction};
use super::normal::{NormalSprings, turned_away};
use super::single_point::single_point;
use super::{BodyVelocities, Frame, along_free_axes, angular_change, gather_displacement};
use crate::math::Real;
use crate::solver::block::ContactBlock;
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, Vector, WIDTH};
use crate::solver::soft::SoftContact;

/// Sweeps the blocks in order; returns the largest correction of the normal velocity of a manifold
/// (m/s).
///
/// `RELAX` false: soft normal impulses, no friction. `RELAX` true: friction, twist and rolling,
/// then rigid normal impulses that leave no push-out velocity; friction is solved here alone, where
/// no push-out velocity disturbs it. `inner`: iterations over the points of a manifold within the
/// sweep.
///
/// # Safety
/// The states of the blocks' bodies must exist at `states`; those that the blocks move belong to
/// the caller alone and occur once in a block; no thread may be writing the others.
pub(crate) unsafe fn pgs_sweep<const RELAX: bool>(
    simd: SimdLevel,
    blocks: &mut [ContactBlock],
    states: *mut Real,
    soft: &SoftContact,
    inner: u32,
) -> Real {
    simd.run(PgsSweep::<RELAX> { blocks, states, soft, inner })
}

struct PgsSweep<'a, const RELAX: bool> {
    blocks: &'a mut [ContactBlock],
    states: *mut Real,
    soft: &'a SoftContact,
    inner: u32,
}

impl<const RELAX: bool> SimdKernel for PgsSweep<'_, RELAX> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Simd>(self) -> Real {
        let Self { blocks, states, soft, inner } = self;
        let mut worst = L::splat(0.0);
        for block in blocks {
            let mut sliding = 0;
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: the contract of `pgs_sweep`.
                let correction = unsafe {
                    if block.count > 1 {
                        multi_point::<L, RELAX>(block, states, soft, inner, o, &mut sliding)
                    } else {
                        single_point::<L, RELAX>(block, states, soft, inner, o, &mut sliding)
                    }
                };
                worst = correction.max(worst);
                o += L::N;
            }
            if RELAX {
                block.sliding = sliding;
            }
        }
        worst.max_lane(0.0)
    }
}

/// Solves manifolds of several points in lanes `o .. o + N` of one block; returns the largest
/// correction of each (m/s).
#[inline(always)]
unsafe fn multi_point<L: Simd, const RELAX: bool>(
    block: &mut ContactBlock,
    states: *mut Real,
    soft: &SoftContact,
    inner: u32,
    o: usize,
    sliding: &mut u32,
) -> L {
    let zero = L::splat(0.0);
    let frame = Frame::<L>::load(block, o);
    // SAFETY: the caller's contract.
    let (mut a, mut b) =
        unsafe { (BodyVelocities::<L>::gather(states, &block.a, o), BodyVelocities::<L>::gather(states, &block.b, o)) };
    let count = block.count as usize;

    let at_rest = Vector::new(zero, zero, zero);
    let ((pa, ta), (pb, tb)) = if RELAX {
        // SAFETY: the caller's contract.
        unsafe { (gather_displacement::<L>(states, &block.a, o), gather_displacement::<L>(states, &block.b, o)) }
    } else {
        // No body has moved since the relaxation.
        ((at_rest, at_rest), (at_rest, at_rest))
    };
    let mut carrying = zero;
    if RELAX {
        let arms = patch_arms(block, o, &frame, [(&a, ta), (&b, tb)], soft.h, &mut carrying);
        solve_friction(block, o, &frame, arms, [&mut a, &mut b], soft.h, sliding);
    }

    // Lever arms of the normal, and relative velocity and displacement in reduced space.
    let (qa, qb) = (frame.ra.cross(frame.n), frame.rb.cross(frame.n));
    let spin = b.w - a.w;
    let (y0, y1, y2) = (frame.n.dot(b.v - a.v) + (qb.dot(b.w) - qa.dot(a.w)), frame.t1.dot(spin), frame.t2.dot(spin));
    let [d0, d1, d2] = if RELAX {
        let turn = tb - ta;
        let moved = frame.n.dot(pb - pa) + (qb.dot(tb) - qa.dot(ta));
        [moved + turned_away(&frame, [ta, tb], soft), frame.t1.dot(turn), frame.t2.dot(turn)]
    } else {
        [zero; 3]
    };
    let k = &block.normal_matrix;
    let (k00, k11, k22) = (L::load(&k[0], o), L::load(&k[1], o), L::load(&k[2], o));
    let (k01, k02, k12) = (L::load(&k[3], o), L::load(&k[4], o), L::load(&k[5], o));

    let springs = NormalSprings::<L>::load(block, o, soft);
    let (mut z0, mut z1, mut z2) = (y0, y1, y2);
    let (mut total, mut moment_u, mut moment_v) = (zero, zero, zero);
    for _ in 0..inner {
        for k in 0..count {
            let rows = &mut block.points[if RELAX { count - 1 - k } else { k }];
            let (u, v) = (L::load(&rows.u, o), L::load(&rows.v, o));
            let s = if RELAX { L::load(&rows.separation, o) + (d0 + v * d1 - u * d2) } else { L::load(&rows.gap, o) };
            let initial = y0 + v * y1 - u * y2;
            let change = springs.solve_normal::<RELAX>(rows, o, s, z0 + v * z1 - u * z2, initial);
            let (cu, cv) = (change * u, change * v);
            z0 = z0 + (change * k00 + cv * k01 - cu * k02);
            z1 = z1 + (change * k01 + cv * k11 - cu * k12);
            z2 = z2 + (change * k02 + cv * k12 - cu * k22);
            total = total + change;
            moment_u = moment_u + cu;
            moment_v = moment_v + cv;
        }
    }

    let twist_arm = L::load(&block.twist_arm, o);
    let correction = (z0 - y0).abs() + twist_arm * ((z1 - y1).abs() + (z2 - y2).abs());
    let angular = frame.t1.scale(moment_v) - frame.t2.scale(moment_u);
    // This is `apply` with the cross products already computed.
    a.v = a.v - along_free_axes(frame.n.scale(total * a.m), block.locked != 0, &block.free_a, o);
    a.w = a.w - angular_change(qa.scale(total) + angular, block, &block.inertia_a, o);
    b.v = b.v + along_free_axes(frame.n.scale(total * b.m), block.locked != 0, &block.free_b, o);
    b.w = b.w + angular_change(qb.scale(total) + angular, block, &block.inertia_b, o);
    // SAFETY: the caller's contract.
    unsafe {
        a.scatter(states, &block.a, block.write_a, o);
        b.scatter(states, &block.b, block.write_b, o);
    }
    correction.max(carrying)
}
