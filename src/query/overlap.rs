//! Overlap queries: shapes and boxes against the world.

use super::{Filter, Overlap, Probe, Queries, tight_aabb};
use crate::contact::kernels::{Distance, distance};
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::{Real, Vec3};

impl Queries<'_> {
    /// Every collider that a shape overlaps or touches, in the order of slots. Triangle meshes and
    /// height fields are surfaces: a shape wholly behind one does not touch it. A
    /// [`CustomShape`](crate::CustomShape) known only to its kernels is represented by its bounding
    /// box.
    pub fn overlapping(&self, probe: &Probe, filter: &Filter) -> Vec<Overlap> {
        let around = probe.geometry.aabb(&probe.pose);
        self.list(&around, filter, |slot| self.overlaps(slot, probe))
    }

    /// Every collider whose axis-aligned box overlaps or touches a box, in the order of slots. The
    /// boxes are tight, for the poses after the step. Nothing overlaps a box whose least corner is
    /// not at or below its greatest.
    pub fn in_box(&self, mins: Vec3, maxs: Vec3, filter: &Filter) -> Vec<Overlap> {
        if !mins.cmple(maxs).all() {
            return Vec::new();
        }
        let around = Aabb::new(mins, maxs);
        self.list(&around, filter, |slot| tight_aabb(self.bodies, self.colliders, slot).intersects(&around))
    }

    /// The colliders whose boxes are inside all of these planes, or cross some, in the order of slots:
    /// `normal · x <= offset` is inside. The six planes of a camera's frustum give what it may see.
    /// Boxes that only pass an edge of the region may be listed too. A plane that is not finite holds
    /// nothing out.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
    /// let [_, seen, _] = [-4.0, 0.5, 6.0].map(|x| world.spawn(Body::fixed(Collider::ball(1.0)).at(x, 0.0, 0.0)));
    /// physics.step(&mut world, 1.0 / 60.0)?;
    /// let slab = [(Vec3::X, 2.0), (Vec3::NEG_X, 0.0)];
    /// let found = physics.query().in_planes(&slab, &Filter::default());
    /// assert!(found.len() == 1 && found[0].entity == seen);
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    pub fn in_planes(&self, planes: &[(Vec3, Real)], filter: &Filter) -> Vec<Overlap> {
        let reaches = |mins: Vec3, maxs: Vec3| {
            // The corner farthest inside.
            !planes
                .iter()
                .any(|&(normal, offset)| Vec3::select(normal.cmplt(Vec3::ZERO), maxs, mins).dot(normal) > offset)
        };
        let mut slots = Vec::new();
        for (k, tree) in self.trees().into_iter().enumerate() {
            let leaves = tree.leaves(|node| reaches(node.mins(), node.maxs()));
            slots.extend(leaves.filter(|&leaf| self.is_candidate(k, leaf, filter)).map(|leaf| leaf as usize));
        }
        slots.retain(|&slot| {
            let aabb = tight_aabb(self.bodies, self.colliders, slot);
            reaches(aabb.mins, aabb.maxs)
        });
        slots.sort_unstable();
        slots.into_iter().map(|slot| self.overlap(slot)).collect()
    }

    /// The colliders near a box that satisfy a test, in the order of slots.
    pub(super) fn list(&self, around: &Aabb, filter: &Filter, test: impl Fn(usize) -> bool) -> Vec<Overlap> {
        let near = self.near(around, filter);
        near.into_iter().filter(|&slot| test(slot)).map(|slot| self.overlap(slot)).collect()
    }

    /// The slots of the colliders whose enlarged boxes overlap a box, in order.
    pub(crate) fn near(&self, around: &Aabb, filter: &Filter) -> Vec<usize> {
        let mut slots = Vec::new();
        for (k, tree) in self.trees().into_iter().enumerate() {
            let near = tree.intersect_aabb(around).filter(|&leaf| self.is_candidate(k, leaf, filter));
            slots.extend(near.map(|leaf| leaf as usize));
        }
        slots.sort_unstable();
        slots
    }

    fn overlaps(&self, slot: usize, probe: &Probe) -> bool {
        let Some((geometry, pose)) = self.shape_at(slot) else { return false };
        match distance(&geometry, &probe.geometry, &pose.inv_mul(&probe.pose), 0.0) {
            Distance::Apart => false,
            Distance::Near { distance, .. } => distance <= 0.0,
            Distance::Overlap => true,
        }
    }
}
