//! Energy guard: removes kinetic energy that joints add.
//!
//! Ideal constraints do no work on a group attached to an immovable body, nor about the centre of
//! mass of a free one. Position correction and rotations too large for the substep do: correcting a
//! small loop error of taut light links within a substep gives them metres per second. The work of
//! a substep from velocities `v` to `v'` with the joints' change `dv` is `(v + v')/2 . M dv`; it is
//! removed by one factor for all velocities of the group, relative to the anchor or the centre of
//! mass. The velocities stay consistent with the joints, and a free group keeps its momentum.
//! Gyroscopic terms are part of the record and do no work.
//!
//! Motors and springs may add energy: the sum of their impulses times the mean rates of their
//! coordinates. Only what exceeds it is removed.
//!
//! Nothing may be gained by loops in contact, nor in a substep that is solved implicitly, where RATTLE
//! does not keep the energy; with `Accuracy::Exact` other groups may gain at the rate
//! `JOINTS.energy_gain_rate`. With `Accuracy::Game` their energy oscillates with the longer substep:
//! a guard would count that as a gain, and pendulums would run down.

use super::batch::{BatchView, BodyLanes, EnergyGuard, put};
use super::body_pair::BodyPair;
use crate::math::{Real, Vec3};
use crate::solver::body::{SUBSTEP_START_LEN, SolverBody};
use crate::solver::simd::{Simd, Vector, Wide};

impl EnergyGuard {
    /// Finds what holds a lane with these bodies, and guards it above the gain `allowed_gain` (a
    /// fraction of the energy), or without one in implicit substeps alone, unless immovable bodies
    /// that rotate or move differently drive the group. Pulleys hold it on the world itself.
    pub fn fill<'a>(
        &mut self,
        (lane, allowed_gain): (usize, Option<Real>),
        has_pulley: bool,
        bodies: impl Iterator<Item = &'a SolverBody>,
    ) {
        let (mut frame, mut steady) = (has_pulley.then_some(Vec3::ZERO), true);
        for body in bodies.filter(|body| !body.movable()) {
            let velocity = *frame.get_or_insert(body.linear_velocity);
            steady &= body.linear_velocity == velocity && body.angular_velocity == Vec3::ZERO;
        }
        self.on.0[lane] = if steady { 1.0 } else { 0.0 };
        self.allowed_gain.0[lane] = allowed_gain.unwrap_or(Real::MAX);
        self.anchored.0[lane] = if frame.is_some() { 1.0 } else { 0.0 };
        put(&mut self.frame_velocity, lane, frame.unwrap_or(Vec3::ZERO));
    }
}

/// Removes the energy gained in the substep that began with the velocities at `starts`, in guarded
/// lanes. The starts of the `first` substep lack half a kick in leapfrog groups. The record of the
/// joints' velocity changes must be ended, and the rows have the impulses of a full kick.
///
/// # Safety
/// The batch's substep starts must exist at `starts`, and must not be written meanwhile.
#[inline(always)]
pub(super) unsafe fn remove_gain<L: Simd>(
    view: &mut BatchView,
    starts: *const Real,
    (first, kick_fraction): (bool, L),
    o: usize,
) {
    let (zero, one, half) = (L::splat(0.0), L::splat(1.0), L::splat(0.5));
    let implicit = L::load(&view.energy_guard.implicit, o).gt(zero);
    let allowed_gain = L::select(implicit, zero, L::load(&view.energy_guard.allowed_gain, o));
    let guarded = L::and(L::load(&view.energy_guard.on, o).gt(zero), L::splat(Real::MAX).gt(allowed_gain));
    if L::bits(guarded) == 0 {
        return;
    }
    let frame = frame_velocity::<L>(view, o);
    let leapfrog = [L::load(view.leapfrog, o), L::load(view.leapfrog_angular, o)];
    let kick = if first { leapfrog } else { [zero; 2] };
    let (mut gain, mut energy) = (zero, zero);
    for body in view.bodies.iter() {
        // SAFETY: passed on to the caller.
        let [mean_v, mean_w] = unsafe { mean_velocities::<L>(body, starts, kick, o) };
        let [v, w] = load_both::<L>(&body.velocity, o);
        let [dv, dw] = load_both::<L>(&body.velocity_change, o);
        let (mass, inertia) = (masses(&body.mass, o), Inertia::new(&body.inertia, o));
        gain = gain + (mean_v - frame).dot(mass.mul_elementwise(dv)) + inertia.product(mean_w, dw);
        let v = v - frame;
        energy = energy + (v.dot(mass.mul_elementwise(v)) + inertia.product(w, w)) * half;
    }
    // SAFETY: passed on to the caller.
    let gain = gain - unsafe { driven_work::<L>(view, starts, kick, kick_fraction, o) }.max(zero);
    let gains = L::and(guarded, L::and(gain.gt(energy * allowed_gain), energy.gt(zero)));
    if L::bits(gains) == 0 {
        return;
    }
    let left = (one - gain.div(L::select(gains, energy, one))).max(zero);
    let factor = L::select(gains, left.sqrt(), one);
    for body in view.bodies.iter_mut() {
        let free = Vector::load(&body.mass, o);
        for (at, about) in [frame, Vector::new(zero, zero, zero)].into_iter().enumerate() {
            let old = Vector::<L>::load(&body.velocity[at], o);
            let new = about + (old - about).scale(factor);
            let new = if at == 0 { select_positive(free, new, old) } else { new };
            // Other lanes must not depend on the number of lanes per register.
            Vector::select(gains, new, old).store(&mut body.velocity[at], o);
            let velocity_change = Vector::<L>::load(&body.velocity_change[at], o);
            Vector::select(gains, velocity_change + (new - old), velocity_change)
                .store(&mut body.velocity_change[at], o);
        }
    }
}

/// Mean velocity and angular velocity of a body over the substep, whose starts lack the parts
/// `kick` of the half kicks.
///
/// # Safety
/// As for [`remove_gain`].
#[inline(always)]
unsafe fn mean_velocities<L: Simd>(body: &BodyLanes, starts: *const Real, kick: [L; 2], o: usize) -> [Vector<L>; 2] {
    // SAFETY: passed on to the caller; quads 0 and 1 lie inside a substep start.
    let [linear, angular] = unsafe {
        [
            L::gather::<SUBSTEP_START_LEN>(starts, &body.state, o, 0),
            L::gather::<SUBSTEP_START_LEN>(starts, &body.state, o, 1),
        ]
    };
    let [v0, w0] = [Vector::from_quad(linear), Vector::from_quad(angular)];
    let [half_kick, half_kick_angular] = load_both::<L>(&body.half_kick, o);
    let (v0, w0) = (v0 + half_kick.scale(kick[0]), w0 + half_kick_angular.scale(kick[1]));
    let [v, w] = load_both::<L>(&body.velocity, o);
    [(v0 + v).scale(L::splat(0.5)), (w0 + w).scale(L::splat(0.5))]
}

/// A linear and an angular vector of a body.
#[inline(always)]
fn load_both<L: Simd>(of: &[[Wide; 3]; 2], o: usize) -> [Vector<L>; 2] {
    [Vector::load(&of[0], o), Vector::load(&of[1], o)]
}

/// Work of motors and springs at the mean velocities of the bodies.
///
/// # Safety
/// As for [`remove_gain`].
#[inline(always)]
unsafe fn driven_work<L: Simd>(view: &BatchView, starts: *const Real, kick: [L; 2], kick_fraction: L, o: usize) -> L {
    let mut work = L::splat(0.0);
    for (kind, block) in view.factor.joints.iter().zip(&view.factor.blocks) {
        let scalars = view.rows[block.scalar_rows()].iter().zip(&kind.rows[block.point_rows()..]);
        let mut drives = scalars.filter(|(_, (_, kind))| kind.is_drive()).peekable();
        if drives.peek().is_none() {
            continue;
        }
        let [a, b] = kind.bodies.map(|body| &view.bodies[body as usize]);
        // SAFETY: passed on to the caller.
        let means = unsafe { [mean_velocities::<L>(a, starts, kick, o), mean_velocities::<L>(b, starts, kick, o)] };
        let pair = BodyPair::of(kind.bodies, means);
        for (row, &(coordinate, _)) in drives {
            work = work + L::load(&row.impulse, o) * kick_fraction * pair.rate(coordinate, row, o);
        }
    }
    work
}

/// Velocity of the group's anchor, or of its centre of mass; zero along axes that lock one of its
/// bodies.
#[inline(always)]
fn frame_velocity<L: Simd>(view: &BatchView, o: usize) -> Vector<L> {
    let zero = L::splat(0.0);
    let none = Vector::new(zero, zero, zero);
    let (mut momentum, mut mass, mut locked) = (none, none, none);
    for body in view.bodies.iter() {
        let own = masses::<L>(&body.mass, o);
        let whole = own.x + own.y + own.z;
        locked = locked + select_positive(own, none, Vector::new(whole, whole, whole));
        momentum = momentum + own.mul_elementwise(Vector::load(&body.velocity[0], o));
        mass = mass + own;
    }
    let anchored = L::load(&view.energy_guard.anchored, o).gt(zero);
    let one = Vector::new(L::splat(1.0), L::splat(1.0), L::splat(1.0));
    let there = select_positive(mass, mass, one);
    let center = Vector::new(momentum.x.div(there.x), momentum.y.div(there.y), momentum.z.div(there.z));
    Vector::select(anchored, Vector::load(&view.energy_guard.frame_velocity, o), select_positive(locked, none, center))
}

/// Inertia of a body, as the factors `L D L^T` of its inverse: for a thin rod the cofactors of the
/// inverse are rounding. Zero for locked rotations.
struct Inertia<L> {
    /// Below the diagonal: second row, third row.
    below: [L; 3],
    /// Inverses of the diagonal.
    inverse_pivots: [L; 3],
}

impl<L: Simd> Inertia<L> {
    #[inline(always)]
    fn new([xx, yy, zz, xy, xz, yz]: &[Wide; 6], o: usize) -> Self {
        let (xx, yy, zz) = (L::load(xx, o), L::load(yy, o), L::load(zz, o));
        let (xy, xz, yz) = (L::load(xy, o), L::load(xz, o), L::load(yz, o));
        let min = (xx + yy + zz) * L::splat(4.0 * Real::EPSILON);
        let first = inverse_above(xx, min);
        let (yx, zx) = (xy * first, xz * first);
        let second = inverse_above(yy - yx * xy, min);
        let rest = yz - zx * xy;
        let zy = rest * second;
        let third = inverse_above(zz - zx * xz - zy * rest, min);
        Self { below: [yx, zx, zy], inverse_pivots: [first, second, third] }
    }

    /// `a . I b`.
    #[inline(always)]
    fn product(&self, a: Vector<L>, b: Vector<L>) -> L {
        let (a, b) = (self.forward(a), self.forward(b));
        a.x * b.x * self.inverse_pivots[0] + a.y * b.y * self.inverse_pivots[1] + a.z * b.z * self.inverse_pivots[2]
    }

    #[inline(always)]
    fn forward(&self, v: Vector<L>) -> Vector<L> {
        let y = v.y - self.below[0] * v.x;
        Vector::new(v.x, y, v.z - self.below[1] * v.x - self.below[2] * y)
    }
}

/// Inverse of a number above a threshold, else zero.
#[inline(always)]
fn inverse_above<L: Simd>(x: L, min: L) -> L {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let there = x.gt(min);
    L::select(there, one.div(L::select(there, x, one)), zero)
}

/// Masses along the world axes, zero where immovable.
#[inline(always)]
fn masses<L: Simd>(inverse: &[Wide; 3], o: usize) -> Vector<L> {
    let zero = L::splat(0.0);
    let inverse = Vector::<L>::load(inverse, o);
    Vector::new(inverse_above(inverse.x, zero), inverse_above(inverse.y, zero), inverse_above(inverse.z, zero))
}

/// By component: `yes` where `at` is positive, else `no`.
#[inline(always)]
fn select_positive<L: Simd>(at: Vector<L>, yes: Vector<L>, no: Vector<L>) -> Vector<L> {
    let zero = L::splat(0.0);
    Vector::new(
        L::select(at.x.gt(zero), yes.x, no.x),
        L::select(at.y.gt(zero), yes.y, no.y),
        L::select(at.z.gt(zero), yes.z, no.z),
    )
}
