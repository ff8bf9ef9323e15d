//! The tree of enlarged boxes, and which of them meet anew.

use crate::colliders::Colliders;
use crate::index::NONE;
use crate::math::Real;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhNode, BvhWorkspace};
use crate::parallel::Helpers;
use crate::tolerances::TREE_UPKEEP;

/// So few leaves are not worth building a tree anew for.
const FEW_LEAVES: usize = 64;

/// To go up from so many leaves of a tree costs about as much as to go through all of it.
const PATHS_A_TREE: usize = 2;

/// Leaves that go through the tree together, at most, and how many times larger than the largest of their boxes the one around them may be.
const TOGETHER: usize = 4;
const SPREAD: Real = 1.5;

/// So few such groups are not worth handing to another thread.
const LEAST_GROUPS: usize = 8;

/// Leaves that lie side by side in the tree, and whose boxes changed.
struct Group {
    /// Where they stand in their list.
    first: usize,
    end: usize,
    around: Aabb,
    /// Half the longest side of their boxes (m).
    largest: Real,
}

/// The tree, and which of its boxes changed in this step.
#[derive(Default)]
pub(super) struct BoxTree {
    tree: Bvh,
    workspace: BvhWorkspace,
    candidates: Vec<(u32, u32)>,
    /// Leaves with another box than before that may meet something anew, in the order of the tree, in groups; and what each share of these
    /// found.
    moved: Vec<u32>,
    groups: Vec<Group>,
    found: Vec<Vec<(u32, u32)>>,
    /// Colliders whose box changed in this step.
    changed: Vec<u32>,
    /// Their boxes before; an invalid one where there was none.
    was: Vec<Aabb>,
    /// The place of each collider in these lists, or [`NONE`].
    place: Vec<u32>,
    /// Boxes changed since the tree was last put in order.
    disorder: usize,
    /// The leaves that the tree has marked as changed, and whether they are known: then others may be marked without going through
    /// all of it.
    marked: Vec<u32>,
    knows_marked: bool,
}

impl BoxTree {
    /// The tree; leaves are slots.
    pub fn boxes(&self) -> &Bvh {
        &self.tree
    }

    /// Lets there be so many slots.
    pub fn make_room(&mut self, slots: usize) {
        self.place.resize(slots, NONE);
    }

    /// Lets the boxes of the tree be those of `new`, which are `old` now. Its shape is its own: no result depends on it.
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
            self.disorder += moved;
            self.knows_marked = false;
            self.tree.refit(&mut self.workspace);
        }
    }

    #[inline]
    pub fn is_changed(&self, collider: u32) -> bool {
        self.place[collider as usize] != NONE
    }

    /// Whether no box changed in this step.
    pub fn is_unchanged(&self) -> bool {
        self.changed.is_empty()
    }

    /// Sets the box of a collider.
    pub fn put(&mut self, collider: u32, was: Aabb, now: Aabb) {
        self.place[collider as usize] = self.changed.len() as u32;
        self.changed.push(collider);
        self.was.push(was);
        // The tree only flags a leaf as changed if it is given a margin: a vanishing one. It then keeps a larger box, which is
        // made to fit without a flag: where a box shrinks, nothing can be met that was not before.
        if self.tree.insert_or_update_partially(now, collider, Real::MIN_POSITIVE) == BvhLeafUpdateStatus::Unchanged {
            self.tree.insert_or_update_partially(now, collider, 0.0);
        }
    }

    /// Takes a collider out.
    pub fn remove(&mut self, collider: u32) {
        self.tree.remove(collider);
        self.knows_marked = false;
    }

    /// Brings the tree up to date. Boxes that wander about make it worse and worse: once enough have changed, a part of it is
    /// built anew, another one each time.
    pub fn tend(&mut self) {
        self.disorder += self.changed.len();
        let new = self.was.iter().filter(|was| was.mins.x > was.maxs.x).count();
        if new > FEW_LEAVES && 2 * new > self.tree.leaf_count() as usize {
            // A tree that was put together leaf by leaf is a bad one, for pairs as for rays.
            self.tree.refit_without_resolve(&mut self.workspace);
            self.tree.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
            self.disorder = 0;
            self.knows_marked = false;
        } else if self.disorder * TREE_UPKEEP >= self.tree.leaf_count() as usize {
            self.tree.optimize_incremental(&mut self.workspace);
            self.disorder = 0;
            self.knows_marked = false;
        }
        let paths = self.marked.len() + self.changed.len();
        if self.knows_marked && paths * PATHS_A_TREE <= self.tree.leaf_count() as usize {
            self.tree.refit_partial(&self.marked, &self.changed);
        } else {
            self.tree.refit(&mut self.workspace);
        }
        self.marked.clone_from(&self.changed);
        self.knows_marked = true;
    }

    /// Lists the pairs of boxes that meet now and did not before; or all that meet.
    pub fn find_candidates(&mut self, fat: &[Aabb], all: bool, helpers: &Helpers) {
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

    /// Goes through the tree against itself: the least work for one thread, where most boxes change.
    fn search_at_once(&mut self, fat: &[Aabb]) {
        let Self { tree, workspace, candidates, place, was, .. } = self;
        let before = |slot: u32| box_before((place, was), fat, slot);
        tree.traverse_bvtt_single_tree::<true>(workspace, &mut |a, b| {
            let changed = place[a as usize] != NONE || place[b as usize] != NONE;
            if changed && !before(a).intersects(before(b)) {
                candidates.push((a.min(b), a.max(b)));
            }
        });
    }

    /// Takes groups of leaves that have moved through the tree, on all threads. It finds the same.
    fn search_in_groups(&mut self, fat: &[Aabb], helpers: &Helpers) {
        self.gather_groups(fat);
        let Self { tree, candidates, place, was, moved, groups, found, .. } = self;
        let before = |slot: u32| box_before((place, was), fat, slot);
        let used = helpers.in_shares(groups.len(), found, LEAST_GROUPS, &|share, found| {
            found.clear();
            for group in &groups[share] {
                let around = BvhNode::leaf(group.around, 0);
                for other in tree.leaves(|node| around.intersects(node)) {
                    let (now, old) = (&fat[other as usize], before(other));
                    for &own in &moved[group.first..group.end] {
                        let meets = fat[own as usize].intersects(now) && own != other;
                        // Where both have moved, one of them tells of it.
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

    /// Puts the leaves that have moved into groups that lie side by side.
    fn gather_groups(&mut self, fat: &[Aabb]) {
        let Self { tree, moved, groups, .. } = self;
        moved.clear();
        moved.extend(tree.leaves(BvhNode::is_changed));
        groups.clear();
        for (at, &slot) in moved.iter().enumerate() {
            let own = fat[slot as usize];
            let size = own.half_extents().max_element();
            if let Some(group) = groups.last_mut().filter(|group: &&mut Group| at - group.first < TOGETHER) {
                let (around, largest) = (group.around.merged(&own), group.largest.max(size));
                if around.half_extents().max_element() <= SPREAD * largest {
                    *group = Group { end: at + 1, around, largest, ..*group };
                    continue;
                }
            }
            groups.push(Group { first: at, end: at + 1, around: own, largest: size });
        }
    }

    /// What [`Self::find_candidates`] found, in order.
    pub fn candidates(&self) -> &[(u32, u32)] {
        &self.candidates
    }

    /// Ends a step: no box has changed.
    pub fn clear_changes(&mut self) {
        for &slot in &self.changed {
            self.place[slot as usize] = NONE;
        }
        self.changed.clear();
        self.was.clear();
    }
}

/// The box that a leaf had before this step: what was noted where it changed, else what it has now (`fat`).
#[inline]
fn box_before<'a>((place, was): (&[u32], &'a [Aabb]), fat: &'a [Aabb], slot: u32) -> &'a Aabb {
    was.get(place[slot as usize] as usize).unwrap_or(&fat[slot as usize])
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
            let mut tree = BoxTree { place: vec![NONE; BOXES], ..BoxTree::default() };
            let mut fat = vec![Aabb::new_invalid(); BOXES];
            let first = first.into_iter().enumerate().collect();
            for changes in std::iter::once(first).chain(rounds) {
                let before = fat.clone();
                for (slot, now) in changes {
                    tree.put(slot as u32, before[slot], now);
                    fat[slot] = now;
                }
                tree.tend();
                tree.candidates.clear();
                tree.search_in_groups(&fat, &Helpers::default());
                tree.candidates.sort_unstable();
                let in_groups = tree.candidates.clone();
                tree.find_candidates(&fat, false, &Helpers::default());
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
