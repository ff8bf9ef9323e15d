//! The first sweep of a step: what the rows imply, and the warm start.

use super::{Frame, Side, apply};
use crate::math::Real;
use crate::solver::block::Block;
use crate::solver::lanes::{Lane, Vector, WIDTH};

/// Computes K and the effective masses of the blocks that were filled, and gives every body the impulses of last time.
///
/// The rows are constant within a step, so later substeps need no warm start of their own: the change of a body's
/// velocity over one substep already is its acceleration and its impulses, and `begin_substep` repeats it.
///
/// # Safety
/// As for [`super::pass`].
#[inline(always)]
pub(crate) unsafe fn finish<L: Lane>(block: &mut Block, lines: *mut Real, filled: bool) {
    for lane in 0..WIDTH {
        let from = if block.sliding >> lane & 1 == 1 { &block.dynamic_friction } else { &block.static_friction };
        block.friction.0[lane] = from.0[lane];
    }
    let mut o = 0;
    while o < WIDTH {
        let frame = Frame::<L>::load(block, o);
        // SAFETY: passed on to the caller.
        let (mut a, mut b) = unsafe { (Side::<L>::gather(lines, &block.a, o), Side::<L>::gather(lines, &block.b, o)) };
        if filled {
            masses(block, o, &frame, a.m + b.m);
        }
        let (mut total, mut moment_u, mut moment_v) = (L::splat(0.0), L::splat(0.0), L::splat(0.0));
        for rows in &block.points[..block.count as usize] {
            let impulse = L::load(&rows.impulse, o);
            total = total + impulse;
            moment_u = moment_u + impulse * L::load(&rows.u, o);
            moment_v = moment_v + impulse * L::load(&rows.v, o);
        }
        let (f, r) = (&block.tangent_impulse, &block.rolling_impulse);
        let impulse =
            frame.n.scale(total) + (frame.t1.scale(L::load(&f[0], o)) + frame.t2.scale(L::load(&f[1], o)));
        let angular = frame.t1.scale(L::load(&r[0], o) + moment_v)
            + (frame.t2.scale(L::load(&r[1], o) - moment_u) + frame.n.scale(L::load(&block.twist_impulse, o)));
        apply(&mut a, &mut b, block, o, &frame, impulse, angular);
        // SAFETY: passed on to the caller.
        unsafe {
            a.scatter(lines, &block.a, block.write_a, o);
            b.scatter(lines, &block.b, block.write_b, o);
        }
        o += L::N;
    }
}

/// 1/x where x is positive, else 0.
#[inline(always)]
fn reciprocal<L: Lane>(x: L) -> L {
    let zero = L::splat(0.0);
    L::select(x.gt(zero), L::splat(1.0).div(x), zero)
}

/// K, the masses of the points, of friction and of twist. `m` is the sum of the inverse masses.
#[inline(always)]
fn masses<L: Lane>(block: &mut Block, o: usize, frame: &Frame<L>, m: L) {
    let Frame { n, t1, t2, ra, rb } = *frame;
    let turned_a = |v: Vector<L>| v.transformed(&block.inertia_a, o);
    let turned_b = |v: Vector<L>| v.transformed(&block.inertia_b, o);

    let (qa, qb) = (ra.cross(n), rb.cross(n));
    let (ja, jb) = (turned_a(qa), turned_b(qb));
    let (i1, i2) = (turned_a(t1) + turned_b(t1), turned_a(t2) + turned_b(t2));
    let i3 = turned_a(n) + turned_b(n);
    let both = ja + jb;
    let k00 = m + (qa.dot(ja) + qb.dot(jb));
    let (k01, k02) = (t1.dot(both), t2.dot(both));
    let (k11, k22, k12) = (t1.dot(i1), t2.dot(i2), t1.dot(i2));

    let (pa1, pb1, pa2, pb2) = (ra.cross(t1), rb.cross(t1), ra.cross(t2), rb.cross(t2));
    let (sa1, sb1) = (turned_a(pa1), turned_b(pb1));
    let f11 = m + (pa1.dot(sa1) + pb1.dot(sb1));
    let f22 = m + (pa2.dot(turned_a(pa2)) + pb2.dot(turned_b(pb2)));
    let f12 = pa2.dot(sa1) + pb2.dot(sb1);
    let inverse = reciprocal(f11 * f22 - f12 * f12);

    for rows in &mut block.points[..block.count as usize] {
        let (u, v) = (L::load(&rows.u, o), L::load(&rows.v, o));
        let there = L::load(&rows.mass, o);
        let (c0, c1, c2) = (k00 + v * k01 - u * k02, k01 + v * k11 - u * k12, k02 + v * k12 - u * k22);
        let mass = reciprocal(c0 + v * c1 - u * c2);
        L::select(there.gt(L::splat(0.0)), mass, L::splat(0.0)).store(&mut rows.mass, o);
    }
    for (row, x) in block.coupling.iter_mut().zip([k00, k11, k22, k01, k02, k12]) {
        x.store(row, o);
    }
    (f22 * inverse).store(&mut block.friction_mass[0], o);
    (f11 * inverse).store(&mut block.friction_mass[1], o);
    (L::splat(0.0) - f12 * inverse).store(&mut block.friction_mass[2], o);
    reciprocal(n.dot(i3)).store(&mut block.twist_mass, o);
}
