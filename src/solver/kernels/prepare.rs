//! Preparation of a step: effective masses of the rows, and the warm start.

use super::{BodyVelocities, Frame, along_free_axes, apply};
use crate::math::Real;
use crate::solver::block::ContactBlock;
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, Vector, WIDTH, Wide};
use crate::tolerances::EFFECTIVE_MASS;

/// Sets the friction coefficient of each lane: dynamic if it slid in the last relaxation, else
/// static.
#[inline(always)]
pub(crate) fn set_friction(block: &mut ContactBlock) {
    for lane in 0..WIDTH {
        let from = if block.sliding >> lane & 1 == 1 { &block.dynamic_friction } else { &block.static_friction };
        block.friction.0[lane] = from.0[lane];
    }
}

/// Computes K and the effective masses of a block if one of its lanes was filled, and applies the
/// impulses of the last step (warm start).
///
/// The rows are constant within a step, so later substeps need no warm start: the change of a
/// body's velocity over one substep is its acceleration and its impulses, and `begin_substep`
/// repeats it. The friction coefficients must be set before.
///
/// # Safety
/// As for [`super::pgs_sweep`].
pub(crate) unsafe fn prepare(simd: SimdLevel, block: &mut ContactBlock, states: *mut Real, filled: bool) {
    simd.run(Prepare { block, states, filled });
}

struct Prepare<'a> {
    block: &'a mut ContactBlock,
    states: *mut Real,
    filled: bool,
}

impl SimdKernel for Prepare<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let mut o = 0;
        while o < WIDTH {
            // SAFETY: the contract of `prepare`.
            unsafe { prepare_lanes::<L>(self.block, self.states, self.filled, o) };
            o += L::N;
        }
    }
}

/// Lanes `o .. o + N` of a block.
///
/// # Safety
/// As for [`prepare`].
#[inline(always)]
unsafe fn prepare_lanes<L: Simd>(block: &mut ContactBlock, states: *mut Real, filled: bool, o: usize) {
    let frame = Frame::<L>::load(block, o);
    // SAFETY: the caller's contract.
    let (mut a, mut b) =
        unsafe { (BodyVelocities::<L>::gather(states, &block.a, o), BodyVelocities::<L>::gather(states, &block.b, o)) };
    if filled {
        effective_masses(block, o, &frame, a.m, b.m);
    }
    let (mut total, mut moment_u, mut moment_v) = (L::splat(0.0), L::splat(0.0), L::splat(0.0));
    for rows in &mut block.points[..block.count as usize] {
        L::load(&rows.separation, o).store(&mut rows.gap, o);
        let impulse = L::load(&rows.impulse, o);
        total = total + impulse;
        moment_u = moment_u + impulse * L::load(&rows.u, o);
        moment_v = moment_v + impulse * L::load(&rows.v, o);
    }
    clamp_to_cones::<L>(block, o, total);
    let (f, r) = (&block.tangent_impulse, &block.rolling_impulse);
    let impulse = frame.n.scale(total) + (frame.t1.scale(L::load(&f[0], o)) + frame.t2.scale(L::load(&f[1], o)));
    let angular = frame.t1.scale(L::load(&r[0], o) + moment_v)
        + (frame.t2.scale(L::load(&r[1], o) - moment_u) + frame.n.scale(L::load(&block.twist_impulse, o)));
    apply(&mut a, &mut b, block, o, &frame, impulse, angular);
    a.stiffness = a.stiffness + L::load(&block.stiffness_a, o);
    b.stiffness = b.stiffness + L::load(&block.stiffness_b, o);
    // SAFETY: the caller's contract.
    unsafe {
        a.scatter(states, &block.a, block.write_a, o);
        b.scatter(states, &block.b, block.write_b, o);
    }
}

/// Clamps friction, twist and rolling impulses to their cones under the normal load at the end of
/// the last step. The last relaxation found them under the load before that one.
///
/// Joints are solved before friction. Without the clamp, friction from a contact that has opened
/// would be applied, answered by the joints, and then taken back, which adds energy to ragdolls in
/// flight.
#[inline(always)]
fn clamp_to_cones<L: Simd>(block: &mut ContactBlock, o: usize, load: L) {
    let limit = L::load(&block.friction, o) * load;
    clamp_to_circle(&mut block.tangent_impulse, o, limit);
    if block.rolling != 0 {
        clamp_to_circle(&mut block.rolling_impulse, o, L::load(&block.rolling_friction, o) * load);
    }
    let most = limit * L::load(&block.twist_arm, o);
    let twist = L::load(&block.twist_impulse, o);
    twist.min(most).max(L::splat(0.0) - most).store(&mut block.twist_impulse, o);
}

/// Clamps a vector of the tangent plane to a circle.
#[inline(always)]
fn clamp_to_circle<L: Simd>([row1, row2]: &mut [Wide; 2], o: usize, radius: L) {
    let (f1, f2) = (L::load(row1, o), L::load(row2, o));
    let square = f1 * f1 + f2 * f2;
    let outside = square.gt(radius * radius);
    if L::bits(outside) != 0 {
        let scale = L::select(outside, radius.div(square.sqrt()), L::splat(1.0));
        (f1 * scale).store(row1, o);
        (f2 * scale).store(row2, o);
    }
}

/// 1/x where x is above the floor, else 0.
#[inline(always)]
fn reciprocal<L: Simd>(x: L, floor: L) -> L {
    L::select(x.gt(floor), L::splat(1.0).div(x), L::splat(0.0))
}

/// Inverse (11, 22, 12) of a symmetric 2 x 2 matrix. Where the matrix is nearly singular: the
/// inverse of a multiple of unity that is no smaller, or 0 if that is below the floor.
#[inline(always)]
pub(super) fn inverse<L: Simd>(f11: L, f22: L, f12: L, floor: L) -> [L; 3] {
    inverse_above(L::splat(EFFECTIVE_MASS.singular) * f11 * f22, f11, f22, f12, floor)
}

/// The same with a given determinant up to which the matrix is singular.
#[inline(always)]
fn inverse_above<L: Simd>(least_det: L, f11: L, f22: L, f12: L, floor: L) -> [L; 3] {
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

/// Sum of the traces of both inverse inertias.
#[inline(always)]
pub(super) fn inverse_inertia_trace<L: Simd>(block: &ContactBlock, o: usize) -> L {
    trace::<L>(&block.inertia_a, o) + trace::<L>(&block.inertia_b, o)
}

#[inline(always)]
fn trace<L: Simd>(m: &[Wide; 6], o: usize) -> L {
    L::load(&m[0], o) + L::load(&m[1], o) + L::load(&m[2], o)
}

/// Scale of the mobility of a body at an arm (1/kg): its inverse mass; for a body that only turns,
/// that of a push across the arm.
#[inline(always)]
fn mobility<L: Simd>(m: L, arm: Vector<L>, inertia: &[Wide; 6], o: usize) -> L {
    L::select(m.gt(L::splat(0.0)), m, arm.dot(arm) * trace::<L>(inertia, o))
}

/// Computes K, the effective masses of points, friction and twist, and the stiffness of the bodies.
#[inline(always)]
fn effective_masses<L: Simd>(block: &mut ContactBlock, o: usize, frame: &Frame<L>, ma: L, mb: L) {
    let zero = L::splat(0.0);
    let Frame { n, ra, rb, .. } = *frame;
    let locked = block.locked != 0;
    let a = body_terms::<L>(frame, ra, &block.inertia_a, o, ma, (locked, &block.free_a));
    let b = body_terms::<L>(frame, rb, &block.inertia_b, o, mb, (locked, &block.free_b));
    let mut k = a.k;
    for (x, y) in k.iter_mut().zip(b.k) {
        *x = *x + y;
    }
    let (f11, f22, f12) = (a.f11 + b.f11, a.f22 + b.f22, a.f12 + b.f12);
    let inverse_inertia_trace = inverse_inertia_trace::<L>(block, o);
    // A body without locked axes gives way along any direction, by its inverse mass at least.
    let mut floor = zero;
    let friction = if block.locked == 0 {
        inverse(f11, f22, f12, floor)
    } else {
        // A body moves across its free axes only by the rounding of the normal, and one that only
        // turns is turned by a push through its centre only by the rounding of the arm.
        floor = L::splat(EFFECTIVE_MASS.locked_direction * EFFECTIVE_MASS.locked_direction)
            * (mobility(ma, ra, &block.inertia_a, o) + mobility(mb, rb, &block.inertia_b, o));
        // A body locked to a plane has only rounding as mobility along a tangent that leaves the
        // plane, so the whole trace is the reference.
        let trace = f11 + f22;
        inverse_above(L::splat(EFFECTIVE_MASS.singular) * trace * trace, f11, f22, f12, floor)
    };

    let (mut stiffness_a, mut count_touching) = (zero, zero);
    for rows in &mut block.points[..block.count as usize] {
        let (u, v) = (L::load(&rows.u, o), L::load(&rows.v, o));
        let is_present = L::load(&rows.mass, o).gt(zero);
        let mass = L::select(is_present, reciprocal(point_inverse_mass(&k, u, v), floor), zero);
        mass.store(&mut rows.mass, o);
        let carries = L::load(&rows.impulse, o).gt(zero);
        let overlaps = zero.gt(L::load(&rows.separation, o));
        let one = L::select(mass.gt(zero), L::splat(1.0), zero);
        let is_touching = L::select(carries, one, L::select(overlaps, one, zero));
        stiffness_a = stiffness_a + is_touching * mass * point_inverse_mass(&a.k, u, v);
        count_touching = count_touching + is_touching;
    }
    stiffness_a.store(&mut block.stiffness_a, o);
    (count_touching - stiffness_a).store(&mut block.stiffness_b, o);
    for (row, x) in block.normal_matrix.iter_mut().zip(k) {
        x.store(row, o);
    }
    for (row, x) in block.friction_mass.iter_mut().zip(friction) {
        x.store(row, o);
    }
    let about = n.dot(n.transformed_by(&block.inertia_a, o) + n.transformed_by(&block.inertia_b, o));
    reciprocal(about, L::splat(EFFECTIVE_MASS.singular) * inverse_inertia_trace).store(&mut block.twist_mass, o);
}

/// Contribution of one body to K (00, 11, 22, 01, 02, 12) and to the matrix of friction.
struct BodyTerms<L> {
    k: [L; 6],
    f11: L,
    f22: L,
    f12: L,
}

#[inline(always)]
fn body_terms<L: Simd>(
    frame: &Frame<L>,
    r: Vector<L>,
    inertia: &[Wide; 6],
    o: usize,
    m: L,
    (locked, free): (bool, &[Wide; 3]),
) -> BodyTerms<L> {
    let Frame { n, t1, t2, .. } = *frame;
    let (free_n, free_t1, free_t2) = (
        along_free_axes(n, locked, free, o),
        along_free_axes(t1, locked, free, o),
        along_free_axes(t2, locked, free, o),
    );
    let q = r.cross(n);
    let (jq, j1, j2) = (q.transformed_by(inertia, o), t1.transformed_by(inertia, o), t2.transformed_by(inertia, o));
    let (p1, p2) = (r.cross(t1), r.cross(t2));
    let jp1 = p1.transformed_by(inertia, o);
    BodyTerms {
        k: [m * n.dot(free_n) + q.dot(jq), t1.dot(j1), t2.dot(j2), t1.dot(jq), t2.dot(jq), t1.dot(j2)],
        f11: m * t1.dot(free_t1) + p1.dot(jp1),
        f22: m * t2.dot(free_t2) + p2.dot(p2.transformed_by(inertia, o)),
        f12: m * t1.dot(free_t2) + p2.dot(jp1),
    }
}

/// (1, v, -u) K (1, v, -u): change of the normal velocity of a point by a unit impulse at it.
#[inline(always)]
fn point_inverse_mass<L: Simd>(k: &[L; 6], u: L, v: L) -> L {
    let [k00, k11, k22, k01, k02, k12] = *k;
    (k00 + v * k01 - u * k02) + v * (k01 + v * k11 - u * k12) - u * (k02 + v * k12 - u * k22)
}
