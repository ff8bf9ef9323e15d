//! The laws of joints: the coordinates of a joint, and the constraint rows of each kind. Pure
//! functions.
//!
//! A joint of any kind is a list of rows. Each row has a coordinate (an offset along an axis, a
//! distance, an angle) and a law: lock, limits, a target rate, or a spring.
//! [`solver`](crate::solver) computes the impulses.

mod coordinates;
mod gears;
mod geometry;
mod gradient;
mod midpoint_inertia;
mod midpoint_inertia_lanes;
mod pulley;
mod reachable_rows;
mod rows;
mod swing_twist;
mod winch;

pub(crate) use coordinates::universal_axis;
pub use coordinates::{JointCoordinates, hinge_axis, needs_coordinates, unwrap_angle};
pub use geometry::{JointGeometry, RowJacobian};
pub use midpoint_inertia::MidpointInertia;
pub(crate) use midpoint_inertia_lanes::{MidpointInertiaKernel, MidpointInertiaLanes, midpoint_rule_suffices};
pub use pulley::force_on_first;
pub use reachable_rows::{BodyResponse, retain_reachable};
pub use rows::rows;
pub use winch::{Rope, new_winch, turned_winch};
