//! Gradients of joint angles with respect to rotation.

use super::coordinates::{hinge_axis, universal_axis};
use crate::components::JointKind;
use crate::math::{Quat, Real, Vec3, real};

/// The square of an angle (rad²) below which a series is used; its error is below rounding.
const SMALL: Real = 1e-3;

/// The gradient of angle `k` of a joint with these angles (rad): the angle changes by the dot
/// product with a small rotation of the second frame relative to the first, in the axes of the
/// first.
///
/// A hinge's angle is about its axis; a universal joint's are about an axis of the first frame,
/// then about one of the second. With three free rotations the angles are the rotation vector `t`,
/// which changes with the angular velocity `w` by `w - t x w / 2 + c t x (t x w)`, `c = (1 - |t|/2
/// cot(|t|/2)) / |t|²` (Bortz, "A new mathematical formulation for strapdown inertial navigation",
/// 1971).
pub fn gradient(kind: &JointKind, angle: Vec3, k: usize) -> Vec3 {
    let axis = Vec3::AXES[k];
    if hinge_axis(kind).is_some() {
        return axis;
    }
    if let Some(locked) = universal_axis(kind) {
        let first = (locked + 1) % 3;
        return if k == first { axis } else { Quat::from_axis_angle(Vec3::AXES[first], angle[first]) * axis };
    }
    let once = angle.cross(axis);
    let square = angle.length_squared();
    let half = 0.5 * square.sqrt();
    let c = if square < SMALL { (1.0 + square / 60.0) / 12.0 } else { (1.0 - half / real::tan(half)) / square };
    axis + once * 0.5 + angle.cross(once) * c
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::JointFreedom;
    use crate::joint::JointCoordinates;
    use proptest::prelude::*;

    fn vector(size: Real) -> impl Strategy<Value = Vec3> {
        (-1.0..1.0 as Real, -1.0..1.0 as Real, -1.0..1.0 as Real).prop_map(move |(x, y, z)| Vec3::new(x, y, z) * size)
    }

    fn leaves_free(axes: &[usize]) -> JointKind {
        JointKind::Generic(Box::new(std::array::from_fn(|axis| {
            if axes.iter().any(|free| axis == 3 + free) { JointFreedom::FREE } else { JointFreedom::Locked }
        })))
    }

    /// The greatest difference between a gradient and a finite difference of the angles.
    fn miss(kind: &JointKind, relative: Quat, free: &[usize], spin: Vec3) -> Real {
        let h = if size_of::<Real>() == 8 { 1e-5 } else { 1e-2 };
        let first = Quat::from_rotation_y(0.3);
        let at = |t: Real| {
            let turned = first * Quat::from_scaled_axis(spin * t) * relative;
            JointCoordinates::new(kind, Vec3::ZERO, [first, turned], Vec3::ZERO).angle
        };
        let (now, rate) = (at(0.0), (at(h) - at(-h)) / (2.0 * h));
        free.iter().map(|&k| (rate[k] - gradient(kind, now, k).dot(spin)).abs()).fold(0.0, Real::max)
    }

    proptest! {
        #[test]
        fn angles_of_what_turns_freely_change_as_it_says(turned in vector(1.6), spin in vector(1.0)) {
            let miss = miss(&leaves_free(&[0, 1, 2]), Quat::from_scaled_axis(turned), &[0, 1, 2], spin);
            prop_assert!(miss < 1e-3, "{miss}");
        }

        #[test]
        fn angles_of_universal_joints_change_as_it_says(
            locked in 0..3_usize, a in -1.5..1.5 as Real, b in -1.5..1.5 as Real, rates in (-1.0..1.0 as Real, -1.0..1.0 as Real),
        ) {
            let [i, j] = [(locked + 1) % 3, (locked + 2) % 3];
            let lean = Quat::from_axis_angle(Vec3::AXES[i], a);
            // Rotation about its two axes only.
            let spin = Vec3::AXES[i] * rates.0 + lean * Vec3::AXES[j] * rates.1;
            let relative = lean * Quat::from_axis_angle(Vec3::AXES[j], b);
            let miss = miss(&leaves_free(&[i, j]), relative, &[i, j], spin);
            prop_assert!(miss < 1e-3, "{miss}");
        }
    }
}
