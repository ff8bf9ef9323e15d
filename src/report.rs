//! What a step did: counts, and the time of each stage.

use crate::stage::Stage;
use std::time::Duration;

/// What one step did.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct StepReport {
    /// Counts of bodies, pairs, contacts and work.
    pub counts: Counts,
    /// Time of each stage, user systems around it included.
    pub times: StageTimes,
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
    /// Joints, broken ones included.
    pub joints: usize,
    /// Pairs of colliders whose enlarged boxes overlap.
    pub pairs: usize,
    /// Pairs that no kernel collides, wholly or in part: see [`Event::NotCollided`](crate::Event::NotCollided).
    pub not_collided: usize,
    /// Pairs that were collided anew.
    pub collided: usize,
    /// Manifolds with at least one point.
    pub manifolds: usize,
    /// Contact points.
    pub points: usize,
    /// Awake islands: bodies that contacts or joints hold together.
    pub islands: usize,
    /// Parked islands.
    pub parked_islands: usize,
    /// Parked bodies.
    pub parked: usize,
    /// Frictional impacts solved, those of bodies that were followed on their way among them.
    pub impacts: usize,
    /// Contacts still approaching when the work list of an island reached its bound; the resting solver took them.
    pub impacts_left: usize,
    /// Mechanisms with more joints than an impact is felt through: what hangs on the farther ones hears of it from the joint solver
    /// (see [`LINKAGE_JOINTS`](crate::tolerances::LINKAGE_JOINTS)).
    pub linkages_cut: usize,
    /// Bodies that moved far or turned fast, and were followed on their way through the step.
    pub swept: usize,
    /// Moments within the step at which such a body met something, and the impact was resolved.
    pub caught: usize,
    /// Bodies that met too many things in one step, and stood still for the rest of it.
    pub stopped: usize,
    /// Bodies that left the range of numbers and were put back: see [`Event::OutOfRange`](crate::Event::OutOfRange).
    pub out_of_range: usize,
    /// Islands solved by the exact laws of rest.
    pub exact_islands: usize,
    /// Islands among them that were left as they were: proved at rest in a step before, and unchanged since.
    pub held_islands: usize,
    /// Islands solved by the scalable solver, those of joints and those that it took over from the exact laws among them.
    pub solver_islands: usize,
    /// The most substeps of any island.
    pub substeps: usize,
    /// Linear programs solved.
    pub lp_solves: usize,
    /// Islands for which the exact laws searched, whether they found or failed: the others were settled.
    pub pivot_solves: usize,
    /// Islands on which the exact laws failed, so that the scalable solver took over.
    pub fallbacks: usize,
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
