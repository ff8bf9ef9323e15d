//! Shapes on their way through the world.

use super::{Best, Filter, Hit, Queries, ShapeCast, pose};
use crate::contact::kernels::Geometry;
use crate::math::parry::bounding_volume::Aabb;
use crate::math::parry::query::{self, RayCast, ShapeCastOptions};
use crate::math::parry::shape::FeatureId;
use crate::math::{Pose, Real, Vec3};

/// Where a moving shape meets a collider, in the world.
#[derive(Clone, Copy)]
struct Meeting {
    distance: Real,
    point: Vec3,
    normal: Vec3,
    part: u32,
}

impl Queries<'_> {
    /// The first surface in the way of a moving shape: how far it gets, and where it touches. A shape that overlaps something
    /// at the start gets no distance at all; the normal is then the shortest way out, where there is one.
    ///
    /// The distance is parry's, good to about 1e-4 of the shapes' sizes in `f32`.
    pub fn shape_cast(&self, cast: &ShapeCast, filter: &Filter) -> Option<Hit> {
        let best = Best::new();
        let start = cast.probe.geometry.aabb(&cast.probe.pose);
        let ray = query::Ray::new(start.center(), cast.direction);
        let half = start.half_extents();
        // A box that the moving box can meet is one that its centre can, grown by its half extents.
        let meets = |aabb: Aabb, limit: Real| {
            Aabb::new(aabb.mins - half, aabb.maxs + half).cast_local_ray(&ray, limit, true).unwrap_or(Real::MAX)
        };
        for (k, tree) in self.trees().into_iter().enumerate() {
            tree.find_best(
                best.limit(cast.length),
                |node, limit| meets(node.aabb(), limit),
                |leaf, limit| {
                    if !self.concerns(k, leaf, filter) {
                        return None;
                    }
                    let meeting = self.cast_on(leaf as usize, cast, &ray, half, limit.min(cast.length))?;
                    best.offer(meeting.distance, leaf as usize, meeting)
                },
            );
        }
        let (slot, found) = best.into_answer()?;
        let normal = found.normal.try_normalize().unwrap_or(-cast.direction);
        Some(self.hit(slot, found.distance, found.point, normal, FeatureId::Unknown, found.part))
    }

    /// The first surfaces in the way of many shapes, in their order; on several threads if there are enough of them.
    pub fn shape_casts(&self, casts: &[ShapeCast], filter: &Filter) -> Vec<Option<Hit>> {
        self.batch(casts, |cast| self.shape_cast(cast, filter))
    }

    fn cast_on(&self, slot: usize, cast: &ShapeCast, centre: &query::Ray, half: Vec3, reach: Real) -> Option<Meeting> {
        let body = self.colliders.body[slot] as usize;
        let geometry = self.colliders.geometry[slot].as_ref()?;
        let mut skip = 0.0;
        if !matches!(geometry, Geometry::HalfSpace { .. }) {
            // From near the shape, so that no digits are lost on the way to it.
            let near = self.bodies.radius[body] + half.length();
            skip = ((self.bodies.center[body] - centre.origin).dot(cast.direction) - near).max(0.0);
        }
        let start = cast.probe.pose;
        let start = Pose::from_parts(start.translation + cast.direction * skip, start.rotation);
        let pose = pose(self.bodies, self.colliders, slot);
        let (apart, towards) = (pose.inv_mul(&start), pose.rotation.inverse() * cast.direction);
        let options = ShapeCastOptions::with_max_time_of_impact(reach - skip);
        let hit = geometry.with_shape(|still| {
            cast.probe.geometry.with_shape(|moving| {
                query::QueryDispatcher::cast_shapes(
                    &query::DefaultQueryDispatcher,
                    &apart,
                    towards,
                    still,
                    moving,
                    options,
                )
                .expect("shapes that parry cannot cast were refused when they were gathered or asked with")
            })
        })?;
        Some(Meeting {
            distance: (skip + hit.time_of_impact).min(reach),
            point: pose * hit.witness1,
            normal: pose.rotation * hit.normal1,
            part: hit.subshape1,
        })
    }
}
