//! Filling the memory with the contacts of a step, every slab its own part.

use super::block::Block;
use super::memory::{Entry, Memory, WALL};
use super::solve::Work;
use super::walls::Touch;
use crate::parallel;
use std::ops::Range;

/// The part of the memory that a slab's contacts fill.
struct Page<'a> {
    particles: Range<usize>,
    /// Where its entries begin among all.
    first: u32,
    starts: &'a mut [u32],
    entries: &'a mut [Entry],
    work: &'a Work,
}

impl Memory {
    /// Remembers the contacts of a step, by the numbers that the particles have now.
    pub fn keep(&mut self, slabs: &[Range<usize>], work: &[Work], threads: usize) {
        let particles = slabs.last().map_or(0, |slab| slab.end);
        let count = |work: &Work| work.pairs.len() + work.touches.fixed.len();
        let all: usize = work.iter().map(count).sum();
        self.starts.resize(particles + 1, 0);
        self.entries.resize(all, Entry::default());
        self.starts[particles] = all as u32;
        let (mut starts, mut entries) = (&mut self.starts[..particles], &mut self.entries[..]);
        let (mut pages, mut first) = (Vec::with_capacity(slabs.len()), 0);
        for (slab, work) in slabs.iter().zip(work) {
            let (own_starts, rest) = starts.split_at_mut(slab.len());
            let (own, behind) = entries.split_at_mut(count(work));
            (starts, entries) = (rest, behind);
            pages.push(Page { particles: slab.clone(), first, starts: own_starts, entries: own, work });
            first += count(work) as u32;
        }
        parallel::for_each(&mut pages, threads, Page::fill);
    }
}

impl Page<'_> {
    fn fill(&mut self) {
        let first = self.particles.start;
        self.starts.fill(0);
        visit(self.work, |particle, _| self.starts[particle - first] += 1);
        let mut sum = 0;
        for start in self.starts.iter_mut() {
            sum += *start;
            *start = sum;
        }
        // Filled from behind: then each start ends up where its entries begin.
        visit(self.work, |particle, entry| {
            let start = &mut self.starts[particle - first];
            *start -= 1;
            self.entries[*start as usize] = entry();
        });
        self.starts.iter_mut().for_each(|start| *start += self.first);
    }
}

/// Calls `note` with the first particle of every contact of a slab, and with what makes the entry.
fn visit(work: &Work, mut note: impl FnMut(usize, &dyn Fn() -> Entry)) {
    for (pair, &seat) in work.pairs.iter().zip(&work.seats) {
        note(pair[0] as usize, &|| {
            let (push, hold) = Block::carried(&work.blocks, seat);
            Entry { other: pair[1], push, hold }
        });
    }
    for Touch { particle, slot, carried, .. } in &work.touches.fixed {
        note(*particle as usize, &|| Entry { other: WALL | slot, push: carried.push, hold: carried.hold });
    }
}
