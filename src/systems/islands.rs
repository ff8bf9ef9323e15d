//! Stage 6, **islands**: which bodies hang together, and the contacts of the step in their order.

use crate::bodies::Bodies;
use crate::contact::{Contact, ContactGraph, Status, make_room};
use crate::index::NONE;
use crate::islands::{Island, Islands};
use crate::joints::Joints;
use crate::parallel::{Helpers, LOOKED_AT};
use crate::systems::state::State;
use crate::systems::waking;

/// Runs the stage.
pub fn run(state: &mut State) {
    waking::wake_touched(state);
    let State { bodies, contacts, islands, counts, colliders, joints, awake, helpers, .. } = state;
    let slots = bodies.slots();
    islands.clear(slots);
    islands.sets.reset(slots);
    collect(bodies, &colliders.body, (&awake.pairs, helpers), contacts, islands);
    collect_joints(bodies, joints, islands);
    if contacts.contacts.is_empty() && joints.acting.is_empty() {
        // Nothing touches, or all that does is parked.
        (counts.islands, counts.manifolds, counts.points) = (0, 0, 0);
        return;
    }
    // Islands are numbered by their least slot, which is their root.
    for slot in 0..slots {
        if islands.of[slot] == NONE {
            continue;
        }
        let root = islands.sets.find(slot as u32) as usize;
        if root == slot {
            islands.of[slot] = islands.islands.len() as u32;
            islands.islands.push(Island::default());
        } else {
            islands.of[slot] = islands.of[root];
        }
        islands.islands[islands.of[slot] as usize].bodies.1 += 1;
    }
    sort_bodies(islands);
    sort_contacts(contacts, islands);
    sort_joints(bodies, joints, islands);
    counts.islands = islands.islands.len();
    counts.manifolds = contacts.contacts.len();
    count_points(contacts, islands, helpers);
    counts.points = islands.islands.iter().map(|island| island.points as usize).sum();
}

/// Counts the points of each island.
fn count_points(contacts: &ContactGraph, islands: &mut Islands, helpers: &Helpers) {
    let Islands { islands, counted, .. } = islands;
    let list = islands.as_slice();
    // Of each share the islands that it has contacts of, and their points there.
    let used =
        helpers.in_shares(contacts.contacts.len(), counted, LOOKED_AT, &|share, counted: &mut Vec<(u32, u32)>| {
            counted.clear();
            let mut at = share.start;
            while at < share.end {
                let island = contacts.contacts[at].island;
                let end = share.end.min(list[island as usize].contacts.1 as usize);
                counted.push((island, contacts.points(at..end) as u32));
                at = end;
            }
        });
    for &(island, points) in counted[..used].iter().flatten() {
        islands[island as usize].points += points;
    }
}

/// Whether a slot is a body that moves and is awake; the world, which joints may name, is not.
fn is_active(bodies: &Bodies, slot: u32) -> bool {
    slot != NONE && bodies.is_active(slot as usize)
}

/// Marks the bodies of a contact or joint that are active as bodies of some island, and joins their sets.
fn join(islands: &mut Islands, ends: [Option<u32>; 2]) {
    for slot in ends.into_iter().flatten() {
        islands.of[slot as usize] = 0;
    }
    if let [Some(a), Some(b)] = ends {
        islands.sets.union(a, b);
    }
}

/// The joints of the step by slot: those that hold, of which at least one body is active.
fn collect_joints(bodies: &Bodies, joints: &mut Joints, islands: &mut Islands) {
    let mut acting = std::mem::take(&mut joints.acting);
    acting.clear();
    acting.extend((0..joints.slots() as u32).filter(|&joint| {
        let ends = joints.bodies[joint as usize].map(|slot| Some(slot).filter(|&slot| is_active(bodies, slot)));
        let acts = ends != [None; 2] && joints.holds(joint as usize);
        if acts {
            join(islands, ends);
        }
        acts
    }));
    joints.acting = acting;
}

/// The contacts of the step by pair: every manifold with points of which at least one body is active. Until the islands have
/// numbers, each names one of its bodies instead.
fn collect(
    bodies: &Bodies,
    body_of: &[u32],
    (awake, helpers): (&[u32], &Helpers),
    contacts: &mut ContactGraph,
    islands: &mut Islands,
) {
    let mut books = std::mem::take(&mut islands.books);
    let graph = &*contacts;
    let used = helpers.in_shares(awake.len(), &mut books, LOOKED_AT, &|share, book| {
        collect_share(bodies, body_of, &awake[share], graph, book);
    });
    for c in books[..used].iter().flatten() {
        join(islands, [c.a, c.b].map(|slot| Some(slot).filter(|&slot| bodies.is_active(slot as usize))));
    }
    let list = &mut contacts.contacts;
    if let [all] = &mut books[..used] {
        std::mem::swap(list, all);
    } else {
        list.clear();
        list.reserve_exact(books[..used].iter().map(Vec::len).sum());
        books[..used].iter().for_each(|book| list.extend_from_slice(book));
    }
    islands.books = books;
}

/// Lists the contacts of some pairs.
fn collect_share(bodies: &Bodies, body_of: &[u32], awake: &[u32], graph: &ContactGraph, list: &mut Vec<Contact>) {
    let ContactGraph { pairs, status, places, records, composites, .. } = graph;
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
        if let Some(member) = member {
            for manifold in parts {
                make_room(list);
                list.push(Contact { a, b, pair: number, manifold, island: member, record });
            }
        }
    }
}

/// Lays the bodies of each island, which are counted, side by side, in order of slots (a counting sort).
fn sort_bodies(islands: &mut Islands) {
    let mut next = 0;
    for island in &mut islands.islands {
        let count = island.bodies.1;
        island.bodies = (next, next);
        next += count;
    }
    islands.bodies.resize(next as usize, 0);
    for (slot, &island) in islands.of.iter().enumerate().filter(|(_, island)| **island != NONE) {
        let end = &mut islands.islands[island as usize].bodies.1;
        islands.bodies[*end as usize] = slot as u32;
        *end += 1;
    }
}

/// Sorts the contacts by island, keeping the order of pairs within each.
fn sort_contacts(contacts: &mut ContactGraph, islands: &mut Islands) {
    for c in &mut contacts.contacts {
        c.island = islands.of[c.island as usize];
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
        islands.of[if is_active(bodies, a) { a } else { b } as usize] as usize
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
