//! Pairs of colliders: they begin when two enlarged boxes meet, and end when these part, or one of the two goes or changes.

use super::BroadPhase;
use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::contact::kernels::PairKernels;
use crate::contact::{ContactGraph, ContactHooks, Status};
use crate::event::Event;
use crate::index::NONE;
use crate::kept::stamp;
use crate::math::Vec3;
use crate::math::parry::bounding_volume::BoundingVolume;
use crate::parallel::LOOKED_AT;
use crate::systems::state::{Changes, State};
use hecs::{Entity, World};

/// A pair that ended.
pub(super) struct Ended {
    slots: [u32; 2],
    entities: [Entity; 2],
    status: Status,
    memory: u32,
}

/// Takes out what is gone, and what must be seen as new.
pub(super) fn forget(state: &mut State, broad: &mut BroadPhase) {
    broad.tree.make_room(state.bodies.slots());
    let Changes { removed, reshaped, refreshed, .. } = &state.changes;
    if removed.is_empty() && reshaped.is_empty() && refreshed.is_empty() {
        return;
    }
    let stamp = stamp();
    let mut is_refreshed = vec![false; state.bodies.slots()];
    for &slot in refreshed {
        is_refreshed[slot as usize] = true;
        // The box is looked at again.
        state.colliders.fat_until[slot as usize] = f64::MIN;
        state.colliders.boxed[slot as usize] = stamp;
    }
    let mut gone = vec![None; state.bodies.slots()];
    for &slot in &state.changes.reshaped {
        gone[slot as usize] = Some(state.bodies.entity[slot as usize]);
    }
    // A slot that was given to a newcomer at once still owes the old entity's last events.
    for &(slot, entity) in &state.changes.removed {
        gone[slot as usize] = Some(entity);
    }
    for pair in 0..state.contacts.pairs.len() {
        let p = state.contacts.pairs[pair];
        if p.a == NONE || state.contacts.status[pair].has(Status::SOURCE) {
            continue;
        }
        let [a, b] = [p.a as usize, p.b as usize];
        if gone[a].is_none() && gone[b].is_none() {
            if is_refreshed[a] || is_refreshed[b] {
                refresh_pair(&mut state.contacts, &state.colliders, pair);
            }
            continue;
        }
        let entity = |slot: u32| gone[slot as usize].unwrap_or(state.bodies.entity[slot as usize]);
        end_pair(&mut state.contacts, &mut broad.ended, pair, [entity(p.a), entity(p.b)]);
    }
    for slot in (0..gone.len()).filter(|&slot| gone[slot].is_some()) {
        broad.tree.remove(slot as u32);
        state.colliders.fat_until[slot] = f64::NEG_INFINITY;
        state.colliders.boxed[slot] = stamp;
    }
    state.contacts.sweep_composites();
}

/// Takes the surfaces of a pair as they are now, and lets it be collided again.
fn refresh_pair(contacts: &mut ContactGraph, colliders: &Colliders, pair: usize) {
    let [a, b] = [contacts.pairs[pair].a, contacts.pairs[pair].b].map(|slot| slot as usize);
    contacts.status[pair].set(Status::CCD, colliders.ccd[a] || colliders.ccd[b]);
    if let Some(record) = contacts.record_mut(pair) {
        record.material = colliders.material[a].with(&colliders.material[b]);
        record.surface_velocity = Vec3::ZERO;
    }
    contacts.doubt(pair);
}

/// Removes a pair.
fn end_pair(contacts: &mut ContactGraph, ended: &mut Vec<Ended>, pair: usize, entities: [Entity; 2]) {
    let (status, memory) = (contacts.status[pair], contacts.looks[pair].memory);
    if status.has(Status::TOUCHED) || memory != 0 {
        let slots = [contacts.pairs[pair].a, contacts.pairs[pair].b];
        ended.push(Ended { slots, entities, status, memory });
    }
    contacts.remove(pair);
}

/// Tells of pairs that ended. Where the same two were paired again at once, because one of them changed its shape, the new
/// pair goes on as the old one, and whether they still touch is for the narrow phase to say.
pub(super) fn tell_ended(state: &mut State, ended: &mut Vec<Ended>) {
    let State { bodies, contacts, events, .. } = state;
    for Ended { slots: [a, b], entities, status, memory } in ended.drain(..) {
        let sensor = status.has(Status::SENSOR);
        let same = [a, b].map(|slot| bodies.entity[slot as usize]) == entities;
        let again = contacts.find(a, b).filter(|&pair| same && contacts.status[pair].has(Status::SENSOR) == sensor);
        if let Some(pair) = again {
            contacts.looks[pair].memory = memory;
            contacts.status[pair].set(Status::TOUCHED, status.has(Status::TOUCHED));
        } else if status.has(Status::TOUCHED) {
            events.push(if sensor { Event::SensorLeft { entities } } else { Event::ContactEnded { entities } });
        }
    }
}

/// Asks the filters about every pair there is, and looks for its kernel: one or the other is new.
pub(super) fn ask_again(
    world: &World,
    state: &mut State,
    ended: &mut Vec<Ended>,
    kernels: &PairKernels,
    hooks: &ContactHooks,
) {
    let State { bodies, colliders, contacts, .. } = state;
    for pair in 0..contacts.pairs.len() {
        let p = contacts.pairs[pair];
        if p.a == NONE || contacts.status[pair].has(Status::SOURCE) {
            continue;
        }
        let entities = [p.a, p.b].map(|slot| bodies.entity[slot as usize]);
        let status = first_status(colliders, kernels, p.a as usize, p.b as usize);
        let composite = status.has(Status::COMPOSITE) != contacts.status[pair].has(Status::COMPOSITE);
        if composite || !hooks.may_meet(world, entities) {
            end_pair(contacts, ended, pair, entities);
        } else {
            contacts.doubt(pair);
        }
    }
}

/// Ends pairs whose boxes have parted.
pub(super) fn drop_parted(state: &mut State, broad: &mut BroadPhase) {
    let State { bodies, colliders, contacts, awake, helpers, .. } = state;
    let mut books = std::mem::take(&mut broad.parted);
    let (graph, fat, tree) = (&*contacts, &colliders.fat, &broad.tree);
    // Only boxes of awake bodies change.
    let used = helpers.in_shares(awake.pairs.len(), &mut books, LOOKED_AT, &|share, parted| {
        parted.clear();
        let has_parted = |&&number: &&u32| {
            let (pair, status) = (&graph.pairs[number as usize], graph.status[number as usize]);
            pair.a != NONE
                && !status.has(Status::SOURCE)
                && (tree.is_changed(pair.a) || tree.is_changed(pair.b))
                && !fat[pair.a as usize].intersects(&fat[pair.b as usize])
        };
        parted.extend(awake.pairs[share].iter().filter(has_parted));
    });
    for &pair in books[..used].iter().flatten() {
        let p = contacts.pairs[pair as usize];
        let entities = [p.a, p.b].map(|slot| bodies.entity[slot as usize]);
        end_pair(contacts, &mut broad.ended, pair as usize, entities);
    }
    broad.parted = books;
}

pub(super) fn add_pairs(
    world: &World,
    state: &mut State,
    broad: &BroadPhase,
    kernels: &PairKernels,
    hooks: &ContactHooks,
) {
    let State { bodies, colliders, contacts, joints, .. } = state;
    for &(a, b) in broad.tree.candidates() {
        let joined = joints.keeps_apart(colliders.body[a as usize] as usize, colliders.body[b as usize] as usize);
        if joined || !may_meet(bodies, colliders, a as usize, b as usize) || contacts.find(a, b).is_some() {
            continue;
        }
        if !hooks.may_meet(world, [a, b].map(|slot| bodies.entity[slot as usize])) {
            continue;
        }
        let status = first_status(colliders, kernels, a as usize, b as usize);
        let material = colliders.material[a as usize].with(&colliders.material[b as usize]);
        contacts.insert(a, b, material, status);
    }
    contacts.sort_composites();
}

fn may_meet(bodies: &Bodies, colliders: &Colliders, a: usize, b: usize) -> bool {
    let (body_a, body_b) = (colliders.body[a] as usize, colliders.body[b] as usize);
    if !colliders.is_live(a) || !colliders.is_live(b) || body_a == body_b {
        return false;
    }
    let felt = colliders.sensor[a] || colliders.sensor[b];
    let moves = |kind: Kind| if felt { kind != Kind::Static } else { kind == Kind::Dynamic };
    (moves(bodies.kind[body_a]) || moves(bodies.kind[body_b]))
        && colliders.layers[a].meets(colliders.layers[b])
        && colliders.fat[a].intersects(&colliders.fat[b])
}

fn first_status(colliders: &Colliders, kernels: &PairKernels, a: usize, b: usize) -> Status {
    let [shape_a, shape_b] = [a, b].map(|slot| colliders.geometry[slot].as_ref().expect("a live collider has a shape"));
    let mut status = Status::default();
    status.set(Status::SENSOR, colliders.sensor[a] || colliders.sensor[b]);
    let kernel = !kernels.is_empty() && shape_a.with_shape(|a| shape_b.with_shape(|b| kernels.has(a, b)));
    status.set(Status::COMPOSITE, kernel || shape_a.is_composite() || shape_b.is_composite());
    status.set(Status::ROUND, shape_a.is_round() || shape_b.is_round());
    status.set(Status::CCD, colliders.ccd[a] || colliders.ccd[b]);
    status
}
