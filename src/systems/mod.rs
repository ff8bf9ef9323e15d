//! The stages of the step, a file each, thin: data in, a law applied, data out.

pub(crate) mod bonds;
pub(crate) mod bounds;
pub mod broad_phase;
pub mod contact_hooks;
pub mod contact_sources;
pub mod events;
pub mod gather;
pub mod impacts;
pub mod islands;
pub(crate) mod joints;
pub(crate) mod limits;
pub mod motion;
pub mod narrow_phase;
pub(crate) mod pace;
pub mod rest;
pub mod resting;
pub(crate) mod rows;
pub mod scatter;
pub mod state;
pub(crate) mod statics;
pub(crate) mod sweep;
pub(crate) mod targets;
pub(crate) mod waking;
