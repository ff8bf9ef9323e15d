//! A capsule and a ball.

use super::feature;
use super::local_manifold::{LocalManifold, LocalPoint};
use super::segments::has_direction;
use crate::math::{Pose, Real, Vec3, orthonormal_basis};
use crate::tolerances::GEOMETRY;

/// The contact of a capsule (the points within `radius_a` of the segment from `a` to `b`; m) with a
/// ball of `radius_b` (m), in the capsule's frame. The normal of a ball centred on the segment is
/// orthogonal to it.
pub fn capsule_ball(
    a: Vec3,
    b: Vec3,
    radius_a: Real,
    radius_b: Real,
    ball_in_capsule: &Pose,
    prediction: Real,
) -> LocalManifold {
    let centre = ball_in_capsule.translation;
    let along = b - a;
    let squared = along.length_squared();
    let s = if squared > GEOMETRY.coincident * GEOMETRY.coincident {
        ((centre - a).dot(along) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let nearest = a + along * s;
    let offset = centre - nearest;
    let distance = offset.length();
    if distance > radius_a + radius_b + prediction {
        return LocalManifold::apart(distance - radius_a - radius_b);
    }
    let size = centre.length() + along.length();
    let normal = if has_direction(distance, size) { offset / distance } else { square_to(along) };
    let mut out = LocalManifold::with_normal(normal);
    out.push(LocalPoint {
        point_a: nearest + normal * radius_a,
        point_b: ball_in_capsule.rotation.inverse() * (normal * -radius_b),
        separation: distance - radius_a - radius_b,
        feature: feature::pack(part(s), 0),
    });
    out
}

/// Unit vector orthogonal to `axis`, or any unit vector if that has no length.
pub(crate) fn square_to(axis: Vec3) -> Vec3 {
    axis.try_normalize().map_or(Vec3::Y, |axis| orthonormal_basis(axis).0)
}

/// Feature of a capsule at the parameter `s` of its segment: an end or the side.
#[inline]
pub(crate) fn part(s: Real) -> u16 {
    if s <= 0.0 {
        feature::vertex(0)
    } else if s >= 1.0 {
        feature::vertex(1)
    } else {
        feature::edge(0, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: Real, y: Real, z: Real) -> Pose {
        Pose::from_translation(Vec3::new(x, y, z))
    }

    #[test]
    fn a_ball_beside_and_beyond_the_segment_is_as_far_as_its_nearest_point() {
        let (a, b) = (-Vec3::Y, Vec3::Y);
        let side = capsule_ball(a, b, 0.25, 0.5, &at(0.8, 0.3, 0.0), 0.1);
        assert!((side.points[0].separation - 0.05).abs() < 1e-6);
        assert!((side.points[0].point_a - Vec3::new(0.25, 0.3, 0.0)).length() < 1e-6);
        let end = capsule_ball(a, b, 0.25, 0.5, &at(0.6, 1.8, 0.0), 0.3);
        assert!((end.points[0].separation - 0.25).abs() < 1e-6);
        assert!((end.normal - Vec3::new(0.6, 0.8, 0.0)).length() < 1e-6);
    }

    #[test]
    fn a_ball_centred_on_the_segment_leaves_square_to_it() {
        let m = capsule_ball(-Vec3::X, Vec3::X, 0.25, 0.5, &at(0.1, 0.0, 0.0), 0.0);
        assert!(m.normal.x.abs() < 1e-6);
        assert!((m.points[0].separation + 0.75).abs() < 1e-6);
    }
}
