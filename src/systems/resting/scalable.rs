//! The islands that go to the scalable solver: springs as stiff as the substeps allow, with friction, warm from the last
//! step. Bodies and contacts are named by slot and pair there too, so that the solver sees at once what has stayed the same.

use super::posing::mean_angular_acceleration;
use super::{Hands, Resting};
use crate::ahead;
use crate::bodies::{Bodies, Kind};
use crate::components::LockedAxes;
use crate::contact::{Contact, ContactGraph, Status};
use crate::index::NONE;
use crate::islands::{Island, Islands};
use crate::math::{Mat3, Real, Vec3};
use crate::motion::rotation::one_after_another;
use crate::parallel::{Apart, Helpers, WORKED_ON};
use crate::solver::{BodyMotion, ContactRef, Parameters, SolverBody, Surface};
use crate::systems::state::State;

/// Buffers kept between steps.
#[derive(Default)]
pub(super) struct Buffers {
    refs: Vec<ContactRef>,
    /// By island: how many contacts of other solvers come before its own.
    others: Vec<u32>,
    /// By slot: whether its solver body is not the fixed world.
    filled: Vec<bool>,
    /// Slots of kinematic bodies that shares of the contacts name.
    kinematic: Vec<Vec<u32>>,
}

/// Solves all islands that are in the scalable solver's hands.
pub(super) fn run(state: &mut State, parameters: &Parameters) {
    let State { bodies, contacts, islands, solver, resting, dt, counts, helpers, .. } = state;
    let Resting { scalable: buffers, hands, residual, pushed, .. } = resting;
    let hands = hands.as_slice();
    let used = fill_contacts((bodies, helpers), contacts, islands, hands, buffers);
    if buffers.refs.is_empty() {
        if !contacts.contacts.is_empty() {
            // What it keeps of manifolds that others solve now would be out of date when they come back.
            solver.forget();
        }
        return;
    }
    let make = |slot: usize| {
        let angular = || mean_angular_acceleration(bodies, slot, *dt);
        is_in(islands, hands, slot, Hands::Scalable).then(|| moving(bodies, slot, angular()))
    };
    fill_bodies(bodies.slots(), helpers, &mut solver.bodies, &mut buffers.filled, &make);
    for &slot in buffers.kinematic[..used].iter().flatten() {
        if let Some(body) = kinematic(bodies, slot) {
            solver.bodies[slot as usize + 1] = body;
            buffers.filled[slot as usize] = true;
        }
    }
    solver.step_with(parameters, helpers, &buffers.refs, &mut contacts.manifolds);
    let mut carried = solver.carried().iter();
    for island in mine(islands, hands) {
        let contacts_of_it = &contacts.contacts[island.contact_range()];
        for (c, _) in contacts_of_it.iter().zip(&mut carried).filter(|(_, carried)| **carried) {
            contacts.status[c.pair as usize].set(Status::CARRIED, true);
            pushed[c.a as usize] = true;
            pushed[c.b as usize] = true;
        }
    }
    take_motions((bodies, helpers), (islands, hands, Hands::Scalable), solver.motions(), (residual, pushed));
    counts.substeps = solver.islands().iter().map(|i| i.substeps as usize).max().unwrap_or(0);
}

/// Takes what a solver did to the bodies of its islands.
pub(super) fn take_motions(
    (bodies, helpers): (&mut Bodies, &Helpers),
    (islands, hands, whose): (&Islands, &[Hands], Hands),
    motions: &[BodyMotion],
    (residual, pushed): (&mut [Real], &mut [bool]),
) {
    let slots = bodies.slots();
    let Bodies { linear_velocity, angular_velocity, displacement, rotation, special, inputs, .. } = bodies;
    let (linear, angular) = (Apart::new(linear_velocity), Apart::new(angular_velocity));
    let (displacement, rotation) = (Apart::new(displacement), Apart::new(rotation));
    let (residual, pushed) = (Apart::new(residual), Apart::new(pushed));
    helpers.shares(slots, WORKED_ON, &|share| {
        for slot in share.filter(|&slot| is_in(islands, hands, slot, whose)) {
            // SAFETY: shares are apart.
            let cells = unsafe {
                let at = slot as u32;
                let (linear, angular) = (linear.get(at), angular.get(at));
                (linear, angular, displacement.get(at), rotation.get(at), residual.get(at), pushed.get(at))
            };
            let (Some(linear), Some(angular), Some(displacement), Some(rotation), Some(residual), Some(pushed)) = cells
            else {
                continue;
            };
            // What nothing pushed keeps its velocity: the motion stage moves it by the exact law of flight.
            *residual = Real::INFINITY;
            let motion = &motions[slot + 1];
            // Joints always pull.
            *pushed |= motion.pushed || whose == Hands::Joined;
            if *pushed {
                let locked = special[slot].then(|| inputs[slot].locked).flatten();
                take_motion(locked, motion, Taken { linear, angular, displacement, rotation, residual });
            }
        }
    });
}

/// Where what the solver did to a body goes.
struct Taken<'a> {
    linear: &'a mut Vec3,
    angular: &'a mut Vec3,
    displacement: &'a mut Vec3,
    rotation: &'a mut Vec3,
    residual: &'a mut Real,
}

/// Takes what the solver did to a body with these axes locked.
fn take_motion(locked: Option<LockedAxes>, motion: &BodyMotion, taken: Taken) {
    // The solver knows nothing of locked axes along which a body does not move: rounding must not either.
    let [along, about] = match locked {
        None => [Vec3::ONE; 2],
        Some(locked) => {
            [locked.translations(), locked.rotations()].map(|l| Vec3::from(l.map(|l| if l { 0.0 } else { 1.0 })))
        }
    };
    *taken.linear = motion.linear_velocity * along;
    *taken.angular = motion.angular_velocity * about;
    *taken.displacement += motion.displacement * along;
    *taken.rotation = one_after_another(*taken.rotation, motion.rotation * about);
    *taken.residual = motion.residual;
}

/// The index of a slot among the solver's bodies: what nothing moves is the fixed world, 0.
pub(super) fn solver_body(bodies: &Bodies, slot: u32) -> u32 {
    if bodies.is_moving(slot as usize) { slot + 1 } else { 0 }
}

/// Whether a slot is a body of an island in these hands.
pub(super) fn is_in(islands: &Islands, hands: &[Hands], slot: usize, whose: Hands) -> bool {
    let island = islands.of[slot];
    island != NONE && hands[island as usize] == whose
}

/// Gives a solver the bodies that `make` makes for it of slots; all others are the fixed world.
pub(super) fn fill_bodies(
    slots: usize,
    helpers: &Helpers,
    solver: &mut Vec<SolverBody>,
    filled: &mut Vec<bool>,
    make: &(impl Fn(usize) -> Option<SolverBody> + Sync),
) {
    solver.resize(slots + 1, SolverBody::FIXED);
    filled.resize(slots, false);
    let columns = (Apart::new(&mut solver[1..]), Apart::new(filled));
    helpers.shares(slots, WORKED_ON, &|share| {
        // SAFETY: shares are apart.
        let (solver, filled) = unsafe { (columns.0.range(share.clone()), columns.1.range(share.clone())) };
        for (slot, (body, filled)) in share.zip(solver.iter_mut().zip(filled)) {
            if let Some(made) = make(slot) {
                *body = made;
                *filled = true;
            } else if std::mem::take(filled) {
                *body = SolverBody::FIXED;
            }
        }
    });
}

/// The islands in the scalable solver's hands.
fn mine<'a>(islands: &'a Islands, hands: &'a [Hands]) -> impl Iterator<Item = &'a Island> {
    let all = islands.islands.iter().zip(hands);
    all.filter(|(_, hands)| **hands == Hands::Scalable).map(|(island, _)| island)
}

/// A body that moves by itself as the solver sees it, with its angular acceleration (rad/s²).
pub(super) fn moving(bodies: &Bodies, slot: usize, angular: Vec3) -> SolverBody {
    SolverBody {
        position: bodies.center[slot],
        orientation: bodies.orientation[slot],
        linear_velocity: bodies.linear_velocity[slot],
        angular_velocity: bodies.angular_velocity[slot],
        inverse_mass: bodies.inverse_mass[slot].max_element(),
        locked: bodies.inverse_mass[slot].to_array().map(|m| m == 0.0),
        inverse_inertia: symmetric(&bodies.inverse_inertia[slot]),
        linear_acceleration: bodies.acceleration[slot],
        angular_acceleration: angular,
        radius: bodies.radius[slot],
    }
}

/// A body as the solver sees it, if it is one that moves and cannot be moved.
pub(super) fn kinematic(bodies: &Bodies, slot: u32) -> Option<SolverBody> {
    let s = slot as usize;
    (bodies.kind[s] == Kind::Kinematic && bodies.is_moving(s)).then(|| SolverBody {
        position: bodies.center[s],
        orientation: bodies.orientation[s],
        linear_velocity: bodies.linear_velocity[s],
        angular_velocity: bodies.angular_velocity[s],
        radius: bodies.radius[s],
        ..SolverBody::FIXED
    })
}

pub(super) fn symmetric(m: &Mat3) -> [Real; 6] {
    [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.y_axis.x, m.z_axis.x, m.z_axis.y]
}

/// Lists the contacts of its islands, and the kinematic bodies in them; returns how many books of these were used.
fn fill_contacts(
    (bodies, helpers): (&Bodies, &Helpers),
    contacts: &ContactGraph,
    islands: &Islands,
    hands: &[Hands],
    Buffers { refs, others, kinematic, .. }: &mut Buffers,
) -> usize {
    let (mut mine, mut before) = (0, 0);
    others.clear();
    others.extend(islands.islands.iter().zip(hands).map(|(island, hands)| {
        let (count, others) = (island.contact_range().len(), before);
        *(if *hands == Hands::Scalable { &mut mine } else { &mut before }) += count;
        others as u32
    }));
    refs.resize(mine, ContactRef::default());
    let refs = Apart::new(refs);
    let count = if mine == 0 { 0 } else { contacts.contacts.len() };
    helpers.in_shares(count, kinematic, WORKED_ON, &|share, kinematic| {
        kinematic.clear();
        for k in share {
            contacts.call_record(k + ahead::ROUNDS);
            let c = &contacts.contacts[k];
            if hands[c.island as usize] != Hands::Scalable {
                continue;
            }
            // SAFETY: no two contacts have the same place, and each is in one share.
            if let Some(place) = unsafe { refs.get(k as u32 - others[c.island as usize]) } {
                *place = contact_ref(bodies, contacts, islands, c);
            }
            kinematic.extend([c.a, c.b].into_iter().filter(|&slot| bodies.kind[slot as usize] == Kind::Kinematic));
        }
    })
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
