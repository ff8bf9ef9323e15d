//! Laws of motion: free flight, rotation, damping, interpolation, fixed steps. Pure functions of the engine's scalar.
//!
//! A body in free flight under constant force and torque moves exactly along its parabola ([`ballistic`]) and turns
//! with its angular momentum in world axes kept exactly ([`rotation`]). What rounding would lose from step to step is
//! carried along ([`Carried`], and the residual of a [`Spin`](rotation::Spin)).

pub mod ballistic;
mod carried;
pub mod center;
pub mod damping;
mod elementary;
mod fixed_step;
mod interpolation;
pub mod rotation;

pub use carried::Carried;
pub use fixed_step::{FixedStep, FrameSteps};
pub use interpolation::interpolate;
