//! Tree of enlarged boxes, and the search for new overlaps.

use crate::colliders::Colliders;
use crate::ids::NONE;
use crate::math::Real;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhNode, BvhWorkspace};
use crate::parallel::WorkerPool;

/// Reciprocal share of changed boxes at which a twentieth of the broad phase's tree is rebuilt.
/// Larger: settling piles pay for it in vain. Smaller: the tree decays, to fifty times its cost
/// within a minute of motion.
const TREE_UPKEEP: usize = 20;

/// Greatest number of leaves for which a full rebuild is not worthwhile.
const FEW_LEAVES: usize = 64;

/// Share of changed leaves, as a divisor, above which refitting the whole tree is cheaper than
/// refitting paths.
const PATHS_PER_TREE: usize = 2;

/// Greatest number of leaves of a group, and greatest ratio of its box to the largest box in it.
const GROUP_SIZE: usize = 4;
const GROUP_GROWTH: Real = 1.5;

/// Least number of groups for another thread.
const MIN_GROUPS: usize = 8;

/// Neighbouring leaves of the tree with changed boxes.
struct Group {
    /// Range in the list of leaves.
    first: usize,
    end: usize,
    around: Aabb,
    /// Half the longest side of their boxes (m).
    largest: Real,
}

/// The tree, and the changes of its boxes in this step.
#[derive(Default)]
pub(super) struct BoxTree {
    tree: Bvh,
    workspace: BvhWorkspace,
    candidates: Vec<(u32, u32)>,
    /// Leaves with a changed box that may overlap others anew, in the order of the tree; their
    /// groups; and the pairs found by each chunk of them.
    moved: Vec<u32>,
    groups: Vec<Group>,
    found: Vec<Vec<(u32, u32)>>,
    /// Colliders with a changed box in this step.
    changed: Vec<u32>,
    /// Their boxes before; invalid for new ones.
    previous: Vec<Aabb>,
    /// Index of each collider in these lists, or [`NONE`].
    change_of: Vec<u32>,
    /// Number of boxes changed since the last rebuild.
    changes_since_rebuild: usize,
    /// The leaves that the tree has marked as changed, and whether this list is valid: then others
    /// can be marked without a full refit.
    marked: Vec<u32>,
    marked_is_valid: bool,
}

impl BoxTree {
    /// The tree; leaves are slots.
    pub fn boxes(&self) -> &Bvh {
        &self.tree
    }

    /// Sets the number of slots.
    pub fn make_room(&mut self, slots: usize) {
        self.change_of.resize(slots, NONE);
    }

    /// Replaces the boxes `old` of the tree by those of `new`. Its shape remains its own: no result
    /// depends on it.
    pub fn restore(&mut self, old: &Colliders, new: &Colliders) {
        let of = |colliders: &Colliders, slot: usize| {
            let known = *colliders.fat_until.get(slot)? > f64::NEG_INFINITY;
            known.then(|| colliders.fat[slot])
        };
        let mut moved = 0;
        for slot in 0..old.fat.len().max(new.fat.len()) {
            match (of(old, slot), of(new, slot)) {
                (before, Some(fat)) if before != Some(fat) => {
                    self.tree.insert_or_update_partially(fat, slot as u32, 0.0);
                }
                (Some(_), None) => {
                    self.tree.remove(slot as u32);
                }
                _ => continue,
            }
            moved += 1;
        }
        if moved > 0 {
            self.changes_since_rebuild += moved;
            self.marked_is_valid = false;
            self.tree.refit(&mut self.workspace);
        }
    }

    #[inline]
    pub fn is_changed(&self, collider: u32) -> bool {
        self.change_of[collider as usize] != NONE
    }

    /// True if no box changed in this step.
    pub fn is_unchanged(&self) -> bool {
        self.changed.is_empty()
    }

    /// Sets the box of a collider.
    pub fn set_box(&mut self, collider: u32, previous: Aabb, now: Aabb) {
        self.change_of[collider as usize] = self.changed.len() as u32;
        self.changed.push(collider);
        self.previous.push(previous);
        // The tree marks a leaf as changed only with a margin, hence a vanishing one. It then keeps
        // a larger box, which is shrunk without a mark: a shrunk box has no new overlaps.
        if self.tree.insert_or_update_partially(now, collider, Real::MIN_POSITIVE) == BvhLeafUpdateStatus::Unchanged {
            self.tree.insert_or_update_partially(now, collider, 0.0);
        }
    }

    /// Removes a collider.
    pub fn remove(&mut self, collider: u32) {
        self.tree.remove(collider);
        self.marked_is_valid = false;
    }

    /// Refits the tree. Moving boxes degrade it: after enough changes a part is rebuilt, another
    /// one each time.
    pub fn maintain(&mut self) {
        self.changes_since_rebuild += self.changed.len();
        let new = self.previous.iter().filter(|previous| previous.mins.x > previous.maxs.x).count();
        if new > FEW_LEAVES && 2 * new > self.tree.leaf_count() as usize {
            // A tree built by insertions is bad, for pairs as for rays.
            self.tree.refit_without_resolve(&mut self.workspace);
            self.tree.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
            self.changes_since_rebuild = 0;
            self.marked_is_valid = false;
        } else if self.changes_since_rebuild * TREE_UPKEEP >= self.tree.leaf_count() as usize {
            self.tree.optimize_incremental(&mut self.workspace);
            self.changes_since_rebuild = 0;
            self.marked_is_valid = false;
        }
        let paths = self.marked.len() + self.changed.len();
        if self.marked_is_valid && paths * PATHS_PER_TREE <= self.tree.leaf_count() as usize {
            self.tree.refit_partial(&self.marked, &self.changed);
        } else {
            self.tree.refit(&mut self.workspace);
        }
        self.marked.clone_from(&self.changed);
        self.marked_is_valid = true;
    }

    /// Finds the pairs of boxes that overlap now and did not before, or `all` overlapping pairs.
    pub fn find_candidates(&mut self, fat: &[Aabb], all: bool, helpers: &WorkerPool) {
        self.candidates.clear();
        if all {
            let Self { tree, workspace, candidates, .. } = self;
            tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| candidates.push((a.min(b), a.max(b))));
        } else if helpers.threads() < 2 {
            self.search_at_once(fat);
        } else {
            self.search_in_groups(fat, helpers);
        }
        self.candidates.sort_unstable();
    }

    /// Traverses the tree against itself: the least work for one thread when most boxes change.
    fn search_at_once(&mut self, fat: &[Aabb]) {
        let Self { tree, workspace, candidates, change_of, previous, .. } = self;
        let before = |slot: u32| box_before((change_of, previous), fat, slot);
        tree.traverse_bvtt_single_tree::<true>(workspace, &mut |a, b| {
            let changed = change_of[a as usize] != NONE || change_of[b as usize] != NONE;
            if changed && !before(a).intersects(before(b)) {
                candidates.push((a.min(b), a.max(b)));
            }
        });
    }

    /// Queries the tree with groups of changed leaves, on all threads, with the same result.
    fn search_in_groups(&mut self, fat: &[Aabb], helpers: &WorkerPool) {
        self.gather_groups(fat);
        let Self { tree, candidates, change_of, previous, moved, groups, found, .. } = self;
        let before = |slot: u32| box_before((change_of, previous), fat, slot);
        let used = helpers.for_each_chunk_with(groups.len(), found, MIN_GROUPS, &|chunk, found| {
            found.clear();
            for group in &groups[chunk] {
                let around = BvhNode::leaf(group.around, 0);
                for other in tree.leaves(|node| around.intersects(node)) {
                    let (now, old) = (&fat[other as usize], before(other));
                    for &own in &moved[group.first..group.end] {
                        let meets = fat[own as usize].intersects(now) && own != other;
                        // Of two changed leaves one reports the pair.
                        let tells = || own < other || !tree.leaf_node(other).is_some_and(BvhNode::is_changed);
                        if meets && !before(own).intersects(old) && tells() {
                            found.push((own.min(other), own.max(other)));
                        }
                    }
                }
            }
        });
        candidates.extend(found[..used].iter().flatten());
    }

    /// Groups neighbouring changed leaves.
    fn gather_groups(&mut self, fat: &[Aabb]) {
        let Self { tree, moved, groups, .. } = self;
        moved.clear();
        moved.extend(tree.leaves(BvhNode::is_changed));
        groups.clear();
        for (at, &slot) in moved.iter().enumerate() {
            let own = fat[slot as usize];
            let size = own.half_extents().max_element();
            if let Some(group) = groups.last_mut().filter(|group: &&mut Group| at - group.first < GROUP_SIZE) {
                let (around, largest) = (group.around.merged(&own), group.largest.max(size));
                if around.half_extents().max_element() <= GROUP_GROWTH * largest {
                    *group = Group { end: at + 1, around, largest, ..*group };
                    continue;
                }
            }
            groups.push(Group { first: at, end: at + 1, around: own, largest: size });
        }
    }

    /// Result of [`Self::find_candidates`], in order.
    pub fn candidates(&self) -> &[(u32, u32)] {
        &self.candidates
    }

    /// Clears the changes at the end of a step.
    pub fn clear_changes(&mut self) {
        for &slot in &self.changed {
            self.change_of[slot as usize] = NONE;
        }
        self.changed.clear();
        self.previous.clear();
    }
}

/// Box of a leaf before this step: the stored one if it changed, else the current one (`fat`).
#[inline]
fn box_before<'a>((change_of, previous): (&[u32], &'a [Aabb]), fat: &'a [Aabb], slot: u32) -> &'a Aabb {
    previous.get(change_of[slot as usize] as usize).unwrap_or(&fat[slot as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;
    use proptest::prelude::*;

    const BOXES: usize = 120;

    prop_compose! {
        fn a_box()(
            middle in prop::array::uniform3(-4.0..4.0 as Real),
            half in prop::array::uniform3(0.1..1.0 as Real),
        ) -> Aabb {
            Aabb::from_half_extents(Vec3::from_array(middle), Vec3::from_array(half))
        }
    }

    proptest! {
        #[test]
        fn what_meets_anew_is_found_whether_few_boxes_or_many_have_changed(
            first in prop::collection::vec(a_box(), BOXES),
            rounds in prop::collection::vec(prop::collection::btree_map(0..BOXES, a_box(), 1..40), 1..12),
        ) {
            let mut tree = BoxTree { change_of: vec![NONE; BOXES], ..BoxTree::default() };
            let mut fat = vec![Aabb::new_invalid(); BOXES];
            let first = first.into_iter().enumerate().collect();
            for changes in std::iter::once(first).chain(rounds) {
                let before = fat.clone();
                for (slot, now) in changes {
                    tree.set_box(slot as u32, before[slot], now);
                    fat[slot] = now;
                }
                tree.maintain();
                tree.candidates.clear();
                tree.search_in_groups(&fat, &WorkerPool::default());
                tree.candidates.sort_unstable();
                let in_groups = tree.candidates.clone();
                tree.find_candidates(&fat, false, &WorkerPool::default());
                prop_assert_eq!(&tree.candidates, &in_groups);
                let all = (0..BOXES).flat_map(|b| (0..b).map(move |a| (a, b)));
                let meet = |boxes: &[Aabb], a: usize, b: usize| boxes[a].intersects(&boxes[b]);
                let mut anew: Vec<_> = all
                    .filter(|&(a, b)| meet(&fat, a, b) && !meet(&before, a, b))
                    .map(|(a, b)| (a as u32, b as u32))
                    .collect();
                anew.sort_unstable();
                prop_assert_eq!(&tree.candidates, &anew);
                tree.clear_changes();
            }
        }
    }
}
