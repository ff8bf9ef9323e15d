//! The output of a run: one JSON object.
//!
//! Numbers are written as the shortest decimal that parses to the same bits of the engine's scalar;
//! a number that is not finite is written as `null`.

use crate::components::{AngularVelocity, LinearVelocity, Orientation, Position};
use crate::contact_forces::ContactPoint;
use crate::math::{Quat, Real, Vec3};
use crate::report::Counts;
use crate::stage::Stage;
use hecs::{Entity, World};
use serde::{Serialize, Serializer};

/// The output of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    /// `dolmen`
    pub engine: &'static str,
    /// Version of the engine.
    pub version: &'static str,
    /// Steps taken.
    pub steps: u64,
    /// Threads used.
    pub threads: usize,
    /// The engine's scalar: `f32` or `f64`.
    pub scalar: &'static str,
    /// Instruction set of the SIMD kernels.
    pub simd: &'static str,
    /// Wall time of the steps alone.
    pub ms: Milliseconds,
    /// Counts.
    pub counts: RunCounts,
    /// Kinetic plus potential energy of the dynamic bodies (J); `null` if not requested.
    pub energy: Option<EnergyRange>,
    /// Samples during the run.
    pub samples: Vec<Sample>,
    /// All bodies at the end, in the order of the file.
    pub bodies: Vec<BodyState>,
    /// The contacts of the last step.
    pub contacts: Vec<ContactState>,
}

/// Wall time of the steps (ms).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Milliseconds {
    /// Sum over all steps.
    pub total: f64,
    /// Median of a step.
    pub median: f64,
    /// 95th percentile of a step.
    pub p95: f64,
    /// The longest step.
    pub max: f64,
    /// Sum over all steps, by stage.
    pub stages: StageMilliseconds,
}

/// Wall time of each stage over all steps (ms); in JSON an object in the order of the schedule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageMilliseconds(pub [f64; Stage::ALL.len()]);

impl Serialize for StageMilliseconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Stage::ALL.iter().map(|stage| (stage.name(), self.0[*stage as usize])))
    }
}

impl Milliseconds {
    /// Figures of the steps' times, each in ms.
    pub fn of(steps: &[f64], stages: StageMilliseconds) -> Self {
        let mut sorted = steps.to_vec();
        sorted.sort_by(f64::total_cmp);
        // The least time that this part of the steps does not exceed.
        let within = |part: f64| {
            let rank = (part * sorted.len() as f64).ceil() as usize;
            sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        Self { total: steps.iter().sum(), median: within(0.5), p95: within(0.95), max: within(1.0), stages }
    }
}

/// Counts of a run: the state after the last step, and sums over all steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunCounts {
    /// Bodies of every kind, in the last step.
    pub bodies: usize,
    /// Pairs of the broad phase, in the last step.
    pub pairs: usize,
    /// Manifolds with at least one point, in the last step.
    pub manifolds: usize,
    /// Contact points, in the last step.
    pub points: usize,
    /// Awake islands with a contact, in the last step.
    pub islands: usize,
    /// Sleeping bodies, in the last step: `parked` in results.
    #[serde(rename = "parked")]
    pub asleep: usize,
    /// Frictional impacts, over all steps.
    pub impacts: usize,
    /// Linear programs solved, over all steps.
    pub lp_solves: usize,
    /// Pivoting and Newton solves, over all steps.
    pub pivot_solves: usize,
    /// Solves by a fallback method because the first one failed, over all steps.
    pub fallbacks: usize,
}

impl RunCounts {
    /// Adds the counts of a step.
    pub fn add(&mut self, step: &Counts) {
        *self = Self {
            bodies: step.bodies,
            pairs: step.pairs,
            manifolds: step.manifolds,
            points: step.points,
            islands: step.islands,
            asleep: step.asleep,
            impacts: self.impacts + step.impacts,
            lp_solves: self.lp_solves + step.lp_solves,
            pivot_solves: self.pivot_solves + step.direct_solves,
            fallbacks: self.fallbacks + step.fallbacks,
        };
    }
}

/// Energy over a run (J).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EnergyRange {
    /// Before the first step.
    pub start: f64,
    /// After the last step.
    pub end: f64,
    /// The greatest value.
    pub max: f64,
}

impl EnergyRange {
    /// A range with one value.
    pub fn starting(energy: f64) -> Self {
        Self { start: energy, end: energy, max: energy }
    }

    /// Adds the energy after a step.
    pub fn add(&mut self, energy: f64) {
        self.end = energy;
        self.max = self.max.max(energy);
    }
}

/// One moment of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Sample {
    /// Steps taken so far.
    pub step: u64,
    /// Time since the start (s).
    pub time: f64,
    /// Energy (J); `null` if not requested.
    pub energy: Option<f64>,
    /// The selected bodies, in the order of the selection.
    pub bodies: Vec<BodyState>,
}

/// Pose and velocities of a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyState {
    /// Its name in the scene, or `null`.
    pub name: Option<String>,
    /// Position of its origin (m).
    pub position: [Real; 3],
    /// Orientation: x, y, z, w.
    pub orientation: [Real; 4],
    /// Velocity of its centre of mass (m/s).
    pub linear_velocity: [Real; 3],
    /// Angular velocity in world axes (rad/s).
    pub angular_velocity: [Real; 3],
}

impl BodyState {
    /// The state of an entity; missing components have their defaults.
    pub fn of(world: &World, entity: Entity, name: Option<&str>) -> Self {
        let part = |v: Option<Vec3>| v.unwrap_or(Vec3::ZERO).to_array();
        Self {
            name: name.map(str::to_owned),
            position: part(world.get::<&Position>(entity).ok().map(|p| p.0)),
            orientation: world.get::<&Orientation>(entity).map_or(Quat::IDENTITY, |q| q.0).to_array(),
            linear_velocity: part(world.get::<&LinearVelocity>(entity).ok().map(|v| v.0)),
            angular_velocity: part(world.get::<&AngularVelocity>(entity).ok().map(|v| v.0)),
        }
    }
}

/// A contact point of the last step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContactState {
    /// Indices of the two bodies in the file; `null` for an entity that is not part of the scene.
    pub bodies: [Option<usize>; 2],
    /// Position in the world (m).
    pub point: [Real; 3],
    /// Unit normal from the first body to the second.
    pub normal: [Real; 3],
    /// Impulse on the second body over the step (N s).
    pub impulse: [Real; 3],
}

impl ContactState {
    /// The contact, with entities mapped to indices.
    pub fn of(contact: &ContactPoint, index: impl Fn(Entity) -> Option<usize>) -> Self {
        Self {
            bodies: contact.entities.map(index),
            point: contact.point.to_array(),
            normal: contact.normal.to_array(),
            impulse: contact.impulse.to_array(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_of_steps() {
        let steps: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let ms = Milliseconds::of(&steps, StageMilliseconds::default());
        assert_eq!((ms.total, ms.median, ms.p95, ms.max), (5050.0, 50.0, 95.0, 100.0));
        assert_eq!(Milliseconds::of(&[], StageMilliseconds::default()), Milliseconds::default());
        assert_eq!(Milliseconds::of(&[7.0], StageMilliseconds::default()).median, 7.0);
    }

    #[test]
    fn stages_are_named_in_the_order_of_the_schedule() {
        let text = serde_json::to_string(&StageMilliseconds([1.5; Stage::ALL.len()])).unwrap();
        assert!(
            text.starts_with(r#"{"gather":1.5,"broad_phase":1.5,"contact_sources":1.5,"narrow_phase":1.5,"#),
            "{text}"
        );
    }

    #[test]
    fn state_counts_are_the_last_steps_and_work_adds_up() {
        let mut counts = RunCounts::default();
        counts.add(&Counts { bodies: 3, points: 8, impacts: 5, ..Counts::default() });
        counts.add(&Counts { bodies: 2, points: 4, impacts: 1, ..Counts::default() });
        assert_eq!((counts.bodies, counts.points, counts.impacts), (2, 4, 6));
    }
}
