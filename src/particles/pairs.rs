//! Finds the pairs of touching particles.

use super::grid::{Grid, Slab};
use super::particle_set::PositionBlock;
use crate::solver::simd::{Simd, SimdKernel, WIDTH};
use crate::tolerances::PARTICLES;
use std::ops::Range;

/// The numbers of two touching particles, in grid order.
pub(super) type Pair = [u32; 2];

/// Lists the pairs whose first particle is in a slab, in the slab's order.
pub(super) struct PairSearch<'a> {
    pub grid: &'a Grid,
    pub slab: &'a Slab,
    pub blocks: &'a [PositionBlock],
    pub out: &'a mut Vec<Pair>,
}

impl SimdKernel for PairSearch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Simd>(self) {
        let Self { grid, slab, blocks, out } = self;
        out.clear();
        let cells = &grid.cells;
        // Half of the neighbourhood: the later rows. Cells are ordered by key, so that each of
        // these rows is followed by a cursor that only advances.
        let rows = [grid.row, grid.column - grid.row, grid.column, grid.column + grid.row];
        let mut marks = [0; 4];
        for (mark, row) in marks.iter_mut().zip(rows) {
            *mark = grid.first_from(cells[slab.cells.start].key + row - 1);
        }
        for k in slab.cells.clone() {
            let cell = cells[k];
            let end = cells[k + 1].start as usize;
            let next = if cells[k + 1].key == cell.key + 1 { k + 2 } else { k + 1 };
            // The cell's particles and those of the next cell in the row are adjacent.
            let beside = cells[next].start as usize;
            let mut behind: [Range<usize>; 4] = [0..0, 0..0, 0..0, 0..0];
            for ((mark, row), range) in marks.iter_mut().zip(rows).zip(&mut behind) {
                while cells[*mark].key < cell.key + row - 1 {
                    *mark += 1;
                }
                let mut last = *mark;
                while cells[last].key <= cell.key + row + 1 {
                    last += 1;
                }
                *range = cells[*mark].start as usize..cells[last].start as usize;
            }
            for a in cell.start as usize..end {
                let own = SplatParticle::<L>::new(blocks, a);
                own.list_touching(blocks, a + 1..beside, out);
                for range in &behind {
                    own.list_touching(blocks, range.clone(), out);
                }
            }
        }
    }
}

/// One particle, copied to all lanes.
#[derive(Clone, Copy)]
struct SplatParticle<L> {
    number: u32,
    x: L,
    y: L,
    z: L,
    radius: L,
}

impl<L: Simd> SplatParticle<L> {
    #[inline(always)]
    fn new(blocks: &[PositionBlock], number: usize) -> Self {
        let (block, lane) = (&blocks[number / WIDTH], number % WIDTH);
        Self {
            number: number as u32,
            x: L::splat(block.x.0[lane]),
            y: L::splat(block.y.0[lane]),
            z: L::splat(block.z.0[lane]),
            radius: L::splat(block.radius.0[lane]),
        }
    }

    /// Appends the pairs with the particles of a range that it touches.
    #[inline(always)]
    fn list_touching(self, blocks: &[PositionBlock], run: Range<usize>, out: &mut Vec<Pair>) {
        if run.is_empty() {
            return;
        }
        let rows = run.start / WIDTH..=(run.end - 1) / WIDTH;
        for (k, block) in rows.clone().zip(&blocks[rows]) {
            let first = k * WIDTH;
            let (from, to) = (run.start.saturating_sub(first), (run.end - first).min(WIDTH));
            let mut touching = self.near(block) & (0xff << from) & (0xff >> (WIDTH - to));
            while touching != 0 {
                out.push([self.number, first as u32 + touching.trailing_zeros()]);
                touching &= touching - 1;
            }
        }
    }

    /// Bit mask of the particles of a block that it touches.
    #[inline(always)]
    fn near(self, block: &PositionBlock) -> u32 {
        let mut bits = 0;
        let mut o = 0;
        while o < WIDTH {
            let (x, y, z) =
                (self.x - L::load(&block.x, o), self.y - L::load(&block.y, o), self.z - L::load(&block.z, o));
            let reach = (self.radius + L::load(&block.radius, o)) * L::splat(1.0 + PARTICLES.touch);
            bits |= L::bits((reach * reach).gt(x * x + y * y + z * z)) << o;
            o += L::N;
        }
        bits
    }
}
