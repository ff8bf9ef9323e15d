//! What the player changes in a world, step by step: each edit can be undone and done again.

use crate::rows::Row;
use crate::rules::{Rule, Rules};
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
    /// A body becomes static, or dynamic again, without a velocity; its kind before.
    Freeze(Entity, RigidBody),
    /// A slider, its value, and what it changes.
    Set(Rule, Real, Rules),
}

/// Mark of a body that the player has frozen.
#[derive(Clone, Copy)]
pub struct Frozen;

impl Edit {
    /// A new body under a number of its own, which is spawned by [`apply`](Self::apply).
    pub fn spawn(world: &World, body: Row) -> Self {
        Self::Spawn(world.reserve_entity(), body)
    }

    /// An impulse on a body.
    pub fn push(world: &World, body: Entity, impulse: ExternalImpulse) -> Self {
        Self::Push(body, impulse, world.get::<&ExternalImpulse>(body).is_err())
    }

    /// A frozen body goes on, any other stops.
    pub fn freeze(world: &World, body: Entity) -> Option<Self> {
        Some(Self::Freeze(body, *world.get::<&RigidBody>(body).ok()?))
    }

    /// A slider at a value.
    pub fn set(physics: &Physics, world: &World, rule: Rule, value: Real) -> Self {
        Self::Set(rule, value, Rules::of(physics, world))
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
    pub fn apply(&self, physics: &mut Physics, world: &mut World) {
        match self {
            Self::Spawn(entity, row) => row.spawn_at(world, *entity),
            Self::Despawn(rows) => rows.iter().for_each(|(entity, _)| _ = world.despawn(*entity)),
            Self::Push(entity, impulse, _) => impulse.add_to(world, *entity),
            Self::Freeze(entity, before) => {
                let is_frozen = *before != RigidBody::Dynamic;
                freeze(world, *entity, if is_frozen { RigidBody::Dynamic } else { RigidBody::Static });
                if let Ok((linear, angular)) =
                    world.query_one_mut::<(&mut LinearVelocity, &mut AngularVelocity)>(*entity)
                {
                    (linear.0, angular.0) = (Vec3::ZERO, Vec3::ZERO);
                }
            }
            Self::Set(rule, value, _) => rule.set(*value, physics, world),
        }
    }

    /// Takes back what a snapshot does not: which entities and components there are.
    pub fn undo(&self, physics: &mut Physics, world: &mut World) {
        match self {
            Self::Spawn(entity, _) => _ = world.despawn(*entity),
            Self::Despawn(rows) => rows.iter().for_each(|(entity, row)| row.spawn_at(world, *entity)),
            Self::Push(entity, _, true) => _ = world.remove_one::<ExternalImpulse>(*entity),
            Self::Push(..) => {}
            Self::Freeze(entity, before) => freeze(world, *entity, *before),
            Self::Set(_, _, before) => before.restore(physics, world),
        }
    }
}

/// Gives a body its kind, and the mark if it is static.
fn freeze(world: &mut World, body: Entity, kind: RigidBody) {
    if let Ok(mut own) = world.get::<&mut RigidBody>(body) {
        *own = kind;
    }
    if kind == RigidBody::Static {
        _ = world.insert_one(body, Frozen);
    } else {
        _ = world.remove_one::<Frozen>(body);
    }
}
