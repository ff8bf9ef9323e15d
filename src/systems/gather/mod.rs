//! Stage 1, **gather**: the hecs columns into the working set.
//!
//! One pass over the columns compares each row with what the step already knows of its slot. A row that says the same costs a
//! few nanoseconds and nothing is copied. Everything else is an edit: read whole, checked, and applied only after every row
//! has passed, so that an error changes nothing. Nobody has to announce an edit:
//!
//! * **added**: a row whose [`BodySlot`](crate::BodySlot) is missing, unassigned or another entity's;
//! * **removed**: a slot that no row claimed (counted first; looked for only when the count is short);
//! * **moved between archetypes**: other optional components than before;
//! * **edited**: a value that differs from the one the step wrote or read last.
//!
//! Newcomers get their slots in an order made from what they are (pose, velocity, shape), so that neither row order nor the
//! order of spawning shows in any result.

mod body_mass;
mod columns;
mod commit;
pub(crate) mod joints;
mod order;
pub(crate) mod pending;
mod validate;

use crate::bodies::Kind;
use crate::contact::kernels::PairKernels;
use crate::error::StepError;
use crate::inputs::Inputs;
use crate::math::{Real, Vec3};
use crate::parallel::{Apart, LOOKED_AT};
use crate::settings::Settings;
use crate::systems::rows::concerns;
use crate::systems::state::{Changes, State};
use columns::{Columns, Motion};
use hecs::{Entity, EntityBuilder, World};
pub(crate) use validate::{Checked, material};

/// One row that says something new.
pub(crate) struct Edit {
    entity: Entity,
    /// The slot, or [`NONE`](crate::index::NONE) for a newcomer.
    slot: u32,
    motion: Motion,
    inputs: Inputs,
}

/// Buffers of the gather stage, kept between steps.
#[derive(Default)]
pub(crate) struct Scratch {
    edits: Vec<Edit>,
    removed: Vec<u32>,
    claimed: Vec<bool>,
    changed: Vec<bool>,
    marks: commit::Marks,
    joints: joints::Scratch,
}

/// Runs the stage.
///
/// # Errors
/// [`StepError::Component`] for the first impossible component found; then nothing was changed.
pub fn run(
    world: &mut World,
    state: &mut State,
    settings: &Settings,
    kernels: &PairKernels,
    dt: Real,
) -> Result<(), StepError> {
    let mut scratch = std::mem::take(&mut state.gather);
    let result = stage(world, state, &mut scratch, (settings, kernels), dt);
    scratch.edits.clear();
    state.gather = scratch;
    result
}

fn stage(
    world: &mut World,
    state: &mut State,
    scratch: &mut Scratch,
    (settings, kernels): (&Settings, &PairKernels),
    dt: Real,
) -> Result<(), StepError> {
    state.changes.clear();
    scratch.edits.clear();
    scratch.removed.clear();
    let claimed = state.rows.read(world, &state.bodies);
    scan(world, state, scratch, kernels)?;
    joints::scan(world, &state.joints, &mut scratch.joints)?;
    if claimed < state.bodies.live() {
        find_removed(state, scratch);
    }
    if scratch.edits.is_empty() && scratch.removed.is_empty() {
        // A world is filled once: half a kilobyte a body need not be kept for that.
        scratch.edits = Vec::new();
        state.begin(settings, dt);
    } else {
        order::sort(&mut scratch.edits);
        let masses = body_mass::derive(&state.bodies, &scratch.edits, &scratch.removed)?;
        state.begin(settings, dt);
        state.rows.outdate();
        commit::apply(world, state, scratch, masses);
        restamp(state);
        count(state);
    }
    joints::commit(world, state, &mut scratch.joints);
    Ok(())
}

/// A world of its own with the bodies and extra colliders of another, under the same names: for questions that must not
/// change what they are asked about.
pub(crate) fn copy(world: &World) -> World {
    let (mut copy, mut builder) = (World::new(), EntityBuilder::new());
    for archetype in world.archetypes().filter(|a| concerns(a)) {
        let columns = Columns::of(archetype);
        for (row, &id) in archetype.ids().iter().enumerate() {
            columns.copy(row, &mut builder);
            // SAFETY: the id stands in an archetype's row, so it is the id of a live entity.
            let entity = unsafe { world.find_entity_from_id(id) };
            copy.spawn_at(entity, builder.build());
        }
    }
    copy
}

/// Compares every row and collects edits.
fn scan(world: &World, state: &State, scratch: &mut Scratch, kernels: &PairKernels) -> Result<(), StepError> {
    for (archetype, slots) in state.rows.archetypes(world) {
        let columns = Columns::of(archetype);
        scratch.changed.clear();
        scratch.changed.resize(slots.len(), false);
        let (slices, changed) = (columns.slices(), Apart::new(&mut scratch.changed));
        state.helpers.shares(slots.len(), LOOKED_AT, &|share| {
            // SAFETY: shares are apart.
            let changed = unsafe { changed.range(share.clone()) };
            slices.mark_changes(share.start, &slots[share], &state.bodies, changed);
        });
        let changed = scratch.changed.iter().filter(|changed| **changed).count();
        if changed == 0 {
            continue;
        }
        scratch.edits.reserve(changed);
        for (row, _) in scratch.changed.iter().enumerate().filter(|(_, changed)| **changed) {
            // SAFETY: the id stands in an archetype's row, so it is the id of a live entity.
            let entity = unsafe { world.find_entity_from_id(archetype.ids()[row]) };
            let (motion, inputs) = columns.read(row);
            let known = state.bodies.inputs.get(slots[row] as usize);
            validate::entity(world, entity, &motion, &inputs, known, kernels)?;
            scratch.edits.push(Edit { entity, slot: slots[row], motion, inputs });
        }
    }
    Ok(())
}

/// Notes which slots are no longer what they were.
fn restamp(state: &mut State) {
    let Changes { removed, reshaped, refreshed, woken, .. } = &state.changes;
    let removed = removed.iter().map(|&(slot, _)| slot);
    state.bodies.restamp(removed.chain([reshaped, refreshed, woken].into_iter().flatten().copied()));
}

/// Counts what is in the slots; without edits the counts of the last step stand.
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
