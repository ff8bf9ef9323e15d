//! Rods and ropes: joints that keep two anchors at a distance, or within a range of distances.

use super::ends::{Anchors, Borne, Ends, Pair, Placed};
use super::passes::Block;
use crate::math::Real;
use crate::solver::body::SolverBody;
use crate::solver::joint::geometry::{direction, massed};
use crate::solver::joint::round::pushed;
use crate::solver::joint::{JointRow, Law, SolverJoint};
use crate::solver::lanes::{Lane, Row, Vector};
use crate::tolerances::{JOINT_SLACK, NET_LEAK, NET_MEND};

/// Rods and ropes in eight lanes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Rods {
    ends: Ends,
    /// From the first anchor to the second, a unit vector; the arms across it (m), and the inverse inertia times these.
    direction: [Row; 3],
    arms: [[Row; 3]; 2],
    turns: [[Row; 3]; 2],
    /// The impulse that changes how fast the anchors part by one; how fast they shall close for what they are too far apart, and
    /// how fast they may part (m/s, negative) where they are within their range.
    response: Row,
    closing: Row,
    room: Row,
    /// Least and greatest impulse.
    low: Row,
    high: Row,
    /// Impulse on the second body in this substep.
    impulse: Row,
}

/// See [`Block::Account`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Account {
    anchors: Anchors,
    /// The range of the distance (m); 1 for a rod, which pulls and presses.
    target: Row,
    target_high: Row,
    stiff: Row,
    borne: Borne,
}

impl Rods {
    /// Adds an impulse along the directions.
    #[inline(always)]
    fn push<L: Lane>(&self, pair: &mut Pair<L>, impulse: L, o: usize) {
        pair.move_by(&self.ends, Vector::load(&self.direction, o).scale(impulse), o);
        pair.w[0] = pair.w[0] - Vector::load(&self.turns[0], o).scale(impulse);
        pair.w[1] = pair.w[1] + Vector::load(&self.turns[1], o).scale(impulse);
    }

    /// How fast the anchors part.
    #[inline(always)]
    fn parting<L: Lane>(&self, pair: &Pair<L>, o: usize) -> L {
        let turned = Vector::load(&self.arms[1], o).dot(pair.w[1]) - Vector::load(&self.arms[0], o).dot(pair.w[0]);
        Vector::load(&self.direction, o).dot(pair.v[1] - pair.v[0]) + turned
    }

    /// An impulse within its bounds.
    #[inline(always)]
    fn bounded<L: Lane>(&self, impulse: L, o: usize) -> L {
        impulse.max(L::load(&self.low, o)).min(L::load(&self.high, o))
    }

    /// How far they are apart beyond their range, how fast they may part within it, and on which side of it they can be held.
    #[inline(always)]
    fn ask<L: Lane>(&mut self, account: &Account, length: L, h: Real, o: usize) {
        let (zero, far) = (L::splat(0.0), L::splat(Real::INFINITY));
        let [least, most] = [L::load(&account.target, o), L::load(&account.target_high, o)];
        let above = length.gt(L::splat(0.5) * (least + most));
        let off = length - L::select(above, most, least);
        let stiff = L::load(&account.stiff, o).gt(zero);
        let (over, under) = (off.max(zero), off.min(zero));
        let beyond = L::select(stiff, off, L::select(above, over, under));
        let within = L::select(stiff, zero, L::select(above, under, over));
        pushed(beyond * L::splat(NET_MEND / h)).store(&mut self.closing, o);
        (within * L::splat(1.0 / h)).store(&mut self.room, o);
        L::select(stiff, zero - far, L::select(above, zero - far, zero)).store(&mut self.low, o);
        L::select(stiff, far, L::select(above, zero, far)).store(&mut self.high, o);
    }
}

impl Block for Rods {
    type Account = Account;

    fn fill(
        &mut self,
        account: &mut Account,
        lane: usize,
        (joint, rows): (&SolverJoint, &[JointRow]),
        (lines, bodies): ([u32; 2], [&SolverBody; 2]),
        h: Real,
    ) {
        account.anchors.fill(lane, joint);
        let row = &rows[0];
        let stiff = row.law == Law::Lock;
        account.target.0[lane] = row.target;
        account.target_high.0[lane] = if stiff { row.target } else { row.target_high };
        account.stiff.0[lane] = Real::from(u8::from(stiff));
        self.ends.fill(lane, lines, bodies);
        self.impulse.0[lane] = row.last * h;
    }

    fn store(&self, _: &Account, lane: usize, rows: &mut [JointRow], h: Real) {
        rows[0].last = self.impulse.0[lane] / h;
    }

    fn borne(account: &Account) -> (&Borne, Option<&[Row; 3]>) {
        (&account.borne, None)
    }

    #[inline(always)]
    unsafe fn turn<L: Lane>(&mut self, account: &mut Account, lines: *mut Real, h: Real, first: bool, o: usize) {
        // SAFETY: passed on to the caller.
        let (mut pair, placed) =
            unsafe { (Pair::<L>::gather(lines, &self.ends, o), Placed::<L>::gather(lines, &self.ends, o)) };
        let (gap, [arm, other]) = placed.anchors(&account.anchors, o);
        let (along, length) = direction(gap);
        let impulse = L::load(&self.impulse, o);
        if !first {
            self.push(&mut pair, L::splat(0.0) - impulse, o);
        }
        along.store(&mut self.direction, o);
        let mut answer = L::splat(0.0);
        // The direction turns with the first body, at the second one's anchor.
        for (side, arm) in [arm + gap, other].into_iter().enumerate() {
            let across = arm.cross(along);
            let turned = across.transformed(&self.ends.inertia[side], o);
            across.store(&mut self.arms[side], o);
            turned.store(&mut self.turns[side], o);
            answer = answer + (along.dot(massed(along, &self.ends.mass[side], o)) + across.dot(turned));
        }
        self.push(&mut pair, impulse, o);
        // SAFETY: passed on to the caller.
        unsafe { pair.scatter(lines, &self.ends, o) };
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let there = answer.gt(zero);
        let slack = L::splat(1.0 + JOINT_SLACK);
        L::select(there, one.div(L::select(there, answer * slack, one)), zero).store(&mut self.response, o);
        self.ask(account, length, h, o);
    }

    #[inline(always)]
    unsafe fn solve<L: Lane>(&mut self, lines: *mut Real, o: usize) {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { Pair::<L>::gather(lines, &self.ends, o) };
        let miss = self.parting(&pair, o) + (L::load(&self.closing, o) + L::load(&self.room, o));
        let old = L::load(&self.impulse, o);
        let new = self.bounded((old - miss * L::load(&self.response, o)) * L::splat(1.0 - NET_LEAK), o);
        new.store(&mut self.impulse, o);
        self.push(&mut pair, new - old, o);
        // SAFETY: as above.
        unsafe { pair.scatter(lines, &self.ends, o) };
    }

    #[inline(always)]
    unsafe fn relax<L: Lane>(&mut self, account: &mut Account, lines: *mut Real, o: usize) -> L {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { Pair::<L>::gather(lines, &self.ends, o) };
        let miss = self.parting(&pair, o) + L::load(&self.room, o);
        let old = L::load(&self.impulse, o);
        let new = self.bounded(old - miss * L::load(&self.response, o), o);
        new.store(&mut self.impulse, o);
        self.push(&mut pair, new - old, o);
        // SAFETY: as above.
        unsafe { pair.scatter(lines, &self.ends, o) };
        account.borne.add(Vector::load(&self.direction, o).scale(new), o);
        // A rope that hangs loose asks for nothing.
        let zero = L::splat(0.0);
        L::select((old.abs() + new.abs()).gt(zero), miss.abs(), zero)
    }
}
