//! Stage 11, **scatter**: the working set back into the hecs columns.
//!
//! Only bodies that a stage changed are written; a world at rest costs a look at one flag a slot.

use crate::bodies::Bodies;
use crate::components::*;
use crate::index::NONE;
use crate::kept::stamp;
use crate::systems::bounds;
use crate::systems::joints;
use crate::systems::rows::Rows;
use crate::systems::state::State;
use hecs::{Archetype, World};

/// Runs the stage.
pub fn run(world: &World, state: &mut State) {
    bounds::run(state);
    joints::scatter(world, state);
    let State { bodies, rows, changes, awake, .. } = state;
    let now = stamp();
    awake.bodies.iter().for_each(|&slot| bodies.moved[slot as usize] = now);
    bodies.moved.iter_mut().zip(&bodies.dirty).filter(|(_, dirty)| **dirty).for_each(|(moved, _)| *moved = now);
    write_back(world, bodies, rows);
    if !changes.is_empty() {
        bodies.edited.fill(false);
    }
}

/// Writes the bodies that are ahead of their columns.
pub(crate) fn write_back(world: &World, bodies: &mut Bodies, rows: &mut Rows) {
    if bodies.dirty.contains(&true) {
        // In order of slots, so that the pass in order of rows, which is another, reads one cache line a body.
        for slot in 0..bodies.slots() {
            if bodies.dirty[slot] {
                bodies.note_seen(slot);
            }
        }
        write_dirty(world, bodies, rows);
    }
}

/// Writes what is [seen](Bodies::note_seen) of dirty bodies.
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
                let seen = &bodies.seen[slot as usize];
                position.0 = seen.position;
                orientation.0 = seen.orientation;
                linear.0 = seen.linear;
                angular.0 = seen.angular;
            }
        }
    } else {
        // Static bodies, which may lack any of them, and whose velocities mean nothing.
        for (row, &slot) in slots.iter().enumerate().filter(|(_, slot)| dirty(**slot)) {
            let seen = &bodies.seen[slot as usize];
            if let Some(position) = &mut position {
                position[row].0 = seen.position;
            }
            if let Some(orientation) = &mut orientation {
                orientation[row].0 = seen.orientation;
            }
        }
    }
    if let Some(mut impulses) = archetype.get::<&mut ExternalImpulse>() {
        for (cell, _) in impulses.iter_mut().zip(slots).filter(|(_, slot)| dirty(**slot)) {
            *cell = ExternalImpulse::default();
        }
    }
}
