//! Half-space and convex shape: every vertex near the plane is a contact.

use super::feature;
use super::local_manifold::LocalPoint;
use super::polygon::Polygon;
use super::rounded_convex::{Core, RoundedConvex};
use crate::math::{Mat3, Pose, Real, Vec3, consts::FRAC_1_SQRT_2};
use crate::tolerances::MANIFOLD;

/// Adds every vertex of a solid that is at most `prediction` (m) above a half-space to `points`.
///
/// The half-space contains the points with a component of at most zero along `normal` (unit, its
/// own axes). A rim gives its lowest point, and the corners of its outline if the shape stands on
/// its cap.
pub(crate) fn half_space_convex(
    normal: Vec3,
    solid: &RoundedConvex,
    solid_in_space: &Pose,
    prediction: Real,
    points: &mut Vec<LocalPoint>,
) {
    let rotation = Mat3::from_quat(solid_in_space.rotation);
    let local = rotation.transpose() * normal;
    // The height of the centre comes first: a body far out on the plane must not lose digits to its
    // distance from the origin.
    let height = solid_in_space.translation.dot(normal) - solid.radius;
    let mut add = |vertex: Vec3, name: u16| {
        let separation = height + vertex.dot(local);
        if separation <= prediction {
            let on_b = vertex - local * solid.radius;
            points.push(LocalPoint {
                point_a: rotation * on_b + solid_in_space.translation - normal * separation,
                point_b: on_b,
                separation,
                feature: feature::pack(feature::face(0), name),
            });
        }
    };
    match &solid.core {
        Core::Point => add(Vec3::ZERO, 0),
        Core::Segment(a, b) => [a, b].into_iter().enumerate().for_each(|(k, v)| add(*v, feature::vertex(k as u32))),
        Core::Triangle(vertices) => {
            vertices.iter().enumerate().for_each(|(k, v)| add(*v, feature::vertex(k as u32)));
        }
        Core::Cuboid(half) => {
            for bits in 0..8_u32 {
                let sign = |bit: u32| if bits & bit == 0 { -1.0 } else { 1.0 };
                add(*half * Vec3::new(sign(1), sign(2), sign(4)), feature::vertex(bits));
            }
        }
        Core::Hull(hull) => {
            hull.points().iter().enumerate().for_each(|(k, v)| add(*v, feature::vertex(k as u32)));
        }
        Core::Cylinder(half, radius) => {
            for (name, y) in [(0, -half), (1, *half)] {
                rim(y, *radius, local, name, &mut add);
            }
        }
        Core::Cone(half, radius) => {
            rim(-half, *radius, local, 0, &mut add);
            add(Vec3::Y * *half, feature::vertex(2));
        }
        Core::Custom(support, _) => {
            let mut face = Polygon::default();
            solid.core.feature(-local, &mut face);
            face.vertices.iter().zip(&face.names).for_each(|(&vertex, &name)| add(vertex, name));
            let tip = support.local_support_point(-local);
            let lowest = face.vertices.iter().fold(Real::INFINITY, |least, v| least.min(v.dot(local)));
            if tip.dot(local) < lowest - MANIFOLD.clip_slack {
                add(tip, feature::vertex(3));
            }
        }
    }
}

/// The lowest point of a rim. For a shape that stands on a cap instead: four points at fixed
/// places, and the lowest one only if it is lower than they are.
///
/// A lying shape touches at the lowest point alone. Points at fixed places rotate with it as it
/// rolls: one behind the lowest place pushes it on, and one ahead descends on a circle, which looks
/// like an approach and brakes.
fn rim(y: Real, radius: Real, up: Vec3, name: u32, add: &mut impl FnMut(Vec3, u16)) {
    let centre = Vec3::Y * y;
    let mut lowest = Real::INFINITY;
    let on_side = up.y.abs() <= FRAC_1_SQRT_2;
    let corners = if on_side { &[][..] } else { &[Vec3::X, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Z] };
    for (k, &arm) in corners.iter().enumerate() {
        lowest = lowest.min(arm.dot(up) * radius);
        add(centre + arm * radius, feature::vertex(4 + 4 * name + k as u32));
    }
    let flat = Vec3::new(up.x, 0.0, up.z);
    let tilt = flat.length();
    if tilt * -radius < lowest - MANIFOLD.clip_slack {
        add(centre - flat * (radius / tilt), feature::vertex(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    fn found(solid: RoundedConvex, pose: &Pose, prediction: Real) -> Vec<LocalPoint> {
        let mut points = Vec::new();
        half_space_convex(Vec3::Y, &solid, pose, prediction, &mut points);
        points
    }

    #[test]
    fn a_cuboid_far_out_keeps_its_separation() {
        let solid = RoundedConvex { core: Core::Cuboid(Vec3::splat(0.5)), radius: 0.0 };
        let points = found(solid, &Pose::from_translation(Vec3::new(1500.0, 0.501, -900.0)), 0.02);
        assert_eq!(points.len(), 4);
        assert!(points.iter().all(|p| (p.separation - 0.001).abs() < 1e-6 && p.point_a.y == 0.0));
    }

    #[test]
    fn a_tilted_cylinder_touches_with_the_lowest_point_of_its_rim() {
        let tilt = Quat::from_rotation_y(0.3) * Quat::from_rotation_x(0.5);
        let solid = RoundedConvex { core: Core::Cylinder(1.0, 0.5), radius: 0.0 };
        let lowest = (0.5 as Real).cos() + 0.5 * (0.5 as Real).sin();
        let points = found(solid, &Pose::from_parts(Vec3::Y * lowest, tilt), 1e-3);
        let least = points.iter().fold(Real::INFINITY, |least, p| least.min(p.separation));
        assert!(least.abs() < 1e-6, "{least}");
    }

    #[test]
    fn a_standing_cylinder_keeps_four_points_and_a_lying_one_its_side() {
        let solid = RoundedConvex { core: Core::Cylinder(1.0, 0.5), radius: 0.0 };
        let standing = found(solid, &Pose::from_translation(Vec3::Y), 0.02);
        assert_eq!(standing.len(), 4);
        let on_side = Quat::from_rotation_y(0.4)
            * Quat::from_rotation_z(crate::math::consts::FRAC_PI_2)
            * Quat::from_rotation_y(0.3);
        let lying = found(solid, &Pose::from_parts(Vec3::Y * 0.5, on_side), 1e-3);
        assert_eq!(lying.len(), 2);
        assert!(lying.iter().all(|p| p.separation.abs() < 1e-6));
    }
}
