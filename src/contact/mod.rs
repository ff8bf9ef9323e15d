//! Contacts: manifolds and the contact graph that keeps them from step to step.

pub mod kernels;
mod manifold;

pub use manifold::{MAX_POINTS, Manifold, ManifoldPoint};
