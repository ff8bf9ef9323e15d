use crate::math::{Quat, Real, Vec3};

/// Mass of a dynamic body (kg), positive. Without it the mass follows from the colliders and their
/// [`Density`].
///
/// With it, and without [`Inertia`], the inertia of the colliders is scaled to this mass.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Mass` in `f32` / `f64` | 4 / 8 | 4 / 8 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Mass(pub Real);

/// Density of a collider (kg/m³), positive. Default: 1000 (water).
///
/// | | size | alignment |
/// |---|---|---|
/// | `Density` in `f32` / `f64` | 4 / 8 | 4 / 8 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Density(pub Real);

impl Default for Density {
    fn default() -> Self {
        Self(1000.0)
    }
}

/// Inertia of a dynamic body about its centre of mass: principal moments (kg m²) and the rotation
/// from principal axes to body axes. Without it the inertia follows from the colliders.
///
/// The moments must be positive and satisfy the triangle inequality I1 + I2 >= I3 in every order.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Inertia` in `f32` / `f64` | 32 / 56 | 16 / 8 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Inertia {
    /// Principal moments of inertia (kg m²).
    pub principal: Vec3,
    /// Rotation from the principal axes to the body's axes.
    pub frame: Quat,
}

impl Inertia {
    /// Principal moments along the body's own axes.
    pub const fn diagonal(x: Real, y: Real, z: Real) -> Self {
        Self { principal: Vec3::new(x, y, z), frame: Quat::IDENTITY }
    }
}

/// Centre of mass in the body's axes, from its origin (m). Without it the centre follows from the
/// colliders.
///
/// | | size | alignment |
/// |---|---|---|
/// | `CenterOfMass` in `f32` / `f64` | 12 / 24 | 4 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct CenterOfMass(pub Vec3);
