//! Two balls.

use super::feature;
use super::local_manifold::{LocalManifold, LocalPoint};
use crate::math::{Pose, Real, Vec3};

/// The contact of two balls of radii `radius_a` and `radius_b` (m), both centred on their frames'
/// origins.
///
/// No points if the surfaces are further apart than `prediction` (m). The normal of concentric
/// balls is the first one's y axis.
pub fn ball_ball(radius_a: Real, radius_b: Real, b_in_a: &Pose, prediction: Real) -> LocalManifold {
    let centre = b_in_a.translation;
    let reach = radius_a + radius_b + prediction;
    let squared = centre.length_squared();
    if squared > reach * reach {
        return LocalManifold::apart(squared.sqrt() - radius_a - radius_b);
    }
    let distance = squared.sqrt();
    let normal = if distance > 0.0 { centre / distance } else { Vec3::Y };
    let mut out = LocalManifold::with_normal(normal);
    out.push(LocalPoint {
        point_a: normal * radius_a,
        point_b: b_in_a.rotation.inverse() * (normal * -radius_b),
        separation: distance - radius_a - radius_b,
        feature: feature::pack(0, 0),
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separation_is_the_distance_of_the_centres_less_the_radii() {
        let m = ball_ball(0.5, 0.25, &Pose::from_translation(Vec3::new(0.6, 0.0, 0.8)), 0.5);
        assert_eq!(m.count, 1);
        assert!((m.normal - Vec3::new(0.6, 0.0, 0.8)).length() < 1e-6);
        assert!((m.points[0].separation - 0.25).abs() < 1e-6);
        assert!((m.points[0].point_a - Vec3::new(0.3, 0.0, 0.4)).length() < 1e-6);
        assert!((m.points[0].point_b - Vec3::new(-0.15, 0.0, -0.2)).length() < 1e-6);
    }

    #[test]
    fn concentric_balls_part_with_the_sum_of_the_radii() {
        let m = ball_ball(0.5, 0.25, &Pose::IDENTITY, 0.0);
        assert_eq!((m.count, m.points[0].separation), (1, -0.75));
        assert_eq!(m.normal.length(), 1.0);
    }

    #[test]
    fn nothing_is_reported_beyond_the_prediction() {
        assert_eq!(ball_ball(0.5, 0.5, &Pose::from_translation(Vec3::X * 1.11), 0.1).count, 0);
        assert_eq!(ball_ball(0.5, 0.5, &Pose::from_translation(Vec3::X * 1.09), 0.1).count, 1);
    }
}
