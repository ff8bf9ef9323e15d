//! Iterative joints: components with too many loops for a direct solve, solved by PGS in lanes of
//! eight.
//!
//! A sweep solves one joint with all its locked directions at a time, as if its neighbours gave no
//! impulse. The error is left to the next substep, which is warm started with these impulses. Short
//! substeps help more than many sweeps: the error under a load falls with the square of the
//! substep.
//!
//! One sweep reduces the error of a slow mode by a fraction `e` that goes to 0 as the component
//! grows. With the opening rate `r` of the mode, the error `c` over the substep, the ERP `b`, the
//! impulse decay `k` per substep, and a second sweep at velocity level without either, the impulse
//! `f` follows `f' = -e (2 r + b c) - k f`. By the Routh-Hurwitz criterion all modes are stable if
//! and only if `2 k > b`.
//!
//! Warm start applies the last impulses along the current Jacobian. Along the old one, taut joints
//! would act a substep late and gain energy.

mod blocks;
mod body_pair;
mod classify;
mod distance;
mod locked_axes;
mod matrix;
mod passes;
mod point;
#[cfg(test)]
mod tests;

use super::row::{JointOutcome, JointRow, SolverJoint};
use crate::math::Real;
use crate::parallel::DisjointSlice;
use crate::solver::body::{BodyState, SolverBody};
use crate::solver::layout::Scheduler;
use blocks::{ConstraintBlocks, Workers};
pub(crate) use classify::{ConstraintKind, limits_are_far};
use distance::DistanceConstraints;
use locked_axes::LockedAxisConstraints;
use point::PointConstraints;

/// Iterative joints of some islands.
#[derive(Clone, Default)]
pub(crate) struct IterativeJoints {
    points: ConstraintBlocks<PointConstraints>,
    distances: ConstraintBlocks<DistanceConstraints>,
    locked_axes: ConstraintBlocks<LockedAxisConstraints>,
}

/// Runs an expression for all constraint kinds.
macro_rules! each {
    ($joints:expr, $blocks:ident => $do:expr) => {{
        let $blocks = &mut $joints.points;
        $do;
        let $blocks = &mut $joints.distances;
        $do;
        let $blocks = &mut $joints.locked_axes;
        $do;
    }};
}

impl IterativeJoints {
    /// Removes all joints.
    pub fn clear(&mut self) {
        each!(self, blocks => blocks.clear());
    }

    /// Adds a joint of a kind.
    pub fn add(&mut self, joint: u32, kind: ConstraintKind) {
        match kind {
            ConstraintKind::Point => self.points.joints.push(joint),
            ConstraintKind::Distance => self.distances.joints.push(joint),
            ConstraintKind::LockedAxes => self.locked_axes.joints.push(joint),
        }
    }

    /// Assigns the joints to lanes. `state` maps a body to its state, below `states`; `movable`
    /// says whether impulses move a body. With `shared` the blocks are cut into runs for several
    /// threads.
    pub fn assign_lanes(
        &mut self,
        joints: &[SolverJoint],
        movable: &[bool],
        scheduler: &mut Scheduler,
        mut state: impl FnMut(u32) -> u32,
        (states, shared): (usize, bool),
    ) {
        each!(self, blocks => blocks.assign_lanes(joints, movable, scheduler, &mut state, (states, shared)));
    }

    /// True if its sweeps are worth several threads.
    pub fn is_wide(&self) -> bool {
        self.points.is_wide() || self.distances.is_wide() || self.locked_axes.is_wide()
    }

    /// Begins a step of substeps of `h` (s), warm started with the last forces.
    ///
    /// # Safety
    /// The body states of the lanes must exist at `states`; those that impulses move belong to the
    /// caller alone, and the others must not be written meanwhile.
    pub unsafe fn begin_step(
        &mut self,
        workers: Workers,
        (joints, rows): (&[SolverJoint], &[JointRow]),
        bodies: &[SolverBody],
        states: &DisjointSlice<BodyState>,
        h: Real,
    ) {
        each!(self, blocks => {
            blocks.fill(workers.1, (joints, rows), bodies, h);
            // SAFETY: passed on to the caller.
            unsafe { blocks.warm_start(workers, states, h, true) }
        });
    }

    /// Updates the Jacobians, and applies the last impulses along them.
    ///
    /// # Safety
    /// As for [`IterativeJoints::begin_step`].
    pub unsafe fn warm_start(&mut self, workers: Workers, states: &DisjointSlice<BodyState>, h: Real) {
        // SAFETY: passed on to the caller.
        each!(self, blocks => unsafe { blocks.warm_start(workers, states, h, false) });
    }

    /// Position-level sweep: impulses that satisfy the joints at the end of the substep.
    ///
    /// # Safety
    /// As for [`IterativeJoints::begin_step`].
    pub unsafe fn solve_positions(&mut self, workers: Workers, states: &DisjointSlice<BodyState>) {
        // SAFETY: passed on to the caller.
        each!(self, blocks => unsafe { blocks.solve_positions(workers, states) });
    }

    /// Velocity-level sweep; adds the impulses of the substep to the sums. Returns the largest
    /// residual (m/s; rad/s counts alike).
    ///
    /// # Safety
    /// As for [`IterativeJoints::begin_step`].
    pub unsafe fn project_velocities(&mut self, workers: Workers, states: &DisjointSlice<BodyState>) -> Real {
        let mut worst: Real = 0.0;
        // SAFETY: passed on to the caller.
        each!(self, blocks => worst = worst.max(unsafe { blocks.project_velocities(workers, states) }));
        worst
    }

    /// Writes the forces of the last substep, of `h` (s), to the rows, as the start of the next
    /// step. The mean over the step would be late by half a step, and oscillations would gain
    /// energy.
    ///
    /// # Safety
    /// The caller has exclusive access to the rows of its joints, and no two of these share one.
    pub unsafe fn store(&mut self, joints: &[SolverJoint], rows: &DisjointSlice<JointRow>, h: Real) {
        // SAFETY: passed on to the caller.
        each!(self, blocks => unsafe { blocks.store(joints, rows, h) });
    }

    /// Outcome of each joint over `time` (s) in substeps of `h`, with the joint's index in the
    /// step.
    pub fn outcomes<'a>(
        &'a self,
        joints: &'a [SolverJoint],
        time: Real,
        h: Real,
    ) -> impl Iterator<Item = (u32, JointOutcome)> + 'a {
        let others = self.distances.outcomes(joints, time, h).chain(self.locked_axes.outcomes(joints, time, h));
        self.points.outcomes(joints, time, h).chain(others)
    }
}
