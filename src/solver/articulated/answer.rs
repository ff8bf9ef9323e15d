//! What a bundle's solve came to: the substeps that its joints ask for, and what bodies, contacts and joints did.

use super::bundle::{Bundle, Context};
use super::plan::{Kind, Swings, is_strained, may_yield};
use crate::contact::Manifold;
use crate::index::NONE;
use crate::math::Real;
use crate::parallel::Apart;
use crate::solver::body::{BodyMotion, SolverBody, close};
use crate::solver::contact::ContactRef;
use crate::solver::joint::forest::Forest;
use crate::solver::joint::{JointOutcome, JointRow, SolverJoint};

impl Bundle {
    /// The substeps that the joints ask for by what they bore, `blows` among it or not.
    pub(super) fn asked(&mut self, context: &Context, h: Real, blows: bool) -> u32 {
        let time = h * self.ran as Real;
        let mut swings = Swings::beyond(self.substeps, context.dt, self.kind.net, self.kind.foresees);
        for (number, unit) in self.units.iter().enumerate() {
            let parts = self.pools.parts(context.forest, unit, number);
            for (lane, &tree) in unit.trees.iter().enumerate().filter(|(_, tree)| **tree != NONE) {
                let carried = if unit.swept { self.kind.carried } else { parts.leap.0[lane] == 0.0 };
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

    /// Whether joints that close loops turned out to be strained: see [`JOINT_STRAIN`](crate::tolerances::JOINT_STRAIN).
    pub(super) fn is_strained(&mut self, context: &Context, h: Real) -> bool {
        let time = h * self.ran as Real;
        let Self { units, pools, kind, .. } = self;
        units.iter().enumerate().any(|(number, unit)| {
            let parts = pools.parts(context.forest, unit, number);
            let trees = unit.trees.iter().enumerate().filter(|(_, tree)| **tree != NONE);
            let mut closed = trees
                .map(|(lane, &tree)| (lane, &context.forest.trees[tree as usize]))
                .filter(|(_, tree)| may_yield(context.forest, tree, kind.carried));
            closed.any(|(lane, tree)| {
                context.forest.joints(tree).iter().enumerate().any(|(place, &joint)| {
                    let joint = &context.joints[joint as usize];
                    is_strained(joint, context.bodies, parts.load(lane, place, joint.load, time, h).mean)
                })
            })
        })
    }

    /// Lets its joints be no stiffer than in `Game`, in so many substeps.
    pub(super) fn give_in(&mut self, substeps: u32) {
        self.substeps = substeps;
        self.kind = Kind { substeps, stiff: false, refines: true, yields_to: None, ..self.kind };
        for unit in &mut self.units {
            unit.stiff = false;
        }
    }

    /// Motions of the bodies.
    ///
    /// # Safety
    /// Nobody else may be at the motions of the bodies that it moves.
    pub unsafe fn read(&self, bodies: &[SolverBody], dt: Real, motions: &Apart<BodyMotion>) {
        for (&body, line) in self.bodies.iter().zip(&self.lines) {
            let from = &bodies[body as usize];
            if !from.movable() {
                continue;
            }
            // SAFETY: passed on to the caller; a body has one line.
            if let Some(motion) = unsafe { motions.get(body) } {
                *motion = close(from, line, dt);
            }
        }
    }

    /// Impulses and separations of the manifolds.
    ///
    /// # Safety
    /// Nobody else may be at the manifolds of its contacts, and no two of these share one.
    pub unsafe fn read_contacts(&self, contacts: &[ContactRef], pool: &Apart<Manifold>) {
        for (block, lanes) in self.blocks.iter().zip(&self.lanes) {
            for (lane, &here) in lanes.iter().enumerate().filter(|(_, here)| **here != NONE) {
                let contact = &contacts[self.contacts[here as usize] as usize];
                // SAFETY: passed on to the caller; a contact has one lane.
                let manifold = unsafe { pool.get(contact.manifold) }.expect("the manifold that was read");
                block.store(lane, manifold, self.substeps as Real);
            }
        }
    }

    /// Forces of the joints.
    ///
    /// # Safety
    /// Nobody else may be at its joints' rows and outcomes, and no two of these share a row.
    pub unsafe fn read_joints(
        &mut self,
        forest: &Forest,
        dt: Real,
        joints: &[SolverJoint],
        rows: &Apart<JointRow>,
        outcomes: &Apart<JointOutcome>,
    ) {
        let h = dt / self.substeps as Real;
        let time = h * self.ran as Real;
        // SAFETY: passed on to the caller; a joint is in one tree or in the net.
        let of = |number: u32| unsafe { (rows.range(joints[number as usize].row_range()), outcomes.get(number)) };
        for (number, unit) in self.units.iter().enumerate() {
            let parts = self.pools.parts(forest, unit, number);
            for (lane, &tree) in unit.trees.iter().enumerate().filter(|(_, tree)| **tree != NONE) {
                for (place, &joint) in forest.joints(&forest.trees[tree as usize]).iter().enumerate() {
                    if let (rows, Some(outcome)) = of(joint) {
                        *outcome = parts.store_joint(lane, place, rows, joints[joint as usize].load, (time, h));
                    }
                }
            }
        }
        for (joint, borne) in self.net.outcomes(joints, time, h) {
            if let (_, Some(outcome)) = of(joint) {
                *outcome = borne;
            }
        }
        // SAFETY: passed on to the caller.
        unsafe { self.net.store(joints, rows, h) };
    }
}
