//! Poses between two steps, for rendering.

use super::{
    center::{center_of, pose_of},
    rotation::{integrate_orientation, rotation_vector},
};
use crate::math::{Pose, Real, Vec3};

/// The interpolated pose between two steps: `from` at `alpha = 0`, `to` at `alpha = 1`.
///
/// The centre of mass, at `local_center` in the body's axes, moves in a straight line, and the body
/// rotates about it at a constant rate by the shorter way. A body whose origin is not its centre
/// does not wobble.
pub fn interpolate(from: &Pose, to: &Pose, local_center: Vec3, alpha: Real) -> Pose {
    let (start, end) = (center_of(from, local_center), center_of(to, local_center));
    let turn = rotation_vector(to.rotation * from.rotation.inverse());
    let orientation = integrate_orientation(from.rotation, turn * alpha);
    pose_of(start + (end - start) * alpha, orientation, local_center)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn close(a: &Pose, b: &Pose) -> bool {
        (a.translation - b.translation).length() < 2e-6 && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-6
    }

    #[test]
    fn the_ends_are_the_steps_and_the_middle_is_halfway() {
        let from = Pose::from_parts(Vec3::new(1.0, 0.0, -1.0), Quat::from_rotation_z(0.2));
        // The negated quaternion of the same rotation: the way must still be the shorter one.
        let to = Pose::from_parts(Vec3::new(2.0, 1.0, -1.0), -Quat::from_rotation_z(1.2));
        for center in [Vec3::ZERO, Vec3::new(0.5, 0.0, 0.25)] {
            assert!(close(&interpolate(&from, &to, center, 0.0), &from));
            assert!(close(&interpolate(&from, &to, center, 1.0), &to));
            let middle = interpolate(&from, &to, center, 0.5);
            assert!(middle.rotation.dot(Quat::from_rotation_z(0.7)).abs() > 1.0 - 1e-6);
            let halfway = (center_of(&from, center) + center_of(&to, center)) * 0.5;
            assert!((center_of(&middle, center) - halfway).length() < 1e-6);
        }
    }
}
