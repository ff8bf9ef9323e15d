//! The exponential map between rotation vectors and quaternions, and back.

use super::unit_quat::UnitQuat;
use crate::math::consts::{PI, TAU};
use crate::math::{Norm, Quat, Real, Vec3, real};

/// `orientation` rotated by the rotation vector `turn` (rad, world axes), exact for small and large
/// angles.
///
/// With `turn = omega h` it is the motion of a body with constant angular velocity, such as a
/// kinematic one.
///
/// ```
/// use dolmen::{math::{consts::FRAC_PI_2, Quat, Vec3}, motion::rotation::integrate_orientation};
/// let q = integrate_orientation(Quat::IDENTITY, Vec3::Z * FRAC_PI_2);
/// assert!((q * Vec3::X - Vec3::Y).length() < 1e-6);
/// ```
#[inline]
pub fn integrate_orientation(orientation: Quat, turn: Vec3) -> Quat {
    UnitQuat::exp(turn * 0.5).times(UnitQuat::from_quat(orientation)).normalized().to_quat()
}

/// The rotation vector of `rotation` (rad, at most half a turn): the inverse of
/// [`integrate_orientation`] from no rotation.
#[inline]
pub fn rotation_vector(rotation: Quat) -> Vec3 {
    let q = if rotation.w < 0.0 { -rotation } else { rotation };
    let v = Vec3::new(q.x, q.y, q.z);
    let sin = v.norm();
    if sin > Real::MIN_POSITIVE { v * (2.0 * real::atan2(sin, q.w) / sin) } else { v * 2.0 }
}

/// The rotation vector of `rotation` (rad) nearest to `guess`, among those that differ by full
/// turns.
pub fn rotation_vector_near(rotation: Quat, guess: Vec3) -> Vec3 {
    let least = rotation_vector(rotation);
    let angle = least.norm();
    if angle <= Real::EPSILON {
        return if guess.norm() < PI { least } else { guess };
    }
    let axis = least / angle;
    let turns = ((guess.dot(axis) - angle) / TAU).round();
    axis * (angle + TAU * turns)
}

/// The rotation vector of two successive rotations (rad, fixed axes): their sum if they share an
/// axis, else that of the quaternion product, nearest to the sum.
#[inline]
pub fn compose_rotation_vectors(first: Vec3, second: Vec3) -> Vec3 {
    if first == Vec3::ZERO || second == Vec3::ZERO {
        return first + second;
    }
    rotation_vector_near(integrate_orientation(integrate_orientation(Quat::IDENTITY, first), second), first + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_rotation_after_another_is_what_their_quaternions_say() {
        let (first, second) = (Vec3::new(0.3, -0.8, 0.2), Vec3::new(0.5, 0.4, -0.9));
        let q = Quat::from_rotation_x(0.4);
        let want = integrate_orientation(integrate_orientation(q, first), second);
        let got = integrate_orientation(q, compose_rotation_vectors(first, second));
        assert!(want.dot(got).abs() > 1.0 - 8.0 * Real::EPSILON, "{want} {got}");
        assert_eq!(compose_rotation_vectors(Vec3::ZERO, second), second);
        assert!((compose_rotation_vectors(Vec3::Y * 4.0, Vec3::Y * 3.0) - Vec3::Y * 7.0).length() < 1e-5);
    }

    #[test]
    fn of_all_turns_that_lead_to_an_orientation_the_one_that_was_made_is_found() {
        let axis = Vec3::new(2.0, -1.0, 2.0) / 3.0;
        for angle in [-9.0, -4.0, -0.5, 0.1, 3.0, 5.0, 40.0] {
            let rotation = integrate_orientation(Quat::IDENTITY, axis * angle);
            let found = rotation_vector_near(rotation, axis * (angle + 0.7) + Vec3::X * 0.1);
            assert!((found - axis * angle).length() < 1e-4, "{angle}: {found}");
        }
    }

    #[test]
    fn small_and_large_turns_are_exact() {
        let axis = Vec3::new(2.0, -1.0, 2.0) / 3.0;
        for angle in [1e-12, 1e-9, 1e-3, 0.5, 3.0, 7.0, 100.0] {
            let turned = integrate_orientation(Quat::IDENTITY, axis * angle);
            let (sin, cos) = (0.5 * angle).sin_cos();
            let v = Vec3::new(turned.x, turned.y, turned.z);
            // A rounding error of the angle affects sine and cosine; below a radian the sine is
            // relatively accurate.
            let bar = 4.0 * Real::EPSILON * if angle > 1.0 { angle } else { sin };
            assert!((v - axis * sin).length() <= bar, "{angle}");
            assert!((turned.w - cos).abs() <= 4.0 * Real::EPSILON * angle.max(1.0), "{angle}");
        }
        assert_eq!(integrate_orientation(Quat::IDENTITY, Vec3::ZERO), Quat::IDENTITY);
    }

    #[test]
    fn the_rotation_vector_leads_back() {
        for turn in [Vec3::ZERO, Vec3::X * 1e-12, Vec3::new(0.1, -2.0, 1.5), Vec3::Y * 3.1] {
            let back = rotation_vector(integrate_orientation(Quat::IDENTITY, turn));
            assert!((back - turn).length() <= 1e-6 * turn.length(), "{turn} {back}");
        }
        let over = rotation_vector(integrate_orientation(Quat::IDENTITY, Vec3::Y * 4.0));
        assert!((over.y - (4.0 - 2.0 * crate::math::consts::PI)).abs() < 2e-6, "the shorter way round");
    }
}
