//! The islands of the account.

use crate::energy::{EnergyAccount, IslandEnergy};
use crate::ids::NONE;
use crate::islands::DisjointSets;
use crate::state::State;
use std::ops::Range;

/// Buffers kept between steps.
#[derive(Default)]
pub(super) struct IslandLists {
    /// Bodies by island: those of the islands, then each in free flight.
    sets: DisjointSets,
    /// The number of a root's island, and the place in the list behind its bodies so far.
    number: Vec<u32>,
    ends: Vec<usize>,
}

/// Lists the bodies by island; impacts of continuous collision detection connect islands.
pub(super) fn list_islands(
    state: &State,
    lists: &mut IslandLists,
    collisions: &[[u32; 2]],
    account: &mut EnergyAccount,
) {
    let State { bodies, islands, settings, .. } = state;
    let IslandLists { sets, number, ends } = lists;
    let EnergyAccount { islands: list, bodies: members } = account;
    let mut push = |range: Range<usize>| list.push(IslandEnergy { bodies: range, ..IslandEnergy::default() });
    // A body in free flight has no motion but the common one: only the account asks for it.
    let flies = |slot: usize| islands.island_of[slot] == NONE && bodies.is_active(slot);
    if collisions.is_empty() {
        members.extend_from_slice(&islands.bodies);
        islands.islands.iter().for_each(|island| push(island.body_range()));
        if settings.energy_tolerance.is_some() {
            for slot in (0..bodies.slots()).filter(|&slot| flies(slot)) {
                members.push(slot as u32);
                push(members.len() - 1..members.len());
            }
        }
        return;
    }
    sets.reset(bodies.slots());
    for island in &islands.islands {
        let of_it = &islands.bodies[island.body_range()];
        of_it.iter().for_each(|&slot| sets.union(of_it[0], slot));
    }
    for &[a, b] in collisions.iter().filter(|pair| pair.iter().all(|&slot| bodies.is_active(slot as usize))) {
        sets.union(a, b);
    }
    // By root, which is the least slot: sizes first, then places.
    number.clear();
    number.resize(bodies.slots(), NONE);
    ends.clear();
    for slot in (0..bodies.slots()).filter(|&slot| bodies.is_active(slot)) {
        let root = sets.find(slot as u32) as usize;
        if number[root] == NONE {
            number[root] = ends.len() as u32;
            ends.push(0);
        }
        ends[number[root] as usize] += 1;
    }
    let mut first = 0;
    for end in ends.iter_mut() {
        push(first..first + *end);
        first += std::mem::replace(end, first);
    }
    members.resize(first, NONE);
    for slot in (0..bodies.slots()).filter(|&slot| bodies.is_active(slot)) {
        let end = &mut ends[number[sets.find(slot as u32) as usize] as usize];
        members[*end] = slot as u32;
        *end += 1;
    }
}
