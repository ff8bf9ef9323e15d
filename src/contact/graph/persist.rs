//! Persistence of the contact graph: change versions, and copies for snapshots.

#[cfg(feature = "serialize")]
use super::{CompositeContacts, Pair};
use super::{ContactGraph, Status};
use crate::ids::NONE;
use crate::persist::{WHOLE_COPY_RATIO, copy_columns, copy_each, copy_fields, differing_indices};

impl ContactGraph {
    /// Begins a step: subsequent changes carry this version.
    pub(crate) fn begin_step(&mut self, now: u64) {
        self.now = now;
    }

    /// Marks the awake pairs as changed in this step. If they are so many that a snapshot copies
    /// whole columns anyway (see [`WHOLE_COPY_RATIO`]), all pairs are marked, which is cheaper than
    /// iterating.
    pub(crate) fn mark_awake(&mut self, awake: &[u32]) {
        if awake.len() * WHOLE_COPY_RATIO >= self.pairs.len() {
            self.mark_all();
        } else {
            self.mark_changed(awake);
        }
    }

    /// Marks pairs as changed in this step.
    pub(crate) fn mark_changed(&mut self, pairs: &[u32]) {
        for &pair in pairs {
            self.versions[pair as usize] = self.now;
            if let Some(version) = self.manifold_versions.get_mut(self.manifold_index[pair as usize] as usize) {
                *version = self.now;
            }
        }
    }

    /// Marks all composite pairs as changed in this step.
    pub(crate) fn mark_composites(&mut self) {
        for k in 0..self.composites.len() {
            self.mark_changed(&[self.composites[k].pair]);
        }
    }

    /// Marks all pairs as changed.
    pub(crate) fn mark_all(&mut self) {
        self.versions.clear();
        self.versions.resize(self.pairs.len(), self.now);
        self.manifold_versions.clear();
        self.manifold_versions.resize(self.records.len(), self.now);
    }

    /// Copies the persistent data without the map from slots: the target is only stored.
    pub(crate) fn copy_persistent(&mut self, from: &Self) {
        let mut differing = std::mem::take(&mut self.differing);
        let others = differing_indices(&self.versions, &from.versions, &mut differing).then_some(&differing);
        copy_columns!(self, from, others; pairs, status, manifold_index, caches, versions);
        self.truncate_composite_manifolds();
        if differing_indices(&self.manifold_versions, &from.manifold_versions, &mut differing) {
            copy_columns!(self, from, Some(&differing); records, manifolds, manifold_versions);
        } else {
            copy_fields!(self, from; records, manifold_versions);
            self.manifolds.clear();
            self.manifolds.extend_from_slice(&from.manifolds[..from.records.len()]);
        }
        self.differing = differing;
        copy_fields!(self, from; live_pairs, not_collided, vacant, vacant_manifolds, changes);
        copy_each(&mut self.composites, &from.composites, |into, from| {
            copy_fields!(into, from; pair, parts, normals, update);
            into.part_cache.copy(&from.part_cache);
        });
    }

    /// True if all lists have the same length, vacant entries are listed, and composites are
    /// sorted.
    #[cfg(feature = "serialize")]
    pub(crate) fn is_consistent(&self) -> bool {
        let count = self.pairs.len();
        let mut vacant = self.vacant.clone();
        vacant.sort_unstable();
        vacant.dedup();
        let is_vacant = |&pair: &u32| self.pairs.get(pair as usize).is_some_and(|pair| pair.a == NONE);
        let mut names = rustc_hash::FxHashSet::default();
        let single = |(pair, status): (&Pair, &Status)| {
            pair.a == NONE || status.has(Status::SOURCE) || names.insert((pair.a, pair.b))
        };
        let told = self.status.iter().filter(|status| status.has(Status::REPORTED_NOT_COLLIDED)).count();
        let composite = |c: &CompositeContacts| {
            let status = self.status.get(c.pair as usize);
            c.parts.len() == c.normals.len() && status.is_some_and(|status| status.has(Status::COMPOSITE))
        };
        let several = self.status.iter().filter(|status| status.has(Status::COMPOSITE)).count();
        self.are_manifold_indices_consistent()
            && [self.status.len(), self.manifold_index.len(), self.caches.len()] == [count; 3]
            && vacant.len() == self.vacant.len()
            && vacant.iter().all(is_vacant)
            && self.live_pairs + vacant.len() == count
            && self.pairs.iter().filter(|pair| pair.a == NONE).count() == vacant.len()
            && self.pairs.iter().zip(&self.status).all(single)
            && self.not_collided == told
            && self.composites.len() == several
            && self.composites.iter().all(composite)
            && self.composites.windows(2).all(|two| two[0].pair < two[1].pair)
    }

    /// True if each pool entry belongs to exactly one pair or is vacant, and all pairs that must
    /// own one do.
    #[cfg(feature = "serialize")]
    fn are_manifold_indices_consistent(&self) -> bool {
        let mut taken = vec![false; self.records.len()];
        let mut take = |index: u32| taken.get_mut(index as usize).is_some_and(|taken| !std::mem::replace(taken, true));
        let owned = self.manifold_index.iter().filter(|&&index| index != NONE).all(|&index| take(index));
        let vacant = self.vacant_manifolds.iter().all(|&index| take(index));
        let owns = |(status, &index): (&Status, &u32)| {
            let must = !status.is_simple() || status.has(Status::ACTIVE);
            !must || index != NONE
        };
        owned
            && vacant
            && taken.iter().all(|&taken| taken)
            && self.manifolds.len() == self.records.len()
            && self.status.iter().zip(&self.manifold_index).all(owns)
    }

    /// Copies the persistent data and updates the map from slots.
    pub(crate) fn restore(&mut self, from: &Self) {
        let key_of = |graph: &Self, pair: usize| {
            let p = graph.pairs.get(pair).filter(|p| p.a != NONE && !graph.status[pair].has(Status::SOURCE))?;
            Some((p.a, p.b))
        };
        let mut others = Vec::new();
        if !differing_indices(&self.versions, &from.versions, &mut others) {
            others.clear();
            others.extend(0..self.pairs.len().max(from.pairs.len()) as u32);
        }
        others.retain(|&pair| key_of(self, pair as usize) != key_of(from, pair as usize));
        for pair in others.iter().map(|&pair| pair as usize) {
            if key_of(self, pair).is_some() {
                self.remove_from_index(pair);
            }
        }
        self.contacts.clear();
        self.copy_persistent(from);
        for pair in others.into_iter().map(|pair| pair as usize) {
            if key_of(self, pair).is_some() {
                self.add_to_index(pair);
            }
        }
    }
}
