//! What the game did to one entity between two steps.

use super::columns::{Name, Value};
use super::shapes::LoadedShapes;
use hecs::{Entity, EntityBuilder, World};
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
            Self::Despawned(entity) => world.despawn(*entity).ok(),
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
