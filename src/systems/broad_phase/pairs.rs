//! Life of collider pairs: from when two enlarged boxes begin to overlap until they separate, or a
//! collider is removed or changed.

use super::workspace::{BroadPhase, EndedPair};
use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::contact::kernels::PairKernels;
use crate::contact::{ContactGraph, ContactHooks, Status};
use crate::event::Event;
use crate::ids::NONE;
use crate::math::Vec3;
use crate::math::parry::bounding_volume::BoundingVolume;
use crate::parallel::MIN_CHUNK_LIGHT;
use crate::persist::next_version;
use crate::state::{Changes, State};
use crate::systems::pair_rules::{ignore_each_other, is_sensor_pair};
use hecs::{Entity, World};

/// Removes the pairs and boxes of removed and changed colliders.
pub(super) fn remove_changed(state: &mut State, broad: &mut BroadPhase) {
    broad.tree.make_room(state.bodies.slots());
    let Changes { removed, reshaped, refreshed, mended, .. } = &state.changes;
    if removed.is_empty() && reshaped.is_empty() && refreshed.is_empty() && mended.is_empty() {
        return;
    }
    let version = next_version();
    let mut is_refreshed = vec![false; state.bodies.slots()];
    for &slot in refreshed.iter().chain(mended.iter().map(|(slot, _)| slot)) {
        is_refreshed[slot as usize] = true;
        // The box is checked again.
        state.colliders.fat_until[slot as usize] = f64::MIN;
        state.colliders.box_versions[slot as usize] = version;
    }
    let mut gone = vec![None; state.bodies.slots()];
    for &slot in &state.changes.reshaped {
        gone[slot as usize] = Some(state.bodies.entity[slot as usize]);
    }
    // A slot that was reused at once still owes the last events of the old entity.
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
        state.colliders.box_versions[slot] = version;
    }
    state.contacts.drop_removed_composites();
}

/// Updates the surface data of a pair and invalidates its result.
fn refresh_pair(contacts: &mut ContactGraph, colliders: &Colliders, pair: usize) {
    let [a, b] = [contacts.pairs[pair].a, contacts.pairs[pair].b].map(|slot| slot as usize);
    contacts.status[pair].set(Status::CCD, colliders.ccd[a] || colliders.ccd[b]);
    if let Some(record) = contacts.record_mut(pair) {
        record.material = colliders.material[a].with(&colliders.material[b]);
        record.surface_velocity = Vec3::ZERO;
    }
    contacts.invalidate(pair);
}

/// Removes a pair.
fn end_pair(contacts: &mut ContactGraph, ended: &mut Vec<EndedPair>, pair: usize, entities: [Entity; 2]) {
    let (status, user_data) = (contacts.status[pair], contacts.caches[pair].user_data);
    if status.has(Status::REPORTED_TOUCHING) || user_data != 0 {
        let slots = [contacts.pairs[pair].a, contacts.pairs[pair].b];
        ended.push(EndedPair { slots, entities, status, user_data });
    }
    contacts.remove(pair);
}

/// Reports ended pairs. If the same entities form a pair again at once, because one changed its
/// shape, the new pair continues the old one, and the narrow phase decides whether they still
/// touch.
pub(super) fn report_ended(state: &mut State, ended: &mut Vec<EndedPair>) {
    let State { bodies, contacts, events, .. } = state;
    for EndedPair { slots: [a, b], entities, status, user_data } in ended.drain(..) {
        let sensor = status.has(Status::SENSOR);
        let same = [a, b].map(|slot| bodies.entity[slot as usize]) == entities;
        let again = contacts.find(a, b).filter(|&pair| same && contacts.status[pair].has(Status::SENSOR) == sensor);
        if let Some(pair) = again {
            contacts.caches[pair].user_data = user_data;
            contacts.status[pair].set(Status::REPORTED_TOUCHING, status.has(Status::REPORTED_TOUCHING));
        } else if status.has(Status::REPORTED_TOUCHING) {
            events.push(if sensor { Event::SensorLeft { entities } } else { Event::ContactEnded { entities } });
        }
    }
}

/// Applies new filters and pair kernels to all existing pairs.
pub(super) fn refilter_pairs(
    world: &World,
    state: &mut State,
    ended: &mut Vec<EndedPair>,
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
        let status = first_status(bodies, colliders, kernels, [p.a as usize, p.b as usize]);
        let composite = status.has(Status::COMPOSITE) != contacts.status[pair].has(Status::COMPOSITE);
        if composite || !hooks.may_collide(world, entities) {
            end_pair(contacts, ended, pair, entities);
        } else {
            contacts.invalidate(pair);
        }
    }
}

/// Ends pairs whose boxes have separated.
pub(super) fn drop_parted(state: &mut State, broad: &mut BroadPhase) {
    let State { bodies, colliders, contacts, active_set, helpers, .. } = state;
    let mut chunks = std::mem::take(&mut broad.parted);
    let (graph, fat, tree) = (&*contacts, &colliders.fat, &broad.tree);
    // Only boxes of awake bodies change.
    let used = helpers.for_each_chunk_with(active_set.pairs.len(), &mut chunks, MIN_CHUNK_LIGHT, &|chunk, parted| {
        parted.clear();
        let has_parted = |&&number: &&u32| {
            let (pair, status) = (&graph.pairs[number as usize], graph.status[number as usize]);
            pair.a != NONE
                && !status.has(Status::SOURCE)
                && (tree.is_changed(pair.a) || tree.is_changed(pair.b))
                && !fat[pair.a as usize].intersects(&fat[pair.b as usize])
        };
        parted.extend(active_set.pairs[chunk].iter().filter(has_parted));
    });
    for &pair in chunks[..used].iter().flatten() {
        let p = contacts.pairs[pair as usize];
        let entities = [p.a, p.b].map(|slot| bodies.entity[slot as usize]);
        end_pair(contacts, &mut broad.ended, pair as usize, entities);
    }
    broad.parted = chunks;
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
        let jointed =
            joints.prevents_collision(colliders.body[a as usize] as usize, colliders.body[b as usize] as usize);
        if jointed || !may_collide(bodies, colliders, a as usize, b as usize) || contacts.find(a, b).is_some() {
            continue;
        }
        if !hooks.may_collide(world, [a, b].map(|slot| bodies.entity[slot as usize])) {
            continue;
        }
        let status = first_status(bodies, colliders, kernels, [a as usize, b as usize]);
        let material = colliders.material[a as usize].with(&colliders.material[b as usize]);
        contacts.insert(a, b, material, status);
    }
    contacts.sort_composites();
}

fn may_collide(bodies: &Bodies, colliders: &Colliders, a: usize, b: usize) -> bool {
    let (body_a, body_b) = (colliders.body[a] as usize, colliders.body[b] as usize);
    if !colliders.is_live(a) || !colliders.is_live(b) || body_a == body_b {
        return false;
    }
    let sensor = is_sensor_pair(bodies, colliders, [a, b]);
    let moves = |kind: Kind| if sensor { kind != Kind::Static } else { kind == Kind::Dynamic };
    (moves(bodies.kind[body_a]) || moves(bodies.kind[body_b]))
        && colliders.layers[a].meets(colliders.layers[b])
        && colliders.fat[a].intersects(&colliders.fat[b])
        && !ignore_each_other(bodies, colliders, [a, b])
}

fn first_status(bodies: &Bodies, colliders: &Colliders, kernels: &PairKernels, [a, b]: [usize; 2]) -> Status {
    let [shape_a, shape_b] = [a, b].map(|slot| colliders.geometry[slot].as_ref().expect("a live collider has a shape"));
    let mut status = Status::default();
    status.set(Status::SENSOR, is_sensor_pair(bodies, colliders, [a, b]));
    let kernel = !kernels.is_empty() && shape_a.with_shape(|a| shape_b.with_shape(|b| kernels.has(a, b)));
    status.set(Status::COMPOSITE, kernel || shape_a.is_composite() || shape_b.is_composite());
    status.set(Status::ROUND, shape_a.is_round() || shape_b.is_round());
    status.set(Status::CCD, colliders.ccd[a] || colliders.ccd[b]);
    status
}
