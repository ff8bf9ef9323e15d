//! Ray queries of the world.

use super::ray_hit::RayHit;
use super::shape_ray;
use super::{Best, Filter, Hit, Queries, Ray, collider_pose};
use crate::contact::kernels::Geometry;
use crate::math::Real;
use crate::math::parry::query;

/// Factor on the squared radius of a body's bounding sphere in the first test of a ray. Larger:
/// more shapes are tested. Smaller: rounding loses hits at the rim.
const BOUNDING_SPHERE_SLACK: Real = 1.01;

impl Queries<'_> {
    /// The first surface on a ray. A ray that starts inside a solid shape hits it at distance 0,
    /// with the normal against the ray; see [`Ray::hollow`]. Triangle meshes and height fields are
    /// surfaces, hit from both sides, and have no inside.
    pub fn ray(&self, ray: &Ray, filter: &Filter) -> Option<Hit> {
        let best = Best::new();
        let parrys = query::Ray::new(ray.origin, ray.direction);
        for (k, tree) in self.trees().into_iter().enumerate() {
            tree.cast_ray(&parrys, best.limit(ray.length), |leaf, limit| {
                if !self.is_candidate(k, leaf, filter) {
                    return None;
                }
                let hit = self.ray_on(leaf as usize, ray, limit.min(ray.length))?;
                best.offer(hit.distance, leaf as usize, hit)
            });
        }
        best.into_answer().map(|(slot, hit)| self.ray_hit(slot, ray, &hit))
    }

    /// The first surfaces on many rays, in their order; on several threads for large batches.
    pub fn rays(&self, rays: &[Ray], filter: &Filter) -> Vec<Option<Hit>> {
        self.batch(rays, |ray| self.ray(ray, filter))
    }

    /// The first surface of every collider on a ray, sorted by distance.
    pub fn ray_all(&self, ray: &Ray, filter: &Filter) -> Vec<Hit> {
        let mut found = Vec::new();
        let parrys = query::Ray::new(ray.origin, ray.direction);
        for (k, tree) in self.trees().into_iter().enumerate() {
            for leaf in tree.leaves(|node| node.cast_ray(&parrys, ray.length) < Real::MAX) {
                if self.is_candidate(k, leaf, filter)
                    && let Some(hit) = self.ray_on(leaf as usize, ray, ray.length)
                {
                    found.push((leaf as usize, hit));
                }
            }
        }
        found.sort_unstable_by(|(p, a), (q, b)| a.distance.total_cmp(&b.distance).then(p.cmp(q)));
        found.iter().map(|(slot, hit)| self.ray_hit(*slot, ray, hit)).collect()
    }

    /// First hit of a ray on one collider; the normal is in the collider's axes.
    fn ray_on(&self, slot: usize, ray: &Ray, reach: Real) -> Option<RayHit> {
        let body = self.colliders.body[slot] as usize;
        let geometry = self.colliders.geometry[slot].as_ref()?;
        let mut skip = 0.0;
        if !matches!(geometry, Geometry::HalfSpace { .. }) {
            let radius = self.bodies.radius[body];
            let to_center = self.bodies.center[body] - ray.origin;
            let nearest = to_center.dot(ray.direction);
            let offset = to_center - ray.direction * nearest;
            if offset.length_squared() > radius * radius * BOUNDING_SPHERE_SLACK {
                return None;
            }
            // Start close to the shape, so that no digits are lost.
            skip = (nearest - radius * BOUNDING_SPHERE_SLACK).max(0.0);
        }
        let pose = collider_pose(self.bodies, self.colliders, slot);
        let origin = pose.inverse_transform_point(ray.at(skip));
        let direction = pose.rotation.inverse() * ray.direction;
        let hit = shape_ray::cast(geometry, origin, direction, reach - skip, ray.hollow)?;
        Some(RayHit { distance: (skip + hit.distance).min(reach), ..hit })
    }

    fn ray_hit(&self, slot: usize, ray: &Ray, hit: &RayHit) -> Hit {
        let normal = collider_pose(self.bodies, self.colliders, slot).rotation * hit.normal;
        let normal = match normal.try_normalize() {
            Some(normal) if normal.dot(ray.direction) > 0.0 => -normal,
            Some(normal) => normal,
            None => -ray.direction,
        };
        self.hit(slot, hit.distance, ray.at(hit.distance), normal, hit.feature, hit.part)
    }
}
