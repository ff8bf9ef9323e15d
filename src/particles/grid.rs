//! Broad phase of particles: a uniform grid.
//!
//! Particles are sorted by cell, so that a cell, and a row of cells, is a range of every array. The
//! order within a cell depends on the particles' data. Columns of cells lie across the longest
//! axis, and consecutive columns form **slabs** of about a thousand particles. The contacts of a
//! slab refer to particles of the slab and of the next one, so that every second slab can be solved
//! in parallel. Slabs depend on the particles alone, not on the number of threads.

use super::particle_set::ParticleSet;
use crate::math::{DVec3, Real, Vec3, to_f64};
use crate::parallel;
use crate::tolerances::PARTICLE_CELL;
use std::ops::Range;

/// Least number of particles per slab, the work item of a thread. Smaller: synchronisation. Larger:
/// too few items. It determines the order of contacts: another value gives other bits.
const PARTICLE_SLAB: usize = 1024;

/// Index of the last grid cell along each axis; all particles beyond it share that cell, which is
/// slow but misses no contact. Larger: keys exceed 63 bits.
const PARTICLE_CELLS: f64 = 1_048_575.0;

/// Particles per task of finding cells.
const PIECE: usize = 4096;

/// A non-empty cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// Its index in the grid, ordered by column, row, cell.
    pub key: u64,
    /// Index of its first particle.
    pub start: u32,
}

/// Neighbouring columns of cells.
#[derive(Clone, Debug)]
pub(crate) struct Slab {
    pub cells: Range<usize>,
    pub particles: Range<usize>,
}

/// The grid of one step.
#[derive(Default)]
pub(crate) struct Grid {
    /// The non-empty cells in order, and a sentinel.
    pub cells: Vec<Cell>,
    pub slabs: Vec<Slab>,
    /// Difference of keys from one column to the next.
    pub column: u64,
    /// Difference of keys from one row to the next.
    pub row: u64,
    order: Vec<(u64, u32)>,
    room: Vec<(u64, u32)>,
}

impl Grid {
    /// Sorts the particles into cells of the largest diameter, and makes the slabs.
    pub(crate) fn build(&mut self, particle_set: &mut ParticleSet, threads: usize) {
        self.keys(particle_set, threads);
        sort(&mut self.order, &mut self.room);
        self.cells.clear();
        self.slabs.clear();
        let mut start = 0;
        for run in self.order.chunk_by_mut(|a, b| a.0 == b.0) {
            if run.len() > 1 {
                run.sort_unstable_by(|a, b| particle_set.compare(a.1, b.1));
            }
            self.cells.push(Cell { key: run[0].0, start: start as u32 });
            start += run.len();
        }
        self.cells.push(Cell { key: u64::MAX, start: start as u32 });
        particle_set.permute(&self.order, threads);
        self.cut();
    }

    /// Index in [`cells`](Self::cells) of the first cell with at least this key.
    pub(crate) fn first_from(&self, key: u64) -> usize {
        self.cells.partition_point(|cell| cell.key < key)
    }

    fn keys(&mut self, particle_set: &ParticleSet, threads: usize) {
        let far = Vec3::splat(Real::MAX);
        let (mut mins, mut maxs, mut radius) = (far, -far, 0.0 as Real);
        for place in &particle_set.places {
            mins = mins.min(place.position);
            maxs = maxs.max(place.position);
            radius = radius.max(place.radius);
        }
        let size = 2.0 * f64::from(radius * PARTICLE_CELL);
        let (first, rate) = (to_f64(mins), 1.0 / size);
        let cell = |p: Vec3| ((to_f64(p) - first) * rate).min(DVec3::splat(PARTICLE_CELLS)).floor();
        let count = cell(maxs);
        // Columns across the longest axis are the most numerous.
        let longest = (0..3).fold(0, |best, k| if count[k] > count[best] { k } else { best });
        let [x, y, z] = [longest, (longest + 1) % 3, (longest + 2) % 3];
        // An empty row and an empty cell at each border, so that neighbours beyond it are empty.
        self.row = count[z] as u64 + 3;
        self.column = self.row * (count[y] as u64 + 3);
        self.order.resize(particle_set.len(), (0, 0));
        let (row, column) = (self.row, self.column);
        let pieces = self.order.chunks_mut(PIECE).zip(particle_set.places.chunks(PIECE)).enumerate();
        parallel::for_each(&mut pieces.collect::<Vec<_>>(), threads, |(piece, (order, places))| {
            for (i, (item, place)) in order.iter_mut().zip(*places).enumerate() {
                let at = cell(place.position);
                let key = (at[x] as u64 + 1) * column + (at[y] as u64 + 1) * row + at[z] as u64 + 1;
                *item = (key, (*piece * PIECE + i) as u32);
            }
        });
    }

    fn cut(&mut self) {
        let cells = self.cells.len() - 1;
        let mut start = 0;
        for end in 1..=cells {
            let particles = self.cells[start].start as usize..self.cells[end].start as usize;
            let last = end == cells;
            let whole = last || self.cells[end].key / self.column != self.cells[end - 1].key / self.column;
            if last || whole && particles.len() >= PARTICLE_SLAB {
                self.slabs.push(Slab { cells: start..end, particles });
                start = end;
            }
        }
    }
}

/// Bits per digit of the radix sort.
const RADIX: u32 = 11;

/// Stable radix sort by key.
fn sort(order: &mut Vec<(u64, u32)>, room: &mut Vec<(u64, u32)>) {
    let bits = u64::BITS - order.iter().fold(0, |all, (key, _)| all | key).leading_zeros();
    room.clear();
    room.resize(order.len(), (0, 0));
    for shift in (0..bits).step_by(RADIX as usize) {
        let digit = |key: u64| (key >> shift) as usize & ((1 << RADIX) - 1);
        let mut starts = [0_u32; 1 << RADIX];
        for &(key, _) in order.iter() {
            starts[digit(key)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += std::mem::replace(start, sum);
        }
        for &item in order.iter() {
            let to = &mut starts[digit(item.0)];
            room[*to as usize] = item;
            *to += 1;
        }
        std::mem::swap(order, room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sort_is_a_stable_sort_by_key() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 20
        };
        for bits in [3, 11, 12, 25, 44] {
            let mut ours: Vec<(u64, u32)> = (0..5000).map(|i| (next() & ((1 << bits) - 1), i)).collect();
            let mut expected = ours.clone();
            expected.sort();
            sort(&mut ours, &mut Vec::new());
            assert_eq!(ours, expected);
        }
    }
}
