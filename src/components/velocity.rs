use crate::math::{Real, Vec3};

/// Velocity of the body's **centre of mass** in the world (m/s). Default: zero.
///
/// | | size | alignment |
/// |---|---|---|
/// | `LinearVelocity` in `f32` / `f64` | 12 / 24 | 4 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct LinearVelocity(pub Vec3);

impl LinearVelocity {
    /// The velocity (x, y, z), in metres per second.
    pub const fn new(x: Real, y: Real, z: Real) -> Self {
        Self(Vec3::new(x, y, z))
    }
}

/// Angular velocity in world axes (rad/s). Default: zero.
///
/// | | size | alignment |
/// |---|---|---|
/// | `AngularVelocity` in `f32` / `f64` | 12 / 24 | 4 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct AngularVelocity(pub Vec3);

impl AngularVelocity {
    /// The angular velocity (x, y, z), in radians per second.
    pub const fn new(x: Real, y: Real, z: Real) -> Self {
        Self(Vec3::new(x, y, z))
    }
}
