//! How far apart two shapes are, and where they are nearest: what the search for a time of impact asks again and again.

use super::cache::Start;
use super::form::Form;
use super::geometry::Geometry;
use super::gjk::{Nearest, nearest_to};
use super::solid::{Core, Solid};
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::partitioning::{BvhLeafCost, BvhNode};
use crate::math::parry::shape::{Shape, SupportMap, TypedShape};
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::GJK_FINE;

/// How two shapes lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distance {
    /// Further apart than asked for.
    Apart,
    /// Near enough to tell where.
    Near {
        /// Nearest point of the second shape, from its origin, in the first one's axes (m). That of the first lies by `distance`
        /// against `normal` from it.
        on_b: Vec3,
        /// Unit normal from the first to the second, in the first one's axes.
        normal: Vec3,
        /// Metres; negative where rounded borders overlap.
        distance: Real,
    },
    /// They overlap by more than their rounded borders.
    Overlap,
}

impl Distance {
    /// The same with the shapes exchanged: `b_in_a` is the second one's pose in the frame of the one that was first.
    pub(super) fn mirrored(self, b_in_a: &Pose) -> Self {
        let Self::Near { on_b, normal, distance } = self else { return self };
        let back = b_in_a.rotation.inverse();
        Self::Near { on_b: back * (b_in_a.translation + on_b - normal * distance), normal: back * -normal, distance }
    }

    /// The same in the axes to which the first one's are turned by this pose.
    fn placed(self, pose: Option<&Pose>) -> Self {
        let (Self::Near { on_b, normal, distance }, Some(pose)) = (self, pose) else { return self };
        Self::Near { on_b: pose.rotation * on_b, normal: pose.rotation * normal, distance }
    }

    /// The same with the second shape as a part whose origin is off the whole one's by `offset`.
    fn of_part(self, offset: Vec3) -> Self {
        let Self::Near { on_b, normal, distance } = self else { return self };
        Self::Near { on_b: on_b + offset, normal, distance }
    }
}

impl BvhLeafCost for Distance {
    fn cost(&self) -> Real {
        match self {
            Self::Apart => Real::MAX,
            Self::Near { distance, .. } => *distance,
            Self::Overlap => -Real::MAX,
        }
    }
}

/// The distance of two shapes at most `reach` (m) apart. `b_in_a` is the second one's pose in the first one's frame.
///
/// Of composites the nearest part counts, and no composite has an inside.
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
                Solid::of(part)
                    .map_or(Distance::Apart, |solid| over_space(*normal, &solid, &placed, reach))
                    .of_part(placed.translation - b_in_a.translation)
            })
        }
        (Geometry::Composite(parts), Geometry::Composite(others)) => {
            let a_in_b = b_in_a.inverse();
            nearest_part(&**parts, &others.compute_aabb(b_in_a), reach, &|pose, part, reach| {
                let Some(solid) = Solid::of(part) else { return Distance::Apart };
                let region = part.compute_aabb(&pose.map_or(a_in_b, |pose| a_in_b * *pose));
                nearest_part(&**others, &region, reach, &|other_pose, other, reach| {
                    let placed = other_pose.map_or(*b_in_a, |pose| *b_in_a * *pose);
                    Solid::of(other)
                        .map_or(Distance::Apart, |o| between(&solid, pose, &o, &placed, reach, None))
                        .of_part(placed.translation - b_in_a.translation)
                })
            })
        }
        (Geometry::Composite(parts), _) => {
            let Some(whole) = b.solid() else { return Distance::Apart };
            nearest_part(&**parts, &b.aabb(b_in_a), reach, &|pose, part, reach| {
                Solid::of(part).map_or(Distance::Apart, |solid| between(&solid, pose, &whole, b_in_a, reach, None))
            })
        }
        (_, Geometry::Composite(parts)) => {
            let Some(whole) = a.solid() else { return Distance::Apart };
            nearest_part(&**parts, &a.aabb(&b_in_a.inverse()), reach, &|pose, part, reach| {
                let placed = pose.map_or(*b_in_a, |pose| *b_in_a * *pose);
                Solid::of(part)
                    .map_or(Distance::Apart, |solid| between(&whole, None, &solid, &placed, reach, None))
                    .of_part(placed.translation - b_in_a.translation)
            })
        }
        _ => Form::from(a).distance(&Form::from(b), b_in_a, reach, None),
    }
}

/// Answers for one part of a shape, at its pose, within a reach (m).
type Ask<'a> = dyn Fn(Option<&Pose>, &dyn Shape, Real) -> Distance + 'a;

/// The answer for the part of `shape` that is nearest. `region` holds the other shape, in this one's frame.
fn nearest_part(shape: &dyn Shape, region: &Aabb, reach: Real, ask: &Ask) -> Distance {
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

/// The distance of two convex parts, in the frame in which the first one's pose and the second one's are given. `guess` is a
/// normal that is expected, in the first part's axes.
pub(crate) fn between(
    a: &Solid,
    a_pose: Option<&Pose>,
    b: &Solid,
    b_pose: &Pose,
    reach: Real,
    guess: Option<Vec3>,
) -> Distance {
    let b_in_a = a_pose.map_or(*b_pose, |pose| pose.inv_mul(b_pose));
    let radii = a.radius + b.radius;
    let (near_a, shift) = near_part(&a.core, &b.core, b_in_a.translation);
    let b_in_near = Pose::from_parts(b_in_a.translation - shift, b_in_a.rotation);
    let start = Start { direction: guess, ..Start::default() };
    match nearest_to(&near_a, &b.core, &b_in_near, reach + radii, start, |distance, _| GJK_FINE * distance) {
        Nearest::Apart(_) => Distance::Apart,
        Nearest::Overlap => Distance::Overlap,
        Nearest::Found { on_b, normal, distance, .. } => Distance::Near {
            on_b: on_b - b_in_near.translation - normal * b.radius,
            normal,
            distance: distance - radii,
        }
        .placed(a_pose),
    }
}

/// The part of a cuboid that holds its nearest point to a core at `place`, and the middle of that part: the corners of a large
/// wall are too far off to tell how a small body lies to it.
fn near_part<'a>(a: &Core<'a>, b: &Core, place: Vec3) -> (Core<'a>, Vec3) {
    let (Core::Cuboid(half), Some(size)) = (a, b.reach_about(Vec3::ZERO)) else { return (*a, Vec3::ZERO) };
    // The nearest point is no farther from the core's origin than the cuboid is from there and the core reaches.
    let room = Vec3::splat(place.distance(place.clamp(-*half, *half)) + 2.0 * size);
    let (low, high) = ((place - room).clamp(-*half, *half), (place + room).clamp(-*half, *half));
    (Core::Cuboid((high - low) * 0.5), (high + low) * 0.5)
}

/// The height of a convex part over a half-space.
pub(super) fn over_space(normal: Vec3, solid: &Solid, pose: &Pose, reach: Real) -> Distance {
    let down = pose.rotation.inverse() * -normal;
    let on_b = pose.rotation * solid.core.local_support_point(down) - normal * solid.radius;
    let distance = pose.translation.dot(normal) + on_b.dot(normal);
    if distance > reach { Distance::Apart } else { Distance::Near { on_b, normal, distance } }
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
