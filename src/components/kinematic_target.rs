use crate::math::{Quat, Vec3};

/// Where a kinematic body is to be at the end of the next step. The step gives it the velocities that lead there, so that what
/// it meets is pushed and carried, and it goes no farther: a target that stays where it is brings the body to rest.
///
/// A game that moves a platform along a path sets this before each step, and leaves the velocities alone. Only kinematic bodies
/// heed it.
///
/// | | size | alignment |
/// |---|---|---|
/// | `KinematicTarget` in `f32` / `f64` | 32 / 56 | 16 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct KinematicTarget {
    /// Position of the body's origin (m).
    pub position: Vec3,
    /// Orientation of its axes; it turns there the shorter way round.
    pub orientation: Quat,
}

impl KinematicTarget {
    /// A position (m) without a turn.
    pub const fn at(position: Vec3) -> Self {
        Self { position, orientation: Quat::IDENTITY }
    }
}
