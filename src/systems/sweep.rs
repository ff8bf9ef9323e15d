//! Stage 9, the second half: the **sweep**. What moves far or turns fast in a step is followed on its way, and meets what
//! stands in it at the right moment.
//!
//! Contacts at the step's start tell of what lies near. A body that travels by more than half its size, or turns by more than
//! linear motion can show, may meet what was far off, or on another side: between it and static or kinematic bodies (and all
//! others, if it is marked [`Ccd`](crate::components::Ccd)) the narrow phase reports only what touches, and the rest is found
//! here, by [`time_of_impact`](crate::motion::time_of_impact). At that moment the impact is resolved by the propagation law, and
//! both bodies go on for what is left of the step (the adaptive step of Baber 2006, section 3.3). Each has a clock of its own; nobody else is advanced.
//!
//! A body that is hit more often than [`SWEEP_HITS`] stands still for the rest of the step, and is counted.

mod next;
mod strike;
mod touch;
mod way;

pub(crate) use way::{Moved, Start, Way};

use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::contact::kernels::{Manifolds, PairKernels};
use crate::contact::{ContactGraph, ContactHooks, Status};
use crate::impact::propagation::Cluster;
use crate::index::NONE;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::{Real, from_f64};
use crate::motion::{Mover, Path};
use crate::parallel::Helpers;
use crate::settings::Settings;
use crate::systems::pace::{is_fast, is_spinning};
use crate::systems::state::State;
use crate::tolerances::{SWEEP_HITS, TOUCH};
use hecs::World;
use next::{Met, Next};
use std::collections::BinaryHeap;
use strike::{Book, Mark, Room, Strike};

/// The bodies that are followed, and buffers kept between steps.
#[derive(Default)]
pub(crate) struct Sweep {
    /// The ways of bodies, in order of slots.
    ways: Vec<Way>,
    /// The way of each slot, or [`NONE`].
    place: Vec<u32>,
    /// Extra colliders, each with its body, sorted.
    extras: Vec<(u32, u32)>,
    books: Vec<Foretold>,
    pairs: Vec<(u32, u32)>,
    heap: BinaryHeap<Next>,
    cluster: Cluster,
    manifolds: Manifolds,
    /// Where colliders have touched in this step.
    marks: Vec<Mark>,
    /// Pairs of colliders that an impact in this step did not keep from closing: what they met was no surface, but an edge
    /// between the triangles of a mesh. From then on their cores alone count.
    grazing: Vec<(u32, u32)>,
    /// Whether all bodies are followed, for one that meets them all is on its way.
    all: bool,
}

/// What is ahead of some of the bodies.
#[derive(Default)]
struct Foretold {
    near: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    next: Vec<Next>,
}

/// Fewer bodies or pairs than this are not worth handing to another thread.
const LEAST_SHARE: usize = 64;

impl Sweep {
    /// Forgets the last step, and tells whether some body on its way may meet any other.
    pub(crate) fn begin(&mut self, bodies: &Bodies, colliders: &Colliders, dt: Real) {
        self.ways.clear();
        let meets_all = |slot: usize| match bodies.kind[slot] {
            Kind::Kinematic => bodies.fast[slot],
            Kind::Dynamic => {
                colliders.ccd[slot] && (bodies.fast[slot] || bodies.is_active(slot) && is_fast(bodies, slot, dt))
            }
            _ => false,
        };
        self.all = (0..bodies.slots()).any(meets_all);
    }

    /// Whether every body's way must be known.
    pub(crate) fn follows_all(&self) -> bool {
        self.all
    }

    /// Takes the way of a body in; in order of slots.
    pub(crate) fn add(&mut self, way: Way) {
        self.ways.push(way);
    }
}

/// What the game says of who meets whom.
pub(crate) struct Rules<'a> {
    pub world: &'a World,
    pub kernels: &'a PairKernels,
    pub hooks: &'a ContactHooks,
}

/// What the search reads.
struct Scene<'a> {
    rules: &'a Rules<'a>,
    bodies: &'a Bodies,
    colliders: &'a Colliders,
    contacts: &'a ContactGraph,
    tree: &'a crate::math::parry::partitioning::Bvh,
    dt: f64,
    touch: f64,
    settings: &'a Settings,
}

/// Follows the bodies that [`Sweep::add`] took in.
pub(crate) fn run(state: &mut State, rules: &Rules) {
    state.counts.swept = 0;
    state.counts.caught = 0;
    state.counts.stopped = 0;
    if !state.sweep.ways.iter().any(|way| way.travels) {
        return;
    }
    let mut sweep = std::mem::take(&mut state.sweep);
    sweep.index(&state.bodies, &state.colliders);
    let strike = Strike::new(state);
    let settings = &state.settings;
    let scene = Scene {
        rules,
        bodies: &state.bodies,
        colliders: &state.colliders,
        contacts: &state.contacts,
        tree: state.broad_phase.tree(),
        dt: f64::from(state.dt),
        touch: f64::from(TOUCH * state.settings.length_unit),
        settings,
    };
    sweep.predict_all(&scene, &state.helpers);
    while let Some(next) = sweep.heap.pop() {
        if next.versions != next.colliders.map(|c| sweep.version(&scene, c)) {
            continue;
        }
        let mut book = Book { events: &mut state.events, counts: &mut state.counts };
        sweep.meet(&scene, &strike, &next, &mut book);
    }
    state.counts.swept = sweep.ways.iter().filter(|way| way.travels).count();
    sweep.take_back(state);
    for way in &sweep.ways {
        sweep.place[way.slot as usize] = NONE;
    }
    state.sweep = sweep;
}

impl Sweep {
    fn index(&mut self, bodies: &Bodies, colliders: &Colliders) {
        self.heap.clear();
        self.marks.clear();
        self.grazing.clear();
        self.place.resize(bodies.slots(), NONE);
        for (index, way) in self.ways.iter().enumerate() {
            self.place[way.slot as usize] = index as u32;
        }
        self.extras.clear();
        let extra = |&slot: &usize| bodies.kind[slot] == Kind::Collider && colliders.is_live(slot);
        self.extras.extend((0..bodies.slots()).filter(extra).map(|slot| (colliders.body[slot], slot as u32)));
        self.extras.sort_unstable();
    }

    fn way_of(&self, slot: u32) -> Option<&Way> {
        self.ways.get(self.place[slot as usize] as usize)
    }

    fn version(&self, scene: &Scene, collider: u32) -> u32 {
        self.way_of(scene.colliders.body[collider as usize]).map_or(0, |way| way.version)
    }

    /// The path of a body from its last impact on.
    fn path(&self, scene: &Scene, slot: u32) -> Path {
        self.way_of(slot).map_or_else(|| Path::still(&scene.bodies.pose(slot as usize)), |way| way.path)
    }

    /// Looks for the first meeting of every pair.
    fn predict_all(&mut self, scene: &Scene, helpers: &Helpers) {
        let (mut pairs, mut books) = (std::mem::take(&mut self.pairs), std::mem::take(&mut self.books));
        pairs.clear();
        let used = helpers.in_shares(self.ways.len(), &mut books, LEAST_SHARE, &|share, book| {
            for index in share.filter(|&index| self.ways[index].travels) {
                self.list_pairs(scene, index, 0.0, book);
            }
        });
        for book in &mut books[..used] {
            pairs.append(&mut book.pairs);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let used = helpers.in_shares(pairs.len(), &mut books, LEAST_SHARE, &|share, book| {
            book.next.extend(pairs[share].iter().filter_map(|&pair| self.predict(scene, pair, 0.0)));
        });
        for book in &mut books[..used] {
            self.heap.extend(book.next.drain(..));
        }
        (self.pairs, self.books) = (pairs, books);
    }

    /// Looks for the next meetings of a body from the moment `t` on.
    fn predict_of(&mut self, scene: &Scene, index: usize, t: f64) {
        let mut books = std::mem::take(&mut self.books);
        let book = &mut books[0];
        self.list_pairs(scene, index, t, book);
        book.pairs.sort_unstable();
        let next = book.pairs.drain(..).filter_map(|pair| self.predict(scene, pair, t));
        book.next.extend(next);
        self.heap.extend(book.next.drain(..));
        self.books = books;
    }

    /// Adds the pairs of colliders that a body may meet from the moment `t` on.
    fn list_pairs(&self, scene: &Scene, index: usize, t: f64, Foretold { near, pairs, .. }: &mut Foretold) {
        let Scene { bodies, colliders, dt, .. } = *scene;
        let Way { slot, path, everything, .. } = self.ways[index];
        let [from, to] = [path.center_at(t), path.center_at(dt)];
        let bow = 0.125 * path.acceleration.length() * (dt - t) * (dt - t);
        let region = Aabb::new(from_f64(from.min(to)), from_f64(from.max(to)))
            .loosened(bodies.radius[slot as usize] + bow as Real + scene.touch as Real);
        near.clear();
        near.extend(scene.tree.intersect_aabb(&region));
        if everything || bodies.kind[slot as usize] == Kind::Kinematic {
            // The boxes of the tree were laid for the velocities before the impacts of this step.
            near.extend(self.ways.iter().filter(|way| way.version > 0 && way.slot != slot).map(|way| way.slot));
            near.sort_unstable();
            near.dedup();
        }
        let first = self.extras.partition_point(|&(body, _)| body < slot);
        let own = self.extras[first..].iter().take_while(|&&(body, _)| body == slot).map(|&(_, collider)| collider);
        for collider in own.chain(std::iter::once(slot)) {
            if !colliders.is_live(collider as usize) || colliders.sensor[collider as usize] {
                continue;
            }
            for &other in near.iter() {
                if self.may_meet(scene, (slot, everything), collider, other) {
                    pairs.push((collider.min(other), collider.max(other)));
                }
            }
        }
    }

    fn may_meet(&self, scene: &Scene, (slot, everything): (u32, bool), collider: u32, other: u32) -> bool {
        let Scene { bodies, colliders, .. } = *scene;
        let (c, o) = (collider as usize, other as usize);
        if !colliders.is_live(o) || colliders.sensor[o] || colliders.body[o] == slot {
            return false;
        }
        let theirs = colliders.body[o];
        let [mine, its] = [slot, theirs].map(|s| bodies.kind[s as usize] == Kind::Dynamic);
        let everything = everything || self.way_of(theirs).is_some_and(|way| way.everything);
        if !((mine || its) && (!(mine && its) || everything) && colliders.layers[c].meets(colliders.layers[o])) {
            return false;
        }
        let shape = |c: usize| colliders.geometry[c].as_ref().expect("a live collider has a shape");
        let entities = [c.min(o), c.max(o)].map(|slot| bodies.entity[slot]);
        scene.rules.kernels.leave(shape(c), shape(o)) && scene.rules.hooks.may_meet(scene.rules.world, entities)
    }

    /// The two colliders of a pair, the one that is made smaller where they touch already second: it must be dynamic.
    fn ordered(&self, scene: &Scene, (p, q): (u32, u32)) -> [u32; 2] {
        let size = |collider: u32| {
            let body = scene.colliders.body[collider as usize] as usize;
            if scene.bodies.kind[body] == Kind::Dynamic { scene.bodies.radius[body] } else { Real::INFINITY }
        };
        if size(p) < size(q) { [q, p] } else { [p, q] }
    }

    /// The next meeting of a pair of colliders from the moment `from` on.
    fn predict(&self, scene: &Scene, pair: (u32, u32), from: f64) -> Option<Next> {
        let colliders = self.ordered(scene, pair);
        let bodies = colliders.map(|c| scene.colliders.body[c as usize]);
        let paths = bodies.map(|slot| self.path(scene, slot));
        let [a, b] = [0, 1].map(|k| scene.mover(colliders[k], &paths[k]));
        // What touches at the step's start, or was close enough for a contact, the solver has seen to; but not to where it spins.
        let steady = |slot: u32| !is_spinning(scene.bodies, slot as usize, scene.dt as Real);
        let fresh = bodies.iter().all(|&slot| steady(slot) && self.way_of(slot).is_none_or(|way| way.hits == 0));
        let status = scene.contacts.find(pair.0, pair.1).map(|p| scene.contacts.status[p]).unwrap_or_default();
        if status.has(Status::DISABLED) {
            return None;
        }
        let dealt = fresh && status.has(Status::ACTIVE) || self.grazing.contains(&pair);
        let (meeting, met) = scene.first_meeting(&a, &b, from, dealt)?;
        let speed = -meeting.rate(&a, &b);
        let versions = colliders.map(|c| self.version(scene, c));
        Some(Next { meeting, met, speed, colliders, versions })
    }

    /// Two bodies meet.
    fn meet(&mut self, scene: &Scene, strike: &Strike, next: &Next, book: &mut Book) {
        let t = next.meeting.t;
        let places = next.colliders.map(|c| self.place[scene.colliders.body[c as usize] as usize]);
        let movable = places.map(|place| {
            let way = self.ways.get(place as usize);
            way.is_some_and(|way| scene.bodies.kind[way.slot as usize] == Kind::Dynamic && !way.stopped)
        });
        let through = next.met == Met::Through;
        let spent = |k: usize| through || self.ways[places[k] as usize].hits >= SWEEP_HITS;
        let ends = [0, 1].map(|k| movable[k] && spent(k));
        if ends != [false; 2] {
            for k in (0..2).filter(|&k| ends[k]) {
                self.ways[places[k] as usize].stop(t);
                book.counts.stopped += 1;
            }
        } else {
            if movable == [false; 2] {
                return;
            }
            book.counts.caught += 1;
            let paths = next.colliders.map(|c| self.path(scene, scene.colliders.body[c as usize]));
            let [p, q] = places;
            let room = Room { cluster: &mut self.cluster, manifolds: &mut self.manifolds, marks: &mut self.marks };
            let ways = [p, q].map(|place| self.ways.get(place as usize).copied());
            let after = strike.resolve(scene, next, ways, &paths, room, book);
            let [a, b] = [0, 1].map(|k| scene.mover(next.colliders[k], &after[k]));
            let [c, d] = next.colliders;
            let threshold = scene.threshold(&after[0], &after[1], next.meeting.normal, t);
            if next.met == Met::Surfaces && next.meeting.rate(&a, &b) < -threshold {
                self.grazing.push((c.min(d), c.max(d)));
            }
            let everything = ways.iter().flatten().any(|way| way.everything);
            for k in (0..2).filter(|&k| movable[k]) {
                let way = &mut self.ways[places[k] as usize];
                way.go_on(after[k]);
                way.everything |= everything;
            }
        }
        for k in (0..2).filter(|&k| movable[k]) {
            self.predict_of(scene, places[k] as usize, t);
        }
    }

    /// Where bodies that met something are at the step's end.
    fn take_back(&self, state: &mut State) {
        let State { bodies, resting, rest, dt, .. } = state;
        for way in self.ways.iter().filter(|way| way.version > 0) {
            let slot = way.slot as usize;
            rest.unpark_body(bodies, slot);
            way.write(bodies, f64::from(*dt));
            if let Some(residual) = resting.residual.get_mut(slot) {
                *residual = Real::INFINITY;
            }
        }
    }
}

impl<'a> Scene<'a> {
    fn mover<'b>(&self, collider: u32, path: &'b Path) -> Mover<'b>
    where
        'a: 'b,
    {
        let colliders: &'a Colliders = self.colliders;
        let shape = colliders.geometry[collider as usize].as_ref().expect("a live collider has a shape");
        Mover::new(shape, colliders.local[collider as usize], path)
    }
}
