//! The islands with joints: contacts and joints in one loop.

use super::scalable::{contact_ref, fill_body, fill_kinematic, solver_body, symmetric, take_motion};
use super::{Hands, Resting};
use crate::bodies::Bodies;
use crate::index::NONE;
use crate::joint;
use crate::joints::Joints;
use crate::math::{Mat3, Real, Vec3};
use crate::settings::Accuracy;
use crate::solver::{
    Articulated, BodyMotion, ContactRef, JointOutcome, Parameters, Precision, SolverBody, SolverJoint,
};
use crate::systems::joints::{note, place};
use crate::systems::state::State;

/// Buffers kept between steps.
#[derive(Default)]
pub(super) struct Buffers {
    /// The joints of its islands.
    mine: Vec<u32>,
    refs: Vec<ContactRef>,
    /// Bodies by slot + 1, and those of them that are not the fixed world.
    bodies: Vec<SolverBody>,
    motions: Vec<BodyMotion>,
    filled: Vec<u32>,
    /// By slot: the torque that its joints are expected to have, world axes (N m).
    twists: Vec<Vec3>,
}

/// Solves all islands with joints.
pub(super) fn run(state: &mut State, parameters: &Parameters) {
    let State {
        bodies, contacts, islands, joints, articulated, resting, settings, dt, counts, events, helpers, ..
    } = state;
    let Resting {
        joined: Buffers { mine, refs, bodies: solver, motions, filled, twists },
        hands,
        residual,
        pushed,
        ..
    } = resting;
    if !hands.contains(&Hands::Joined) {
        return;
    }
    let is_mine = |island: u32| hands[island as usize] == Hands::Joined;
    mine.clear();
    articulated.joints.clear();
    articulated.rows.clear();
    twists.clear();
    twists.resize(bodies.slots(), Vec3::ZERO);
    for (island, _) in islands.islands.iter().zip(hands.iter()).filter(|(_, hands)| **hands == Hands::Joined) {
        let name = islands.bodies[island.body_range().start];
        for &joint in &joints.acting[island.joint_range()] {
            fill_joint(bodies, joints, joint as usize, name, articulated, twists);
            mine.push(joint);
        }
    }
    refs.clear();
    refs.extend(
        contacts.contacts.iter().filter(|c| is_mine(c.island)).map(|c| contact_ref(bodies, contacts, islands, c)),
    );
    solver.resize(bodies.slots() + 1, SolverBody::FIXED);
    motions.resize(bodies.slots() + 1, BodyMotion::default());
    for &body in filled.iter() {
        if let Some(body) = solver.get_mut(body as usize) {
            *body = SolverBody::FIXED;
        }
    }
    filled.clear();
    for &slot in islands.bodies.iter().filter(|&&slot| is_mine(islands.of[slot as usize])) {
        fill_body(bodies, slot, Vec3::ZERO, solver, filled);
        spin_up(bodies, slot as usize, twists[slot as usize], *dt, &mut solver[slot as usize + 1]);
    }
    for c in contacts.contacts.iter().filter(|c| is_mine(c.island)) {
        for slot in [c.a, c.b] {
            fill_kinematic(bodies, slot, solver, filled);
        }
    }
    for &joint in mine.iter() {
        for slot in joints.bodies[joint as usize].into_iter().filter(|&slot| slot != NONE) {
            fill_kinematic(bodies, slot, solver, filled);
        }
    }
    let precision = match settings.accuracy {
        Accuracy::Game => Precision::Game,
        Accuracy::Exact => Precision::Exact,
    };
    articulated.step((parameters, helpers), precision, solver, refs, &mut contacts.manifolds, motions);
    // A joint that is new does not know yet how it twists a body that spins: it is asked first.
    let spins = |slot: u32| slot != NONE && bodies.angular_velocity[slot as usize] != Vec3::ZERO;
    let is_new = |&joint: &u32| joints.last[joint as usize].is_empty();
    if mine.iter().filter(|joint| is_new(joint)).any(|&j| joints.bodies[j as usize].into_iter().any(spins)) {
        twists.fill(Vec3::ZERO);
        for (number, &joint) in mine.iter().enumerate() {
            let levers = articulated.joints[number].levers;
            twist(joints.bodies[joint as usize], &levers, &articulated.outcomes()[number], twists);
        }
        for &slot in islands.bodies.iter().filter(|&&slot| is_mine(islands.of[slot as usize])) {
            spin_up(bodies, slot as usize, twists[slot as usize], *dt, &mut solver[slot as usize + 1]);
        }
        articulated.step((parameters, helpers), precision, solver, refs, &mut contacts.manifolds, motions);
    }
    for &slot in islands.bodies.iter().filter(|&&slot| is_mine(islands.of[slot as usize])) {
        pushed[slot as usize] = true;
        take_motion(bodies, slot as usize, &motions[slot as usize + 1], residual);
    }
    counts.substeps = counts.substeps.max(articulated.substeps() as usize);
    for (number, &joint) in mine.iter().enumerate() {
        let rows = &articulated.rows[articulated.joints[number].row_range()];
        note(joints, joint, articulated.outcomes()[number], rows.iter().map(|row| row.last), events);
    }
}

/// Gives the solver the inertia and the angular acceleration of a body on joints that twist it as they did last.
fn spin_up(bodies: &Bodies, slot: usize, joints: Vec3, dt: Real, solver: &mut SolverBody) {
    let (torque, velocity) = (bodies.torque[slot], bodies.angular_velocity[slot]);
    if velocity == Vec3::ZERO || bodies.is_rotation_locked(slot) {
        solver.angular_acceleration = bodies.inverse_inertia[slot] * torque;
        return;
    }
    let (axes, principal) = (bodies.orientation[slot] * bodies.frame[slot], bodies.principal[slot]);
    let midway = joint::Midway::new(axes, principal, velocity, torque, joints, dt);
    let inverse = midway.inverse_inertia(principal);
    solver.inverse_inertia = symmetric(&inverse);
    solver.angular_acceleration = inverse * torque + midway.gyroscopic;
}

/// Adds what a joint does to its bodies to the torques about their centres.
fn twist(pair: [u32; 2], levers: &[Vec3; 2], outcome: &JointOutcome, twists: &mut [Vec3]) {
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        if let Some(twist) = twists.get_mut(pair[side] as usize) {
            *twist += (outcome.torque + levers[side].cross(outcome.force)) * sign;
        }
    }
}

/// Gives a joint to the solver, as one of the island of this name, and notes how it twisted its bodies last.
fn fill_joint(
    bodies: &Bodies,
    joints: &Joints,
    joint: usize,
    island: u32,
    solver: &mut Articulated,
    twists: &mut [Vec3],
) {
    let placed = place(bodies, joints, joint, true);
    let outcome = &joints.outcome[joint];
    twist(joints.bodies[joint], &placed.levers, outcome, twists);
    let first = solver.rows.len();
    placed.rows(joints, joint, &mut solver.rows);
    let rows = &mut solver.rows[first..];
    if rows.len() == joints.last[joint].len() {
        for (row, &last) in rows.iter_mut().zip(&joints.last[joint]) {
            row.last = last;
        }
    }
    let [a, b] = joints.bodies[joint].map(|slot| if slot == NONE { 0 } else { solver_body(bodies, slot) });
    solver.joints.push(SolverJoint {
        a,
        b,
        island,
        rows: [first as u32, solver.rows.len() as u32],
        levers: placed.levers,
        gap: placed.gap,
        frames: placed.frames.map(Mat3::from_quat),
        load: outcome.load,
    });
}
