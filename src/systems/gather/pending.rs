//! Pending edits: the game's edits since the last step, and velocities in the columns of static
//! bodies. They are stored beside a snapshot and written again when it is restored.

use super::columns::{Columns, Motion};
use crate::bodies::Bodies;
use crate::components::*;
use crate::rows::Rows;
use crate::rows::entity_of;
use hecs::{Entity, World};

/// The columns that the step writes, of a row with pending edits.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Pending {
    pub entity: Entity,
    motion: Motion,
    impulse: Option<ExternalImpulse>,
    sleep_control: Option<SleepControl>,
}

/// Lists the rows with pending edits.
pub(crate) fn list(world: &World, rows: &mut Rows, bodies: &Bodies, changed: &mut Vec<bool>, out: &mut Vec<Pending>) {
    out.clear();
    rows.read(world, bodies);
    for (archetype, slots) in rows.archetypes(world) {
        let columns = Columns::of(archetype);
        changed.clear();
        changed.resize(slots.len(), false);
        columns.slices().mark_changes(0, slots, bodies, changed);
        columns.mark_idle_velocities(slots, bodies, changed);
        if !changed.contains(&true) {
            continue;
        }
        for row in (0..slots.len()).filter(|&row| changed[row]) {
            let entity = entity_of(world, archetype, row);
            let (motion, inputs) = columns.read(row);
            out.push(Pending { entity, motion, impulse: inputs.impulse, sleep_control: inputs.sleep_control });
        }
    }
}

impl Pending {
    /// Writes it again, where the entity still exists and has the columns.
    pub fn write(&self, world: &World) {
        fn set<T: hecs::Component>(world: &World, entity: Entity, value: Option<T>) {
            if let (Some(value), Ok(mut cell)) = (value, world.get::<&mut T>(entity)) {
                *cell = value;
            }
        }
        let Motion { position, orientation, linear, angular } = self.motion;
        set(world, self.entity, position.map(Position));
        set(world, self.entity, orientation.map(Orientation));
        set(world, self.entity, linear.map(LinearVelocity));
        set(world, self.entity, angular.map(AngularVelocity));
        set(world, self.entity, self.impulse);
        set(world, self.entity, self.sleep_control);
    }
}
