//! The joints of a net that have one form.

use super::passes::{self, Block, torque};
use crate::index::NONE;
use crate::math::Real;
use crate::parallel::{Apart, Helpers};
use crate::solver::body::{Line, SolverBody};
use crate::solver::joint::unit::take;
use crate::solver::joint::{JointLoad, JointOutcome, JointRow, SolverJoint};
use crate::solver::lanes::{Path, WIDTH};
use crate::solver::layout::Scheduler;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// So few blocks are not worth handing to another thread: some two microseconds of a sweep.
const LEAST_BLOCKS: usize = 32;

/// The least blocks that are shared.
const SHARED_BLOCKS: usize = 2 * LEAST_BLOCKS;

/// Who sweeps: the lanes, and the threads that share the blocks.
pub(super) type Crew<'a> = (Path, &'a Helpers);

/// Joints of a form in blocks.
#[derive(Clone)]
pub(super) struct List<B: Block> {
    /// The joints, by their places among those of the step.
    pub joints: Vec<u32>,
    /// The joint of each lane, by its place in this list, or [`NONE`].
    lanes: Vec<[u32; WIDTH]>,
    /// The lines of its bodies.
    sides: Vec<[[u32; 2]; WIDTH]>,
    blocks: Vec<B>,
    accounts: Vec<B::Account>,
    /// Where runs of blocks end of which no two move the same body, if several threads sweep them.
    runs: Vec<u32>,
    /// By line: the last run that moved it.
    met: Vec<u32>,
}

impl<B: Block> Default for List<B> {
    fn default() -> Self {
        Self {
            joints: Vec::new(),
            lanes: Vec::new(),
            sides: Vec::new(),
            blocks: Vec::new(),
            accounts: Vec::new(),
            runs: Vec::new(),
            met: Vec::new(),
        }
    }
}

impl<B: Block> List<B> {
    /// Empties it.
    pub fn begin(&mut self) {
        self.joints.clear();
        self.lanes.clear();
        self.sides.clear();
    }

    /// See [`Net::place`](super::Net::place).
    pub fn place(
        &mut self,
        joints: &[SolverJoint],
        movable: &[bool],
        scheduler: &mut Scheduler,
        line: &mut impl FnMut(u32) -> u32,
        (lines, shared): (usize, bool),
    ) {
        scheduler.begin();
        for (here, &joint) in self.joints.iter().enumerate() {
            let joint = &joints[joint as usize];
            let ends = [joint.a, joint.b];
            scheduler.add(here as u32, ends.map(&mut *line), ends.map(|body| movable[body as usize]), 1);
        }
        scheduler.place(lines, &mut self.lanes, &mut self.sides);
        self.cut(shared && self.lanes.len() >= SHARED_BLOCKS, joints, movable, lines);
    }

    /// Whether its sweeps are worth several threads: some run of blocks is.
    pub fn is_wide(&self) -> bool {
        let firsts = std::iter::once(&0).chain(&self.runs);
        firsts.zip(&self.runs).any(|(first, end)| (end - first) as usize >= SHARED_BLOCKS)
    }

    /// Cuts the blocks into runs of which no two move the same of so many lines, or leaves them in one that is not to be shared.
    fn cut(&mut self, shared: bool, joints: &[SolverJoint], movable: &[bool], lines: usize) {
        let Self { joints: own, lanes, sides, runs, met, .. } = self;
        runs.clear();
        if shared {
            met.clear();
            met.resize(lines, NONE);
            for (index, (lanes, sides)) in lanes.iter().zip(sides).enumerate() {
                let taken = lanes.iter().zip(sides.iter()).filter(|(here, _)| **here != NONE);
                let moved = taken.flat_map(|(&here, lines)| {
                    let joint = &joints[own[here as usize] as usize];
                    let ends = [joint.a, joint.b].into_iter().zip(*lines);
                    ends.filter(|&(body, _)| movable[body as usize]).map(|(_, line)| line as usize)
                });
                let run = runs.len() as u32;
                let again = moved.clone().any(|line| met[line] == run);
                if again {
                    runs.push(index as u32);
                }
                moved.for_each(|line| met[line] = run + u32::from(again));
            }
        }
        runs.push(lanes.len() as u32);
    }

    /// Puts the joints into their blocks, for substeps of `h` (s).
    pub fn fill(
        &mut self,
        helpers: &Helpers,
        (joints, rows): (&[SolverJoint], &[JointRow]),
        bodies: &[SolverBody],
        h: Real,
    ) {
        self.blocks.resize(self.lanes.len(), B::default());
        self.accounts.resize(self.lanes.len(), B::Account::default());
        let Self { joints: own, lanes, sides, blocks, accounts, .. } = self;
        let (blocks, accounts) = (Apart::new(blocks), Apart::new(accounts));
        helpers.shares(lanes.len(), LEAST_BLOCKS, &|share| {
            // SAFETY: shares are apart.
            let parts = unsafe { (blocks.range(share.clone()), accounts.range(share.clone())) };
            for (index, (block, account)) in share.zip(parts.0.iter_mut().zip(parts.1)) {
                (*block, *account) = Default::default();
                for (lane, &here) in lanes[index].iter().enumerate().filter(|(_, here)| **here != NONE) {
                    let joint = &joints[own[here as usize] as usize];
                    let ends = (sides[index][lane], [joint.a, joint.b].map(|body| &bodies[body as usize]));
                    block.fill(account, lane, (joint, &rows[joint.row_range()]), ends, h);
                }
            }
        });
    }

    /// Calls `visit` with shares of the blocks, run after run, in all each of them once.
    fn in_runs(runs: &[u32], helpers: &Helpers, visit: &(impl Fn(Range<usize>) + Sync)) {
        let mut first = 0;
        for end in runs.iter().map(|&end| end as usize) {
            helpers.shares(end - first, LEAST_BLOCKS, &|share| visit(first + share.start..first + share.end));
            first = end;
        }
    }

    /// See [`passes::turn`].
    ///
    /// # Safety
    /// As told there.
    pub unsafe fn turn(&mut self, (path, helpers): Crew, lines: &Apart<Line>, h: Real, first: bool) {
        let (blocks, accounts) = (Apart::new(&mut self.blocks), Apart::new(&mut self.accounts));
        Self::in_runs(&self.runs, helpers, &|share| {
            // SAFETY: shares are apart, and in a run no two of them move the same line; the rest is passed on to the caller.
            unsafe {
                let parts = (blocks.range(share.clone()), accounts.range(share));
                passes::turn(path, parts, lines.first().cast(), h, first);
            }
        });
    }

    /// See [`passes::solve`].
    ///
    /// # Safety
    /// As told there.
    pub unsafe fn solve(&mut self, (path, helpers): Crew, lines: &Apart<Line>) {
        let blocks = Apart::new(&mut self.blocks);
        Self::in_runs(&self.runs, helpers, &|share| {
            // SAFETY: as in `turn`.
            unsafe { passes::solve(path, blocks.range(share), lines.first().cast()) };
        });
    }

    /// See [`passes::relax`].
    ///
    /// # Safety
    /// As told there.
    pub unsafe fn relax(&mut self, (path, helpers): Crew, lines: &Apart<Line>) -> Real {
        let (blocks, accounts) = (Apart::new(&mut self.blocks), Apart::new(&mut self.accounts));
        // The bits of numbers that are not negative are in their order.
        let worst = AtomicU64::new(0);
        Self::in_runs(&self.runs, helpers, &|share| {
            // SAFETY: as in `turn`.
            let made = unsafe {
                let parts = (blocks.range(share.clone()), accounts.range(share));
                passes::relax(path, parts, lines.first().cast())
            };
            worst.fetch_max(f64::from(made).to_bits(), Ordering::Relaxed);
        });
        f64::from_bits(worst.into_inner()) as Real
    }

    /// See [`Net::store`](super::Net::store).
    ///
    /// # Safety
    /// As told there.
    pub unsafe fn store(&self, joints: &[SolverJoint], rows: &Apart<JointRow>, h: Real) {
        for (index, lanes) in self.lanes.iter().enumerate() {
            for (lane, &here) in lanes.iter().enumerate().filter(|(_, here)| **here != NONE) {
                let range = joints[self.joints[here as usize] as usize].row_range();
                // SAFETY: passed on to the caller.
                self.blocks[index].store(&self.accounts[index], lane, unsafe { rows.range(range) }, h);
            }
        }
    }

    /// See [`Net::outcomes`](super::Net::outcomes).
    pub fn outcomes<'a>(
        &'a self,
        joints: &'a [SolverJoint],
        time: Real,
        h: Real,
    ) -> impl Iterator<Item = (u32, JointOutcome)> + 'a {
        self.lanes.iter().zip(&self.accounts).flat_map(move |(lanes, account)| {
            let (borne, torques) = B::borne(account);
            let taken = lanes.iter().enumerate().filter(|(_, here)| **here != NONE);
            taken.map(move |(lane, &here)| {
                let joint = self.joints[here as usize];
                let (mean, peak) = (borne.load.0[lane] / time, borne.peak.0[lane] / h);
                let load = JointLoad::after(joints[joint as usize].load, mean, peak);
                let (force, torque) = (take(&borne.force, lane) / time, torque(torques, lane) / time);
                (joint, JointOutcome { force, torque, load })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::pins::Pins;
    use super::*;
    use crate::math::{Mat3, Vec3};

    /// The joints of a square net, and which of its bodies move: all but the first two.
    fn net(side: u32) -> (Vec<SolverJoint>, Vec<bool>) {
        let joint = |a: u32, b: u32| SolverJoint {
            a,
            b,
            island: 0,
            rows: [0, 0],
            levers: [Vec3::ZERO; 2],
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
    fn blocks_of_a_run_move_nothing_twice_and_large_nets_have_runs_to_share() {
        for (side, wide) in [(3, false), (20, false), (40, true), (100, true)] {
            let (joints, movable) = net(side);
            let mut list = List::<Pins>::default();
            list.joints.extend(0..joints.len() as u32);
            list.place(&joints, &movable, &mut Scheduler::default(), &mut |body| body, (movable.len(), true));
            assert_eq!(list.is_wide(), wide, "{side}");
            let mut seen = 0;
            for (k, &end) in list.runs.iter().enumerate() {
                let mut moved = vec![false; movable.len()];
                for lines in list.sides[seen..end as usize].iter().flatten().flatten().map(|&line| line as usize) {
                    // A lane without a joint names the world.
                    let again = std::mem::replace(&mut moved[lines], movable[lines]);
                    assert!(!again || list.runs.len() == 1, "side {side}, run {k}: line {lines}");
                }
                seen = end as usize;
            }
            assert_eq!(seen, list.lanes.len());
            // Whoever is alone has one run.
            list.begin();
            list.joints.extend(0..joints.len() as u32);
            list.place(&joints, &movable, &mut Scheduler::default(), &mut |body| body, (movable.len(), false));
            assert_eq!(list.runs, [list.lanes.len() as u32]);
        }
    }
}
