//! Stage 11, **scatter**: the working set back into the hecs columns.
//!
//! Only bodies that a stage changed are written; a sleeping world costs one flag per slot.

use crate::bodies::Bodies;
use crate::components::*;
use crate::ids::NONE;
use crate::persist::next_version;
use crate::rows::Rows;
use crate::state::State;
use crate::systems::joints;
use crate::systems::out_of_range;
use crate::systems::solve::Solvers;
use hecs::{Archetype, World};

/// Runs the stage.
pub(crate) fn run(world: &World, state: &mut State, solvers: &mut Solvers) {
    out_of_range::run(state, solvers);
    joints::scatter(world, state);
    let State { bodies, rows, changes, active_set, .. } = state;
    let now = next_version();
    active_set.bodies.iter().for_each(|&slot| bodies.motion_versions[slot as usize] = now);
    bodies
        .motion_versions
        .iter_mut()
        .zip(&bodies.dirty)
        .filter(|(_, dirty)| **dirty)
        .for_each(|(moved, _)| *moved = now);
    write_back(world, bodies, rows);
    if !changes.is_empty() {
        bodies.edited.fill(false);
    }
}

/// Writes the bodies whose state is newer than their columns.
pub(crate) fn write_back(world: &World, bodies: &mut Bodies, rows: &mut Rows) {
    if bodies.dirty.contains(&true) {
        // In order of slots, so that the later pass in order of rows reads one cache line per body.
        for slot in 0..bodies.slots() {
            if bodies.dirty[slot] {
                bodies.cache_columns(slot);
            }
        }
        write_dirty(world, bodies, rows);
    }
}

/// Writes the [cached columns](Bodies::cache_columns) of dirty bodies.
pub(crate) fn write_dirty(world: &World, bodies: &mut Bodies, rows: &mut Rows) {
    rows.refresh(world, bodies);
    for (archetype, slots) in rows.archetypes(world).filter(|(a, _)| a.has::<RigidBody>()) {
        write(archetype, slots, bodies);
    }
    bodies.dirty.fill(false);
}

fn write(archetype: &Archetype, slots: &[u32], bodies: &Bodies) {
    let mut position = archetype.get::<&mut Position>();
    let mut orientation = archetype.get::<&mut Orientation>();
    let mut linear = archetype.get::<&mut LinearVelocity>();
    let mut angular = archetype.get::<&mut AngularVelocity>();
    let dirty = |slot: u32| slot != NONE && bodies.dirty[slot as usize];
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
