//! Where a shape touches the world, and how deep it is in it.

use super::asked::reach;
use super::{Filter, Hit, Probe, Queries, QueryError, pose};
use crate::contact::kernels::{Geometry, LocalManifold, LocalPoint, Manifolds, PairCache, collide};
use crate::math::parry::bounding_volume::BoundingVolume;
use crate::math::parry::shape::FeatureId;
use crate::math::{Pose, Real};
use std::borrow::Cow;

impl Queries<'_> {
    /// Every surface that a shape touches, overlaps or comes within a distance of (m): the nearest or deepest point of each
    /// direction in which it does. The distance of a [`Hit`] is negative where they overlap, and its normal points out of the
    /// collider: moved along it by what it lacks, the shape is free. In the order of slots; of one collider, the deepest first.
    ///
    /// A [`CustomShape`](crate::CustomShape), whose surface only its kernels know, is taken for its bounds.
    ///
    /// # Errors
    /// [`QueryError`] if the distance is negative or no number.
    pub fn touching(&self, probe: &Probe, within: Real, filter: &Filter) -> Result<Vec<Hit>, QueryError> {
        let within = reach(within)?;
        let around = probe.geometry.aabb(&probe.pose).loosened(within);
        let near = self.near(&around, filter);
        Ok(near.into_iter().flat_map(|slot| self.touches_of(slot, probe, within)).collect())
    }

    /// The same for one collider.
    pub(super) fn touches_of(&self, slot: usize, probe: &Probe, within: Real) -> Vec<Hit> {
        let Some((geometry, pose)) = self.shape_at(slot) else { return Vec::new() };
        let mut out = Manifolds::default();
        let apart = pose.inv_mul(&probe.pose);
        // Parts that no kernel knows are left out, and told of by the step.
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

    /// The shape of a live collider and where it is; of one that no shape can be held against, its bounds.
    pub(super) fn shape_at(&self, slot: usize) -> Option<(Cow<'_, Geometry>, Pose)> {
        let geometry = self.colliders.geometry[slot].as_ref()?;
        let pose = pose(self.bodies, self.colliders, slot);
        let Geometry::Other(shape) = geometry else { return Some((Cow::Borrowed(geometry), pose)) };
        let bounds = shape.compute_local_aabb();
        let stand_in = Geometry::Cuboid { half: bounds.half_extents() };
        Some((Cow::Owned(stand_in), pose * Pose::from_translation(bounds.center())))
    }
}
