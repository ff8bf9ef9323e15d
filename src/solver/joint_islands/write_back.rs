//! Results of a batch: required substeps, and the write-back of motions, contact impulses and joint
//! forces.

use super::island_batch::{BatchContext, IslandBatch};
use super::substep_plan::FrequencyEstimate;
use crate::contact::Manifold;
use crate::ids::NONE;
use crate::math::Real;
use crate::parallel::DisjointSlice;
use crate::solver::body::{BodyMotion, SolverBody, store};
use crate::solver::contact::ContactRef;
use crate::solver::joint::joint_graph::JointGraph;
use crate::solver::joint::{JointOutcome, JointRow, SolverJoint};

impl IslandBatch {
    /// Substeps required by the joint loads, peak loads included or not.
    pub(super) fn required_substeps(&mut self, context: &BatchContext, h: Real, peaks: bool) -> u32 {
        let time = h * self.ran as Real;
        let mut frequencies =
            FrequencyEstimate::beyond(self.substeps, context.dt, self.plan.iterative, self.plan.predicts);
        for (number, batch) in self.joint_batches.iter().enumerate() {
            let view = self.storage.view(context.graph, batch, number);
            for (lane, &group) in batch.groups.iter().enumerate().filter(|(_, group)| **group != NONE) {
                let has_contacts = if batch.iterative { self.plan.has_contacts } else { view.leapfrog.0[lane] == 0.0 };
                for (index, &joint) in context.graph.joints(&context.graph.groups[group as usize]).iter().enumerate() {
                    let joint = &context.joints[joint as usize];
                    let load = view.load(lane, index, joint.load, time, h);
                    frequencies.add(joint, context.bodies, load, has_contacts, !self.plan.has_contacts);
                }
            }
        }
        for (joint, outcome) in self.iterative.outcomes(context.joints, time, h) {
            let joint = &context.joints[joint as usize];
            frequencies.add(joint, context.bodies, outcome.load, self.plan.has_contacts, !self.plan.has_contacts);
        }
        frequencies.substeps(context.dt, peaks)
    }

    /// Writes the motions of the bodies.
    ///
    /// # Safety
    /// The caller has exclusive access to the motions of the bodies that it moves.
    pub unsafe fn write_motions(&self, bodies: &[SolverBody], dt: Real, motions: &DisjointSlice<BodyMotion>) {
        for (&body, state) in self.bodies.iter().zip(&self.states) {
            let from = &bodies[body as usize];
            if !from.movable() {
                continue;
            }
            // SAFETY: passed on to the caller; a body has one state.
            if let Some(motion) = unsafe { motions.get(body) } {
                *motion = store(from, state, dt);
            }
        }
    }

    /// Writes the impulses and separations of the manifolds.
    ///
    /// # Safety
    /// The caller has exclusive access to the manifolds of its contacts, and no two of these share
    /// one.
    pub unsafe fn write_contacts(&self, contacts: &[ContactRef], pool: &DisjointSlice<Manifold>) {
        for (block, lanes) in self.blocks.iter().zip(&self.lanes) {
            for (lane, &here) in lanes.iter().enumerate().filter(|(_, here)| **here != NONE) {
                let contact = &contacts[self.contacts[here as usize] as usize];
                // SAFETY: passed on to the caller; a contact has one lane.
                let manifold = unsafe { pool.get(contact.manifold) }.expect("the manifold that was read");
                block.store(lane, manifold, self.substeps as Real);
            }
        }
    }

    /// Writes the forces of the joints.
    ///
    /// # Safety
    /// The caller has exclusive access to its joints' rows and outcomes, and no two of these share
    /// a row.
    pub unsafe fn write_joints(
        &mut self,
        graph: &JointGraph,
        dt: Real,
        joints: &[SolverJoint],
        rows: &DisjointSlice<JointRow>,
        outcomes: &DisjointSlice<JointOutcome>,
    ) {
        let h = dt / self.substeps as Real;
        let time = h * self.ran as Real;
        // SAFETY: passed on to the caller; a joint is in one group or iterative.
        let of = |number: u32| unsafe { (rows.range(joints[number as usize].row_range()), outcomes.get(number)) };
        for (number, batch) in self.joint_batches.iter().enumerate() {
            let view = self.storage.view(graph, batch, number);
            for (lane, &group) in batch.groups.iter().enumerate().filter(|(_, group)| **group != NONE) {
                for (index, &joint) in graph.joints(&graph.groups[group as usize]).iter().enumerate() {
                    if let (rows, Some(outcome)) = of(joint) {
                        *outcome = view.store_joint(lane, index, rows, joints[joint as usize].load, (time, h));
                    }
                }
            }
        }
        for (joint, borne) in self.iterative.outcomes(joints, time, h) {
            if let (_, Some(outcome)) = of(joint) {
                *outcome = borne;
            }
        }
        // SAFETY: passed on to the caller.
        unsafe { self.iterative.store(joints, rows, h) };
    }
}
