//! The guide: read it in order, or jump to the page you need.
//!
//! 1. [`first_world`]: a world, a plugin, a step and a loop
//! 2. [`components`]: the components of a body, and what editing them does
//! 3. [`materials`]: friction, restitution, conveyor belts and collision filters
//! 4. [`joints`]: hinges, sliders, ropes, motors and breaking
//! 5. [`events`]: contacts, impacts, sensors, sleep and joints, as events
//! 6. [`queries`]: ray casts, shape casts, overlaps and points
//! 7. [`steering`]: forces, teleports, platforms, characters and vehicles
//! 8. [`custom_colliders`]: your own shapes, pair kernels and contact sources
//! 9. [`sleep`]: why stacks stand, and when they cost nothing
//! 10. [`determinism`]: equal bits, snapshots and rollback
//! 11. [`debug_drawing`]: see what the step sees
//! 12. [`sweeps`]: many scenes or parameters, on all cores or machines
//! 13. [`how_do_i`]: short answers, from bullets to planets
//! 14. [`troubleshooting`]: from symptom to cause
//! 15. [`errors`]: each error, its cause and its cure
//! 16. [`glossary`]: the terms, with the work that defines each
//!
//! For users of other engines: [`compared`], [`from_rapier`], [`from_avian`] and
//! [`from_jolt_and_box3d`]. The tests compile and run all code in the guide.
//!
//! How the engine is built, and why, is described in the folder `docs` of the repository.

#[doc = include_str!("compared.md")]
pub mod compared {}

#[doc = include_str!("components.md")]
pub mod components {}

#[doc = include_str!("custom_colliders.md")]
pub mod custom_colliders {}

#[doc = include_str!("debug_drawing.md")]
pub mod debug_drawing {}

#[doc = include_str!("determinism.md")]
pub mod determinism {}

#[doc = include_str!("errors.md")]
pub mod errors {}

#[doc = include_str!("events.md")]
pub mod events {}

#[doc = include_str!("first_world.md")]
pub mod first_world {}

#[doc = include_str!("from_avian.md")]
pub mod from_avian {}

#[doc = include_str!("from_jolt_and_box3d.md")]
pub mod from_jolt_and_box3d {}

#[doc = include_str!("from_rapier.md")]
pub mod from_rapier {}

#[doc = include_str!("glossary.md")]
pub mod glossary {}

#[doc = include_str!("how_do_i.md")]
pub mod how_do_i {}

#[doc = include_str!("joints.md")]
pub mod joints {}

#[doc = include_str!("materials.md")]
pub mod materials {}

#[doc = include_str!("queries.md")]
pub mod queries {}

#[doc = include_str!("sleep.md")]
pub mod sleep {}

#[doc = include_str!("steering.md")]
pub mod steering {}

#[doc = include_str!("sweeps.md")]
pub mod sweeps {}

#[doc = include_str!("troubleshooting.md")]
pub mod troubleshooting {}
