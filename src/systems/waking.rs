//! Wakes sleeping islands: because of the game's changes, a changed support, or an imminent
//! contact. A whole island wakes at once.

use crate::bodies::{Bodies, Kind};
use crate::contact::{Manifold, Status};
use crate::ids::NONE;
use crate::math::Real;
use crate::math::parry::bounding_volume::Aabb;
use crate::sleep::SleepState;
use crate::state::{Changes, State};
use crate::tolerances::IMPACTS;

/// Wakes changed bodies, and bodies in contact with a changed or removed one.
pub(crate) fn wake_changed(state: &mut State) {
    if state.sleep.body_count() == 0 {
        return;
    }
    if !state.settings.sleep || state.gravity_changed {
        state.sleep.wake_all(&mut state.bodies);
        return;
    }
    if state.changes.is_empty() {
        return;
    }
    let mut changed = vec![false; state.bodies.slots()];
    let removed = state.changes.removed.iter().map(|r| r.0);
    let Changes { woken, reshaped, refreshed, mended, .. } = &state.changes;
    for slot in woken.iter().chain(reshaped).chain(refreshed).copied().chain(removed) {
        changed[slot as usize] = true;
        state.sleep.wake_body(&mut state.bodies, slot as usize);
    }
    for &(slot, region) in mended {
        changed[slot as usize] = false;
        if !region.mins.cmple(region.maxs).all() {
            continue;
        }
        wake_near(&mut state.sleep, &mut state.bodies, &region);
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
                state.sleep.wake_body(&mut state.bodies, other as usize);
            }
        }
    }
}

/// Wakes the islands of all bodies that reach into a box.
fn wake_near(sleep: &mut SleepState, bodies: &mut Bodies, region: &Aabb) {
    for slot in 0..bodies.slots() {
        let center = bodies.center[slot];
        if bodies.kind[slot] == Kind::Dynamic
            && center.clamp(region.mins, region.maxs).distance(center) <= bodies.radius[slot]
        {
            sleep.wake_body(bodies, slot);
        }
    }
}

/// Wakes sleeping islands that are about to be touched by an awake body, and those that they touch
/// in turn, until no more wake.
pub(crate) fn wake_touched(state: &mut State) {
    let closed = IMPACTS.resolution * state.settings.length_unit;
    while state.sleep.body_count() > 0 {
        let before = state.sleep.body_count();
        for k in 0..state.active_set.pairs.len() {
            let pair = state.active_set.pairs[k] as usize;
            if !state.contacts.status[pair].has(Status::ACTIVE) {
                continue;
            }
            let p = state.contacts.pairs[pair];
            let [a, b] = [p.a, p.b].map(|c| state.colliders.body[c as usize] as usize);
            let bodies = &state.bodies;
            let (asleep_a, asleep_b) = (bodies.sleeping_island[a] != NONE, bodies.sleeping_island[b] != NONE);
            if asleep_a == asleep_b || !can_push(bodies, if asleep_a { b } else { a }) {
                continue;
            }
            let manifolds = state.contacts.manifolds_of(pair);
            if manifolds.iter().any(|manifold| will_touch(bodies, a, b, manifold, state.dt, closed)) {
                state.sleep.wake_body(&mut state.bodies, if asleep_a { a } else { b });
            }
        }
        for joint in 0..state.joints.slots() {
            let [a, b] = state.joints.bodies[joint];
            let bodies = &state.bodies;
            let asleep = |slot: u32| slot != NONE && bodies.sleeping_island[slot as usize] != NONE;
            let pushes = |slot: u32| slot != NONE && can_push(bodies, slot as usize);
            let wakes = [(a, b), (b, a)].into_iter().find(|&(sleeper, other)| asleep(sleeper) && pushes(other));
            if let Some((sleeper, _)) = wakes.filter(|_| state.joints.holds(joint)) {
                state.sleep.wake_body(&mut state.bodies, sleeper as usize);
            }
        }
        if state.sleep.body_count() == before {
            break;
        }
        state.update_active_set();
    }
}

/// Scales the impulses of woken bodies by the ratio of the last step's length to that of the step
/// in which they fell asleep, for the warm start of the solvers.
pub(crate) fn rescale_impulses(state: &mut State, last: Real) {
    let State { contacts, sleep, bodies, .. } = state;
    if sleep.stale_impulses.iter().any(|&(_, step)| step != last) && last > 0.0 {
        let mut scale = vec![1.0; bodies.slots()];
        for &(slot, step) in &sleep.stale_impulses {
            scale[slot as usize] = last / step;
        }
        for c in &contacts.contacts {
            let by = if scale[c.a as usize] == 1.0 { scale[c.b as usize] } else { scale[c.a as usize] };
            if by != 1.0 {
                contacts.manifolds[c.manifold as usize].scale_impulses(by);
            }
        }
    }
    sleep.stale_impulses.clear();
}

/// True if two bodies will touch within the step at their present velocities. Gaps up to `closed`
/// (m) count as closed, by the same rule as in the impacts stage.
pub(crate) fn will_touch(bodies: &Bodies, a: usize, b: usize, manifold: &Manifold, dt: Real, closed: Real) -> bool {
    manifold.points().iter().any(|p| {
        let on_a = bodies.velocity_at(a, bodies.orientation[a] * p.anchor_a);
        let on_b = bodies.velocity_at(b, bodies.orientation[b] * p.anchor_b);
        let pull = bodies.free_acceleration(b) - bodies.free_acceleration(a);
        // The term `a h²/2` is the lead of symplectic Euler over the parabola.
        let margin = closed + 0.5 * pull.length() * dt * dt;
        p.separation + ((on_b - on_a) + pull * dt).dot(manifold.normal).min(0.0) * dt <= margin
    })
}

/// True if a body may push a sleeping one: it is active, a moving kinematic body, or was edited by
/// the game.
pub(crate) fn can_push(bodies: &Bodies, slot: usize) -> bool {
    bodies.is_moving(slot) || bodies.edited[slot]
}
