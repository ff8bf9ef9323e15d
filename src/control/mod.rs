//! Things that a player steers: characters that walk, and vehicles on wheels.
//!
//! A [`Character`] is a component of a kinematic body. It slides along walls, climbs steps and slopes up to its limits, keeps to
//! the ground, rides on platforms and pushes what it walks into. A [`Vehicle`] is a component of a dynamic body, the chassis: its
//! wheels are rays with a spring, a damper and a tyre. Both are plain data that the game writes its wishes into, and both are
//! moved by a system that the game calls before each step:
//!
//! ```
//! use dolmen::control::{Character, CharacterState, step_characters};
//! use dolmen::prelude::*;
//! let (mut world, mut physics) = (hecs::World::new(), Physics::default());
//! world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
//! let hero = world.spawn(Body::kinematic(Collider::capsule(0.5, 0.3)).at(0.0, 1.5, 0.0));
//! world.insert(hero, (Character::default(), CharacterState::default())).unwrap();
//! for _ in 0..180 {
//!     // What the player wants: two metres a second along x.
//!     world.get::<&mut Character>(hero).unwrap().walk = Vec3::X * 2.0;
//!     step_characters(&mut world, &physics, 1.0 / 60.0)?;
//!     physics.step(&mut world, 1.0 / 60.0)?;
//! }
//! let at = world.get::<&Position>(hero).unwrap().0;
//! assert!(world.get::<&CharacterState>(hero).unwrap().ground.is_some());
//! assert!(at.x > 4.5 && (at.y - 0.8).abs() < 0.02, "{at}");
//! # Ok::<(), dolmen::StepError>(())
//! ```
//!
//! | file | what |
//! |---|---|
//! | `planes`, `walk` | laws of sliding and walking |
//! | `wheel`, `traction` | laws of springs, steering and tyres |
//! | `character`, `vehicle` | components |
//! | `load` | what they put upon other bodies |
//! | `meets` | what they meet, as layers, filters and editors have it |
//! | `mover` | a shape on its way among the colliders |
//! | `characters`, `vehicles` | systems |
//!
//! Systems see the world as queries do, as it is after the last step. What they meet is what the step would let them: collision
//! layers hold, and so do the filters and editors of [`Physics::hooks`](crate::Physics::hooks). A filter is asked about the
//! character's or the chassis' body whenever a collider is near, with what the game has said by then; an editor is shown each surface
//! that is about to be met, as a contact of one point. What it disables is not there for that moment, and a surface velocity
//! carries who stands on it; materials mean nothing to characters and wheels. Results have the same bits for any number of threads and any order of entities.

mod character;
mod characters;
mod ground;
mod load;
mod meets;
mod mover;
pub mod planes;
pub mod traction;
mod vehicle;
mod vehicles;
pub mod walk;
pub mod wheel;

pub use character::{Character, CharacterState, Ground};
pub use characters::step_characters;
pub use load::Load;
pub use meets::Acquaintance;
pub use vehicle::{Vehicle, Wheel, WheelState};
pub use vehicles::step_vehicles;

use crate::bodies::Bodies;
use crate::components::BodySlot;
use crate::error::StepError;
use crate::math::Real;
use crate::physics::Physics;
use hecs::{Component, Entity, World};

/// The slot of a body that the last step knew.
fn slot_of(world: &World, bodies: &Bodies, entity: Entity) -> Option<usize> {
    let slot = world.get::<&BodySlot>(entity).ok()?.get()? as usize;
    (bodies.entity.get(slot) == Some(&entity) && bodies.kind[slot].is_body()).then_some(slot)
}

/// The bodies with a component that the last step knew, in the order of slots.
fn steered<C: Component>(world: &World, physics: &Physics) -> Vec<(usize, Entity)> {
    let bodies = &physics.state().bodies;
    let mut all: Vec<(usize, Entity)> = world
        .query::<(Entity, &C)>()
        .iter()
        .filter_map(|(entity, _)| Some((slot_of(world, bodies, entity)?, entity)))
        .collect();
    all.sort_unstable_by_key(|(slot, _)| *slot);
    all
}

fn check_time(dt: Real) -> Result<(), StepError> {
    if dt > 0.0 && dt.is_finite() { Ok(()) } else { Err(StepError::TimeStep { dt: f64::from(dt) }) }
}
