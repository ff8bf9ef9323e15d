//! Result of the direct solver for one body.

use crate::math::DVec3;

/// Velocities at the end of a step, and the motion within it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct BodyStep {
    /// Velocity at the end (m/s).
    pub velocity: DVec3,
    /// Angular velocity at the end (rad/s).
    pub angular_velocity: DVec3,
    /// Displacement of the centre of mass (m).
    pub displacement: DVec3,
    /// Rotation vector (rad).
    pub rotation: DVec3,
    /// True if a contact or joint acts on the body.
    pub pushed: bool,
    /// Displacement (m) besides its flight, of a body that is not pushed.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub lift: DVec3,
}
