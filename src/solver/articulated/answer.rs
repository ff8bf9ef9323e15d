//! What a bundle's solve came to: the substeps that its joints ask for, and what bodies, contacts and joints did.

use super::bundle::{Bundle, Context};
use super::plan::Swings;
use crate::contact::Manifold;
use crate::index::NONE;
use crate::math::Real;
use crate::solver::body::{BodyMotion, SolverBody, close};
use crate::solver::contact::ContactRef;
use crate::solver::joint::forest::Forest;
use crate::solver::joint::{JointOutcome, JointRow, SolverJoint};

impl Bundle {
    /// The substeps that the joints ask for by what they bore, `blows` among it or not.
    pub(super) fn asked(&mut self, context: &Context, h: Real, blows: bool) -> u32 {
        let time = h * self.ran as Real;
        let mut swings = Swings::beyond(self.substeps, context.dt, self.kind.net);
        for (number, unit) in self.units.iter().enumerate() {
            let parts = self.pools.parts(context.forest, unit, number);
            for (lane, &tree) in unit.trees.iter().enumerate().filter(|(_, tree)| **tree != NONE) {
                let carried = parts.leap.0[lane] == 0.0 && !unit.swept;
                for (place, &joint) in context.forest.joints(&context.forest.trees[tree as usize]).iter().enumerate() {
                    let joint = &context.joints[joint as usize];
                    let load = parts.load(lane, place, joint.load, time, h);
                    swings.add(joint, context.bodies, load, carried, !self.kind.carried);
                }
            }
        }
        for (joint, outcome) in self.net.outcomes(context.joints, time, h) {
            let joint = &context.joints[joint as usize];
            swings.add(joint, context.bodies, outcome.load, self.kind.carried, !self.kind.carried);
        }
        swings.substeps(context.dt, blows)
    }

    /// Motions of the bodies.
    pub fn read(&self, bodies: &[SolverBody], dt: Real, motions: &mut [BodyMotion]) {
        for (&body, line) in self.bodies.iter().zip(&self.lines) {
            let from = &bodies[body as usize];
            if from.movable() {
                motions[body as usize] = close(from, line, dt);
            }
        }
    }

    /// Impulses and separations of the manifolds.
    pub fn read_contacts(&self, contacts: &[ContactRef], pool: &mut [Manifold]) {
        for (block, lanes) in self.blocks.iter().zip(&self.lanes) {
            for (lane, &here) in lanes.iter().enumerate().filter(|(_, here)| **here != NONE) {
                let contact = &contacts[self.contacts[here as usize] as usize];
                block.store(lane, &mut pool[contact.manifold as usize], self.substeps as Real);
            }
        }
    }

    /// Forces of the joints.
    pub fn read_joints(
        &mut self,
        forest: &Forest,
        dt: Real,
        joints: &[SolverJoint],
        rows: &mut [JointRow],
        outcomes: &mut [JointOutcome],
    ) {
        let h = dt / self.substeps as Real;
        let time = h * self.ran as Real;
        for (number, unit) in self.units.iter().enumerate() {
            let parts = self.pools.parts(forest, unit, number);
            for (lane, &tree) in unit.trees.iter().enumerate().filter(|(_, tree)| **tree != NONE) {
                for (place, &joint) in forest.joints(&forest.trees[tree as usize]).iter().enumerate() {
                    let rows = &mut rows[joints[joint as usize].row_range()];
                    let before = joints[joint as usize].load;
                    outcomes[joint as usize] = parts.store_joint(lane, place, rows, before, (time, h));
                }
            }
        }
        for (joint, outcome) in self.net.outcomes(joints, time, h) {
            outcomes[joint as usize] = outcome;
        }
        self.net.store(joints, rows, h);
    }
}
