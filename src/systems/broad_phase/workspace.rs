//! Workspace of the broad phase: the tree, and buffers kept between steps.

use super::tree::BoxTree;
use crate::colliders::Colliders;
use crate::contact::Status;
use crate::math::parry::bounding_volume::Aabb;
use crate::math::parry::partitioning::Bvh;
use hecs::Entity;

/// Collider with a changed box. `previous` is invalid for a new one.
pub(super) struct BoxChange {
    pub(super) slot: u32,
    pub(super) previous: Aabb,
}

/// Ended pair.
pub(super) struct EndedPair {
    pub(super) slots: [u32; 2],
    pub(super) entities: [Entity; 2],
    pub(super) status: Status,
    pub(super) user_data: u32,
}

/// The tree, and buffers kept between steps.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct BroadPhase {
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(super) tree: BoxTree,
    /// Colliders with changed boxes, and pairs whose boxes have separated, as found by each chunk.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(super) changed_boxes: Vec<Vec<BoxChange>>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(super) parted: Vec<Vec<u32>>,
    /// Pairs that ended in this step, until it is known whether they continue.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(super) ended: Vec<EndedPair>,
    /// Version of the active set for which the motion bounds and boxes of the others are valid.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(super) of_active_set: u64,
    /// Revisions of the pair kernels and filters that the pairs were made with.
    pub(super) revisions: (usize, u32),
}

impl BroadPhase {
    /// Tree of the enlarged boxes of all live colliders, before the motion of the step. Leaves are
    /// slots.
    pub(crate) fn tree(&self) -> &Bvh {
        self.tree.boxes()
    }

    /// Copies the persistent data but the tree.
    pub(crate) fn copy_persistent(&mut self, from: &Self) {
        self.revisions = from.revisions;
    }

    /// Replaces the boxes `old` of the tree by those of `new`. Its shape remains its own: no result
    /// depends on it.
    pub(crate) fn restore_tree(&mut self, old: &Colliders, new: &Colliders) {
        self.tree.restore(old, new);
    }
}
