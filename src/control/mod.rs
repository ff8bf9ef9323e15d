//! Character, vehicle and pose controllers, and fields.
//!
//! A [`Character`] is a component of a kinematic body. It slides along walls, climbs steps and
//! slopes up to its limits, follows the ground, rides on platforms and pushes dynamic bodies. A
//! [`Vehicle`] is a component of a dynamic body, the chassis: its wheels are rays with a spring, a
//! damper and a tyre. Both are plain data that the game writes its inputs to, and both are moved by
//! a system that the game calls before each step:
//!
//! ```
//! use dolmen::control::{Character, CharacterState, step_characters};
//! use dolmen::prelude::*;
//! let (mut world, mut physics) = (hecs::World::new(), Physics::default());
//! world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
//! let hero = world.spawn(Body::kinematic(Collider::capsule(0.5, 0.3)).at(0.0, 1.5, 0.0));
//! world.insert(hero, (Character::default(), CharacterState::default())).unwrap();
//! for _ in 0..180 {
//!     // The player's input: walk at 2 m/s along x.
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
//! | `planes`, `walk` | sliding along planes, and walking |
//! | `wheel`, `tyre_forces` | steering, suspension springs and tyres |
//! | `character`, `vehicle`, `drive_train` | components |
//! | [`fields`] | gravity by place, wind, water, explosions |
//! | `pose_controller` | PID control of a pose |
//! | `floating_character` | a dynamic body on a spring leg |
//! | `resize`, `ladder` | crouching and standing up, climbing |
//! | `applied_load` | forces on other bodies |
//! | `collision_filter` | layers, pair filters and contact editors |
//! | `collide_and_slide` | motion of a shape among the colliders |
//! | `ground_motion` | moving platforms |
//! | `characters`, `vehicles` | systems |
//!
//! The systems see the world after the last step, as queries do. Collision layers and the filters
//! and editors of [`Physics::hooks`](crate::Physics::hooks) apply. A filter is called for the body
//! of the character or chassis and each near collider. An editor is called for each surface that is
//! about to be met, as a contact with one point: a disabled contact is ignored, and a surface
//! velocity carries the character or wheel. Materials have no effect on characters; tyres have
//! their own friction. The results do not depend on the number of threads or the order of entities.

mod applied_load;
mod character;
mod characters;
mod collide_and_slide;
mod collision_filter;
mod drive_train;
pub mod fields;
mod floating_character;
mod ground_motion;
mod ladder;
pub mod planes;
mod pose_controller;
mod resize;
pub mod tyre_forces;
mod vehicle;
mod vehicles;
pub mod walk;
pub mod wheel;

pub use applied_load::AppliedLoad;
pub use character::{Character, CharacterState, Ground};
pub use characters::step_characters;
pub use collision_filter::ContactEditorMemory;
pub use drive_train::DriveTrain;
pub use floating_character::{FloatingCharacter, step_floating_characters};
pub use ladder::Ladder;
pub use pose_controller::{PoseController, step_pose_controllers};
pub use resize::resize_character;
pub use vehicle::{AntiRollBar, Track, Vehicle, Wheel, WheelState};
pub use vehicles::step_vehicles;

use crate::bodies::Bodies;
use crate::components::{AngularVelocity, BodySlot, LinearVelocity, Orientation, Position};
use crate::math::{Pose, Real, Vec3};
use crate::physics::Physics;
use crate::ranges::at_least_zero;
use hecs::{Component, Entity, EntityRef, World};

/// Describes the first number that is negative or not finite.
fn first_negative(numbers: &[(&str, Real)]) -> Option<String> {
    numbers.iter().find_map(|&(name, value)| at_least_zero(name, value).err())
}

/// The slot of a body, if the last step knew it.
fn slot_of(world: &World, bodies: &Bodies, entity: Entity) -> Option<usize> {
    let slot = world.get::<&BodySlot>(entity).ok()?.get()? as usize;
    (bodies.entity.get(slot) == Some(&entity) && bodies.kind[slot].is_body()).then_some(slot)
}

/// The pose and the velocities of a body, as the game left them.
struct BodyMotion {
    pose: Pose,
    velocity: Vec3,
    spin: Vec3,
}

impl BodyMotion {
    fn of(row: EntityRef, bodies: &Bodies, slot: usize) -> Self {
        Self {
            pose: Pose::from_parts(
                row.get::<&Position>().map_or(bodies.position[slot], |p| p.0),
                row.get::<&Orientation>().map_or(bodies.orientation[slot], |q| q.0.normalize()),
            ),
            velocity: row.get::<&LinearVelocity>().map_or(Vec3::ZERO, |v| v.0),
            spin: row.get::<&AngularVelocity>().map_or(Vec3::ZERO, |w| w.0),
        }
    }
}

/// The bodies with a component that the last step knew, ordered by slot.
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
