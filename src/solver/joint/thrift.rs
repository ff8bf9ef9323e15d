//! Joints that gain energy give it back.
//!
//! Ideal joints do no work on what hangs on something that stands still, and those of a tree that hangs on nothing do none about its centre
//! of mass. In a substep from velocities `v` to `v'`, of which they changed a part `dv`, they did `(v + v')/2 . M dv`. What they mend, and
//! what turns further than a substep follows, makes that more than nothing: a hair's breadth by which a loop of taut light links does not
//! close, mended within a substep, throws them aside by metres a second. Such a gain is taken out of the velocities of the tree again, by one
//! factor for all of them, with which they agree with the joints as before. Of a tree that hangs on nothing the momentum stays; what it turns
//! by as a whole is slowed with the rest. The gyroscopic turn of what tumbles stands in the account of the joints too, and adds nothing to it.
//!
//! So it is done where loops carry what touches them, and in `Exact`, where joints give way by next to nothing, beyond
//! [`JOINT_THRIFT`](crate::tolerances::JOINT_THRIFT).

use super::row::{JointRow, Law};
use super::unit::{Parts, put};
use crate::math::{Real, Vec3};
use crate::solver::body::{START, SolverBody};
use crate::solver::lanes::{Lane, Row, Vector};

/// Where joints are to give back what they gain.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Thrift {
    /// 1 for lanes in which they are, else 0; and the part of the kinetic energy that a substep may gain.
    pub on: Row,
    pub slack: Row,
    /// 1 for lanes with a tree that hangs on something that nothing moves, else 0; and the velocity of that (m/s).
    pub hangs: Row,
    pub frame: [Row; 3],
}

impl Thrift {
    /// Lets a lane with a tree of these bodies and rows give back what it gains if that is more than a part of its energy (`slack`), unless
    /// something drives it: motors, springs, and what nothing moves where it turns or moves in several ways itself.
    pub fn fill<'a>(
        &mut self,
        (lane, slack): (usize, Real),
        bodies: impl Iterator<Item = &'a SolverBody>,
        mut rows: impl Iterator<Item = &'a JointRow>,
    ) {
        let (mut held, mut steady): (Option<Vec3>, bool) = (None, true);
        for body in bodies.filter(|body| !body.movable()) {
            let velocity = *held.get_or_insert(body.linear_velocity);
            steady &= body.linear_velocity == velocity && body.angular_velocity == Vec3::ZERO;
        }
        let idle = rows.all(|row| match row.law {
            Law::Lock | Law::Range => true,
            Law::Drive => row.target == 0.0,
            Law::Spring | Law::Tuned => false,
        });
        self.on.0[lane] = if steady && idle { 1.0 } else { 0.0 };
        self.slack.0[lane] = slack;
        self.hangs.0[lane] = if held.is_some() { 1.0 } else { 0.0 };
        put(&mut self.frame, lane, held.unwrap_or(Vec3::ZERO));
    }
}

/// Takes out of the velocities what joints gained in the substep that began with the velocities at `starts`, where [`Thrift`]
/// is on; in the `first` one these are half a kick back where something leaps. The account of what joints did must be closed.
///
/// # Safety
/// The unit's lines must exist at `starts`, and nobody may be writing them.
#[inline(always)]
pub(super) unsafe fn give_back<L: Lane>(parts: &mut Parts, starts: *const Real, first: bool, o: usize) {
    let (zero, one, half) = (L::splat(0.0), L::splat(1.0), L::splat(0.5));
    let thrifty = L::load(&parts.thrift.on, o).gt(zero);
    if L::bits(thrifty) == 0 {
        return;
    }
    let frame = frame::<L>(parts, o);
    let (mut gain, mut energy) = (zero, zero);
    for body in parts.bodies.iter() {
        // SAFETY: passed on to the caller; quads 0 and 1 lie inside a start.
        let before =
            unsafe { [L::gather::<START>(starts, &body.line, o, 0), L::gather::<START>(starts, &body.line, o, 1)] };
        let mut begun = before.map(Vector::from_quad);
        if first {
            for ((begun, kick), leap) in begun.iter_mut().zip(&body.kick).zip([&*parts.leap, &*parts.spins]) {
                *begun = *begun + Vector::load(kick, o).scale(L::load(leap, o));
            }
        }
        let [v0, w0] = begun;
        let [v, w] = [0, 1].map(|part| Vector::<L>::load(&body.velocity[part], o));
        let [dv, dw] = [0, 1].map(|part| Vector::<L>::load(&body.pushed[part], o));
        let (mass, inertia) = (masses(&body.mass, o), Inertia::new(&body.inertia, o));
        let way = (v0 + v).scale(half) - frame;
        gain = gain + way.dot(mass.each(dv)) + inertia.product((w0 + w).scale(half), dw);
        let v = v - frame;
        energy = energy + (v.dot(mass.each(v)) + inertia.product(w, w)) * half;
    }
    let gains = L::and(thrifty, L::and(gain.gt(energy * L::load(&parts.thrift.slack, o)), energy.gt(zero)));
    if L::bits(gains) == 0 {
        return;
    }
    let left = (one - gain.div(L::select(gains, energy, one))).max(zero);
    let part = L::select(gains, left.sqrt(), one);
    for body in parts.bodies.iter_mut() {
        let free = Vector::load(&body.mass, o);
        for (at, about) in [frame, Vector::new(zero, zero, zero)].into_iter().enumerate() {
            let old = Vector::<L>::load(&body.velocity[at], o);
            let new = about + (old - about).scale(part);
            let new = if at == 0 { where_positive(free, new, old) } else { new };
            // The bits of other lanes must not depend on how many lanes there are.
            Vector::select(gains, new, old).store(&mut body.velocity[at], o);
            let pushed = Vector::<L>::load(&body.pushed[at], o);
            Vector::select(gains, pushed + (new - old), pushed).store(&mut body.pushed[at], o);
        }
    }
}

/// The velocity of what a tree hangs on, or of its centre of mass; none along what one of its bodies is locked to.
#[inline(always)]
fn frame<L: Lane>(parts: &Parts, o: usize) -> Vector<L> {
    let zero = L::splat(0.0);
    let none = Vector::new(zero, zero, zero);
    let (mut momentum, mut mass, mut locked) = (none, none, none);
    for body in parts.bodies.iter() {
        let own = masses::<L>(&body.mass, o);
        let whole = own.x + own.y + own.z;
        locked = locked + where_positive(own, none, Vector::new(whole, whole, whole));
        momentum = momentum + own.each(Vector::load(&body.velocity[0], o));
        mass = mass + own;
    }
    let hangs = L::load(&parts.thrift.hangs, o).gt(zero);
    let one = Vector::new(L::splat(1.0), L::splat(1.0), L::splat(1.0));
    let there = where_positive(mass, mass, one);
    let center = Vector::new(momentum.x.div(there.x), momentum.y.div(there.y), momentum.z.div(there.z));
    Vector::select(hangs, Vector::load(&parts.thrift.frame, o), where_positive(locked, none, center))
}

/// The inertia of a body, as the factors `L D L^T` of its inverse: of a thin rod its inverse's cofactors are rounding. What is locked has
/// none.
struct Inertia<L> {
    /// Below the diagonal: second row, third row.
    below: [L; 3],
    /// What the diagonal divides by.
    over: [L; 3],
}

impl<L: Lane> Inertia<L> {
    #[inline(always)]
    fn new([xx, yy, zz, xy, xz, yz]: &[Row; 6], o: usize) -> Self {
        let (xx, yy, zz) = (L::load(xx, o), L::load(yy, o), L::load(zz, o));
        let (xy, xz, yz) = (L::load(xy, o), L::load(xz, o), L::load(yz, o));
        let least = (xx + yy + zz) * L::splat(4.0 * Real::EPSILON);
        let first = over(xx, least);
        let (yx, zx) = (xy * first, xz * first);
        let second = over(yy - yx * xy, least);
        let rest = yz - zx * xy;
        let zy = rest * second;
        let third = over(zz - zx * xz - zy * rest, least);
        Self { below: [yx, zx, zy], over: [first, second, third] }
    }

    /// `a . I b`.
    #[inline(always)]
    fn product(&self, a: Vector<L>, b: Vector<L>) -> L {
        let (a, b) = (self.forward(a), self.forward(b));
        a.x * b.x * self.over[0] + a.y * b.y * self.over[1] + a.z * b.z * self.over[2]
    }

    #[inline(always)]
    fn forward(&self, v: Vector<L>) -> Vector<L> {
        let y = v.y - self.below[0] * v.x;
        Vector::new(v.x, y, v.z - self.below[1] * v.x - self.below[2] * y)
    }
}

/// One over a number above a least one, else nothing.
#[inline(always)]
fn over<L: Lane>(x: L, least: L) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let there = x.gt(least);
    L::select(there, one.div(L::select(there, x, one)), zero)
}

/// The masses along the axes of the world, nothing where nothing moves it.
#[inline(always)]
fn masses<L: Lane>(inverse: &[Row; 3], o: usize) -> Vector<L> {
    let zero = L::splat(0.0);
    let inverse = Vector::<L>::load(inverse, o);
    Vector::new(over(inverse.x, zero), over(inverse.y, zero), over(inverse.z, zero))
}

/// By component: `yes` where another is greater than nothing, else `no`.
#[inline(always)]
fn where_positive<L: Lane>(at: Vector<L>, yes: Vector<L>, no: Vector<L>) -> Vector<L> {
    let zero = L::splat(0.0);
    Vector::new(
        L::select(at.x.gt(zero), yes.x, no.x),
        L::select(at.y.gt(zero), yes.y, no.y),
        L::select(at.z.gt(zero), yes.z, no.z),
    )
}
