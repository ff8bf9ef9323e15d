//! What wakes parked islands: the game, a changed support, and what is about to touch them. A whole island wakes at once.

use crate::bodies::Bodies;
use crate::contact::{Manifold, Status};
use crate::index::NONE;
use crate::math::Real;
use crate::systems::state::{Changes, State};
use crate::tolerances::{CLOSING_SLACK, IMPACT_TOUCH};

/// Wakes what the game changed, and what rests on a changed support.
pub(crate) fn wake_changed(state: &mut State) {
    if state.rest.body_count() == 0 {
        return;
    }
    if !state.settings.rest || state.gravity_changed {
        state.rest.unpark_all(&mut state.bodies);
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

/// Wakes parked islands that something is about to touch, and again what those touch, until nothing more wakes.
pub(crate) fn wake_touched(state: &mut State) {
    let closed = IMPACT_TOUCH * state.settings.length_unit;
    while state.rest.body_count() > 0 {
        let before = state.rest.body_count();
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
        if state.rest.body_count() == before {
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

/// Whether two bodies will touch within the step by the velocities they have now. Gaps up to `closed` (m) count as closed, and
/// what the impacts stage takes for touching does here.
pub(crate) fn will_touch(bodies: &Bodies, a: usize, b: usize, manifold: &Manifold, dt: Real, closed: Real) -> bool {
    manifold.points().iter().any(|p| {
        let on_a = bodies.velocity_at(a, bodies.orientation[a] * p.anchor_a);
        let on_b = bodies.velocity_at(b, bodies.orientation[b] * p.anchor_b);
        let pull = bodies.free_acceleration(b) - bodies.free_acceleration(a);
        let slack = closed + CLOSING_SLACK as Real * pull.length() * dt * dt;
        p.separation + ((on_b - on_a) + pull * dt).dot(manifold.normal).min(0.0) * dt <= slack
    })
}

/// Whether a body may push a parked one: it is active, a kinematic body that moves, or was put where it is by the game.
pub(crate) fn can_push(bodies: &Bodies, slot: usize) -> bool {
    bodies.is_moving(slot) || bodies.edited[slot]
}
