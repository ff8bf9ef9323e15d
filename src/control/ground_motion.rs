//! Moving ground: the displacement of a point on it during the coming step.

use super::slot_of;
use crate::bodies::{Bodies, Kind};
use crate::components::KinematicTarget;
use crate::math::{Pose, Quat, Real, Vec3};
use crate::motion::center::pose_after;
use hecs::{Entity, World};

/// The predicted pose of a body at the end of the coming step of `dt` (s): for a kinematic body its
/// target, if there is one.
pub(super) fn next_pose(world: &World, bodies: &Bodies, slot: usize, dt: Real) -> Pose {
    let pose = bodies.pose(slot);
    match bodies.kind[slot] {
        Kind::Kinematic | Kind::Dynamic => {}
        _ => return pose,
    }
    let target = world.get::<&KinematicTarget>(bodies.entity[slot]);
    if bodies.kind[slot] == Kind::Kinematic
        && let Ok(target) = target
    {
        return Pose::from_parts(target.position, target.orientation.map_or(pose.rotation, Quat::normalize));
    }
    let velocities = [bodies.linear_velocity[slot], bodies.angular_velocity[slot]];
    pose_after(&pose, bodies.local_center[slot], velocities, dt)
}

/// Motion of the ground under a character during a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroundMotion {
    /// Displacement (m).
    pub displacement: Vec3,
    /// Rotation about the vertical.
    pub rotation: Quat,
}

impl GroundMotion {
    pub const NONE: Self = Self { displacement: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// The motion of a point (m) on a body in the coming step of `dt` (s).
    pub fn on(world: &World, bodies: &Bodies, entity: Entity, point: Vec3, up: Vec3, dt: Real) -> Self {
        let Some(slot) = slot_of(world, bodies, entity) else { return Self::NONE };
        let (from, to) = (bodies.pose(slot), next_pose(world, bodies, slot, dt));
        let displacement = to * from.inverse_transform_point(point) - point;
        Self { displacement, rotation: twist(to.rotation * from.rotation.inverse(), up) }
    }
}

/// The twist of a rotation about a unit vector (swing-twist decomposition).
fn twist(rotation: Quat, axis: Vec3) -> Quat {
    let along = axis * axis.dot(Vec3::new(rotation.x, rotation.y, rotation.z));
    let twist = Quat::from_xyzw(along.x, along.y, along.z, rotation.w);
    if twist.length_squared() > 0.0 { twist.normalize() } else { Quat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_rotation_about_the_vertical_is_passed_on() {
        let turn = Quat::from_rotation_y(0.3);
        assert!(twist(turn, Vec3::Y).dot(turn).abs() > 1.0 - 1e-6);
        assert!(twist(Quat::from_rotation_x(0.3), Vec3::Y).dot(Quat::IDENTITY).abs() > 1.0 - 1e-6);
    }
}
