//! What of the contact graph outlives a step, and which pairs changed since it was last copied.

#[cfg(feature = "serialize")]
use super::{Composite, Pair};
use super::{ContactGraph, Status};
use crate::index::NONE;
use crate::kept::{MANY, copy_columns, copy_each, copy_fields, differ};

impl ContactGraph {
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
        copy_each(&mut self.composites, &from.composites, |into, from| {
            copy_fields!(into, from; pair, parts, normals, visit);
            into.memory.copy(&from.memory);
        });
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
}
