//! Components that were spawned where they cannot act: errors with the cure, or a count.

use crate::components::{Body, Collider, ColliderOf, Disabled, RigidBody};
use crate::error::StepError;
use crate::rows::entity_of;
use hecs::World;

/// # Errors
/// [`StepError::Component`] for an entity with a [`Body`] as a component, as
/// `world.spawn((Body::dynamic(shape), other))` makes: hecs takes each element of a tuple for a
/// component.
pub(super) fn check(world: &World) -> Result<(), StepError> {
    let misused = world.archetypes().find(|archetype| !archetype.is_empty() && archetype.has::<Body>());
    let Some(archetype) = misused else { return Ok(()) };
    Err(StepError::Component {
        entity: entity_of(world, archetype, 0),
        component: "Body",
        problem: "is a bundle of components and was spawned as one of them, in a tuple: spawn \
                  `Body::dynamic(..).with(other)` instead"
            .into(),
    })
}

/// The number of colliders that belong to no body. A game may keep some for later, so they are no error.
pub(super) fn loose_colliders(world: &World) -> usize {
    let loose = world.archetypes().filter(|archetype| {
        archetype.has::<Collider>()
            && !archetype.has::<RigidBody>()
            && !archetype.has::<ColliderOf>()
            && !archetype.has::<Disabled>()
    });
    loose.map(|archetype| archetype.len() as usize).sum()
}
