//! Stage 9, second half: **continuous collision detection** (CCD). Bodies that move or rotate far
//! in a step are swept along their trajectories, and collide at the right moment.
//!
//! Contacts at the step's start cover the neighbourhood only. A body that moves by more than half
//! its size, or rotates beyond linear motion, may hit distant bodies, or another side. Between it
//! and static or kinematic bodies (and all others, if it is marked [`Ccd`](crate::components::Ccd))
//! the narrow phase reports only touching contacts, and the others are found here by
//! [`time_of_impact`](crate::motion::time_of_impact). The impact is resolved by the propagation law
//! at its moment, and both bodies continue for the rest of the step (the adaptive step of Baber
//! 2006, section 3.3). Each body has its own time; no other body is advanced.
//!
//! A body stops for the rest of the step, and is counted, with more than `SWEEP_HITS` impacts, and where
//! the search ends because it turns too often in a step.

mod first_contact;
mod input;
mod swept_body;
mod toi_event;
mod toi_impact;

pub(crate) use input::CollisionRules;
pub(crate) use swept_body::{StepMotion, StepStart, SweptBody};

use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::contact::Status;
use crate::contact::kernels::Manifolds;
use crate::ids::NONE;
use crate::impact::propagation::Cluster;
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::partitioning::Bvh;
use crate::math::{Real, from_f64};
use crate::motion::Trajectory;
use crate::parallel::WorkerPool;
use crate::state::State;
use crate::systems::fast_bodies::{is_fast, is_spinning};
use crate::systems::pair_rules::{ignore_each_other, is_sensor_pair};
use crate::tolerances::CONTACT;
use input::CcdInput;
use std::collections::BinaryHeap;
use toi_event::{ToiEvent, ToiKind};
use toi_impact::{Buffers, ImpactLog, ImpactResolver, PastContact};

/// Cap on the impacts of a swept body in a step, after which it stops and is counted. Larger:
/// jammed bodies cost more. Smaller: balls that rattle between walls stop for parts of steps.
const SWEEP_HITS: u32 = 16;

/// The swept bodies, and buffers kept between steps.
#[derive(Default)]
pub(crate) struct CcdStage {
    /// Swept bodies, in order of slots.
    swept_bodies: Vec<SweptBody>,
    /// Swept body of each slot, or [`NONE`].
    index_of: Vec<u32>,
    /// Extra colliders, each with its body, sorted.
    extras: Vec<(u32, u32)>,
    predictions: Vec<Predictions>,
    pairs: Vec<(u32, u32)>,
    queue: BinaryHeap<ToiEvent>,
    cluster: Cluster,
    manifolds: Manifolds,
    /// Earlier contacts of colliders in this step.
    past_contacts: Vec<PastContact>,
    /// Pairs of colliders that still approach after an impact in this step: the contact was an
    /// internal edge between triangles of a mesh. From then on only their cores count.
    grazing: Vec<(u32, u32)>,
    /// True if all bodies are swept, because one that collides with all of them is fast.
    all: bool,
}

/// Predicted events of a share of the bodies.
#[derive(Default)]
struct Predictions {
    near: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    events: Vec<ToiEvent>,
}

/// Minimum number of bodies or pairs for another thread.
const MIN_CHUNK: usize = 64;

impl CcdStage {
    /// Clears the last step, and determines whether all bodies must be swept.
    pub(crate) fn begin(&mut self, bodies: &Bodies, active: &[u32], colliders: &Colliders, dt: Real) {
        self.swept_bodies.clear();
        self.past_contacts.clear();
        let sweeps_all = |slot: usize| match bodies.kind[slot] {
            Kind::Kinematic => bodies.fast[slot],
            Kind::Dynamic => {
                colliders.ccd[slot] && (bodies.fast[slot] || bodies.is_active(slot) && is_fast(bodies, slot, dt))
            }
            _ => false,
        };
        self.all = active.iter().any(|&slot| sweeps_all(slot as usize));
    }

    /// The colliders of this step's impacts.
    pub(crate) fn collisions(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.past_contacts.iter().map(|past| past.colliders)
    }

    /// True if all bodies are swept.
    pub(crate) fn sweeps_all(&self) -> bool {
        self.all
    }

    /// True if any body is to be swept.
    pub(crate) fn is_needed(&self) -> bool {
        self.swept_bodies.iter().any(|swept| swept.continuous)
    }

    /// Adds a swept body; in order of slots.
    pub(crate) fn add(&mut self, swept: SweptBody) {
        self.swept_bodies.push(swept);
    }
}

/// Runs CCD for the added bodies.
pub(crate) fn run(state: &mut State, ccd: &mut CcdStage, residual: &mut [Real], tree: &Bvh, rules: &CollisionRules) {
    state.counts.ccd_bodies = 0;
    state.counts.ccd_impacts = 0;
    state.counts.ccd_stopped = 0;
    if !ccd.is_needed() {
        return;
    }
    ccd.swept_bodies.retain(|swept| !state.quarantine.contains(swept.slot));
    ccd.index(&state.bodies, &state.colliders);
    let resolver = ImpactResolver::new(state);
    let settings = &state.settings;
    let input = CcdInput {
        rules,
        bodies: &state.bodies,
        colliders: &state.colliders,
        contacts: &state.contacts,
        quarantine: &state.quarantine,
        tree,
        dt: f64::from(state.dt),
        touch: f64::from(CONTACT.touch * state.settings.length_unit),
        settings,
    };
    ccd.predict_all(&input, &state.helpers);
    while let Some(event) = ccd.queue.pop() {
        if event.versions != event.colliders.map(|c| ccd.version(&input, c)) {
            continue;
        }
        let mut log = ImpactLog { events: &mut state.events, counts: &mut state.counts };
        ccd.resolve_event(&input, &resolver, &event, &mut log);
    }
    state.counts.ccd_bodies = ccd.swept_bodies.iter().filter(|swept| swept.continuous).count();
    ccd.write_back(state, residual);
    for swept in &ccd.swept_bodies {
        ccd.index_of[swept.slot as usize] = NONE;
    }
}

impl CcdStage {
    fn index(&mut self, bodies: &Bodies, colliders: &Colliders) {
        self.queue.clear();
        self.grazing.clear();
        self.index_of.resize(bodies.slots(), NONE);
        for (index, swept) in self.swept_bodies.iter().enumerate() {
            self.index_of[swept.slot as usize] = index as u32;
        }
        self.extras.clear();
        let extra = |&slot: &usize| bodies.kind[slot] == Kind::Collider && colliders.is_live(slot);
        self.extras.extend((0..bodies.slots()).filter(extra).map(|slot| (colliders.body[slot], slot as u32)));
        self.extras.sort_unstable();
    }

    fn swept_body(&self, slot: u32) -> Option<&SweptBody> {
        self.swept_bodies.get(self.index_of[slot as usize] as usize)
    }

    fn version(&self, input: &CcdInput, collider: u32) -> u32 {
        self.swept_body(input.colliders.body[collider as usize]).map_or(0, |swept| swept.version)
    }

    /// The trajectory of a body from its last impact on.
    fn trajectory(&self, input: &CcdInput, slot: u32) -> Trajectory {
        self.swept_body(slot)
            .map_or_else(|| Trajectory::still(&input.bodies.pose(slot as usize)), |swept| swept.trajectory.clone())
    }

    /// Predicts the first impact of every pair.
    fn predict_all(&mut self, input: &CcdInput, helpers: &WorkerPool) {
        let (mut pairs, mut predictions) = (std::mem::take(&mut self.pairs), std::mem::take(&mut self.predictions));
        pairs.clear();
        let used =
            helpers.for_each_chunk_with(self.swept_bodies.len(), &mut predictions, MIN_CHUNK, &|share, predicted| {
                for index in share.filter(|&index| self.swept_bodies[index].continuous) {
                    self.list_pairs(input, index, 0.0, predicted);
                }
            });
        for predicted in &mut predictions[..used] {
            pairs.append(&mut predicted.pairs);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let used = helpers.for_each_chunk_with(pairs.len(), &mut predictions, MIN_CHUNK, &|share, predicted| {
            predicted.events.extend(pairs[share].iter().filter_map(|&pair| self.predict(input, pair, 0.0)));
        });
        for predicted in &mut predictions[..used] {
            self.queue.extend(predicted.events.drain(..));
        }
        (self.pairs, self.predictions) = (pairs, predictions);
    }

    /// Predicts the next impacts of a body from the moment `t` on.
    fn predict_of(&mut self, input: &CcdInput, index: usize, t: f64) {
        let mut predictions = std::mem::take(&mut self.predictions);
        let predicted = &mut predictions[0];
        self.list_pairs(input, index, t, predicted);
        predicted.pairs.sort_unstable();
        let event = predicted.pairs.drain(..).filter_map(|pair| self.predict(input, pair, t));
        predicted.events.extend(event);
        self.queue.extend(predicted.events.drain(..));
        self.predictions = predictions;
    }

    /// Adds the pairs of colliders that a body may hit from the moment `t` on.
    fn list_pairs(&self, input: &CcdInput, index: usize, t: f64, Predictions { near, pairs, .. }: &mut Predictions) {
        let CcdInput { bodies, colliders, dt, .. } = *input;
        let SweptBody { slot, ref trajectory, bullet, .. } = self.swept_bodies[index];
        let [from, to] = [trajectory.center_at(t), trajectory.center_at(dt)];
        let bow = 0.125 * trajectory.acceleration.length() * (dt - t) * (dt - t);
        let region = Aabb::new(from_f64(from.min(to)), from_f64(from.max(to)))
            .loosened(bodies.radius[slot as usize] + bow as Real + input.touch as Real);
        near.clear();
        near.extend(input.tree.intersect_aabb(&region));
        if bullet || bodies.kind[slot as usize] == Kind::Kinematic {
            // The tree's boxes are for the velocities before the impacts of this step.
            near.extend(
                self.swept_bodies
                    .iter()
                    .filter(|swept| swept.version > 0 && swept.slot != slot)
                    .map(|swept| swept.slot),
            );
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
                if self.may_meet(input, (slot, bullet), collider, other) {
                    pairs.push((collider.min(other), collider.max(other)));
                }
            }
        }
    }

    fn may_meet(&self, input: &CcdInput, (slot, bullet): (u32, bool), collider: u32, other: u32) -> bool {
        let CcdInput { bodies, colliders, .. } = *input;
        let (c, o) = (collider as usize, other as usize);
        if !colliders.is_live(o) || is_sensor_pair(bodies, colliders, [c, o]) || colliders.body[o] == slot {
            return false;
        }
        let theirs = colliders.body[o];
        if input.quarantine.contains(theirs) {
            return false;
        }
        let [mine, its] = [slot, theirs].map(|s| bodies.kind[s as usize] == Kind::Dynamic);
        let bullet = bullet || self.swept_body(theirs).is_some_and(|swept| swept.bullet);
        let meet = colliders.layers[c].meets(colliders.layers[o]) && !ignore_each_other(bodies, colliders, [c, o]);
        if !((mine || its) && (!(mine && its) || bullet) && meet) {
            return false;
        }
        let shape = |c: usize| colliders.geometry[c].as_ref().expect("a live collider has a shape");
        let entities = [c.min(o), c.max(o)].map(|slot| bodies.entity[slot]);
        input.rules.kernels.uses_builtin_kernels(shape(c), shape(o))
            && input.rules.hooks.may_collide(input.rules.world, entities)
    }

    /// The two colliders of a pair, second the one that is shrunk if they touch already: it must be
    /// dynamic.
    fn ordered(&self, input: &CcdInput, (p, q): (u32, u32)) -> [u32; 2] {
        let size = |collider: u32| {
            let body = input.colliders.body[collider as usize] as usize;
            if input.bodies.kind[body] == Kind::Dynamic { input.bodies.radius[body] } else { Real::INFINITY }
        };
        if size(p) < size(q) { [q, p] } else { [p, q] }
    }

    /// The next impact of a pair of colliders from the moment `from` on.
    fn predict(&self, input: &CcdInput, pair: (u32, u32), from: f64) -> Option<ToiEvent> {
        let colliders = self.ordered(input, pair);
        let bodies = colliders.map(|c| input.colliders.body[c as usize]);
        let trajectories = bodies.map(|slot| self.trajectory(input, slot));
        let [a, b] = [0, 1].map(|k| input.swept_shape(colliders[k], &trajectories[k]));
        // The solver has handled contacts of the step's start, except on spinning bodies.
        let steady = |slot: u32| !is_spinning(input.bodies, slot as usize, input.dt as Real);
        let fresh =
            bodies.iter().all(|&slot| steady(slot) && self.swept_body(slot).is_none_or(|swept| swept.impacts == 0));
        let status = input.contacts.find(pair.0, pair.1).map(|p| input.contacts.status[p]).unwrap_or_default();
        if status.has(Status::DISABLED) {
            return None;
        }
        let surface_handled = fresh && status.has(Status::ACTIVE) || self.grazing.contains(&pair);
        let immovable = input.bodies.kind[bodies[0] as usize] != Kind::Dynamic;
        let (toi, kind) = input.first_event(&a, &b, from, (surface_handled, immovable))?;
        let speed = -toi.rate(&a, &b);
        let versions = colliders.map(|c| self.version(input, c));
        Some(ToiEvent { toi, kind, speed, colliders, versions })
    }

    /// Resolves an event between two bodies.
    fn resolve_event(&mut self, input: &CcdInput, resolver: &ImpactResolver, event: &ToiEvent, log: &mut ImpactLog) {
        let t = event.toi.t;
        let indices = event.colliders.map(|c| self.index_of[input.colliders.body[c as usize] as usize]);
        let movable = indices.map(|index| {
            let swept = self.swept_bodies.get(index as usize);
            swept.is_some_and(|swept| input.bodies.kind[swept.slot as usize] == Kind::Dynamic && !swept.stopped)
        });
        let must_stop = matches!(event.kind, ToiKind::PassedThrough | ToiKind::Unknown);
        let spent = |k: usize| must_stop || self.swept_bodies[indices[k] as usize].impacts >= SWEEP_HITS;
        let ends = [0, 1].map(|k| movable[k] && spent(k));
        if ends != [false; 2] {
            for k in (0..2).filter(|&k| ends[k]) {
                self.swept_bodies[indices[k] as usize].stop(t);
                log.counts.ccd_stopped += 1;
            }
        } else {
            if movable == [false; 2] {
                return;
            }
            log.counts.ccd_impacts += 1;
            let trajectories = event.colliders.map(|c| self.trajectory(input, input.colliders.body[c as usize]));
            let [p, q] = indices;
            let buffers = Buffers {
                cluster: &mut self.cluster,
                manifolds: &mut self.manifolds,
                past_contacts: &mut self.past_contacts,
            };
            let swept_bodies = [p, q].map(|index| self.swept_bodies.get(index as usize).cloned());
            let after = resolver.resolve(input, event, &swept_bodies, &trajectories, buffers, log);
            let [a, b] = [0, 1].map(|k| input.swept_shape(event.colliders[k], &after[k]));
            let [c, d] = event.colliders;
            let threshold = input.threshold(&after[0], &after[1], event.toi.normal, t);
            if event.kind == ToiKind::Surfaces && event.toi.rate(&a, &b) < -threshold {
                self.grazing.push((c.min(d), c.max(d)));
            }
            let bullet = swept_bodies.iter().flatten().any(|swept| swept.bullet);
            for (k, trajectory) in after.into_iter().enumerate().filter(|(k, _)| movable[*k]) {
                let swept = &mut self.swept_bodies[indices[k] as usize];
                swept.continue_along(trajectory);
                swept.bullet |= bullet;
            }
        }
        for k in (0..2).filter(|&k| movable[k]) {
            self.predict_of(input, indices[k] as usize, t);
        }
    }

    /// Writes back bodies with impacts at the step's end.
    fn write_back(&self, state: &mut State, residual: &mut [Real]) {
        let State { bodies, sleep: rest, dt, .. } = state;
        for swept in self.swept_bodies.iter().filter(|swept| swept.version > 0) {
            let slot = swept.slot as usize;
            rest.wake_body(bodies, slot);
            swept.write(bodies, f64::from(*dt));
            if let Some(residual) = residual.get_mut(slot) {
                *residual = Real::INFINITY;
            }
        }
    }
}
