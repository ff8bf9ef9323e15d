//! The stages of the step, one file or folder each. They are thin: they read the state, apply a law
//! and write the result.

pub mod broad_phase;
pub(crate) mod ccd;
pub mod contact_hooks;
pub mod contact_sources;
mod driven;
pub(crate) mod energy;
pub mod events;
pub(crate) mod fast_bodies;
pub mod gather;
pub mod impacts;
pub mod islands;
pub(crate) mod joint_force_rows;
pub(crate) mod joints;
pub(crate) mod kinematic_targets;
pub mod motion;
pub mod narrow_phase;
pub(crate) mod out_of_range;
pub(crate) mod pair_rules;
pub mod scatter;
pub mod sleep;
pub(crate) mod sleep_requests;
pub mod solve;
pub(crate) mod statics;
pub(crate) mod velocity_limits;
pub(crate) mod waking;
