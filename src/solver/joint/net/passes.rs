//! The passes of a substep over a net.

use super::{Account, Pins};
use crate::math::Real;
use crate::solver::body::LINE;
use crate::solver::joint::geometry::massed;
use crate::solver::joint::round::pushed;
use crate::solver::lanes::{Kernel, Lane, Path, Vector, WIDTH, rotation};
use crate::tolerances::{JOINT_SLACK, NET_LEAK, NET_MEND};

struct Turn<'a> {
    pins: &'a mut [Pins],
    accounts: &'a [Account],
    lines: *mut Real,
    h: Real,
    first: bool,
}

struct Solve<'a> {
    pins: &'a mut [Pins],
    lines: *mut Real,
}

struct Relax<'a> {
    pins: &'a mut [Pins],
    accounts: &'a mut [Account],
    lines: *mut Real,
}

/// See [`Net::open`](super::Net::open), for the `first` substep of a step, and [`Net::turn`](super::Net::turn).
///
/// # Safety
/// The lines that the pins name must exist at `lines` and belong to the caller alone.
pub(super) unsafe fn turn(path: Path, pins: &mut [Pins], accounts: &[Account], lines: *mut Real, h: Real, first: bool) {
    path.run(Turn { pins, accounts, lines, h, first });
}

/// See [`Net::solve`](super::Net::solve).
///
/// # Safety
/// As for [`turn`].
pub(super) unsafe fn solve(path: Path, pins: &mut [Pins], lines: *mut Real) {
    path.run(Solve { pins, lines });
}

/// See [`Net::relax`](super::Net::relax).
///
/// # Safety
/// As for [`turn`].
pub(super) unsafe fn relax(path: Path, pins: &mut [Pins], accounts: &mut [Account], lines: *mut Real) -> Real {
    path.run(Relax { pins, accounts, lines })
}

impl Kernel for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        for (pins, account) in self.pins.iter_mut().zip(self.accounts) {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: passed on to the caller of `turn`.
                unsafe {
                    let mut pair = Pair::<L>::gather(self.lines, pins, o);
                    let arms = place::<L>(pins, account, self.lines, self.h, o);
                    pull(&mut pair, pins, arms, self.first, o);
                    pair.scatter(self.lines, pins, o);
                }
                respond::<L>(pins, o);
                o += L::N;
            }
        }
    }
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let kept = L::splat(1.0 - NET_LEAK);
        for pins in self.pins {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: passed on to the caller of `solve`.
                unsafe {
                    let mut pair = Pair::<L>::gather(self.lines, pins, o);
                    let miss = pair.parting(pins, o) + Vector::load(&pins.closing, o);
                    let old = Vector::load(&pins.impulse, o);
                    let new = (old - miss.transformed(&pins.response, o)).scale(kept);
                    new.store(&mut pins.impulse, o);
                    pair.push(pins, new - old, o);
                    pair.scatter(self.lines, pins, o);
                }
                o += L::N;
            }
        }
    }
}

impl Kernel for Relax<'_> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Lane>(self) -> Real {
        let mut worst = L::splat(0.0);
        for (pins, account) in self.pins.iter_mut().zip(self.accounts) {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: passed on to the caller of `relax`.
                unsafe {
                    let mut pair = Pair::<L>::gather(self.lines, pins, o);
                    let miss = pair.parting(pins, o);
                    worst = miss.max_abs().max(worst);
                    let change = miss.transformed(&pins.response, o);
                    let new = Vector::load(&pins.impulse, o) - change;
                    new.store(&mut pins.impulse, o);
                    pair.push(pins, change.scale(L::splat(-1.0)), o);
                    pair.scatter(self.lines, pins, o);
                    sum_up(account, new, o);
                }
                o += L::N;
            }
        }
        worst.greatest(0.0)
    }
}

/// The velocities of the two bodies of a pin.
struct Pair<L> {
    v: [Vector<L>; 2],
    w: [Vector<L>; 2],
    /// What the lines hold beside them.
    spare: [[L; 2]; 2],
}

impl<L: Lane> Pair<L> {
    /// # Safety
    /// As for [`turn`].
    #[inline(always)]
    unsafe fn gather(lines: *const Real, pins: &Pins, o: usize) -> Self {
        let [a, b] = &pins.lines;
        // SAFETY: passed on to the caller; quads 0 and 1 lie inside a line.
        let (va, wa) = unsafe { (L::gather::<LINE>(lines, a, o, 0), L::gather::<LINE>(lines, a, o, 1)) };
        // SAFETY: as above.
        let (vb, wb) = unsafe { (L::gather::<LINE>(lines, b, o, 0), L::gather::<LINE>(lines, b, o, 1)) };
        Self {
            v: [Vector::from_quad(va), Vector::from_quad(vb)],
            w: [Vector::from_quad(wa), Vector::from_quad(wb)],
            spare: [[va[3], wa[3]], [vb[3], wb[3]]],
        }
    }

    /// # Safety
    /// As for [`turn`].
    #[inline(always)]
    unsafe fn scatter(self, lines: *mut Real, pins: &Pins, o: usize) {
        for side in 0..2 {
            let (ids, write, [m, n]) = (&pins.lines[side], pins.write[side], self.spare[side]);
            // SAFETY: passed on to the caller; quads 0 and 1 lie inside a line.
            unsafe {
                L::scatter::<LINE>(lines, ids, write, o, 0, self.v[side].quad(m));
                L::scatter::<LINE>(lines, ids, write, o, 1, self.w[side].quad(n));
            }
        }
    }

    /// How fast the anchors part.
    #[inline(always)]
    fn parting(&self, pins: &Pins, o: usize) -> Vector<L> {
        let of_a = self.w[0].cross(Vector::load(&pins.arms[0], o));
        let of_b = self.w[1].cross(Vector::load(&pins.arms[1], o));
        (self.v[1] - self.v[0]) + (of_b - of_a)
    }

    /// Applies an impulse to the second body, and its opposite to the first.
    #[inline(always)]
    fn push(&mut self, pins: &Pins, impulse: Vector<L>, o: usize) {
        self.move_by(pins, impulse, o);
        let [a, b] = &pins.arms;
        self.turn_by(pins, [Vector::load(a, o).cross(impulse), Vector::load(b, o).cross(impulse)], o);
    }

    #[inline(always)]
    fn move_by(&mut self, pins: &Pins, impulse: Vector<L>, o: usize) {
        self.v[0] = self.v[0] - massed(impulse, &pins.mass[0], o);
        self.v[1] = self.v[1] + massed(impulse, &pins.mass[1], o);
    }

    /// Applies the moments of an impulse.
    #[inline(always)]
    fn turn_by(&mut self, pins: &Pins, [a, b]: [Vector<L>; 2], o: usize) {
        self.w[0] = self.w[0] - a.transformed(&pins.inertia[0], o);
        self.w[1] = self.w[1] + b.transformed(&pins.inertia[1], o);
    }
}

/// Where the anchors are: notes how fast they shall close over a substep of `h` (s), returns the arms.
///
/// # Safety
/// As for [`turn`].
#[inline(always)]
unsafe fn place<L: Lane>(pins: &mut Pins, account: &Account, lines: *const Real, h: Real, o: usize) -> [Vector<L>; 2] {
    let mut gap = Vector::<L>::load(&account.gap, o);
    let mut arms = [gap; 2];
    for (side, arm) in arms.iter_mut().enumerate() {
        let ids = &pins.lines[side];
        // SAFETY: passed on to the caller; quads 2 and 3 lie inside a line.
        let (moved, turned) = unsafe { (L::gather::<LINE>(lines, ids, o, 2), L::gather::<LINE>(lines, ids, o, 3)) };
        let (moved, turned) = (Vector::from_quad(moved), Vector::from_quad(turned));
        let lever = Vector::<L>::load(&account.levers[side], o);
        let (s, c) = rotation::coefficients(turned.dot(turned));
        let once = turned.cross(lever);
        let change = once.scale(s) + turned.cross(once).scale(c);
        *arm = lever + change;
        gap = if side == 0 { gap - (moved + change) } else { gap + (moved + change) };
    }
    let rate = gap.scale(L::splat(NET_MEND / h));
    Vector::new(pushed(rate.x), pushed(rate.y), pushed(rate.z)).store(&mut pins.closing, o);
    arms
}

/// Gives the bodies what the pins bore: all of it in the `first` substep of a step, else what moving the arms changes, for the rest
/// of it is repeated with the substep.
#[inline(always)]
fn pull<L: Lane>(pair: &mut Pair<L>, pins: &mut Pins, arms: [Vector<L>; 2], first: bool, o: usize) {
    let impulse = Vector::<L>::load(&pins.impulse, o);
    let mut moments = [arms[0].cross(impulse), arms[1].cross(impulse)];
    if first {
        pair.move_by(pins, impulse, o);
    } else {
        for (moment, arm) in moments.iter_mut().zip(&pins.arms) {
            *moment = *moment - Vector::load(arm, o).cross(impulse);
        }
    }
    pair.turn_by(pins, moments, o);
    for (arm, into) in arms.into_iter().zip(&mut pins.arms) {
        arm.store(into, o);
    }
}

/// How the anchors answer to an impulse, turned round.
#[inline(always)]
fn respond<L: Lane>(pins: &mut Pins, o: usize) {
    let zero = L::splat(0.0);
    let none = Vector::new(zero, zero, zero);
    let mut columns = [none; 3];
    for side in 0..2 {
        let arm = Vector::<L>::load(&pins.arms[side], o);
        let mass = Vector::<L>::load(&pins.mass[side], o);
        // Of impulses of one along the axes of the world.
        let moments = [
            Vector::new(zero, arm.z, zero - arm.y),
            Vector::new(zero - arm.z, zero, arm.x),
            Vector::new(arm.y, zero - arm.x, zero),
        ];
        let straight =
            [Vector::new(mass.x, zero, zero), Vector::new(zero, mass.y, zero), Vector::new(zero, zero, mass.z)];
        for ((column, moment), straight) in columns.iter_mut().zip(moments).zip(straight) {
            *column = *column + (straight + moment.transformed(&pins.inertia[side], o).cross(arm));
        }
    }
    for (x, row) in inverse(columns).into_iter().zip(&mut pins.response) {
        x.store(row, o);
    }
}

/// The inverse (xx, yy, zz, xy, xz, yz) of a symmetric matrix, a little of each diagonal entry added to it; nothing where the bodies
/// cannot be moved.
#[inline(always)]
fn inverse<L: Lane>([x, y, z]: [Vector<L>; 3]) -> [L; 6] {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    // Of the size of one, or the determinant of great masses would vanish.
    let trace = x.x + y.y + z.z;
    let there = trace.gt(zero);
    let scale = L::select(there, one.div(L::select(there, trace, one)), zero);
    let (x, y, z) = (x.scale(scale), y.scale(scale), z.scale(scale));
    // What cannot move along an axis is coupled to nothing there.
    let (xx, yy, zz) = (diagonal(x.x), diagonal(y.y), diagonal(z.z));
    let (xy, xz, yz) = (y.x, z.x, z.y);
    let (cxx, cxy, cxz) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let determinant = xx * cxx + xy * cxy + xz * cxz;
    let over = scale.div(determinant);
    [
        cxx * over,
        (xx * zz - xz * xz) * over,
        (xx * yy - xy * xy) * over,
        cxy * over,
        cxz * over,
        (xy * xz - xx * yz) * over,
    ]
}

/// A diagonal entry that gives way a little; one where nothing moves.
#[inline(always)]
fn diagonal<L: Lane>(x: L) -> L {
    L::select(x.gt(L::splat(0.0)), x * L::splat(1.0 + JOINT_SLACK), L::splat(1.0))
}

/// Adds the impulse of a substep to what the step sums up.
#[inline(always)]
fn sum_up<L: Lane>(account: &mut Account, impulse: Vector<L>, o: usize) {
    (Vector::load(&account.force, o) + impulse).store(&mut account.force, o);
    let size = impulse.dot(impulse).sqrt();
    (L::load(&account.load, o) + size).store(&mut account.load, o);
    L::load(&account.peak, o).max(size).store(&mut account.peak, o);
}
