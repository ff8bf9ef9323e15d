//! Stage 3, **contact sources**: emitted contacts become pairs of the contact graph.
//!
//! Each contact of a source is a pair of its own, which lives with its impulses while it is
//! emitted. Its slots are those of the two bodies; the world has a slot too. Contacts of sleeping
//! bodies are compared with those that they fell asleep with, and the bodies are woken only where
//! these differ.

use crate::bodies::{Bodies, Kind};
use crate::components::{BodySlot, Material};
use crate::contact::kernels::{LocalManifold, LocalPoint, reduce};
use crate::contact::{ContactSources, Emission, Manifold, ManifoldPoint, SourcePoint, Status};
use crate::event::Event;
use crate::math::{Real, Vec3};
use crate::persist::copy_fields;
use crate::state::State;
use crate::systems::narrow_phase::inherit_impulses;
use crate::tolerances::{CONTACT, GEOMETRY};
use hecs::{Entity, World};
use std::cmp::Ordering;

/// Buffers kept between steps.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SourcePairs {
    /// Slot of the world, once it is needed.
    world: Option<u32>,
    /// The contacts of the last step, sorted.
    known: Vec<KnownContact>,
    /// The contacts of this step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    found: Vec<EmittedContact>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    next: Vec<KnownContact>,
    /// Pairs of bodies in contact by a source, as reported by the last events.
    touching: Vec<Touching>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    before: Vec<Touching>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    points: Vec<LocalPoint>,
}

/// Identity of a contact from step to step: source, slots, key, and a number among contacts that
/// agree in all of these.
type ContactKey = (u32, u32, u32, u32, u32);

/// Contact of the last step.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct KnownContact {
    key: ContactKey,
    pair: u32,
}

/// Contact of this step.
#[derive(Clone, Copy)]
struct EmittedContact {
    key: ContactKey,
    /// True if the emission's second body comes first.
    flipped: bool,
    emission: Emission,
}

/// Two bodies in contact by a source.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Touching {
    source: u32,
    slots: [u32; 2],
    entities: [Entity; 2],
}

/// Runs the stage.
pub(crate) fn run(world: &World, state: &mut State, own: &mut SourcePairs, sources: &ContactSources) {
    own.drop_removed(state);
    if !(sources.emissions.is_empty() && own.known.is_empty()) {
        own.resolve(world, state, sources);
        own.sync_pairs(state, &sources.points);
    }
}

impl SourcePairs {
    /// Copies the persistent data.
    pub(crate) fn copy_persistent(&mut self, from: &Self) {
        copy_fields!(self, from; world, known, touching);
    }

    /// The stored entities.
    pub(crate) fn entities_mut(&mut self) -> impl Iterator<Item = &mut Entity> {
        self.touching.iter_mut().flat_map(|touching| &mut touching.entities)
    }

    /// Checks that its pairs and slots exist.
    ///
    /// # Errors
    /// The inconsistent part.
    #[cfg(feature = "serialize")]
    pub(crate) fn check_consistency(
        &self,
        contacts: &crate::contact::ContactGraph,
        bodies: &Bodies,
    ) -> Result<(), &'static str> {
        let pair = |known: &KnownContact| {
            let pair = contacts.pairs.get(known.pair as usize);
            let (_, a, b, ..) = known.key;
            pair.is_some_and(|pair| (pair.a, pair.b) == (a, b))
                && contacts.status[known.pair as usize].has(Status::SOURCE)
        };
        let is_world = |slot: u32| bodies.kind.get(slot as usize) == Some(&Kind::World);
        let worlds = bodies.kind.iter().filter(|&&kind| kind == Kind::World).count();
        let sources = contacts.status.iter().filter(|status| status.has(Status::SOURCE)).count();
        let mut pairs: Vec<u32> = self.known.iter().map(|known| known.pair).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let sound = self.known.iter().all(pair)
            && pairs.len() == self.known.len()
            && pairs.len() == sources
            && self.world.is_none_or(is_world)
            && worlds == usize::from(self.world.is_some());
        if sound { Ok(()) } else { Err("the contacts of sources") }
    }

    /// Drops the contacts of removed bodies, whose slots may be reused.
    fn drop_removed(&mut self, state: &mut State) {
        let removed = &state.changes.removed;
        if removed.is_empty() {
            return;
        }
        let contacts = &mut state.contacts;
        self.known.retain(|known| {
            let lost = removed.iter().any(|&(slot, _)| known.key.1 == slot || known.key.2 == slot);
            if lost {
                contacts.remove(known.pair as usize);
            }
            !lost
        });
    }

    /// Resolves the slots of the emissions and sorts them.
    fn resolve(&mut self, world: &World, state: &mut State, sources: &ContactSources) {
        self.found.clear();
        for emission in &sources.emissions {
            let slot = |entity| world.get::<&BodySlot>(entity).expect("every body has a slot by now").0;
            let a = emission.a.map_or_else(|| *self.world.get_or_insert_with(|| insert_world(state)), slot);
            let b = slot(emission.b);
            if [a, b].iter().any(|&slot| state.bodies.kind[slot as usize] == Kind::Dynamic) {
                let key = (emission.source, a.min(b), a.max(b), emission.key, 0);
                self.found.push(EmittedContact { key, flipped: a > b, emission: *emission });
            }
        }
        let points = |e: &Emission| &sources.points[e.points.0 as usize..e.points.1 as usize];
        self.found.sort_unstable_by(|p, q| {
            p.key.cmp(&q.key).then_with(|| {
                // Contacts of one key are distinguished by position, not by the order of emission.
                let place =
                    |f: &EmittedContact| points(&f.emission).iter().map(|p| p.on_b).sum::<Vec3>() + f.emission.normal;
                compare(place(p), place(q))
            })
        });
        for i in 1..self.found.len() {
            let (before, now) = (self.found[i - 1].key, &mut self.found[i].key);
            if (before.0, before.1, before.2, before.3) == (now.0, now.1, now.2, now.3) {
                now.4 = before.4 + 1;
            }
        }
    }

    /// Merges the old contacts and the new ones.
    fn sync_pairs(&mut self, state: &mut State, points: &[SourcePoint]) {
        self.next.clear();
        let (mut known, mut found) = (self.known.iter().peekable(), self.found.iter().peekable());
        loop {
            let order = match (known.peek(), found.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(k), Some(f)) => k.key.cmp(&f.key),
            };
            let old = if order.is_le() { known.next() } else { None };
            let new = if order.is_ge() { found.next() } else { None };
            let manifold = new.and_then(|new| manifold(state, new, points, &mut self.points));
            match (old, new.zip(manifold)) {
                (Some(old), None) => {
                    // A speculative contact supports nothing.
                    if state.contacts.status[old.pair as usize].has(Status::TOUCHING) {
                        wake(state, old.key);
                    }
                    state.contacts.remove(old.pair as usize);
                }
                (old, Some((new, manifold))) => {
                    let pair = old.map_or_else(|| insert(state, new), |old| old.pair as usize);
                    update(state, pair, new, manifold);
                    self.next.push(KnownContact { key: new.key, pair: pair as u32 });
                }
                (None, None) => {}
            }
        }
        std::mem::swap(&mut self.known, &mut self.next);
    }
}

/// Inserts the slot of the world.
fn insert_world(state: &mut State) -> u32 {
    let slot = state.bodies.insert_world();
    state.colliders.resize(state.bodies.slots());
    state.colliders.body[slot] = slot as u32;
    state.bodies.position[slot] = Vec3::ZERO;
    state.bodies.orientation[slot] = crate::math::Quat::IDENTITY;
    state.bodies.linear_velocity[slot] = Vec3::ZERO;
    state.bodies.angular_velocity[slot] = Vec3::ZERO;
    state.bodies.inverse_mass[slot] = Vec3::ZERO;
    state.bodies.mass[slot] = 0.0;
    state.bodies.acceleration[slot] = Vec3::ZERO;
    state.bodies.radius[slot] = 0.0;
    state.bodies.reach[slot] = 0.0;
    state.bodies.refresh(slot);
    state.bodies.mark_edited([slot as u32]);
    slot as u32
}

fn compare(p: Vec3, q: Vec3) -> Ordering {
    p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z))
}

/// Wakes the bodies of a contact.
fn wake(state: &mut State, key: ContactKey) {
    for slot in [key.1, key.2] {
        state.sleep.wake_body(&mut state.bodies, slot as usize);
    }
}

fn insert(state: &mut State, found: &EmittedContact) -> usize {
    let (_, a, b, ..) = found.key;
    let mut status = Status::default();
    status.set(Status::SOURCE, true);
    state.contacts.insert(a, b, Material::default(), status)
}

/// Manifold of an emission, without impulses; `None` if no point is close enough.
fn manifold(
    state: &State,
    found: &EmittedContact,
    points: &[SourcePoint],
    buffer: &mut Vec<LocalPoint>,
) -> Option<Manifold> {
    let State { bodies, settings, .. } = state;
    let (_, a, b, ..) = found.key;
    let [a, b] = [a, b].map(|slot| slot as usize);
    let reach = |p: &SourcePoint| {
        let (on_a, on_b) = if found.flipped { (p.on_b, p.on_a) } else { (p.on_a, p.on_b) };
        CONTACT.speculative_margin * settings.length_unit + travel(state, a, on_a) + travel(state, b, on_b)
    };
    let emission = &found.emission;
    let own = &points[emission.points.0 as usize..emission.points.1 as usize];
    buffer.clear();
    buffer.extend(own.iter().filter(|p| p.separation <= reach(p)).map(|p| {
        let (point_a, point_b) = if found.flipped { (p.on_b, p.on_a) } else { (p.on_a, p.on_b) };
        LocalPoint { point_a, point_b, separation: p.separation, feature: p.feature }
    }));
    let mut reduced = LocalManifold::with_normal(if found.flipped { -emission.normal } else { emission.normal });
    reduce(buffer, &mut reduced);
    let mut manifold = Manifold { normal: reduced.normal, count: reduced.count, ..Manifold::default() };
    for (out, p) in manifold.points.iter_mut().zip(reduced.points()) {
        *out = ManifoldPoint {
            anchor_a: anchor(bodies, a, p.point_a),
            anchor_b: anchor(bodies, b, p.point_b),
            separation: p.separation,
            feature: p.feature,
            normal_impulse: 0.0,
        };
    }
    (manifold.count > 0).then_some(manifold)
}

/// Bound of the displacement of a point of a body in the step (m); the point may lie outside all
/// colliders.
fn travel(state: &State, slot: usize, point: Vec3) -> Real {
    let bodies = &state.bodies;
    let beyond = ((point - bodies.center[slot]).length() - bodies.radius[slot]).max(0.0);
    let turning = if bodies.is_moving(slot) { bodies.angular_velocity[slot].length() } else { 0.0 };
    // For a sleeping body the bound includes gravity, as before it fell asleep: it must not lose
    // points that a pull could close.
    let asleep = bodies.kind[slot] == Kind::Dynamic && !bodies.is_active(slot);
    let gravity_bound =
        if asleep { state.settings.gravity.length().max(bodies.acceleration[slot].length()) } else { 0.0 };
    bodies.reach[slot] + (turning * beyond + gravity_bound * state.dt) * state.dt
}

/// Extends a body's radius to a contact point: a body without colliders has no other bound of its
/// surface velocity.
fn extend_radius(bodies: &mut Bodies, slot: usize, anchor: Vec3) {
    if bodies.kind[slot] == Kind::Dynamic {
        bodies.radius[slot] = bodies.radius[slot].max(anchor.length());
    }
}

/// A world point relative to a body's centre of mass, in body axes.
fn anchor(bodies: &Bodies, slot: usize, point: Vec3) -> Vec3 {
    bodies.orientation[slot].inverse() * (point - bodies.center[slot])
}

/// Writes an emission to a pair. An unchanged pair is left alone if neither body moves, so that
/// sleeping bodies stay asleep, and if the solver advances its separations, which rounds less than
/// measuring in world coordinates.
fn update(state: &mut State, pair: usize, found: &EmittedContact, mut new: Manifold) {
    let unit = state.settings.length_unit;
    let (_, a, b, ..) = found.key;
    let emission = &found.emission;
    let colliders = &state.colliders;
    let material = emission.material.unwrap_or_else(|| {
        let [a, b] = [a, b].map(|slot| colliders.material[slot as usize]);
        a.with(&b)
    });
    let surface_velocity = if found.flipped { emission.surface_velocity } else { -emission.surface_velocity };
    state.contacts.mark_changed(&[pair as u32]);
    let place = state.contacts.manifold_index[pair] as usize;
    let record = &state.contacts.records[place];
    let old = state.contacts.manifolds[place];
    let touches = |m: &Manifold| m.points().iter().any(|p| p.separation <= CONTACT.touch * unit);
    let same = record.material == material && record.surface_velocity == surface_velocity;
    let still = [a, b].iter().all(|&slot| !state.bodies.is_active(slot as usize));
    let status = &mut state.contacts.status[pair];
    let carried = status.has(Status::ADVANCED);
    status.set(Status::ADVANCED, false);
    if status.has(Status::ACTIVE) && same && (still || carried) && is_equal(&old, &new, unit) {
        status.set(Status::TOUCHING, touches(&old));
        return;
    }
    if touches(&old) || touches(&new) {
        wake(state, found.key);
    }
    for p in new.points() {
        extend_radius(&mut state.bodies, a as usize, p.anchor_a);
        extend_radius(&mut state.bodies, b as usize, p.anchor_b);
    }
    let count = new.count as usize;
    inherit_impulses(old.points(), &mut new.points[..count], CONTACT.speculative_margin * unit);
    let contacts = &mut state.contacts;
    contacts.manifolds[place] = Manifold {
        friction_impulse: old.friction_impulse,
        twist_impulse: old.twist_impulse,
        rolling_impulse: old.rolling_impulse,
        sliding: old.sliding,
        mass_scaling: old.mass_scaling,
        ..new
    };
    let record = &mut contacts.records[place];
    record.material = material;
    record.surface_velocity = surface_velocity;
    record.bump_revision();
    contacts.status[pair].set(Status::ACTIVE, true);
    contacts.status[pair].set(Status::TOUCHING, touches(&new));
}

/// True if two manifolds are equal up to rounding.
fn is_equal(old: &Manifold, new: &Manifold, unit: Real) -> bool {
    let near = |p: &ManifoldPoint, q: &ManifoldPoint| {
        p.feature == q.feature
            && (p.separation - q.separation).abs() <= GEOMETRY.same_point * unit
            && (p.anchor_a - q.anchor_a).length() <= GEOMETRY.same_point * unit
            && (p.anchor_b - q.anchor_b).length() <= GEOMETRY.same_point * unit
    };
    old.count == new.count
        && (old.normal - new.normal).length() <= GEOMETRY.same_normal
        && old.points().iter().zip(new.points()).all(|(p, q)| near(p, q))
}

/// Writes the events of source contacts by source and slots: one for two bodies, whatever the
/// number of keys.
pub(crate) fn events(state: &mut State, sources: &mut SourcePairs) {
    let State { contacts, bodies, events, .. } = state;
    let SourcePairs { known, touching, before, .. } = sources;
    std::mem::swap(touching, before);
    touching.clear();
    for known in known.iter().filter(|k| contacts.status[k.pair as usize].has(Status::TOUCHING)) {
        let (source, a, b, ..) = known.key;
        let slots = [a, b];
        let now = Touching { source, slots, entities: slots.map(|slot| bodies.entity[slot as usize]) };
        if touching.last() != Some(&now) {
            touching.push(now);
        }
    }
    let rank = |t: &Touching| (t.source, t.slots);
    let gone = before.iter().filter(|old| !contains_contact(touching, old, rank));
    events.extend(gone.map(|old| Event::ContactEnded { entities: old.entities }));
    let come = touching.iter().filter(|new| !contains_contact(before, new, rank));
    events.extend(come.map(|new| Event::ContactBegan { entities: new.entities }));
}

/// True if a sorted list contains two bodies in contact with the same entities.
fn contains_contact<K: Ord>(list: &[Touching], sought: &Touching, rank: impl Fn(&Touching) -> K) -> bool {
    list.binary_search_by_key(&rank(sought), rank).is_ok_and(|at| list[at] == *sought)
}
