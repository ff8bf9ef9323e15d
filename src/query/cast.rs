//! Shape casts against the world.

use super::height_field;
use super::linear_cast::{CastHit, cast_convex, cast_half_space};
use super::{Best, Filter, Hit, Queries, ShapeCast};
use crate::contact::kernels::{Geometry, RoundedConvex};
use crate::math::parry::bounding_volume::Aabb;
use crate::math::parry::query::{self, RayCast};
use crate::math::parry::shape::{FeatureId, Shape, TypedShape};
use crate::math::{Pose, Real, Vec3};

/// Hit of a shape cast on a collider, in world coordinates.
#[derive(Clone, Copy)]
struct WorldCastHit {
    distance: Real,
    point: Vec3,
    /// Zero if unknown.
    normal: Vec3,
    part: u32,
    /// True for an overlap at the start.
    overlaps: bool,
}

/// Convex part of the moving shape, in the axes of the static one.
struct MovingPart<'a> {
    solid: RoundedConvex<'a>,
    start: Pose,
    /// Its box at the start.
    aabb: Aabb,
    towards: Vec3,
    length: Real,
}

impl Queries<'_> {
    /// The first surface hit by a moving shape: the distance travelled and the point of touch. A
    /// shape that overlaps something at the start has distance 0; the normal is then the shortest
    /// way out, if there is one. A surface that it touches and moves away from is ignored.
    ///
    /// The shape stops before the surface, by at most `QUERY.touch`
    /// of its own size and the rounding of the poses. A [`CustomShape`](crate::CustomShape) known
    /// only to its kernels is represented by its bounding box.
    pub fn shape_cast(&self, cast: &ShapeCast, filter: &Filter) -> Option<Hit> {
        let best = Best::new();
        let start = cast.probe.geometry.aabb(&cast.probe.pose);
        let ray = query::Ray::new(start.center(), cast.direction);
        let half = start.half_extents();
        for (k, tree) in self.trees().into_iter().enumerate() {
            tree.find_best(
                best.limit(cast.length),
                |node, limit| swept_box_distance(node.aabb(), half, &ray, limit),
                |leaf, limit| {
                    if !self.is_candidate(k, leaf, filter) {
                        return None;
                    }
                    let meeting = self.cast_on(leaf as usize, cast, &ray, half, limit.min(cast.length))?;
                    best.offer(meeting.distance, leaf as usize, meeting)
                },
            );
        }
        let (slot, found) = best.into_answer()?;
        Some(self.cast_hit(slot, cast, found))
    }

    fn cast_hit(&self, slot: usize, cast: &ShapeCast, mut found: WorldCastHit) -> Hit {
        // The part that was met first knows its own way out, not that of the whole.
        if found.overlaps
            && let Some(way_out) = self.contacts_of(slot, &cast.probe, 0.0).into_iter().next()
        {
            (found.point, found.normal) = (way_out.point, way_out.normal);
        }
        let normal = found.normal.try_normalize().unwrap_or(-cast.direction);
        self.hit(slot, found.distance, found.point, normal, FeatureId::Unknown, found.part)
    }

    /// The first surface of every collider that a moving shape hits, sorted by distance. A collider that
    /// it overlaps at the start has distance 0.
    pub fn shape_cast_all(&self, cast: &ShapeCast, filter: &Filter) -> Vec<Hit> {
        let start = cast.probe.geometry.aabb(&cast.probe.pose);
        let (ray, half) = (query::Ray::new(start.center(), cast.direction), start.half_extents());
        let mut found = Vec::new();
        for (k, tree) in self.trees().into_iter().enumerate() {
            let on_way = tree.leaves(|node| swept_box_distance(node.aabb(), half, &ray, cast.length) < Real::MAX);
            for leaf in on_way.filter(|&leaf| self.is_candidate(k, leaf, filter)) {
                found
                    .extend(self.cast_on(leaf as usize, cast, &ray, half, cast.length).map(|hit| (leaf as usize, hit)));
            }
        }
        found.sort_unstable_by(|(p, a), (q, b)| a.distance.total_cmp(&b.distance).then(p.cmp(q)));
        found.into_iter().map(|(slot, hit)| self.cast_hit(slot, cast, hit)).collect()
    }

    /// The first surfaces hit by many shapes, in their order; on several threads for large batches.
    pub fn shape_casts(&self, casts: &[ShapeCast], filter: &Filter) -> Vec<Option<Hit>> {
        self.batch(casts, |cast| self.shape_cast(cast, filter))
    }

    fn cast_on(
        &self,
        slot: usize,
        cast: &ShapeCast,
        centre: &query::Ray,
        half: Vec3,
        reach: Real,
    ) -> Option<WorldCastHit> {
        let body = self.colliders.body[slot] as usize;
        let (geometry, pose) = self.shape_at(slot)?;
        let (mut skip, mut length) = (0.0, reach);
        if !matches!(*geometry, Geometry::HalfSpace { .. }) {
            // Start close to the shape, so that no digits are lost, and end behind it.
            let near = self.bodies.radius[body] + half.length();
            skip = ((self.bodies.center[body] - centre.origin).dot(cast.direction) - near).clamp(0.0, reach);
            length = (reach - skip).min(2.0 * near);
        }
        let start = cast.probe.pose;
        let start = Pose::from_parts(start.translation + cast.direction * skip, start.rotation);
        let (apart, towards) = (pose.inv_mul(&start), pose.rotation.inverse() * cast.direction);
        let best = Best::new();
        for_each_convex(&cast.probe.geometry, |part, local, solid| {
            let start = local.map_or(apart, |local| apart * *local);
            let aabb = part.compute_aabb(&start);
            let moving = MovingPart { solid, start, aabb, towards, length: best.limit(length).min(length) };
            if let Some((part, found)) = moving.first_on(&geometry) {
                best.offer(found.distance, part as usize, found);
            }
        });
        let (part, found): (usize, CastHit) = best.into_answer()?;
        Some(WorldCastHit {
            distance: (skip + found.distance).min(reach),
            point: pose * found.point,
            normal: pose.rotation * found.normal,
            part: part as u32,
            overlaps: skip == 0.0 && found.overlaps,
        })
    }
}

impl MovingPart<'_> {
    /// First hit on a shape, and the index of the part.
    fn first_on(&self, still: &Geometry) -> Option<(u32, CastHit)> {
        match still {
            Geometry::HalfSpace { normal } => {
                cast_half_space(*normal, &self.solid, &self.start, self.towards, self.length).map(|found| (0, found))
            }
            Geometry::Composite(shape) => self.first_part(&**shape),
            _ => self.first_touch(&still.as_convex()?, None, self.length).map(|found| (0, found)),
        }
    }

    /// First hit on a convex shape at a pose, within a length (m).
    fn first_touch(&self, still: &RoundedConvex, at: Option<&Pose>, length: Real) -> Option<CastHit> {
        let Some(at) = at else { return cast_convex(still, &self.solid, &self.start, self.towards, length) };
        let start = at.inv_mul(&self.start);
        cast_convex(still, &self.solid, &start, at.rotation.inverse() * self.towards, length)
            .map(|found| found.placed(at))
    }

    fn first_part(&self, still: &dyn Shape) -> Option<(u32, CastHit)> {
        let best = Best::new();
        let offer = |part: u32, at: Option<&Pose>, shape: &dyn Shape| {
            let length = best.limit(self.length).min(self.length);
            let found = self.first_touch(&RoundedConvex::of(shape)?, at, length)?;
            best.offer(found.distance, part as usize, found)
        };
        if let TypedShape::HeightField(field) = still.as_typed_shape() {
            let shift = self.towards * self.length;
            let swept =
                Aabb::new(self.aabb.mins.min(self.aabb.mins + shift), self.aabb.maxs.max(self.aabb.maxs + shift));
            height_field::for_each_triangle(field, &swept, |part, triangle| {
                offer(part, None, triangle);
            });
        } else if let Some(parts) = still.as_composite_shape() {
            let (half, ray) = (self.aabb.half_extents(), query::Ray::new(self.aabb.center(), self.towards));
            parts.bvh().find_best(
                best.limit(self.length),
                |node, limit| swept_box_distance(node.aabb(), half, &ray, limit),
                |part, _: Real| {
                    let mut cost = None;
                    parts.map_part_at(part, &mut |at, shape, _| cost = offer(part, at, shape));
                    cost
                },
            );
        }
        best.into_answer().map(|(part, found)| (part as u32, found))
    }
}

/// Distance that a box of these half extents, with its centre on a ray, travels until it meets
/// another; the largest number if it never does.
fn swept_box_distance(aabb: Aabb, half: Vec3, ray: &query::Ray, limit: Real) -> Real {
    // Minkowski sum: the centre meets the box grown by the half extents.
    Aabb::new(aabb.mins - half, aabb.maxs + half).cast_local_ray(ray, limit, true).unwrap_or(Real::MAX)
}

/// Calls `visit` with every convex part of a query shape, and its pose if it has one.
fn for_each_convex(geometry: &Geometry, mut visit: impl FnMut(&dyn Shape, Option<&Pose>, RoundedConvex)) {
    geometry.with_shape(|shape| {
        if let Some(solid) = RoundedConvex::of(shape) {
            visit(shape, None, solid);
        } else if let Some(parts) = shape.as_composite_shape() {
            for leaf in parts.bvh().leaves(|_| true) {
                parts.map_part_at(leaf, &mut |at, part, _| {
                    if let Some(solid) = RoundedConvex::of(part) {
                        visit(part, at, solid);
                    }
                });
            }
        }
    });
}
