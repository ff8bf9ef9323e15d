//! Between broad and narrow phase, **contact sources**: what the game's own sources emitted becomes pairs of the contact graph.
//!
//! Each contact of a source is a pair of its own that lives while it is emitted, and its impulses with it. Its slots are those
//! of the two bodies; the world has a slot too. What is emitted of parked bodies is compared with what they were parked on,
//! and they are woken only where it differs.

use crate::bodies::{Bodies, Kind};
use crate::components::{BodySlot, Material};
use crate::contact::kernels::{LocalManifold, LocalPoint, reduce};
use crate::contact::{ContactSources, Emission, Manifold, ManifoldPoint, SourcePoint, Status};
use crate::event::Event;
use crate::kept::copy_fields;
use crate::math::{Real, Vec3};
use crate::systems::narrow_phase::inherit;
use crate::systems::state::State;
use crate::tolerances::{INHERIT_DISTANCE, SOURCE_MOVED, SOURCE_TURNED, SPECULATIVE_MARGIN, TOUCH};
use hecs::{Entity, World};
use std::cmp::Ordering;

/// Buffers kept between steps.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Sources {
    /// The slot of the world, once it is needed.
    world: Option<u32>,
    /// The contacts of the last step, sorted.
    known: Vec<Known>,
    /// Those of this one.
    #[cfg_attr(feature = "serialize", serde(skip))]
    found: Vec<Found>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    next: Vec<Known>,
    /// Which bodies touch by which source, as the last events told it.
    touching: Vec<Touching>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    before: Vec<Touching>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    points: Vec<LocalPoint>,
}

/// What makes a contact the same from step to step: source, slots, key, and a number among those that agree in all that.
type Name = (u32, u32, u32, u32, u32);

/// A contact of the last step.
#[derive(Clone, Copy)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Known {
    name: Name,
    pair: u32,
}

/// A contact of this step.
#[derive(Clone, Copy)]
struct Found {
    name: Name,
    /// Whether the emission's second body comes first.
    flipped: bool,
    emission: Emission,
}

/// Two bodies that touch by a source.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Touching {
    source: u32,
    slots: [u32; 2],
    entities: [Entity; 2],
}

/// Runs the stage.
pub fn run(world: &World, state: &mut State, sources: &ContactSources) {
    let mut own = std::mem::take(&mut state.sources);
    own.drop_removed(state);
    if !(sources.emissions.is_empty() && own.known.is_empty()) {
        own.name(world, state, sources);
        own.bring_up_to_date(state, &sources.points);
    }
    state.sources = own;
}

impl Sources {
    /// Copies what outlives a step.
    pub(crate) fn copy_kept(&mut self, from: &Self) {
        copy_fields!(self, from; world, known, touching);
    }

    /// The entities that it knows.
    pub(crate) fn entities_mut(&mut self) -> impl Iterator<Item = &mut Entity> {
        self.touching.iter_mut().flat_map(|touching| &mut touching.entities)
    }

    /// Whether its pairs and slots are there.
    ///
    /// # Errors
    /// What is wrong.
    #[cfg(feature = "serialize")]
    pub(crate) fn check_sound(
        &self,
        contacts: &crate::contact::ContactGraph,
        bodies: &Bodies,
    ) -> Result<(), &'static str> {
        let pair = |known: &Known| {
            let pair = contacts.pairs.get(known.pair as usize);
            let (_, a, b, ..) = known.name;
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

    /// Drops the contacts of bodies that are gone: their slots may be others' by now.
    fn drop_removed(&mut self, state: &mut State) {
        let removed = &state.changes.removed;
        if removed.is_empty() {
            return;
        }
        let contacts = &mut state.contacts;
        self.known.retain(|known| {
            let lost = removed.iter().any(|&(slot, _)| known.name.1 == slot || known.name.2 == slot);
            if lost {
                contacts.remove(known.pair as usize);
            }
            !lost
        });
    }

    /// Finds the slots of what was emitted, and sorts it.
    fn name(&mut self, world: &World, state: &mut State, sources: &ContactSources) {
        self.found.clear();
        for emission in &sources.emissions {
            let slot = |entity| world.get::<&BodySlot>(entity).expect("every body has a slot by now").0;
            let a = emission.a.map_or_else(|| *self.world.get_or_insert_with(|| insert_world(state)), slot);
            let b = slot(emission.b);
            if [a, b].iter().any(|&slot| state.bodies.kind[slot as usize] == Kind::Dynamic) {
                let name = (emission.source, a.min(b), a.max(b), emission.key, 0);
                self.found.push(Found { name, flipped: a > b, emission: *emission });
            }
        }
        let points = |e: &Emission| &sources.points[e.points.0 as usize..e.points.1 as usize];
        self.found.sort_unstable_by(|p, q| {
            p.name.cmp(&q.name).then_with(|| {
                // Contacts of one key are told apart by where they are, not by when they were emitted.
                let place = |f: &Found| points(&f.emission).iter().map(|p| p.on_b).sum::<Vec3>() + f.emission.normal;
                compare(place(p), place(q))
            })
        });
        for i in 1..self.found.len() {
            let (before, now) = (self.found[i - 1].name, &mut self.found[i].name);
            if (before.0, before.1, before.2, before.3) == (now.0, now.1, now.2, now.3) {
                now.4 = before.4 + 1;
            }
        }
    }

    /// Walks what was known and what was found side by side.
    fn bring_up_to_date(&mut self, state: &mut State, points: &[SourcePoint]) {
        self.next.clear();
        let (mut known, mut found) = (self.known.iter().peekable(), self.found.iter().peekable());
        loop {
            let order = match (known.peek(), found.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(k), Some(f)) => k.name.cmp(&f.name),
            };
            let old = if order.is_le() { known.next() } else { None };
            let new = if order.is_ge() { found.next() } else { None };
            let manifold = new.and_then(|new| manifold(state, new, points, &mut self.points));
            match (old, new.zip(manifold)) {
                (Some(old), None) => {
                    // What only might have touched holds nothing up.
                    if state.contacts.status[old.pair as usize].has(Status::TOUCHING) {
                        wake(state, old.name);
                    }
                    state.contacts.remove(old.pair as usize);
                }
                (old, Some((new, manifold))) => {
                    let pair = old.map_or_else(|| insert(state, new), |old| old.pair as usize);
                    update(state, pair, new, manifold);
                    self.next.push(Known { name: new.name, pair: pair as u32 });
                }
                (None, None) => {}
            }
        }
        std::mem::swap(&mut self.known, &mut self.next);
    }
}

/// The slot that stands for the world.
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
    state.bodies.restamp([slot as u32]);
    slot as u32
}

fn compare(p: Vec3, q: Vec3) -> Ordering {
    p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z))
}

/// Wakes the bodies of a contact.
fn wake(state: &mut State, name: Name) {
    for slot in [name.1, name.2] {
        state.rest.unpark_body(&mut state.bodies, slot as usize);
    }
}

fn insert(state: &mut State, found: &Found) -> usize {
    let (_, a, b, ..) = found.name;
    let mut status = Status::default();
    status.set(Status::SOURCE, true);
    state.contacts.insert(a, b, Material::default(), status)
}

/// The manifold of an emission, without impulses; `None` if no point of it is near enough to count.
fn manifold(state: &State, found: &Found, points: &[SourcePoint], room: &mut Vec<LocalPoint>) -> Option<Manifold> {
    let State { bodies, settings, .. } = state;
    let (_, a, b, ..) = found.name;
    let [a, b] = [a, b].map(|slot| slot as usize);
    let reach = |p: &SourcePoint| {
        let (on_a, on_b) = if found.flipped { (p.on_b, p.on_a) } else { (p.on_a, p.on_b) };
        SPECULATIVE_MARGIN * settings.length_unit + travel(state, a, on_a) + travel(state, b, on_b)
    };
    let emission = &found.emission;
    let own = &points[emission.points.0 as usize..emission.points.1 as usize];
    room.clear();
    room.extend(own.iter().filter(|p| p.separation <= reach(p)).map(|p| {
        let (point_a, point_b) = if found.flipped { (p.on_b, p.on_a) } else { (p.on_a, p.on_b) };
        LocalPoint { point_a, point_b, separation: p.separation, feature: p.feature }
    }));
    let mut reduced = LocalManifold::with_normal(if found.flipped { -emission.normal } else { emission.normal });
    reduce(room, &mut reduced);
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

/// How far a point of a body can move in the step (m), be it farther out than any collider of the body.
fn travel(state: &State, slot: usize, point: Vec3) -> Real {
    let bodies = &state.bodies;
    let beyond = ((point - bodies.center[slot]).length() - bodies.radius[slot]).max(0.0);
    let turning = if bodies.is_moving(slot) { bodies.angular_velocity[slot].length() } else { 0.0 };
    // A parked body is asked about as it was before: it must not lose points that a pull could close.
    let parked = bodies.kind[slot] == Kind::Dynamic && !bodies.is_active(slot);
    let pull = if parked { state.settings.gravity.length().max(bodies.acceleration[slot].length()) } else { 0.0 };
    bodies.reach[slot] + (turning * beyond + pull * state.dt) * state.dt
}

/// Lets a body know how far out it is touched: without a collider nobody else tells how fast its surface turns.
fn widen(bodies: &mut Bodies, slot: usize, anchor: Vec3) {
    if bodies.kind[slot] == Kind::Dynamic {
        bodies.radius[slot] = bodies.radius[slot].max(anchor.length());
    }
}

/// A point of the world from a body's centre of mass, in its axes.
fn anchor(bodies: &Bodies, slot: usize, point: Vec3) -> Vec3 {
    bodies.orientation[slot].inverse() * (point - bodies.center[slot])
}

/// Writes what was emitted into a pair. If it says what was known, the pair is left alone where nobody moves, so that parked
/// bodies stay so, and where the solver carries separations on by itself, which rounds less than measuring in the world does.
fn update(state: &mut State, pair: usize, found: &Found, mut new: Manifold) {
    let unit = state.settings.length_unit;
    let (_, a, b, ..) = found.name;
    let emission = &found.emission;
    let colliders = &state.colliders;
    let material = emission.material.unwrap_or_else(|| {
        let [a, b] = [a, b].map(|slot| colliders.material[slot as usize]);
        a.with(&b)
    });
    let surface_velocity = if found.flipped { emission.surface_velocity } else { -emission.surface_velocity };
    state.contacts.note(&[pair as u32]);
    let place = state.contacts.places[pair] as usize;
    let record = &state.contacts.records[place];
    let old = state.contacts.manifolds[place];
    let touches = |m: &Manifold| m.points().iter().any(|p| p.separation <= TOUCH * unit);
    let same = record.material == material && record.surface_velocity == surface_velocity;
    let still = [a, b].iter().all(|&slot| !state.bodies.is_active(slot as usize));
    let status = &mut state.contacts.status[pair];
    let carried = status.has(Status::CARRIED);
    status.set(Status::CARRIED, false);
    if status.has(Status::ACTIVE) && same && (still || carried) && is_like(&old, &new, unit) {
        status.set(Status::TOUCHING, touches(&old));
        return;
    }
    if touches(&old) || touches(&new) {
        wake(state, found.name);
    }
    for p in new.points() {
        widen(&mut state.bodies, a as usize, p.anchor_a);
        widen(&mut state.bodies, b as usize, p.anchor_b);
    }
    let count = new.count as usize;
    inherit(old.points(), &mut new.points[..count], INHERIT_DISTANCE * unit);
    let contacts = &mut state.contacts;
    contacts.manifolds[place] = Manifold {
        friction_impulse: old.friction_impulse,
        twist_impulse: old.twist_impulse,
        rolling_impulse: old.rolling_impulse,
        sliding: old.sliding,
        ..new
    };
    let record = &mut contacts.records[place];
    record.material = material;
    record.surface_velocity = surface_velocity;
    record.renew();
    contacts.status[pair].set(Status::ACTIVE, true);
    contacts.status[pair].set(Status::TOUCHING, touches(&new));
}

/// Whether two manifolds are the same up to rounding.
fn is_like(old: &Manifold, new: &Manifold, unit: Real) -> bool {
    let near = |p: &ManifoldPoint, q: &ManifoldPoint| {
        p.feature == q.feature
            && (p.separation - q.separation).abs() <= SOURCE_MOVED * unit
            && (p.anchor_a - q.anchor_a).length() <= SOURCE_MOVED * unit
            && (p.anchor_b - q.anchor_b).length() <= SOURCE_MOVED * unit
    };
    old.count == new.count
        && (old.normal - new.normal).length() <= SOURCE_TURNED
        && old.points().iter().zip(new.points()).all(|(p, q)| near(p, q))
}

/// Writes the events of bodies that touch by a source, by source and slots: one for two bodies, however many keys they have.
pub(crate) fn events(state: &mut State) {
    let State { sources, contacts, bodies, events, .. } = state;
    let Sources { known, touching, before, .. } = sources;
    std::mem::swap(touching, before);
    touching.clear();
    for known in known.iter().filter(|k| contacts.status[k.pair as usize].has(Status::TOUCHING)) {
        let (source, a, b, ..) = known.name;
        let slots = [a, b];
        let now = Touching { source, slots, entities: slots.map(|slot| bodies.entity[slot as usize]) };
        if touching.last() != Some(&now) {
            touching.push(now);
        }
    }
    let rank = |t: &Touching| (t.source, t.slots);
    let gone = before.iter().filter(|old| !held(touching, old, rank));
    events.extend(gone.map(|old| Event::ContactEnded { entities: old.entities }));
    let come = touching.iter().filter(|new| !held(before, new, rank));
    events.extend(come.map(|new| Event::ContactBegan { entities: new.entities }));
}

/// Whether a sorted list holds two bodies that touch, and they are the same entities.
fn held<K: Ord>(list: &[Touching], sought: &Touching, rank: impl Fn(&Touching) -> K) -> bool {
    list.binary_search_by_key(&rank(sought), rank).is_ok_and(|at| list[at] == *sought)
}
