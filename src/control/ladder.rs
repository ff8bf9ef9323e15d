use super::collide_and_slide::CharacterMover;
use crate::math::Vec3;
use crate::query::{Filter, Hit, Sensors};
use hecs::Entity;

/// Characters hold and climb this collider: a ladder, a net, a vine. On a sensor it is a volume.
///
/// A character holds a ladder that it touches; see [`Character::climb`](super::Character::climb).
/// Moving ladders carry it, and dynamic ones bear its weight.
///
/// ```
/// use dolmen::control::{Character, CharacterState, Ladder, step_characters};
/// use dolmen::prelude::*;
/// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
/// world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
/// world.spawn(Body::fixed(Collider::cuboid(0.1, 2.0, 0.3)).at(0.45, 2.0, 0.0).with(Ladder));
/// let hero = Body::kinematic(Collider::capsule(0.5, 0.3)).at(0.0, 0.805, 0.0);
/// let hero = world.spawn(hero.with(Character { walk: Vec3::X, climb: 1.5, ..Character::default() }));
/// for _ in 0..60 {
///     step_characters(&mut world, &physics, 1.0 / 60.0)?;
///     physics.step(&mut world, 1.0 / 60.0)?;
/// }
/// assert!(world.get::<&Position>(hero).unwrap().0.y > 2.0);
/// assert!(world.get::<&CharacterState>(hero).unwrap().ladder.is_some());
/// # Ok::<(), dolmen::StepError>(())
/// ```
///
/// | | size | alignment |
/// |---|---|---|
/// | `Ladder` | 0 | 1 |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Ladder;

/// The ladder that a character at a place (m) touches: of several the nearest.
pub(super) fn near(mover: &CharacterMover, at: Vec3) -> Option<Hit> {
    let (world, own) = (mover.filter.world, mover.filter.own.0);
    let is_ladder = |body: Entity, collider: Entity| body != own && world.satisfies::<&Ladder>(collider);
    let filter = Filter::default().layers(mover.filter.layers).sensors(Sensors::In).predicate(&is_ladder);
    // Surfaces are kept at the distance of the skin.
    let within = 2.0 * mover.character.skin;
    mover.filter.query().touching(&mover.probe.moved_to(at), within, &filter).into_iter().next()
}
