//! Bodies that turn far within a step: their inertia turns with them, and what that does to their spin follows from substep to substep.
//!
//! For others one inertia and one gyroscopic term do for the step, those of its middle
//! ([`Midway`](crate::joint::Midway)). The tip of a whip turns by several radians in a step; with the inertia of one moment it would be
//! spun up from step to step, by joints that no longer pull where they are thought to.
//!
//! In each substep the angular velocity goes from `w` to `w' = w + h I^-1 (I m x m)` with `m = (w + w') / 2` and the inertia `I` of that
//! moment (the midpoint rule: a body that is free keeps `w I w` whatever `h`), and the inertia is turned by what the substep turns the body.

use super::unit::{BodyLanes, Parts, put};
use crate::math::{Real, Vec3};
use crate::solver::lanes::{Lane, Row, Vector, rotation};
use crate::tolerances::TUMBLE_ROUNDS;

/// A body that turns far within a step, at its start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tumble {
    /// Inverse inertia in world axes (1/(kg m²)): xx, yy, zz, xy, xz, yz.
    pub inverse_inertia: [Real; 6],
    /// Angular acceleration without the gyroscopic term, world axes (rad/s²).
    pub angular_acceleration: Vec3,
}

/// The entry of a body in a list that is sorted by body.
pub(crate) fn tumble_of(tumbles: &[(u32, Tumble)], body: u32) -> Option<&Tumble> {
    if tumbles.is_empty() {
        return None;
    }
    tumbles.binary_search_by_key(&body, |&(body, _)| body).ok().map(|at| &tumbles[at].1)
}

impl Parts<'_> {
    /// Lets the inertia of a body that was filled into a lane turn with it; `h` is the substep (s).
    pub fn fill_tumble(&mut self, lane: usize, place: usize, tumble: &Tumble, h: Real) {
        let lanes = &mut self.bodies[place];
        for (row, x) in lanes.inertia.iter_mut().zip(tumble.inverse_inertia) {
            row.0[lane] = x;
        }
        put(&mut lanes.kick[1], lane, tumble.angular_acceleration * (0.5 * h));
        lanes.tumbles.0[lane] = 1.0;
    }
}

/// Changes the spins of bodies that tumble by their gyroscopic terms over a `time` (s).
#[inline(always)]
pub(super) fn precess<L: Lane>(parts: &mut Parts, o: usize, time: L) {
    for body in parts.bodies.iter_mut() {
        let tumbles = L::load(&body.tumbles, o).gt(L::splat(0.0));
        if L::bits(tumbles) == 0 {
            continue;
        }
        let inertia = inverse::<L>(&body.inertia, o);
        let old = Vector::<L>::load(&body.velocity[1], o);
        let mut new = old;
        for _ in 0..TUMBLE_ROUNDS {
            let middle = (old + new).scale(L::splat(0.5));
            let torque = times(inertia, middle).cross(middle);
            new = old + torque.transformed(&body.inertia, o).scale(time);
        }
        // The term does no work: what is left to ask for must not do any either, however far the body turns in a substep.
        let (before, after) = (old.dot(times(inertia, old)), new.dot(times(inertia, new)));
        let works = L::and(tumbles, after.gt(L::splat(0.0)));
        let scale = L::select(works, before, L::splat(1.0)).div(L::select(works, after, L::splat(1.0))).sqrt();
        Vector::select(works, new.scale(scale), old).store(&mut body.velocity[1], o);
    }
}

/// Turns the inertia of bodies that tumble on by what they turned in the substep of `h` (s).
#[inline(always)]
pub(super) fn turn_inertia<L: Lane>(parts: &mut Parts, o: usize, h: Real) {
    for body in parts.bodies.iter_mut() {
        let tumbles = L::load(&body.tumbles, o).gt(L::splat(0.0));
        if L::bits(tumbles) != 0 {
            turn_one::<L>(body, tumbles, o, h);
        }
    }
}

/// Turns the inertia of a body where it `tumbles`: `R I R^T`.
#[inline(always)]
fn turn_one<L: Lane>(body: &mut BodyLanes, tumbles: L::Mask, o: usize, h: Real) {
    let by = Vector::<L>::load(&body.velocity[1], o).scale(L::splat(h));
    let of = rotation::coefficients(by.dot(by));
    let [x, y, z] = columns(load(&body.inertia, o));
    // The columns turned, `R I`; its rows turned are `R (R I)^T`, of which the entries are those of the turned tensor.
    let [x, y, z] = turned([x, y, z], by, of);
    let (x, y, z) = (Vector::new(x.x, y.x, z.x), Vector::new(x.y, y.y, z.y), Vector::new(x.z, y.z, z.z));
    let [x, y, z] = turned([x, y, z], by, of);
    for (row, new) in body.inertia.iter_mut().zip([x.x, y.y, z.z, x.y, x.z, y.z]) {
        L::select(tumbles, new, L::load(row, o)).store(row, o);
    }
}

/// Columns, each of them turned.
#[inline(always)]
fn turned<L: Lane>([x, y, z]: [Vector<L>; 3], by: Vector<L>, of: (L, L)) -> [Vector<L>; 3] {
    [x + rotation::change(by, of, x), y + rotation::change(by, of, y), z + rotation::change(by, of, z)]
}

#[inline(always)]
fn load<L: Lane>(m: &[Row; 6], o: usize) -> [L; 6] {
    let (xx, yy, zz) = (L::load(&m[0], o), L::load(&m[1], o), L::load(&m[2], o));
    [xx, yy, zz, L::load(&m[3], o), L::load(&m[4], o), L::load(&m[5], o)]
}

#[inline(always)]
fn columns<L: Lane>([xx, yy, zz, xy, xz, yz]: [L; 6]) -> [Vector<L>; 3] {
    [Vector::new(xx, xy, xz), Vector::new(xy, yy, yz), Vector::new(xz, yz, zz)]
}

/// A symmetric tensor times a vector.
#[inline(always)]
fn times<L: Lane>(m: [L; 6], v: Vector<L>) -> Vector<L> {
    let [x, y, z] = columns(m);
    Vector::new(x.dot(v), y.dot(v), z.dot(v))
}

/// The inverse of a symmetric tensor, by its cofactors; nothing where it has none.
#[inline(always)]
pub(super) fn inverse<L: Lane>(m: &[Row; 6], o: usize) -> [L; 6] {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let [x, y, z] = columns(load::<L>(m, o));
    // Over its trace, so that its third power is a number too.
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
