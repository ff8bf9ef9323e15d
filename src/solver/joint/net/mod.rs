//! Nets: pins with too many loops among them for a direct solve, swept one after the other, eight side by side.
//!
//! A sweep takes a pin as a contact that holds in all directions: it gives the impulse that brings its anchors together, as if the
//! joints around it gave none. What that misses the next substep makes up for, because it begins with the impulses of this one. Short
//! substeps do more for a net than many sweeps: what is left apart under a load falls with the square of the substep.
//!
//! For a slow mode of the net, a sweep brings the impulses nearer to their answer by a share `e` that goes to nothing with the number
//! of joints. With the rate `r` at which the mode opens and the gap `c` over the substep, the impulse `f` goes on with `f' = -e (2 r
//! + b c) - k f` if a part `b` of the gap is mended in a substep, a part `k` of the impulse is let go, and a second sweep, which has
//! neither, makes velocities agree. By Routh and Hurwitz that dies away, however slow the mode is, where `2 k > b`.
//!
//! In each substep the impulses of the last one pull at where the anchors have come to. If they pulled at where they were,
//! the bodies would swing on their taut joints a substep late, and that gains energy.

mod passes;
#[cfg(test)]
mod tests;

use super::row::{JointLoad, JointOutcome, JointRow, SolverJoint};
use super::unit::{put, take};
use crate::index::NONE;
use crate::math::{Real, Vec3};
use crate::solver::body::SolverBody;
use crate::solver::lanes::{Path, Row, WIDTH};

/// Pins in eight lanes: what a sweep needs. No two of its lanes move the same body.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Pins {
    lines: [[u32; WIDTH]; 2],
    /// Lanes in which impulses move the body, one bit a lane.
    write: [u32; 2],
    /// From the centres of mass to the anchors (m).
    arms: [[Row; 3]; 2],
    /// Inverse mass along the world's axes; inverse inertia, world axes.
    mass: [[Row; 3]; 2],
    inertia: [[Row; 6]; 2],
    /// The impulse that changes how fast the anchors part by one, a symmetric matrix; how fast they shall close (m/s).
    response: [Row; 6],
    closing: [Row; 3],
    /// Impulse on the second body in this substep.
    impulse: [Row; 3],
}

/// Of the same pins: where they were at the start of the step, and what they have done since.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Account {
    levers: [[Row; 3]; 2],
    gap: [Row; 3],
    /// Sum of the impulses; of their lengths, and the greatest.
    force: [Row; 3],
    load: Row,
    peak: Row,
}

/// Pins of some islands.
#[derive(Clone, Default)]
pub(crate) struct Net {
    /// The pins, by their places among the joints of the step.
    joints: Vec<u32>,
    /// The pin of each lane, by its place in this list, or [`NONE`].
    pub lanes: Vec<[u32; WIDTH]>,
    /// The lines of its bodies.
    pub sides: Vec<[[u32; 2]; WIDTH]>,
    pins: Vec<Pins>,
    accounts: Vec<Account>,
}

impl Net {
    /// Empties it.
    pub fn begin(&mut self) {
        self.joints.clear();
        self.lanes.clear();
        self.sides.clear();
    }

    /// Adds a pin.
    pub fn add(&mut self, joint: u32) {
        self.joints.push(joint);
    }

    /// Its pins, by their places among the joints of the step.
    pub fn joints(&self) -> &[u32] {
        &self.joints
    }

    /// Begins a step of substeps of `h` (s): every pin with the force that it bore last.
    ///
    /// # Safety
    /// The lines of the lanes must exist at `lines` and belong to the caller alone.
    pub unsafe fn open(
        &mut self,
        path: Path,
        (joints, rows): (&[SolverJoint], &[JointRow]),
        bodies: &[SolverBody],
        lines: *mut Real,
        h: Real,
    ) {
        self.pins.resize(self.lanes.len(), Pins::default());
        self.accounts.resize(self.lanes.len(), Account::default());
        for (index, lanes) in self.lanes.iter().enumerate() {
            let (pins, account) = (&mut self.pins[index], &mut self.accounts[index]);
            (*pins, *account) = Default::default();
            for (lane, &here) in lanes.iter().enumerate().filter(|(_, here)| **here != NONE) {
                let joint = &joints[self.joints[here as usize] as usize];
                account.fill(lane, joint);
                let last = &rows[joint.row_range()];
                pins.fill(lane, self.sides[index][lane], [joint.a, joint.b].map(|body| &bodies[body as usize]));
                for (impulse, row) in pins.impulse.iter_mut().zip(last) {
                    impulse.0[lane] = row.last * h;
                }
            }
        }
        // SAFETY: passed on to the caller.
        unsafe { passes::turn(path, &mut self.pins, &self.accounts, lines, h, true) };
    }

    /// Makes the pins where their bodies have come to, and lets what they bore pull there.
    ///
    /// # Safety
    /// As for [`Net::open`].
    pub unsafe fn turn(&mut self, path: Path, lines: *mut Real, h: Real) {
        // SAFETY: passed on to the caller.
        unsafe { passes::turn(path, &mut self.pins, &self.accounts, lines, h, false) };
    }

    /// Impulses that bring the pins together at the end of the substep.
    ///
    /// # Safety
    /// As for [`Net::open`].
    pub unsafe fn solve(&mut self, path: Path, lines: *mut Real) {
        // SAFETY: passed on to the caller.
        unsafe { passes::solve(path, &mut self.pins, lines) };
    }

    /// Impulses that make the velocities agree, and the substep's share of what the step sums up. Returns how fast the anchors
    /// parted before, at most (m/s).
    ///
    /// # Safety
    /// As for [`Net::open`].
    pub unsafe fn relax(&mut self, path: Path, lines: *mut Real) -> Real {
        // SAFETY: passed on to the caller.
        unsafe { passes::relax(path, &mut self.pins, &mut self.accounts, lines) }
    }

    /// What each pin bore over `time` (s) in substeps of `h`: its place among the joints of the step, the force in the last substep, and
    /// the outcome. The next step begins with that force: the mean of the step is late by half a step, and what swings would gain
    /// energy by it.
    pub fn outcomes<'a>(
        &'a self,
        joints: &'a [SolverJoint],
        time: Real,
        h: Real,
    ) -> impl Iterator<Item = (u32, Vec3, JointOutcome)> + 'a {
        self.lanes.iter().zip(&self.pins).zip(&self.accounts).flat_map(move |((lanes, pins), account)| {
            let taken = lanes.iter().enumerate().filter(|(_, here)| **here != NONE);
            taken.map(move |(lane, &here)| {
                let joint = self.joints[here as usize];
                let (mean, peak) = (account.load.0[lane] / time, account.peak.0[lane] / h);
                let load = JointLoad::after(joints[joint as usize].load, mean, peak);
                let last = take(&pins.impulse, lane) / h;
                (joint, last, JointOutcome { force: take(&account.force, lane) / time, torque: Vec3::ZERO, load })
            })
        })
    }
}

impl Account {
    fn fill(&mut self, lane: usize, joint: &SolverJoint) {
        put(&mut self.gap, lane, joint.gap);
        for (rows, lever) in self.levers.iter_mut().zip(joint.levers) {
            put(rows, lane, lever);
        }
    }
}

impl Pins {
    fn fill(&mut self, lane: usize, lines: [u32; 2], bodies: [&SolverBody; 2]) {
        for (side, body) in bodies.into_iter().enumerate() {
            self.lines[side][lane] = lines[side];
            self.write[side] |= u32::from(body.movable()) << lane;
            put(&mut self.mass[side], lane, body.free() * body.inverse_mass);
            for (row, x) in self.inertia[side].iter_mut().zip(body.inverse_inertia) {
                row.0[lane] = x;
            }
        }
    }
}
