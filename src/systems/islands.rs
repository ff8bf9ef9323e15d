//! Stage 6, **islands**: connected components of bodies by contacts and joints, and the contacts of
//! the step in their order.

use crate::bodies::Bodies;
use crate::contact::{Contact, ContactGraph, Status, reserve_one};
use crate::ids::NONE;
use crate::islands::{Island, Islands};
use crate::joints::Joints;
use crate::math::{Mat3, Vec3};
use crate::parallel::{MIN_CHUNK_LIGHT, WorkerPool};
use crate::quarantine::Quarantine;
use crate::state::State;
use crate::systems::waking;

/// Runs the stage.
pub fn run(state: &mut State) {
    waking::wake_touched(state);
    find(state);
}

/// Finds the islands of the awake bodies.
pub(crate) fn find(state: &mut State) {
    let State { bodies, contacts, islands, counts, colliders, joints, active_set, helpers, quarantine, .. } = state;
    let slots = bodies.slots();
    islands.clear(slots);
    collect(bodies, &colliders.body, (&active_set.pairs, helpers), quarantine, contacts, islands);
    collect_joints(bodies, quarantine, joints, islands);
    if contacts.contacts.is_empty() && joints.acting.is_empty() {
        // Nothing touches, or all that touches is asleep.
        (counts.islands, counts.manifolds, counts.points) = (0, 0, 0);
        return;
    }
    // Islands are numbered in order of their least slot, which is their root.
    for slot in active_set.bodies.iter().map(|&slot| slot as usize) {
        if islands.island_of[slot] == NONE {
            continue;
        }
        let root = islands.sets.find(slot as u32) as usize;
        if root == slot {
            islands.island_of[slot] = islands.islands.len() as u32;
            islands.islands.push(Island::default());
        } else {
            islands.island_of[slot] = islands.island_of[root];
        }
        islands.islands[islands.island_of[slot] as usize].bodies.1 += 1;
    }
    sort_bodies(&active_set.bodies, islands);
    sort_contacts(contacts, islands);
    sort_joints(bodies, joints, islands);
    counts.islands = islands.islands.len();
    counts.manifolds = contacts.contacts.len();
    count_points(contacts, islands, helpers);
    counts.points = islands.islands.iter().map(|island| island.points as usize).sum();
}

/// Counts the points of each island.
fn count_points(contacts: &ContactGraph, islands: &mut Islands, helpers: &WorkerPool) {
    let Islands { islands, chunk_points, .. } = islands;
    let list = islands.as_slice();
    // For each chunk of contacts: its islands, with their points in the chunk.
    let used = helpers.for_each_chunk_with(
        contacts.contacts.len(),
        chunk_points,
        MIN_CHUNK_LIGHT,
        &|share, chunk_points: &mut Vec<(u32, u32)>| {
            chunk_points.clear();
            let mut at = share.start;
            while at < share.end {
                let island = contacts.contacts[at].island;
                let end = share.end.min(list[island as usize].contacts.1 as usize);
                chunk_points.push((island, contacts.point_count(at..end) as u32));
                at = end;
            }
        },
    );
    for &(island, points) in chunk_points[..used].iter().flatten() {
        islands[island as usize].points += points;
    }
}

/// True if a slot is an active body; the world, which joints may name, is not.
fn is_active(bodies: &Bodies, slot: u32) -> bool {
    slot != NONE && bodies.is_active(slot as usize)
}

/// Marks the active bodies of a contact or joint as members of an island, and joins their sets.
fn join(islands: &mut Islands, ends: [Option<u32>; 2]) {
    for slot in ends.into_iter().flatten() {
        islands.island_of[slot as usize] = 0;
    }
    if let [Some(a), Some(b)] = ends {
        islands.sets.union(a, b);
    }
}

/// True if forces can move an active body: some axis is free.
fn is_movable(bodies: &Bodies, slot: u32) -> bool {
    is_active(bodies, slot)
        && (bodies.inverse_mass[slot as usize] != Vec3::ZERO || bodies.inverse_inertia[slot as usize] != Mat3::ZERO)
}

/// Collects the joints of the step by slot: those that hold, with at least one end that can move,
/// and without a held body; and the idle ones, whose awake bodies are all locked.
fn collect_joints(bodies: &Bodies, quarantine: &Quarantine, joints: &mut Joints, islands: &mut Islands) {
    let (mut acting, mut idle) = (std::mem::take(&mut joints.acting), std::mem::take(&mut joints.idle));
    acting.clear();
    idle.clear();
    acting.extend((0..joints.slots() as u32).filter(|&joint| {
        let sides = joints.bodies[joint as usize];
        let awake = joints.holds(joint as usize)
            && sides.iter().any(|&slot| is_active(bodies, slot))
            && !sides.iter().any(|&slot| quarantine.contains(slot));
        let acts = awake && sides.iter().any(|&slot| is_movable(bodies, slot));
        if awake && !acts {
            idle.push(joint);
        }
        if acts {
            join(islands, sides.map(|slot| Some(slot).filter(|&slot| is_active(bodies, slot))));
        }
        acts
    }));
    (joints.acting, joints.idle) = (acting, idle);
}

/// Collects the contacts of the step by pair: every manifold with points, at least one active body,
/// and no held one. Until the islands have numbers, each names one of its bodies instead.
fn collect(
    bodies: &Bodies,
    body_of: &[u32],
    (awake, helpers): (&[u32], &WorkerPool),
    quarantine: &Quarantine,
    contacts: &mut ContactGraph,
    islands: &mut Islands,
) {
    let mut chunks = std::mem::take(&mut islands.chunk_contacts);
    let graph = &*contacts;
    let used = helpers.for_each_chunk_with(awake.len(), &mut chunks, MIN_CHUNK_LIGHT, &|share, chunk| {
        collect_chunk((bodies, quarantine), body_of, &awake[share], graph, chunk);
    });
    for c in chunks[..used].iter().flatten() {
        join(islands, [c.a, c.b].map(|slot| Some(slot).filter(|&slot| bodies.is_active(slot as usize))));
    }
    let list = &mut contacts.contacts;
    if let [all] = &mut chunks[..used] {
        std::mem::swap(list, all);
    } else {
        list.clear();
        list.reserve_exact(chunks[..used].iter().map(Vec::len).sum());
        chunks[..used].iter().for_each(|chunk| list.extend_from_slice(chunk));
    }
    islands.chunk_contacts = chunks;
}

/// Lists the contacts of a chunk of the pairs.
fn collect_chunk(
    (bodies, quarantine): (&Bodies, &Quarantine),
    body_of: &[u32],
    awake: &[u32],
    graph: &ContactGraph,
    list: &mut Vec<Contact>,
) {
    let ContactGraph { pairs, status, manifold_index: places, records, composites, .. } = graph;
    list.clear();
    let Some(&first) = awake.first() else { return };
    // The manifolds of composites lie behind those of the pairs, in the order of pairs.
    let (before, behind) = composites.split_at(composites.partition_point(|c| c.pair < first));
    let mut part = (records.len() + before.iter().map(|c| c.parts.len()).sum::<usize>()) as u32;
    let mut composites = behind.iter().peekable();
    for &number in awake {
        let status = status[number as usize];
        if !status.has(Status::ACTIVE) {
            continue;
        }
        let pair = pairs[number as usize];
        let [a, b] = [pair.a, pair.b].map(|collider| body_of[collider as usize]);
        let record = places[number as usize];
        let parts = if status.has(Status::COMPOSITE) {
            while let Some(before) = composites.next_if(|c| c.pair < number) {
                part += before.parts.len() as u32;
            }
            part..part + composites.peek().map_or(0, |c| c.parts.len() as u32)
        } else {
            record..record + 1
        };
        let member = [a, b].into_iter().find(|&slot| bodies.is_active(slot as usize));
        if let Some(member) = member.filter(|_| !quarantine.contains(a) && !quarantine.contains(b)) {
            for manifold in parts {
                reserve_one(list);
                list.push(Contact { a, b, pair: number, manifold, island: member, record });
            }
        }
    }
}

/// Sorts the bodies by island, in order of slots (a counting sort; the counts are known).
fn sort_bodies(active: &[u32], islands: &mut Islands) {
    let mut next = 0;
    for island in &mut islands.islands {
        let count = island.bodies.1;
        island.bodies = (next, next);
        next += count;
    }
    islands.bodies.resize(next as usize, 0);
    for &slot in active {
        if let Some(island) = islands.islands.get_mut(islands.island_of[slot as usize] as usize) {
            let end = &mut island.bodies.1;
            islands.bodies[*end as usize] = slot;
            *end += 1;
        }
    }
}

/// Sorts the contacts by island, keeping the order of pairs within each.
fn sort_contacts(contacts: &mut ContactGraph, islands: &mut Islands) {
    for c in &mut contacts.contacts {
        c.island = islands.island_of[c.island as usize];
        islands.islands[c.island as usize].contacts.1 += 1;
    }
    let mut next = 0;
    for island in &mut islands.islands {
        let count = island.contacts.1;
        island.contacts = (next, next);
        next += count;
    }
    if islands.islands.len() > 1 && !contacts.contacts.is_empty() {
        contacts.sorted.clear();
        contacts.sorted.reserve_exact(contacts.contacts.len());
        contacts.sorted.resize(contacts.contacts.len(), contacts.contacts[0]);
        for c in &contacts.contacts {
            let end = &mut islands.islands[c.island as usize].contacts.1;
            contacts.sorted[*end as usize] = *c;
            *end += 1;
        }
        std::mem::swap(&mut contacts.contacts, &mut contacts.sorted);
    } else if let Some(island) = islands.islands.first_mut() {
        island.contacts.1 = next;
    }
}

/// Sorts the joints by island, keeping the order of slots within each.
fn sort_joints(bodies: &Bodies, joints: &mut Joints, islands: &mut Islands) {
    let Joints { acting, sorted, bodies: ends, .. } = joints;
    let island = |joint: u32| {
        let [a, b] = ends[joint as usize];
        islands.island_of[if is_active(bodies, a) { a } else { b } as usize] as usize
    };
    for &joint in acting.iter() {
        islands.islands[island(joint)].joints.1 += 1;
    }
    let mut next = 0;
    for island in &mut islands.islands {
        let count = island.joints.1;
        island.joints = (next, next);
        next += count;
    }
    sorted.resize(acting.len(), 0);
    for &joint in acting.iter() {
        let end = &mut islands.islands[island(joint)].joints.1;
        sorted[*end as usize] = joint;
        *end += 1;
    }
    std::mem::swap(acting, sorted);
}
