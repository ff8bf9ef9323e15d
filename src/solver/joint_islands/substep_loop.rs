//! Substep loop of a batch.

use super::island_batch::{BatchContext, IslandBatch};
use super::parallel_passes::{SubstepPass, Workers};
use crate::math::Real;
use crate::parallel::{DisjointSlice, WorkerPool};
use crate::solver::body::load;
use crate::solver::joint::limit_prediction;
use crate::solver::joint::substep_passes::{self, Pass};
use crate::solver::kernels::{
    begin_free_substep, begin_substep, drift_large_rotations, pgs_sweep, prepare, set_friction, stiffen,
    store_separations,
};
use crate::solver::layout::MAX_SUBSTEPS;
use crate::solver::simd::{SimdLevel, WIDTH};
use crate::solver::soft::SoftContact;
use crate::tolerances::JOINTS;
use std::ops::Range;

impl IslandBatch {
    /// Solves the step, again with more substeps if the joint loads need them, and again with bounds on
    /// what diverged. With several threads where the batch or its iterative joints are wide; the result
    /// does not depend on it.
    pub fn solve(&mut self, context: &BatchContext, simd: SimdLevel, helpers: &WorkerPool) {
        let workers = Workers { simd, helpers };
        // Peak loads may raise the number of substeps once, and never in a pile.
        let mut peaks = !self.plan.pile;
        loop {
            let h = self.run_substeps(context, workers);
            let required_substeps = if self.plan.may_resubstep { self.required_substeps(context, h, peaks) } else { 0 };
            if required_substeps <= self.substeps {
                if self.diverged.is_empty() && self.find_diverged(context) {
                    continue;
                }
                self.finish(context, h, simd);
                return;
            }
            (self.substeps, peaks) = (required_substeps, false);
        }
    }

    /// Runs the substeps of a step; returns their length (s).
    fn run_substeps(&mut self, context: &BatchContext, workers: Workers) -> Real {
        let [h, softest] = [self.substeps, self.plan.contact_substeps].map(|substeps| context.dt / substeps as Real);
        let soft = SoftContact::new(h, context.push_out_speed).no_stiffer_than_in(softest).following_joints();
        let h = soft.h;
        // Fewer substeps than the greatest number are as many as the joint loads ask for.
        let unresolved = !self.plan.may_resubstep || self.substeps >= MAX_SUBSTEPS;
        for batch in &mut self.joint_batches {
            batch.stabilized = !batch.iterative && (batch.rigid || unresolved);
        }
        self.prepare(context, h, workers);
        // A force that passes through zero is steady for one substep, not for two.
        let mut steady = 0;
        for substep in 0..self.substeps {
            let change = self.substep(context, &soft, substep == 0, workers);
            self.bound_diverged(context);
            self.ran = substep + 1;
            steady = if substep > 0 && change < context.stop { steady + 1 } else { 0 };
            if steady == 2 {
                if !self.approaches_limits(context, (self.substeps - self.ran) as Real * h, workers.simd) {
                    break;
                }
                steady = 1;
            }
        }
        let left = self.substeps - self.ran;
        if left > 0 {
            drift_large_rotations(workers.simd, &mut self.states, left as Real * h);
        }
        h
    }

    /// True if some joint reaches a limit within `time` (s): such motion is no steady state.
    fn approaches_limits(&mut self, context: &BatchContext, time: Real, simd: SimdLevel) -> bool {
        let states = self.states.as_mut_ptr().cast();
        self.joint_batches.iter().enumerate().any(|(number, batch)| {
            let mut view = self.storage.view(context.graph, batch, number);
            // SAFETY: as in `prepare`.
            view.factor.has_bounds
                && unsafe { limit_prediction::reaches_limit(simd, &mut view, states, time, context.stop) }
        })
    }

    /// Body states, contact blocks, joint batches, and the warm start of contacts.
    fn prepare(&mut self, context: &BatchContext, h: Real, workers: Workers) {
        for (k, &body) in self.bodies.iter().enumerate() {
            (self.states[k], self.starts[k]) = load(&context.bodies[body as usize], 1.0, h);
        }
        self.contact_load.clear();
        self.contact_load.resize(self.bodies.len(), 0.0);
        self.touched.clear();
        self.touched.resize(self.bodies.len(), false);
        self.heavily_loaded.clear();
        // A single thread warm starts each block while it is in the cache.
        let alone = workers.helpers.threads() < 2;
        if !alone {
            self.fill_blocks(context, h, workers.helpers);
        }
        for index in 0..self.blocks.len() {
            if alone {
                self.fill_block(context, h, index);
            }
            self.accumulate_contact_load(h, index);
            set_friction(&mut self.blocks[index]);
            // SAFETY: the body states are ours, a block moves none of them twice, and all indices
            // are in range.
            unsafe { prepare(workers.simd, &mut self.blocks[index], self.states.as_mut_ptr().cast(), true) };
        }
        self.heavily_loaded.resize(self.joint_batches.len(), false);
        self.fill_joint_batches(context, h, workers);
        let states = DisjointSlice::new(&mut self.states);
        // SAFETY: the body states are ours.
        unsafe {
            self.iterative.begin_step(workers.pair(), (context.joints, context.rows), context.bodies, &states, h)
        };
    }

    /// Marks the bodies of a filled block as touched, and sums its contact forces by body.
    fn accumulate_contact_load(&mut self, h: Real, index: usize) {
        let block = &self.blocks[index];
        let mut impulses = [0.0; WIDTH];
        for rows in &block.points[..block.count as usize] {
            for (sum, impulse) in impulses.iter_mut().zip(rows.impulse.0) {
                *sum += impulse;
            }
        }
        for (impulse, sides) in impulses.into_iter().zip(self.sides[index]) {
            for state in sides {
                self.touched[state as usize] = true;
                // The inverse mass is stored behind the velocity.
                self.contact_load[state as usize] += impulse / h * self.states[state as usize].velocity.0[3];
            }
        }
    }

    /// One substep: contacts, joints, motion of the bodies, joints, contacts, and joints again
    /// under heavy loads. Returns the largest velocity change (m/s; rad/s counts alike).
    fn substep(&mut self, context: &BatchContext, soft: &SoftContact, first: bool, workers: Workers) -> Real {
        let states = self.states.as_mut_ptr().cast();
        let mut change = 0.0;
        if first {
            // SAFETY: as in `prepare`.
            unsafe { stiffen(workers.simd, &mut self.blocks, states, soft) };
        } else {
            change = if self.blocks.is_empty() {
                begin_free_substep(workers.simd, &mut self.states, &mut self.starts)
            } else {
                begin_substep::<true>(workers.simd, &mut self.states, &mut self.starts)
            };
            // SAFETY: as in `prepare`.
            unsafe { self.iterative.warm_start(workers.pair(), &DisjointSlice::new(&mut self.states), soft.h) };
            change = change.max(self.run_joint_pass(
                context,
                SubstepPass { h: soft.h, kind: Pass::WarmStart, first },
                self.iterative_batches(),
                workers,
            ));
        }
        // SAFETY: as in `prepare`.
        change =
            change.max(unsafe { pgs_sweep::<false>(workers.simd, &mut self.blocks, states, soft, self.plan.inner) });
        change = change.max(self.solve_joints(context, soft.h, first, workers));
        // SAFETY: as in `prepare`.
        change =
            change.max(unsafe { pgs_sweep::<true>(workers.simd, &mut self.blocks, states, soft, self.plan.inner) });
        change.max(self.resolve_overloaded(context, soft.h, workers))
    }

    /// Joint batches of iterative joints: the last ones.
    fn iterative_batches(&self) -> Range<usize> {
        self.joint_batches.partition_point(|batch| !batch.iterative)..self.joint_batches.len()
    }

    /// Velocity-level solve of heavily loaded joint batches after the contacts.
    fn resolve_overloaded(&mut self, context: &BatchContext, h: Real, workers: Workers) -> Real {
        if !self.heavily_loaded.contains(&true) {
            return 0.0;
        }
        self.run_joint_pass(
            context,
            SubstepPass { h, kind: Pass::Resolve, first: false },
            0..self.joint_batches.len(),
            workers,
        )
    }

    /// Joint passes, and the motion of all bodies.
    fn solve_joints(&mut self, context: &BatchContext, h: Real, first: bool, workers: Workers) -> Real {
        let passes: &[Pass] = if self.disjoint { &[Pass::Both] } else { &[Pass::SolvePosition, Pass::ProjectVelocity] };
        let simd = workers.simd;
        let mut change: Real = 0.0;
        for &pass in passes {
            let substep_pass = SubstepPass { h, kind: pass, first };
            // Sweeps have the same order in both passes: with alternating order the last joints of
            // one sweep would be the first of the next, and slow modes would gain energy.
            change = change.max(self.run_joint_pass(context, substep_pass, 0..self.joint_batches.len(), workers));
            if pass == Pass::ProjectVelocity {
                // SAFETY: as in `prepare`.
                change = change.max(unsafe {
                    self.iterative.project_velocities(workers.pair(), &DisjointSlice::new(&mut self.states))
                });
                continue;
            }
            // SAFETY: as in `prepare`.
            (0..JOINTS.position_iterations[usize::from(self.plan.rigid)]).for_each(|_| unsafe {
                self.iterative.solve_positions(workers.pair(), &DisjointSlice::new(&mut self.states))
            });
            // Joint batches without common movable bodies have moved their own bodies.
            let rest = if pass == Pass::Both { self.jointed_states } else { 0 };
            drift_large_rotations(simd, &mut self.states[rest..], h);
        }
        change
    }

    /// Final half kick for leapfrog groups, and separations of contacts.
    fn finish(&mut self, context: &BatchContext, h: Real, simd: SimdLevel) {
        let states = self.states.as_mut_ptr().cast();
        // Iterative groups do not use leapfrog.
        for (number, batch) in self.joint_batches[..self.iterative_batches().start].iter().enumerate().rev() {
            let mut view = self.storage.view(context.graph, batch, number);
            // SAFETY: as in `prepare`.
            unsafe { substep_passes::end_step(simd, &mut view, states, h) };
        }
        for block in &mut self.blocks {
            // SAFETY: as in `prepare`.
            unsafe { store_separations(simd, block, states) };
        }
    }
}
