//! Persistent contact graph: pairs of colliders whose enlarged boxes overlap, and their data from
//! step to step.
//!
//! A pair keeps its number while it lives. Data read for every pair in every step is small and
//! separate: [`Pair`] (16 bytes) and its status. A [`NarrowPhaseCache`] is read only when these are
//! not enough. Two of three pairs of a pile do not touch: only pairs that touch, or may within the
//! step, own a manifold and a [`ContactRecord`], both at the same index of a pool. The index is
//! stable while it is needed, so that the solver can recognise a contact. Indices are allocated and
//! released in the order of pairs, so they do not depend on threads. The map from two slots to a
//! pair is a hash table that is never iterated.

mod pair;
mod persist;

pub(crate) use pair::{CompositeContacts, CompositeUpdate, ContactRecord, NarrowPhaseCache};
pub use pair::{Pair, Status};

use super::Manifold;
use super::kernels::PairCache;
use crate::components::Material;
use crate::ids::NONE;
use crate::math::{Pose, Quat, Vec3};
use crate::prefetch;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Contact of the current step: a manifold between two bodies, at least one of which can move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Slot of the first body.
    pub a: u32,
    /// Slot of the second body.
    pub b: u32,
    /// The pair of colliders.
    pub pair: u32,
    /// The manifold, in [`ContactGraph::manifolds`].
    pub manifold: u32,
    /// The island.
    pub island: u32,
    /// The record of the pair.
    pub(crate) record: u32,
}

/// All pairs, their manifolds, and the contacts of the current step.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactGraph {
    /// All pairs, vacant ones included.
    pub pairs: Vec<Pair>,
    /// The status of each pair.
    pub status: Vec<Status>,
    /// Pool of the manifolds of pairs that touch or may within the step, in no order. Behind them
    /// those of composite pairs, rebuilt in each step.
    pub manifolds: Vec<Manifold>,
    /// The contacts of this step, sorted by island and pair.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub contacts: Vec<Contact>,
    /// Buffer for sorting.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) sorted: Vec<Contact>,
    /// Index of the manifold and the record of each pair in their pools, or [`NONE`].
    pub(crate) manifold_index: Vec<u32>,
    pub(crate) caches: Vec<NarrowPhaseCache>,
    /// Records, one for each manifold of the pool.
    pub(crate) records: Vec<ContactRecord>,
    /// Data of composite pairs, in the order of pairs.
    pub(crate) composites: Vec<CompositeContacts>,
    /// Number of pairs alive.
    pub(crate) live_pairs: usize,
    /// Number of pairs reported as not collided.
    pub(crate) not_collided: usize,
    /// Map from the slots to the number of all pairs but those of sources.
    #[cfg_attr(feature = "serialize", serde(skip))]
    index: HashTable<u32>,
    vacant: Vec<u32>,
    vacant_manifolds: Vec<u32>,
    /// Versions of the last change of each pair and of each pool entry, and the version of the
    /// current step: see [`crate::persist::next_version`].
    #[cfg_attr(feature = "serialize", serde(skip))]
    versions: Vec<u64>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    manifold_versions: Vec<u64>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    now: u64,
    #[cfg_attr(feature = "serialize", serde(skip))]
    differing: Vec<u32>,
    /// Number of additions and invalidations so far.
    changes: u64,
}

/// Reserves an eighth more capacity when a list is full. A pile has many pairs: doubling would
/// leave half of the memory unused.
pub(crate) fn reserve_one<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 8 + 64);
    }
}

fn hash(a: u32, b: u32) -> u64 {
    FxBuildHasher.hash_one(u64::from(a) << 32 | u64::from(b))
}

impl ContactGraph {
    /// Number of the pair of two colliders, if their boxes overlap.
    pub fn find(&self, a: u32, b: u32) -> Option<usize> {
        let (a, b) = (a.min(b), a.max(b));
        let is_it = |pair: &Pair| pair.a == a && pair.b == b;
        self.index.find(hash(a, b), |&pair| is_it(&self.pairs[pair as usize])).map(|&pair| pair as usize)
    }

    /// Adds a new pair with `a < b`; a contact source may add several of the same slots. Call
    /// [`Self::sort_composites`] after the last one.
    ///
    /// Composite pairs and those of sources own a pool entry from the start; others get one when
    /// they first touch.
    pub(crate) fn insert(&mut self, a: u32, b: u32, material: Material, status: Status) -> usize {
        let new = Pair { a, b, valid_until: f64::NEG_INFINITY };
        let relative = Pose::from_parts(Vec3::ZERO, Quat::IDENTITY);
        let cache = NarrowPhaseCache { relative, kernel: PairCache::default(), gap: 0.0, user_data: 0 };
        let pair = if let Some(pair) = self.vacant.pop() {
            let pair = pair as usize;
            self.pairs[pair] = new;
            self.status[pair] = status;
            self.caches[pair] = cache;
            pair
        } else {
            reserve_one(&mut self.pairs);
            reserve_one(&mut self.status);
            reserve_one(&mut self.versions);
            reserve_one(&mut self.manifold_index);
            reserve_one(&mut self.caches);
            self.pairs.push(new);
            self.status.push(status);
            self.versions.push(0);
            self.manifold_index.push(NONE);
            self.caches.push(cache);
            self.pairs.len() - 1
        };
        self.versions[pair] = self.now;
        if !status.is_simple() {
            self.allocate_manifold(pair, &Manifold::default(), ContactRecord::new(material));
        }
        if status.has(Status::COMPOSITE) {
            self.composites.push(CompositeContacts { pair: pair as u32, ..CompositeContacts::default() });
        }
        if !status.has(Status::SOURCE) {
            self.add_to_index(pair);
        }
        self.live_pairs += 1;
        self.changes += 1;
        pair
    }

    /// Adds a pair to the map, by its current slots.
    fn add_to_index(&mut self, pair: usize) {
        let pairs = &self.pairs;
        let hash_of = |&pair: &u32| hash(pairs[pair as usize].a, pairs[pair as usize].b);
        self.index.insert_unique(hash_of(&(pair as u32)), pair as u32, hash_of);
    }

    /// Removes a pair from the map; it must still have its slots.
    fn remove_from_index(&mut self, pair: usize) {
        let Pair { a, b, .. } = self.pairs[pair];
        if let Ok(entry) = self.index.find_entry(hash(a, b), |&number| number as usize == pair) {
            entry.remove();
        }
    }

    /// Allocates a pool entry for a pair and fills it.
    pub(crate) fn allocate_manifold(&mut self, pair: usize, manifold: &Manifold, record: ContactRecord) {
        self.truncate_composite_manifolds();
        self.manifold_index[pair] = if let Some(index) = self.vacant_manifolds.pop() {
            let at = index as usize;
            // The revision distinguishes the new contact from the one that had the entry before.
            let revision = self.records[at].revision;
            self.records[at] = ContactRecord { revision, ..record };
            self.records[at].bump_revision();
            self.manifolds[at] = *manifold;
            index
        } else {
            reserve_one(&mut self.records);
            reserve_one(&mut self.manifolds);
            self.records.push(record);
            self.manifolds.push(*manifold);
            self.manifold_versions.push(0);
            self.records.len() as u32 - 1
        };
        self.manifold_versions[self.manifold_index[pair] as usize] = self.now;
    }

    /// Releases the pool entry of a pair, if it has one.
    pub(crate) fn release_manifold(&mut self, pair: usize) {
        let index = std::mem::replace(&mut self.manifold_index[pair], NONE);
        if index != NONE {
            self.manifolds[index as usize].count = 0;
            self.manifold_versions[index as usize] = self.now;
            self.vacant_manifolds.push(index);
        }
    }

    /// Truncates the manifolds of composites from the pool.
    pub(crate) fn truncate_composite_manifolds(&mut self) {
        self.manifolds.truncate(self.records.len());
    }

    /// The record of a pair, if it owns one.
    pub(crate) fn record_mut(&mut self, pair: usize) -> Option<&mut ContactRecord> {
        self.manifold_index.get(pair).and_then(|&index| self.records.get_mut(index as usize))
    }

    /// Removes a pair. Call [`Self::drop_removed_composites`] after the last one, before any is
    /// added.
    pub(crate) fn remove(&mut self, pair: usize) {
        if !self.status[pair].has(Status::SOURCE) {
            self.remove_from_index(pair);
        }
        self.not_collided -= usize::from(self.status[pair].has(Status::REPORTED_NOT_COLLIDED));
        self.pairs[pair] = Pair { a: NONE, b: NONE, valid_until: f64::INFINITY };
        self.status[pair] = Status::default();
        self.versions[pair] = self.now;
        self.release_manifold(pair);
        self.vacant.push(pair as u32);
        self.live_pairs -= 1;
    }

    /// Drops the data of removed composite pairs, in one pass: a pass for each would be quadratic.
    pub(crate) fn drop_removed_composites(&mut self) {
        let status = &self.status;
        self.composites.retain(|c| status[c.pair as usize].has(Status::COMPOSITE));
    }

    /// Restores the order of composite pairs.
    pub(crate) fn sort_composites(&mut self) {
        if !self.composites.is_sorted_by_key(|c| c.pair) {
            // A stable sort is fast on nearly sorted input.
            self.composites.sort_by_key(|c| c.pair);
        }
    }

    /// Invalidates the narrow-phase result of a pair: it is collided again.
    pub(crate) fn invalidate(&mut self, pair: usize) {
        self.pairs[pair].valid_until = f64::NEG_INFINITY;
        self.versions[pair] = self.now;
        if let Some(record) = self.record_mut(pair) {
            record.valid_until = f64::NEG_INFINITY;
            let index = self.manifold_index[pair];
            self.manifold_versions[index as usize] = self.now;
        }
        self.changes += 1;
    }

    /// Clears the impulses of a pair.
    pub(crate) fn clear_impulses(&mut self, pair: usize) {
        if self.status[pair].has(Status::COMPOSITE) {
            if let Ok(at) = self.composites.binary_search_by_key(&(pair as u32), |c| c.pair) {
                self.composites[at].parts.iter_mut().for_each(Manifold::clear_impulses);
            }
        } else if let Some(manifold) = self.manifolds.get_mut(self.manifold_index[pair] as usize) {
            manifold.clear_impulses();
            let index = self.manifold_index[pair];
            self.manifold_versions[index as usize] = self.now;
        }
    }

    /// Number of contact points of a range of contacts.
    pub(crate) fn point_count(&self, contacts: std::ops::Range<usize>) -> usize {
        let count = |k: usize| {
            self.prefetch_manifold(k + prefetch::DISTANCE);
            self.manifolds[self.contacts[k].manifold as usize].count as usize
        };
        contacts.map(count).sum()
    }

    /// Prefetches the manifold of a contact; the index may lie beyond the end.
    #[inline]
    pub(crate) fn prefetch_manifold(&self, contact: usize) {
        if let Some(contact) = self.contacts.get(contact) {
            prefetch::prefetch(&self.manifolds, contact.manifold as usize);
        }
    }

    /// Prefetches the record of a contact.
    #[inline]
    pub(crate) fn prefetch_record(&self, contact: usize) {
        if let Some(contact) = self.contacts.get(contact) {
            prefetch::prefetch(&self.records, contact.record as usize);
        }
    }

    /// Number of additions and invalidations so far: it grows with each.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// The manifolds of a pair: one from the pool, or those of a composite.
    pub(crate) fn manifolds_of(&self, pair: usize) -> &[Manifold] {
        if !self.status[pair].has(Status::COMPOSITE) {
            return self.manifolds.get(self.manifold_index[pair] as usize).map_or(&[], std::slice::from_ref);
        }
        let at = self.composites.binary_search_by_key(&(pair as u32), |c| c.pair);
        at.map_or(&[], |at| &self.composites[at].parts)
    }

    /// The manifolds of all active pairs, those of sleeping islands included, in the order of
    /// pairs.
    pub(crate) fn touching_manifolds(&self) -> impl Iterator<Item = (usize, &Manifold)> {
        let active = (0..self.pairs.len()).filter(|&pair| self.status[pair].has(Status::ACTIVE));
        active.flat_map(|pair| self.manifolds_of(pair).iter().map(move |manifold| (pair, manifold)))
    }
}
