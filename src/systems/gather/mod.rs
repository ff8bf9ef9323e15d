//! Stage 1, **gather**: the hecs columns into the working set.
//!
//! One pass over the columns compares each row with the cached values of its slot, or blocks of rows
//! at rest with their copies. An unchanged row costs a few nanoseconds. Everything else is an edit:
//! read whole, validated, and applied only after every row has passed, so that an error changes nothing. Edits
//! need not be announced:
//!
//! * **added**: a row whose [`BodySlot`](crate::BodySlot) is missing, unassigned or another
//!   entity's;
//! * **removed**: a slot that no row claimed (counted first; searched only when the count is
//!   short);
//! * **moved between archetypes**: other optional components than before;
//! * **edited**: a value that differs from the one that the step wrote or read last.
//!
//! Newcomers get their slots in an order made from their data (pose, velocity, shape), so that
//! neither row order nor the order of spawning shows in any result.

mod body_mass;
mod columns;
mod commit;
mod found;
pub(crate) mod joints;
mod misuse;
mod order;
pub(crate) mod pending;
mod resting;
mod scratch;
mod validate;

use crate::bodies::Kind;
use crate::components::ColliderOf;
use crate::contact::kernels::PairKernels;
use crate::error::StepError;
use crate::ids::NONE;
use crate::math::{Real, Vec3};
use crate::parallel::{Indices, MIN_CHUNK_LIGHT};
use crate::rows::{BLOCK, Enabled, entity_of, is_relevant};
use crate::settings::Settings;
use crate::state::{Changes, State};
use columns::{Columns, Mirror};
pub(crate) use found::Found;
use hecs::{EntityBuilder, World};
use scratch::Edit;
pub(crate) use scratch::Scratch;
pub(in crate::systems) use validate::is_near;
pub(crate) use validate::{Checked, material};

/// Runs the stage. What the game changed is shown before it is applied, and can still be refused.
///
/// # Errors
/// [`StepError::Component`] for the first impossible component found, or what was refused; then
/// nothing was changed.
pub(crate) fn run<E: From<StepError>>(
    world: &mut World,
    state: &mut State,
    scratch: &mut Scratch,
    (settings, kernels): (&Settings, &PairKernels),
    dt: Real,
    check: impl FnOnce(&Found) -> Result<(), E>,
) -> Result<(), E> {
    let result = read(world, state, scratch, kernels)
        .map_err(E::from)
        .and_then(|()| check(&Found::new(world, state, scratch)))
        .map(|()| apply(world, state, scratch, settings, dt));
    scratch.edits.clear();
    result
}

/// Finds what the game changed, and checks it.
fn read(world: &World, state: &mut State, scratch: &mut Scratch, kernels: &PairKernels) -> Result<(), StepError> {
    state.changes.clear();
    scratch.edits.clear();
    scratch.removed.clear();
    scratch.masses.clear();
    scratch.resting.begin();
    misuse::check(world)?;
    state.counts.loose_colliders = misuse::loose_colliders(world);
    let claimed = state.rows.read(world, &state.bodies);
    scan(world, state, scratch, kernels)?;
    joints::scan(world, &state.joints, &mut scratch.joints, &mut scratch.resting)?;
    if claimed < state.bodies.live() {
        find_removed(state, scratch);
    }
    if scratch.edits.is_empty() && scratch.removed.is_empty() {
        // A world is filled once: frees the buffer, which takes half a kilobyte per body.
        scratch.edits = Vec::new();
    } else {
        order::sort(&mut scratch.edits);
        scratch.masses = body_mass::derive_masses(&state.bodies, &scratch.edits, &scratch.removed)?;
    }
    Ok(())
}

/// Applies what was found. Nothing here can fail.
fn apply(world: &mut World, state: &mut State, scratch: &mut Scratch, settings: &Settings, dt: Real) {
    state.begin(settings, dt);
    state.counts.added = scratch.edits.iter().filter(|edit| edit.slot == NONE).count();
    state.counts.removed = scratch.removed.len();
    if !(scratch.edits.is_empty() && scratch.removed.is_empty()) {
        state.rows.invalidate();
        commit::apply(world, state, scratch);
        update_versions(state);
        count(state);
    }
    joints::commit(world, state, &mut scratch.joints);
    scratch.resting.commit();
}

/// A copy of a world with its bodies and extra colliders, under the same entities: for questions
/// that must not change the world.
pub(crate) fn copy(world: &World) -> World {
    let (mut copy, mut builder) = (World::new(), EntityBuilder::new());
    for archetype in world.archetypes().filter(|a| is_relevant(a)) {
        let columns = Columns::of(archetype);
        for row in 0..archetype.len() as usize {
            columns.copy(row, &mut builder);
            copy.spawn_at(entity_of(world, archetype, row), builder.build());
        }
    }
    copy
}

/// Compares every row with its slot and collects edits.
fn scan(world: &World, state: &mut State, scratch: &mut Scratch, kernels: &PairKernels) -> Result<(), StepError> {
    let enabled = Enabled::of(world);
    let State { rows, bodies, helpers, .. } = state;
    let Scratch { edits, changed, notable, mirrors, resting, .. } = scratch;
    mirrors.resize_with(world.archetypes().len(), Mirror::default);
    for ((number, archetype), slots, mirrored) in rows.archetypes_mut(world) {
        let columns = Columns::of(archetype);
        let (slices, mirror) = (columns.slices(), &mut mirrors[number]);
        let rows_of = |block: usize| block * BLOCK..slots.len().min((block + 1) * BLOCK);
        let all = Indices::All(mirrored.len());
        mirror.truncate(slots.len());
        changed.resize(mirrored.len(), [false; BLOCK]);
        notable.iter_mut().for_each(Vec::clear);
        let blocks = (mirrored.as_mut_slice(), changed.as_mut_slice());
        let least = MIN_CHUNK_LIGHT / BLOCK;
        let used = helpers.for_each_row_of_with(all, blocks, notable, least, &|block, (mirrored, changed), notable| {
            let rows = rows_of(block);
            if *mirrored && slices.agree(mirror, rows.clone(), slots) {
                return;
            }
            *mirrored = false;
            let (slots, changed) = (&slots[rows.clone()], &mut changed[..rows.len()]);
            slices.mark_changes(rows.start, slots, bodies, changed);
            let any = changed.contains(&true);
            if any || slots.iter().all(|&slot| !bodies.is_moving(slot as usize)) {
                notable.push((block, any));
            }
        });
        for &(block, any) in notable[..used].iter().flatten() {
            let block_rows = rows_of(block);
            if !any {
                mirrored[block] = mirror.copy(block_rows, slots, &slices);
                continue;
            }
            for (row, _) in block_rows.zip(&changed[block]).filter(|(_, changed)| **changed) {
                let entity = entity_of(world, archetype, row);
                let (motion, inputs) = columns.read(row);
                let stays_at_rest =
                    |of: ColliderOf| !enabled.has(of.body) || resting.did(entity) && !world.contains(of.body);
                if inputs.kind.is_none() && inputs.collider_of.is_some_and(stays_at_rest) {
                    resting.add(entity);
                    continue;
                }
                let known = bodies.inputs.get(slots[row] as usize);
                validate::entity(world, entity, &motion, &inputs, known, kernels)?;
                edits.push(Edit { entity, slot: slots[row], motion, inputs });
            }
        }
    }
    Ok(())
}

/// Gives changed slots a new version.
fn update_versions(state: &mut State) {
    let Changes { removed, reshaped, refreshed, woken, .. } = &state.changes;
    let removed = removed.iter().map(|&(slot, _)| slot);
    state.bodies.mark_edited(removed.chain([reshaped, refreshed, woken].into_iter().flatten().copied()));
}

/// Counts the slots by kind; without edits the counts of the last step are still right.
fn count(state: &mut State) {
    let of = |kind: Kind| state.bodies.kind.iter().filter(|&&k| k == kind).count();
    let orphan = |slot: &usize| state.bodies.kind[*slot] == Kind::Collider && !state.colliders.is_live(*slot);
    state.counts.dynamic = of(Kind::Dynamic);
    state.counts.bodies = state.counts.dynamic + of(Kind::Kinematic) + of(Kind::Static);
    state.counts.orphans = (0..state.bodies.slots()).filter(orphan).count();
    let colliders = &mut state.colliders;
    colliders.any_runs = colliders.surface_velocity.iter().any(|v| *v != Vec3::ZERO);
    colliders.any_threshold = colliders.force_threshold.iter().any(|t| t.is_finite());
}

/// Lists the slots that no row claimed.
fn find_removed(state: &State, scratch: &mut Scratch) {
    let bodies = &state.bodies;
    scratch.claimed.clear();
    scratch.claimed.resize(bodies.slots(), false);
    for slot in state.rows.claimed() {
        scratch.claimed[slot] = true;
    }
    let lost = |&slot: &usize| !matches!(bodies.kind[slot], Kind::Vacant | Kind::World) && !scratch.claimed[slot];
    scratch.removed.extend((0..bodies.slots()).filter(lost).map(|slot| slot as u32));
}
