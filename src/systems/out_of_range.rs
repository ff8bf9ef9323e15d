//! Quarantine: bodies that leave the range of numbers return to the pose at the step's start, and an
//! event reports them.
//!
//! An extreme force, motor or user system may give a body a pose or velocity that is not finite.
//! One such body would spoil every box and every island that it meets. It is therefore held from
//! the moment at which it shows: it keeps its pose, and has no contacts and no joints in the stages
//! behind. What forces, torques and impulses drive out of range shows before the broad phase, so
//! that the others move as if it were gone, bit for bit. What impacts and solvers drive out of range
//! shows behind them.

use crate::bodies::{Bodies, Kind};
use crate::contact::Status;
use crate::event::Event;
use crate::ids::NONE;
use crate::math::Vec3;
use crate::persist::next_version;
use crate::quarantine::Quarantine;
use crate::solver::JointOutcome;
use crate::state::State;
use crate::systems::gather::is_near;
use crate::systems::solve::Solvers;

/// True if the state of a body is finite and within `FARTHEST`.
fn is_in_range(bodies: &Bodies, slot: usize) -> bool {
    let near = [bodies.position[slot], bodies.linear_velocity[slot], bodies.angular_velocity[slot]];
    are_near(near) & bodies.orientation[slot].length_squared().is_finite() & bodies.odometer[slot].is_finite()
}

/// True if the velocities of a body, and its accelerations by gravity and external forces, are in
/// range.
fn is_driven_in_range(bodies: &Bodies, slot: usize) -> bool {
    let torque = bodies.torque[slot];
    are_near([bodies.linear_velocity[slot], bodies.angular_velocity[slot], bodies.acceleration[slot]])
        && (torque == Vec3::ZERO || is_near(bodies.inverse_inertia[slot] * torque))
}

/// True if all vectors are in range: one comparison after the other, without a branch between them.
fn are_near<const N: usize>(vectors: [Vec3; N]) -> bool {
    vectors.into_iter().fold(true, |near, v| near & is_near(v))
}

/// Before the broad phase: holds the bodies that the game's forces, torques and impulses drive out
/// of range. The step goes on as if they were gone.
pub(crate) fn hold_driven(state: &mut State) {
    let State { bodies, active_set, quarantine, .. } = state;
    quarantine.clear();
    for slot in active_set.bodies.iter().map(|&slot| slot as usize) {
        if bodies.is_active(slot) && !is_driven_in_range(bodies, slot) {
            hold(bodies, quarantine, slot);
        }
    }
}

/// After impacts, or forces: holds the bodies of islands that these have driven out of range, so
/// that the stages behind see finite numbers only.
pub(crate) fn hold_pushed(state: &mut State) {
    let State { bodies, islands, quarantine, .. } = state;
    for &slot in &islands.bodies {
        let slot = slot as usize;
        let Bodies { displacement, rotation, linear_velocity, angular_velocity, .. } = &*bodies;
        if !are_near([displacement, rotation, linear_velocity, angular_velocity].map(|column| column[slot])) {
            hold(bodies, quarantine, slot);
            quarantine.set_late();
        }
    }
}

/// After the motion, before continuous collision detection: holds the bodies whose pose is out of
/// range; `active` are those that may have moved.
pub(crate) fn hold_moved(bodies: &mut Bodies, active: &[u32], quarantine: &mut Quarantine) {
    for slot in active.iter().map(|&slot| slot as usize) {
        if is_lost(bodies, slot) {
            hold(bodies, quarantine, slot);
            quarantine.set_late();
        }
    }
}

/// True if a body that may have moved is out of range.
fn is_lost(bodies: &Bodies, slot: usize) -> bool {
    bodies.dirty[slot] && matches!(bodies.kind[slot], Kind::Dynamic | Kind::Kinematic) && !is_in_range(bodies, slot)
}

/// Holds a body: it keeps its place, and nothing drives it until the step's end.
fn hold(bodies: &mut Bodies, quarantine: &mut Quarantine, slot: usize) {
    quarantine.add(slot, bodies.slots());
    stop(bodies, slot);
    (bodies.acceleration[slot], bodies.torque[slot]) = (Vec3::ZERO, Vec3::ZERO);
    bodies.dirty[slot] = true;
}

/// Resets bodies that were held, or have left the range since; `changed` are those that may differ
/// from their columns.
pub(crate) fn run(state: &mut State, changed: &[u32], solvers: &mut Solvers) {
    let State { bodies, quarantine, .. } = &*state;
    let held = |slot: usize| quarantine.contains(slot as u32);
    let lost = |&slot: &usize| held(slot) || is_lost(bodies, slot);
    let lost: Vec<usize> = changed.iter().map(|&slot| slot as usize).filter(lost).collect();
    // A body that was held before any other could meet it has left nothing in the solvers.
    let spoilt = quarantine.is_late() || !lost.iter().all(|&slot| held(slot));
    state.counts.out_of_range = lost.len();
    if lost.is_empty() {
        return;
    }
    state.quarantine.clear();
    let mut was_lost = vec![false; state.bodies.slots()];
    for &slot in &lost {
        was_lost[slot] = true;
        stop(&mut state.bodies, slot);
        state.bodies.refresh_forces(slot, state.settings.gravity);
        state.events.push(Event::OutOfRange { entity: state.bodies.entity[slot] });
    }
    clear_caches(state, &was_lost);
    if spoilt {
        solvers.forget();
    }
}

/// Stops a body at its pose at the step's start.
fn stop(bodies: &mut Bodies, slot: usize) {
    (bodies.position[slot], bodies.orientation[slot]) =
        (bodies.columns[slot].position, bodies.columns[slot].orientation);
    (bodies.linear_velocity[slot], bodies.angular_velocity[slot]) = (Vec3::ZERO, Vec3::ZERO);
    (bodies.displacement[slot], bodies.rotation[slot]) = (Vec3::ZERO, Vec3::ZERO);
    // Everything that is valid up to an odometer reading becomes invalid.
    bodies.odometer[slot] = 0.0;
    bodies.refresh(slot);
}

/// Clears the caches of these bodies, and the impulses of their contacts and joints.
fn clear_caches(state: &mut State, was_lost: &[bool]) {
    let State { bodies, colliders, contacts, joints, .. } = state;
    let is_lost = |body: u32| body != NONE && was_lost[body as usize];
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
