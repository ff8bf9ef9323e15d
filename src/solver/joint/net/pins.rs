//! Pins: joints that keep two anchors together, and nothing else.

use super::ends::{Anchors, Borne, Ends, Pair, Placed};
use super::matrix::inverse;
use super::passes::Block;
use crate::math::Real;
use crate::solver::body::SolverBody;
use crate::solver::joint::round::pushed;
use crate::solver::joint::{JointRow, SolverJoint};
use crate::solver::lanes::{Lane, Row, Vector};
use crate::tolerances::{NET_LEAK, NET_MEND};

/// Pins in eight lanes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Pins {
    ends: Ends,
    /// From the centres of mass to the anchors (m).
    arms: [[Row; 3]; 2],
    /// The impulse that changes how fast the anchors part by one, a symmetric matrix; how fast they shall close (m/s).
    response: [Row; 6],
    closing: [Row; 3],
    /// Impulse on the second body in this substep.
    impulse: [Row; 3],
}

/// See [`Block::Account`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Account {
    anchors: Anchors,
    borne: Borne,
}

impl Block for Pins {
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
        self.ends.fill(lane, lines, bodies);
        for (impulse, row) in self.impulse.iter_mut().zip(rows) {
            impulse.0[lane] = row.last * h;
        }
    }

    fn store(&self, _: &Account, lane: usize, rows: &mut [JointRow], h: Real) {
        for (row, impulse) in rows.iter_mut().zip(&self.impulse) {
            row.last = impulse.0[lane] / h;
        }
    }

    fn borne(account: &Account) -> (&Borne, Option<&[Row; 3]>) {
        (&account.borne, None)
    }

    #[inline(always)]
    unsafe fn turn<L: Lane>(&mut self, account: &mut Account, lines: *mut Real, h: Real, first: bool, o: usize) {
        // SAFETY: passed on to the caller.
        let (mut pair, placed) =
            unsafe { (Pair::<L>::gather(lines, &self.ends, o), Placed::<L>::gather(lines, &self.ends, o)) };
        let (gap, arms) = placed.anchors(&account.anchors, o);
        let rate = gap.scale(L::splat(NET_MEND / h));
        Vector::new(pushed(rate.x), pushed(rate.y), pushed(rate.z)).store(&mut self.closing, o);
        let impulse = Vector::<L>::load(&self.impulse, o);
        let mut moments = [arms[0].cross(impulse), arms[1].cross(impulse)];
        if first {
            pair.move_by(&self.ends, impulse, o);
        } else {
            for (moment, arm) in moments.iter_mut().zip(&self.arms) {
                *moment = *moment - Vector::load(arm, o).cross(impulse);
            }
        }
        pair.turn_by(&self.ends, moments, o);
        for (arm, into) in arms.into_iter().zip(&mut self.arms) {
            arm.store(into, o);
        }
        // SAFETY: passed on to the caller.
        unsafe { pair.scatter(lines, &self.ends, o) };
        let (columns, _) = self.ends.answers::<L>(&self.arms, o);
        for (x, row) in inverse(columns).into_iter().zip(&mut self.response) {
            x.store(row, o);
        }
    }

    #[inline(always)]
    unsafe fn solve<L: Lane>(&mut self, lines: *mut Real, o: usize) {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { Pair::<L>::gather(lines, &self.ends, o) };
        let miss = pair.parting(&self.arms, o) + Vector::load(&self.closing, o);
        let old = Vector::load(&self.impulse, o);
        let new = (old - miss.transformed(&self.response, o)).scale(L::splat(1.0 - NET_LEAK));
        new.store(&mut self.impulse, o);
        pair.push(&self.ends, &self.arms, new - old, o);
        // SAFETY: as above.
        unsafe { pair.scatter(lines, &self.ends, o) };
    }

    #[inline(always)]
    unsafe fn relax<L: Lane>(&mut self, account: &mut Account, lines: *mut Real, o: usize) -> L {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { Pair::<L>::gather(lines, &self.ends, o) };
        let miss = pair.parting(&self.arms, o);
        let change = miss.transformed(&self.response, o);
        let new = Vector::load(&self.impulse, o) - change;
        new.store(&mut self.impulse, o);
        pair.push(&self.ends, &self.arms, change.scale(L::splat(-1.0)), o);
        // SAFETY: as above.
        unsafe { pair.scatter(lines, &self.ends, o) };
        account.borne.add(new, o);
        miss.max_abs()
    }
}
