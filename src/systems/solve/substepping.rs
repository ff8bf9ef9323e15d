//! Islands of the substepping solver of contacts: gathers their bodies and contacts, and applies
//! the result.
//!
//! Bodies are numbered by slot, and contacts by pair, so that the solver recognises those of the
//! last step.

use super::assemble::mean_angular_acceleration;
use super::assign::IslandSolver;
use super::push_out::{Allowance, PushOut};
use super::result::Solved;
use super::solver_bodies::{apply_motions, contact_ref, fill_bodies, is_in, kinematic, moving};
use crate::bodies::{Bodies, Kind};
use crate::contact::{ContactGraph, Status};
use crate::islands::{Island, Islands};
use crate::parallel::{DisjointSlice, MIN_CHUNK_ARITHMETIC, WorkerPool};
use crate::prefetch;
use crate::solver::{ContactRef, Parameters, Solver};
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

/// The islands of the solver.
fn own_islands<'a>(islands: &'a Islands, solvers: &'a [IslandSolver]) -> impl Iterator<Item = &'a Island> {
    let all = islands.islands.iter().zip(solvers);
    all.filter(|(_, solvers)| **solvers == IslandSolver::Substepping).map(|(island, _)| island)
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

/// Copies the impulses of composite pairs back to their pairs: their further manifolds are listed
/// anew in each step.
pub(super) fn keep_composites(contacts: &mut ContactGraph) {
    let first = contacts.records.len();
    let solved = contacts.manifolds[first..].iter();
    for (part, solved) in contacts.composites.iter_mut().flat_map(|c| &mut c.parts).zip(solved) {
        *part = *solved;
    }
}
