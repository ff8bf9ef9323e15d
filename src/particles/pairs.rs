//! Which particles touch each other.

use super::grid::{Grid, Slab};
use super::swarm::Eight;
use crate::solver::lanes::{Kernel, Lane, WIDTH};
use crate::tolerances::PARTICLE_TOUCH;
use std::ops::Range;

/// Two particles that touch, by their numbers: first the one that comes first in the grid.
pub(super) type Pair = [u32; 2];

/// Lists the pairs of a slab: those whose first particle lies in it, in its order.
pub(super) struct Search<'a> {
    pub grid: &'a Grid,
    pub slab: &'a Slab,
    pub eights: &'a [Eight],
    pub out: &'a mut Vec<Pair>,
}

impl Kernel for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { grid, slab, eights, out } = self;
        out.clear();
        let cells = &grid.cells;
        // Half of the neighbourhood: the rows behind the cell's own. Cells are in order of keys, so each row is followed by a
        // mark of its own that only moves on.
        let rows = [grid.row, grid.column - grid.row, grid.column, grid.column + grid.row];
        let mut marks = [0; 4];
        for (mark, row) in marks.iter_mut().zip(rows) {
            *mark = grid.first_from(cells[slab.cells.start].key + row - 1);
        }
        for k in slab.cells.clone() {
            let cell = cells[k];
            let end = cells[k + 1].start as usize;
            let next = if cells[k + 1].key == cell.key + 1 { k + 2 } else { k + 1 };
            // The cell's own and the next one's follow each other.
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
                let own = Own::<L>::new(eights, a);
                own.against(eights, a + 1..beside, out);
                for range in &behind {
                    own.against(eights, range.clone(), out);
                }
            }
        }
    }
}

/// A particle in every lane.
#[derive(Clone, Copy)]
struct Own<L> {
    number: u32,
    x: L,
    y: L,
    z: L,
    radius: L,
}

impl<L: Lane> Own<L> {
    #[inline(always)]
    fn new(eights: &[Eight], number: usize) -> Self {
        let (eight, lane) = (&eights[number / WIDTH], number % WIDTH);
        Self {
            number: number as u32,
            x: L::splat(eight.x.0[lane]),
            y: L::splat(eight.y.0[lane]),
            z: L::splat(eight.z.0[lane]),
            radius: L::splat(eight.radius.0[lane]),
        }
    }

    /// Lists which of a run of particles it touches.
    #[inline(always)]
    fn against(self, eights: &[Eight], run: Range<usize>, out: &mut Vec<Pair>) {
        if run.is_empty() {
            return;
        }
        let rows = run.start / WIDTH..=(run.end - 1) / WIDTH;
        for (k, eight) in rows.clone().zip(&eights[rows]) {
            let first = k * WIDTH;
            let (from, to) = (run.start.saturating_sub(first), (run.end - first).min(WIDTH));
            let mut touching = self.near(eight) & (0xff << from) & (0xff >> (WIDTH - to));
            while touching != 0 {
                out.push([self.number, first as u32 + touching.trailing_zeros()]);
                touching &= touching - 1;
            }
        }
    }

    /// Which of eight particles it touches, as bits.
    #[inline(always)]
    fn near(self, eight: &Eight) -> u32 {
        let mut bits = 0;
        let mut o = 0;
        while o < WIDTH {
            let (x, y, z) =
                (self.x - L::load(&eight.x, o), self.y - L::load(&eight.y, o), self.z - L::load(&eight.z, o));
            let reach = (self.radius + L::load(&eight.radius, o)) * L::splat(1.0 + PARTICLE_TOUCH);
            bits |= L::bits((reach * reach).gt(x * x + y * y + z * z)) << o;
            o += L::N;
        }
        bits
    }
}
