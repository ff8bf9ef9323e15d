//! The islands of the direct solver, listed step by step with what their last solve left.

use super::assign::{Backoff, IslandFacts, IslandSolver, Probes, StepFacts, Takeovers, assign};
use super::direct_island::DirectIsland;
use super::facts::{self, IslandProbes};
use crate::bodies::Bodies;
use crate::contact::ContactGraph;
use crate::islands::Islands;
use crate::joints::Joints;
use crate::math::Real;
use crate::persist::{copy_each, copy_fields};
use crate::settings::Settings;
use crate::solver::JointRow;
use crate::solver_reason::{SolverReason, SolverReasons};

/// Workspaces of vanished islands kept for new ones, besides as many as are in use. Fewer:
/// allocations. More: memory.
const SPARE_SEARCHES: usize = 8;

/// The islands of the direct solver, and buffers kept between steps.
#[derive(Default)]
#[expect(clippy::vec_box, reason = "islands come and go by the hundred: pointers move between the lists")]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct DirectIslands {
    /// Islands of this step, by rising key. An island keeps its warm start for as long as its key
    /// lasts.
    pub active: Vec<Box<DirectIsland>>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    previous: Vec<Box<DirectIsland>>,
    /// Buffers of islands that are gone.
    #[cfg_attr(feature = "serialize", serde(skip))]
    spare: Vec<Box<DirectIsland>>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    facts: Vec<IslandFacts>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    rows: Vec<JointRow>,
    /// Index of each slot in its island, for the bodies of active islands.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub index: Vec<u32>,
    /// Back-off of the island of each key (least slot).
    pub backoffs: Vec<Backoff>,
}

impl DirectIslands {
    /// Copies the fields that outlive a step.
    pub fn copy_persistent(&mut self, from: &Self) {
        copy_fields!(self, from; backoffs);
        copy_each(&mut self.active, &from.active, |into, from| into.copy_persistent(from));
    }

    /// True if data read from a file is consistent.
    #[cfg(feature = "serialize")]
    pub fn is_sound(&self, slots: usize) -> bool {
        self.active.iter().all(|island| island.is_sound(slots))
            && self.active.windows(2).all(|two| two[0].key < two[1].key)
    }

    /// Assigns all islands: writes the `solvers`, and lists those of the direct solver in
    /// [`Self::active`], and counts the `reasons`. Returns the facts of the step, and the contact points of these.
    pub fn list(
        &mut self,
        (bodies, graph, joints): (&Bodies, &ContactGraph, &Joints),
        islands: &Islands,
        settings: &Settings,
        dt: Real,
        (solvers, reasons): (&mut Vec<IslandSolver>, &mut SolverReasons),
    ) -> (StepFacts, usize) {
        let Self { active, previous, spare, facts, rows, index, backoffs } = self;
        std::mem::swap(active, previous);
        index.resize(bodies.slots(), 0);
        backoffs.resize(bodies.slots(), Backoff::default());
        facts.clear();
        facts.extend(islands.islands.iter().map(|island| {
            let backoff = &mut backoffs[islands.bodies[island.body_range().start] as usize];
            *backoff = backoff.counted_down();
            facts::of_island(bodies, islands, island, (settings.length_unit, dt), |quiet| backoff.holds(quiet))
        }));
        let step = StepFacts::new(settings, facts.iter().map(IslandFacts::moving_points).sum());
        let (mut points, mut takeovers) = (0, Takeovers::default());
        let mut left = previous.drain(..).peekable();
        solvers.clear();
        *reasons = SolverReasons::default();
        for (number, (island, facts)) in islands.islands.iter().zip(&*facts).enumerate() {
            let members = &islands.bodies[island.body_range()];
            let key = members[0];
            let mut probes = IslandProbes { bodies, graph, joints, settings, dt, island, members, rows };
            let assignment = assign(facts, &mut probes, &step);
            let Some(plan) = assignment.direct else {
                reasons.add(assignment.reason);
                solvers.push(assignment.solver);
                continue;
            };
            // Both lists are in order of keys.
            while left.peek().is_some_and(|direct| direct.key < key) {
                spare.extend(left.next());
            }
            let same = left.next_if(|direct| direct.key == key);
            if same.is_none() && probes.bears_load() && !takeovers.admit(facts, &step) {
                reasons.add(SolverReason::Waiting);
                solvers.push(IslandSolver::substeps(facts.joints > 0));
                continue;
            }
            reasons.add(assignment.reason);
            solvers.push(IslandSolver::Direct);
            let mut direct = same.unwrap_or_else(|| {
                let mut direct = spare.pop().unwrap_or_default();
                direct.forget();
                direct
            });
            (direct.key, direct.island, direct.plan) = (key, number as u32, plan);
            active.push(direct);
            points += facts.points;
            for (k, &slot) in members.iter().enumerate() {
                index[slot as usize] = k as u32;
            }
        }
        spare.extend(left);
        spare.truncate(active.len() + SPARE_SEARCHES);
        (step, points)
    }
}
