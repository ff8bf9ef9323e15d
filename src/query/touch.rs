//! Contacts of a shape with the world, and their depths.

use super::{Filter, Hit, Probe, Queries, collider_pose};
use crate::contact::kernels::{Geometry, LocalManifold, LocalPoint, Manifolds, PairCache, collide};
use crate::math::parry::bounding_volume::BoundingVolume;
use crate::math::parry::shape::FeatureId;
use crate::math::{Pose, Real};
use std::borrow::Cow;

impl Queries<'_> {
    /// Every surface that a shape touches, overlaps or approaches within a distance (m): the
    /// closest or deepest point for each direction of contact. The distance of a [`Hit`] is
    /// negative for an overlap, and its normal points out of the collider: moved along it by the
    /// depth, the shape is free. Sorted by slots, then by distance.
    ///
    /// A [`CustomShape`](crate::CustomShape) known only to its kernels is represented by its
    /// bounding box. Nothing is within a distance that is negative or NaN.
    pub fn touching(&self, probe: &Probe, within: Real, filter: &Filter) -> Vec<Hit> {
        if within.is_nan() || within < 0.0 {
            return Vec::new();
        }
        let within = within.min(Real::MAX);
        let around = probe.geometry.aabb(&probe.pose).loosened(within);
        let near = self.near(&around, filter);
        near.into_iter().flat_map(|slot| self.contacts_of(slot, probe, within)).collect()
    }

    /// The same for one collider.
    pub(super) fn contacts_of(&self, slot: usize, probe: &Probe, within: Real) -> Vec<Hit> {
        let Some((geometry, pose)) = self.shape_at(slot) else { return Vec::new() };
        let mut out = Manifolds::default();
        let apart = pose.inv_mul(&probe.pose);
        // Unsupported parts are ignored here and reported by the step.
        let _ = collide(&geometry, &probe.geometry, &apart, within, &mut PairCache::default(), &mut out);
        let hit = |manifold: &LocalManifold| {
            let deepest = |a: &&LocalPoint, b: &&LocalPoint| a.separation.total_cmp(&b.separation);
            let point = manifold.points().iter().min_by(deepest)?;
            let normal = pose.rotation * manifold.normal;
            let feature = FeatureId::Unknown;
            Some(self.hit(slot, point.separation, pose * point.point_a, normal, feature, 0))
        };
        let mut hits: Vec<Hit> = out.as_slice().iter().filter_map(hit).filter(|h| h.distance <= within).collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        hits
    }

    /// Shape and pose of a live collider; for a shape without distance queries, its bounding box.
    pub(super) fn shape_at(&self, slot: usize) -> Option<(Cow<'_, Geometry>, Pose)> {
        let geometry = self.colliders.geometry[slot].as_ref()?;
        let pose = collider_pose(self.bodies, self.colliders, slot);
        let Geometry::Other(shape) = geometry else { return Some((Cow::Borrowed(geometry), pose)) };
        let bounds = shape.compute_local_aabb();
        let stand_in = Geometry::Cuboid { half: bounds.half_extents() };
        Some((Cow::Owned(stand_in), pose * Pose::from_translation(bounds.center())))
    }
}
