//! Swing and twist: the angles of a shoulder, their gradients, and its elliptic cone.
//!
//! The relative orientation is a twist about x, then the shortest rotation that takes x to where
//! the second frame's x axis is (Grassia, "Practical parameterization of rotations using the
//! exponential map", 1998, section 5).

use crate::components::SwingTwist;
use crate::math::{DVec3, Norm, Quat, Real, Vec3, consts::PI, real, turn};

/// The square of a sine below which a swing has no direction.
const SMALL: Real = 1e-12;

/// The swing of the x axis to `axis`: its direction, a unit vector perpendicular to x, and its
/// angle (rad); the y axis and zero if there is none.
fn swing(axis: Vec3) -> (Vec3, Real) {
    let across = Vec3::new(0.0, -axis.z, axis.y);
    let square = across.length_squared();
    if square < SMALL {
        return (Vec3::Y, if axis.x < 0.0 { PI } else { 0.0 });
    }
    let sine = square.sqrt();
    (across / sine, real::atan2(sine, axis.x))
}

/// Twist about x and swings about y and z of a relative orientation (rad).
pub fn swing_twist_angles(relative: Quat, twist: Real) -> Vec3 {
    let (direction, angle) = swing(turn::rotate(relative, Vec3::X));
    Vec3::new(twist, direction.y * angle, direction.z * angle)
}

/// The gradient of angle `k` of [`swing_twist_angles`]: see [`gradient`](super::gradient::gradient).
///
/// With the second x axis `a`, the direction `n` and the angle `t` of the swing, and `m = n × x`,
/// the twist changes with `(x + a) / (1 + x·a)`, and the swing about axis k with
/// `n_k n + m_k (t cot t m - t x)`.
pub fn swing_twist_gradient(angle: Vec3, k: usize) -> Vec3 {
    let swing = Vec3::new(0.0, angle.y, angle.z);
    let t = swing.norm();
    let (n, t) = if t * t < SMALL { (Vec3::Y, 0.0) } else { (swing / t, t) };
    let m = n.cross(Vec3::X);
    let (sine, cosine) = (real::sin(t), real::cos(t));
    if k == 0 {
        // At a swing of half a turn the twist has no gradient.
        let axis = Vec3::X * cosine + m * sine;
        return (Vec3::X + axis) / (1.0 + cosine).max(Real::EPSILON);
    }
    let cotangent = if t * t < SMALL { 1.0 } else { t * cosine / sine.max(Real::EPSILON) };
    n * n[k] + (m * cotangent - Vec3::X * t) * m[k]
}

/// The scale of the second x axis's y and z components in the coordinate of a cone, and the
/// greatest value of the coordinate; `None` for a cone without limits.
///
/// The coordinate is `|s · (0, a_y, a_z)| / sqrt(2 + 2 a_x)`: for a circular cone twice the sine of
/// half the swing.
pub fn cone_scale(cone: &SwingTwist) -> Option<(Vec3, Real)> {
    if !cone.bounds_swing() {
        return None;
    }
    // A swing about y moves the axis along z.
    let chords = cone.cone.map(|half| 2.0 * real::sin(0.5 * half));
    let most = chords[0].max(chords[1]);
    Some((Vec3::new(0.0, most / chords[1], most / chords[0]) * 2.0, most))
}

/// The coordinate of a cone with the scale `s`, for the second x axis `a` in the first frame, and
/// its gradient in the first frame.
pub fn cone_value(s: DVec3, a: DVec3) -> (f64, DVec3) {
    // At half a turn the sum is rounding, and the swing has no direction.
    let w = (2.0 + 2.0 * a.x).max(f64::EPSILON).sqrt();
    let scaled = s * DVec3::new(0.0, a.y, a.z) / w;
    let value = scaled.length();
    if value == 0.0 {
        return (0.0, DVec3::ZERO);
    }
    let by_axis = s * scaled / (w * value) - DVec3::X * (value / (w * w));
    (value, a.cross(by_axis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::JointKind;
    use crate::joint::JointCoordinates;
    use crate::math::to_f64;
    use proptest::prelude::*;

    fn angles(relative: Quat) -> Vec3 {
        let kind = JointKind::SwingTwist(Box::default());
        JointCoordinates::new(&kind, Vec3::ZERO, [Quat::IDENTITY, relative], Vec3::ZERO).angle
    }

    #[test]
    fn a_twist_then_a_swing_have_their_angles() {
        let swing = Vec3::new(0.0, 0.6, -0.9);
        let found = angles(Quat::from_scaled_axis(swing) * Quat::from_rotation_x(0.7));
        assert!((found - Vec3::new(0.7, 0.6, -0.9)).length() < 1e-5, "{found}");
    }

    #[test]
    fn the_cone_has_its_half_angles_on_its_axes_and_an_ellipse_between() {
        let cone = SwingTwist { cone: [0.5, 1.2], ..SwingTwist::default() };
        let (scale, most) = cone_scale(&cone).unwrap();
        let at = |swing: Vec3| cone_value(to_f64(scale), to_f64(Quat::from_scaled_axis(swing) * Vec3::X)).0;
        for swing in [Vec3::Y * 0.5, Vec3::Z * 1.2, Vec3::NEG_Y * 0.5, Vec3::NEG_Z * 1.2] {
            assert!((at(swing) - f64::from(most)).abs() < 1e-5, "{swing}: {} {most}", at(swing));
        }
        // The chords of both axes are on the ellipse at 45 degrees of its parameter.
        let chord = Vec3::new(0.0, (0.25 as Real).sin(), (0.6 as Real).sin()) * (0.5 as Real).sqrt();
        let swing = chord.normalize() * 2.0 * chord.length().asin();
        assert!((at(swing) - f64::from(most)).abs() < 1e-5);
        let free = SwingTwist::default();
        assert!(cone_scale(&free).is_none());
    }

    proptest! {
        #[test]
        fn angles_and_cones_change_as_their_gradients_say(
            swing in (-1.5..1.5 as Real, -1.5..1.5 as Real), twist in -2.5..2.5 as Real,
            spin in (-1.0..1.0 as Real, -1.0..1.0 as Real, -1.0..1.0 as Real),
        ) {
            let (swing, spin) = (Vec3::new(0.0, swing.0, swing.1), Vec3::from(spin));
            prop_assume!(swing.length() > 0.02);
            let relative = Quat::from_scaled_axis(swing) * Quat::from_rotation_x(twist);
            let h = if size_of::<Real>() == 8 { 1e-6 } else { 2e-3 };
            let at = |t: Real| Quat::from_scaled_axis(spin * t) * relative;
            let rate = (angles(at(h)) - angles(at(-h))) / (2.0 * h);
            for k in 0..3 {
                let expected = swing_twist_gradient(angles(relative), k).dot(spin);
                prop_assert!((rate[k] - expected).abs() < 5e-3, "{k}: {} {expected}", rate[k]);
            }
            let cone = SwingTwist { cone: [0.4, 0.9], ..SwingTwist::default() };
            let scale = to_f64(cone_scale(&cone).unwrap().0);
            let value = |t: Real| cone_value(scale, to_f64(at(t) * Vec3::X));
            let rate = (value(h).0 - value(-h).0) / f64::from(2.0 * h);
            let expected = value(0.0).1.dot(to_f64(spin));
            prop_assert!((rate - expected).abs() < 5e-3, "{rate} {expected}");
        }
    }
}
