//! What the game did to one entity between two steps.

use super::columns::{Name, Value, difference, whole};
use super::recorder::RecordError;
use super::shapes::{LoadedShapes, Shapes};
use super::taking::{Participants, Taking};
use crate::bodies::Bodies;
use crate::components::{Joint, JointState};
use crate::systems::gather::Found;
use hecs::{Entity, EntityBuilder, EntityRef, World};
use serde::{Deserialize, Serialize};

/// A change of one entity.
#[derive(Clone, Serialize, Deserialize)]
pub(super) enum Change {
    Despawned(Entity),
    /// Spawned with these components, under this entity.
    Spawned(Entity, Vec<Value>),
    /// Components written, and removed.
    Edited(Entity, Vec<Value>, Vec<Name>),
}

impl Change {
    pub fn entity(&self) -> Entity {
        match self {
            Self::Despawned(entity) | Self::Spawned(entity, _) | Self::Edited(entity, ..) => *entity,
        }
    }

    /// Does the same to another world; `None` if the entity, or a shape, is unknown.
    pub fn apply(&self, world: &mut World, shapes: &LoadedShapes) -> Option<()> {
        let mut builder = EntityBuilder::new();
        match self {
            Self::Despawned(entity) => {
                // An entity that was a body and a joint is listed twice.
                drop(world.despawn(*entity));
                Some(())
            }
            Self::Spawned(entity, values) => {
                values.iter().try_for_each(|value| value.add_to(&mut builder, shapes))?;
                world.spawn_at(*entity, builder.build());
                Some(())
            }
            Self::Edited(entity, values, removed) => {
                values.iter().try_for_each(|value| value.add_to(&mut builder, shapes))?;
                world.insert(*entity, builder.build()).ok()?;
                removed.iter().for_each(|name| name.remove_from(world, *entity));
                Some(())
            }
        }
    }
}

/// Every recorded entity of a world, as spawned.
///
/// # Errors
/// [`RecordError::Shape`].
pub(super) fn all(world: &World, bodies: &Bodies, shapes: &mut Shapes) -> Result<Vec<Change>, RecordError> {
    let participants = Participants::new(world, bodies);
    world.iter().filter_map(|row| spawned(row, &participants, shapes).transpose()).collect()
}

/// What a step found that the game changed. A row that the step takes for a newcomer is spawned anew.
///
/// # Errors
/// [`RecordError::Shape`].
pub(super) fn of(found: &Found, shapes: &mut Shapes) -> Result<Vec<Change>, RecordError> {
    let (mut changes, mut later) = (Vec::new(), Vec::new());
    let participants = Participants::new(found.world, found.bodies());
    for entity in found.gone() {
        let row = found.world.entity(entity).ok();
        match row.map(|row| spawned(row, &participants, shapes)).transpose()?.flatten() {
            Some(change) => later.push(change),
            None => changes.push(Change::Despawned(entity)),
        }
    }
    // A newcomer may have the number of an entity despawned before it.
    changes.append(&mut later);
    let row = |entity| found.world.entity(entity).expect("the row was just read");
    for (entity, slot) in found.edited() {
        match slot {
            None => changes.extend(spawned(row(entity), &participants, shapes)?),
            Some(slot) => {
                let (values, removed) = difference(row(entity), (found.bodies(), slot), shapes)?;
                changes.push(Change::Edited(entity, values, removed));
            }
        }
    }
    for (entity, is_new) in found.edited_joints() {
        let row = row(entity);
        changes.extend(if is_new { spawned(row, &participants, shapes)? } else { Some(edited_joint(row)) });
    }
    Ok(changes)
}

/// A row as spawned, without what of it takes no part; `None` if nothing does.
fn spawned(row: EntityRef, participants: &Participants, shapes: &mut Shapes) -> Result<Option<Change>, RecordError> {
    let Taking { body, part, joint } = participants.of(row);
    if !(body || part || joint) {
        return Ok(None);
    }
    let mut values = whole(row, shapes)?;
    values.retain(|value| match value {
        Value::Joint(_) | Value::JointState(_) => joint,
        Value::ColliderOf(_) => part,
        _ => true,
    });
    Ok(Some(Change::Spawned(row.entity(), values)))
}

/// A joint under its own slot, which has both components.
fn edited_joint(row: EntityRef) -> Change {
    let joint = row.get::<&Joint>().map(|joint| Value::Joint((*joint).clone()));
    let state = row.get::<&JointState>().map(|state| Value::JointState(*state));
    Change::Edited(row.entity(), joint.into_iter().chain(state).collect(), Vec::new())
}
