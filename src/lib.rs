#![doc = include_str!("../README.md")]
mod ahead;
mod awake;
pub mod bodies;
pub mod colliders;
pub mod components;
pub mod contact;
pub mod control;
pub mod error;
pub mod event;
pub mod forces;
pub mod guide;
pub mod impact;
pub mod index;
mod inputs;
pub mod islands;
pub mod joint;
pub mod joints;
mod kept;
pub mod mass;
pub mod math;
pub mod motion;
mod parallel;
pub mod particles;
pub mod physics;
pub mod query;
pub mod report;
mod rest;
pub mod resting;
#[cfg(feature = "serialize")]
pub mod scene;
pub mod schedule;
pub mod settings;
pub mod snapshot;
pub mod solver;
mod stage;
pub mod statics;
pub mod systems;
pub mod tolerances;

pub use components::*;
pub use error::{ShapeError, StepError};
pub use event::Event;
pub use forces::{ContactPoint, PairForce};
pub use glam;
pub use hecs;
pub use math::parry;
pub use physics::Physics;
pub use report::{Counts, StageTimes, StepReport};
pub use schedule::Schedule;
pub use settings::{Accuracy, ImpactModel, Settings};
pub use snapshot::{Restored, Snapshot};
pub use stage::Stage;
pub use systems::state::State;

/// What most games need.
pub mod prelude {
    pub use crate::components::*;
    pub use crate::math::{Pose, Quat, Real, Vec3};
    pub use crate::{Accuracy, Event, ImpactModel, Physics, Settings, Stage};
}
