//! The replay of a recording.

use super::digest::Digests;
use super::shapes::LoadedShapes;
use super::{Extensions, Recording};
use crate::error::StepError;
use crate::physics::Physics;
use crate::report::StepReport;
use crate::settings::Settings;
use crate::snapshot::Snapshot;
use hecs::{Entity, World};
use std::fmt;

/// Why a replay ended before the recording did. Steps count from 1, as [`Replay::steps`] does.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ReplayError {
    /// The state after a step differs from the recorded one.
    Differs {
        /// The first step after which it does.
        step: usize,
        /// The first body, by slot, that differs; `None` if no body that moved in both does: bodies,
        /// contacts or joints differ in number.
        entity: Option<Entity>,
    },
    /// The recording contains something impossible.
    Damaged {
        /// The step; 0 for the start.
        step: usize,
        /// Description of the problem.
        problem: String,
    },
    /// The [`Physics`] given lacks extensions that the recorded one had.
    Missing {
        /// The kind: pair kernels, contact hooks, contact sources or user systems.
        extension: &'static str,
    },
    /// The [`Physics`] given has extensions that the recorded one had not.
    Unexpected {
        /// The kind, as for [`ReplayError::Missing`].
        extension: &'static str,
    },
    /// A step was refused.
    Step {
        /// The step.
        step: usize,
        /// The reason.
        error: StepError,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differs { step, entity: Some(entity) } => write!(f, "step {step}: {entity:?} differs"),
            Self::Differs { step, entity: None } => write!(f, "step {step}: the state differs"),
            Self::Damaged { step, problem } => write!(f, "step {step}: the recording is damaged: {problem}"),
            Self::Missing { extension } => write!(f, "the recorded world had {extension}, and this one has none"),
            Self::Unexpected { extension } => write!(f, "the recorded world had no {extension}, and this one has"),
            Self::Step { step, error } => write!(f, "step {step}: {error}"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// A recording that is being replayed, in a world of its own.
pub struct Replay<'a> {
    recording: &'a Recording,
    shapes: LoadedShapes,
    world: World,
    physics: Physics,
    digests: Digests,
    report: StepReport,
    steps: usize,
    /// The last difference, at which the replay ended.
    ended: Option<ReplayError>,
}

impl Recording {
    /// Begins a replay in an empty world. `physics` is new, with the number of threads to use and
    /// the extensions of the recorded one; its other settings are replaced by the recorded ones.
    ///
    /// # Errors
    /// [`ReplayError::Damaged`], [`ReplayError::Missing`] or [`ReplayError::Unexpected`].
    pub fn replay(&self, mut physics: Physics) -> Result<Replay<'_>, ReplayError> {
        match self.start.extensions.difference(Extensions::of(&physics)) {
            Some((extension, true)) => return Err(ReplayError::Missing { extension }),
            Some((extension, false)) => return Err(ReplayError::Unexpected { extension }),
            None => {}
        }
        let damaged = |problem: &str| ReplayError::Damaged { step: 0, problem: problem.into() };
        let shapes = LoadedShapes::new(&self.shapes).ok_or_else(|| damaged("the shapes"))?;
        let snapshot = Snapshot::from_bytes(&self.start.snapshot).map_err(|error| damaged(&error.to_string()))?;
        let mut world = World::new();
        let entities = &self.start.entities;
        let spawned = entities.iter().try_for_each(|change| change.apply(&mut world, &shapes));
        spawned.ok_or_else(|| damaged("the entities"))?;
        set(&mut physics, &self.start.settings);
        // An entity may be missing: the game had despawned it since the last step.
        physics.restore(&mut world, &snapshot);
        // The columns as they were, with what the game had written since the last step.
        let written = entities.iter().try_for_each(|change| change.apply(&mut world, &shapes));
        written.ok_or_else(|| damaged("the entities"))?;
        Ok(Replay {
            recording: self,
            shapes,
            world,
            physics,
            digests: Digests::new(),
            report: StepReport::default(),
            steps: 0,
            ended: None,
        })
    }
}

/// Replaces all settings but the number of threads.
fn set(physics: &mut Physics, settings: &Settings) {
    physics.settings = Settings { threads: physics.settings.threads, ..settings.clone() };
}

impl Replay<'_> {
    /// Takes the next step: `false` if there is none.
    ///
    /// # Errors
    /// [`ReplayError`] for a state that differs, or an impossible step; then every further call
    /// gives the same error.
    pub fn step(&mut self) -> Result<bool, ReplayError> {
        if let Some(error) = &self.ended {
            return Err(error.clone());
        }
        let result = self.advance();
        self.ended = result.as_ref().err().cloned();
        result
    }

    fn advance(&mut self) -> Result<bool, ReplayError> {
        let Some(recorded) = self.recording.steps.get(self.steps) else { return Ok(false) };
        let step = self.steps + 1;
        for change in &recorded.changes {
            change
                .apply(&mut self.world, &self.shapes)
                .ok_or_else(|| ReplayError::Damaged { step, problem: format!("a change of {:?}", change.entity()) })?;
        }
        if let Some(settings) = &recorded.settings {
            set(&mut self.physics, settings);
        }
        let stepped = self.physics.step(&mut self.world, recorded.dt);
        self.report = stepped.map_err(|error| ReplayError::Step { step, error })?;
        self.steps = step;
        let state = self.physics.state();
        let digest = self.digests.after_step(state);
        if digest.hash != recorded.hash() {
            let entity = self.digests.first_difference(state, &digest, &recorded.bodies);
            return Err(ReplayError::Differs { step, entity });
        }
        self.digests.advance();
        Ok(true)
    }

    /// The report of the last step.
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// The number of steps taken.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// The world after the last step.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The physics after the last step.
    pub fn physics(&self) -> &Physics {
        &self.physics
    }
}
