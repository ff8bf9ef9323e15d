//! Shapes of many parts: each pair of parts that come near is collided, and points with one normal become one manifold.

use super::cache::{PairCache, Start};
use super::collide::primitives;
use super::convex::{ConvexScratch, convex_convex};
use super::custom::{PairKernels, Touches};
use super::feature;
use super::geometry::Geometry;
use super::graze::Ahead;
use super::half_space::half_space_solid;
use super::local::{LocalManifold, LocalPoint};
use super::memory::Remembered;
use super::reduce::select;
use super::seams::Seams;
use super::solid::{Constraints, Solid};
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::shape::{HalfSpace, Shape, TypedShape};
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::{NORMAL_MERGED, POINTS_MERGED};

/// Room for one pair at a time, kept between pairs so that no pair allocates.
#[derive(Default)]
pub(crate) struct CompositeScratch {
    /// Normals found so far, in the first shape's axes.
    normals: Vec<Vec3>,
    /// Points and the index of their normal.
    points: Vec<(u32, LocalPoint)>,
    /// The points of one normal.
    one: Vec<LocalPoint>,
    seams: Seams,
}

/// A part that no kernel knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnknownPart;

/// One part of a shape, or the whole of a convex one.
pub(crate) struct Part<'a> {
    index: u32,
    /// Where it is in the whole's axes, if not at their origin.
    pub pose: Option<Pose>,
    pub shape: &'a dyn Shape,
    constraints: Constraints<'a>,
}

/// Calls `f` for each part of `shape` whose box meets `region` (its own frame), always in the same order.
pub(crate) fn for_parts(shape: &dyn Shape, region: &Aabb, f: &mut dyn FnMut(Part)) {
    if let TypedShape::HeightField(field) = shape.as_typed_shape() {
        field.map_elements_in_local_aabb(region, &mut |index, triangle| {
            let constraints = field.triangle_normal_constraints(index);
            let constraints = constraints.as_ref().map(|c| c as _);
            f(Part { index, pose: None, shape: triangle, constraints });
        });
    } else if let Some(composite) = shape.as_composite_shape() {
        for index in composite.bvh().intersect_aabb(region) {
            composite.map_part_at(index, &mut |pose, shape, constraints| {
                f(Part { index, pose: pose.copied(), shape, constraints });
            });
        }
    }
}

fn to_frame(pose: &Option<Pose>, point: Vec3) -> Vec3 {
    pose.map_or(point, |pose| pose * point)
}

/// What collides two parts.
pub(crate) struct Tools<'s> {
    pub kernels: &'s PairKernels,
    pub convex: &'s mut ConvexScratch,
    pub touches: &'s mut Touches,
    pub memory: Option<Remembered<'s>>,
    /// Where the second whole will be at the step's end, if what only slides past is to be left out.
    pub ahead: Option<Ahead>,
}

/// The pairs of parts of one call, and what they gave.
struct Pairs<'s> {
    b_in_a: Pose,
    prediction: Real,
    tools: Tools<'s>,
    found: &'s mut CompositeScratch,
    unknown: bool,
    /// How far apart all parts are at least (m), where no points are found.
    clearance: Real,
}

impl Pairs<'_> {
    /// How far two parts are apart at least (m), and what their kernel left, as far as is remembered.
    fn recall(&mut self, parts: [u32; 2]) -> (Real, PairCache) {
        self.tools.memory.as_mut().map_or((0.0, PairCache::default()), |memory| memory.recall(parts))
    }

    fn note(&mut self, parts: [u32; 2], gap: Real, cache: PairCache) {
        self.clearance = self.clearance.min(gap);
        if let Some(memory) = &mut self.tools.memory {
            memory.note(parts, gap, cache);
        }
    }

    /// Whether two parts only slide past each other: where they will be to each other, and the face that parts them.
    fn grazes(
        &self,
        [a, b]: [&Part; 2],
        [p, q]: [&Solid; 2],
        between: &Pose,
        (normal, points): (Vec3, &[LocalPoint]),
    ) -> Option<(Ahead, Vec3)> {
        let ahead = self.tools.ahead?.of_parts(&a.pose, &b.pose);
        Some((ahead, ahead.grazes(p, q, between, normal, points)?))
    }

    fn collide(&mut self, a: &Part, b: &Part) {
        let mut between = self.b_in_a;
        if let Some(pose) = &b.pose {
            between *= *pose;
        }
        if let Some(pose) = &a.pose {
            between = pose.inv_mul(&between);
        }
        let Tools { kernels, touches, .. } = &mut self.tools;
        if let Some(answer) = kernels.run(a.shape, b.shape, &between, self.prediction, touches) {
            self.unknown |= answer.is_err();
            self.clearance = 0.0;
            for (normal, p) in touches.points() {
                let group = self.found.group(a.pose.map_or(*normal, |pose| pose.rotation * *normal));
                self.found.points.push((group, on_whole(p, a, b)));
            }
            return;
        }
        // The triangle whose inner edges nobody has marked, in the first shape's frame.
        let of_a = a.triangle();
        let triangle = of_a.or_else(|| b.triangle().map(|corners| corners.map(|v| self.b_in_a * v)));
        if let Some(triangle) = triangle {
            self.found.seams.visit(triangle);
        }
        let parts = [a.index, b.index];
        let (gap, mut cache) = self.recall(parts);
        if gap > self.prediction {
            return self.note(parts, gap, cache);
        }
        let primitive = [a.shape, b.shape].map(Geometry::primitive);
        let mut found = LocalManifold::default();
        if let [Some(p), Some(q)] = &primitive
            && primitives(p, q, &between, self.prediction, &mut cache, &mut found)
        {
            let gap = if found.count > 0 { found.deepest() } else { found.clearance.max(self.prediction) };
            self.note(parts, gap, cache);
            let about = (found.normal, found.points());
            let solids = p.solid().zip(q.solid()).filter(|_| found.count > 0);
            if let Some((ahead, face)) = solids.and_then(|(p, q)| self.grazes([a, b], [&p, &q], &between, about)) {
                primitives(p, q, &ahead.b_in_a, self.prediction, &mut PairCache::default(), &mut found);
                let normal = std::mem::replace(&mut found.normal, face);
                if !ahead.bring_back(&between, face, normal, found.points_mut()) {
                    return;
                }
            }
            if found.count > 0 {
                let group = self.found.group(a.pose.map_or(found.normal, |pose| pose.rotation * found.normal));
                self.found.points.extend(found.points().iter().map(|p| (group, on_whole(p, a, b))));
            }
            return;
        }
        let (Some(solid_a), Some(solid_b)) = (Solid::of(a.shape), Solid::of(b.shape)) else {
            self.unknown = true;
            self.clearance = 0.0;
            return;
        };
        let constraints = (a.constraints, b.constraints);
        let convex = &mut *self.tools.convex;
        let outcome = convex_convex(&solid_a, &solid_b, &between, self.prediction, cache.start(), constraints, convex);
        let cache = PairCache::Convex { direction: outcome.direction, corners: outcome.corners };
        let free = a.constraints.is_none() && b.constraints.is_none();
        let gap = match convex.least() {
            // Nothing was found within what was asked for; or it was not allowed there.
            Real::INFINITY => outcome.clearance.max(if free { self.prediction } else { 0.0 }),
            least => least,
        };
        self.note(parts, gap, cache);
        let about = (outcome.normal, &self.tools.convex.points[..]);
        // Of meshes the true normals are known.
        let passes =
            if triangle.is_none() && free { self.grazes([a, b], [&solid_a, &solid_b], &between, about) } else { None };
        let mut normal = outcome.normal;
        if let Some((ahead, face)) = passes {
            let (convex, start) = (&mut *self.tools.convex, Start::default());
            let then = &ahead.b_in_a;
            let there = convex_convex(&solid_a, &solid_b, then, self.prediction, start, (None, None), convex);
            normal = face;
            if !ahead.bring_back(&between, face, there.normal, &mut convex.points) {
                return;
            }
        }
        let convex = &*self.tools.convex;
        if convex.points.is_empty() {
            return;
        }
        let normal = a.pose.map_or(normal, |pose| pose.rotation * normal);
        let group = self.found.group(normal);
        for p in &convex.points {
            let point = on_whole(p, a, b);
            if let Some(triangle) = &triangle {
                let index = self.found.points.len();
                self.found.seams.note(triangle, of_a.is_some(), normal, index, &point, &self.b_in_a);
            }
            self.found.points.push((group, point));
        }
    }
}

/// A point of two parts in the frames of the wholes.
fn on_whole(p: &LocalPoint, a: &Part, b: &Part) -> LocalPoint {
    LocalPoint {
        point_a: to_frame(&a.pose, p.point_a),
        point_b: to_frame(&b.pose, p.point_b),
        separation: p.separation,
        feature: feature::on_parts(p.feature, a.index, b.index),
    }
}

impl CompositeScratch {
    /// Appends to `out` one manifold for each normal of `points`.
    pub fn collect(&mut self, points: &[(Vec3, LocalPoint)], out: &mut Vec<LocalManifold>) {
        self.clear();
        for (normal, point) in points {
            let group = self.group(*normal);
            self.points.push((group, *point));
        }
        self.finish(out);
    }

    /// The index of a normal, in the order in which they were found.
    fn group(&mut self, normal: Vec3) -> u32 {
        let same = |n: &Vec3| n.distance_squared(normal) <= NORMAL_MERGED * NORMAL_MERGED;
        let index = self.normals.iter().position(same).unwrap_or_else(|| {
            self.normals.push(normal);
            self.normals.len() - 1
        });
        index as u32
    }

    fn clear(&mut self) {
        self.normals.clear();
        self.points.clear();
        self.seams.clear();
    }

    /// One manifold for each normal, reduced to the points that carry it.
    fn finish(&mut self, out: &mut Vec<LocalManifold>) {
        let covered = self.seams.covered();
        for (group, &normal) in self.normals.iter().enumerate() {
            self.one.clear();
            for (index, (_, point)) in self.points.iter().enumerate().filter(|(_, (g, _))| *g as usize == group) {
                if covered.contains(&index) {
                    continue;
                }
                // Neighbours report the corners they share twice: the deeper report stays.
                let near = |q: &&mut LocalPoint| {
                    q.point_a.distance_squared(point.point_a) <= POINTS_MERGED * POINTS_MERGED
                        && q.point_b.distance_squared(point.point_b) <= POINTS_MERGED * POINTS_MERGED
                };
                match self.one.iter_mut().find(near) {
                    Some(q) if point.separation < q.separation => *q = *point,
                    Some(_) => {}
                    None => self.one.push(*point),
                }
            }
            if !self.one.is_empty() {
                let mut manifold = LocalManifold::with_normal(normal);
                select(&self.one, &mut manifold);
                out.push(manifold);
            }
        }
    }
}

/// Appends to `out` the manifolds of two shapes of which at least one has parts; without any, tells how far apart the shapes are at
/// least (m), as far as is known.
pub(crate) fn composite(
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    tools: Tools,
    found: &mut CompositeScratch,
    out: &mut Vec<LocalManifold>,
) -> Result<Real, UnknownPart> {
    found.clear();
    let mut pairs = Pairs { b_in_a: *b_in_a, prediction, tools, found, unknown: false, clearance: prediction };
    match (a, b) {
        (Geometry::Composite(a), Geometry::Composite(b)) => {
            let a_in_b = b_in_a.inverse();
            let (box_a, box_b) = (a.compute_aabb(&a_in_b), b.compute_aabb(b_in_a));
            let a_is_smaller = a.compute_local_aabb().half_extents().length_squared()
                < b.compute_local_aabb().half_extents().length_squared();
            if a_is_smaller {
                for_parts(&**a, &box_b.loosened(prediction), &mut |part| {
                    let pose = part.pose.map_or(a_in_b, |pose| a_in_b * pose);
                    let region = part.shape.compute_aabb(&pose).loosened(prediction);
                    for_parts(&**b, &region, &mut |other| pairs.collide(&part, &other));
                });
            } else {
                for_parts(&**b, &box_a.loosened(prediction), &mut |part| {
                    let pose = part.pose.map_or(*b_in_a, |pose| *b_in_a * pose);
                    let region = part.shape.compute_aabb(&pose).loosened(prediction);
                    for_parts(&**a, &region, &mut |other| pairs.collide(&other, &part));
                });
            }
        }
        (Geometry::HalfSpace { normal }, Geometry::Composite(b)) => {
            pairs.half_space(*normal, &**b);
        }
        (Geometry::Composite(a), _) => {
            let region = b.aabb(b_in_a).loosened(prediction);
            b.with_shape(|shape| {
                let whole = Part { index: 0, pose: None, shape, constraints: None };
                for_parts(&**a, &region, &mut |part| pairs.collide(&part, &whole));
            });
        }
        (_, Geometry::Composite(b)) => {
            let region = a.aabb(&b_in_a.inverse()).loosened(prediction);
            a.with_shape(|shape| {
                let whole = Part { index: 0, pose: None, shape, constraints: None };
                for_parts(&**b, &region, &mut |part| pairs.collide(&whole, &part));
            });
        }
        _ => return Err(UnknownPart),
    }
    let (unknown, clearance) = (pairs.unknown, pairs.clearance);
    found.finish(out);
    if unknown { Err(UnknownPart) } else { Ok(clearance.max(0.0)) }
}

impl Pairs<'_> {
    /// Every vertex of every part that comes near the plane: parts far over it are passed by in whole branches.
    fn half_space(&mut self, normal: Vec3, b: &dyn Shape) {
        let local = self.b_in_a.rotation.inverse() * normal;
        let height = self.b_in_a.translation.dot(normal);
        let (b_in_a, prediction) = (self.b_in_a, self.prediction);
        let group = self.found.group(normal);
        let (found, unknown, clearance) = (&mut *self.found, &mut self.unknown, &mut self.clearance);
        let Tools { kernels, convex, touches, .. } = &mut self.tools;
        let points = &mut convex.points;
        let space = HalfSpace::new(normal);
        let whole = Part { index: 0, pose: None, shape: &space, constraints: None };
        let mut part = |index: u32, pose: Option<&Pose>, shape: &dyn Shape| {
            let placed = pose.map_or(b_in_a, |pose| b_in_a * *pose);
            if let Some(answer) = kernels.run(&space, shape, &placed, prediction, touches) {
                *unknown |= answer.is_err();
                *clearance = 0.0;
                let part = Part { index, pose: pose.copied(), shape, constraints: None };
                for (normal, p) in touches.points() {
                    let group = found.group(*normal);
                    found.points.push((group, on_whole(p, &whole, &part)));
                }
                return;
            }
            let Some(solid) = Solid::of(shape) else {
                *unknown = true;
                return;
            };
            points.clear();
            half_space_solid(normal, &solid, &placed, prediction, points);
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

impl Part<'_> {
    /// The corners of a triangle whose inner edges nobody has marked.
    fn triangle(&self) -> Option<[Vec3; 3]> {
        if self.constraints.is_some() {
            return None;
        }
        self.shape.as_triangle().map(|t| [t.a, t.b, t.c].map(|v| to_frame(&self.pose, v)))
    }
}
