//! What the player changes in a world, step by step: each edit can be undone and done again.

use crate::rows::Row;
use dolmen::prelude::*;
use hecs::{Entity, World};

/// A change of a world between two steps.
pub enum Edit {
    /// A new body.
    Spawn(Entity, Row),
    /// A body goes, with its further colliders and joints.
    Despawn(Vec<(Entity, Row)>),
    /// An impulse for the next step, and whether it is the first that the body gets.
    Push(Entity, ExternalImpulse, bool),
}

impl Edit {
    /// A new body under a number of its own, which is spawned by [`apply`](Self::apply).
    pub fn spawn(world: &World, body: Row) -> Self {
        Self::Spawn(world.reserve_entity(), body)
    }

    /// An impulse on a body.
    pub fn push(world: &World, body: Entity, impulse: ExternalImpulse) -> Self {
        Self::Push(body, impulse, world.get::<&ExternalImpulse>(body).is_err())
    }

    /// The end of a body.
    pub fn despawn(world: &World, body: Entity) -> Self {
        let belongs = |joint: &Joint| joint.bodies.contains(&Some(body));
        let joints = world.query::<(Entity, &Joint)>().iter().filter(|(_, j)| belongs(j)).map(|(e, _)| e).collect();
        let mut gone: Vec<Entity> = joints;
        gone.extend(world.query::<(Entity, &ColliderOf)>().iter().filter(|(_, of)| of.body == body).map(|(e, _)| e));
        gone.push(body);
        Self::Despawn(gone.into_iter().map(|entity| (entity, Row::of(world, entity))).collect())
    }

    /// Carries it out.
    pub fn apply(&self, world: &mut World) {
        match self {
            Self::Spawn(entity, row) => row.spawn_at(world, *entity),
            Self::Despawn(rows) => rows.iter().for_each(|(entity, _)| _ = world.despawn(*entity)),
            Self::Push(entity, impulse, _) => impulse.add_to(world, *entity),
        }
    }

    /// Takes back what a snapshot does not: which entities and components there are.
    pub fn undo(&self, world: &mut World) {
        match self {
            Self::Spawn(entity, _) => _ = world.despawn(*entity),
            Self::Despawn(rows) => rows.iter().for_each(|(entity, row)| row.spawn_at(world, *entity)),
            Self::Push(entity, _, true) => _ = world.remove_one::<ExternalImpulse>(*entity),
            Self::Push(..) => {}
        }
    }
}
