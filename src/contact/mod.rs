//! Contacts: manifolds, contact kernels, and the persistent contact graph; and the extension
//! points: pair kernels, contact hooks and contact sources.

mod graph;
mod hooks;
pub mod kernels;
mod manifold;
mod source;

pub(crate) use graph::{CompositeContacts, CompositeUpdate, ContactRecord, NarrowPhaseCache, reserve_one};
pub use graph::{Contact, ContactGraph, Pair, Status};
pub use hooks::{ContactEdit, ContactHooks, SurfaceMotion};
pub(crate) use manifold::FACE_POINTS;
pub use manifold::{MAX_POINTS, Manifold, ManifoldPoint};
pub use source::{ContactSources, Emission, SourceContact, SourceContacts, SourcePoint};
