//! Contacts: manifolds, the kernels that find them, and the contact graph that keeps them from step to step.

mod graph;
pub mod kernels;
mod manifold;

pub(crate) use graph::{Composite, Record, Visit};
pub use graph::{Contact, ContactGraph, Pair, Status};
pub use manifold::{MAX_POINTS, Manifold, ManifoldPoint};
