use crate::math::{Real, Vec3};

/// The state of a joint, written by each step in which one of its bodies is awake. The step adds it
/// to the joint's entity if it is missing; spawn the joint with it to avoid the change of
/// archetype.
///
/// | | size (`f32`) | alignment |
/// |---|---|---|
/// | `JointState` | 56 | 4 |
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointState {
    /// Position of the second anchor relative to the first, in the axes of the first joint frame
    /// (m). For [`JointKind::Distance`] and [`JointKind::Spring`](super::JointKind::Spring), x is
    /// the distance of the anchors, and y and z are 0. For [`JointKind::Pulley`](super::JointKind::Pulley)
    /// x is the length that it bounds, and y and z are the distances of the anchors from its points.
    ///
    /// [`JointKind::Distance`]: super::JointKind::Distance
    pub position: Vec3,
    /// Rotation vector of the second joint frame relative to the first, in the axes of the first
    /// (rad). With one free rotation axis, its angle counts full turns. With two, these are the
    /// angles about an axis of the first frame and then about one of the second. Of a swing-twist
    /// joint these are the twist about x and the swings about y and z. Of two gears x and y are their
    /// angles against the line of centres, without full turns; of a rack and its pinion x is the angle
    /// of the pinion against the rack, and y the rack's place (m). Of a winch x is the angle of the drum against the rope, y the free length
    /// (m), and z the free length and what was wound up since the joint was new (m).
    pub angle: Vec3,
    /// Mean force on the second body over the last step, at its anchor, world axes (N).
    pub force: Vec3,
    /// Mean torque on the second body over the last step, without the moment of the force, world
    /// axes (N m).
    pub torque: Vec3,
    /// True if the joint is broken, and so without effect. Set it to false to repair the joint.
    pub broken: bool,
    /// The joint's stable number in one [`Physics`](crate::Physics).
    pub(crate) slot: u32,
}

impl JointState {
    /// The state of a new joint whose angle is known: for a revolute joint that starts more than
    /// half a turn from zero.
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
