//! Stage 8, **rest**: which islands hold still for good, and what wakes them.
//!
//! An island is parked when the impulses that its solver found hold every body in equilibrium, inside their cones, while no body
//! moves faster than a crawl. The exact laws prove it of the impulses of a single step. Those of the scalable solver swing
//! about their means; they hold a body in every step to a small fraction of gravity, and on the mean over all the steps for
//! which it has been still to as little as the exact laws ask for. (Its change of velocity over that time is what they leave of
//! its acceleration; and a mean of forces inside a cone is inside it.) Parked bodies have velocities of
//! exactly zero, keep their manifolds and impulses, and are left alone by every stage until something touches or changes
//! them; then the whole island wakes at once.

use crate::bodies::{Bodies, Kind, NONE};
use crate::contact::{Contact, Status};
use crate::event::Event;
use crate::kept::{copy_columns, copy_fields, stamp};
use crate::math::{Quat, Real, Vec3, turn_between};
use crate::settings::Accuracy;
use crate::state::{Changes, State};
use crate::systems::islands::{can_push, will_touch};
use crate::systems::resting::{self, Hands};
use crate::tolerances::{
    CERTIFICATE_EXACT, CERTIFICATE_GAME, CERTIFY_STEPS, IMPACT_TOUCH, REST_RESIDUAL, REST_SPEED, REST_STEPS,
    SWING_PATIENCE, WEIGHTLESS,
};

/// The parked islands, and how long each body has been still.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Rest {
    /// Members of each parked island, by slot; empty where the number is free.
    islands: Vec<Vec<u32>>,
    /// The length (s) of the step in which each was parked: what its impulses were carried over.
    steps: Vec<Real>,
    vacant: Vec<u32>,
    /// Of islands, their steps and what is vacant: another one whenever any of them changes.
    #[cfg_attr(feature = "serialize", serde(skip, default = "stamp"))]
    edition: u64,
    /// How long each slot has been still. Changes only with the slot's stamp of motion.
    stillness: Vec<Stillness>,
    /// Islands that are slow and swing, to be asked whether they could rest.
    #[cfg_attr(feature = "serialize", serde(skip))]
    swinging: Vec<usize>,
    /// Bodies that a joint leads along with something kinematic that moves.
    #[cfg_attr(feature = "serialize", serde(skip))]
    led: Vec<bool>,
    /// Slots woken since the last events were written.
    woken: Vec<u32>,
    /// Slots woken since contacts were last solved, each with the length of the step that it was parked in.
    stale: Vec<(u32, Real)>,
    parked: Vec<u32>,
    count: usize,
}

/// How long a body has been still.
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Stillness {
    /// Steps for which it has been still, and its velocities after the first of them.
    still: u16,
    began: [Vec3; 2],
    /// Steps for which it has been slow, [`SWING_PATIENCE`] times each, or has stayed where it was, and where that was.
    slow: u16,
    stays: Place,
}

impl Stillness {
    /// It must be still anew.
    fn forget(&mut self) {
        (self.still, self.slow) = (0, 0);
    }
}

/// Where a body is.
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Place {
    center: Vec3,
    orientation: Quat,
}

impl Place {
    fn of(bodies: &Bodies, slot: usize) -> Self {
        Self { center: bodies.center[slot], orientation: bodies.orientation[slot] }
    }

    /// How far any point of a body of this radius has got since it was at `start`, at most (m).
    fn way_from(&self, start: &Self, radius: Real) -> Real {
        (self.center - start.center).length() + radius * turn_between(start.orientation, self.orientation)
    }
}

impl Rest {
    /// Copies what outlives a step; of what each slot has only the `places` where bodies moved, or all.
    pub(crate) fn copy_kept(&mut self, from: &Self, places: Option<&[u32]>) {
        // All are named, so that a new field is thought of here; these two live within a step only.
        let Self {
            swinging: _,
            led: _,
            islands: _,
            steps: _,
            vacant: _,
            edition: _,
            stillness: _,
            woken: _,
            stale: _,
            parked: _,
            count: _,
        } = from;
        let places = places.filter(|_| self.stillness.len() == from.stillness.len());
        copy_columns!(self, from, places; stillness);
        copy_fields!(self, from; woken, stale, parked);
        if self.edition != from.edition {
            copy_fields!(self, from; islands, steps, vacant, count, edition);
        }
    }

    /// Whether islands and bodies agree about who is parked.
    ///
    /// # Errors
    /// What is wrong.
    #[cfg(feature = "serialize")]
    pub(crate) fn check_sound(&self, bodies: &Bodies) -> Result<(), &'static str> {
        let mut parked = vec![NONE; bodies.slots()];
        for (island, members) in self.islands.iter().enumerate() {
            for &slot in members {
                match parked.get_mut(slot as usize) {
                    Some(of) if *of == NONE => *of = island as u32,
                    _ => return Err("a parked island"),
                }
            }
        }
        let mut vacant = self.vacant.clone();
        vacant.sort_unstable();
        vacant.dedup();
        let free = |&island: &u32| self.islands.get(island as usize).is_some_and(Vec::is_empty);
        let count: usize = self.islands.iter().map(Vec::len).sum();
        let known = |slot: usize| bodies.parked[slot] == NONE || self.stillness.len() > slot;
        let sound = parked == bodies.parked
            && count == self.count
            && vacant.len() == self.vacant.len()
            && vacant.iter().all(free)
            && (0..bodies.slots()).all(known)
            && self.woken.is_empty()
            && self.parked.is_empty()
            && self.stillness.iter().flat_map(|stillness| stillness.began).all(Vec3::is_finite)
            && self.steps.len() == self.islands.len()
            && self
                .steps
                .iter()
                .chain(self.stale.iter().map(|(_, step)| step))
                .all(|&step| step > 0.0 && step.is_finite())
            && self.stale.iter().all(|&(slot, _)| (slot as usize) < bodies.slots());
        if sound { Ok(()) } else { Err("what is parked") }
    }

    /// Wakes the island of a body, if it is parked.
    pub(crate) fn unpark_body(&mut self, bodies: &mut Bodies, slot: usize) {
        if bodies.parked[slot] != NONE {
            self.unpark(bodies, bodies.parked[slot]);
        }
    }

    fn unpark(&mut self, bodies: &mut Bodies, island: u32) {
        let members = std::mem::take(&mut self.islands[island as usize]);
        self.count -= members.len();
        self.edition = stamp();
        for &slot in &members {
            bodies.parked[slot as usize] = NONE;
            bodies.moved[slot as usize] = self.edition;
            self.stillness[slot as usize].forget();
            self.stale.push((slot, self.steps[island as usize]));
        }
        self.woken.extend(members);
        self.vacant.push(island);
    }

    fn park(&mut self, bodies: &mut Bodies, members: &[u32], step: Real) {
        let island = self.vacant.pop().unwrap_or_else(|| {
            self.islands.push(Vec::new());
            self.steps.push(step);
            self.islands.len() as u32 - 1
        });
        self.edition = stamp();
        self.steps[island as usize] = step;
        self.islands[island as usize].extend_from_slice(members);
        self.count += members.len();
        self.parked.extend_from_slice(members);
        for &slot in members {
            let slot = slot as usize;
            bodies.parked[slot] = island;
            bodies.linear_velocity[slot] = Vec3::ZERO;
            bodies.angular_velocity[slot] = Vec3::ZERO;
            bodies.dirty[slot] = true;
        }
    }

    /// Forgets that a body was woken whose slot is vacant now: a newcomer may take it in the same step.
    pub(crate) fn forget_vacant(&mut self, bodies: &Bodies) {
        self.woken.retain(|&slot| bodies.kind[slot as usize] != Kind::Vacant);
    }

    /// The length of the step (s) that the impulses of a body's contacts were carried over, if it is parked.
    pub(crate) fn step_of(&self, bodies: &Bodies, slot: u32) -> Option<Real> {
        let island = bodies.parked[slot as usize];
        (island != NONE).then(|| self.steps[island as usize])
    }

    /// The number of parked islands.
    pub(crate) fn island_count(&self) -> usize {
        self.islands.len() - self.vacant.len()
    }

    /// The number of parked bodies.
    pub(crate) fn body_count(&self) -> usize {
        self.count
    }
}

/// Wakes what the game changed, and what rests on a changed support.
pub(crate) fn wake_changed(state: &mut State) {
    if state.rest.count == 0 {
        return;
    }
    if !state.settings.rest || state.gravity_changed {
        wake_all(state);
        return;
    }
    if state.changes.is_empty() {
        return;
    }
    let mut changed = vec![false; state.bodies.slots()];
    let removed = state.changes.removed.iter().map(|r| r.0);
    let Changes { woken, reshaped, refreshed, .. } = &state.changes;
    for slot in woken.iter().chain(reshaped).chain(refreshed).copied().chain(removed) {
        changed[slot as usize] = true;
        state.rest.unpark_body(&mut state.bodies, slot as usize);
    }
    for pair in 0..state.contacts.pairs.len() {
        let p = state.contacts.pairs[pair];
        if p.a == NONE || !state.contacts.status[pair].has(Status::ACTIVE) {
            continue;
        }
        let [a, b] = [p.a, p.b].map(|c| (c, state.colliders.body[c as usize]));
        for ((collider, body), (_, other)) in [(a, b), (b, a)] {
            let gone = changed[collider as usize] || body == NONE || changed[body as usize];
            if gone && other != NONE {
                state.rest.unpark_body(&mut state.bodies, other as usize);
            }
        }
    }
}

/// Wakes everything.
pub(crate) fn wake_all(state: &mut State) {
    for island in 0..state.rest.islands.len() as u32 {
        if !state.rest.islands[island as usize].is_empty() {
            state.rest.unpark(&mut state.bodies, island);
        }
    }
}

/// Wakes parked islands that something is about to touch, and again what those touch, until nothing more wakes.
pub(crate) fn wake_touched(state: &mut State) {
    let closed = IMPACT_TOUCH * state.settings.length_unit;
    while state.rest.count > 0 {
        let before = state.rest.count;
        for k in 0..state.awake.pairs.len() {
            let pair = state.awake.pairs[k] as usize;
            if !state.contacts.status[pair].has(Status::ACTIVE) {
                continue;
            }
            let p = state.contacts.pairs[pair];
            let [a, b] = [p.a, p.b].map(|c| state.colliders.body[c as usize] as usize);
            let bodies = &state.bodies;
            let (parked_a, parked_b) = (bodies.parked[a] != NONE, bodies.parked[b] != NONE);
            if parked_a == parked_b || !can_push(bodies, if parked_a { b } else { a }) {
                continue;
            }
            let manifolds = state.contacts.manifolds_of(pair);
            if manifolds.iter().any(|manifold| will_touch(bodies, a, b, manifold, state.dt, closed)) {
                state.rest.unpark_body(&mut state.bodies, if parked_a { a } else { b });
            }
        }
        for joint in 0..state.joints.slots() {
            let [a, b] = state.joints.bodies[joint];
            let bodies = &state.bodies;
            let parked = |slot: u32| slot != NONE && bodies.parked[slot as usize] != NONE;
            let pushes = |slot: u32| slot != NONE && can_push(bodies, slot as usize);
            let wakes = [(a, b), (b, a)].into_iter().find(|&(sleeper, other)| parked(sleeper) && pushes(other));
            if let Some((sleeper, _)) = wakes.filter(|_| state.joints.holds(joint)) {
                state.rest.unpark_body(&mut state.bodies, sleeper as usize);
            }
        }
        if state.rest.count == before {
            break;
        }
        state.awake.update(&state.bodies, &state.colliders.body, &state.contacts);
    }
}

/// Brings the impulses of what was woken from those of the steps in which it was parked to those of the last step, which
/// the solvers go on from.
pub(crate) fn renew_impulses(state: &mut State, last: Real) {
    let State { contacts, rest, bodies, .. } = state;
    if rest.stale.iter().any(|&(_, step)| step != last) && last > 0.0 {
        let mut scale = vec![1.0; bodies.slots()];
        for &(slot, step) in &rest.stale {
            scale[slot as usize] = last / step;
        }
        for c in &contacts.contacts {
            let by = if scale[c.a as usize] == 1.0 { scale[c.b as usize] } else { scale[c.a as usize] };
            if by != 1.0 {
                contacts.manifolds[c.manifold as usize].scale_impulses(by);
            }
        }
    }
    rest.stale.clear();
}

/// Runs the stage.
pub fn run(state: &mut State) {
    let State { bodies, contacts, islands, joints, rest, resting, settings, dt, .. } = state;
    rest.stillness.resize(bodies.slots(), Stillness::default());
    rest.led.clear();
    rest.led.resize(bodies.slots(), false);
    for &joint in &joints.acting {
        let [a, b] = joints.bodies[joint as usize];
        for (body, other) in [(a, b), (b, a)] {
            if body != NONE && other != NONE {
                rest.led[body as usize] |= is_moving_platform(bodies, other as usize);
            }
        }
    }
    let unit = settings.length_unit;
    let near = REST_SPEED * unit * *dt * Real::from(CERTIFY_STEPS);
    let gravity = settings.gravity.length().max(WEIGHTLESS as Real * unit);
    let certificate = match settings.accuracy {
        Accuracy::Game => CERTIFICATE_GAME as Real,
        Accuracy::Exact => CERTIFICATE_EXACT as Real,
    };
    for (number, island) in islands.islands.iter().enumerate() {
        let members = &islands.bodies[island.body_range()];
        let (mut least, mut slowest, mut held_on_the_mean) = (u16::MAX, u16::MAX, true);
        for &slot in members {
            let slot = slot as usize;
            let moving =
                bodies.linear_velocity[slot].length() + bodies.angular_velocity[slot].length() * bodies.radius[slot];
            let velocities = [bodies.linear_velocity[slot], bodies.angular_velocity[slot]];
            let stillness = &mut rest.stillness[slot];
            if stillness.still == 0 {
                stillness.began = velocities;
            }
            let held = match resting.hands[number] {
                Hands::Exact { rests } => rests,
                Hands::Scalable | Hands::Joined => {
                    let [linear, angular] = [0, 1].map(|k| (velocities[k] - stillness.began[k]).length());
                    let time = Real::from(stillness.still) * *dt;
                    held_on_the_mean &= linear.max(angular * bodies.radius[slot]) <= certificate * gravity * time;
                    resting.residual[slot] <= REST_RESIDUAL * gravity
                }
            };
            let is_slow = moving <= REST_SPEED * unit && !bodies.edited[slot];
            // What swings from step to step on the springs may be faster than it ever gets on.
            let place = Place::of(bodies, slot);
            let stays = || !bodies.edited[slot] && place.way_from(&stillness.stays, bodies.radius[slot]) <= near;
            if is_slow || stays() {
                stillness.slow = stillness.slow.saturating_add(if is_slow { SWING_PATIENCE } else { 1 });
            } else {
                (stillness.slow, stillness.stays) = (0, place);
            }
            slowest = slowest.min(stillness.slow);
            let still = held && is_slow;
            stillness.still = if still { stillness.still.saturating_add(1) } else { 0 };
            least = least.min(stillness.still);
        }
        // What a platform carries moves with it, however slowly.
        let carried = |c: &Contact| [c.a, c.b].into_iter().any(|slot| is_moving_platform(bodies, slot as usize));
        let led = members.iter().any(|&slot| rest.led[slot as usize])
            || contacts.contacts[island.contact_range()].iter().any(carried);
        if !settings.rest || led {
            continue;
        }
        if least >= REST_STEPS && held_on_the_mean {
            rest.park(bodies, members, *dt);
        } else if slowest >= CERTIFY_STEPS * SWING_PATIENCE && !matches!(resting.hands[number], Hands::Exact { .. }) {
            rest.swinging.push(number);
        }
    }
    // A body that left its island must be still anew.
    for slot in 0..bodies.slots() {
        if bodies.kind[slot] == Kind::Dynamic && islands.of[slot] == NONE && bodies.parked[slot] == NONE {
            rest.stillness[slot].forget();
        }
    }
    park_swinging(state);
    let State { rest, counts, .. } = state;
    counts.parked_islands = rest.island_count();
    counts.parked = rest.body_count();
}

/// Parks islands that swing too slowly to be seen, if there are forces to hold them; asks the others again later.
fn park_swinging(state: &mut State) {
    for number in std::mem::take(&mut state.rest.swinging) {
        let rests = resting::certify(state, number);
        let State { bodies, islands, rest, dt, .. } = state;
        let members = &islands.bodies[islands.islands[number].body_range()];
        if rests {
            rest.park(bodies, members, *dt);
        } else {
            members.iter().for_each(|&slot| rest.stillness[slot as usize].slow = 0);
        }
    }
}

fn is_moving_platform(bodies: &Bodies, slot: usize) -> bool {
    bodies.kind[slot] == Kind::Kinematic && bodies.is_moving(slot)
}

/// Writes the events of parking and waking, in order of slots.
pub(crate) fn events(state: &mut State) {
    let State { bodies, rest, events, .. } = state;
    for (list, woken) in [(&mut rest.woken, true), (&mut rest.parked, false)] {
        list.sort_unstable();
        for &slot in list.iter().filter(|&&slot| bodies.kind[slot as usize] == Kind::Dynamic) {
            let entity = bodies.entity[slot as usize];
            events.push(if woken { Event::Woken { entity } } else { Event::Parked { entity } });
        }
        list.clear();
    }
}
