//! Random plans.

mod added;
mod bodies;
mod edits;
mod floors;
mod joints;
mod mechanisms;
mod parts;
mod shapes;
mod worlds;

pub use worlds::plan;
