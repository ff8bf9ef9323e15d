use crate::math::{Quat, Vec3};

/// The target pose of a kinematic body at the end of the next step. The step derives the velocities
/// that lead there, so that the body pushes and carries others; it does not overshoot, and a
/// constant target brings the body to rest.
///
/// To move a platform along a path, set this before each step and leave the velocities alone.
/// On a dynamic or static body it is an error of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct KinematicTarget {
    /// Position of the body's origin (m).
    pub position: Vec3,
    /// Orientation of the body, reached by the shorter rotation; `None`: it keeps the one that it
    /// has.
    pub orientation: Option<Quat>,
}

impl KinematicTarget {
    /// A position (m). The body keeps its orientation.
    pub const fn at(position: Vec3) -> Self {
        Self { position, orientation: None }
    }

    /// A position (m) and an orientation.
    pub const fn pose(position: Vec3, orientation: Quat) -> Self {
        Self { position, orientation: Some(orientation) }
    }
}
