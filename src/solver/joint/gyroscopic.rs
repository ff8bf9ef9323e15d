//! Gyroscopic terms of bodies that rotate far within a step: inertia rotated per substep, implicit
//! midpoint rule.
//!
//! For other bodies one inertia and one gyroscopic term per step suffice, those of its middle
//! ([`MidpointInertia`](crate::joint::MidpointInertia)). The tip of a whip rotates by several
//! radians in a step; with a constant inertia it would gain energy from step to step.
//!
//! In each substep the angular velocity goes from `w` to `w' = w + h I^-1 (I m x m)` with `m = (w +
//! w') / 2` and the current inertia `I`. The midpoint rule keeps `w I w` of a free body for any
//! `h`. Then the inertia is rotated by the rotation of the substep.

use super::batch::{BatchView, BodyLanes, put};
use crate::math::{Real, Vec3};
use crate::solver::simd::{Simd, Vector, Wide, rotation};

/// Fixed-point iterations of the gyroscopic midpoint rule. Each leaves the rotation per substep as
/// a fraction of the error. Fewer: free rotation gains energy.
const GYROSCOPIC_ITERATIONS: u32 = 3;

/// A body that rotates far within a step, at its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GyroscopicBody {
    /// Inverse inertia in world axes (1/(kg m²)): xx, yy, zz, xy, xz, yz.
    pub inverse_inertia: [Real; 6],
    /// Angular acceleration without the gyroscopic term, world axes (rad/s²).
    pub angular_acceleration: Vec3,
}

/// Entry of a body in a list sorted by body.
pub(crate) fn gyroscopic_of(list: &[(u32, GyroscopicBody)], body: u32) -> Option<&GyroscopicBody> {
    if list.is_empty() {
        return None;
    }
    list.binary_search_by_key(&body, |&(body, _)| body).ok().map(|at| &list[at].1)
}

impl BatchView<'_> {
    /// Enables the rotation of the inertia for a body that is already in a lane; `h` is the substep
    /// (s).
    pub fn fill_gyroscopic(&mut self, lane: usize, index: usize, gyroscopic: &GyroscopicBody, h: Real) {
        let lanes = &mut self.bodies[index];
        for (row, x) in lanes.inertia.iter_mut().zip(gyroscopic.inverse_inertia) {
            row.0[lane] = x;
        }
        put(&mut lanes.half_kick[1], lane, gyroscopic.angular_acceleration * (0.5 * h));
        lanes.gyroscopic.0[lane] = 1.0;
    }
}

/// Adds the gyroscopic terms over a `time` (s) to the angular velocities.
#[inline(always)]
pub(super) fn apply_gyroscopic<L: Simd>(view: &mut BatchView, o: usize, time: L) {
    for body in view.bodies.iter_mut() {
        let gyroscopic = L::load(&body.gyroscopic, o).gt(L::splat(0.0));
        if L::bits(gyroscopic) == 0 {
            continue;
        }
        let inertia = inverse::<L>(&body.inertia, o);
        let old = Vector::<L>::load(&body.velocity[1], o);
        let mut new = old;
        for _ in 0..GYROSCOPIC_ITERATIONS {
            let middle = (old + new).scale(L::splat(0.5));
            let torque = times(inertia, middle).cross(middle);
            new = old + torque.transformed_by(&body.inertia, o).scale(time);
        }
        // The term does no work. Scaling removes the remaining error of the fixed-point iteration
        // at any rotation.
        let (before, after) = (old.dot(times(inertia, old)), new.dot(times(inertia, new)));
        let scaled = L::and(gyroscopic, after.gt(L::splat(0.0)));
        let scale = L::select(scaled, before, L::splat(1.0)).div(L::select(scaled, after, L::splat(1.0))).sqrt();
        Vector::select(scaled, new.scale(scale), old).store(&mut body.velocity[1], o);
    }
}

/// Rotates the inertias by the rotations of a substep of `h` (s).
#[inline(always)]
pub(super) fn rotate_inertia<L: Simd>(view: &mut BatchView, o: usize, h: Real) {
    for body in view.bodies.iter_mut() {
        let gyroscopic = L::load(&body.gyroscopic, o).gt(L::splat(0.0));
        if L::bits(gyroscopic) != 0 {
            rotate_inertia_of::<L>(body, gyroscopic, o, h);
        }
    }
}

/// Rotates the inertia of a body in `gyroscopic` lanes: `R I R^T`.
#[inline(always)]
fn rotate_inertia_of<L: Simd>(body: &mut BodyLanes, gyroscopic: L::Mask, o: usize, h: Real) {
    let by = Vector::<L>::load(&body.velocity[1], o).scale(L::splat(h));
    let of = rotation::rotation_coefficients(by.dot(by));
    let [x, y, z] = columns(load(&body.inertia, o));
    // Rotated columns are `R I`; rotating the rows gives `R (R I)^T`, whose entries are those of
    // the rotated tensor.
    let [x, y, z] = rotated_columns([x, y, z], by, of);
    let (x, y, z) = (Vector::new(x.x, y.x, z.x), Vector::new(x.y, y.y, z.y), Vector::new(x.z, y.z, z.z));
    let [x, y, z] = rotated_columns([x, y, z], by, of);
    for (row, new) in body.inertia.iter_mut().zip([x.x, y.y, z.z, x.y, x.z, y.z]) {
        L::select(gyroscopic, new, L::load(row, o)).store(row, o);
    }
}

/// Rotated columns.
#[inline(always)]
fn rotated_columns<L: Simd>([x, y, z]: [Vector<L>; 3], by: Vector<L>, of: (L, L)) -> [Vector<L>; 3] {
    [
        x + rotation::rotation_change(by, of, x),
        y + rotation::rotation_change(by, of, y),
        z + rotation::rotation_change(by, of, z),
    ]
}

#[inline(always)]
fn load<L: Simd>(m: &[Wide; 6], o: usize) -> [L; 6] {
    let (xx, yy, zz) = (L::load(&m[0], o), L::load(&m[1], o), L::load(&m[2], o));
    [xx, yy, zz, L::load(&m[3], o), L::load(&m[4], o), L::load(&m[5], o)]
}

#[inline(always)]
fn columns<L: Simd>([xx, yy, zz, xy, xz, yz]: [L; 6]) -> [Vector<L>; 3] {
    [Vector::new(xx, xy, xz), Vector::new(xy, yy, yz), Vector::new(xz, yz, zz)]
}

/// A symmetric tensor times a vector.
#[inline(always)]
fn times<L: Simd>(m: [L; 6], v: Vector<L>) -> Vector<L> {
    let [x, y, z] = columns(m);
    Vector::new(x.dot(v), y.dot(v), z.dot(v))
}

/// Inverse of a symmetric tensor by its cofactors; zero if it is singular.
#[inline(always)]
pub(super) fn inverse<L: Simd>(m: &[Wide; 6], o: usize) -> [L; 6] {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let [x, y, z] = columns(load::<L>(m, o));
    // Scaled by the trace, so that the third power neither overflows nor underflows.
    let trace = x.x + y.y + z.z;
    let some = trace.gt(zero);
    let scale = L::select(some, one.div(L::select(some, trace, one)), zero);
    let (x, y, z) = (x.scale(scale), y.scale(scale), z.scale(scale));
    let (yz, zx, xy) = (y.cross(z), z.cross(x), x.cross(y));
    let determinant = x.dot(yz);
    let there = determinant.gt(L::splat(Real::MIN_POSITIVE));
    let over = L::select(there, scale.div(L::select(there, determinant, one)), zero);
    [yz.x * over, zx.y * over, xy.z * over, yz.y * over, yz.z * over, zx.z * over]
}
