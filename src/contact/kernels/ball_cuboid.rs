//! A cuboid and a ball.

use super::feature;
use super::local_manifold::{LocalManifold, LocalPoint};
use crate::math::{Pose, Real, Vec3};

/// The contact of a cuboid of half extents `half` (m) with a ball of `radius` (m), in the cuboid's
/// frame.
///
/// The contact lies at the cuboid's point closest to the centre (Ericson, "Real-time collision
/// detection", section 5.1.3). If the centre is inside, the normal is that of the closest face.
pub fn cuboid_ball(half: Vec3, radius: Real, ball_in_cuboid: &Pose, prediction: Real) -> LocalManifold {
    let centre = ball_in_cuboid.translation;
    let nearest = centre.clamp(-half, half);
    let offset = centre - nearest;
    let squared = offset.length_squared();
    let reach = radius + prediction;
    if squared > reach * reach {
        return LocalManifold::apart(squared.sqrt() - radius);
    }
    let (normal, distance, point_a, region) = if squared > 0.0 {
        let distance = squared.sqrt();
        (offset / distance, distance, nearest, region(centre, half))
    } else {
        let depth = half - centre.abs();
        let axis = depth.min_position();
        let mut normal = Vec3::ZERO;
        normal[axis] = Real::copysign(1.0, centre[axis]);
        let mut surface = centre;
        surface[axis] = normal[axis] * half[axis];
        (normal, -depth[axis], surface, feature::face(2 * axis as u32 + u32::from(centre[axis] > 0.0)))
    };
    let mut out = LocalManifold::with_normal(normal);
    out.push(LocalPoint {
        point_a,
        point_b: ball_in_cuboid.rotation.inverse() * (normal * -radius),
        separation: distance - radius,
        feature: feature::pack(region, 0),
    });
    out
}

/// Feature of the cuboid closest to a point outside.
#[inline]
fn region(point: Vec3, half: Vec3) -> u16 {
    let mut corner = 0;
    let mut free = 0;
    let mut fixed = 0;
    for i in 0..3 {
        if point[i] > 0.0 {
            corner |= 1 << i;
        }
        if point[i].abs() <= half[i] {
            free |= 1 << i;
        } else {
            fixed = i as u32;
        }
    }
    let bits: u32 = free;
    match bits.count_ones() {
        0 => feature::vertex(corner),
        1 => feature::edge(corner & !bits, corner | bits),
        _ => feature::face(2 * fixed + ((corner >> fixed) & 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: Real, y: Real, z: Real) -> Pose {
        Pose::from_translation(Vec3::new(x, y, z))
    }

    #[test]
    fn a_ball_over_a_face_an_edge_and_a_corner_is_as_far_as_its_centre_less_its_radius() {
        let half = Vec3::new(1.0, 0.5, 2.0);
        let face = cuboid_ball(half, 0.25, &at(0.3, 0.8, -1.0), 0.1);
        assert_eq!(face.normal, Vec3::Y);
        assert!((face.points[0].separation - 0.05).abs() < 1e-6);
        let edge = cuboid_ball(half, 0.25, &at(1.3, 0.9, 0.0), 0.3);
        assert!((edge.points[0].separation - 0.25).abs() < 1e-6);
        assert!((edge.normal - Vec3::new(0.6, 0.8, 0.0)).length() < 1e-6);
        let corner = cuboid_ball(half, 0.25, &at(1.2, 0.7, 2.1), 0.1);
        assert!((corner.points[0].separation - 0.05).abs() < 1e-6);
        assert_eq!(corner.points[0].point_a, half);
    }

    #[test]
    fn a_centre_inside_leaves_through_the_nearest_face() {
        let m = cuboid_ball(Vec3::new(1.0, 0.5, 2.0), 0.25, &at(0.2, -0.4, 0.0), 0.0);
        assert_eq!(m.normal, -Vec3::Y);
        assert!((m.points[0].separation + 0.35).abs() < 1e-6);
        assert_eq!(m.points[0].point_a, Vec3::new(0.2, -0.5, 0.0));
    }

    #[test]
    fn separation_is_continuous_through_the_face() {
        for i in -20..20 {
            let y = 0.5 + 1e-5 * i as Real;
            let m = cuboid_ball(Vec3::splat(0.5), 0.25, &at(0.1, y, 0.1), 0.0);
            assert!((m.points[0].separation - (y - 0.75)).abs() < 1e-7);
            assert_eq!(m.normal, Vec3::Y);
        }
    }
}
