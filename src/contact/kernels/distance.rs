//! Distance and closest points of two shapes: the inner function of the time-of-impact search.

use super::convex_distance::{Distance, convex_distance, half_space_distance};
use super::geometry::Geometry;
use super::query_shape::QueryShape;
use super::rounded_convex::RoundedConvex;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::partitioning::{BvhLeafCost, BvhNode};
use crate::math::parry::shape::{Shape, TypedShape};
use crate::math::{Pose, Real, Vec3};

/// The distance of two shapes at most `reach` (m) apart. `b_in_a` is the second one's pose in the
/// first one's frame.
///
/// For composites it is that of the closest part. Composites have no inside.
pub fn distance(a: &Geometry, b: &Geometry, b_in_a: &Pose, reach: Real) -> Distance {
    match (a, b) {
        (Geometry::Composite(_), Geometry::HalfSpace { .. }) => {
            let a_in_b = b_in_a.inverse();
            distance(b, a, &a_in_b, reach).mirrored(&a_in_b)
        }
        (Geometry::HalfSpace { normal }, Geometry::Composite(parts)) => {
            let everything = Aabb::new(Vec3::splat(-Real::MAX), Vec3::splat(Real::MAX));
            nearest_part(&**parts, &everything, reach, &|pose, part, reach| {
                let placed = pose.map_or(*b_in_a, |pose| *b_in_a * *pose);
                RoundedConvex::of(part)
                    .map_or(Distance::Apart, |solid| half_space_distance(*normal, &solid, &placed, reach))
                    .of_part(placed.translation - b_in_a.translation)
            })
        }
        (Geometry::Composite(parts), Geometry::Composite(others)) => {
            let a_in_b = b_in_a.inverse();
            nearest_part(&**parts, &others.compute_aabb(b_in_a), reach, &|pose, part, reach| {
                let Some(solid) = RoundedConvex::of(part) else { return Distance::Apart };
                let region = part.compute_aabb(&pose.map_or(a_in_b, |pose| a_in_b * *pose));
                nearest_part(&**others, &region, reach, &|other_pose, other, reach| {
                    let placed = other_pose.map_or(*b_in_a, |pose| *b_in_a * *pose);
                    RoundedConvex::of(other)
                        .map_or(Distance::Apart, |o| convex_distance(&solid, pose, &o, &placed, reach, None))
                        .of_part(placed.translation - b_in_a.translation)
                })
            })
        }
        (Geometry::Composite(parts), _) => {
            let Some(whole) = b.as_convex() else { return Distance::Apart };
            nearest_part(&**parts, &b.aabb(b_in_a), reach, &|pose, part, reach| {
                RoundedConvex::of(part)
                    .map_or(Distance::Apart, |solid| convex_distance(&solid, pose, &whole, b_in_a, reach, None))
            })
        }
        (_, Geometry::Composite(parts)) => {
            let Some(whole) = a.as_convex() else { return Distance::Apart };
            nearest_part(&**parts, &a.aabb(&b_in_a.inverse()), reach, &|pose, part, reach| {
                let placed = pose.map_or(*b_in_a, |pose| *b_in_a * *pose);
                RoundedConvex::of(part)
                    .map_or(Distance::Apart, |solid| convex_distance(&whole, None, &solid, &placed, reach, None))
                    .of_part(placed.translation - b_in_a.translation)
            })
        }
        _ => QueryShape::from(a).distance(&QueryShape::from(b), b_in_a, reach, None),
    }
}

/// Distance of one part of a shape at its pose, within a reach (m).
type PartDistance<'a> = dyn Fn(Option<&Pose>, &dyn Shape, Real) -> Distance + 'a;

/// The distance of the closest part of `shape`. `region` is the box of the other shape, in this
/// one's frame.
fn nearest_part(shape: &dyn Shape, region: &Aabb, reach: Real, ask: &PartDistance) -> Distance {
    let mut best = Distance::Apart;
    if let TypedShape::HeightField(field) = shape.as_typed_shape() {
        field.map_elements_in_local_aabb(&region.loosened(reach), &mut |_, triangle| {
            let found = ask(None, triangle, best.cost().min(reach));
            if found.cost() < best.cost() {
                best = found;
            }
        });
        return best;
    }
    let Some(composite) = shape.as_composite_shape() else { return best };
    let gap =
        |node: &BvhNode, _: Real| (region.mins - node.maxs()).max(node.mins() - region.maxs).max(Vec3::ZERO).length();
    let found = composite.bvh().find_best(Real::MAX, gap, |part, best: Real| {
        let mut found = Distance::Apart;
        composite.map_part_at(part, &mut |pose, shape, _| found = ask(pose, shape, best.min(reach)));
        (found != Distance::Apart).then_some(found)
    });
    if let Some((_, found)) = found {
        best = found;
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use crate::math::parry::shape::SharedShape;

    fn at(x: Real, y: Real, z: Real) -> Pose {
        Pose::from_parts(Vec3::new(x, y, z), Quat::from_rotation_z(0.3))
    }

    fn found(a: &SharedShape, b: &SharedShape, b_in_a: &Pose) -> Real {
        match distance(&Geometry::from(a), &Geometry::from(b), b_in_a, 100.0) {
            Distance::Near { on_b, normal, distance } => {
                let on_a = b_in_a.translation + on_b - normal * distance;
                assert!(a.distance_to_local_point(on_a, true) < 1e-4, "{on_a}");
                distance
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn either_way_round_the_distance_of_every_kind_of_shape_is_the_same() {
        let wall = SharedShape::cuboid(0.5, 2.0, 2.0);
        let corners = vec![Vec3::new(0.5, -2.0, -2.0), Vec3::new(0.5, 2.0, -2.0), Vec3::new(0.5, 0.0, 4.0)];
        let mesh = SharedShape::trimesh(corners, vec![[0, 1, 2]]).unwrap();
        let compound = SharedShape::compound(vec![(Pose::from_translation(Vec3::ZERO), wall.clone())]);
        let space = SharedShape::halfspace(Vec3::X);
        let ball = SharedShape::ball(0.25);
        let balls = SharedShape::compound(vec![
            (Pose::from_translation(Vec3::new(1.0, 0.0, 0.0)), ball.clone()),
            (Pose::from_translation(Vec3::ZERO), ball.clone()),
        ]);
        let tilted = at(2.0, 0.1, 0.2);
        for (a, offset) in [(&wall, 0.5), (&mesh, 0.5), (&compound, 0.5), (&space, 0.0)] {
            for b in [&ball, &balls] {
                let there = found(a, b, &tilted);
                assert!((there - (1.75 - offset)).abs() < 1e-5, "{there}");
                assert!((found(b, a, &tilted.inverse()) - there).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn what_overlaps_and_what_is_out_of_reach_says_so() {
        let (a, b) = (Geometry::Cuboid { half: Vec3::ONE }, Geometry::Cuboid { half: Vec3::ONE });
        assert_eq!(distance(&a, &b, &at(1.0, 0.0, 0.0), 1.0), Distance::Overlap);
        assert_eq!(distance(&a, &b, &at(9.0, 0.0, 0.0), 1.0), Distance::Apart);
    }
}
