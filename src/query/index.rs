//! Boxes of the colliders after a step.
//!
//! The broad phase's boxes were made before the bodies moved. Nearly all still contain their
//! colliders, as the bodies' odometers prove. The others (strays) are in a small tree of their own,
//! built by the first query after a step, so that a game without queries pays nothing.

use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::math::Pose;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::partitioning::{Bvh, BvhBuildStrategy};

/// The colliders that left their boxes in the last step.
#[derive(Default)]
pub(crate) struct QueryIndex {
    /// Flags by slot; empty if there are none.
    is_stray: Vec<bool>,
    pub(super) strays: Bvh,
}

impl QueryIndex {
    pub(crate) fn new(bodies: &Bodies, colliders: &Colliders) -> Self {
        let mut is_stray = Vec::new();
        let mut boxes: Vec<(usize, Aabb)> = Vec::new();
        for (slot, &body) in colliders.body.iter().enumerate() {
            if !colliders.is_live(slot) || bodies.odometer[body as usize] <= colliders.fat_until[slot] {
                continue;
            }
            let aabb = tight_aabb(bodies, colliders, slot);
            if !colliders.fat[slot].contains(&aabb) {
                boxes.push((slot, aabb));
                is_stray.resize(colliders.body.len(), false);
                is_stray[slot] = true;
            }
        }
        let mut strays = Bvh::new();
        if boxes.len() > 2 {
            strays = Bvh::from_iter(BvhBuildStrategy::Binned, boxes);
        } else {
            // Parry builds a tree of one or two leaves only with the numbers 0 and 1.
            boxes.iter().for_each(|&(slot, aabb)| strays.insert(aabb, slot as u32));
        }
        Self { is_stray, strays }
    }

    /// True if a collider is in the tree of strays, and not in the broad phase's.
    #[inline]
    pub(super) fn is_stray(&self, slot: usize) -> bool {
        self.is_stray.get(slot).is_some_and(|&stray| stray)
    }
}

/// The pose of a collider after the step.
#[inline]
pub(crate) fn collider_pose(bodies: &Bodies, colliders: &Colliders, slot: usize) -> Pose {
    let body = colliders.body[slot] as usize;
    let pose = bodies.pose(body);
    // A body's own collider has the body's frame.
    if body == slot { pose } else { pose * colliders.local[slot] }
}

/// Tight box of a live collider after the step.
pub(crate) fn tight_aabb(bodies: &Bodies, colliders: &Colliders, slot: usize) -> Aabb {
    let geometry = colliders.geometry[slot].as_ref().expect("a live collider has a shape");
    geometry.aabb(&collider_pose(bodies, colliders, slot))
}
