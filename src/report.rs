//! The report of a step: counts, and the time of each stage.

use crate::energy::EnergyBalance;
use crate::solver_reason::SolverReasons;
use crate::stage::Stage;
use std::time::Duration;

/// The report of one step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct StepReport {
    /// Counts of bodies, pairs, contacts and work.
    pub counts: Counts,
    /// Time of each stage, with the user systems after it.
    pub times: StageTimes,
    /// The account of energy over all awake bodies, where
    /// [`Settings::energy_tolerance`](crate::Settings::energy_tolerance) is set.
    pub energy: Option<EnergyBalance>,
}

/// Counts of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Counts {
    /// Bodies of every kind.
    pub bodies: usize,
    /// Dynamic bodies.
    pub dynamic: usize,
    /// Extra colliders whose body is gone.
    pub orphans: usize,
    /// Entities with a collider that belongs to no body: without [`RigidBody`](crate::RigidBody) and
    /// without [`ColliderOf`](crate::ColliderOf). Nothing touches them.
    pub loose_colliders: usize,
    /// Bodies and extra colliders that the step met for the first time.
    pub added: usize,
    /// Bodies and extra colliders of the step before that are gone.
    pub removed: usize,
    /// Joints, broken ones included.
    pub joints: usize,
    /// Pairs of colliders whose enlarged boxes overlap.
    pub pairs: usize,
    /// Pairs without a kernel for their shapes, wholly or in part: see
    /// [`Event::NotCollided`](crate::Event::NotCollided).
    pub not_collided: usize,
    /// Pairs whose contact points were recomputed.
    pub collided: usize,
    /// Manifolds with at least one point.
    pub manifolds: usize,
    /// Contact points.
    pub points: usize,
    /// Awake islands: bodies connected by contacts or joints.
    pub islands: usize,
    /// Sleeping islands.
    pub asleep_islands: usize,
    /// Sleeping bodies.
    pub asleep: usize,
    /// Frictional impacts solved, those of continuous collision detection included.
    pub impacts: usize,
    /// Contacts still approaching when the impacts of an island reached their bound; the contact
    /// solver stops them.
    pub impacts_left: usize,
    /// Mechanisms with more joints than an impact is propagated through; the joint solver moves the
    /// farther bodies (see `MAX_LINKAGE_JOINTS`).
    pub linkages_cut: usize,
    /// Bodies in continuous collision detection: they moved far or turned fast in the step.
    pub ccd_bodies: usize,
    /// Impacts found and resolved by continuous collision detection.
    pub ccd_impacts: usize,
    /// Bodies with too many such impacts in one step, which stood still for the rest of it.
    pub ccd_stopped: usize,
    /// Bodies that left the range of numbers and were reset: see
    /// [`Event::OutOfRange`](crate::Event::OutOfRange).
    pub out_of_range: usize,
    /// Islands that gained energy from nowhere: see
    /// [`Event::EnergyGained`](crate::Event::EnergyGained).
    pub energy_gains: usize,
    /// Islands solved by the direct solver.
    pub direct_islands: usize,
    /// Islands among them that were skipped: unchanged since their equilibrium was proved.
    pub cached_islands: usize,
    /// Islands solved by the substepping solver, jointed ones and [`fallbacks`](Self::fallbacks)
    /// included.
    pub substepped_islands: usize,
    /// The most substeps of any island.
    pub substeps: usize,
    /// Linear programs solved.
    pub lp_solves: usize,
    /// Islands that needed iterations of the direct solver, with or without success; the initial
    /// guess of the others was an answer.
    pub direct_solves: usize,
    /// Islands on which the direct solver failed, so that the substepping solver took over.
    pub fallbacks: usize,
    /// Awake islands by the reason for which they went to the direct solver or to substeps.
    pub solver_reasons: SolverReasons,
}

/// Time of each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct StageTimes {
    times: [Duration; Stage::ALL.len()],
}

impl StageTimes {
    /// Time of one stage.
    pub fn of(&self, stage: Stage) -> Duration {
        self.times[stage as usize]
    }

    pub(crate) fn set(&mut self, stage: Stage, time: Duration) {
        self.times[stage as usize] = time;
    }

    /// Time of the whole step.
    pub fn total(&self) -> Duration {
        self.times.iter().sum()
    }

    /// The stages with their times, in the order of the schedule.
    pub fn iter(&self) -> impl Iterator<Item = (Stage, Duration)> + '_ {
        Stage::ALL.iter().map(|&stage| (stage, self.of(stage)))
    }
}
