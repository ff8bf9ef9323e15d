//! Contacts: manifolds, the kernels that find them, and the contact graph that keeps them from step to step; what a game adds
//! to them: kernels, filters and hooks, and sources of its own.

mod graph;
mod hooks;
pub mod kernels;
mod manifold;
mod source;

pub(crate) use graph::{Composite, Look, Record, Visit, make_room};
pub use graph::{Contact, ContactGraph, Pair, Status};
pub use hooks::{ContactEdit, ContactHooks, SurfaceMotion};
pub use manifold::{MAX_POINTS, Manifold, ManifoldPoint};
pub use source::{ContactSources, Emission, SourceContact, SourceContacts, SourcePoint};
