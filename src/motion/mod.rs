//! Laws of motion: free flight, rotation, damping, interpolation, fixed steps. Pure functions of the engine's scalar.
//!
//! A body in free flight under constant force and torque moves exactly along its parabola ([`ballistic`]) and turns
//! with its angular momentum in world axes kept exactly ([`rotation`]). When it meets another on its way is found without
//! stepping over anything ([`time_of_impact`]). What rounding would lose from step to step is
//! carried along ([`Carried`], and the residual of a [`Spin`](rotation::Spin)).

pub mod ballistic;
pub(crate) mod block;
mod carried;
pub mod center;
pub mod damping;
mod elementary;
mod fixed_step;
mod interpolation;
mod mover;
mod path;
mod reach;
mod relative;
pub mod rotation;
mod time_of_impact;

pub use carried::Carried;
pub use fixed_step::{FixedStep, FrameSteps};
pub use interpolation::interpolate;
pub use mover::Mover;
pub(crate) use mover::for_part_pairs;
pub use path::{Path, Turning};
pub(crate) use time_of_impact::meeting_of_parts;
pub use time_of_impact::{Meeting, Search, time_of_impact};
