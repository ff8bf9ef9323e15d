//! Writes the contacts of a step to the cache, in parallel by slab.

use super::block::Block;
use super::contact_cache::{CacheEntry, ContactCache, WALL};
use super::solve::SlabWork;
use super::walls::WallContact;
use crate::parallel;
use std::ops::Range;

/// The part of the cache that one slab writes.
struct CachePage<'a> {
    particles: Range<usize>,
    /// Index of its first entry.
    first: u32,
    starts: &'a mut [u32],
    entries: &'a mut [CacheEntry],
    work: &'a SlabWork,
}

impl ContactCache {
    /// Stores the contacts of a step, by the current numbers of the particles.
    pub fn store_contacts(&mut self, slabs: &[Range<usize>], work: &[SlabWork], threads: usize) {
        let particles = slabs.last().map_or(0, |slab| slab.end);
        let count = |work: &SlabWork| work.pairs.len() + work.wall_contacts.fixed.len();
        let all: usize = work.iter().map(count).sum();
        self.starts.resize(particles + 1, 0);
        self.entries.resize(all, CacheEntry::default());
        self.starts[particles] = all as u32;
        let (mut starts, mut entries) = (&mut self.starts[..particles], &mut self.entries[..]);
        let (mut pages, mut first) = (Vec::with_capacity(slabs.len()), 0);
        for (slab, work) in slabs.iter().zip(work) {
            let (own_starts, rest) = starts.split_at_mut(slab.len());
            let (own, behind) = entries.split_at_mut(count(work));
            (starts, entries) = (rest, behind);
            pages.push(CachePage { particles: slab.clone(), first, starts: own_starts, entries: own, work });
            first += count(work) as u32;
        }
        parallel::for_each(&mut pages, threads, CachePage::fill);
    }
}

impl CachePage<'_> {
    fn fill(&mut self) {
        let first = self.particles.start;
        self.starts.fill(0);
        visit(self.work, |particle, _| self.starts[particle - first] += 1);
        let mut sum = 0;
        for start in self.starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        // Filled from the end, so that each start ends at its first entry.
        visit(self.work, |particle, entry| {
            let start = &mut self.starts[particle - first];
            *start -= 1;
            self.entries[*start as usize] = entry();
        });
        self.starts.iter_mut().for_each(|start| *start += self.first);
    }
}

/// Calls `note` with the first particle of every contact of a slab, and a function that makes its
/// entry.
fn visit(work: &SlabWork, mut note: impl FnMut(usize, &dyn Fn() -> CacheEntry)) {
    for (pair, &lane_slot) in work.pairs.iter().zip(&work.lane_slots) {
        note(pair[0] as usize, &|| {
            let (normal_impulse, friction_impulse) = Block::impulse(&work.blocks, lane_slot);
            CacheEntry { other: pair[1], normal_impulse, friction_impulse }
        });
    }
    for WallContact { particle, slot, impulse, .. } in &work.wall_contacts.fixed {
        note(*particle as usize, &|| CacheEntry {
            other: WALL | slot,
            normal_impulse: impulse.normal_impulse,
            friction_impulse: impulse.friction_impulse,
        });
    }
}
