//! Rigid-body physics that lives inside a hecs world.

pub mod contact;
pub mod impact;
pub mod mass;
pub mod math;
pub mod motion;
pub mod resting;
pub mod solver;
pub mod tolerances;
