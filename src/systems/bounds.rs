//! Before scatter: what has left the range of numbers goes back to where the step found it, and is told of.
//!
//! A force, a motor or a time step beyond all measure, or a user system, may leave a body at no place at all. One such body
//! would make every box and every island that it meets the same.

use crate::bodies::{Bodies, Kind};
use crate::contact::Status;
use crate::event::Event;
use crate::index::NONE;
use crate::kept::stamp;
use crate::math::Vec3;
use crate::solver::JointOutcome;
use crate::systems::state::State;
use crate::tolerances::FARTHEST;

/// Whether all numbers of a body are such that a step can go on with them.
fn is_sound(bodies: &Bodies, slot: usize) -> bool {
    let is_near = |v: Vec3| v.to_array().iter().all(|x| x.abs() <= FARTHEST);
    is_near(bodies.position[slot])
        && is_near(bodies.linear_velocity[slot])
        && is_near(bodies.angular_velocity[slot])
        && bodies.orientation[slot].is_finite()
        && bodies.odometer[slot].is_finite()
}

/// Brings bodies that have left the range back.
pub(crate) fn run(state: &mut State) {
    let bodies = &state.bodies;
    let moves = |slot: usize| matches!(bodies.kind[slot], Kind::Dynamic | Kind::Kinematic);
    let lost = |&slot: &usize| bodies.dirty[slot] && moves(slot) && !is_sound(bodies, slot);
    let lost: Vec<usize> = (0..bodies.slots()).filter(lost).collect();
    state.counts.out_of_range = lost.len();
    if lost.is_empty() {
        return;
    }
    let mut is_lost = vec![false; state.bodies.slots()];
    for &slot in &lost {
        is_lost[slot] = true;
        put_back(&mut state.bodies, slot);
        state.events.push(Event::OutOfRange { entity: state.bodies.entity[slot] });
    }
    forget(state, &is_lost);
}

/// Puts a body where the step found it, without velocity.
fn put_back(bodies: &mut Bodies, slot: usize) {
    (bodies.position[slot], bodies.orientation[slot]) = (bodies.seen[slot].position, bodies.seen[slot].orientation);
    (bodies.linear_velocity[slot], bodies.angular_velocity[slot]) = (Vec3::ZERO, Vec3::ZERO);
    (bodies.displacement[slot], bodies.rotation[slot]) = (Vec3::ZERO, Vec3::ZERO);
    // All that was counted by its way is put in doubt.
    bodies.odometer[slot] = 0.0;
    bodies.refresh(slot);
}

/// Forgets what was known of these bodies, and what contacts and joints with them bore.
fn forget(state: &mut State, is_lost: &[bool]) {
    let State { bodies, colliders, contacts, joints, solver, resting, .. } = state;
    let is_lost = |body: u32| body != NONE && is_lost[body as usize];
    let body_of = |collider: u32| colliders.body.get(collider as usize).copied().unwrap_or(NONE);
    let now = stamp();
    for pair in 0..contacts.pairs.len() {
        let p = contacts.pairs[pair];
        if p.a != NONE && (is_lost(body_of(p.a)) || is_lost(body_of(p.b))) {
            contacts.forget_impulses(pair);
            if !contacts.status[pair].has(Status::SOURCE) {
                contacts.doubt(pair);
            }
        }
    }
    for joint in (0..joints.slots()).filter(|&joint| joints.bodies[joint].into_iter().any(is_lost)) {
        joints.outcome[joint] = JointOutcome::default();
        joints.last[joint].clear();
        if !joints.angle[joint].is_finite() {
            joints.angle[joint] = Vec3::ZERO;
        }
    }
    for slot in (0..bodies.slots()).filter(|&slot| is_lost(colliders.body[slot])) {
        // The box is looked at again.
        colliders.fat_until[slot] = f64::MIN;
        colliders.boxed[slot] = now;
    }
    solver.forget();
    resting.forget();
}
