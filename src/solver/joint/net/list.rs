//! The joints of a net that have one form.

use super::passes::{Block, torque};
use crate::index::NONE;
use crate::math::Real;
use crate::parallel::Apart;
use crate::solver::body::SolverBody;
use crate::solver::joint::unit::take;
use crate::solver::joint::{JointLoad, JointOutcome, JointRow, SolverJoint};
use crate::solver::lanes::WIDTH;
use crate::solver::layout::Scheduler;

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
}

impl<B: Block> Default for List<B> {
    fn default() -> Self {
        Self { joints: Vec::new(), lanes: Vec::new(), sides: Vec::new(), blocks: Vec::new(), accounts: Vec::new() }
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
        lines: usize,
    ) {
        scheduler.begin();
        for (here, &joint) in self.joints.iter().enumerate() {
            let joint = &joints[joint as usize];
            let ends = [joint.a, joint.b];
            scheduler.add(here as u32, ends.map(&mut *line), ends.map(|body| movable[body as usize]), 1);
        }
        scheduler.place(lines, &mut self.lanes, &mut self.sides);
    }

    /// Puts the joints into their blocks, for substeps of `h` (s).
    pub fn fill(&mut self, (joints, rows): (&[SolverJoint], &[JointRow]), bodies: &[SolverBody], h: Real) {
        self.blocks.resize(self.lanes.len(), B::default());
        self.accounts.resize(self.lanes.len(), B::Account::default());
        for (index, lanes) in self.lanes.iter().enumerate() {
            let (block, account) = (&mut self.blocks[index], &mut self.accounts[index]);
            (*block, *account) = Default::default();
            for (lane, &here) in lanes.iter().enumerate().filter(|(_, here)| **here != NONE) {
                let joint = &joints[self.joints[here as usize] as usize];
                let ends = (self.sides[index][lane], [joint.a, joint.b].map(|body| &bodies[body as usize]));
                block.fill(account, lane, (joint, &rows[joint.row_range()]), ends, h);
            }
        }
    }

    /// The blocks with their accounts.
    pub fn parts(&mut self) -> (&mut [B], &mut [B::Account]) {
        (&mut self.blocks, &mut self.accounts)
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
