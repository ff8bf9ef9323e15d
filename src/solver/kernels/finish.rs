//! The first sweep of a step: what the rows imply, and the warm start.

use super::{Frame, Side, apply, freed};
use crate::math::Real;
use crate::solver::block::Block;
use crate::solver::lanes::{Kernel, Lane, Path, Row, Vector, WIDTH};
use crate::tolerances::{LOCKED_DIRECTION, SHORTEST_LEVER, SINGULAR};

/// Sets the coefficients of friction in force in a block.
#[inline(always)]
pub(crate) fn set_friction(block: &mut Block) {
    for lane in 0..WIDTH {
        let from = if block.sliding >> lane & 1 == 1 { &block.dynamic_friction } else { &block.static_friction };
        block.friction.0[lane] = from.0[lane];
    }
}

/// Computes K and the effective masses of a block if it was filled, and gives every body the impulses of last time.
///
/// The rows are constant within a step, so later substeps need no warm start of their own: the change of a body's
/// velocity over one substep already is its acceleration and its impulses, and `begin_substep` repeats it.
/// The coefficients of friction are set before.
///
/// # Safety
/// As for [`super::pass`].
pub(crate) unsafe fn finish(path: Path, block: &mut Block, lines: *mut Real, filled: bool) {
    path.run(Finish { block, lines, filled });
}

struct Finish<'a> {
    block: &'a mut Block,
    lines: *mut Real,
    filled: bool,
}

impl Kernel for Finish<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: passed on to the caller of `finish`.
            unsafe { finish_lanes::<L>(self.block, self.lines, self.filled, o) };
            o += L::N;
        }
    }
}

/// Lanes `o .. o + N` of a block.
///
/// # Safety
/// As for [`finish`].
#[inline(always)]
unsafe fn finish_lanes<L: Lane>(block: &mut Block, lines: *mut Real, filled: bool, o: usize) {
    let frame = Frame::<L>::load(block, o);
    // SAFETY: passed on to the caller.
    let (mut a, mut b) = unsafe { (Side::<L>::gather(lines, &block.a, o), Side::<L>::gather(lines, &block.b, o)) };
    if filled {
        masses(block, o, &frame, a.m, b.m);
    }
    let (mut total, mut moment_u, mut moment_v) = (L::splat(0.0), L::splat(0.0), L::splat(0.0));
    for rows in &mut block.points[..block.count as usize] {
        L::load(&rows.separation, o).store(&mut rows.gap, o);
        let impulse = L::load(&rows.impulse, o);
        total = total + impulse;
        moment_u = moment_u + impulse * L::load(&rows.u, o);
        moment_v = moment_v + impulse * L::load(&rows.v, o);
    }
    hold_back::<L>(block, o, total);
    let (f, r) = (&block.tangent_impulse, &block.rolling_impulse);
    let impulse = frame.n.scale(total) + (frame.t1.scale(L::load(&f[0], o)) + frame.t2.scale(L::load(&f[1], o)));
    let angular = frame.t1.scale(L::load(&r[0], o) + moment_v)
        + (frame.t2.scale(L::load(&r[1], o) - moment_u) + frame.n.scale(L::load(&block.twist_impulse, o)));
    apply(&mut a, &mut b, block, o, &frame, impulse, angular);
    a.stiffness = a.stiffness + L::load(&block.stiffness_a, o);
    b.stiffness = b.stiffness + L::load(&block.stiffness_b, o);
    // SAFETY: passed on to the caller.
    unsafe {
        a.scatter(lines, &block.a, block.write_a, o);
        b.scatter(lines, &block.b, block.write_b, o);
    }
}

/// Takes friction, twist and rolling back into their cones under the load that a manifold ended the last step with: in the last relaxation
/// they were found under the load before.
///
/// Joints are solved before contacts rub: what an arm was last rubbed with by what it has flown away from would be given to it and, once its
/// joints have answered that, be taken from it again. A ragdoll in flight gained as much energy as it fell with.
#[inline(always)]
fn hold_back<L: Lane>(block: &mut Block, o: usize, load: L) {
    let limit = L::load(&block.friction, o) * load;
    cut_back(&mut block.tangent_impulse, o, limit);
    if block.rolling != 0 {
        cut_back(&mut block.rolling_impulse, o, L::load(&block.rolling_friction, o) * load);
    }
    let most = limit * L::load(&block.arm, o);
    let twist = L::load(&block.twist_impulse, o);
    twist.min(most).max(L::splat(0.0) - most).store(&mut block.twist_impulse, o);
}

/// Cuts a vector of the tangent plane back to a circle.
#[inline(always)]
fn cut_back<L: Lane>([row1, row2]: &mut [Row; 2], o: usize, radius: L) {
    let (f1, f2) = (L::load(row1, o), L::load(row2, o));
    let square = f1 * f1 + f2 * f2;
    let outside = square.gt(radius * radius);
    if L::bits(outside) != 0 {
        let cut = L::select(outside, radius.div(square.sqrt()), L::splat(1.0));
        (f1 * cut).store(row1, o);
        (f2 * cut).store(row2, o);
    }
}

/// 1/x where x is above the floor, else 0.
#[inline(always)]
fn reciprocal<L: Lane>(x: L, floor: L) -> L {
    L::select(x.gt(floor), L::splat(1.0).div(x), L::splat(0.0))
}

/// The inverse (11, 22, 12) of a symmetric 2 x 2 matrix: of what it is, or where it is all but singular, of a multiple of
/// unity that is no smaller; 0 where that is below the floor.
#[inline(always)]
pub(super) fn inverse<L: Lane>(f11: L, f22: L, f12: L, floor: L) -> [L; 3] {
    inverse_above(L::splat(SINGULAR) * f11 * f22, f11, f22, f12, floor)
}

/// As [`inverse`], singular up to the determinant `least_det`.
#[inline(always)]
fn inverse_above<L: Lane>(least_det: L, f11: L, f22: L, f12: L, floor: L) -> [L; 3] {
    let zero = L::splat(0.0);
    let det = f11 * f22 - f12 * f12;
    let regular = L::and(det.gt(least_det), (f11 + f22).gt(floor));
    let over = L::splat(1.0).div(L::select(regular, det, L::splat(1.0)));
    let least = reciprocal(f11 + f22, floor);
    [
        L::select(regular, f22 * over, least),
        L::select(regular, f11 * over, least),
        L::select(regular, zero - f12 * over, zero),
    ]
}

/// The sum of the diagonal of the inverse inertias.
#[inline(always)]
pub(super) fn turning<L: Lane>(block: &Block, o: usize) -> L {
    let trace = |m: &[Row; 6]| L::load(&m[0], o) + L::load(&m[1], o) + L::load(&m[2], o);
    trace(&block.inertia_a) + trace(&block.inertia_b)
}

/// K, the masses of the points, of friction and of twist, and the shares of the bodies in them.
#[inline(always)]
fn masses<L: Lane>(block: &mut Block, o: usize, frame: &Frame<L>, ma: L, mb: L) {
    let zero = L::splat(0.0);
    let Frame { n, ra, rb, .. } = *frame;
    let a = own::<L>(frame, ra, &block.inertia_a, o, ma, |v| freed(v, block.locked != 0, &block.free_a, o));
    let b = own::<L>(frame, rb, &block.inertia_b, o, mb, |v| freed(v, block.locked != 0, &block.free_b, o));
    let mut k = a.k;
    for (x, y) in k.iter_mut().zip(b.k) {
        *x = *x + y;
    }
    let (f11, f22, f12) = (a.f11 + b.f11, a.f22 + b.f22, a.f12 + b.f12);
    let turning = turning::<L>(block, o);
    let mut floor = L::splat(SHORTEST_LEVER * SHORTEST_LEVER) * turning;
    let friction = if block.locked == 0 {
        inverse(f11, f22, f12, floor)
    } else {
        // Across its free axes a body moves by the rounding of the normal alone.
        floor = floor + L::splat(LOCKED_DIRECTION * LOCKED_DIRECTION) * (ma + mb);
        // What is locked to a plane has no more than rounding of a way along the tangent that leaves it: the whole trace tells.
        let trace = f11 + f22;
        inverse_above(L::splat(SINGULAR) * trace * trace, f11, f22, f12, floor)
    };

    let (mut share, mut touching) = (zero, zero);
    for rows in &mut block.points[..block.count as usize] {
        let (u, v) = (L::load(&rows.u, o), L::load(&rows.v, o));
        let there = L::load(&rows.mass, o).gt(zero);
        let mass = L::select(there, reciprocal(compliance(&k, u, v), floor), zero);
        mass.store(&mut rows.mass, o);
        let carries = L::load(&rows.impulse, o).gt(zero);
        let overlaps = zero.gt(L::load(&rows.separation, o));
        let one = L::select(mass.gt(zero), L::splat(1.0), zero);
        let counts = L::select(carries, one, L::select(overlaps, one, zero));
        share = share + counts * mass * compliance(&a.k, u, v);
        touching = touching + counts;
    }
    share.store(&mut block.stiffness_a, o);
    (touching - share).store(&mut block.stiffness_b, o);
    for (row, x) in block.coupling.iter_mut().zip(k) {
        x.store(row, o);
    }
    for (row, x) in block.friction_mass.iter_mut().zip(friction) {
        x.store(row, o);
    }
    let about = n.dot(n.transformed(&block.inertia_a, o) + n.transformed(&block.inertia_b, o));
    reciprocal(about, L::splat(SINGULAR) * turning).store(&mut block.twist_mass, o);
}

/// What one body adds to K (00, 11, 22, 01, 02, 12) and to the matrix of friction.
struct Own<L> {
    k: [L; 6],
    f11: L,
    f22: L,
    f12: L,
}

#[inline(always)]
fn own<L: Lane>(
    frame: &Frame<L>,
    r: Vector<L>,
    inertia: &[Row; 6],
    o: usize,
    m: L,
    freed: impl Fn(Vector<L>) -> Vector<L>,
) -> Own<L> {
    let Frame { n, t1, t2, .. } = *frame;
    let q = r.cross(n);
    let (jq, j1, j2) = (q.transformed(inertia, o), t1.transformed(inertia, o), t2.transformed(inertia, o));
    let (p1, p2) = (r.cross(t1), r.cross(t2));
    let jp1 = p1.transformed(inertia, o);
    Own {
        k: [m * n.dot(freed(n)) + q.dot(jq), t1.dot(j1), t2.dot(j2), t1.dot(jq), t2.dot(jq), t1.dot(j2)],
        f11: m * t1.dot(freed(t1)) + p1.dot(jp1),
        f22: m * t2.dot(freed(t2)) + p2.dot(p2.transformed(inertia, o)),
        f12: m * t1.dot(freed(t2)) + p2.dot(jp1),
    }
}

/// (1, v, -u) K (1, v, -u): what a unit impulse at a point does to its normal velocity.
#[inline(always)]
fn compliance<L: Lane>(k: &[L; 6], u: L, v: L) -> L {
    let [k00, k11, k22, k01, k02, k12] = *k;
    (k00 + v * k01 - u * k02) + v * (k01 + v * k11 - u * k12) - u * (k02 + v * k12 - u * k22)
}
