//! The origin of a body and its centre of mass: positions refer to the first, velocities to the
//! second.

use crate::math::{Pose, Quat, Real, Vec3, turn};

use super::rotation::{integrate_orientation, rotation_vector};

/// The centre of mass in world axes (m) of a body; `local_center` is the centre in the body's axes.
#[inline]
pub fn center_of(pose: &Pose, local_center: Vec3) -> Vec3 {
    pose.translation + turn::rotate(pose.rotation, local_center)
}

/// The pose of a body (its origin) whose centre of mass is at `center` (m).
#[inline]
pub fn pose_of(center: Vec3, orientation: Quat, local_center: Vec3) -> Pose {
    Pose::from_parts(center - turn::rotate(orientation, local_center), orientation)
}

/// The pose after a time `t` (s) of uniform motion: its centre of mass with the first velocity (m/s),
/// and a rotation about it with the second (rad/s, world axes).
pub fn pose_after(pose: &Pose, local_center: Vec3, [velocity, angular_velocity]: [Vec3; 2], t: Real) -> Pose {
    let turned = integrate_orientation(pose.rotation, angular_velocity * t);
    pose_of(center_of(pose, local_center) + velocity * t, turned, local_center)
}

/// Velocity (m/s) of the point `arm` away from the centre of mass (m, world axes).
#[inline]
pub fn velocity_at(velocity: Vec3, angular_velocity: Vec3, arm: Vec3) -> Vec3 {
    velocity + angular_velocity.cross(arm)
}

/// The constant velocity of the centre of mass (m/s) and angular velocity (rad/s, world axes) from
/// one pose to another in `h` seconds, by the shorter rotation: a kinematic body follows its target
/// this way.
///
/// The centre of rotation is `local_center`; a motion with these velocities and
/// [`integrate_orientation`] arrives at `to`.
pub fn velocity_between(from: &Pose, to: &Pose, local_center: Vec3, h: Real) -> (Vec3, Vec3) {
    let travel = center_of(to, local_center) - center_of(from, local_center);
    (travel / h, rotation_vector(to.rotation * from.rotation.inverse()) / h)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_velocity_between_two_poses_leads_from_one_to_the_other() {
        let from = Pose::from_parts(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_y(0.3));
        let to = Pose::from_parts(Vec3::new(-2.0, 0.0, 3.5), Quat::from_rotation_x(2.5) * from.rotation);
        let (center, h) = (Vec3::new(0.0, 0.5, -0.25), 0.02);
        let (v, w) = velocity_between(&from, &to, center, h);
        let there = pose_after(&from, center, [v, w], h);
        assert!((there.translation - to.translation).length() < 2e-6);
        assert!(there.rotation.dot(to.rotation).abs() > 1.0 - 1e-6);
    }

    #[test]
    fn a_body_that_spins_about_its_centre_swings_its_origin() {
        let center = Vec3::X;
        let spun = pose_of(Vec3::ZERO, Quat::from_rotation_z(crate::math::consts::PI), center);
        assert!((spun.translation - Vec3::X).length() < 1e-6);
        assert!((center_of(&spun, center)).length() < 1e-6);
        assert_eq!(velocity_at(Vec3::Y, Vec3::Z, Vec3::X), Vec3::Y * 2.0);
    }
}
