//! Laws of motion: free flight, rotation, damping, interpolation, fixed steps. Pure functions of
//! the engine's scalar.
//!
//! A body in free flight under constant force and torque moves exactly along its parabola
//! ([`ballistic`]) and keeps its angular momentum in world axes exactly ([`rotation`]). The first
//! contact of two moving shapes is found by continuous collision detection ([`time_of_impact`]).
//! Rounding errors are carried from step to step ([`CompensatedSum`], and the residual of a
//! [`RotationState`](rotation::RotationState)).

pub mod ballistic;
pub(crate) mod block;
pub mod center;
mod clearance;
mod compensated;
pub mod damping;
pub mod energy;
mod feature_axis;
mod fixed_step;
mod interpolation;
mod rotating_frame;
pub mod rotation;
mod swept_shape;
mod time_of_impact;
mod trajectory;
mod trig;

pub use compensated::CompensatedSum;
pub use fixed_step::{FixedStep, FrameSteps};
pub use interpolation::interpolate;
pub use swept_shape::SweptShape;
pub(crate) use swept_shape::for_part_pairs;
pub(crate) use time_of_impact::time_of_impact_convex;
pub use time_of_impact::{ImpactSearch, TimeOfImpact, time_of_impact};
pub use trajectory::{Trajectory, Turning};
