#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]
mod active_set;
pub mod activity;
mod advance;
#[doc(hidden)]
pub mod bodies;
mod clock;
#[doc(hidden)]
pub mod colliders;
pub mod components;
#[doc(hidden)]
pub mod contact;
pub mod contact_forces;
pub mod control;
pub mod debug;
pub mod energy;
pub mod error;
pub mod event;
#[cfg(feature = "serialize")]
mod file_form;
mod game_time;
pub mod guide;
#[doc(hidden)]
pub mod ids;
#[doc(hidden)]
pub mod impact;
mod inputs;
#[doc(hidden)]
pub mod islands;
#[doc(hidden)]
pub mod joint;
#[doc(hidden)]
pub mod joints;
pub mod mass;
pub mod math;
pub mod motion;
mod parallel;
pub mod particles;
mod persist;
pub mod physics;
mod pipeline;
mod prefetch;
mod quarantine;
pub mod query;
mod ranges;
#[cfg(feature = "serialize")]
pub mod recording;
pub mod report;
#[doc(hidden)]
pub mod resting;
mod rows;
#[cfg(feature = "serialize")]
pub mod scene;
pub mod schedule;
pub mod settings;
mod shapes;
mod sleep;
pub mod snapshot;
#[doc(hidden)]
pub mod solver;
mod solver_reason;
mod stage;
#[doc(hidden)]
pub mod state;
pub mod statics;
#[doc(hidden)]
pub mod systems;
mod tolerances;

/// The modules for those who extend the engine, or use its laws by themselves: contact hooks, kernels and
/// sources, the state between two stages, solvers and impact laws as functions.
pub mod engine {
    #[doc(inline)]
    pub use crate::{bodies, colliders, contact, ids, impact, islands, joint, joints, resting, solver, state, systems};
}

pub use activity::Activity;
pub use advance::Frame;
pub use components::*;
pub use contact_forces::{ContactPoint, PairForce};
pub use error::{ShapeError, StepError};
pub use event::Event;
pub use game_time::{GameTime, RenderPose, RenderPoses};
pub use glam;
pub use hecs;
pub use math::parry;
pub use physics::Physics;
pub use report::{Counts, StageTimes, StepReport};
pub use schedule::Schedule;
pub use settings::{Accuracy, ImpactModel, Settings};
pub use snapshot::{Restored, Snapshot};
pub use solver_reason::{SolverReason, SolverReasons};
pub use stage::Stage;
pub use state::State;

/// The items that most games need: all components, [`Physics`], its settings, errors, events and
/// stages, queries, characters and vehicles, fixed steps and the math types.
pub mod prelude {
    pub use crate::components::*;
    pub use crate::control::{Character, CharacterState, Vehicle, step_characters, step_vehicles};
    pub use crate::math::{Pose, Quat, Real, Vec3};
    pub use crate::motion::{FixedStep, interpolate};
    pub use crate::query::{Filter, Probe, Ray, ShapeCast};
    pub use crate::{
        Accuracy, Event, GameTime, ImpactModel, Physics, RenderPose, Settings, Stage, StepError, StepReport,
    };
    pub use hecs::Entity;
}
