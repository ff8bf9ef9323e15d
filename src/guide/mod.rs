//! The guide: read it in order, or jump to where you are stuck.
//!
//! 1. [`first_world`]: a world, a plugin, a step, a loop
//! 2. [`components`]: what a game attaches to an entity, and what edits mean
//! 3. [`materials`]: friction, bounces, belts, and which surfaces meet
//! 4. [`joints`]: hinges, sliders, ropes, motors, and what breaks
//! 5. [`events`]: what a game hears of
//! 6. [`queries`]: rays, moving shapes, points
//! 7. [`steering`]: forces, teleports, platforms, characters and vehicles
//! 8. [`custom_colliders`]: shapes, kernels and sources of the game's own
//! 9. [`rest`]: why stacks stand, and when they cost nothing
//! 10. [`determinism`]: the same bits, snapshots and rollback
//! 11. [`troubleshooting`]: from symptom to cause
//!
//! For those who know another engine: [`from_rapier`] and [`from_avian`]. Every piece of code here is compiled and run by the tests.

#[doc = include_str!("components.md")]
pub mod components {}

#[doc = include_str!("custom_colliders.md")]
pub mod custom_colliders {}

#[doc = include_str!("determinism.md")]
pub mod determinism {}

#[doc = include_str!("events.md")]
pub mod events {}

#[doc = include_str!("first_world.md")]
pub mod first_world {}

#[doc = include_str!("from_avian.md")]
pub mod from_avian {}

#[doc = include_str!("from_rapier.md")]
pub mod from_rapier {}

#[doc = include_str!("joints.md")]
pub mod joints {}

#[doc = include_str!("materials.md")]
pub mod materials {}

#[doc = include_str!("queries.md")]
pub mod queries {}

#[doc = include_str!("rest.md")]
pub mod rest {}

#[doc = include_str!("steering.md")]
pub mod steering {}

#[doc = include_str!("troubleshooting.md")]
pub mod troubleshooting {}
