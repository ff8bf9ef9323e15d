//! Stage 2, **broad phase**: which boxes overlap.
//!
//! Every collider has an enlarged box in one [`Bvh`]. A box is looked at again only when the body's odometer says that the
//! body may have left it, so the cost follows what moved. Boxes that changed are traversed against the whole tree once,
//! never leaf by leaf. Pairs live in the contact graph from when two enlarged boxes meet until they part; none is dropped.

use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::contact::kernels::PairKernels;
use crate::contact::{ContactGraph, ContactHooks, Status};
use crate::event::Event;
use crate::index::NONE;
use crate::kept::stamp;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::partitioning::{Bvh, BvhBuildStrategy, BvhLeafUpdateStatus, BvhWorkspace};
use crate::math::{Real, Vec3};
use crate::parallel::{Apart, LOOKED_AT, WORKED_ON};
use crate::systems::pace::is_fast;
use crate::systems::state::{Changes, State};
use crate::systems::waking;
use crate::tolerances::{BOX_AHEAD, BOX_MARGIN, BOX_MARGIN_FRACTION, BOX_SWEEP_STEPS, SPECULATIVE_MARGIN, TREE_UPKEEP};
use hecs::{Entity, World};

/// So few leaves are not worth building a tree anew for.
const FEW_LEAVES: usize = 64;

/// To go up from so many leaves of a tree costs about as much as to go through all of it.
const PATHS_A_TREE: usize = 2;

/// The tree, and buffers kept between steps.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct BroadPhase {
    #[cfg_attr(feature = "serialize", serde(skip))]
    tree: Bvh,
    #[cfg_attr(feature = "serialize", serde(skip))]
    workspace: BvhWorkspace,
    #[cfg_attr(feature = "serialize", serde(skip))]
    candidates: Vec<(u32, u32)>,
    /// Colliders whose box changed in this step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    changed: Vec<u32>,
    /// Their boxes before; an invalid one where there was none.
    #[cfg_attr(feature = "serialize", serde(skip))]
    was: Vec<Aabb>,
    /// The place of each collider in these lists, or [`NONE`].
    #[cfg_attr(feature = "serialize", serde(skip))]
    place: Vec<u32>,
    /// Boxes changed since the tree was last put in order.
    #[cfg_attr(feature = "serialize", serde(skip))]
    disorder: usize,
    /// The leaves that the tree has marked as changed, and whether they are known: then others may be marked without going through
    /// all of it.
    #[cfg_attr(feature = "serialize", serde(skip))]
    marked: Vec<u32>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    knows_marked: bool,
    /// Colliders whose boxes were renewed, and pairs whose boxes have parted, until all is known.
    #[cfg_attr(feature = "serialize", serde(skip))]
    renewed: Vec<Vec<Renewed>>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    parted: Vec<Vec<u32>>,
    /// Pairs that ended in this step, until it is known whether they began anew.
    #[cfg_attr(feature = "serialize", serde(skip))]
    ended: Vec<Ended>,
    /// The kernels and filters that the pairs were found with.
    asked: (usize, u32),
}

/// A collider with another box than before; `was` is invalid if it had none.
struct Renewed {
    slot: u32,
    was: Aabb,
}

/// A pair that ended.
struct Ended {
    slots: [u32; 2],
    entities: [Entity; 2],
    status: Status,
    memory: u32,
}

impl BroadPhase {
    /// The enlarged boxes of all live colliders, as they were before the bodies moved; leaves are slots.
    pub(crate) fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// Takes over what outlives a step but the tree.
    pub(crate) fn copy_kept(&mut self, from: &Self) {
        self.asked = from.asked;
    }

    /// Lets the boxes of the tree be those of `new`, which are `old` now. Its shape is its own: no result depends on it.
    pub(crate) fn restore_tree(&mut self, old: &Colliders, new: &Colliders) {
        let of = |colliders: &Colliders, slot: usize| {
            let known = *colliders.fat_until.get(slot)? > f64::NEG_INFINITY;
            known.then(|| colliders.fat[slot])
        };
        let mut moved = 0;
        for slot in 0..old.fat.len().max(new.fat.len()) {
            match (of(old, slot), of(new, slot)) {
                (before, Some(fat)) if before != Some(fat) => {
                    self.tree.insert_or_update_partially(fat, slot as u32, 0.0);
                }
                (Some(_), None) => {
                    self.tree.remove(slot as u32);
                }
                _ => continue,
            }
            moved += 1;
        }
        if moved > 0 {
            self.disorder += moved;
            self.knows_marked = false;
            self.tree.refit(&mut self.workspace);
        }
    }

    #[inline]
    fn is_changed(&self, collider: u32) -> bool {
        self.place[collider as usize] != NONE
    }

    /// Sets the box of a collider.
    fn put(&mut self, collider: u32, was: Aabb, now: Aabb) {
        self.place[collider as usize] = self.changed.len() as u32;
        self.changed.push(collider);
        self.was.push(was);
        // The tree only flags a leaf as changed if it is given a margin: a vanishing one. It then keeps a larger box, which is
        // made to fit without a flag: where a box shrinks, nothing can be met that was not before.
        if self.tree.insert_or_update_partially(now, collider, Real::MIN_POSITIVE) == BvhLeafUpdateStatus::Unchanged {
            self.tree.insert_or_update_partially(now, collider, 0.0);
        }
    }

    /// Brings the tree up to date. Boxes that wander about make it worse and worse: once enough have changed, a part of it is
    /// built anew, another one each time.
    fn tend_tree(&mut self) {
        self.disorder += self.changed.len();
        let new = self.was.iter().filter(|was| was.mins.x > was.maxs.x).count();
        if new > FEW_LEAVES && 2 * new > self.tree.leaf_count() as usize {
            // A tree that was put together leaf by leaf is a bad one, for pairs as for rays.
            self.tree.refit_without_resolve(&mut self.workspace);
            self.tree.rebuild(&mut self.workspace, BvhBuildStrategy::Binned);
            self.disorder = 0;
            self.knows_marked = false;
        } else if self.disorder * TREE_UPKEEP >= self.tree.leaf_count() as usize {
            self.tree.optimize_incremental(&mut self.workspace);
            self.disorder = 0;
            self.knows_marked = false;
        }
        let paths = self.marked.len() + self.changed.len();
        if self.knows_marked && paths * PATHS_A_TREE <= self.tree.leaf_count() as usize {
            self.tree.refit_partial(&self.marked, &self.changed);
        } else {
            self.tree.refit(&mut self.workspace);
        }
        self.marked.clone_from(&self.changed);
        self.knows_marked = true;
    }

    /// Ends a step: no box has changed.
    fn clear_changes(&mut self) {
        for &slot in &self.changed {
            self.place[slot as usize] = NONE;
        }
        self.changed.clear();
        self.was.clear();
    }
}

/// Runs the stage.
pub fn run(world: &World, state: &mut State, kernels: &PairKernels, hooks: &ContactHooks) {
    waking::wake_changed(state);
    let mut broad = std::mem::take(&mut state.broad_phase);
    forget(state, &mut broad);
    let asked = (kernels.revision(), hooks.revision());
    let anew = std::mem::replace(&mut broad.asked, asked) != asked;
    if anew {
        state.rest.unpark_all(&mut state.bodies);
        ask_again(world, state, &mut broad.ended, kernels, hooks);
    }
    state.awake.update(&state.bodies, &state.colliders.body, &state.contacts);
    update_boxes(state, &mut broad);
    if anew || !broad.changed.is_empty() {
        drop_parted(state, &mut broad);
        state.contacts.sweep_composites();
        broad.tend_tree();
        find_candidates(&mut broad, &state.colliders.fat, anew);
        add_pairs(world, state, &broad, kernels, hooks);
    }
    tell_ended(state, &mut broad.ended);
    broad.clear_changes();
    state.counts.pairs = state.contacts.live;
    state.broad_phase = broad;
}

/// Takes out what is gone, and what must be seen as new.
fn forget(state: &mut State, broad: &mut BroadPhase) {
    broad.place.resize(state.bodies.slots(), NONE);
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
        broad.knows_marked = false;
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
fn tell_ended(state: &mut State, ended: &mut Vec<Ended>) {
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
fn ask_again(world: &World, state: &mut State, ended: &mut Vec<Ended>, kernels: &PairKernels, hooks: &ContactHooks) {
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

/// Sets how far each body can move in this step, and renews the boxes that this may leave.
fn update_boxes(state: &mut State, broad: &mut BroadPhase) {
    foresee(state);
    let State { bodies, colliders, settings, dt, helpers, .. } = state;
    let (bodies, dt, stamp) = (&*bodies, *dt, stamp());
    let slots = bodies.slots();
    let half_margin = 0.5 * SPECULATIVE_MARGIN * settings.length_unit;
    let Colliders { body, geometry, local, fat, ahead, fat_until, boxed, .. } = colliders;
    let (body, geometry, local) = (&*body, &*geometry, &*local);
    let columns = (Apart::new(fat), Apart::new(ahead), Apart::new(fat_until), Apart::new(boxed));
    let used = helpers.in_shares(slots, &mut broad.renewed, WORKED_ON, &|share, renewed: &mut Vec<Renewed>| {
        let (fat, ahead, fat_until, boxed) = &columns;
        let range = share.clone();
        // SAFETY: shares are apart.
        let (fat, ahead, fat_until, boxed) = unsafe {
            (fat.range(range.clone()), ahead.range(range.clone()), fat_until.range(range.clone()), boxed.range(range))
        };
        renewed.clear();
        for (slot, (((fat, ahead), fat_until), boxed)) in share.zip(fat.iter_mut().zip(ahead).zip(fat_until).zip(boxed))
        {
            let body = body[slot] as usize;
            if body == NONE as usize {
                continue;
            }
            // What was swept ahead of a body that has since become slow is in the way.
            let idle = *ahead > BOX_AHEAD * bodies.reach[body] + BOX_MARGIN * settings.length_unit;
            if !idle && bodies.odometer[body] + f64::from(bodies.reach[body]) <= *fat_until {
                continue;
            }
            let Some(geometry) = &geometry[slot] else { continue };
            let pose = bodies.pose(body) * local[slot];
            let tight = geometry.aabb(&pose);
            let known = *fat_until > f64::NEG_INFINITY;
            let travel = bodies.linear_velocity[body] * dt;
            // Forces may be strong, and the body at rest when they set in.
            let pull = bodies.free_acceleration(body) * (dt * dt);
            let turn = bodies.angular_velocity[body].length() * bodies.radius[body] * dt;
            let needed =
                swept(&swept(&tight, travel), pull).loosened(half_margin + turn.min(bodies.radius[body] * 2.0));
            if !known || idle || !fat.contains(&needed) {
                let margin =
                    (tight.half_extents().max_element() * BOX_MARGIN_FRACTION).min(BOX_MARGIN * settings.length_unit);
                let ahead_of_it = travel * BOX_SWEEP_STEPS;
                let was = if known { *fat } else { Aabb::new_invalid() };
                *fat = swept(&needed, ahead_of_it).loosened(margin);
                *ahead = ahead_of_it.length();
                renewed.push(Renewed { slot: slot as u32, was });
            }
            *boxed = stamp;
            // As long as no point of the body has moved by more, the box holds it.
            let slack = (tight.mins - fat.mins).min(fat.maxs - tight.maxs).min_element() - half_margin;
            *fat_until = bodies.odometer[body] + f64::from(slack);
        }
    });
    let books = std::mem::take(&mut broad.renewed);
    for &Renewed { slot, was } in books[..used].iter().flatten() {
        broad.put(slot, was, colliders.fat[slot as usize]);
    }
    broad.renewed = books;
}

/// Sets how far each body can move in this step.
fn foresee(state: &mut State) {
    let State { bodies, settings, dt, helpers, .. } = state;
    let (dt, gravity, slots) = (*dt, settings.gravity.length(), bodies.slots());
    let (mut fast, mut reach) = (std::mem::take(&mut bodies.fast), std::mem::take(&mut bodies.reach));
    let columns = (Apart::new(&mut fast), Apart::new(&mut reach));
    let read = &*bodies;
    helpers.shares(slots, LOOKED_AT, &|share| {
        // SAFETY: shares are apart.
        let (fast, reach) = unsafe { (columns.0.range(share.clone()), columns.1.range(share.clone())) };
        for (slot, (fast, reach)) in share.zip(fast.iter_mut().zip(reach)) {
            let moves = read.is_moving(slot);
            *fast = moves && is_fast(read, slot, dt);
            *reach = if moves {
                let speed =
                    read.linear_velocity[slot].length() + read.angular_velocity[slot].length() * read.radius[slot];
                dt * (speed + dt * gravity.max(read.acceleration[slot].length()))
            } else {
                0.0
            };
        }
    });
    (bodies.fast, bodies.reach) = (fast, reach);
}

fn swept(aabb: &Aabb, travel: Vec3) -> Aabb {
    Aabb::new(aabb.mins + travel.min(Vec3::ZERO), aabb.maxs + travel.max(Vec3::ZERO))
}

/// Ends pairs whose boxes have parted.
fn drop_parted(state: &mut State, broad: &mut BroadPhase) {
    let State { bodies, colliders, contacts, awake, helpers, .. } = state;
    let mut books = std::mem::take(&mut broad.parted);
    let (graph, fat) = (&*contacts, &colliders.fat);
    // Only boxes of awake bodies change.
    let used = helpers.in_shares(awake.pairs.len(), &mut books, LOOKED_AT, &|share, parted| {
        parted.clear();
        let has_parted = |&&number: &&u32| {
            let (pair, status) = (&graph.pairs[number as usize], graph.status[number as usize]);
            pair.a != NONE
                && !status.has(Status::SOURCE)
                && (broad.is_changed(pair.a) || broad.is_changed(pair.b))
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

/// Lists the pairs of boxes that meet now and did not before; or all that meet.
fn find_candidates(broad: &mut BroadPhase, fat: &[Aabb], all: bool) {
    let BroadPhase { tree, workspace, candidates, place, was, .. } = broad;
    candidates.clear();
    if all {
        tree.traverse_bvtt_single_tree::<false>(workspace, &mut |a, b| candidates.push((a.min(b), a.max(b))));
    } else {
        let before = |slot: u32| was.get(place[slot as usize] as usize).unwrap_or(&fat[slot as usize]);
        tree.traverse_bvtt_single_tree::<true>(workspace, &mut |a, b| {
            let changed = place[a as usize] != NONE || place[b as usize] != NONE;
            if changed && !before(a).intersects(before(b)) {
                candidates.push((a.min(b), a.max(b)));
            }
        });
    }
    candidates.sort_unstable();
}

fn add_pairs(world: &World, state: &mut State, broad: &BroadPhase, kernels: &PairKernels, hooks: &ContactHooks) {
    let State { bodies, colliders, contacts, joints, .. } = state;
    for &(a, b) in &broad.candidates {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOXES: usize = 120;

    prop_compose! {
        fn a_box()(
            middle in prop::array::uniform3(-4.0..4.0 as Real),
            half in prop::array::uniform3(0.1..1.0 as Real),
        ) -> Aabb {
            Aabb::from_half_extents(Vec3::from_array(middle), Vec3::from_array(half))
        }
    }

    proptest! {
        #[test]
        fn what_meets_anew_is_found_whether_few_boxes_or_many_have_changed(
            first in prop::collection::vec(a_box(), BOXES),
            rounds in prop::collection::vec(prop::collection::btree_map(0..BOXES, a_box(), 1..40), 1..12),
        ) {
            let mut broad = BroadPhase { place: vec![NONE; BOXES], ..BroadPhase::default() };
            let mut fat = vec![Aabb::new_invalid(); BOXES];
            let first = first.into_iter().enumerate().collect();
            for changes in std::iter::once(first).chain(rounds) {
                let before = fat.clone();
                for (slot, now) in changes {
                    broad.put(slot as u32, before[slot], now);
                    fat[slot] = now;
                }
                broad.tend_tree();
                find_candidates(&mut broad, &fat, false);
                let all = (0..BOXES).flat_map(|b| (0..b).map(move |a| (a, b)));
                let meet = |boxes: &[Aabb], a: usize, b: usize| boxes[a].intersects(&boxes[b]);
                let mut anew: Vec<_> = all
                    .filter(|&(a, b)| meet(&fat, a, b) && !meet(&before, a, b))
                    .map(|(a, b)| (a as u32, b as u32))
                    .collect();
                anew.sort_unstable();
                prop_assert_eq!(&broad.candidates, &anew);
                broad.clear_changes();
            }
        }
    }
}
