//! Batches of islands with joints, solved together by one thread, and their layout.

use super::energy_bound::DivergedIsland;
use super::substep_plan::SolvePlan;
use crate::contact::Manifold;
use crate::ids::NONE;
use crate::math::Real;
use crate::solver::block::ContactBlock;
use crate::solver::body::{BodyState, SolverBody, SubstepStart};
use crate::solver::contact::ContactRef;
use crate::solver::joint::batch::JointBatch;
use crate::solver::joint::gyroscopic::GyroscopicBody;
use crate::solver::joint::iterative::{ConstraintKind, IterativeJoints};
use crate::solver::joint::joint_graph::{BatchStorage, JointGraph, pack_batches};
use crate::solver::joint::{JointRow, SolverJoint};
use crate::solver::layout::Scheduler;
use crate::solver::simd::WIDTH;
use std::ops::Range;

/// Read-only data common to all batches.
pub(super) struct BatchContext<'a> {
    pub dt: Real,
    /// Length of the step that the manifolds' impulses belong to (s).
    pub last_dt: Real,
    /// Early exit when no velocity changes by more than this (m/s).
    pub stop: Real,
    /// Greatest speed of push-out (m/s).
    pub push_out_speed: Real,
    pub bodies: &'a [SolverBody],
    pub contacts: &'a [ContactRef],
    /// The manifolds of the step's contacts at its start.
    pub pool: &'a [Manifold],
    pub joints: &'a [SolverJoint],
    pub rows: &'a [JointRow],
    pub graph: &'a JointGraph,
    /// Sorted by body.
    pub gyroscopic: &'a [(u32, GyroscopicBody)],
}

/// Buffers for the layout of batches.
#[derive(Default)]
pub(super) struct LayoutScratch {
    /// By body: the last batch that contained it, and the index of its state there.
    owner: Vec<u32>,
    state: Vec<u32>,
    scheduler: Scheduler,
}

impl LayoutScratch {
    /// Begins a step.
    pub fn begin(&mut self, bodies: usize) {
        self.owner.clear();
        self.owner.resize(bodies, NONE);
        self.state.resize(bodies, 0);
    }
}

/// Number of contacts and joints in a batch: its data fits into a core's second-level cache.
const BATCH_WORK: usize = 192;

/// Islands with joints, and the data of their solve.
#[derive(Default)]
pub(super) struct IslandBatch {
    number: u32,
    pub(super) plan: SolvePlan,
    pub(super) substeps: u32,
    pub(super) ran: u32,
    weight: usize,
    /// Body of each state. State 0 belongs to body 0.
    pub(super) bodies: Vec<u32>,
    pub(super) states: Vec<BodyState>,
    pub(super) starts: Vec<SubstepStart>,
    /// Its contacts, by their indices in the step.
    pub(super) contacts: Vec<u32>,
    /// Contact of each lane of each block, by its index in `contacts`, and the states of its
    /// bodies.
    pub(super) lanes: Vec<[u32; WIDTH]>,
    pub(super) sides: Vec<[[u32; 2]; WIDTH]>,
    pub(super) blocks: Vec<ContactBlock>,
    /// States below this belong to the world and to the bodies that joint groups move.
    pub(super) jointed_states: usize,
    /// True if no two groups move the same body.
    pub(super) disjoint: bool,
    /// By state: sum of the contact forces of the last step, over the mass (m/s²).
    pub(super) contact_load: Vec<Real>,
    /// By state: whether a contact of the step involves it.
    pub(super) touched: Vec<bool>,
    /// By joint batch: whether contacts load one of its bodies with many times its weight.
    pub(super) heavily_loaded: Vec<bool>,
    /// Iterative joints of a known constraint kind. All other joints are in joint batches.
    pub(super) iterative: IterativeJoints,
    groups: Vec<u32>,
    /// Joint groups by island, and the number of contacts and of groups up to the end of each island.
    pub(super) island_groups: Vec<u32>,
    pub(super) island_ends: Vec<[u32; 2]>,
    /// Islands whose velocities are held to their bounds.
    pub(super) diverged: Vec<DivergedIsland>,
    pub(super) joint_batches: Vec<JointBatch>,
    /// States of the bodies of its groups, group by group.
    pub(super) group_states: Vec<u32>,
    /// Index of the first state of each group.
    pub(super) first_group_state: Vec<u32>,
    /// By joint batch: number of groups before it; largest correction of its last pass (m/s; rad/s
    /// counts alike).
    pub(super) before: Vec<u32>,
    pub(super) corrections: Vec<Real>,
    pub(super) storage: BatchStorage,
}

impl IslandBatch {
    /// Removes all islands.
    pub fn begin(&mut self, plan: SolvePlan) {
        (self.plan, self.substeps, self.ran, self.weight) = (plan, plan.substeps, 0, 0);
        self.disjoint = true;
        self.bodies.clear();
        self.bodies.push(0);
        for list in [
            &mut self.contacts,
            &mut self.groups,
            &mut self.island_groups,
            &mut self.group_states,
            &mut self.first_group_state,
        ] {
            list.clear();
        }
        self.island_ends.clear();
        self.diverged.clear();
        self.iterative.clear();
        self.joint_batches.clear();
        self.lanes.clear();
        self.sides.clear();
    }

    /// Number of substeps run.
    pub fn substeps_taken(&self) -> u32 {
        self.ran
    }

    /// Number of contacts and joints.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// True if it has enough work. A few more groups are accepted to fill the last lanes.
    pub fn is_full(&self) -> bool {
        self.weight >= BATCH_WORK && (self.groups.len().is_multiple_of(WIDTH) || self.weight >= 2 * BATCH_WORK)
    }

    /// Adds an island. `fits_iterative` says which joints with locked axes may be iterative.
    #[allow(clippy::too_many_arguments)]
    pub fn add(
        &mut self,
        number: u32,
        own: Range<usize>,
        groups: &[(u32, u32)],
        graph: &JointGraph,
        contacts: &[ContactRef],
        movable: &[bool],
        fits_iterative: &dyn Fn(u32) -> bool,
        scratch: &mut LayoutScratch,
    ) {
        self.number = number;
        self.weight += own.len();
        for c in own {
            let contact = &contacts[c];
            if movable[contact.a as usize] || movable[contact.b as usize] {
                self.contacts.push(c as u32);
            }
        }
        for &(_, group) in groups {
            let number = group;
            self.island_groups.push(number);
            let group = &graph.groups[group as usize];
            let first = graph.joints(group)[0];
            match group.iterative_kind.filter(|kind| *kind != ConstraintKind::LockedAxes || fits_iterative(first)) {
                Some(kind) => self.iterative.add(first, kind),
                None => self.groups.push(number),
            }
            self.weight += graph.joints(group).len();
            self.disjoint &= !group.iterative;
            // States of jointed bodies first, group by group, for locality.
            for &body in graph.bodies(group).iter().filter(|&&body| movable[body as usize]) {
                self.state_of(body, scratch);
            }
        }
        self.island_ends.push([self.contacts.len(), self.island_groups.len()].map(|end| end as u32));
    }

    /// Index of a body's state.
    fn state_of(&mut self, body: u32, scratch: &mut LayoutScratch) -> u32 {
        local_state(body, &mut self.bodies, (self.number, &mut scratch.owner, &mut scratch.state))
    }
}

/// Index of a body's state in the batch `number`, which has these bodies so far.
fn local_state(body: u32, bodies: &mut Vec<u32>, (number, owner, state): (u32, &mut [u32], &mut [u32])) -> u32 {
    if body == 0 {
        return 0;
    }
    let b = body as usize;
    if owner[b] != number {
        owner[b] = number;
        state[b] = bodies.len() as u32;
        bodies.push(body);
    }
    state[b]
}

impl IslandBatch {
    /// Assigns contacts and joints to lanes, after the last island. With `shared`, iterative joints
    /// are cut into runs for several threads.
    pub fn finish_layout(
        &mut self,
        joints: &[SolverJoint],
        graph: &JointGraph,
        contacts: &[ContactRef],
        movable: &[bool],
        pool: &[Manifold],
        (scratch, shared): (&mut LayoutScratch, bool),
    ) {
        // Other batches may have registered the same immovable bodies since.
        for (state, &body) in self.bodies.iter().enumerate() {
            scratch.owner[body as usize] = self.number;
            scratch.state[body as usize] = state as u32;
        }
        self.jointed_states = self.bodies.len();
        for group in 0..self.groups.len() {
            let group = &graph.groups[self.groups[group] as usize];
            for &body in graph.bodies(group).iter().filter(|&&body| !movable[body as usize]) {
                self.state_of(body, scratch);
            }
        }
        let (LayoutScratch { owner, state, scheduler }, most) = (&mut *scratch, movable.len());
        let state = |body| local_state(body, &mut self.bodies, (self.number, owner, state));
        self.iterative.assign_lanes(joints, movable, scheduler, state, (most, shared));
        scratch.scheduler.begin();
        for here in 0..self.contacts.len() {
            let contact = &contacts[self.contacts[here] as usize];
            let moves = [contact.a, contact.b].map(|body| movable[body as usize]);
            let states = [self.state_of(contact.a, scratch), self.state_of(contact.b, scratch)];
            scratch.scheduler.add(here as u32, states, moves, pool[contact.manifold as usize].count);
        }
        scratch.scheduler.place(self.bodies.len(), &mut self.lanes, &mut self.sides);
        pack_batches(graph, &mut self.groups, &mut self.joint_batches, self.plan.rigid);
        self.before.clear();
        self.corrections.clear();
        self.corrections.resize(self.joint_batches.len(), 0.0);
        for batch in &self.joint_batches {
            self.before.push(self.first_group_state.len() as u32);
            for &group in batch.groups.iter().filter(|&&group| group != NONE) {
                self.first_group_state.push(self.group_states.len() as u32);
                let bodies = graph.bodies(&graph.groups[group as usize]);
                self.group_states
                    .extend(bodies.iter().map(|&body| if body == 0 { 0 } else { scratch.state[body as usize] }));
            }
        }
        self.storage.resize_for(&self.joint_batches);
        self.states.resize(self.bodies.len(), BodyState::default());
        self.starts.resize(self.bodies.len(), SubstepStart::default());
        self.blocks.resize(self.lanes.len(), ContactBlock::default());
        for (block, _) in self.blocks.iter_mut().zip(&self.lanes).filter(|(_, lanes)| lanes.contains(&NONE)) {
            // Filled lanes are overwritten; empty ones must be all zeros.
            *block = ContactBlock::default();
        }
    }
}
