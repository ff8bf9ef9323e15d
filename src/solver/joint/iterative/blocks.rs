//! Structure-of-arrays storage of one constraint kind, coloured into independent runs.

use super::passes::{self, ConstraintBlock, torque};
use crate::ids::NONE;
use crate::math::Real;
use crate::parallel::{DisjointSlice, WorkerPool};
use crate::solver::body::{BodyState, SolverBody};
use crate::solver::joint::batch::take;
use crate::solver::joint::{JointLoad, JointOutcome, JointRow, SolverJoint};
use crate::solver::layout::Scheduler;
use crate::solver::simd::{SimdLevel, WIDTH};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Minimum number of blocks per thread: about two microseconds of a sweep.
const LEAST_BLOCKS: usize = 32;

/// Minimum number of blocks in a shared run.
const SHARED_BLOCKS: usize = 2 * LEAST_BLOCKS;

/// SIMD level, and the threads that share the blocks.
pub(super) type Workers<'a> = (SimdLevel, &'a WorkerPool);

/// Joints of one kind in blocks of eight.
#[derive(Clone)]
pub(super) struct ConstraintBlocks<B: ConstraintBlock> {
    /// The joints, by their indices in the step.
    pub joints: Vec<u32>,
    /// Joint of each lane, by its index in this list, or [`NONE`].
    lanes: Vec<[u32; WIDTH]>,
    /// Body states of each lane.
    sides: Vec<[[u32; 2]; WIDTH]>,
    blocks: Vec<B>,
    step_data: Vec<B::StepData>,
    /// Ends of the runs of blocks without a common movable body, for several threads.
    runs: Vec<u32>,
    /// By body state: the last run that moves it.
    last_run: Vec<u32>,
}

impl<B: ConstraintBlock> Default for ConstraintBlocks<B> {
    fn default() -> Self {
        Self {
            joints: Vec::new(),
            lanes: Vec::new(),
            sides: Vec::new(),
            blocks: Vec::new(),
            step_data: Vec::new(),
            runs: Vec::new(),
            last_run: Vec::new(),
        }
    }
}

impl<B: ConstraintBlock> ConstraintBlocks<B> {
    /// Removes all joints.
    pub fn clear(&mut self) {
        self.joints.clear();
        self.lanes.clear();
        self.sides.clear();
    }

    /// See [`IterativeJoints::assign_lanes`](super::IterativeJoints::assign_lanes).
    pub fn assign_lanes(
        &mut self,
        joints: &[SolverJoint],
        movable: &[bool],
        scheduler: &mut Scheduler,
        state: &mut impl FnMut(u32) -> u32,
        (states, shared): (usize, bool),
    ) {
        scheduler.begin();
        for (here, &joint) in self.joints.iter().enumerate() {
            let joint = &joints[joint as usize];
            let ends = [joint.a, joint.b];
            scheduler.add(here as u32, ends.map(&mut *state), ends.map(|body| movable[body as usize]), 1);
        }
        scheduler.place(states, &mut self.lanes, &mut self.sides);
        self.cut_runs(shared && self.lanes.len() >= SHARED_BLOCKS, joints, movable, states);
    }

    /// True if some run of blocks is worth several threads.
    pub fn is_wide(&self) -> bool {
        let firsts = std::iter::once(&0).chain(&self.runs);
        firsts.zip(&self.runs).any(|(first, end)| (end - first) as usize >= SHARED_BLOCKS)
    }

    /// Cuts the blocks into runs without a common movable body, among so many body states; a single
    /// run if not `shared`.
    fn cut_runs(&mut self, shared: bool, joints: &[SolverJoint], movable: &[bool], states: usize) {
        let Self { joints: own, lanes, sides, runs, last_run, .. } = self;
        runs.clear();
        if shared {
            last_run.clear();
            last_run.resize(states, NONE);
            for (index, (lanes, sides)) in lanes.iter().zip(sides).enumerate() {
                let taken = lanes.iter().zip(sides.iter()).filter(|(here, _)| **here != NONE);
                let moved = taken.flat_map(|(&here, states)| {
                    let joint = &joints[own[here as usize] as usize];
                    let ends = [joint.a, joint.b].into_iter().zip(*states);
                    ends.filter(|&(body, _)| movable[body as usize]).map(|(_, state)| state as usize)
                });
                let run = runs.len() as u32;
                let again = moved.clone().any(|state| last_run[state] == run);
                if again {
                    runs.push(index as u32);
                }
                moved.for_each(|state| last_run[state] = run + u32::from(again));
            }
        }
        runs.push(lanes.len() as u32);
    }

    /// Fills the blocks for substeps of `h` (s).
    pub fn fill(
        &mut self,
        helpers: &WorkerPool,
        (joints, rows): (&[SolverJoint], &[JointRow]),
        bodies: &[SolverBody],
        h: Real,
    ) {
        self.blocks.resize(self.lanes.len(), B::default());
        self.step_data.resize(self.lanes.len(), B::StepData::default());
        let Self { joints: own, lanes, sides, blocks, step_data, .. } = self;
        let (blocks, step_data) = (DisjointSlice::new(blocks), DisjointSlice::new(step_data));
        helpers.for_each_chunk(lanes.len(), LEAST_BLOCKS, &|share| {
            // SAFETY: shares are disjoint.
            let parts = unsafe { (blocks.range(share.clone()), step_data.range(share.clone())) };
            for (index, (block, data)) in share.zip(parts.0.iter_mut().zip(parts.1)) {
                (*block, *data) = Default::default();
                for (lane, &here) in lanes[index].iter().enumerate().filter(|(_, here)| **here != NONE) {
                    let joint = &joints[own[here as usize] as usize];
                    let ends = (sides[index][lane], [joint.a, joint.b].map(|body| &bodies[body as usize]));
                    block.fill(data, lane, (joint, &rows[joint.row_range()]), ends, h);
                }
            }
        });
    }

    /// Calls `visit` with parts of the blocks, run after run; each block is visited once.
    fn in_runs(runs: &[u32], helpers: &WorkerPool, visit: &(impl Fn(Range<usize>) + Sync)) {
        let mut first = 0;
        for end in runs.iter().map(|&end| end as usize) {
            helpers.for_each_chunk(end - first, LEAST_BLOCKS, &|share| visit(first + share.start..first + share.end));
            first = end;
        }
    }

    /// See [`passes::warm_start`].
    ///
    /// # Safety
    /// As for that function.
    pub unsafe fn warm_start(
        &mut self,
        (simd, helpers): Workers,
        states: &DisjointSlice<BodyState>,
        h: Real,
        first: bool,
    ) {
        let (blocks, step_data) = (DisjointSlice::new(&mut self.blocks), DisjointSlice::new(&mut self.step_data));
        Self::in_runs(&self.runs, helpers, &|share| {
            // SAFETY: shares are disjoint, and no two blocks of a run move the same body state; the
            // rest is passed on to the caller.
            unsafe {
                let parts = (blocks.range(share.clone()), step_data.range(share));
                passes::warm_start(simd, parts, states.first().cast(), h, first);
            }
        });
    }

    /// See [`passes::solve_positions`].
    ///
    /// # Safety
    /// As for that function.
    pub unsafe fn solve_positions(&mut self, (simd, helpers): Workers, states: &DisjointSlice<BodyState>) {
        let blocks = DisjointSlice::new(&mut self.blocks);
        Self::in_runs(&self.runs, helpers, &|share| {
            // SAFETY: as in `warm_start`.
            unsafe { passes::solve_positions(simd, blocks.range(share), states.first().cast()) };
        });
    }

    /// See [`passes::project_velocities`].
    ///
    /// # Safety
    /// As for that function.
    pub unsafe fn project_velocities(&mut self, (simd, helpers): Workers, states: &DisjointSlice<BodyState>) -> Real {
        let (blocks, step_data) = (DisjointSlice::new(&mut self.blocks), DisjointSlice::new(&mut self.step_data));
        // The bit patterns of non-negative floating-point numbers are in numeric order.
        let worst = AtomicU64::new(0);
        Self::in_runs(&self.runs, helpers, &|share| {
            // SAFETY: as in `warm_start`.
            let made = unsafe {
                let parts = (blocks.range(share.clone()), step_data.range(share));
                passes::project_velocities(simd, parts, states.first().cast())
            };
            worst.fetch_max(f64::from(made).to_bits(), Ordering::Relaxed);
        });
        f64::from_bits(worst.into_inner()) as Real
    }

    /// See [`IterativeJoints::store`](super::IterativeJoints::store).
    ///
    /// # Safety
    /// As for that function.
    pub unsafe fn store(&self, joints: &[SolverJoint], rows: &DisjointSlice<JointRow>, h: Real) {
        for (index, lanes) in self.lanes.iter().enumerate() {
            for (lane, &here) in lanes.iter().enumerate().filter(|(_, here)| **here != NONE) {
                let range = joints[self.joints[here as usize] as usize].row_range();
                // SAFETY: passed on to the caller.
                self.blocks[index].store(&self.step_data[index], lane, unsafe { rows.range(range) }, h);
            }
        }
    }

    /// See [`IterativeJoints::outcomes`](super::IterativeJoints::outcomes).
    pub fn outcomes<'a>(
        &'a self,
        joints: &'a [SolverJoint],
        time: Real,
        h: Real,
    ) -> impl Iterator<Item = (u32, JointOutcome)> + 'a {
        self.lanes.iter().zip(&self.step_data).flat_map(move |(lanes, data)| {
            let (sums, torques) = B::sums(data);
            let taken = lanes.iter().enumerate().filter(|(_, here)| **here != NONE);
            taken.map(move |(lane, &here)| {
                let joint = self.joints[here as usize];
                let (mean, peak) = (sums.load.0[lane] / time, sums.peak.0[lane] / h);
                let load = JointLoad::after(joints[joint as usize].load, mean, peak);
                let (force, torque) = (take(&sums.force, lane) / time, torque(torques, lane) / time);
                (joint, JointOutcome { force, torque, load })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::point::PointConstraints;
    use super::*;
    use crate::math::{Mat3, Vec3};

    /// Joints of a square grid, and which of its bodies are movable: all but the first two.
    fn grid(side: u32) -> (Vec<SolverJoint>, Vec<bool>) {
        let joint = |a: u32, b: u32| SolverJoint {
            a,
            b,
            island: 0,
            rows: [0, 0],
            arms: [Vec3::ZERO; 2],
            gap: Vec3::ZERO,
            span: 0.0,
            frames: [Mat3::IDENTITY; 2],
            load: JointLoad::default(),
        };
        let at = |column: u32, row: u32| 1 + column * side + row;
        let cells = (0..side).flat_map(|column| (0..side).map(move |row| (column, row)));
        let joints = cells.flat_map(|(column, row)| {
            let down = (row > 0).then(|| joint(at(column, row - 1), at(column, row)));
            let beside = (column > 0).then(|| joint(at(column - 1, row), at(column, row)));
            down.into_iter().chain(beside)
        });
        (joints.collect(), (0..=side * side).map(|body| body > 1).collect())
    }

    #[test]
    fn blocks_of_a_run_move_nothing_twice_and_large_grids_have_runs_to_share() {
        for (side, wide) in [(3, false), (20, false), (40, true), (100, true)] {
            let (joints, movable) = grid(side);
            let mut blocks = ConstraintBlocks::<PointConstraints>::default();
            blocks.joints.extend(0..joints.len() as u32);
            blocks.assign_lanes(&joints, &movable, &mut Scheduler::default(), &mut |body| body, (movable.len(), true));
            assert_eq!(blocks.is_wide(), wide, "{side}");
            let mut seen = 0;
            for (k, &end) in blocks.runs.iter().enumerate() {
                let mut moved = vec![false; movable.len()];
                for states in blocks.sides[seen..end as usize].iter().flatten().flatten().map(|&state| state as usize) {
                    // An empty lane refers to the world.
                    let again = std::mem::replace(&mut moved[states], movable[states]);
                    assert!(!again || blocks.runs.len() == 1, "side {side}, run {k}: state {states}");
                }
                seen = end as usize;
            }
            assert_eq!(seen, blocks.lanes.len());
            // A single thread has one run.
            blocks.clear();
            blocks.joints.extend(0..joints.len() as u32);
            blocks.assign_lanes(&joints, &movable, &mut Scheduler::default(), &mut |body| body, (movable.len(), false));
            assert_eq!(blocks.runs, [blocks.lanes.len() as u32]);
        }
    }
}
