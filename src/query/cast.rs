//! Shapes on their way through the world.

use super::approach::{Approach, first_touch, over_space};
use super::{Best, Filter, Hit, Queries, ShapeCast};
use crate::contact::kernels::{Geometry, Solid};
use crate::math::parry::bounding_volume::Aabb;
use crate::math::parry::query::{self, RayCast};
use crate::math::parry::shape::{FeatureId, Shape, TypedShape};
use crate::math::{Pose, Real, Vec3};

/// Where a moving shape meets a collider, in the world.
#[derive(Clone, Copy)]
struct Meeting {
    distance: Real,
    point: Vec3,
    /// Zero where they overlap from the start.
    normal: Vec3,
    part: u32,
}

/// A convex part on its way, in the axes of what stands still.
struct Moving<'a> {
    solid: Solid<'a>,
    start: Pose,
    /// Its box at the start.
    aabb: Aabb,
    towards: Vec3,
    length: Real,
}

impl Queries<'_> {
    /// The first surface in the way of a moving shape: how far it gets, and where it touches. A shape that overlaps something
    /// at the start gets no distance at all; the normal is then the shortest way out, where there is one. A surface that it
    /// touches and moves away from is not in its way.
    ///
    /// The shape stops before the surface, by no more than [`CAST_TOUCH`](crate::tolerances::CAST_TOUCH) of its own size and the
    /// rounding of the poses. A [`CustomShape`](crate::CustomShape), whose surface only its kernels know, is met at its
    /// bounds.
    pub fn shape_cast(&self, cast: &ShapeCast, filter: &Filter) -> Option<Hit> {
        let best = Best::new();
        let start = cast.probe.geometry.aabb(&cast.probe.pose);
        let ray = query::Ray::new(start.center(), cast.direction);
        let half = start.half_extents();
        for (k, tree) in self.trees().into_iter().enumerate() {
            tree.find_best(
                best.limit(cast.length),
                |node, limit| centre_meets(node.aabb(), half, &ray, limit),
                |leaf, limit| {
                    if !self.concerns(k, leaf, filter) {
                        return None;
                    }
                    let meeting = self.cast_on(leaf as usize, cast, &ray, half, limit.min(cast.length))?;
                    best.offer(meeting.distance, leaf as usize, meeting)
                },
            );
        }
        let (slot, mut found) = best.into_answer()?;
        if found.normal == Vec3::ZERO
            && let Some(way_out) = self.touches_of(slot, &cast.probe, 0.0).into_iter().next()
        {
            (found.point, found.normal) = (way_out.point, way_out.normal);
        }
        let normal = found.normal.try_normalize().unwrap_or(-cast.direction);
        Some(self.hit(slot, found.distance, found.point, normal, FeatureId::Unknown, found.part))
    }

    /// The first surfaces in the way of many shapes, in their order; on several threads if there are enough of them.
    pub fn shape_casts(&self, casts: &[ShapeCast], filter: &Filter) -> Vec<Option<Hit>> {
        self.batch(casts, |cast| self.shape_cast(cast, filter))
    }

    fn cast_on(&self, slot: usize, cast: &ShapeCast, centre: &query::Ray, half: Vec3, reach: Real) -> Option<Meeting> {
        let body = self.colliders.body[slot] as usize;
        let (geometry, pose) = self.shape_at(slot)?;
        let (mut skip, mut length) = (0.0, reach);
        if !matches!(*geometry, Geometry::HalfSpace { .. }) {
            // From near the shape, so that no digits are lost on the way to it, and no farther than past it.
            let near = self.bodies.radius[body] + half.length();
            skip = ((self.bodies.center[body] - centre.origin).dot(cast.direction) - near).clamp(0.0, reach);
            length = (reach - skip).min(2.0 * near);
        }
        let start = cast.probe.pose;
        let start = Pose::from_parts(start.translation + cast.direction * skip, start.rotation);
        let (apart, towards) = (pose.inv_mul(&start), pose.rotation.inverse() * cast.direction);
        let best = Best::new();
        each_solid(&cast.probe.geometry, |part, local, solid| {
            let start = local.map_or(apart, |local| apart * *local);
            let aabb = part.compute_aabb(&start);
            let moving = Moving { solid, start, aabb, towards, length: best.limit(length).min(length) };
            if let Some((part, found)) = moving.first_on(&geometry) {
                best.offer(found.distance, part as usize, found);
            }
        });
        let (part, found): (usize, Approach) = best.into_answer()?;
        Some(Meeting {
            distance: (skip + found.distance).min(reach),
            point: pose * found.point,
            normal: pose.rotation * found.normal,
            part: part as u32,
        })
    }
}

impl Moving<'_> {
    /// Where it first meets a shape, and the number of the part.
    fn first_on(&self, still: &Geometry) -> Option<(u32, Approach)> {
        match still {
            Geometry::HalfSpace { normal } => {
                over_space(*normal, &self.solid, &self.start, self.towards, self.length).map(|found| (0, found))
            }
            Geometry::Composite(shape) => self.first_part(&**shape),
            _ => self.first_touch(&still.solid()?, None, self.length).map(|found| (0, found)),
        }
    }

    /// Where it first meets a convex shape at a pose, within a length (m).
    fn first_touch(&self, still: &Solid, at: Option<&Pose>, length: Real) -> Option<Approach> {
        let Some(at) = at else { return first_touch(still, &self.solid, &self.start, self.towards, length) };
        let start = at.inv_mul(&self.start);
        first_touch(still, &self.solid, &start, at.rotation.inverse() * self.towards, length)
            .map(|found| found.placed(at))
    }

    fn first_part(&self, still: &dyn Shape) -> Option<(u32, Approach)> {
        let best = Best::new();
        let offer = |part: u32, at: Option<&Pose>, shape: &dyn Shape| {
            let length = best.limit(self.length).min(self.length);
            let found = self.first_touch(&Solid::of(shape)?, at, length)?;
            best.offer(found.distance, part as usize, found)
        };
        if let TypedShape::HeightField(field) = still.as_typed_shape() {
            let shift = self.towards * self.length;
            let swept =
                Aabb::new(self.aabb.mins.min(self.aabb.mins + shift), self.aabb.maxs.max(self.aabb.maxs + shift));
            field.map_elements_in_local_aabb(&swept, &mut |part, triangle| {
                offer(part, None, triangle);
            });
        } else if let Some(parts) = still.as_composite_shape() {
            let (half, ray) = (self.aabb.half_extents(), query::Ray::new(self.aabb.center(), self.towards));
            parts.bvh().find_best(
                best.limit(self.length),
                |node, limit| centre_meets(node.aabb(), half, &ray, limit),
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

/// How far a box of these half extents goes before it meets another, its centre on a ray; the largest number if it never does.
fn centre_meets(aabb: Aabb, half: Vec3, ray: &query::Ray, limit: Real) -> Real {
    // A box that the moving box can meet is one that its centre can, grown by its half extents.
    Aabb::new(aabb.mins - half, aabb.maxs + half).cast_local_ray(ray, limit, true).unwrap_or(Real::MAX)
}

/// Calls `visit` with every convex part of a shape that may be asked with, and its pose where it has one.
fn each_solid(geometry: &Geometry, mut visit: impl FnMut(&dyn Shape, Option<&Pose>, Solid)) {
    geometry.with_shape(|shape| {
        if let Some(solid) = Solid::of(shape) {
            visit(shape, None, solid);
        } else if let Some(parts) = shape.as_composite_shape() {
            for leaf in parts.bvh().leaves(|_| true) {
                parts.map_part_at(leaf, &mut |at, part, _| {
                    if let Some(solid) = Solid::of(part) {
                        visit(part, at, solid);
                    }
                });
            }
        }
    });
}
