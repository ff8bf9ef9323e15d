//! Overlapping pairs and their depths.

use super::boxes::{OrientedBox, box_ball, box_box};
use super::tracked::Tracked;
use crate::contact::kernels::{Geometry, Manifolds, PairCache, collide};
use crate::math::parry::shape::{Shape, SharedShape, TypedShape};
use crate::math::{DVec3, Pose, Vec3, from_f64, quat_to_f64, to_f64};

/// The bounding box of a collider.
struct Extent {
    /// Index of the tracked body.
    body: usize,
    least: DVec3,
    most: DVec3,
}

/// Calls `found` with the depth (m) of every overlapping pair with a dynamic body, in a fixed
/// order.
///
/// Sweep and prune along the axis with the greatest spread of dynamic bodies.
pub(super) fn overlaps(tracked: &[Tracked], mut found: impl FnMut(f64)) {
    let mut extents: Vec<Extent> = tracked
        .iter()
        .enumerate()
        .filter(|(_, t)| t.now.is_finite())
        .filter_map(|(body, t)| {
            let aabb = t.collider.as_ref()?.shape().compute_aabb(&t.now.pose());
            Some(Extent { body, least: to_f64(aabb.mins), most: to_f64(aabb.maxs) })
        })
        .collect();
    let axis = widest(tracked);
    extents.sort_by(|a, b| a.least[axis].total_cmp(&b.least[axis]).then(a.body.cmp(&b.body)));
    for (i, a) in extents.iter().enumerate() {
        for b in extents[i + 1..].iter().take_while(|b| b.least[axis] <= a.most[axis]) {
            let apart = a.least.cmpgt(b.most).any() || b.least.cmpgt(a.most).any();
            let (first, second) = (&tracked[a.body], &tracked[b.body]);
            if apart || !(first.dynamic() || second.dynamic()) {
                continue;
            }
            let depth = depth(first, second);
            if depth > 0.0 {
                found(depth);
            }
        }
    }
}

/// The axis with the greatest spread of dynamic bodies.
fn widest(tracked: &[Tracked]) -> usize {
    let (mut least, mut most) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for t in tracked.iter().filter(|t| t.dynamic() && t.now.is_finite()) {
        least = least.min(t.now.position);
        most = most.max(t.now.position);
    }
    (most - least).max_position()
}

/// Penetration depth of two colliders (m); at most 0 without overlap. In closed form in `f64` for
/// boxes, balls and half-spaces, by the kernels of the narrow phase for other shapes.
fn depth(a: &Tracked, b: &Tracked) -> f64 {
    let (Some(first), Some(second)) = (&a.collider, &b.collider) else { return 0.0 };
    let (pa, pb) = (a.now.position, b.now.position);
    let placed = |t: &Tracked, half| OrientedBox::new(t.now.position, t.now.orientation, to_f64(half));
    match (first.shape().as_typed_shape(), second.shape().as_typed_shape()) {
        (TypedShape::Cuboid(x), TypedShape::Cuboid(y)) => {
            box_box(&placed(a, x.half_extents), &placed(b, y.half_extents))
        }
        (TypedShape::Ball(x), TypedShape::Ball(y)) => f64::from(x.radius) + f64::from(y.radius) - pa.distance(pb),
        (TypedShape::Cuboid(x), TypedShape::Ball(y)) => box_ball(&placed(a, x.half_extents), pb, f64::from(y.radius)),
        (TypedShape::HalfSpace(x), _) => {
            let normal = b.now.orientation.inverse() * (a.now.orientation * to_f64(x.normal));
            below(&**second.shape(), normal) - (pb - pa).dot(b.now.orientation * normal)
        }
        (TypedShape::Ball(_), TypedShape::Cuboid(_)) | (_, TypedShape::HalfSpace(_)) => depth(b, a),
        _ => {
            let [first, second] = [first, second].map(|collider| Geometry::from(collider.shape()));
            let between = a.now.pose().inv_mul(&b.now.pose());
            let mut found = Manifolds::default();
            // Shapes without a kernel do not overlap.
            let _ = collide(&first, &second, &between, 0.0, &mut PairCache::default(), &mut found);
            let points = found.as_slice().iter().flat_map(|manifold| manifold.points());
            points.map(|point| -f64::from(point.separation)).fold(0.0, f64::max)
        }
    }
}

/// Support distance of a shape from its origin against a unit vector in its axes (m).
fn below(shape: &dyn Shape, normal: DVec3) -> f64 {
    let lowest = |points: &[Vec3]| points.iter().map(|&p| -normal.dot(to_f64(p))).fold(f64::NEG_INFINITY, f64::max);
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => f64::from(ball.radius),
        TypedShape::Cuboid(cuboid) => normal.abs().dot(to_f64(cuboid.half_extents)),
        TypedShape::Compound(compound) => {
            let part = |(pose, part): &(Pose, SharedShape)| {
                let turned = quat_to_f64(pose.rotation).inverse() * normal;
                below(&**part, turned) - normal.dot(to_f64(pose.translation))
            };
            compound.shapes().iter().map(part).fold(f64::NEG_INFINITY, f64::max)
        }
        TypedShape::TriMesh(mesh) => lowest(mesh.vertices()),
        TypedShape::HeightField(field) => lowest(&field.to_trimesh().0),
        _ => shape.as_support_map().map_or(0.0, |map| lowest(&[map.local_support_point(from_f64(-normal))])),
    }
}
