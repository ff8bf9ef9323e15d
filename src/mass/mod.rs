//! Mass, centre of mass and inertia of shapes and meshes. Pure functions, always in `f64`.
//!
//! Everything ends in a [`MassProperties`]: the closed forms of [`solids`], any closed triangle mesh ([`solid_mesh`],
//! [`hollow_mesh`]), convex meshes with rounded edges ([`rounded_mesh`]), any parry shape ([`of_shape`]), and bodies
//! put together from parts ([`combine`]). A mesh that has no inside, or a shape that has no volume, is a
//! [`MassError`] that says which edge or shape it is.
//!
//! Lengths are in metres, masses in kilograms, densities in kg/m³ (kg/m² for hollow meshes), inertia in kg m².

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

pub use eigen::principal_axes;
pub use error::MassError;
pub use mesh::{hollow_mesh, solid_mesh};
pub use properties::{MassProperties, combine, validate_inertia};
pub use rounded::rounded_mesh;
pub use shape::of_shape;
