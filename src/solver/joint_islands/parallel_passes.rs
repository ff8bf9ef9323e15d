//! Parallel parts of a batch's solve: contact blocks, and joint batches without common movable
//! bodies.

use super::island_batch::{BatchContext, IslandBatch};
use super::substep_plan::SolvePlan;
use crate::ids::NONE;
use crate::math::Real;
use crate::parallel::{DisjointSlice, WorkerPool};
use crate::solver::block::ContactBlock;
use crate::solver::joint::batch::{BatchView, JointBatch};
use crate::solver::joint::gyroscopic::gyroscopic_of;
use crate::solver::joint::substep_passes::{self, Pass, PassParams};
use crate::solver::simd::{SimdLevel, WIDTH};
use crate::tolerances::{BOUNDED_EXTRA_ITERATIONS, JOINTS};
use std::ops::Range;

/// Minimum number of joint batches for several threads.
const WIDE: usize = 4;

/// Minimum number of contact blocks per thread when they are filled.
const LEAST_BLOCKS: usize = 16;

/// SIMD level and worker threads of a batch.
#[derive(Clone, Copy)]
pub(super) struct Workers<'a> {
    pub simd: SimdLevel,
    pub helpers: &'a WorkerPool,
}

impl<'a> Workers<'a> {
    /// The same for iterative joints.
    pub fn pair(self) -> (SimdLevel, &'a WorkerPool) {
        (self.simd, self.helpers)
    }
}

/// Pass over all joint batches.
#[derive(Clone, Copy)]
pub(super) struct SubstepPass {
    /// Length of the substep (s).
    pub h: Real,
    pub kind: Pass,
    /// True if it is the first substep of the step.
    pub first: bool,
}

impl SubstepPass {
    /// Parameters of the pass over a joint batch.
    pub fn params(&self, view: &BatchView, plan: &SolvePlan) -> PassParams {
        let SolvePlan { pile, predicts, .. } = *plan;
        // Iterative joints get one solution; bounded groups in a pile get further ones while they
        // change.
        let bounded = view.factor.has_bounds && !view.iterative;
        let iterations = 1 + u32::from(bounded && !pile);
        let relinearise = !view.iterative && !bounded;
        let extra_iterations = if pile && bounded { BOUNDED_EXTRA_ITERATIONS } else { 0 };
        PassParams {
            h: self.h,
            pass: self.kind,
            iterations,
            relinearise,
            refinements: if view.iterative { 0 } else { JOINTS.position_iterations[usize::from(view.rigid)] - 1 },
            extra_iterations,
            predicts,
            first: self.first,
        }
    }
}

/// ERP of a substep: below one for loops, which may be nearly redundant, unless the joints are
/// rigid.
fn erp_of(batch: &JointBatch, has_loop: bool) -> Real {
    if batch.iterative {
        JOINTS.iterative_erp
    } else if has_loop && !batch.rigid {
        JOINTS.loop_erp
    } else {
        1.0
    }
}

/// Assignment of contacts to lanes of blocks.
struct ContactLanes<'a> {
    lanes: &'a [[u32; WIDTH]],
    sides: &'a [[[u32; 2]; WIDTH]],
    contacts: &'a [u32],
}

impl ContactLanes<'_> {
    /// Fills a block for substeps of `h` (s).
    #[inline]
    fn fill(&self, context: &BatchContext, h: Real, index: usize, block: &mut ContactBlock) {
        block.h = h;
        for (lane, &here) in self.lanes[index].iter().enumerate().filter(|(_, here)| **here != NONE) {
            let contact = &context.contacts[self.contacts[here as usize] as usize];
            let bodies = [&context.bodies[contact.a as usize], &context.bodies[contact.b as usize]];
            let manifold = &context.pool[contact.manifold as usize];
            block.fill(lane, contact, manifold, (bodies, [1.0; 2]), self.sides[index][lane], h / context.last_dt);
        }
    }
}

impl IslandBatch {
    /// True if several threads may share it: it has enough joint batches, none with common movable
    /// bodies.
    pub fn is_wide(&self) -> bool {
        self.disjoint && self.joint_batches.len() >= WIDE && !self.joint_batches.iter().any(|batch| batch.iterative)
    }

    /// True if several threads may share the sweeps of its iterative joints.
    pub fn has_wide_iterative(&self) -> bool {
        self.iterative.is_wide()
    }

    /// Fills the contact blocks, in parallel.
    pub(super) fn fill_blocks(&mut self, context: &BatchContext, h: Real, helpers: &WorkerPool) {
        let blocks = DisjointSlice::new(&mut self.blocks);
        let contact_lanes = ContactLanes { lanes: &self.lanes, sides: &self.sides, contacts: &self.contacts };
        helpers.for_each_chunk(contact_lanes.lanes.len(), LEAST_BLOCKS, &|share| {
            // SAFETY: shares are disjoint.
            let blocks = unsafe { blocks.range(share.clone()) };
            for (index, block) in share.zip(blocks) {
                contact_lanes.fill(context, h, index, block);
            }
        });
    }

    /// Fills one contact block.
    pub(super) fn fill_block(&mut self, context: &BatchContext, h: Real, index: usize) {
        let contact_lanes = ContactLanes { lanes: &self.lanes, sides: &self.sides, contacts: &self.contacts };
        contact_lanes.fill(context, h, index, &mut self.blocks[index]);
    }

    /// Fills the joint batches and begins their step.
    pub(super) fn fill_joint_batches(&mut self, context: &BatchContext, h: Real, workers: Workers) {
        let wide = self.is_wide();
        let Self {
            joint_batches,
            storage,
            group_states,
            first_group_state,
            before,
            contact_load,
            touched,
            heavily_loaded,
            states,
            starts,
            plan,
            ..
        } = self;
        let (storage, flags) = (storage.shared(), DisjointSlice::new(heavily_loaded));
        let (states, starts) = (DisjointSlice::new(states), DisjointSlice::new(starts));
        let (joint_batches, contact_load, touched) = (&*joint_batches, &*contact_load, &*touched);
        let fill = |number: usize| {
            let batch = &joint_batches[number];
            // SAFETY: each batch is visited once.
            let (mut view, Some(flag)) =
                (unsafe { (storage.view(context.graph, batch, number), flags.get(number as u32)) })
            else {
                return;
            };
            view.clear(batch.groups.iter().all(|&group| group != NONE));
            view.leapfrog.0 = [0.0; WIDTH];
            view.leapfrog_angular.0 = [0.0; WIDTH];
            *view.energy_guard = Default::default();
            let mut heavily_loaded = false;
            let groups = batch.groups.iter().enumerate().filter(|(_, group)| **group != NONE);
            for (at, (lane, &group)) in (before[number] as usize..).zip(groups) {
                let group = &context.graph.groups[group as usize];
                let group_states = &group_states[first_group_state[at] as usize..];
                let mut has_contacts = false;
                for (&body, &state) in context.graph.bodies(group).iter().zip(group_states) {
                    let contact_load = contact_load[state as usize];
                    has_contacts |= contact_load > 0.0;
                    heavily_loaded |= contact_load
                        > JOINTS.resolve_load_ratio * context.bodies[body as usize].linear_acceleration.length();
                }
                // A body of several iterative joints would get the half kick from each of them.
                view.leapfrog.0[lane] = if has_contacts || batch.iterative { 0.0 } else { 1.0 };
                // A bounded group would be driven for half a substep more.
                let leapfrog_angular = !(batch.iterative || has_contacts && (view.factor.has_bounds || plan.predicts));
                view.leapfrog_angular.0[lane] = if leapfrog_angular { 1.0 } else { 0.0 };
                view.erp.0[lane] = erp_of(batch, group.has_loop);
                let strains = has_contacts && group.has_loop;
                if !batch.iterative {
                    let bodies = context.graph.bodies(group).iter().map(|&body| &context.bodies[body as usize]);
                    let exact = batch.rigid.then_some(JOINTS.energy_gain_rate * h);
                    let allowed_gain = if strains { Some(0.0) } else { exact };
                    view.energy_guard.fill((lane, allowed_gain), view.factor.has_pulley, bodies);
                }
                for (index, (&body, &state)) in context.graph.bodies(group).iter().zip(group_states).enumerate() {
                    let solver = &context.bodies[body as usize];
                    view.fill_body(lane, index, state, solver, h);
                    // A body of several iterative joints would rotate its inertia with each of
                    // them.
                    if let Some(gyroscopic) = gyroscopic_of(context.gyroscopic, body).filter(|_| !batch.iterative) {
                        view.fill_gyroscopic(lane, index, gyroscopic, h);
                        // SAFETY: a movable body has one index in one group that is not iterative.
                        if let Some(state) = unsafe { states.get(state) } {
                            state.add_angular_velocity(
                                (gyroscopic.angular_acceleration - solver.angular_acceleration) * h,
                            );
                        }
                    }
                    if touched[state as usize] {
                        view.bodies[index].clear_angular_half_kick(lane);
                    }
                }
                for (index, &joint) in context.graph.joints(group).iter().enumerate() {
                    let joint = &context.joints[joint as usize];
                    view.fill_joint(lane, index, joint, &context.rows[joint.row_range()], h);
                }
            }
            *flag = heavily_loaded && !batch.iterative;
            // SAFETY: the body states are ours, a group has a movable body at one index, and no two
            // batches of a parallel pass move the same body.
            unsafe {
                substep_passes::begin_step(workers.simd, &mut view, states.first().cast(), starts.first().cast(), h)
            };
        };
        if wide {
            workers.helpers.for_each_index(joint_batches.len(), &fill);
        } else {
            (0..joint_batches.len()).for_each(fill);
        }
    }

    /// Runs a pass over joint batches, in parallel where possible. Returns the largest correction
    /// (m/s; rad/s counts alike). [`Pass::Resolve`] is for heavily loaded batches only.
    pub(super) fn run_joint_pass(
        &mut self,
        context: &BatchContext,
        pass: SubstepPass,
        numbers: Range<usize>,
        workers: Workers,
    ) -> Real {
        let wide = self.is_wide();
        let Self { joint_batches, storage, corrections, states, starts, plan, heavily_loaded, .. } = self;
        let (storage, states, joint_batches, heavily_loaded) =
            (storage.shared(), DisjointSlice::new(states), &*joint_batches, &*heavily_loaded);
        let starts = DisjointSlice::new(starts);
        let visit = |number: usize| {
            if pass.kind == Pass::Resolve && !heavily_loaded[number] {
                return 0.0;
            }
            // SAFETY: each batch is visited by one thread at a time.
            let mut view = unsafe { storage.view(context.graph, &joint_batches[number], number) };
            let params = pass.params(&view, plan);
            // SAFETY: as in `fill_joint_batches`.
            unsafe {
                substep_passes::run_pass(workers.simd, &mut view, states.first().cast(), starts.first().cast(), params)
            }
        };
        if !wide {
            return numbers.map(visit).fold(0.0, Real::max);
        }
        let corrections = &mut corrections[numbers.clone()];
        let made = DisjointSlice::new(corrections);
        workers.helpers.for_each_index(numbers.len(), &|k| {
            let change = visit(numbers.start + k);
            // SAFETY: each batch is visited once.
            if let Some(made) = unsafe { made.get(k as u32) } {
                *made = change;
            }
        });
        corrections.iter().copied().fold(0.0, Real::max)
    }
}
