//! Islands: connected components of bodies by contacts and joints.
//!
//! Union-find with the least slot as root, so that an island's number, and the order of everything
//! in it, follow from slots alone.

use crate::contact::Contact;
use crate::ids::NONE;

/// Disjoint sets of slots.
#[derive(Default)]
pub(crate) struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// Makes room for `slots` slots; new ones are sets of their own.
    pub(crate) fn resize(&mut self, slots: usize) {
        let known = self.parent.len() as u32;
        self.parent.truncate(slots);
        self.parent.extend(known..slots as u32);
    }

    /// Makes a slot a set of its own; all others of its set must follow.
    pub(crate) fn separate(&mut self, slot: u32) {
        self.parent[slot as usize] = slot;
    }

    /// Makes every slot a set of its own.
    pub(crate) fn reset(&mut self, slots: usize) {
        self.parent.clear();
        self.parent.extend(0..slots as u32);
    }

    /// The least slot of the set (with path halving).
    pub(crate) fn find(&mut self, mut slot: u32) -> u32 {
        while self.parent[slot as usize] != slot {
            let above = self.parent[self.parent[slot as usize] as usize];
            self.parent[slot as usize] = above;
            slot = above;
        }
        slot
    }

    /// Joins two sets.
    pub(crate) fn union(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        if a != b {
            self.parent[a.max(b) as usize] = a.min(b);
        }
    }
}

/// One awake island.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Island {
    /// The range of its contacts in
    /// [`ContactGraph::contacts`](crate::contact::ContactGraph::contacts).
    pub contacts: (u32, u32),
    /// The range of its bodies in [`Islands::bodies`].
    pub bodies: (u32, u32),
    /// The range of its joints in [`Joints::acting`](crate::joints::Joints::acting).
    pub joints: (u32, u32),
    /// The number of its contact points.
    pub points: u32,
}

impl Island {
    /// The range of its contacts.
    pub fn contact_range(&self) -> std::ops::Range<usize> {
        self.contacts.0 as usize..self.contacts.1 as usize
    }

    /// The range of its joints.
    pub fn joint_range(&self) -> std::ops::Range<usize> {
        self.joints.0 as usize..self.joints.1 as usize
    }

    /// The range of its bodies.
    pub fn body_range(&self) -> std::ops::Range<usize> {
        self.bodies.0 as usize..self.bodies.1 as usize
    }
}

/// The awake islands of a step: those with contacts or joints. A body that touches nothing is in
/// none.
#[derive(Default)]
pub struct Islands {
    /// The islands, by their least slot.
    pub islands: Vec<Island>,
    /// Slots of the dynamic bodies of all islands, island by island, each in order of slots.
    pub bodies: Vec<u32>,
    /// The island of each slot, or [`NONE`].
    pub island_of: Vec<u32>,
    pub(crate) sets: DisjointSets,
    /// The contacts of each chunk of the pairs.
    pub(crate) chunk_contacts: Vec<Vec<Contact>>,
    /// The points of each island in each chunk of the contacts.
    pub(crate) chunk_points: Vec<Vec<(u32, u32)>>,
}

impl Islands {
    /// Removes all islands, and makes room for `slots` slots.
    pub(crate) fn clear(&mut self, slots: usize) {
        self.islands.clear();
        for slot in self.bodies.drain(..) {
            self.island_of[slot as usize] = NONE;
            self.sets.separate(slot);
        }
        self.island_of.resize(slots, NONE);
        self.sets.resize(slots);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_least_slot_whatever_the_order_of_unions() {
        for unions in [[(5, 3), (3, 9), (7, 9)], [(7, 9), (9, 5), (3, 7)]] {
            let mut sets = DisjointSets::default();
            sets.reset(10);
            for (a, b) in unions {
                sets.union(a, b);
            }
            assert_eq!([3, 5, 7, 9].map(|s| sets.find(s)), [3; 4]);
            assert_eq!(sets.find(4), 4);
        }
    }
}
