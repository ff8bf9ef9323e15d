//! Relative position and angles of two joint frames.

use super::gears::places;
use super::pulley::pulley_lengths;
use super::swing_twist::swing_twist_angles;
use super::winch::winch_places;
use crate::components::{JointFreedom, JointKind};
use crate::math::{Mat3, Norm, Quat, Real, Vec3, consts::TAU, real, turn};
use crate::motion::rotation::rotation_vector;

/// Position and angles of the second joint frame in the axes of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointCoordinates {
    /// From the first anchor to the second (m); for distance joints and springs the distance, along
    /// x.
    pub position: Vec3,
    /// The rotation vector (rad). Full turns are counted if exactly one rotation is free. Of a
    /// swing-twist joint the twist about x and the swings about y and z; of meshed teeth and winches
    /// the places of both members, as
    /// [`JointState::angle`](crate::components::JointState::angle) says.
    pub angle: Vec3,
}

impl JointCoordinates {
    /// From the offset between the anchors (m) and the orientations of both joint frames, in world
    /// axes. `before` is the previous angle (rad), from which full turns are counted.
    #[inline]
    pub fn new(kind: &JointKind, gap: Vec3, frames: [Quat; 2], before: Vec3) -> Self {
        if matches!(kind, JointKind::Distance { .. } | JointKind::Spring { .. }) {
            return Self { position: Vec3::X * gap.norm(), angle: Vec3::ZERO };
        }
        let back = frames[0].inverse();
        let angle = match kind {
            JointKind::Gear { .. } | JointKind::RackAndPinion { .. } => places(kind, gap, frames),
            JointKind::Winch { radius, .. } => winch_places(*radius, gap, frames, before),
            _ => angles(kind, turn::product(back, frames[1]), before),
        };
        Self { position: turn::rotate(back, gap), angle }
    }

    /// Those of a pulley with these parts of its rope (m): the length that it bounds, and both parts'.
    pub fn of_pulley(ratio: Real, parts: [Vec3; 2]) -> Self {
        Self { position: pulley_lengths(ratio, parts), angle: Vec3::ZERO }
    }
}

/// The angles of a relative orientation (rad).
#[inline]
fn angles(kind: &JointKind, relative: Quat, before: Vec3) -> Vec3 {
    if matches!(kind, JointKind::SwingTwist(_)) {
        return swing_twist_angles(relative, twist_angle(relative, 0));
    }
    match (hinge_axis(kind), universal_axis(kind)) {
        (Some(k), _) => {
            let mut angle = rotation_vector(relative);
            angle[k] = unwrap_angle(twist_angle(relative, k), before[k]);
            angle
        }
        (None, Some(k)) => universal_angles(relative, k),
        (None, None) => rotation_vector(relative),
    }
}

/// True if the rows of a kind depend on its coordinates.
pub fn needs_coordinates(kind: &JointKind) -> bool {
    match kind {
        JointKind::Spherical { friction } => *friction > 0.0,
        JointKind::Revolute(axis) => axis.limits.is_some() || axis.motor.is_some() || axis.friction > 0.0,
        JointKind::SwingTwist(_) | JointKind::Generic(_) => true,
        JointKind::Gear { .. } | JointKind::Winch { .. } => true,
        JointKind::Fixed | JointKind::Prismatic(_) | JointKind::RackAndPinion { .. } => false,
        JointKind::Distance { .. } | JointKind::Spring { .. } | JointKind::Pulley { .. } => false,
    }
}

/// The axis of the joint frame with the only free rotation, if there is exactly one.
pub fn hinge_axis(kind: &JointKind) -> Option<usize> {
    match kind {
        JointKind::Revolute(_) => Some(0),
        JointKind::Generic(axes) => {
            let mut free = (0..3).filter(|k| matches!(axes[3 + k], JointFreedom::Free(_)));
            free.next().filter(|_| free.next().is_none())
        }
        _ => None,
    }
}

/// The axis of the joint frame with the only locked rotation, if there is exactly one: a universal
/// joint.
pub(crate) fn universal_axis(kind: &JointKind) -> Option<usize> {
    let JointKind::Generic(axes) = kind else { return None };
    let mut locked = (0..3).filter(|k| axes[3 + k] == JointFreedom::Locked);
    locked.next().filter(|_| locked.next().is_none())
}

/// The angles of a universal joint with the locked axis `k` (rad): about axis i = k+1 of the first
/// frame, then about j = k+2 of the second; and the deviation of these two from a right angle.
fn universal_angles(rotation: Quat, k: usize) -> Vec3 {
    let [i, j] = [(k + 1) % 3, (k + 2) % 3];
    let r = Mat3::from_quat(rotation);
    let mut angle = Vec3::ZERO;
    angle[i] = real::atan2(r.col(j)[k], r.col(j)[j]);
    angle[j] = real::atan2(r.col(k)[i], r.col(i)[i]);
    angle[k] = real::asin((-r.col(j)[i]).clamp(-1.0, 1.0));
    angle
}

/// The twist angle of a rotation about its axis `k` (rad, from -pi to pi): that of the nearest
/// rotation about this axis.
fn twist_angle(rotation: Quat, k: usize) -> Real {
    let v = Vec3::new(rotation.x, rotation.y, rotation.z);
    let angle = 2.0 * real::atan2(v[k], rotation.w);
    angle - TAU * (angle / TAU).round()
}

/// `angle` plus full turns, nearest to `before` (rad): angle unwrapping.
pub fn unwrap_angle(angle: Real, before: Real) -> Real {
    angle + TAU * ((before - angle) / TAU).round()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::JointAxis;

    #[test]
    fn a_hinge_counts_its_turns_both_ways() {
        let kind = JointKind::Revolute(JointAxis::default());
        for sign in [1.0, -1.0] {
            let mut angle = Vec3::ZERO;
            for k in 1..=100 {
                let truth = sign * 0.2 * k as Real;
                let lean = Quat::from_rotation_y(1e-3);
                let frames =
                    [Quat::from_rotation_z(0.7), Quat::from_rotation_z(0.7) * Quat::from_rotation_x(truth) * lean];
                angle = JointCoordinates::new(&kind, Vec3::ZERO, frames, angle).angle;
                assert!((angle.x - truth).abs() < 1e-4, "{} {truth}", angle.x);
            }
        }
    }

    #[test]
    fn a_universal_joint_has_two_angles() {
        let mut axes = [JointFreedom::Locked; 6];
        (axes[3], axes[4]) = (JointFreedom::FREE, JointFreedom::FREE);
        let kind = JointKind::Generic(Box::new(axes));
        let turned = Quat::from_rotation_x(0.7) * Quat::from_rotation_y(-0.4);
        let angle = JointCoordinates::new(&kind, Vec3::ZERO, [Quat::IDENTITY, turned], Vec3::ZERO).angle;
        assert!((angle - Vec3::new(0.7, -0.4, 0.0)).length() < 1e-6, "{angle}");
    }

    #[test]
    fn places_are_seen_in_the_axes_of_the_first_frame() {
        let turned = Quat::from_rotation_z(1.2);
        let kind = JointKind::Prismatic(JointAxis::default());
        let placement = JointCoordinates::new(&kind, turned * Vec3::new(0.5, -1.0, 2.0), [turned; 2], Vec3::ZERO);
        assert!((placement.position - Vec3::new(0.5, -1.0, 2.0)).length() < 1e-6);
        let rod = JointKind::Distance { least: 0.0, greatest: 1.0 };
        assert_eq!(
            JointCoordinates::new(&rod, Vec3::new(0.0, 3.0, 4.0), [turned; 2], Vec3::ZERO).position,
            Vec3::X * 5.0
        );
    }
}
