//! Islands of the substepping solver of contacts: gathers their bodies and contacts, and applies
//! the result.
//!
//! Bodies are numbered by slot, and contacts by pair, so that the solver recognises those of the
//! last step.

use super::assemble::mean_angular_acceleration;
use super::assign::IslandSolver;
use super::push_out::{Allowance, PushOut};
use super::result::Solved;
use crate::bodies::{Bodies, Kind};
use crate::components::LockedAxes;
use crate::contact::{Contact, ContactGraph, Status};
use crate::ids::NONE;
use crate::islands::{Island, Islands};
use crate::math::{Mat3, Real, Vec3};
use crate::motion::rotation::compose_rotation_vectors;
use crate::parallel::{DisjointSlice, MIN_CHUNK_ARITHMETIC, WorkerPool};
use crate::prefetch;
use crate::solver::{BodyMotion, ContactRef, Parameters, Solver, SolverBody, Surface};
use crate::state::State;

/// Buffers kept between steps.
#[derive(Default)]
pub(super) struct Buffers {
    refs: Vec<ContactRef>,
    /// By island: number of contacts of other solvers before its own.
    offsets: Vec<u32>,
    /// By slot: whether its solver body is not the fixed world.
    filled: Vec<bool>,
    /// Slots of the kinematic bodies of each chunk of contacts.
    kinematic: Vec<Vec<u32>>,
    /// By slot: what push-out may do with its body.
    allowances: Vec<Allowance>,
}

/// Solves all islands of the solver.
pub(super) fn run(
    state: &mut State,
    (solver, buffers): (&mut Solver, &mut Buffers),
    solved: &mut Solved,
    parameters: &Parameters,
) {
    let State { bodies, contacts, islands, dt, counts, helpers, .. } = state;
    let Solved { solvers, residual, pushed, .. } = solved;
    let solvers = solvers.as_slice();
    let used = fill_contacts((bodies, helpers), contacts, islands, solvers, buffers);
    if buffers.refs.is_empty() {
        if !contacts.contacts.is_empty() {
            // Its warm-start data of manifolds that other solvers change now would be out of date
            // later.
            solver.forget();
        }
        return;
    }
    let make = |slot: usize| {
        let angular = || mean_angular_acceleration(bodies, slot, *dt);
        is_in(islands, solvers, slot, IslandSolver::Substepping).then(|| moving(bodies, slot, angular()))
    };
    fill_bodies(bodies.slots(), helpers, &mut solver.bodies, &mut buffers.filled, &make);
    for &slot in buffers.kinematic[..used].iter().flatten() {
        if let Some(body) = kinematic(bodies, slot) {
            solver.bodies[slot as usize + 1] = body;
            buffers.filled[slot as usize] = true;
        }
    }
    solver.step_with(parameters, helpers, &buffers.refs, &mut contacts.manifolds);
    let push_out = PushOut { bodies, contacts, speed: parameters.push_out_speed, dt: *dt };
    for island in own_islands(islands, solvers) {
        let members = &islands.bodies[island.body_range()];
        push_out.limit(island, members, solver.bodies_and_motions(), &mut buffers.allowances);
    }
    let mut loaded = solver.loaded_contacts().iter();
    for island in own_islands(islands, solvers) {
        let contacts_of_it = &contacts.contacts[island.contact_range()];
        for (c, _) in contacts_of_it.iter().zip(&mut loaded).filter(|(_, loaded)| **loaded) {
            contacts.status[c.pair as usize].set(Status::ADVANCED, true);
            pushed[c.a as usize] = true;
            pushed[c.b as usize] = true;
        }
    }
    apply_motions(
        (bodies, helpers),
        (islands, solvers, IslandSolver::Substepping),
        solver.motions(),
        (residual, pushed),
    );
    counts.substeps = solver.islands().iter().map(|i| i.substeps as usize).max().unwrap_or(0);
}

/// Applies the motions of a solver to the bodies of its islands.
pub(super) fn apply_motions(
    (bodies, helpers): (&mut Bodies, &WorkerPool),
    (islands, solvers, solver_of): (&Islands, &[IslandSolver], IslandSolver),
    motions: &[BodyMotion],
    (residual, pushed): (&mut [Real], &mut [bool]),
) {
    let slots = bodies.slots();
    let Bodies { linear_velocity, angular_velocity, displacement, rotation, special, inputs, .. } = bodies;
    let (linear, angular) = (DisjointSlice::new(linear_velocity), DisjointSlice::new(angular_velocity));
    let (displacement, rotation) = (DisjointSlice::new(displacement), DisjointSlice::new(rotation));
    let (residual, pushed) = (DisjointSlice::new(residual), DisjointSlice::new(pushed));
    helpers.for_each_chunk(slots, MIN_CHUNK_ARITHMETIC, &|share| {
        for slot in share.filter(|&slot| is_in(islands, solvers, slot, solver_of)) {
            // SAFETY: chunks are disjoint.
            let cells = unsafe {
                let at = slot as u32;
                let (linear, angular) = (linear.get(at), angular.get(at));
                (linear, angular, displacement.get(at), rotation.get(at), residual.get(at), pushed.get(at))
            };
            let (Some(linear), Some(angular), Some(displacement), Some(rotation), Some(residual), Some(pushed)) = cells
            else {
                continue;
            };
            // A body that nothing pushed keeps its velocity: the motion stage integrates its free
            // flight.
            *residual = Real::INFINITY;
            let motion = &motions[slot + 1];
            // Joints always act on their bodies.
            *pushed |= motion.pushed || solver_of == IslandSolver::Joints;
            if *pushed {
                let locked = special[slot].then(|| inputs[slot].locked).flatten();
                apply_motion(locked, motion, BodyColumns { linear, angular, displacement, rotation, residual });
            }
        }
    });
}

/// The columns of a body that a solver writes.
struct BodyColumns<'a> {
    linear: &'a mut Vec3,
    angular: &'a mut Vec3,
    displacement: &'a mut Vec3,
    rotation: &'a mut Vec3,
    residual: &'a mut Real,
}

/// Applies the motion of a body with these axes locked.
fn apply_motion(locked: Option<LockedAxes>, motion: &BodyMotion, columns: BodyColumns) {
    // The solver has no locked axes: removes the rounding along them.
    let [along, about] = match locked {
        None => [Vec3::ONE; 2],
        Some(locked) => {
            [locked.translations(), locked.rotations()].map(|l| Vec3::from(l.map(|l| if l { 0.0 } else { 1.0 })))
        }
    };
    *columns.linear = motion.linear_velocity * along;
    *columns.angular = motion.angular_velocity * about;
    *columns.displacement += motion.displacement * along;
    *columns.rotation = compose_rotation_vectors(*columns.rotation, motion.rotation * about);
    *columns.residual = motion.residual;
}

/// Index of a slot among the solver's bodies; 0, the fixed world, for a body that does not move.
pub(super) fn solver_body(bodies: &Bodies, slot: u32) -> u32 {
    if bodies.is_moving(slot as usize) { slot + 1 } else { 0 }
}

/// True if a slot is a body of an island of this solver.
pub(super) fn is_in(islands: &Islands, solvers: &[IslandSolver], slot: usize, solver_of: IslandSolver) -> bool {
    let island = islands.island_of[slot];
    island != NONE && solvers[island as usize] == solver_of
}

/// Fills the bodies of a solver: those that `make` returns for a slot; all others are the fixed
/// world.
pub(super) fn fill_bodies(
    slots: usize,
    helpers: &WorkerPool,
    solver: &mut Vec<SolverBody>,
    filled: &mut Vec<bool>,
    make: &(impl Fn(usize) -> Option<SolverBody> + Sync),
) {
    solver.resize(slots + 1, SolverBody::FIXED);
    filled.resize(slots, false);
    let columns = (DisjointSlice::new(&mut solver[1..]), DisjointSlice::new(filled));
    helpers.for_each_chunk(slots, MIN_CHUNK_ARITHMETIC, &|share| {
        // SAFETY: chunks are disjoint.
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

/// The islands of the solver.
fn own_islands<'a>(islands: &'a Islands, solvers: &'a [IslandSolver]) -> impl Iterator<Item = &'a Island> {
    let all = islands.islands.iter().zip(solvers);
    all.filter(|(_, solvers)| **solvers == IslandSolver::Substepping).map(|(island, _)| island)
}

/// A dynamic body in the form of the solver, with its angular acceleration (rad/s²).
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

/// A kinematic body in the form of the solver, if it is one that moves.
pub(super) fn kinematic(bodies: &Bodies, slot: u32) -> Option<SolverBody> {
    let s = slot as usize;
    bodies.is_moving_kinematic(s).then(|| SolverBody {
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

/// Lists the contacts of the solver's islands, and by chunk their kinematic bodies; returns the
/// number of chunks.
fn fill_contacts(
    (bodies, helpers): (&Bodies, &WorkerPool),
    contacts: &ContactGraph,
    islands: &Islands,
    solvers: &[IslandSolver],
    Buffers { refs, offsets, kinematic, .. }: &mut Buffers,
) -> usize {
    let (mut own_islands, mut before) = (0, 0);
    offsets.clear();
    offsets.extend(islands.islands.iter().zip(solvers).map(|(island, solvers)| {
        let (count, offsets) = (island.contact_range().len(), before);
        *(if *solvers == IslandSolver::Substepping { &mut own_islands } else { &mut before }) += count;
        offsets as u32
    }));
    refs.resize(own_islands, ContactRef::default());
    let refs = DisjointSlice::new(refs);
    let count = if own_islands == 0 { 0 } else { contacts.contacts.len() };
    helpers.for_each_chunk_with(count, kinematic, MIN_CHUNK_ARITHMETIC, &|share, kinematic| {
        kinematic.clear();
        for k in share {
            contacts.prefetch_record(k + prefetch::DISTANCE);
            let c = &contacts.contacts[k];
            if solvers[c.island as usize] != IslandSolver::Substepping {
                continue;
            }
            // SAFETY: no two contacts have the same place, and each is in one share.
            if let Some(place) = unsafe { refs.get(k as u32 - offsets[c.island as usize]) } {
                *place = contact_ref(bodies, contacts, islands, c);
            }
            kinematic.extend([c.a, c.b].into_iter().filter(|&slot| bodies.kind[slot as usize] == Kind::Kinematic));
        }
    })
}

/// A contact in the form of the solver.
pub(super) fn contact_ref(bodies: &Bodies, contacts: &ContactGraph, islands: &Islands, c: &Contact) -> ContactRef {
    let record = &contacts.records[c.record as usize];
    // Islands are keyed by their least slot: numbers change with every island before.
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

/// Copies the impulses of composite pairs back to their pairs: their further manifolds are listed
/// anew in each step.
pub(super) fn keep_composites(contacts: &mut ContactGraph) {
    let first = contacts.records.len();
    let solved = contacts.manifolds[first..].iter();
    for (part, solved) in contacts.composites.iter_mut().flat_map(|c| &mut c.parts).zip(solved) {
        *part = *solved;
    }
}
