//! Solver of islands with joints: the substep loop of contacts, with joint groups in it.
//!
//! An island is solved from beginning to end by one thread, together with others of an equal plan
//! in an [`IslandBatch`](island_batch::IslandBatch) of sufficient work. A substep solves the
//! contacts and then the joints, moves the bodies, and projects the velocities, joints first:
//! joints are satisfied when the bodies move, contacts have the final velocities.

mod energy_bound;
mod island_batch;
mod joint_rules;
mod parallel_passes;
mod substep_loop;
mod substep_plan;
mod write_back;

use super::body::{BodyMotion, SolverBody};
use super::contact::ContactRef;
use super::joint::gyroscopic::GyroscopicBody;
use super::joint::iterative::limits_are_far;
use super::joint::joint_graph::{JointGraph, JointGroup};
use super::joint::{JointOutcome, JointRow, SolverJoint};
use super::layout::IslandAnalysis;
use super::substepping::Parameters;
use crate::contact::Manifold;
use crate::math::Real;
use crate::parallel::{DisjointSlice, WorkerPool};
use island_batch::{BatchContext, IslandBatch, LayoutScratch};
pub use joint_rules::Precision;
use substep_plan::SolvePlan;
pub use substep_plan::swing_frequency_squared;

/// The solver of islands with joints.
///
/// It owns its buffers and is run by the step alone: the solve stage fills
/// [`JointIslandSolver::joints`] and [`JointIslandSolver::rows`]. Only the length of the last step
/// persists, apart from caches.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointIslandSolver {
    /// Joints of the step. The joint graph is reused while the same joints come in the same order.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub joints: Vec<SolverJoint>,
    /// Rows of the joints.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub rows: Vec<JointRow>,
    /// Bodies that rotate far within the step, in ascending order.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) gyroscopic: Vec<(u32, GyroscopicBody)>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    outcomes: Vec<JointOutcome>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    graph: JointGraph,
    #[cfg_attr(feature = "serialize", serde(skip))]
    movable: Vec<bool>,
    /// Joint groups by island.
    #[cfg_attr(feature = "serialize", serde(skip))]
    groups: Vec<(u32, u32)>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    analysis: IslandAnalysis,
    #[cfg_attr(feature = "serialize", serde(skip))]
    scratch: LayoutScratch,
    #[cfg_attr(feature = "serialize", serde(skip))]
    batches: Vec<IslandBatch>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    used: usize,
    last_dt: Real,
}

/// A batch with iterative joints is shared by all threads before the others if it has this many
/// times their total work.
const ITERATIVE_DOMINANCE: usize = 4;

impl JointIslandSolver {
    /// Copies the persistent state.
    pub(crate) fn copy_persistent(&mut self, from: &Self) {
        self.last_dt = from.last_dt;
    }

    /// Outcome of each joint, in the order of [`JointIslandSolver::joints`].
    pub fn outcomes(&self) -> &[JointOutcome] {
        &self.outcomes
    }

    /// Largest number of substeps of an island in the last step.
    pub fn substeps(&self) -> u32 {
        self.batches[..self.used].iter().map(IslandBatch::substeps_taken).max().unwrap_or(0)
    }

    /// Solves the islands with joints, with their contacts, which are sorted by island.
    ///
    /// Writes the motions of the bodies of these islands, the impulses of the manifolds, the row
    /// forces and the outcomes.
    ///
    /// # Panics
    /// If a joint, or a contact of an island with joints, names a body, row or manifold out of range.
    pub(crate) fn step(
        &mut self,
        (parameters, helpers): (&Parameters, &WorkerPool),
        precision: Precision,
        bodies: &[SolverBody],
        contacts: &[ContactRef],
        pool: &mut [Manifold],
        motions: &mut [BodyMotion],
    ) {
        self.outcomes.clear();
        self.outcomes.resize(self.joints.len(), JointOutcome::default());
        self.movable.clear();
        self.movable.extend(bodies.iter().map(SolverBody::movable));
        if !self.graph.is_current(&self.joints, &self.rows, &self.movable) {
            self.graph.rebuild(&self.joints, &self.rows, &self.movable);
        }
        self.assign_batches((parameters, helpers.threads() > 1), precision, bodies, contacts, pool);
        let context = BatchContext {
            dt: parameters.dt,
            last_dt: if self.last_dt > 0.0 { self.last_dt } else { parameters.dt },
            stop: parameters.stop,
            push_out_speed: parameters.push_out_speed,
            bodies,
            contacts,
            pool,
            joints: &self.joints,
            rows: &self.rows,
            graph: &self.graph,
            gyroscopic: &self.gyroscopic,
        };
        let simd = parameters.simd;
        // A batch with more than one thread's share of the work is shared by all threads, before
        // the others are distributed.
        let all = self.batches[..self.used].iter().map(IslandBatch::weight).sum::<usize>();
        let is_shared = |batch: &IslandBatch| {
            let (own, others) = (batch.weight(), all - batch.weight());
            // Iterative joints have much serial work: they are shared only if they are most of the
            // step.
            batch.is_wide() && helpers.threads() * own > all
                || ITERATIVE_DOMINANCE * others < own && batch.has_wide_iterative()
        };
        for batch in self.batches[..self.used].iter_mut().filter(|batch| is_shared(batch)) {
            batch.solve(&context, simd, helpers);
        }
        let alone = WorkerPool::default();
        helpers.for_each(&mut self.batches[..self.used], true, |batch| {
            if !is_shared(batch) {
                batch.solve(&context, simd, &alone);
            }
        });
        let (motions, pool) = (DisjointSlice::new(motions), DisjointSlice::new(pool));
        let (rows, outcomes) = (DisjointSlice::new(&mut self.rows), DisjointSlice::new(&mut self.outcomes));
        let (graph, joints) = (&self.graph, &self.joints);
        helpers.for_each(&mut self.batches[..self.used], true, |batch| {
            // SAFETY: a movable body is in one batch, and so are a joint and a contact, which has a
            // manifold of its own.
            unsafe {
                batch.write_motions(bodies, parameters.dt, &motions);
                batch.write_contacts(contacts, &pool);
                batch.write_joints(graph, parameters.dt, joints, &rows, &outcomes);
            }
        });
        self.last_dt = parameters.dt;
    }

    /// Assigns islands to batches.
    fn assign_batches(
        &mut self,
        (parameters, shared): (&Parameters, bool),
        precision: Precision,
        bodies: &[SolverBody],
        contacts: &[ContactRef],
        pool: &[Manifold],
    ) {
        let Self { joints, rows, graph, groups, analysis, batches, used, scratch, movable, gyroscopic, .. } = self;
        groups.clear();
        let island = |group: usize| joints[graph.joints(&graph.groups[group])[0] as usize].island;
        groups.extend((0..graph.groups.len()).map(|group| (island(group), group as u32)));
        groups.sort_unstable();
        scratch.begin(bodies.len());
        *used = 0;
        let mut open: Vec<(SolvePlan, usize)> = Vec::new();
        let fits_iterative = &|joint: u32| {
            let joint = &joints[joint as usize];
            limits_are_far(joint, &rows[joint.row_range()], bodies, parameters.dt)
        };
        let (mut at, mut contact) = (0, 0);
        while at < groups.len() {
            let key = groups[at].0;
            let own_groups = at..run_end(at, groups.len(), |k| groups[k].0 == key);
            let own_contacts = contact..run_end(contact, contacts.len(), |k| contacts[k].island == key);
            (at, contact) = (own_groups.end, own_contacts.end);
            let refs = &contacts[own_contacts.clone()];
            let own = || groups[own_groups.clone()].iter().map(|&(_, group)| &graph.groups[group as usize]);
            let is_small = |group: &JointGroup| joint_rules::is_pile_group(group.iterative, graph.joints(group).len());
            let pile_joints = if own().all(is_small) { own().map(|group| graph.joints(group).len()).sum() } else { 0 };
            let contact_plan = (!refs.is_empty())
                .then(|| analysis.plan_jointed(refs, pile_joints, bodies, movable, parameters.substeps));
            let iterative = own().any(|group| group.iterative);
            let own_joints = own().flat_map(|group| graph.joints(group)).map(|&joint| &joints[joint as usize]);
            let pile = contact_plan.is_some_and(|(_, pile)| pile);
            let predicts = joint_rules::predicts(precision, pile, refs.len());
            let plan = substep_plan::plan(
                contact_plan,
                (iterative, predicts),
                precision,
                own_joints,
                (bodies, gyroscopic),
                parameters,
            );
            let number = match open.iter().find(|(other, _)| *other == plan) {
                Some(&(_, number)) => number,
                None => {
                    if *used == batches.len() {
                        batches.push(IslandBatch::default());
                    }
                    batches[*used].begin(plan);
                    open.push((plan, *used));
                    *used += 1;
                    *used - 1
                }
            };
            let batch = &mut batches[number];
            batch.add(
                number as u32,
                own_contacts,
                &groups[own_groups],
                graph,
                contacts,
                movable,
                fits_iterative,
                scratch,
            );
            if batch.is_full() {
                open.retain(|&(_, full)| full != number);
            }
        }
        assert!(contact == contacts.len(), "a contact belongs to an island without joints");
        for batch in &mut batches[..*used] {
            batch.finish_layout(joints, graph, contacts, movable, pool, (scratch, shared));
        }
    }
}

/// End of the run of `same` elements that begins at `first`, among `count`.
fn run_end(first: usize, count: usize, same: impl Fn(usize) -> bool) -> usize {
    (first..count).find(|&k| !same(k)).unwrap_or(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Mat3, Vec3};
    use crate::solver::joint::{Coordinate, JointLoad};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn what_a_joint_or_contact_names_out_of_range_is_a_defect() {
        let ball =
            SolverBody { inverse_mass: 1.0, inverse_inertia: [2.5, 2.5, 2.5, 0.0, 0.0, 0.0], ..SolverBody::FIXED };
        let bodies = [SolverBody::FIXED, ball];
        let joint = SolverJoint {
            a: 0,
            b: 1,
            island: 0,
            rows: [0, 3],
            arms: [Vec3::ZERO; 2],
            gap: Vec3::ZERO,
            span: 0.0,
            frames: [Mat3::IDENTITY; 2],
            load: JointLoad::default(),
        };
        let contact = ContactRef { b: 1, ..ContactRef::default() };
        let step = |joint, contact| {
            let rows = (0..3).map(|k| JointRow::lock(Coordinate::Point(k), 0.0)).collect();
            let mut solver = JointIslandSolver { joints: vec![joint], rows, ..JointIslandSolver::default() };
            let (parameters, helpers) = (Parameters::new(1.0 / 60.0), WorkerPool::default());
            let mut pool = [Manifold { normal: Vec3::Y, count: 1, ..Manifold::default() }];
            let mut motions = [BodyMotion::default(); 2];
            solver.step((&parameters, &helpers), Precision::Game, &bodies, &[contact], &mut pool, &mut motions);
        };
        step(joint, contact);
        let defects = [
            ("first body", SolverJoint { a: 2, ..joint }, contact),
            ("second body", SolverJoint { b: 2, ..joint }, contact),
            ("end of rows", SolverJoint { rows: [0, 4], ..joint }, contact),
            ("rows", SolverJoint { rows: [3, 6], ..joint }, contact),
            ("first body of a contact", joint, ContactRef { a: 2, ..contact }),
            ("second body of a contact", joint, ContactRef { b: 2, ..contact }),
            ("manifold", joint, ContactRef { manifold: 1, ..contact }),
        ];
        for (name, joint, contact) in defects {
            let panic = catch_unwind(AssertUnwindSafe(|| step(joint, contact))).expect_err(name);
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            assert!(text.contains("out of bounds") || text.contains("out of range"), "{name}: {text}");
        }
    }
}
