//! The islands that go to the scalable solver: springs as stiff as the substeps allow, with friction, warm from the last
//! step. Bodies and contacts are named by slot and pair there too, so that the solver sees at once what has stayed the same.

use super::posing::mean_angular_acceleration;
use super::{Hands, Resting};
use crate::ahead;
use crate::bodies::{Bodies, Kind};
use crate::contact::{Contact, ContactGraph, Status};
use crate::islands::{Island, Islands};
use crate::math::{Mat3, Real, Vec3};
use crate::motion::rotation::one_after_another;
use crate::solver::{BodyMotion, ContactRef, Parameters, SolverBody, Surface};
use crate::systems::state::State;
use crate::tolerances::PUSHED;

/// Buffers kept between steps.
#[derive(Default)]
pub(super) struct Buffers {
    refs: Vec<ContactRef>,
    /// Solver bodies that are not the fixed world.
    filled: Vec<u32>,
}

/// Solves all islands that are in the scalable solver's hands.
pub(super) fn run(state: &mut State, parameters: &Parameters) {
    let State { bodies, contacts, islands, solver, resting, dt, counts, helpers, .. } = state;
    let Resting { scalable: Buffers { refs, filled }, hands, residual, pushed, .. } = resting;
    fill_contacts(bodies, contacts, islands, hands, refs);
    if refs.is_empty() {
        if !contacts.contacts.is_empty() {
            // What it keeps of manifolds that others solve now would be out of date when they come back.
            solver.forget();
        }
        return;
    }
    fill_bodies(bodies, contacts, islands, hands, &mut solver.bodies, filled, *dt);
    solver.step_with(parameters, helpers, refs, &mut contacts.manifolds);
    for (k, c) in contacts.contacts.iter().enumerate() {
        contacts.call_manifold(k + ahead::ROUNDS);
        if hands[c.island as usize] != Hands::Scalable {
            continue;
        }
        let manifold = &contacts.manifolds[c.manifold as usize];
        if manifold.points().iter().any(|p| p.normal_impulse > 0.0) {
            contacts.status[c.pair as usize].set(Status::CARRIED, true);
            pushed[c.a as usize] = true;
            pushed[c.b as usize] = true;
        }
    }
    for &slot in &islands.bodies {
        let slot = slot as usize;
        if hands[islands.of[slot] as usize] != Hands::Scalable {
            continue;
        }
        // What nothing pushed keeps its velocity: the motion stage moves it by the exact law of flight.
        residual[slot] = Real::INFINITY;
        let (start, motion) = (&solver.bodies[slot + 1], solver.motions()[slot + 1]);
        // A contact that stopped its bodies in an early substep may carry nothing at the end: the velocity tells.
        pushed[slot] |= differs(motion.linear_velocity, start.linear_velocity, start.linear_acceleration * *dt)
            || differs(motion.angular_velocity, start.angular_velocity, start.angular_acceleration * *dt);
        if pushed[slot] {
            take_motion(bodies, slot, &motion, residual);
        }
    }
    counts.substeps = solver.islands().iter().map(|i| i.substeps as usize).max().unwrap_or(0);
}

/// Takes what the solver did to a body.
pub(super) fn take_motion(bodies: &mut Bodies, slot: usize, motion: &BodyMotion, residual: &mut [Real]) {
    // The solver knows nothing of locked axes along which a body does not move: rounding must not either.
    let [along, about] = match bodies.special[slot].then(|| bodies.inputs[slot].locked).flatten() {
        None => [Vec3::ONE; 2],
        Some(locked) => {
            [locked.translations(), locked.rotations()].map(|l| Vec3::from(l.map(|l| if l { 0.0 } else { 1.0 })))
        }
    };
    bodies.linear_velocity[slot] = motion.linear_velocity * along;
    bodies.angular_velocity[slot] = motion.angular_velocity * about;
    bodies.displacement[slot] += motion.displacement * along;
    let (before, turned) = (bodies.rotation[slot], motion.rotation * about);
    bodies.rotation[slot] = one_after_another(before, turned);
    residual[slot] = motion.residual;
}

/// Whether a velocity is another than free motion leads to, by more than the rounding of the substeps.
fn differs(after: Vec3, before: Vec3, change: Vec3) -> bool {
    (after - before - change).length() > PUSHED * (before.length() + change.length())
}

/// The index of a slot among the solver's bodies: what nothing moves is the fixed world, 0.
pub(super) fn solver_body(bodies: &Bodies, slot: u32) -> u32 {
    if bodies.is_moving(slot as usize) { slot + 1 } else { 0 }
}

fn fill_bodies(
    bodies: &Bodies,
    contacts: &ContactGraph,
    islands: &Islands,
    hands: &[Hands],
    solver: &mut Vec<SolverBody>,
    filled: &mut Vec<u32>,
    dt: Real,
) {
    solver.resize(bodies.slots() + 1, SolverBody::FIXED);
    for &body in filled.iter() {
        if let Some(body) = solver.get_mut(body as usize) {
            *body = SolverBody::FIXED;
        }
    }
    filled.clear();
    for island in mine(islands, hands) {
        for &slot in &islands.bodies[island.body_range()] {
            fill_body(bodies, slot, mean_angular_acceleration(bodies, slot as usize, dt), solver, filled);
        }
    }
    for island in mine(islands, hands) {
        for c in &contacts.contacts[island.contact_range()] {
            for slot in [c.a, c.b] {
                if bodies.kind[slot as usize] == Kind::Kinematic {
                    fill_kinematic(bodies, slot, solver, filled);
                }
            }
        }
    }
}

/// The islands in the scalable solver's hands.
fn mine<'a>(islands: &'a Islands, hands: &'a [Hands]) -> impl Iterator<Item = &'a Island> {
    let all = islands.islands.iter().zip(hands);
    all.filter(|(_, hands)| **hands == Hands::Scalable).map(|(island, _)| island)
}

/// Gives the solver a body that moves by itself, with its angular acceleration (rad/s²).
pub(super) fn fill_body(bodies: &Bodies, slot: u32, angular: Vec3, solver: &mut [SolverBody], filled: &mut Vec<u32>) {
    let s = slot as usize;
    solver[s + 1] = SolverBody {
        position: bodies.center[s],
        orientation: bodies.orientation[s],
        linear_velocity: bodies.linear_velocity[s],
        angular_velocity: bodies.angular_velocity[s],
        inverse_mass: bodies.inverse_mass[s].max_element(),
        locked: bodies.inverse_mass[s].to_array().map(|m| m == 0.0),
        inverse_inertia: symmetric(&bodies.inverse_inertia[s]),
        linear_acceleration: bodies.acceleration[s],
        angular_acceleration: angular,
        radius: bodies.radius[s],
    };
    filled.push(slot + 1);
}

/// Gives the solver a body, if it is one that moves and cannot be moved.
pub(super) fn fill_kinematic(bodies: &Bodies, slot: u32, solver: &mut [SolverBody], filled: &mut Vec<u32>) {
    let s = slot as usize;
    if bodies.kind[s] == Kind::Kinematic && bodies.is_moving(s) {
        solver[s + 1] = SolverBody {
            position: bodies.center[s],
            orientation: bodies.orientation[s],
            linear_velocity: bodies.linear_velocity[s],
            angular_velocity: bodies.angular_velocity[s],
            radius: bodies.radius[s],
            ..SolverBody::FIXED
        };
        filled.push(slot + 1);
    }
}

pub(super) fn symmetric(m: &Mat3) -> [Real; 6] {
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.y_axis.x, m.z_axis.x, m.z_axis.y]
}

fn fill_contacts(
    bodies: &Bodies,
    contacts: &ContactGraph,
    islands: &Islands,
    hands: &[Hands],
    refs: &mut Vec<ContactRef>,
) {
    refs.clear();
    for island in mine(islands, hands) {
        let range = island.contact_range();
        refs.extend(range.clone().zip(&contacts.contacts[range]).map(|(k, c)| {
            contacts.call_record(k + ahead::ROUNDS);
            contact_ref(bodies, contacts, islands, c)
        }));
    }
}

/// A contact as the solver sees it.
pub(super) fn contact_ref(bodies: &Bodies, contacts: &ContactGraph, islands: &Islands, c: &Contact) -> ContactRef {
    let record = &contacts.records[c.record as usize];
    // An island is named by its least slot: its number would change with every island before it.
    let members = islands.islands[c.island as usize].body_range();
    ContactRef {
        a: solver_body(bodies, c.a),
        b: solver_body(bodies, c.b),
        manifold: c.manifold,
        island: islands.bodies[members.start],
        revision: record.revision,
        surface: Surface {
            static_friction: record.material.static_friction,
            dynamic_friction: record.material.dynamic_friction,
            rolling_friction: record.material.rolling_friction,
        },
        surface_velocity: record.surface_velocity,
    }
}

/// The further manifolds of composite pairs are laid anew each step: what the solver wrote goes back to their pairs.
pub(super) fn keep_composites(contacts: &mut ContactGraph) {
    let first = contacts.records.len();
    let solved = contacts.manifolds[first..].iter();
    for (part, solved) in contacts.composites.iter_mut().flat_map(|c| &mut c.parts).zip(solved) {
        *part = *solved;
    }
}
