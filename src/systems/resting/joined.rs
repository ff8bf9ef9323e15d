//! The islands with joints: contacts and joints in one loop.

use super::scalable::{contact_ref, fill_body, fill_kinematic, solver_body, take_motion};
use super::{Hands, Resting};
use crate::bodies::{Bodies, NONE};
use crate::event::Event;
use crate::joint;
use crate::joints::Joints;
use crate::math::Mat3;
use crate::settings::Accuracy;
use crate::solver::{Articulated, BodyMotion, ContactRef, Parameters, Precision, SolverBody, SolverJoint};
use crate::state::State;
use crate::systems::joints::place;

/// Buffers kept between steps.
#[derive(Default)]
pub(super) struct Buffers {
    refs: Vec<ContactRef>,
    /// Bodies by slot + 1, and those of them that are not the fixed world.
    bodies: Vec<SolverBody>,
    motions: Vec<BodyMotion>,
    filled: Vec<u32>,
}

/// Solves all islands with joints.
pub(super) fn run(state: &mut State, parameters: &Parameters) {
    let State { bodies, contacts, islands, joints, articulated, resting, settings, dt, counts, events, .. } = state;
    let Resting { joined: Buffers { refs, bodies: solver, motions, filled }, hands, residual, pushed, .. } = resting;
    if joints.acting.is_empty() {
        return;
    }
    let is_mine = |island: u32| hands[island as usize] == Hands::Joined;
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
        fill_body(bodies, slot, *dt, solver, filled);
    }
    for c in contacts.contacts.iter().filter(|c| is_mine(c.island)) {
        for slot in [c.a, c.b] {
            fill_kinematic(bodies, slot, solver, filled);
        }
    }
    for &joint in &joints.acting {
        for slot in joints.bodies[joint as usize].into_iter().filter(|&slot| slot != NONE) {
            fill_kinematic(bodies, slot, solver, filled);
        }
    }
    articulated.joints.clear();
    articulated.rows.clear();
    for island in &islands.islands {
        for &joint in &joints.acting[island.joint_range()] {
            let name = islands.bodies[island.body_range().start];
            fill_joint(bodies, joints, joint as usize, name, articulated);
        }
    }
    let precision = match settings.accuracy {
        Accuracy::Game => Precision::Game,
        Accuracy::Exact => Precision::Exact,
    };
    articulated.step(parameters, precision, solver, refs, &mut contacts.manifolds, motions);
    for &slot in islands.bodies.iter().filter(|&&slot| is_mine(islands.of[slot as usize])) {
        pushed[slot as usize] = true;
        take_motion(bodies, slot as usize, &motions[slot as usize + 1], residual);
    }
    counts.substeps = counts.substeps.max(articulated.substeps() as usize);
    for (number, &joint) in joints.acting.iter().enumerate() {
        let slot = joint as usize;
        let outcome = articulated.outcomes()[number];
        joints.outcome[slot] = outcome;
        let rows = &articulated.rows[articulated.joints[number].row_range()];
        joints.last[slot].clear();
        joints.last[slot].extend(rows.iter().map(|row| row.last));
        let spec = joints.specs[slot].as_ref().expect("an acting joint is there");
        let (force, torque) = (outcome.force.length(), outcome.torque.length());
        if force > spec.max_force || torque > spec.max_torque {
            joints.broken[slot] = true;
            joints.broke.push(joint);
            events.push(Event::JointBroke { joint: joints.entity[slot], force, torque });
        }
    }
}

/// Gives a joint to the solver, as one of the island of this name.
fn fill_joint(bodies: &Bodies, joints: &Joints, joint: usize, island: u32, solver: &mut Articulated) {
    let placed = place(bodies, joints, joint, true);
    let spec = joints.specs[joint].as_ref().expect("an acting joint is there");
    let first = solver.rows.len();
    joint::rows(&spec.kind, &placed.placement, &mut solver.rows);
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
        load: joints.outcome[joint].peak,
    });
}
