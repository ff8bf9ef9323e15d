//! Nets: joints with too many loops among them for a direct solve, swept one after the other, eight side by side.
//!
//! A sweep takes a joint as a contact that holds in all directions that it locks: it gives the impulse that brings it together, as if the
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

mod ends;
mod form;
mod list;
mod locks;
mod matrix;
mod passes;
mod pins;
mod rods;
#[cfg(test)]
mod tests;

use super::row::{JointOutcome, JointRow, SolverJoint};
use crate::math::Real;
use crate::parallel::Apart;
use crate::solver::body::{Line, SolverBody};
use crate::solver::layout::Scheduler;
pub(crate) use form::{Form, is_clear};
use list::{Crew, List};
use locks::Locks;
use pins::Pins;
use rods::Rods;

/// Joints of some islands.
#[derive(Clone, Default)]
pub(crate) struct Net {
    pins: List<Pins>,
    rods: List<Rods>,
    locks: List<Locks>,
}

/// The same for all forms.
macro_rules! each {
    ($net:expr, $list:ident => $do:expr) => {{
        let $list = &mut $net.pins;
        $do;
        let $list = &mut $net.rods;
        $do;
        let $list = &mut $net.locks;
        $do;
    }};
}

impl Net {
    /// Empties it.
    pub fn begin(&mut self) {
        each!(self, list => list.begin());
    }

    /// Adds a joint of a form.
    pub fn add(&mut self, joint: u32, form: Form) {
        match form {
            Form::Pin => self.pins.joints.push(joint),
            Form::Rod => self.rods.joints.push(joint),
            Form::Lock => self.locks.joints.push(joint),
        }
    }

    /// Puts the joints into lanes. `line` is the line of a body, below `lines`, and `movable` says whether impulses move it. Where they may be
    /// `shared` by threads they are cut for that.
    pub fn place(
        &mut self,
        joints: &[SolverJoint],
        movable: &[bool],
        scheduler: &mut Scheduler,
        mut line: impl FnMut(u32) -> u32,
        (lines, shared): (usize, bool),
    ) {
        each!(self, list => list.place(joints, movable, scheduler, &mut line, (lines, shared)));
    }

    /// Whether its sweeps are worth several threads.
    pub fn is_wide(&self) -> bool {
        self.pins.is_wide() || self.rods.is_wide() || self.locks.is_wide()
    }

    /// Begins a step of substeps of `h` (s): every joint with the force that it bore last.
    ///
    /// # Safety
    /// The lines of the lanes must exist at `lines`; those that they move belong to the caller alone, and nobody writes the others.
    pub unsafe fn open(
        &mut self,
        crew: Crew,
        (joints, rows): (&[SolverJoint], &[JointRow]),
        bodies: &[SolverBody],
        lines: &Apart<Line>,
        h: Real,
    ) {
        each!(self, list => {
            list.fill(crew.1, (joints, rows), bodies, h);
            // SAFETY: passed on to the caller.
            unsafe { list.turn(crew, lines, h, true) }
        });
    }

    /// Makes the joints where their bodies have come to, and lets what they bore pull there.
    ///
    /// # Safety
    /// As for [`Net::open`].
    pub unsafe fn turn(&mut self, crew: Crew, lines: &Apart<Line>, h: Real) {
        // SAFETY: passed on to the caller.
        each!(self, list => unsafe { list.turn(crew, lines, h, false) });
    }

    /// Impulses that bring the joints together at the end of the substep.
    ///
    /// # Safety
    /// As for [`Net::open`].
    pub unsafe fn solve(&mut self, crew: Crew, lines: &Apart<Line>) {
        // SAFETY: passed on to the caller.
        each!(self, list => unsafe { list.solve(crew, lines) });
    }

    /// Impulses that make the velocities agree, and the substep's share of what the step sums up. Returns by how much they did not, at
    /// most (m/s; rad/s counts alike).
    ///
    /// # Safety
    /// As for [`Net::open`].
    pub unsafe fn relax(&mut self, crew: Crew, lines: &Apart<Line>) -> Real {
        let mut worst: Real = 0.0;
        // SAFETY: passed on to the caller.
        each!(self, list => worst = worst.max(unsafe { list.relax(crew, lines) }));
        worst
    }

    /// Puts the force of each joint in the last substep, of `h` (s), into its rows. The next step begins with it: the mean of the step is
    /// late by half a step, and what swings would gain energy by it.
    ///
    /// # Safety
    /// Nobody else may be at the rows of its joints, and no two of these share one.
    pub unsafe fn store(&mut self, joints: &[SolverJoint], rows: &Apart<JointRow>, h: Real) {
        // SAFETY: passed on to the caller.
        each!(self, list => unsafe { list.store(joints, rows, h) });
    }

    /// What each joint bore over `time` (s) in substeps of `h`: its place among the joints of the step, and the force.
    pub fn outcomes<'a>(
        &'a self,
        joints: &'a [SolverJoint],
        time: Real,
        h: Real,
    ) -> impl Iterator<Item = (u32, JointOutcome)> + 'a {
        let others = self.rods.outcomes(joints, time, h).chain(self.locks.outcomes(joints, time, h));
        self.pins.outcomes(joints, time, h).chain(others)
    }
}
