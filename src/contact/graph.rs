//! The contact graph: pairs of colliders whose enlarged boxes overlap, and what is known of each from step to step.
//!
//! A pair keeps its number while it lives. What every pair is asked in every step is small and lies apart ([`Pair`], 16 bytes, and
//! its status); a [`Look`], what it is told by, is read only when that is not enough. Of three pairs of a pile, two do not touch:
//! only those that do, or may within the step, own a manifold and a [`Record`], both in the same place of a pool. A place is kept
//! as long as it is needed, so that the solver can tell from step to step that a contact is the same; places are given and taken in
//! the order of pairs, so that they do not depend on threads. The index from two slots to a pair is a hash table that is only ever
//! looked up, never walked.

use super::Manifold;
use super::kernels::PairCache;
use crate::ahead;
use crate::bodies::NONE;
use crate::components::Material;
use crate::kept::{MANY, copy_columns, copy_each, copy_fields, differ};
use crate::math::{Pose, Quat, Real, Vec3};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Two colliders, and when they must be collided again.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// Slot of the first collider, the lesser one; [`NONE`] where no pair is.
    pub a: u32,
    /// Slot of the second collider.
    pub b: u32,
    /// While the odometers of both bodies sum to no more than this, nothing need be asked of the pair (m): of one that is not
    /// active, not even at the step's end.
    pub(crate) valid_until: f64,
}

/// What a pair is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Status(u16);

impl Status {
    /// The manifold has points: the pair touches or may touch within the step.
    pub const ACTIVE: Self = Self(1);
    /// The surfaces touch.
    pub const TOUCHING: Self = Self(2);
    /// At least one collider is a sensor.
    pub const SENSOR: Self = Self(4);
    /// At least one shape is a mesh, a height field or a compound: the pair may have several manifolds.
    pub const COMPOSITE: Self = Self(8);
    /// At least one shape is round: its contact point moves over the surface as it rolls.
    pub const ROUND: Self = Self(16);
    /// Touched when the last events were written.
    pub const TOUCHED: Self = Self(32);
    /// The solver left the separations as they are after the step.
    pub(crate) const CARRIED: Self = Self(64);
    /// A contact source says where the pair touches: its slots are bodies', with or without colliders.
    pub const SOURCE: Self = Self(128);
    /// No kernel collides the shapes or some of their parts, or it gave no usable answer.
    pub const NOT_COLLIDED: Self = Self(256);
    /// The last was told in an event.
    pub const TOLD: Self = Self(512);
    /// A contact hook lets the two pass through each other.
    pub const DISABLED: Self = Self(1024);
    /// Either body asked for continuous collision.
    pub(crate) const CCD: Self = Self(2048);

    /// Whether the pair has one manifold that the narrow phase finds and keeps.
    #[inline]
    pub(crate) const fn is_simple(self) -> bool {
        self.0 & (Self::COMPOSITE.0 | Self::SOURCE.0) == 0
    }

    /// Whether all of `flag` is set.
    #[inline]
    pub const fn has(self, flag: Self) -> bool {
        self.0 & flag.0 == flag.0
    }

    /// Sets or clears `flag`.
    #[inline]
    pub(crate) fn set(&mut self, flag: Self, on: bool) {
        if on {
            self.0 |= flag.0;
        } else {
            self.0 &= !flag.0;
        }
    }
}

/// What is known of a pair whether it touches or not: a cache line in `f32`.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(align(64))]
pub(crate) struct Look {
    /// The second body in the first one's axes when the pair was last collided.
    pub relative: Pose,
    /// What the kernel remembers.
    pub cache: PairCache,
    /// The least separation found when the pair was last collided, or a lower bound (m).
    pub gap: Real,
    /// What contact hooks remember of the pair.
    pub memory: u32,
}

#[cfg(not(feature = "f64"))]
const _: () = assert!(size_of::<Look>() == 64);

/// What is known of a pair that owns a manifold.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Record {
    /// The manifold's normal in the first body's axes.
    pub local_normal: Vec3,
    /// Both surfaces combined.
    pub material: Material,
    /// Velocity of the second surface over its body less that of the first over its own, world axes (m/s).
    pub surface_velocity: Vec3,
    /// Counts how often the manifold was made anew; never 0.
    pub revision: u32,
    /// While the odometers of both bodies sum to no more than this, the manifold is kept (m).
    pub valid_until: f64,
}

impl Record {
    /// The record of a manifold that is to be made.
    pub(crate) fn new(material: Material) -> Self {
        Self {
            local_normal: Vec3::Y,
            material,
            surface_velocity: Vec3::ZERO,
            revision: 1,
            valid_until: f64::NEG_INFINITY,
        }
    }

    /// Says that the manifold is another than before.
    #[inline]
    pub(crate) fn renew(&mut self) {
        self.revision = self.revision.wrapping_add(1).max(1);
    }
}

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

/// The several manifolds of a pair with a mesh, a height field or a compound.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Composite {
    pub pair: u32,
    /// The manifolds of the last step.
    pub parts: Vec<Manifold>,
    /// Their normals in the first body's axes.
    pub normals: Vec<Vec3>,
    /// What the step at hand found.
    pub visit: Visit,
    /// Room for those of the step before, while the new ones take up their impulses.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub before: Vec<Manifold>,
}

/// What looking at a composite pair came to, until it is written back.
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Visit {
    /// Nothing about it changed.
    #[default]
    Same,
    /// Its manifolds were kept and followed their bodies.
    Followed { touching: bool },
    /// They were made anew, whether or not all parts are `known` to some kernel, with the second body at `relative` in the first one's axes.
    Collided { known: bool, touching: bool, relative: Pose, valid_until: f64 },
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
            self.composites.sort_unstable_by_key(|c| c.pair);
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

    /// Begins a step: what changes from now on carries this stamp.
    pub(crate) fn begin(&mut self, now: u64) {
        self.now = now;
    }

    /// Notes that the awake pairs change in this step. Where they are so many that a snapshot copies whole columns anyway (see
    /// [`MANY`]), all are noted: that is far less than to go from pair to pair.
    pub(crate) fn note_awake(&mut self, awake: &[u32]) {
        if awake.len() * MANY >= self.pairs.len() {
            self.note_all();
        } else {
            self.note(awake);
        }
    }

    /// Notes that these pairs change in this step.
    pub(crate) fn note(&mut self, pairs: &[u32]) {
        for &pair in pairs {
            self.stamps[pair as usize] = self.now;
            if let Some(stamp) = self.place_stamps.get_mut(self.places[pair as usize] as usize) {
                *stamp = self.now;
            }
        }
    }

    /// Notes that composite pairs change in this step.
    pub(crate) fn note_composites(&mut self) {
        for k in 0..self.composites.len() {
            self.note(&[self.composites[k].pair]);
        }
    }

    /// Notes that any pair may have changed.
    pub(crate) fn note_all(&mut self) {
        self.stamps.clear();
        self.stamps.resize(self.pairs.len(), self.now);
        self.place_stamps.clear();
        self.place_stamps.resize(self.records.len(), self.now);
    }

    /// Copies what outlives a step, but not the index: what it is copied into is only kept.
    pub(crate) fn copy_kept(&mut self, from: &Self) {
        let mut differing = std::mem::take(&mut self.differing);
        let others = differ(&self.stamps, &from.stamps, &mut differing).then_some(&differing);
        copy_columns!(self, from, others; pairs, status, places, looks, stamps);
        self.drop_parts();
        if differ(&self.place_stamps, &from.place_stamps, &mut differing) {
            copy_columns!(self, from, Some(&differing); records, manifolds, place_stamps);
        } else {
            copy_fields!(self, from; records, place_stamps);
            self.manifolds.clear();
            self.manifolds.extend_from_slice(&from.manifolds[..from.records.len()]);
        }
        self.differing = differing;
        copy_fields!(self, from; live, not_collided, vacant, vacant_places, changes);
        copy_each(
            &mut self.composites,
            &from.composites,
            |into, from| copy_fields!(into, from; pair, parts, normals, visit),
        );
    }

    /// Whether all lists have one length, what is vacant is known as such, and composites are in their order.
    #[cfg(feature = "serialize")]
    pub(crate) fn is_sound(&self) -> bool {
        let count = self.pairs.len();
        let mut vacant = self.vacant.clone();
        vacant.sort_unstable();
        vacant.dedup();
        let is_vacant = |&pair: &u32| self.pairs.get(pair as usize).is_some_and(|pair| pair.a == NONE);
        let mut names = rustc_hash::FxHashSet::default();
        let single = |(pair, status): (&Pair, &Status)| {
            pair.a == NONE || status.has(Status::SOURCE) || names.insert((pair.a, pair.b))
        };
        let told = self.status.iter().filter(|status| status.has(Status::TOLD)).count();
        let composite = |c: &Composite| {
            let status = self.status.get(c.pair as usize);
            c.parts.len() == c.normals.len() && status.is_some_and(|status| status.has(Status::COMPOSITE))
        };
        let several = self.status.iter().filter(|status| status.has(Status::COMPOSITE)).count();
        self.are_places_sound()
            && [self.status.len(), self.places.len(), self.looks.len()] == [count; 3]
            && vacant.len() == self.vacant.len()
            && vacant.iter().all(is_vacant)
            && self.live + vacant.len() == count
            && self.pairs.iter().filter(|pair| pair.a == NONE).count() == vacant.len()
            && self.pairs.iter().zip(&self.status).all(single)
            && self.not_collided == told
            && self.composites.len() == several
            && self.composites.iter().all(composite)
            && self.composites.windows(2).all(|two| two[0].pair < two[1].pair)
    }

    /// Whether every place is a pair's or vacant, and whoever must own one does.
    #[cfg(feature = "serialize")]
    fn are_places_sound(&self) -> bool {
        let mut taken = vec![false; self.records.len()];
        let mut take = |place: u32| taken.get_mut(place as usize).is_some_and(|taken| !std::mem::replace(taken, true));
        let owned = self.places.iter().filter(|&&place| place != NONE).all(|&place| take(place));
        let vacant = self.vacant_places.iter().all(|&place| take(place));
        let owns = |(status, &place): (&Status, &u32)| {
            let must = !status.is_simple() || status.has(Status::ACTIVE);
            !must || place != NONE
        };
        owned
            && vacant
            && taken.iter().all(|&taken| taken)
            && self.manifolds.len() == self.records.len()
            && self.status.iter().zip(&self.places).all(owns)
    }

    /// Copies what outlives a step, and brings the index to what it says.
    pub(crate) fn restore(&mut self, from: &Self) {
        let key_of = |graph: &Self, pair: usize| {
            let p = graph.pairs.get(pair).filter(|p| p.a != NONE && !graph.status[pair].has(Status::SOURCE))?;
            Some((p.a, p.b))
        };
        let mut others = Vec::new();
        if !differ(&self.stamps, &from.stamps, &mut others) {
            others.clear();
            others.extend(0..self.pairs.len().max(from.pairs.len()) as u32);
        }
        others.retain(|&pair| key_of(self, pair as usize) != key_of(from, pair as usize));
        for pair in others.iter().map(|&pair| pair as usize) {
            if key_of(self, pair).is_some() {
                self.strike(pair);
            }
        }
        self.contacts.clear();
        self.copy_kept(from);
        for pair in others.into_iter().map(|pair| pair as usize) {
            if key_of(self, pair).is_some() {
                self.enter(pair);
            }
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
