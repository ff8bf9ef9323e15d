//! Recordings: a run of a world that replays bit for bit without the game.
//!
//! A recording is the state of the world at its start, then for each step its length, what the game
//! changed since the step before (entities spawned and despawned, components written or removed,
//! settings), and a hash of the state after the step. [`Recorder::step`] takes the place of
//! [`Physics::step`]. The step itself finds what changed, so a game announces nothing.
//!
//! ```
//! use dolmen::prelude::*;
//! use dolmen::recording::{Recorder, Recording};
//! let (mut world, mut physics) = (hecs::World::new(), Physics::default());
//! world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
//! let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, 2.0, 0.0));
//! let mut recorder = Recorder::new(&world, &physics)?;
//! for step in 0..60 {
//!     if step == 30 {
//!         world.get::<&mut LinearVelocity>(ball).unwrap().0.x = 3.0;
//!     }
//!     recorder.step(&mut physics, &mut world, 1.0 / 60.0)?;
//! }
//! let file = recorder.recording().to_bytes();
//!
//! let settings = Settings { threads: Some(2), ..Settings::default() };
//! let recording = Recording::from_bytes(&file)?;
//! let mut replay = recording.replay(Physics::new(settings))?;
//! while replay.step()? {}
//! assert_eq!(replay.steps(), 60);
//! let place = |world: &hecs::World| world.get::<&Position>(ball).unwrap().0;
//! assert_eq!(place(replay.world()), place(&world));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Start** before the first step or between any two. [`Recorder::ring`] keeps the last seconds
//! only.
//!
//! **A recording contains** bodies, further colliders and joints, under their own entities, with
//! all components of [`components`](crate::components) but [`Particle`](crate::Particle); and
//! [`Settings`], of which the number of threads is the caller's at replay. A value at
//! which no step looks, such as the velocity of a static body, is recorded once a step does.
//!
//! **The caller gives again**, in the [`Physics`] that it passes to [`Recording::replay`]: pair
//! kernels, contact hooks, contact sources and user systems. They must be pure functions of what
//! the recording contains. One that is missing, or was not there, is an error that names it.
//!
//! **What cannot be recorded** is an error: custom shapes and particles ([`RecordError::Shape`] and
//! [`RecordError::Particle`] name the entity), and a step or restored snapshot behind the recorder's
//! back ([`RecordError::Interrupted`]).
//!
//! **Size**: about 20 bytes a step, two bytes for each body that moved in it, and the changes. A
//! sleeping world costs the 20 bytes. What user systems write into components, and the velocities that
//! follow from a [`KinematicTarget`](crate::KinematicTarget), count as changes. The two bytes name the body that first differs in a replay;
//! the hash of eight bytes finds that one does.

mod changes;
mod columns;
mod digest;
mod file;
mod mirror;
mod recorder;
mod replay;
mod shapes;
mod taking;

pub use file::RecordingError;
pub use recorder::{RecordError, Recorder};
pub use replay::{Replay, ReplayError};

use crate::math::Real;
use crate::physics::Physics;
use crate::settings::Settings;
use changes::Change;
use serde::{Deserialize, Serialize};
use shapes::StoredShape;

/// A run of a world: see the [module](self).
#[derive(Clone)]
pub struct Recording {
    start: Start,
    shapes: Vec<StoredShape>,
    steps: Vec<RecordedStep>,
}

impl Recording {
    /// The number of steps.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The recorded time: the sum of the lengths of its steps (s).
    pub fn seconds(&self) -> f64 {
        self.steps.iter().map(|step| f64::from(step.dt)).sum()
    }

    /// The hash of the state after each step: equal runs have equal hashes.
    pub fn hashes(&self) -> impl Iterator<Item = u64> + '_ {
        self.steps.iter().map(RecordedStep::hash)
    }
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("steps", &self.steps.len()).finish_non_exhaustive()
    }
}

/// The state before the first step.
#[derive(Clone, Serialize, Deserialize)]
struct Start {
    extensions: Extensions,
    settings: Settings,
    /// The file of a [`Snapshot`](crate::Snapshot).
    snapshot: Vec<u8>,
    entities: Vec<Change>,
}

/// One step.
#[derive(Clone, Serialize, Deserialize)]
struct RecordedStep {
    dt: Real,
    /// The settings, if they changed.
    settings: Option<Box<Settings>>,
    changes: Vec<Change>,
    hash: [u8; 8],
    /// Short digests of the bodies that moved, two bytes each.
    bodies: Vec<u8>,
}

impl RecordedStep {
    fn hash(&self) -> u64 {
        u64::from_le_bytes(self.hash)
    }
}

/// Which extensions of the game a [`Physics`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Extensions {
    kernels: bool,
    hooks: bool,
    sources: bool,
    user_systems: bool,
}

impl Extensions {
    fn of(physics: &Physics) -> Self {
        Self {
            kernels: !physics.kernels.is_empty(),
            hooks: !physics.hooks.is_empty(),
            sources: !physics.sources.is_empty(),
            user_systems: !physics.schedule.is_empty(),
        }
    }

    /// The extension in which two differ, and whether the first has it.
    fn difference(self, other: Self) -> Option<(&'static str, bool)> {
        [
            ("pair kernels", self.kernels, other.kernels),
            ("contact hooks", self.hooks, other.hooks),
            ("contact sources", self.sources, other.sources),
            ("user systems", self.user_systems, other.user_systems),
        ]
        .into_iter()
        .find(|(_, own, others)| own != others)
        .map(|(name, own, _)| (name, own))
    }
}
