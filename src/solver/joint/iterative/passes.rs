//! Substep passes over the blocks of iterative joints.

use super::body_pair::ImpulseSums;
use crate::math::{Real, Vec3};
use crate::solver::body::SolverBody;
use crate::solver::joint::{JointRow, SolverJoint};
use crate::solver::simd::{Simd, SimdKernel, SimdLevel, WIDTH, Wide};

/// Eight joints of one kind: the data of a sweep.
pub(super) trait ConstraintBlock: Copy + Default + Send {
    /// Data of the same joints at the start of the step, and sums over it.
    type StepData: Copy + Default + Send;

    /// Writes a joint with its rows and bodies to a lane, and its initial impulse for substeps of
    /// `h` (s).
    fn fill(
        &mut self,
        data: &mut Self::StepData,
        lane: usize,
        joint: (&SolverJoint, &[JointRow]),
        ends: ([u32; 2], [&SolverBody; 2]),
        h: Real,
    );

    /// Writes the forces of the last substep, of `h` (s), to the rows of a lane's joint.
    fn store(&self, data: &Self::StepData, lane: usize, rows: &mut [JointRow], h: Real);

    /// Sums of the impulses; sums of the angular impulses.
    fn sums(data: &Self::StepData) -> (&ImpulseSums, Option<&[Wide; 3]>);

    /// See [`warm_start`]; for lanes `o ..`.
    ///
    /// # Safety
    /// As for [`warm_start`].
    unsafe fn warm_start<L: Simd>(
        &mut self,
        data: &mut Self::StepData,
        states: *mut Real,
        h: Real,
        first: bool,
        o: usize,
    );

    /// See [`solve_positions`]; for lanes `o ..`.
    ///
    /// # Safety
    /// As for [`warm_start`].
    unsafe fn solve_positions<L: Simd>(&mut self, states: *mut Real, o: usize);

    /// See [`project_velocities`]; for lanes `o ..`.
    ///
    /// # Safety
    /// As for [`warm_start`].
    unsafe fn project_velocities<L: Simd>(&mut self, data: &mut Self::StepData, states: *mut Real, o: usize) -> L;
}

/// Torque of a lane, zero for kinds without torques.
pub(super) fn torque(rows: Option<&[Wide; 3]>, lane: usize) -> Vec3 {
    rows.map_or(Vec3::ZERO, |rows| crate::solver::joint::batch::take(rows, lane))
}

struct WarmStart<'a, B: ConstraintBlock> {
    blocks: &'a mut [B],
    step_data: &'a mut [B::StepData],
    states: *mut Real,
    h: Real,
    first: bool,
}

struct SolvePosition<'a, B> {
    blocks: &'a mut [B],
    states: *mut Real,
}

struct ProjectVelocity<'a, B: ConstraintBlock> {
    blocks: &'a mut [B],
    step_data: &'a mut [B::StepData],
    states: *mut Real,
}

/// Updates the Jacobians and applies the last impulses: in full in the `first` substep of a step,
/// of `h` (s), else their change along the new Jacobian, since the substep start already repeats
/// them.
///
/// # Safety
/// The body states of the blocks must exist at `states`; those that impulses move belong to the
/// caller alone, and the others must not be written meanwhile.
pub(super) unsafe fn warm_start<B: ConstraintBlock>(
    simd: SimdLevel,
    (blocks, step_data): (&mut [B], &mut [B::StepData]),
    states: *mut Real,
    h: Real,
    first: bool,
) {
    simd.run(WarmStart { blocks, step_data, states, h, first });
}

/// Position-level sweep.
///
/// # Safety
/// As for [`warm_start`].
pub(super) unsafe fn solve_positions<B: ConstraintBlock>(simd: SimdLevel, blocks: &mut [B], states: *mut Real) {
    simd.run(SolvePosition { blocks, states });
}

/// Velocity-level sweep; adds the impulses of the substep to the sums. Returns the largest residual
/// (m/s; rad/s counts alike).
///
/// # Safety
/// As for [`warm_start`].
pub(super) unsafe fn project_velocities<B: ConstraintBlock>(
    simd: SimdLevel,
    (blocks, step_data): (&mut [B], &mut [B::StepData]),
    states: *mut Real,
) -> Real {
    simd.run(ProjectVelocity { blocks, step_data, states })
}

impl<B: ConstraintBlock> SimdKernel for WarmStart<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        for (block, data) in self.blocks.iter_mut().zip(self.step_data) {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: passed on to the caller of `warm_start`.
                unsafe { block.warm_start::<L>(data, self.states, self.h, self.first, o) };
                o += L::N;
            }
        }
    }
}

impl<B: ConstraintBlock> SimdKernel for SolvePosition<'_, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        for block in self.blocks {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: passed on to the caller of `solve_positions`.
                unsafe { block.solve_positions::<L>(self.states, o) };
                o += L::N;
            }
        }
    }
}

impl<B: ConstraintBlock> SimdKernel for ProjectVelocity<'_, B> {
    type Output = Real;

    #[inline(always)]
    fn run<L: Simd>(self) -> Real {
        let mut worst = L::splat(0.0);
        for (block, data) in self.blocks.iter_mut().zip(self.step_data) {
            let mut o = 0;
            while o < WIDTH {
                // SAFETY: passed on to the caller of `project_velocities`.
                worst = unsafe { block.project_velocities::<L>(data, self.states, o) }.max(worst);
                o += L::N;
            }
        }
        worst.max_lane(0.0)
    }
}
