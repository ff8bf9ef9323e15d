//! Point queries of the world.

use super::{Best, Filter, Hit, Overlap, Queries, SurfacePoint, collider_pose, nearest_surface_point};
use crate::math::parry::bounding_volume::Aabb;
use crate::math::{Real, Vec3};

/// Signed distance of a point from a box (m), negative inside.
///
/// Lower bound for all shapes inside the box.
fn distance_to_box(aabb: &Aabb, point: Vec3) -> Real {
    let beyond = (aabb.mins - point).max(point - aabb.maxs);
    let outside = beyond.max(Vec3::ZERO).length();
    if outside > 0.0 { outside } else { beyond.max_element() }
}

impl Queries<'_> {
    /// The surface closest to a point (m, world), if it is within a distance (m; may be infinite). A
    /// point inside a shape has a negative distance; inside several, the deepest one is returned.
    /// Triangle meshes and height fields have no inside. Nothing is near a point that is not finite,
    /// or within a distance that is negative or NaN.
    pub fn nearest(&self, point: Vec3, within: Real, filter: &Filter) -> Option<Hit> {
        let asks = point.is_finite() && within >= 0.0;
        asks.then(|| self.nearest_to(point, within.min(Real::MAX), filter)).flatten()
    }

    /// The surfaces closest to many points, in their order; on several threads for large batches.
    pub fn nearests(&self, points: &[Vec3], within: Real, filter: &Filter) -> Vec<Option<Hit>> {
        self.batch(points, |&point| self.nearest(point, within, filter))
    }

    fn nearest_to(&self, point: Vec3, reach: Real, filter: &Filter) -> Option<Hit> {
        let best: Best<SurfacePoint> = Best::new();
        for (k, tree) in self.trees().into_iter().enumerate() {
            tree.find_best(
                best.limit(reach),
                |node, _| distance_to_box(&node.aabb(), point),
                |leaf, limit| {
                    if !self.is_candidate(k, leaf, filter) {
                        return None;
                    }
                    let found = self.nearest_on(leaf as usize, point, limit.min(reach))?;
                    best.offer(found.distance, leaf as usize, found)
                },
            );
        }
        let (slot, found) = best.into_answer()?;
        Some(self.hit(slot, found.distance, found.point, found.normal, found.feature, found.part))
    }

    /// Every collider that contains a point (m, world), its surface included, in the order of
    /// slots. None contains a point that is not finite.
    pub fn containing(&self, point: Vec3, filter: &Filter) -> Vec<Overlap> {
        if !point.is_finite() {
            return Vec::new();
        }
        let around = Aabb::new(point, point);
        self.list(&around, filter, |slot| self.nearest_on(slot, point, 0.0).is_some())
    }

    /// The closest point of one collider's surface within `reach`, in world coordinates.
    fn nearest_on(&self, slot: usize, point: Vec3, reach: Real) -> Option<SurfacePoint> {
        let pose = collider_pose(self.bodies, self.colliders, slot);
        let geometry = self.colliders.geometry[slot].as_ref()?;
        let found = nearest_surface_point(geometry, pose.inverse_transform_point(point), reach)?;
        Some(SurfacePoint { point: pose * found.point, normal: pose.rotation * found.normal, ..found })
    }
}
