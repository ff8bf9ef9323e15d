//! Locks: joints that keep axes together beside their anchors, or let these slide: hinges, welds, sliders.
//!
//! The rows along which a joint is free are left out of its block by projecting: a sweep works on vectors of the world, and the
//! inverse gives nothing outside of what is locked. With the answers `A` of velocities to impulses, `C` of spins to torques and `B`
//! between them, `S = A - B C^-1 B^T` is what is left of `A` when the axes are held.

use super::ends::{Anchors, Borne, Ends, Pair, Placed};
use super::matrix::Locked;
use super::passes::Block;
use crate::math::{Real, Vec3};
use crate::solver::body::SolverBody;
use crate::solver::joint::round::pushed;
use crate::solver::joint::unit::{put, take};
use crate::solver::joint::{Coordinate, JointRow, Law, SolverJoint};
use crate::solver::lanes::{Lane, Row, Vector};
use crate::tolerances::{JOINT_SLACK, NET_LEAK, NET_MEND};

/// Locks in eight lanes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Locks {
    ends: Ends,
    /// From the centres of mass to the second body's anchor (m).
    arms: [[Row; 3]; 2],
    /// `S^-1` and `C^-1`, symmetric matrices; the rows of `B C^-1`.
    straight: [Row; 6],
    turning: [Row; 6],
    mixed: [[Row; 3]; 3],
    /// How fast the anchors shall close (m/s), and the axes (rad/s).
    closing: [[Row; 3]; 2],
    /// Impulse and torque's impulse on the second body in this substep.
    impulse: [[Row; 3]; 2],
}

/// See [`Block::Account`].
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Account {
    anchors: Anchors,
    /// From the first anchor to where the second shall be, in the axes of the first body (m).
    offset: [Row; 3],
    /// The axis of the first body along which anchors slide, or alone do not.
    slide: [Row; 3],
    /// Axes of both frames, that of a hinge first; those of the first where they have come to.
    frames: [[[Row; 3]; 3]; 2],
    now: [[Row; 3]; 3],
    /// How many directions are locked, of shifts and of turns.
    ranks: [Row; 2],
    borne: Borne,
    torque: [Row; 3],
}

/// The axis about which rows leave a joint free as a hinge, if they do.
fn hinge(rows: &[JointRow]) -> Option<usize> {
    rows.iter().find_map(|row| match row.coordinate {
        Coordinate::Align { free, .. } => Some(free as usize),
        _ => None,
    })
}

/// The rows that are locked: limits are far, or it would not be in a net.
fn locked(rows: &[JointRow]) -> impl Iterator<Item = &JointRow> {
    rows.iter().filter(|row| row.law == Law::Lock)
}

/// Along which axis of the frame (in the order of [`Account::frames`]) or of the world a row acts, and whether it turns.
fn way(coordinate: Coordinate, first: usize) -> (usize, bool, bool) {
    match coordinate {
        Coordinate::Along(k) => ((k as usize + 3 - first) % 3, true, false),
        Coordinate::Align { k, .. } => ((k as usize + 3 - first) % 3, true, true),
        Coordinate::Weld(k) => (k as usize, false, true),
        Coordinate::Point(k) => (k as usize, false, false),
        _ => unreachable!("a lock has no such row"),
    }
}

impl Account {
    fn fill(&mut self, lane: usize, joint: &SolverJoint, rows: &[JointRow]) {
        self.anchors.fill(lane, joint);
        let first = hinge(rows).unwrap_or(0);
        for (into, frame) in self.frames.iter_mut().zip(&joint.frames) {
            for (k, into) in into.iter_mut().enumerate() {
                put(into, lane, frame.col((first + k) % 3));
            }
        }
        let turns = locked(rows).filter(|row| !row.coordinate.is_linear()).count();
        let shifts = locked(rows).count() - turns;
        self.ranks[0].0[lane] = shifts as Real;
        self.ranks[1].0[lane] = turns as Real;
        let frame = &joint.frames[0];
        let (mut offset, mut slides) = (Vec3::ZERO, [false; 3]);
        for row in locked(rows) {
            if let Coordinate::Along(k) = row.coordinate {
                offset += frame.col(k as usize) * row.target;
                slides[k as usize] = true;
            }
        }
        // Of two that are locked it is the third.
        let alone = shifts == 1;
        let slide = (0..3).find(|&k| slides[k] == alone && slides != [false; 3]);
        put(&mut self.slide, lane, slide.map_or(Vec3::ZERO, |k| frame.col(k)));
        put(&mut self.offset, lane, offset);
    }
}

impl Block for Locks {
    type Account = Account;

    fn fill(
        &mut self,
        account: &mut Account,
        lane: usize,
        (joint, rows): (&SolverJoint, &[JointRow]),
        (lines, bodies): ([u32; 2], [&SolverBody; 2]),
        h: Real,
    ) {
        account.fill(lane, joint, rows);
        self.ends.fill(lane, lines, bodies);
        let first = hinge(rows).unwrap_or(0);
        let mut sums = [Vec3::ZERO; 2];
        for row in locked(rows) {
            let (k, framed, turns) = way(row.coordinate, first);
            let axis = if framed { take(&account.frames[0][k], lane) } else { Vec3::AXES[k] };
            sums[usize::from(turns)] += axis * (row.last * h);
        }
        for (into, sum) in self.impulse.iter_mut().zip(sums) {
            put(into, lane, sum);
        }
    }

    fn store(&self, account: &Account, lane: usize, rows: &mut [JointRow], h: Real) {
        let first = hinge(rows).unwrap_or(0);
        for row in rows {
            if row.law != Law::Lock {
                row.last = 0.0;
                continue;
            }
            let (k, framed, turns) = way(row.coordinate, first);
            let axis = if framed { take(&account.now[k], lane) } else { Vec3::AXES[k] };
            row.last = take(&self.impulse[usize::from(turns)], lane).dot(axis) / h;
        }
    }

    fn borne(account: &Account) -> (&Borne, Option<&[Row; 3]>) {
        (&account.borne, Some(&account.torque))
    }

    #[inline(always)]
    unsafe fn turn<L: Lane>(&mut self, account: &mut Account, lines: *mut Real, h: Real, first: bool, o: usize) {
        // SAFETY: passed on to the caller.
        let (mut pair, placed) =
            unsafe { (Pair::<L>::gather(lines, &self.ends, o), Placed::<L>::gather(lines, &self.ends, o)) };
        let (gap, [arm, other]) = placed.anchors(&account.anchors, o);
        let [a, b] = &account.frames;
        let a = [placed.turn(0, &a[0], o), placed.turn(0, &a[1], o), placed.turn(0, &a[2], o)];
        let b = [placed.turn(1, &b[0], o), placed.turn(1, &b[1], o), placed.turn(1, &b[2], o)];
        let shifts = Locked { axis: placed.turn(0, &account.slide, o), rank: L::load(&account.ranks[0], o) };
        let turns = Locked { axis: a[0], rank: L::load(&account.ranks[1], o) };
        for (axis, into) in a.into_iter().zip(&mut account.now) {
            axis.store(into, o);
        }
        let lean = a[0].cross(b[0]);
        let weld = (lean + (a[1].cross(b[1]) + a[2].cross(b[2]))).scale(L::splat(0.5));
        let apart = [
            shifts.part(gap - placed.turn(0, &account.offset, o)),
            turns.part(Vector::select(turns.rank.gt(L::splat(2.5)), weld, lean)),
        ];
        for (apart, into) in apart.into_iter().zip(&mut self.closing) {
            let rate = apart.scale(L::splat(NET_MEND / h));
            Vector::new(pushed(rate.x), pushed(rate.y), pushed(rate.z)).store(into, o);
        }
        // What the joint bore, along what it locks now.
        let old = [Vector::<L>::load(&self.impulse[0], o), Vector::load(&self.impulse[1], o)];
        let new = [shifts.part(old[0]), turns.part(old[1])];
        // The axes turn with the first body, at the second one's anchor.
        let arms = [arm + gap, other];
        if first {
            pair.move_by(&self.ends, new[0], o);
            pair.turn_by(&self.ends, [arms[0].cross(new[0]) + new[1], arms[1].cross(new[0]) + new[1]], o);
        } else {
            let torque = new[1] - old[1];
            let [p, q] = [Vector::load(&self.arms[0], o), Vector::load(&self.arms[1], o)];
            let moments = [arms[0].cross(new[0]) - p.cross(old[0]), arms[1].cross(new[0]) - q.cross(old[0])];
            pair.move_by(&self.ends, new[0] - old[0], o);
            pair.turn_by(&self.ends, [moments[0] + torque, moments[1] + torque], o);
        }
        new[0].store(&mut self.impulse[0], o);
        new[1].store(&mut self.impulse[1], o);
        arms[0].store(&mut self.arms[0], o);
        arms[1].store(&mut self.arms[1], o);
        // SAFETY: passed on to the caller.
        unsafe { pair.scatter(lines, &self.ends, o) };
        self.respond(&shifts, &turns, o);
    }

    #[inline(always)]
    unsafe fn solve<L: Lane>(&mut self, lines: *mut Real, o: usize) {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { Pair::<L>::gather(lines, &self.ends, o) };
        let shift = pair.parting(&self.arms, o) + Vector::load(&self.closing[0], o);
        let turn = (pair.w[1] - pair.w[0]) + Vector::load(&self.closing[1], o);
        let [impulse, torque] = self.change(shift, turn, o);
        let kept = L::splat(1.0 - NET_LEAK);
        let old = [Vector::load(&self.impulse[0], o), Vector::load(&self.impulse[1], o)];
        let new = [(old[0] - impulse).scale(kept), (old[1] - torque).scale(kept)];
        new[0].store(&mut self.impulse[0], o);
        new[1].store(&mut self.impulse[1], o);
        self.push(&mut pair, new[0] - old[0], new[1] - old[1], o);
        // SAFETY: as above.
        unsafe { pair.scatter(lines, &self.ends, o) };
    }

    #[inline(always)]
    unsafe fn relax<L: Lane>(&mut self, account: &mut Account, lines: *mut Real, o: usize) -> L {
        // SAFETY: passed on to the caller.
        let mut pair = unsafe { Pair::<L>::gather(lines, &self.ends, o) };
        let (shift, turn) = (pair.parting(&self.arms, o), pair.w[1] - pair.w[0]);
        let [impulse, torque] = self.change(shift, turn, o);
        let opposite = L::splat(-1.0);
        let impulse = impulse.scale(opposite);
        let torque = torque.scale(opposite);
        let new = [Vector::load(&self.impulse[0], o) + impulse, Vector::load(&self.impulse[1], o) + torque];
        new[0].store(&mut self.impulse[0], o);
        new[1].store(&mut self.impulse[1], o);
        self.push(&mut pair, impulse, torque, o);
        // SAFETY: as above.
        unsafe { pair.scatter(lines, &self.ends, o) };
        account.borne.add(new[0], o);
        (Vector::load(&account.torque, o) + new[1]).store(&mut account.torque, o);
        // Only along what is locked.
        let shifts = Locked { axis: Vector::load(&account.slide, o), rank: L::load(&account.ranks[0], o) };
        let turns = Locked { axis: Vector::load(&account.now[0], o), rank: L::load(&account.ranks[1], o) };
        shifts.part(shift).max_abs().max(turns.part(turn).max_abs())
    }
}

impl Locks {
    /// Makes the inverses.
    #[inline(always)]
    fn respond<L: Lane>(&mut self, shifts: &Locked<L>, turns: &Locked<L>, o: usize) {
        let [p, q] = &self.ends.inertia;
        let (xx, yy, zz) = (
            L::load(&p[0], o) + L::load(&q[0], o),
            L::load(&p[1], o) + L::load(&q[1], o),
            L::load(&p[2], o) + L::load(&q[2], o),
        );
        let (xy, xz, yz) = (
            L::load(&p[3], o) + L::load(&q[3], o),
            L::load(&p[4], o) + L::load(&q[4], o),
            L::load(&p[5], o) + L::load(&q[5], o),
        );
        let turning = turns.inverse([Vector::new(xx, xy, xz), Vector::new(xy, yy, yz), Vector::new(xz, yz, zz)]);
        for (x, row) in turning.into_iter().zip(&mut self.turning) {
            x.store(row, o);
        }
        let (mut columns, b) = self.ends.answers::<L>(&self.arms, o);
        let mixed = [
            b[0].transformed(&self.turning, o),
            b[1].transformed(&self.turning, o),
            b[2].transformed(&self.turning, o),
        ];
        // Before what the axes take is taken off, or rounding could leave less than nothing.
        let slack = L::splat(1.0 + JOINT_SLACK);
        columns[0].x = columns[0].x * slack;
        columns[1].y = columns[1].y * slack;
        columns[2].z = columns[2].z * slack;
        for k in 0..3 {
            mixed[k].store(&mut self.mixed[k], o);
            columns[k] = columns[k] - Vector::new(mixed[0].dot(b[k]), mixed[1].dot(b[k]), mixed[2].dot(b[k]));
        }
        for (x, row) in shifts.inverse(columns).into_iter().zip(&mut self.straight) {
            x.store(row, o);
        }
    }

    /// The impulses that would change how fast anchors and axes part by so much.
    #[inline(always)]
    fn change<L: Lane>(&self, shift: Vector<L>, turn: Vector<L>, o: usize) -> [Vector<L>; 2] {
        let [x, y, z] =
            [Vector::load(&self.mixed[0], o), Vector::load(&self.mixed[1], o), Vector::load(&self.mixed[2], o)];
        let held = Vector::new(x.dot(turn), y.dot(turn), z.dot(turn));
        let impulse = (shift - held).transformed(&self.straight, o);
        let torque =
            turn.transformed(&self.turning, o) - (x.scale(impulse.x) + y.scale(impulse.y) + z.scale(impulse.z));
        [impulse, torque]
    }

    #[inline(always)]
    fn push<L: Lane>(&self, pair: &mut Pair<L>, impulse: Vector<L>, torque: Vector<L>, o: usize) {
        pair.move_by(&self.ends, impulse, o);
        let [p, q] = [Vector::load(&self.arms[0], o), Vector::load(&self.arms[1], o)];
        pair.turn_by(&self.ends, [p.cross(impulse) + torque, q.cross(impulse) + torque], o);
    }
}
