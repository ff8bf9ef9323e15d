//! Rays against one shape, in the shape's own axes.
//!
//! Balls, boxes, capsules and half-spaces use closed forms in terms of the ray's closest point to
//! the centre or axis, so that no two large numbers are subtracted. Hulls, cylinders and cones are
//! in [`super::convex_ray`], height fields in [`super::height_field`], and other convex shapes are
//! met as by a moving point ([`super::linear_cast`]). Triangles and meshes of them use parry, and so
//! do custom shapes, which answer for themselves.

use super::Best;
use super::convex_ray::{self, near_axis};
use super::height_field;
use super::linear_cast::cast_convex;
use super::ray_hit::RayHit;
use crate::contact::kernels::{Geometry, RoundedConvex};
use crate::math::parry::query;
use crate::math::parry::shape::{FeatureId, Shape, TypedShape};
use crate::math::{Pose, Real, Vec3};

/// The first hit of the ray from `origin` along the unit vector `direction` within `reach` (m). If
/// `hollow`, a ray from inside hits the surface on its way out; otherwise its origin.
pub(super) fn cast(geometry: &Geometry, origin: Vec3, direction: Vec3, reach: Real, hollow: bool) -> Option<RayHit> {
    let hit = match geometry {
        Geometry::Ball { radius } => ball(origin, direction, *radius, hollow),
        Geometry::Cuboid { half } => cuboid(origin, direction, *half, hollow),
        Geometry::Capsule { a, b, radius } => capsule(origin, direction, [*a, *b], *radius, hollow),
        Geometry::HalfSpace { normal } => half_space(origin, direction, *normal, hollow),
        Geometry::Convex(shape) | Geometry::Composite(shape) | Geometry::Other(shape) => {
            other(&**shape, origin, direction, reach, hollow)
        }
    };
    hit.filter(|hit| hit.distance <= reach)
}

fn other(shape: &dyn Shape, origin: Vec3, direction: Vec3, reach: Real, hollow: bool) -> Option<RayHit> {
    match shape.as_typed_shape() {
        TypedShape::HeightField(field) => height_field::cast(field, origin, direction, reach),
        TypedShape::Compound(_) | TypedShape::Polyline(_) => parts(shape, origin, direction, reach, hollow),
        TypedShape::Triangle(_) | TypedShape::TriMesh(_) | TypedShape::Voxels(_) | TypedShape::Custom(_) => {
            let hit = shape.cast_local_ray_and_get_normal(&query::Ray::new(origin, direction), reach, !hollow)?;
            let query::RayIntersection { time_of_impact, normal, feature, subshape } = hit;
            Some(RayHit { distance: time_of_impact, normal, feature, part: subshape })
        }
        _ => convex_ray::cast(shape, origin, direction, hollow)
            .unwrap_or_else(|| convex(&RoundedConvex::of(shape)?, origin, direction, reach, hollow)),
    }
}

/// The first of the parts that the ray hits.
fn parts(shape: &dyn Shape, origin: Vec3, direction: Vec3, reach: Real, hollow: bool) -> Option<RayHit> {
    let parts = shape.as_composite_shape()?;
    let (best, ray) = (Best::new(), query::Ray::new(origin, direction));
    parts.bvh().find_best(
        best.limit(reach),
        |node, limit| node.cast_ray(&ray, limit),
        |part, _: Real| {
            let mut cost = None;
            parts.map_part_at(part, &mut |pose, shape, _| {
                let (origin, direction) = pose.map_or((origin, direction), |pose| {
                    (pose.inverse_transform_point(origin), pose.rotation.inverse() * direction)
                });
                let hit = match Geometry::primitive(shape) {
                    Some(primitive) => cast(&primitive, origin, direction, reach, hollow),
                    None => other(shape, origin, direction, reach, hollow),
                };
                cost = hit.and_then(|hit| {
                    let normal = pose.map_or(hit.normal, |pose| pose.rotation * hit.normal);
                    best.offer(hit.distance, part as usize, RayHit { normal, ..hit })
                });
            });
            cost
        },
    );
    best.into_answer().map(|(part, hit)| RayHit { part: part as u32, ..hit })
}

/// A convex shape that is known by its support points.
fn convex(solid: &RoundedConvex, origin: Vec3, direction: Vec3, reach: Real, hollow: bool) -> Option<RayHit> {
    let meet = |origin: Vec3, direction: Vec3, reach: Real| {
        cast_convex(solid, &RoundedConvex::POINT, &Pose::from_translation(origin), direction, reach)
    };
    let hit = meet(origin, direction, reach)?;
    if !hit.overlaps {
        return Some(RayHit::new(hit.distance, hit.normal, FeatureId::Unknown));
    }
    if !hollow {
        return Some(RayHit::INSIDE);
    }
    // From outside, against the ray, to where it leaves.
    let beyond = 2.0 * (solid.core.radius_about(origin)? + solid.radius);
    let back = meet(origin + direction * beyond, -direction, beyond)?;
    Some(RayHit::new(beyond - back.distance, back.normal, FeatureId::Unknown))
}

/// Distances at which a ray enters and leaves a ball about the origin (m).
fn through_ball(origin: Vec3, direction: Vec3, radius: Real) -> Option<[Real; 2]> {
    let nearest = -origin.dot(direction);
    let offset = origin + direction * nearest;
    let chord = radius * radius - offset.length_squared();
    (chord >= 0.0).then(|| [nearest - chord.sqrt(), nearest + chord.sqrt()])
}

fn ball(origin: Vec3, direction: Vec3, radius: Real, hollow: bool) -> Option<RayHit> {
    let inside = origin.length_squared() <= radius * radius;
    if inside && !hollow {
        return Some(RayHit::INSIDE);
    }
    let [enters, leaves] = through_ball(origin, direction, radius)?;
    let distance = if inside { leaves } else { enters };
    let at = origin + direction * distance;
    (distance >= 0.0).then(|| RayHit::new(distance, at / radius, FeatureId::Face(0)))
}

fn cuboid(origin: Vec3, direction: Vec3, half: Vec3, hollow: bool) -> Option<RayHit> {
    let inside = origin.abs().cmple(half).all();
    if inside && !hollow {
        return Some(RayHit::INSIDE);
    }
    let (mut enters, mut leaves) = ((Real::NEG_INFINITY, 0), (Real::INFINITY, 0));
    for axis in 0..3 {
        let (o, d, h) = (origin[axis], direction[axis], half[axis]);
        if d == 0.0 {
            if o.abs() > h {
                return None;
            }
            continue;
        }
        let (near, far) = ((-h * d.signum() - o) / d, (h * d.signum() - o) / d);
        if near > enters.0 {
            enters = (near, axis);
        }
        if far < leaves.0 {
            leaves = (far, axis);
        }
    }
    let ((distance, axis), sign) = if inside { (leaves, 1.0) } else { (enters, -1.0) };
    if enters.0 > leaves.0 || distance < 0.0 {
        return None;
    }
    let side = direction[axis].signum() * sign;
    let face = axis as u32 + if side < 0.0 { 3 } else { 0 };
    Some(RayHit::new(distance, Vec3::AXES[axis] * side, FeatureId::Face(face)))
}

fn half_space(origin: Vec3, direction: Vec3, normal: Vec3, hollow: bool) -> Option<RayHit> {
    let (height, rate) = (normal.dot(origin), normal.dot(direction));
    if height <= 0.0 && !hollow {
        return Some(RayHit::INSIDE);
    }
    let towards = if height > 0.0 { rate < 0.0 } else { rate > 0.0 };
    towards.then(|| RayHit::new(-height / rate, normal, FeatureId::Face(0)))
}

/// A capsule is a cylinder and two balls: the ray enters it where it first enters one of them, and
/// leaves it where it last leaves one.
fn capsule(origin: Vec3, direction: Vec3, [a, b]: [Vec3; 2], radius: Real, hollow: bool) -> Option<RayHit> {
    let axis = b - a;
    let length_squared = axis.length_squared();
    let along = |p: Vec3| {
        let t = (p - a).dot(axis);
        if length_squared > 0.0 { (t / length_squared).clamp(0.0, 1.0) } else { 0.0 }
    };
    let core = |p: Vec3| a + axis * along(p);
    let inside = origin.distance_squared(core(origin)) <= radius * radius;
    if inside && !hollow {
        return Some(RayHit::INSIDE);
    }
    let mut spans = [None; 3];
    spans[0] = through_ball(origin - a, direction, radius);
    spans[1] = through_ball(origin - b, direction, radius);
    spans[2] = through_cylinder(origin - a, direction, axis, radius);
    let spans = spans.iter().flatten();
    let distance = if inside {
        spans.map(|span| span[1]).fold(Real::NEG_INFINITY, Real::max)
    } else {
        spans.map(|span| span[0]).filter(|&t| t >= 0.0).fold(Real::INFINITY, Real::min)
    };
    if !distance.is_finite() {
        return None;
    }
    let at = origin + direction * distance;
    Some(RayHit::new(distance, (at - core(at)).normalize_or(-direction), FeatureId::Face(0)))
}

/// Interval of a ray inside a cylinder from the origin along `axis`, with flat ends.
fn through_cylinder(origin: Vec3, direction: Vec3, axis: Vec3, radius: Real) -> Option<[Real; 2]> {
    let length = axis.length();
    if length == 0.0 {
        return None;
    }
    let axis = axis / length;
    let (start, rate) = (origin.dot(axis), direction.dot(axis));
    let (o, d) = (origin - axis * start, direction - axis * rate);
    let [mut enters, mut leaves] = near_axis(o, d, radius)?;
    if rate != 0.0 {
        let (p, q) = (-start / rate, (length - start) / rate);
        enters = enters.max(p.min(q));
        leaves = leaves.min(p.max(q));
    } else if !(0.0..=length).contains(&start) {
        return None;
    }
    (enters <= leaves).then_some([enters, leaves])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::Collider;
    use crate::math::{DVec3, to_f64};
    use proptest::prelude::*;

    fn distance(geometry: &Geometry, origin: Vec3, direction: Vec3, hollow: bool) -> Option<Real> {
        cast(geometry, origin, direction, 100.0, hollow).map(|hit| hit.distance)
    }

    #[test]
    fn a_capsule_is_hit_on_its_side_and_on_its_caps() {
        let capsule = Geometry::Capsule { a: Vec3::Y * -1.0, b: Vec3::Y, radius: 0.5 };
        assert_eq!(distance(&capsule, Vec3::X * 3.0, -Vec3::X, false), Some(2.5));
        assert_eq!(distance(&capsule, Vec3::Y * 3.0, -Vec3::Y, false), Some(1.5));
        assert_eq!(distance(&capsule, Vec3::new(3.0, 1.75, 0.0), -Vec3::X, false), None);
        assert_eq!(distance(&capsule, Vec3::ZERO, Vec3::Y, true), Some(1.5));
        assert_eq!(distance(&capsule, Vec3::ZERO, Vec3::Z, true), Some(0.5));
        assert_eq!(distance(&capsule, Vec3::ZERO, Vec3::Z, false), Some(0.0));
    }

    #[test]
    fn a_half_space_is_hit_from_above_and_left_from_below() {
        let ground = Geometry::HalfSpace { normal: Vec3::Y };
        assert_eq!(distance(&ground, Vec3::Y * 2.0, -Vec3::Y, false), Some(2.0));
        assert_eq!(distance(&ground, Vec3::Y * 2.0, Vec3::Y, false), None);
        assert_eq!(distance(&ground, Vec3::Y * 2.0, Vec3::X, false), None);
        assert_eq!(distance(&ground, Vec3::Y * -2.0, Vec3::Y, false), Some(0.0));
        assert_eq!(distance(&ground, Vec3::Y * -2.0, Vec3::Y, true), Some(2.0));
    }

    fn convex(collider: Collider) -> Geometry {
        Geometry::from(&collider.0)
    }

    #[test]
    fn a_cone_is_hit_on_its_side_its_base_and_its_tip() {
        // As wide as it is deep below the tip.
        let cone = convex(Collider::cone(0.5, 1.0));
        assert_eq!(distance(&cone, Vec3::X * 3.0, -Vec3::X, false), Some(2.5));
        assert_eq!(distance(&cone, Vec3::Y * 3.0, -Vec3::Y, false), Some(2.5));
        assert_eq!(distance(&cone, Vec3::new(0.25, 3.0, 0.0), -Vec3::Y, false), Some(2.75));
        assert_eq!(distance(&cone, Vec3::new(0.25, -3.0, 0.0), Vec3::Y, false), Some(2.5));
        assert_eq!(distance(&cone, Vec3::new(0.25, -0.25, 0.0), Vec3::Y, true), Some(0.5));
        assert_eq!(distance(&cone, Vec3::new(1.5, 0.5, 0.0), -Vec3::X, false), Some(1.5));
        assert_eq!(distance(&cone, Vec3::new(1.5, 0.75, 0.0), -Vec3::X, false), None);
        assert_eq!(distance(&cone, Vec3::new(0.0, 1.5, 3.0), -Vec3::Z, false), None);
        // Along the side, outside and inside.
        let slant = Vec3::new(1.0, -1.0, 0.0).normalize();
        assert_eq!(distance(&cone, Vec3::new(0.0, 1.0, 0.0), slant, false), None);
        assert!((distance(&cone, Vec3::new(-1.0, 0.5, 0.0), slant, false).unwrap() - Real::sqrt(0.5)).abs() < 1e-6);
    }

    #[test]
    fn a_cylinder_is_hit_on_its_side_and_on_its_ends() {
        let cylinder = convex(Collider::cylinder(1.0, 0.5));
        assert_eq!(distance(&cylinder, Vec3::X * 3.0, -Vec3::X, false), Some(2.5));
        assert_eq!(distance(&cylinder, Vec3::new(0.25, 3.0, 0.0), -Vec3::Y, false), Some(2.0));
        assert_eq!(distance(&cylinder, Vec3::new(0.75, 3.0, 0.0), -Vec3::Y, false), None);
        assert_eq!(distance(&cylinder, Vec3::new(3.0, 1.5, 0.0), -Vec3::X, false), None);
        assert_eq!(distance(&cylinder, Vec3::ZERO, Vec3::Y, true), Some(1.0));
    }

    /// Corners of a hull of many faces, some of which parry merges in spite of a fold.
    fn corners() -> Vec<Vec3> {
        let corner = |k: usize| {
            let (sin, cos) = (0.9 * k as Real).sin_cos();
            Vec3::new(0.5 * cos, 0.08 * k as Real - 0.5, 0.5 * sin)
        };
        (0..14).map(corner).collect()
    }

    /// Height of a point above the highest of all planes through three corners that have every
    /// corner below them (m).
    fn above_hull(corners: &[Vec3], at: DVec3) -> f64 {
        let corners: Vec<DVec3> = corners.iter().map(|&corner| to_f64(corner)).collect();
        let mut highest = f64::NEG_INFINITY;
        for (i, &a) in corners.iter().enumerate() {
            for (j, &b) in corners.iter().enumerate().filter(|(j, _)| *j != i) {
                for &c in corners[..j].iter() {
                    let Some(normal) = (b - a).cross(c - a).try_normalize() else { continue };
                    if corners.iter().all(|&corner| normal.dot(corner - a) < 1e-9) {
                        highest = highest.max(normal.dot(at - a));
                    }
                }
            }
        }
        highest
    }

    proptest! {
        #[test]
        fn hits_on_hulls_cylinders_and_cones_lie_on_them_and_none_is_missed(
            kind in 0..3_usize,
            origin in prop::array::uniform3(-2.0..2.0 as Real),
            towards in prop::array::uniform3(-0.6..0.6 as Real),
        ) {
            let hull = Collider::convex_hull(&corners()).unwrap();
            let collider = [Collider::cylinder(0.5, 0.4), Collider::cone(0.5, 0.4), hull][kind].clone();
            let above = |at: Vec3| {
                let at = to_f64(at);
                let off_axis = at.with_y(0.0).length();
                match kind {
                    0 => (at.y.abs() - 0.5).max(off_axis - 0.4),
                    1 => ((off_axis - 0.4 * (0.5 - at.y)) / 1.0_f64.hypot(0.4)).max(-0.5 - at.y),
                    _ => above_hull(&corners(), at),
                }
            };
            let [origin, towards] = [origin, towards].map(Vec3::from_array);
            let Some(direction) = (towards - origin).try_normalize() else { return Ok(()) };
            match cast(&convex(collider), origin, direction, 100.0, false) {
                Some(hit) if hit.distance > 0.0 => {
                    let off = above(origin + direction * hit.distance);
                    prop_assert!(off.abs() < 2e-6, "{off} m off the surface");
                    prop_assert!(above(origin) > 0.0);
                    prop_assert!(hit.normal.dot(direction) <= 0.0 && (hit.normal.length() - 1.0).abs() < 1e-5);
                }
                Some(_) => prop_assert!(above(origin) < 1e-6),
                None => prop_assert!(above(towards) > -1e-6, "missed"),
            }
        }
    }

    #[test]
    fn a_box_names_the_face() {
        let block = Geometry::Cuboid { half: Vec3::new(1.0, 2.0, 3.0) };
        let hit = cast(&block, Vec3::new(0.0, 5.0, 0.0), -Vec3::Y, 100.0, false).unwrap();
        assert_eq!((hit.distance, hit.normal, hit.feature), (3.0, Vec3::Y, FeatureId::Face(1)));
        let hit = cast(&block, Vec3::new(0.0, 0.0, -5.0), Vec3::Z, 100.0, false).unwrap();
        assert_eq!((hit.distance, hit.normal, hit.feature), (2.0, -Vec3::Z, FeatureId::Face(5)));
        assert_eq!(distance(&block, Vec3::ZERO, Vec3::X, true), Some(1.0));
    }
}
