use crate::math::{Quat, Real, Vec3};

/// Position of the body's origin in the world (m). Default: the world's origin.
///
/// Written by the step for dynamic and moving kinematic bodies; writing it yourself teleports the body.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Position` in `f32` / `f64` | 12 / 24 | 4 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Position(pub Vec3);

impl Position {
    /// The position (x, y, z), in metres.
    pub const fn new(x: Real, y: Real, z: Real) -> Self {
        Self(Vec3::new(x, y, z))
    }
}

/// Orientation of the body's axes in the world: a unit quaternion. Default: the identity.
///
/// A quaternion that is not of unit length is normalised; one of length zero is an error.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Orientation` in `f32` / `f64` | 16 / 32 | 16 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Orientation(pub Quat);
