//! The laws of joints: where a joint is, and what each kind asks of its bodies. Pure functions.
//!
//! A joint of any kind is a list of rows, each a coordinate (a gap along an axis, a distance, an angle) and what is asked of
//! it: to stay, to stay within limits, to change at a rate, to be pulled. [`solver`](crate::solver) finds the impulses that
//! do it.

mod directions;
mod gradient;
mod placement;
mod rows;
mod spin;
mod spins;

pub use directions::Directions;
pub use placement::{Placement, asks_placement, tracked};
pub use rows::rows;
pub use spin::Midway;
pub(crate) use spins::{Spinning, Spins, turns_little};
