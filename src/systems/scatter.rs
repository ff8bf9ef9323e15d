//! Stage 11, **scatter**: the working set back into the hecs columns.
//!
//! Only bodies that a stage changed are written; a sleeping world costs nothing.

use crate::bodies::Bodies;
use crate::components::*;
use crate::ids::NONE;
use crate::persist::next_version;
use crate::rows::{BLOCK, Rows};
use crate::state::State;
use crate::systems::joints;
use crate::systems::out_of_range;
use crate::systems::solve::Solvers;
use hecs::{Archetype, World};

/// Runs the stage. With `user_systems`, any body may have changed.
pub(crate) fn run(world: &World, state: &mut State, solvers: &mut Solvers, user_systems: bool) {
    let mut changed = std::mem::take(&mut state.changed);
    list_changed(state, user_systems, &mut changed);
    out_of_range::run(state, &changed, solvers);
    joints::scatter(world, state);
    let State { bodies, rows, changes, active_set, .. } = state;
    let now = next_version();
    active_set.bodies.iter().for_each(|&slot| bodies.motion_versions[slot as usize] = now);
    let mut any = false;
    // In order of slots, so that the later pass in order of rows reads one cache line per body.
    for slot in changed.iter().map(|&slot| slot as usize) {
        if bodies.dirty[slot] {
            bodies.motion_versions[slot] = now;
            bodies.cache_columns(slot);
            any = true;
        }
    }
    if any {
        write_dirty(world, bodies, rows);
    }
    if !changes.is_empty() {
        bodies.edited.fill(false);
    }
    state.changed = changed;
}

/// Lists the slots of the bodies that may differ from their columns, in order: the active ones,
/// those that the step woke or put to sleep, and static ones that the game mended.
fn list_changed(state: &State, user_systems: bool, changed: &mut Vec<u32>) {
    let State { bodies, active_set, sleep, changes, .. } = state;
    changed.clear();
    if user_systems {
        changed.extend(0..bodies.slots() as u32);
        return;
    }
    changed.extend_from_slice(&active_set.bodies);
    changed.extend(sleep.woken.iter().chain(&sleep.fell_asleep));
    changed.extend(changes.mended.iter().map(|&(slot, _)| slot));
    if changed.len() > active_set.bodies.len() {
        changed.sort_unstable();
        changed.dedup();
    }
}

/// Writes the [cached columns](Bodies::cache_columns) of dirty bodies.
pub(crate) fn write_dirty(world: &World, bodies: &mut Bodies, rows: &mut Rows) {
    rows.refresh(world, bodies);
    for ((_, archetype), slots, mirrored) in rows.archetypes_mut(world).filter(|((_, a), ..)| a.has::<RigidBody>()) {
        for (slots, mirrored) in slots.chunks(BLOCK).zip(mirrored) {
            *mirrored &= !slots.iter().any(|&slot| is_dirty(bodies, slot));
        }
        write(archetype, slots, bodies);
    }
    bodies.dirty.fill(false);
}

fn is_dirty(bodies: &Bodies, slot: u32) -> bool {
    slot != NONE && bodies.dirty[slot as usize]
}

fn write(archetype: &Archetype, slots: &[u32], bodies: &Bodies) {
    let mut position = archetype.get::<&mut Position>();
    let mut orientation = archetype.get::<&mut Orientation>();
    let mut linear = archetype.get::<&mut LinearVelocity>();
    let mut angular = archetype.get::<&mut AngularVelocity>();
    let dirty = |slot: u32| is_dirty(bodies, slot);
    if let (Some(position), Some(orientation), Some(linear), Some(angular)) =
        (&mut position, &mut orientation, &mut linear, &mut angular)
    {
        let cells = position.iter_mut().zip(orientation.iter_mut()).zip(linear.iter_mut()).zip(angular.iter_mut());
        for (&slot, (((position, orientation), linear), angular)) in slots.iter().zip(cells) {
            if dirty(slot) {
                let cached = &bodies.columns[slot as usize];
                position.0 = cached.position;
                orientation.0 = cached.orientation;
                linear.0 = cached.linear;
                angular.0 = cached.angular;
            }
        }
    } else {
        // Static bodies, which may lack any column, and have no velocities.
        for (row, &slot) in slots.iter().enumerate().filter(|(_, slot)| dirty(**slot)) {
            let cached = &bodies.columns[slot as usize];
            if let Some(position) = &mut position {
                position[row].0 = cached.position;
            }
            if let Some(orientation) = &mut orientation {
                orientation[row].0 = cached.orientation;
            }
        }
    }
    if let Some(mut controls) = archetype.get::<&mut SleepControl>() {
        for (cell, &slot) in controls.iter_mut().zip(slots).filter(|(_, slot)| dirty(**slot)) {
            *cell = bodies.inputs[slot as usize].sleep_control.unwrap_or_default();
        }
    }
    if let Some(mut impulses) = archetype.get::<&mut ExternalImpulse>() {
        // Zero once it has acted; that of a body of another kind waits.
        for (cell, &slot) in impulses.iter_mut().zip(slots).filter(|(_, slot)| dirty(**slot)) {
            *cell = bodies.inputs[slot as usize].impulse.unwrap_or_default();
        }
    }
}
