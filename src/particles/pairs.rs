//! Which particles touch each other.

use super::grid::{Grid, Slab};
use super::memory::{Carried, Memory};
use super::swarm::Swarm;
use crate::impact::particle::Surfaces;
use crate::math::{Real, Vec3};
use crate::tolerances::PARTICLE_TOUCH;
use std::ops::Range;

/// Two particles that touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// The one that comes first in the grid.
    pub a: u32,
    pub b: u32,
    /// Unit normal from `b` to `a`.
    pub normal: Vec3,
    pub surfaces: Surfaces,
    pub carried: Carried,
}

/// Neighbours that pairs of one particle are told apart by; from this many on they stay together.
const RANKS: usize = 16;

/// Puts the first pairs of all particles before the second ones, and so on. An impact has to wait for the one before if they share
/// a particle: next to each other they then seldom do.
fn spread(pairs: &mut Vec<Pair>, room: &mut Vec<Pair>) {
    let mut starts = [0; RANKS + 1];
    let ranks = |pairs: &[Pair], visit: &mut dyn FnMut(usize, &Pair)| {
        for run in pairs.chunk_by(|p, q| p.a == q.a) {
            run.iter().enumerate().for_each(|(rank, pair)| visit(rank.min(RANKS - 1), pair));
        }
    };
    ranks(pairs, &mut |rank, _| starts[rank + 1] += 1);
    for rank in 0..RANKS {
        starts[rank + 1] += starts[rank];
    }
    if let Some(&any) = pairs.first() {
        room.clear();
        room.resize(pairs.len(), any);
        ranks(pairs, &mut |rank, pair| {
            room[starts[rank]] = *pair;
            starts[rank] += 1;
        });
        std::mem::swap(pairs, room);
    }
}

/// Lists the pairs of a slab: those whose first particle lies in it. Returns the deepest overlap, as a part of the sum of the
/// radii.
///
/// Contacts that are remembered, or approach no faster than `rest` (m/s), rest.
pub(super) fn find(
    grid: &Grid,
    slab: &Slab,
    swarm: &Swarm,
    memory: &Memory,
    rest: Real,
    [out, room]: [&mut Vec<Pair>; 2],
) -> Real {
    out.clear();
    let mut deepest = 0.0;
    let cells = &grid.cells;
    // Half of the neighbourhood: the rows behind the cell's own. Cells are in order of keys, so each row is followed by a
    // mark of its own that only moves on.
    let rows = [grid.row, grid.column - grid.row, grid.column, grid.column + grid.row];
    let first = cells[slab.cells.start].key;
    let mut marks = rows.map(|row| cells.partition_point(|cell| cell.key < first + row - 1));
    for k in slab.cells.clone() {
        let cell = cells[k];
        let own = cell.start as usize..cells[k + 1].start as usize;
        let next = if cells[k + 1].key == cell.key + 1 { k + 2 } else { k + 1 };
        let beside = own.end..cells[next].start as usize;
        let mut behind: [Range<usize>; 4] = Default::default();
        for ((mark, row), range) in marks.iter_mut().zip(rows).zip(&mut behind) {
            while cells[*mark].key < cell.key + row - 1 {
                *mark += 1;
            }
            let mut end = *mark;
            while cells[end].key <= cell.key + row + 1 {
                end += 1;
            }
            *range = cells[*mark].start as usize..cells[end].start as usize;
        }
        for a in own.clone() {
            let mut against = |others: Range<usize>| {
                let place = swarm.places[a];
                for (b, other) in others.clone().zip(&swarm.places[others]) {
                    let apart = place.position - other.position;
                    let reach = place.radius + other.radius;
                    let touching = reach * (1.0 + PARTICLE_TOUCH);
                    let squared = apart.length_squared();
                    if squared < touching * touching {
                        let distance = squared.sqrt();
                        deepest = (1.0 - distance / reach).max(deepest);
                        let normal = if distance > 0.0 { apart / distance } else { Vec3::Y };
                        let surfaces = swarm.surfaces(a, b);
                        let approach = normal.dot(swarm.motions[b].velocity - swarm.motions[a].velocity);
                        let new = if rest > 0.0 && approach <= rest { Carried::RESTS } else { Carried::default() };
                        let carried = memory.pair(swarm.id[a], swarm.id[b]).unwrap_or(new);
                        out.push(Pair { a: a as u32, b: b as u32, normal, surfaces, carried });
                    }
                }
            };
            against(a + 1..own.end);
            against(beside.clone());
            for range in &behind {
                against(range.clone());
            }
        }
    }
    spread(out, room);
    deepest
}
