//! Another shape for a character: to crouch, crawl, and stand up where there is room.

use super::characters::CharacterMove;
use super::collide_and_slide::{CharacterMover, probe_of};
use super::collision_filter::{CollisionFilter, EditorMemory};
use super::slot_of;
use crate::components::{Collider, Position};
use crate::error::StepError;
use crate::math::{Real, Vec3};
use crate::physics::Physics;
use crate::query::Probe;
use hecs::{Entity, World};

/// Gives a character another shape, with its lowest point where it was, if there is room: if it
/// overlaps nothing, or nothing deeper than the old one. Returns whether it did.
///
/// ```
/// use dolmen::control::{Character, CharacterState, resize_character};
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
/// // A beam at a height of 1.2 m.
/// world.spawn(Body::fixed(Collider::cuboid(0.5, 0.1, 5.0)).at(0.0, 1.3, 0.0));
/// let (tall, low) = (Collider::capsule(0.5, 0.3), Collider::capsule(0.2, 0.3));
/// let hero = world.spawn(Body::kinematic(low.clone()).at(0.0, 0.505, 0.0));
/// world.insert(hero, (Character::default(), CharacterState::default()))?;
/// physics.step(&mut world, 1.0 / 60.0)?;
/// assert!(!resize_character(&mut world, &physics, hero, &tall)?, "there is a beam overhead");
/// world.get::<&mut Position>(hero)?.0.x = 2.0;
/// physics.step(&mut world, 1.0 / 60.0)?;
/// assert!(resize_character(&mut world, &physics, hero, &tall)?);
/// assert!((world.get::<&Position>(hero)?.0.y - 0.805).abs() < 1e-5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`StepError::Component`] if the entity has no valid [`Character`](super::Character) on a body of the last step, or no
/// collider; [`StepError::Shape`] for an impossible shape, and one without bounds.
pub fn resize_character(
    world: &mut World,
    physics: &Physics,
    entity: Entity,
    collider: &Collider,
) -> Result<bool, StepError> {
    let bad = |problem: String| StepError::Component { entity, component: "Character", problem };
    collider.check().map_err(|error| StepError::Shape { entity, error })?;
    let slot = slot_of(world, &physics.state().bodies, entity).ok_or_else(|| bad("is on no body of a step".into()))?;
    let CharacterMove { character, collider: old, at, orientation, layers, .. } =
        CharacterMove::read(world, entity).map_err(bad)?;
    let up = character.up;
    let probe = |shape: &Collider, at: Vec3| probe_of(shape, at, orientation).map_err(bad);
    let (before, origin) = (probe(&old, at)?, probe(collider, Vec3::ZERO)?);
    let raised = CharacterMover::foot_of(&origin, up) - CharacterMover::foot_of(&before, up);
    let place = at + up * raised;
    let after = probe(collider, place)?;
    let editor_memory = EditorMemory::of(world, entity);
    let own = (entity, slot);
    let filter = CollisionFilter { world, physics, own, layers, ignored: None, editor_memory: &editor_memory };
    let depth = |probe: &Probe| filter.touching(probe, 0.0).iter().fold(0.0, |most: Real, hit| most.max(-hit.distance));
    let fits = depth(&after) <= depth(&before);
    if fits {
        world.insert(entity, (collider.clone(), Position(place))).expect("the entity was just seen");
    }
    Ok(fits)
}
