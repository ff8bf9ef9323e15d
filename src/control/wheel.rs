//! Wheels: Ackermann steering, and the length of a suspension spring.

use crate::math::{Real, real};

/// The angle (rad) of a steered wheel whose axle points at the centre of the turn (Ackermann
/// steering).
///
/// `steering` (rad) is the angle of a virtual wheel in the middle of the steered axle, `base` (m)
/// its distance ahead of the fixed axle. The wheel is `along` (m) ahead of the fixed axle and
/// `left` (m) to the left of the middle. The centre of the turn lies on the line of the fixed axle,
/// `base / tan(steering)` to the left.
///
/// ```
/// use dolmen::control::wheel::ackermann;
/// use dolmen::math::Real;
/// let (base, steering): (Real, Real) = (2.5, 0.4);
/// let middle = ackermann(steering, base, base, 0.0);
/// assert!((middle - steering).abs() < 1e-6);
/// // The inner wheel turns more than the outer one.
/// assert!(ackermann(steering, base, base, 0.8) > steering && ackermann(steering, base, base, -0.8) < steering);
/// ```
pub fn ackermann(steering: Real, base: Real, along: Real, left: Real) -> Real {
    let tangent = real::tan(steering);
    let across = base - left * tangent;
    // A wheel at the centre of the turn has no steering angle.
    if across.abs() < Real::EPSILON { 0.0 } else { real::atan(along * tangent / across) }
}

/// The length (m) of a spring between `least` and `free` (m), if a wheel of this radius (m) meets
/// the ground at a `distance` (m) from its mount; `None` in the air.
pub fn spring_length(distance: Real, radius: Real, least: Real, free: Real) -> Option<Real> {
    let length = distance - radius;
    (length <= free).then(|| length.max(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_axles_of_both_wheels_meet_the_fixed_axle_in_one_point() {
        let (base, half_track, steering): (Real, Real, Real) = (2.7, 0.75, 0.5);
        let center = base / steering.tan();
        for left in [half_track, -half_track] {
            let angle = ackermann(steering, base, base, left);
            // The axle's direction is (-sin, cos) in (ahead, left).
            let to_fixed_axle = base / angle.sin();
            assert!((left + to_fixed_axle * angle.cos() - center).abs() < 1e-4);
        }
        assert_eq!(ackermann(0.0, base, base, half_track), 0.0);
    }

    #[test]
    fn a_spring_is_never_longer_than_free_nor_shorter_than_pressed() {
        assert_eq!(spring_length(1.0, 0.5, 0.1, 0.4), None);
        assert_eq!(spring_length(0.75, 0.5, 0.1, 0.4), Some(0.25));
        assert_eq!(spring_length(0.3, 0.5, 0.1, 0.4), Some(0.1));
    }
}
