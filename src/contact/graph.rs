//! The contact graph: pairs of colliders whose enlarged boxes overlap, and what is known of each from step to step.
//!
//! A pair keeps its number while it lives. What every pair is asked in every step is small and lies apart ([`Pair`], 16 bytes, and
//! its status); a [`Look`], what it is told by, is read only when that is not enough. Of three pairs of a pile, two do not touch:
//! only those that do, or may within the step, own a manifold and a [`Record`], both in the same place of a pool. A place is kept
//! as long as it is needed, so that the solver can tell from step to step that a contact is the same; places are given and taken in
//! the order of pairs, so that they do not depend on threads. The index from two slots to a pair is a hash table that is only ever
//! looked up, never walked.

mod kept;
mod pair;

pub(crate) use pair::{Composite, Look, Record, Visit};
pub use pair::{Pair, Status};

use super::Manifold;
use super::kernels::PairCache;
use crate::ahead;
use crate::components::Material;
use crate::index::NONE;
use crate::math::{Pose, Quat, Vec3};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// One contact of a step: a manifold between two bodies, at least one of which can move.
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

/// All pairs, their manifolds, and the contacts of this step.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactGraph {
    /// All pairs, vacant ones included.
    pub pairs: Vec<Pair>,
    /// The status of each pair.
    pub status: Vec<Status>,
    /// The manifolds of pairs that touch or may within the step, in no order, and behind them those of composite pairs, laid
    /// anew each step.
    pub manifolds: Vec<Manifold>,
    /// The contacts of this step, sorted by island and pair.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub contacts: Vec<Contact>,
    /// Buffer for sorting.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) sorted: Vec<Contact>,
    /// Where the manifold and the record of each pair lie, or [`NONE`].
    pub(crate) places: Vec<u32>,
    pub(crate) looks: Vec<Look>,
    /// One for each manifold that is a pair's own.
    pub(crate) records: Vec<Record>,
    /// The manifolds of composite pairs, each with its pair; in the order of pairs.
    pub(crate) composites: Vec<Composite>,
    /// Number of pairs alive.
    pub(crate) live: usize,
    /// Number of pairs that nothing collides, as told in events.
    pub(crate) not_collided: usize,
    /// The numbers of all pairs but those of sources, by their slots.
    #[cfg_attr(feature = "serialize", serde(skip))]
    index: HashTable<u32>,
    vacant: Vec<u32>,
    vacant_places: Vec<u32>,
    /// When each pair and each place last changed, and what that is in the step at hand: see [`crate::kept::stamp`].
    #[cfg_attr(feature = "serialize", serde(skip))]
    stamps: Vec<u64>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    place_stamps: Vec<u64>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    now: u64,
    #[cfg_attr(feature = "serialize", serde(skip))]
    differing: Vec<u32>,
    /// Counts the pairs that were added or put in doubt.
    changes: u64,
}

/// Makes room for one more where there is none: an eighth, for a pile has many pairs and doubling would leave half unused.
pub(crate) fn make_room<T>(list: &mut Vec<T>) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 8 + 64);
    }
}

fn hash(a: u32, b: u32) -> u64 {
    FxBuildHasher.hash_one(u64::from(a) << 32 | u64::from(b))
}

impl ContactGraph {
    /// The pair of two colliders, if their boxes overlap.
    pub fn find(&self, a: u32, b: u32) -> Option<usize> {
        let (a, b) = (a.min(b), a.max(b));
        let is_it = |pair: &Pair| pair.a == a && pair.b == b;
        self.index.find(hash(a, b), |&pair| is_it(&self.pairs[pair as usize])).map(|&pair| pair as usize)
    }

    /// Adds a pair with `a < b` that is not there yet; of a contact source there may be several. After the last one, [`Self::sort_composites`].
    ///
    /// A pair of several manifolds, or of a source, owns a place at once; others get one when they first touch.
    pub(crate) fn insert(&mut self, a: u32, b: u32, material: Material, status: Status) -> usize {
        let new = Pair { a, b, valid_until: f64::NEG_INFINITY };
        let relative = Pose::from_parts(Vec3::ZERO, Quat::IDENTITY);
        let look = Look { relative, cache: PairCache::default(), gap: 0.0, memory: 0 };
        let pair = if let Some(pair) = self.vacant.pop() {
            let pair = pair as usize;
            self.pairs[pair] = new;
            self.status[pair] = status;
            self.looks[pair] = look;
            pair
        } else {
            make_room(&mut self.pairs);
            make_room(&mut self.status);
            make_room(&mut self.stamps);
            make_room(&mut self.places);
            make_room(&mut self.looks);
            self.pairs.push(new);
            self.status.push(status);
            self.stamps.push(0);
            self.places.push(NONE);
            self.looks.push(look);
            self.pairs.len() - 1
        };
        self.stamps[pair] = self.now;
        if !status.is_simple() {
            self.own(pair, &Manifold::default(), Record::new(material));
        }
        if status.has(Status::COMPOSITE) {
            self.composites.push(Composite { pair: pair as u32, ..Composite::default() });
        }
        if !status.has(Status::SOURCE) {
            self.enter(pair);
        }
        self.live += 1;
        self.changes += 1;
        pair
    }

    /// Enters a pair into the index, by the slots that it has now.
    fn enter(&mut self, pair: usize) {
        let pairs = &self.pairs;
        let hash_of = |&pair: &u32| hash(pairs[pair as usize].a, pairs[pair as usize].b);
        self.index.insert_unique(hash_of(&(pair as u32)), pair as u32, hash_of);
    }

    /// Takes a pair out of the index, while it still has its slots.
    fn strike(&mut self, pair: usize) {
        let Pair { a, b, .. } = self.pairs[pair];
        if let Ok(entry) = self.index.find_entry(hash(a, b), |&number| number as usize == pair) {
            entry.remove();
        }
    }

    /// Gives a pair a place of its own, with what lies there.
    pub(crate) fn own(&mut self, pair: usize, manifold: &Manifold, record: Record) {
        self.drop_parts();
        self.places[pair] = if let Some(place) = self.vacant_places.pop() {
            let at = place as usize;
            // A contact that takes another's place must not be taken for it.
            let revision = self.records[at].revision;
            self.records[at] = Record { revision, ..record };
            self.records[at].renew();
            self.manifolds[at] = *manifold;
            place
        } else {
            make_room(&mut self.records);
            make_room(&mut self.manifolds);
            self.records.push(record);
            self.manifolds.push(*manifold);
            self.place_stamps.push(0);
            self.records.len() as u32 - 1
        };
        self.place_stamps[self.places[pair] as usize] = self.now;
    }

    /// Takes the place of a pair, if it has one.
    pub(crate) fn disown(&mut self, pair: usize) {
        let place = std::mem::replace(&mut self.places[pair], NONE);
        if place != NONE {
            self.manifolds[place as usize].count = 0;
            self.place_stamps[place as usize] = self.now;
            self.vacant_places.push(place);
        }
    }

    /// Forgets the manifolds of composites that lie behind those of the pairs.
    pub(crate) fn drop_parts(&mut self) {
        self.manifolds.truncate(self.records.len());
    }

    /// The record of a pair that owns a place.
    pub(crate) fn record_mut(&mut self, pair: usize) -> Option<&mut Record> {
        self.places.get(pair).and_then(|&place| self.records.get_mut(place as usize))
    }

    /// Removes a pair. After the last one, and before any is added, [`Self::sweep_composites`].
    pub(crate) fn remove(&mut self, pair: usize) {
        if !self.status[pair].has(Status::SOURCE) {
            self.strike(pair);
        }
        self.not_collided -= usize::from(self.status[pair].has(Status::TOLD));
        self.pairs[pair] = Pair { a: NONE, b: NONE, valid_until: f64::INFINITY };
        self.status[pair] = Status::default();
        self.stamps[pair] = self.now;
        self.disown(pair);
        self.vacant.push(pair as u32);
        self.live -= 1;
    }

    /// Drops the manifolds of composite pairs that were removed: all at once, for a pass for each would be quadratic.
    pub(crate) fn sweep_composites(&mut self) {
        let status = &self.status;
        self.composites.retain(|c| status[c.pair as usize].has(Status::COMPOSITE));
    }

    /// Brings composite pairs into the order of pairs again.
    pub(crate) fn sort_composites(&mut self) {
        if !self.composites.is_sorted_by_key(|c| c.pair) {
            // A stable sort takes what is in order already, all but a few newcomers, as it is.
            self.composites.sort_by_key(|c| c.pair);
        }
    }

    /// Puts what is known of a pair in doubt: it is collided again.
    pub(crate) fn doubt(&mut self, pair: usize) {
        self.pairs[pair].valid_until = f64::NEG_INFINITY;
        self.stamps[pair] = self.now;
        if let Some(record) = self.record_mut(pair) {
            record.valid_until = f64::NEG_INFINITY;
            let place = self.places[pair];
            self.place_stamps[place as usize] = self.now;
        }
        self.changes += 1;
    }

    /// Lets a pair begin anew, as if it had borne nothing.
    pub(crate) fn forget_impulses(&mut self, pair: usize) {
        if self.status[pair].has(Status::COMPOSITE) {
            if let Ok(at) = self.composites.binary_search_by_key(&(pair as u32), |c| c.pair) {
                self.composites[at].parts.iter_mut().for_each(Manifold::forget_impulses);
            }
        } else if let Some(manifold) = self.manifolds.get_mut(self.places[pair] as usize) {
            manifold.forget_impulses();
            let place = self.places[pair];
            self.place_stamps[place as usize] = self.now;
        }
    }

    /// The points of some contacts of the step.
    pub(crate) fn points(&self, contacts: std::ops::Range<usize>) -> usize {
        let count = |k: usize| {
            self.call_manifold(k + ahead::ROUNDS);
            self.manifolds[self.contacts[k].manifold as usize].count as usize
        };
        contacts.map(count).sum()
    }

    /// Calls for the manifold of a contact of the step. It need not be there.
    #[inline]
    pub(crate) fn call_manifold(&self, contact: usize) {
        if let Some(contact) = self.contacts.get(contact) {
            ahead::call(&self.manifolds, contact.manifold as usize);
        }
    }

    /// The same for the record of its pair.
    #[inline]
    pub(crate) fn call_record(&self, contact: usize) {
        if let Some(contact) = self.contacts.get(contact) {
            ahead::call(&self.records, contact.record as usize);
        }
    }

    /// A number that grows whenever a pair is added or put in doubt.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// The manifolds of a pair: one if it owns a place, or those of a composite.
    pub(crate) fn manifolds_of(&self, pair: usize) -> &[Manifold] {
        if !self.status[pair].has(Status::COMPOSITE) {
            return self.manifolds.get(self.places[pair] as usize).map_or(&[], std::slice::from_ref);
        }
        let at = self.composites.binary_search_by_key(&(pair as u32), |c| c.pair);
        at.map_or(&[], |at| &self.composites[at].parts)
    }

    /// The manifolds of all active pairs, parked islands included, each with its pair; in the order of pairs.
    pub(crate) fn touching_manifolds(&self) -> impl Iterator<Item = (usize, &Manifold)> {
        let active = (0..self.pairs.len()).filter(|&pair| self.status[pair].has(Status::ACTIVE));
        active.flat_map(|pair| self.manifolds_of(pair).iter().map(move |manifold| (pair, manifold)))
    }
}
