//! Composite shapes: each pair of parts close to each other is collided, and points with one normal
//! become one manifold.

use super::cache::{PairCache, SearchStart};
use super::convex::{ConvexScratch, convex_convex};
use super::feature;
use super::geometry::Geometry;
use super::ghost_contacts::{MeshEdge, PredictedPose};
use super::groups::CompositeScratch;
use super::half_space::half_space_convex;
use super::local_manifold::{LocalManifold, LocalPoint};
use super::pair_kernels::{KernelPoints, PairKernels};
use super::part_cache::PartCacheAccess;
use super::polygon::newell;
use super::primitives::primitives;
use super::rounded_convex::{Constraints, RoundedConvex};
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::shape::{HalfSpace, Shape, TypedShape};
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::GEOMETRY;

/// A part that no kernel supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnknownPart;

/// Part of a shape, or the whole of a convex one.
pub(crate) struct ShapePart<'a> {
    index: u32,
    /// Pose in the whole's frame, if not at its origin.
    pub pose: Option<Pose>,
    pub shape: &'a dyn Shape,
    constraints: Constraints<'a>,
}

/// Calls `f` for each part of `shape` whose box intersects `region` (in its own frame), in a fixed
/// order.
pub(crate) fn for_each_part(shape: &dyn Shape, region: &Aabb, f: &mut dyn FnMut(ShapePart)) {
    if let TypedShape::HeightField(field) = shape.as_typed_shape() {
        field.map_elements_in_local_aabb(region, &mut |index, triangle| {
            let constraints = field.triangle_normal_constraints(index);
            let constraints = constraints.as_ref().map(|c| c as _);
            f(ShapePart { index, pose: None, shape: triangle, constraints });
        });
    } else if let Some(composite) = shape.as_composite_shape() {
        for index in composite.bvh().intersect_aabb(region) {
            composite.map_part_at(index, &mut |pose, shape, constraints| {
                f(ShapePart { index, pose: pose.copied(), shape, constraints });
            });
        }
    }
}

fn to_frame(pose: &Option<Pose>, point: Vec3) -> Vec3 {
    pose.map_or(point, |pose| pose * point)
}

/// Kernels, buffers and caches for colliding parts.
pub(crate) struct PartContext<'s> {
    pub kernels: &'s PairKernels,
    pub convex: &'s mut ConvexScratch,
    pub kernel_points: &'s mut KernelPoints,
    pub part_cache: Option<PartCacheAccess<'s>>,
    /// Predicted pose of the second whole at the end of the step, if ghost contacts are to be
    /// removed.
    pub predicted: Option<PredictedPose>,
}

/// Pairs of parts of one call, and their results.
struct PartPairs<'s> {
    b_in_a: Pose,
    prediction: Real,
    context: PartContext<'s>,
    found: &'s mut CompositeScratch,
    unknown: bool,
    /// Without points: a lower bound of the distance of all parts (m).
    clearance: Real,
}

impl PartPairs<'_> {
    /// Cached lower bound of the distance of two parts (m), and the cache of their kernel.
    fn lookup(&mut self, parts: [u32; 2]) -> (Real, PairCache) {
        self.context.part_cache.as_mut().map_or((0.0, PairCache::default()), |part_cache| part_cache.lookup(parts))
    }

    fn store(&mut self, parts: [u32; 2], gap: Real, cache: PairCache) {
        self.clearance = self.clearance.min(gap);
        if let Some(part_cache) = &mut self.context.part_cache {
            part_cache.store(parts, gap, cache);
        }
    }

    /// For a ghost contact of two parts: their predicted pose, and the face that separates them.
    fn separating_face(
        &self,
        [a, b]: [&ShapePart; 2],
        solids: [&RoundedConvex; 2],
        between: &Pose,
        (normal, points): (Vec3, &[LocalPoint]),
        edges: [MeshEdge; 2],
    ) -> Option<(PredictedPose, Vec3)> {
        let predicted = self.context.predicted?.of_parts(&a.pose, &b.pose);
        Some((predicted, predicted.separating_part(solids, between, normal, points, edges)?))
    }

    fn collide(&mut self, a: &ShapePart, b: &ShapePart) {
        let mut between = self.b_in_a;
        if let Some(pose) = &b.pose {
            between *= *pose;
        }
        if let Some(pose) = &a.pose {
            between = pose.inv_mul(&between);
        }
        let PartContext { kernels, kernel_points, .. } = &mut self.context;
        if let Some(answer) = kernels.run(a.shape, b.shape, &between, self.prediction, kernel_points) {
            self.unknown |= answer.is_err();
            self.clearance = 0.0;
            for (normal, p) in kernel_points.points() {
                let group = self.found.group(a.pose.map_or(*normal, |pose| pose.rotation * *normal));
                self.found.points.push((group, part_to_whole(p, a, b)));
            }
            return;
        }
        // The triangle without normal constraints, in the first shape's frame.
        let of_a = a.triangle();
        let triangle = of_a.or_else(|| b.triangle().map(|corners| corners.map(|v| self.b_in_a * v)));
        if let Some(triangle) = triangle {
            self.found.internal_edges.add_triangle(triangle);
        }
        let parts = [a.index, b.index];
        let (gap, mut cache) = self.lookup(parts);
        if gap > self.prediction {
            return self.store(parts, gap, cache);
        }
        let primitive = [a.shape, b.shape].map(Geometry::primitive);
        let mut found = LocalManifold::default();
        if let [Some(p), Some(q)] = &primitive
            && primitives(p, q, &between, self.prediction, &mut cache, &mut found)
        {
            let gap = if found.count > 0 { found.deepest() } else { found.clearance.max(self.prediction) };
            self.store(parts, gap, cache);
            let about = (found.normal, found.points());
            let solids = p.as_convex().zip(q.as_convex()).filter(|_| found.count > 0);
            if let Some((predicted, face)) =
                solids.and_then(|(p, q)| self.separating_face([a, b], [&p, &q], &between, about, [MeshEdge::None; 2]))
            {
                primitives(p, q, &predicted.b_in_a, self.prediction, &mut PairCache::default(), &mut found);
                let normal = std::mem::replace(&mut found.normal, face);
                if !predicted.transfer_points(&between, face, normal, found.points_mut()) {
                    return;
                }
            }
            if found.count > 0 {
                let group = self.found.group(a.pose.map_or(found.normal, |pose| pose.rotation * found.normal));
                self.found.points.extend(found.points().iter().map(|p| (group, part_to_whole(p, a, b))));
            }
            return;
        }
        let (Some(solid_a), Some(solid_b)) = (RoundedConvex::of(a.shape), RoundedConvex::of(b.shape)) else {
            self.unknown = true;
            self.clearance = 0.0;
            return;
        };
        let constraints = (a.constraints, b.constraints);
        let convex = &mut *self.context.convex;
        let outcome = convex_convex(&solid_a, &solid_b, &between, self.prediction, cache.start(), constraints, convex);
        let cache = PairCache::Convex { direction: outcome.direction, corners: outcome.corners };
        let free = a.constraints.is_none() && b.constraints.is_none();
        let gap = match convex.least() {
            // Nothing was found within the distance asked for, or the normal was not allowed.
            Real::INFINITY => outcome.clearance.max(if free { self.prediction } else { 0.0 }),
            least => least,
        };
        self.store(parts, gap, cache);
        let about = (outcome.normal, &self.context.convex.points[..]);
        let passes = if triangle.is_none() {
            let edges = [a.edge_along(outcome.normal), b.edge_along(between.rotation.inverse() * -outcome.normal)];
            self.separating_face([a, b], [&solid_a, &solid_b], &between, about, edges)
        } else {
            None
        };
        let mut normal = outcome.normal;
        if let Some((predicted, face)) = passes {
            let (convex, start) = (&mut *self.context.convex, SearchStart::default());
            let then = &predicted.b_in_a;
            let there = convex_convex(&solid_a, &solid_b, then, self.prediction, start, constraints, convex);
            normal = face;
            if !predicted.transfer_points(&between, face, there.normal, &mut convex.points) {
                return;
            }
        }
        let convex = &*self.context.convex;
        if convex.points.is_empty() {
            return;
        }
        let normal = a.pose.map_or(normal, |pose| pose.rotation * normal);
        let group = self.found.group(normal);
        for p in &convex.points {
            let point = part_to_whole(p, a, b);
            if let Some(triangle) = &triangle {
                let index = self.found.points.len();
                self.found.internal_edges.add_point(triangle, of_a.is_some(), normal, index, &point, &self.b_in_a);
            }
            self.found.points.push((group, point));
        }
    }
}

/// Converts a point of two parts to the frames of the wholes.
fn part_to_whole(p: &LocalPoint, a: &ShapePart, b: &ShapePart) -> LocalPoint {
    LocalPoint {
        point_a: to_frame(&a.pose, p.point_a),
        point_b: to_frame(&b.pose, p.point_b),
        separation: p.separation,
        feature: feature::on_parts(p.feature, a.index, b.index),
    }
}

/// Appends the manifolds of two shapes, at least one of them composite, to `out`. Returns a lower
/// bound of their distance without manifolds (m).
pub(crate) fn composite(
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    context: PartContext,
    found: &mut CompositeScratch,
    out: &mut Vec<LocalManifold>,
) -> Result<Real, UnknownPart> {
    found.clear();
    let mut pairs = PartPairs { b_in_a: *b_in_a, prediction, context, found, unknown: false, clearance: prediction };
    match (a, b) {
        (Geometry::Composite(a), Geometry::Composite(b)) => {
            let a_in_b = b_in_a.inverse();
            let (box_a, box_b) = (a.compute_aabb(&a_in_b), b.compute_aabb(b_in_a));
            let a_is_smaller = a.compute_local_aabb().half_extents().length_squared()
                < b.compute_local_aabb().half_extents().length_squared();
            if a_is_smaller {
                for_each_part(&**a, &box_b.loosened(prediction), &mut |part| {
                    let pose = part.pose.map_or(a_in_b, |pose| a_in_b * pose);
                    let region = part.shape.compute_aabb(&pose).loosened(prediction);
                    for_each_part(&**b, &region, &mut |other| pairs.collide(&part, &other));
                });
            } else {
                for_each_part(&**b, &box_a.loosened(prediction), &mut |part| {
                    let pose = part.pose.map_or(*b_in_a, |pose| *b_in_a * pose);
                    let region = part.shape.compute_aabb(&pose).loosened(prediction);
                    for_each_part(&**a, &region, &mut |other| pairs.collide(&other, &part));
                });
            }
        }
        (Geometry::HalfSpace { normal }, Geometry::Composite(b)) => {
            pairs.half_space(*normal, &**b);
        }
        (Geometry::Composite(a), _) => {
            let region = b.aabb(b_in_a).loosened(prediction);
            b.with_shape(|shape| {
                let whole = ShapePart { index: 0, pose: None, shape, constraints: None };
                for_each_part(&**a, &region, &mut |part| pairs.collide(&part, &whole));
            });
        }
        (_, Geometry::Composite(b)) => {
            let region = a.aabb(&b_in_a.inverse()).loosened(prediction);
            a.with_shape(|shape| {
                let whole = ShapePart { index: 0, pose: None, shape, constraints: None };
                for_each_part(&**b, &region, &mut |part| pairs.collide(&whole, &part));
            });
        }
        _ => return Err(UnknownPart),
    }
    let (unknown, clearance) = (pairs.unknown, pairs.clearance);
    found.finish(out);
    if unknown { Err(UnknownPart) } else { Ok(clearance.max(0.0)) }
}

impl PartPairs<'_> {
    /// Collides every vertex of the parts close to the plane; the tree skips whole branches far
    /// above it.
    fn half_space(&mut self, normal: Vec3, b: &dyn Shape) {
        let local = self.b_in_a.rotation.inverse() * normal;
        let height = self.b_in_a.translation.dot(normal);
        let (b_in_a, prediction) = (self.b_in_a, self.prediction);
        let group = self.found.group(normal);
        let (found, unknown, clearance) = (&mut *self.found, &mut self.unknown, &mut self.clearance);
        let PartContext { kernels, convex, kernel_points, .. } = &mut self.context;
        let points = &mut convex.points;
        let space = HalfSpace::new(normal);
        let whole = ShapePart { index: 0, pose: None, shape: &space, constraints: None };
        let mut part = |index: u32, pose: Option<&Pose>, shape: &dyn Shape| {
            let placed = pose.map_or(b_in_a, |pose| b_in_a * *pose);
            if let Some(answer) = kernels.run(&space, shape, &placed, prediction, kernel_points) {
                *unknown |= answer.is_err();
                *clearance = 0.0;
                let part = ShapePart { index, pose: pose.copied(), shape, constraints: None };
                for (normal, p) in kernel_points.points() {
                    let group = found.group(*normal);
                    found.points.push((group, part_to_whole(p, &whole, &part)));
                }
                return;
            }
            let Some(solid) = RoundedConvex::of(shape) else {
                *unknown = true;
                return;
            };
            points.clear();
            half_space_convex(normal, &solid, &placed, prediction, points);
            for p in points.iter() {
                let point_b = pose.map_or(p.point_b, |pose| *pose * p.point_b);
                let feature = feature::on_parts(p.feature, 0, index);
                found.points.push((group, LocalPoint { point_b, feature, ..*p }));
            }
        };
        if let TypedShape::HeightField(field) = b.as_typed_shape() {
            field.map_elements_in_local_aabb(field.root_aabb(), &mut |index, triangle| part(index, None, triangle));
        } else if let Some(composite) = b.as_composite_shape() {
            let near = |mins: Vec3, maxs: Vec3| {
                let lowest = Vec3::select(local.cmplt(Vec3::ZERO), maxs, mins);
                height + lowest.dot(local) <= prediction
            };
            for index in composite.bvh().leaves(|node| near(node.mins(), node.maxs())) {
                composite.map_part_at(index, &mut |pose, shape, _| part(index, pose, shape));
            }
        }
    }
}

impl ShapePart<'_> {
    /// The edge of a mesh's triangle on which a contact with this `normal` (out of it) lies, as far
    /// as the triangle's constraints tell: they allow the normal to turn into its plane where the
    /// mesh ends or bends by a right angle.
    fn edge_along(&self, normal: Vec3) -> MeshEdge {
        let (Some(constraints), Some(triangle)) = (self.constraints, self.shape.as_triangle()) else {
            return MeshEdge::None;
        };
        let face = newell(&[triangle.a, triangle.b, triangle.c]);
        let Some(aside) = (normal - face * normal.dot(face)).try_normalize() else { return MeshEdge::Inside };
        let same = |v: Vec3| v.distance_squared(aside) <= GEOMETRY.same_normal * GEOMETRY.same_normal;
        if constraints.project_local_normal(aside).is_some_and(same) { MeshEdge::Sharp } else { MeshEdge::Inside }
    }

    /// Corners of a triangle without normal constraints.
    fn triangle(&self) -> Option<[Vec3; 3]> {
        if self.constraints.is_some() {
            return None;
        }
        self.shape.as_triangle().map(|t| [t.a, t.b, t.c].map(|v| to_frame(&self.pose, v)))
    }
}
