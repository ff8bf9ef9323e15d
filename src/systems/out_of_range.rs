//! Before scatter: bodies that have left the range of numbers return to the pose at the step's
//! start, and an event reports them.
//!
//! An extreme force, motor or time step, or a user system, may give a body a pose that is not
//! finite. One such body would spoil every box and every island that it meets.

use crate::bodies::{Bodies, Kind};
use crate::contact::Status;
use crate::event::Event;
use crate::ids::NONE;
use crate::math::Vec3;
use crate::persist::next_version;
use crate::solver::JointOutcome;
use crate::state::State;
use crate::systems::solve::Solvers;
use crate::tolerances::FARTHEST;

/// True if the state of a body is finite and within `FARTHEST`.
fn is_in_range(bodies: &Bodies, slot: usize) -> bool {
    let is_finite_and_near = |v: Vec3| v.to_array().iter().all(|x| x.abs() <= FARTHEST);
    is_finite_and_near(bodies.position[slot])
        && is_finite_and_near(bodies.linear_velocity[slot])
        && is_finite_and_near(bodies.angular_velocity[slot])
        && bodies.orientation[slot].is_finite()
        && bodies.odometer[slot].is_finite()
}

/// Resets bodies that have left the range.
pub(crate) fn run(state: &mut State, solvers: &mut Solvers) {
    let bodies = &state.bodies;
    let moves = |slot: usize| matches!(bodies.kind[slot], Kind::Dynamic | Kind::Kinematic);
    let lost = |&slot: &usize| bodies.dirty[slot] && moves(slot) && !is_in_range(bodies, slot);
    let lost: Vec<usize> = (0..bodies.slots()).filter(lost).collect();
    state.counts.out_of_range = lost.len();
    if lost.is_empty() {
        return;
    }
    let mut is_lost = vec![false; state.bodies.slots()];
    for &slot in &lost {
        is_lost[slot] = true;
        reset(&mut state.bodies, slot);
        state.events.push(Event::OutOfRange { entity: state.bodies.entity[slot] });
    }
    clear_caches(state, &is_lost);
    solvers.forget();
}

/// Resets a body to its pose at the step's start, without velocity.
fn reset(bodies: &mut Bodies, slot: usize) {
    (bodies.position[slot], bodies.orientation[slot]) =
        (bodies.columns[slot].position, bodies.columns[slot].orientation);
    (bodies.linear_velocity[slot], bodies.angular_velocity[slot]) = (Vec3::ZERO, Vec3::ZERO);
    (bodies.displacement[slot], bodies.rotation[slot]) = (Vec3::ZERO, Vec3::ZERO);
    // Everything that is valid up to an odometer reading becomes invalid.
    bodies.odometer[slot] = 0.0;
    bodies.refresh(slot);
}

/// Clears the caches of these bodies, and the impulses of their contacts and joints.
fn clear_caches(state: &mut State, is_lost: &[bool]) {
    let State { bodies, colliders, contacts, joints, .. } = state;
    let is_lost = |body: u32| body != NONE && is_lost[body as usize];
    let body_of = |collider: u32| colliders.body.get(collider as usize).copied().unwrap_or(NONE);
    let now = next_version();
    for pair in 0..contacts.pairs.len() {
        let p = contacts.pairs[pair];
        if p.a != NONE && (is_lost(body_of(p.a)) || is_lost(body_of(p.b))) {
            contacts.clear_impulses(pair);
            if !contacts.status[pair].has(Status::SOURCE) {
                contacts.invalidate(pair);
            }
        }
    }
    for joint in (0..joints.slots()).filter(|&joint| joints.bodies[joint].into_iter().any(is_lost)) {
        joints.outcome[joint] = JointOutcome::default();
        joints.row_forces[joint].clear();
        if !joints.angle[joint].is_finite() {
            joints.angle[joint] = Vec3::ZERO;
        }
    }
    for slot in (0..bodies.slots()).filter(|&slot| is_lost(colliders.body[slot])) {
        // Forces an update of the box.
        colliders.fat_until[slot] = f64::MIN;
        colliders.box_versions[slot] = now;
    }
}
