use crate::math::{Quat, Real, Vec3};

/// Position of the body's origin in the world (m). Default: the world's origin.
///
/// Written by the step for dynamic and moving kinematic bodies. If the game writes it, the body is
/// teleported.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Position` in `f32` / `f64` | 12 / 24 | 4 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Position(pub Vec3);

impl Position {
    /// The position (x, y, z), in metres.
    pub const fn new(x: Real, y: Real, z: Real) -> Self {
        Self(Vec3::new(x, y, z))
    }
}

/// Orientation of the body's axes in the world: a quaternion. Default: the identity.
///
/// It is normalised by the step; a quaternion of length zero is an error.
///
/// | | size | alignment |
/// |---|---|---|
/// | `Orientation` in `f32` / `f64` | 16 / 32 | 16 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Orientation(pub Quat);
