use crate::math::{Real, Vec3};

/// What a joint does, written by each step in which one of its bodies is awake. The step adds it to the joint's entity where
/// it is missing; spawn the joint together with it, and it is not moved to another archetype.
///
/// | | size (`f32`) | alignment |
/// |---|---|---|
/// | `JointState` | 56 | 4 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointState {
    /// Where the second anchor is from the first, in the axes of the first joint frame (m). For [`JointKind::Distance`] and
    /// [`JointKind::Spring`](super::JointKind::Spring), x is the distance of the anchors, y and z are 0.
    ///
    /// [`JointKind::Distance`]: super::JointKind::Distance
    pub position: Vec3,
    /// How the second joint frame is turned against the first: the rotation vector in the axes of the first (rad). About an
    /// axis that is the only one free to turn about, it counts full turns. Where two are free, the angles about one of the
    /// first frame and then one of the second.
    pub angle: Vec3,
    /// Mean force on the second body over the last step, at its anchor, world axes (N).
    pub force: Vec3,
    /// Mean torque on the second body over the last step, beside that of the force, world axes (N m).
    pub torque: Vec3,
    /// Whether it broke: it holds nothing any more. Set it to false to mend it.
    pub broken: bool,
    /// The joint's stable number in one [`Physics`](crate::Physics).
    pub(crate) slot: u32,
}

impl JointState {
    /// Of a joint that no step has seen yet, whose angle is known: for a revolute joint that begins more than half a turn
    /// from its zero.
    pub fn at_angle(angle: Real) -> Self {
        Self { angle: Vec3::X * angle, ..Self::default() }
    }
}

impl Default for JointState {
    fn default() -> Self {
        Self {
            position: Vec3::ZERO,
            angle: Vec3::ZERO,
            force: Vec3::ZERO,
            torque: Vec3::ZERO,
            broken: false,
            slot: u32::MAX,
        }
    }
}
