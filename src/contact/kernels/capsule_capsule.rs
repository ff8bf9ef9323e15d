//! Two capsules.

use super::ball_capsule::{part, square_to};
use super::feature;
use super::local_manifold::{LocalManifold, LocalPoint};
use super::segments::{has_direction, nearest, overlap_interval};
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::SEPARATING_AXIS;

/// Capsule: the points within `radius` of the segment from `a` to `b` (m).
#[derive(Clone, Copy, Debug)]
pub struct CapsuleShape {
    /// Start of the segment (m).
    pub a: Vec3,
    /// End of the segment (m).
    pub b: Vec3,
    /// Radius (m).
    pub radius: Real,
}

/// The contact of two capsules: one point, or two if they lie side by side.
#[inline]
pub fn capsule_capsule(first: &CapsuleShape, second: &CapsuleShape, b_in_a: &Pose, prediction: Real) -> LocalManifold {
    let (p, d) = (first.a, first.b - first.a);
    let q = *b_in_a * second.a;
    let e = b_in_a.rotation * (second.b - second.a);
    let radii = first.radius + second.radius;
    let (s, t) = nearest(p, d, q, e);
    let offset = (q + e * t) - (p + d * s);
    let distance = offset.length();
    if distance > radii + prediction {
        return LocalManifold::apart(distance - radii);
    }
    let size = q.length() + d.length() + e.length();
    let normal = if has_direction(distance, size) {
        offset / distance
    } else {
        d.cross(e).try_normalize().unwrap_or_else(|| square_to(d))
    };
    let back = b_in_a.rotation.inverse();
    let mut out = LocalManifold::with_normal(normal);
    let mut push = |s: Real, t: Real, separation: Real, feature: u32| {
        out.push(LocalPoint {
            point_a: p + d * s + normal * first.radius,
            point_b: second.a + (second.b - second.a) * t - back * (normal * second.radius),
            separation,
            feature,
        });
    };
    if let Some(ends) = overlap_interval(p, d, q, e) {
        // Two points share the normal only while the axes do not diverge sideways.
        let beside = ends.map(|(s, t)| {
            let gap = (q + e * t) - (p + d * s);
            let along = gap.dot(normal);
            ((gap - normal * along).length() <= SEPARATING_AXIS.flat_angle * radii).then_some(along - radii)
        });
        if let [Some(near), Some(far)] = beside {
            for ((s, t), separation, end) in [(ends[0], near, 0), (ends[1], far, 1)] {
                if separation <= prediction {
                    push(s, t, separation, feature::pack(feature::vertex(end), feature::face(end)));
                }
            }
            return out;
        }
    }
    push(s, t, distance - radii, feature::pack(part(s), part(t)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn capsule(half: Real, radius: Real) -> CapsuleShape {
        CapsuleShape { a: Vec3::X * -half, b: Vec3::X * half, radius }
    }

    #[test]
    fn capsules_side_by_side_touch_at_both_ends_of_their_common_stretch() {
        let m = capsule_capsule(
            &capsule(1.0, 0.25),
            &capsule(0.5, 0.25),
            &Pose::from_translation(Vec3::new(0.75, 0.49, 0.0)),
            0.1,
        );
        assert_eq!(m.count, 2);
        assert!((m.normal - Vec3::Y).length() < 1e-6);
        let mut x: Vec<Real> = m.points().iter().map(|p| p.point_a.x).collect();
        x.sort_by(Real::total_cmp);
        assert!((x[0] - 0.25).abs() < 1e-6 && (x[1] - 1.0).abs() < 1e-6);
        assert!(m.points().iter().all(|p| (p.separation + 0.01).abs() < 1e-6));
    }

    #[test]
    fn crossed_capsules_touch_once() {
        let turned = Pose::from_parts(Vec3::new(0.1, 0.6, 0.2), Quat::from_rotation_y(1.0));
        let m = capsule_capsule(&capsule(1.0, 0.25), &capsule(1.0, 0.25), &turned, 0.2);
        assert_eq!(m.count, 1);
        assert!((m.points[0].separation - 0.1).abs() < 1e-6);
        assert!((m.normal - Vec3::Y).length() < 1e-6);
    }

    #[test]
    fn capsules_end_to_end_touch_once_along_their_axis() {
        let m = capsule_capsule(
            &capsule(1.0, 0.25),
            &capsule(1.0, 0.25),
            &Pose::from_translation(Vec3::new(2.5, 0.0, 0.0)),
            0.1,
        );
        assert_eq!(m.count, 1);
        assert!(m.points[0].separation.abs() < 1e-6);
        assert!((m.normal - Vec3::X).length() < 1e-6);
    }

    #[test]
    fn crossing_segments_part_square_to_both() {
        let turned = Pose::from_rotation(Quat::from_rotation_y(0.5));
        let m = capsule_capsule(&capsule(1.0, 0.25), &capsule(1.0, 0.25), &turned, 0.0);
        assert!((m.normal.y.abs() - 1.0).abs() < 1e-6);
        assert!((m.points[0].separation + 0.5).abs() < 1e-6);
    }
}
