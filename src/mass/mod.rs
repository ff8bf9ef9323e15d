//! Mass, centre of mass and inertia of shapes and meshes. Pure functions, always in `f64`.
//!
//! The result is a [`MassProperties`]: closed forms of [`solids`], closed triangle meshes
//! ([`solid_mesh`], [`hollow_mesh`]), convex meshes with rounded edges ([`rounded_mesh`]), parry
//! shapes ([`of_shape`]), and compounds ([`combine`]). Open meshes and shapes without volume give a
//! [`MassError`] that names the edge or the shape.
//!
//! Lengths are in metres, masses in kilograms, densities in kg/m³ (kg/m² for hollow meshes),
//! inertia in kg m².

mod closed;
mod eigen;
mod error;
mod mesh;
mod moments;
mod properties;
mod revolution;
mod rounded;
mod shape;
pub mod solids;
mod tensors;

pub use eigen::principal_axes;
pub use error::MassError;
pub use mesh::{hollow_mesh, solid_mesh};
pub use properties::{MassProperties, combine, validate_inertia};
pub use rounded::rounded_mesh;
pub use shape::of_shape;
pub(crate) use shape::{BOX_TRIANGLES, box_corners};
