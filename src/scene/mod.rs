//! Scene files: a whole world in one JSON object, and what became of it in another.
//!
//! ```text
//! cargo run --release --example run_scene -- scene.json > result.json
//! ```
//!
//! The same in code: [`read`] makes a [`Scene`] of a text, [`build`] spawns one into a hecs world, [`Simulation`] steps and
//! times it, [`generators`] make scenes of any size, [`metrics`] say how good a run was.
//!
//! # The format
//! Metres, kilograms, seconds, radians. Vectors are `[x, y, z]`, quaternions `[x, y, z, w]`, indices count from 0. What is not
//! said to be required has a default.
//!
//! ```json
//! {
//!   "gravity": [0, -9.81, 0], "dt": 0.016666666666666666, "steps": 600,
//!   "settings": { "accuracy": "game", "rest": true, "threads": 2, "resting_tolerance": 1e-4 },
//!   "materials": { "static_friction": 0.5, "dynamic_friction": 0.5, "restitution": 0 },
//!   "bodies": [
//!     { "name": "floor", "kind": "static", "shape": { "half_space": { "normal": [0, 1, 0] } } },
//!     { "shape": { "cuboid": { "half_extents": [0.5, 0.5, 0.5] } }, "position": [0, 5, 0], "density": 600 }
//!   ],
//!   "output": { "every": 60, "bodies": [1, "floor"], "energy": true }
//! }
//! ```
//!
//! ## The scene
//! | field | default | meaning |
//! |---|---|---|
//! | `gravity` | `[0, -9.81, 0]` | m/s² |
//! | `dt` | 1/60 | the time step (s), positive |
//! | `steps` | 600 | how many of them |
//! | `settings` | | see below |
//! | `materials` | friction 0.5, restitution 0 | `static_friction`, `dynamic_friction` and `restitution` of bodies that name none |
//! | `bodies` | required | see below |
//! | `joints` | none | see below |
//! | `output` | | see below |
//!
//! | of `settings` | default | meaning |
//! |---|---|---|
//! | `accuracy` | `"game"` | `"game"` or `"exact"`: see [`Accuracy`](crate::Accuracy) |
//! | `rest` | `true` | whether islands at rest may be parked |
//! | `threads` | `null` | 1 to 1024; `null`: those of the pool the step is called in |
//! | `resting_tolerance` | 1e-4, `exact`: 2.5e-7 | the height of a bounce that counts as rest (m), positive |
//!
//! ## Bodies
//! | field | default | meaning |
//! |---|---|---|
//! | `name` | none | for the output; several bodies may share one |
//! | `kind` | `"dynamic"` | `"dynamic"`, `"kinematic"` or `"static"` |
//! | `shape` | required | see below |
//! | `position` | `[0, 0, 0]` | of the body's origin (m) |
//! | `orientation` | `[0, 0, 0, 1]` | of any length but zero; it is normalised |
//! | `linear_velocity` | `[0, 0, 0]` | of the centre of mass (m/s); zero for static bodies |
//! | `angular_velocity` | `[0, 0, 0]` | in world axes (rad/s); zero for static bodies |
//! | `density` | 1000 | kg/m³, positive |
//! | `mass` | from the shape | kg, positive; wins over `density` |
//! | `inertia` | from the shape | about the centre of mass, body axes (kg m²): three principal moments, or a symmetric 3x3 matrix row by row, as three rows or as nine numbers. Positive, none above the sum of the other two |
//! | `center_of_mass` | from the shape | in body axes (m) |
//! | `static_friction`, `dynamic_friction` | of `materials` | at least 0, the static one no less than the dynamic one. A body that names only one takes the other of `materials`, moved as far as that rule asks |
//! | `restitution` | of `materials` | 0 to 1 |
//! | `force`, `torque` | `[0, 0, 0]` | constant, on the centre of mass, world axes (N, N m) |
//! | `gravity_scale` | 1 | a factor on gravity |
//! | `ccd` | `false` | whether it never passes through other moving bodies either |
//! | `locked` | `"none"` | a name or a list of names: `none`, `translation`, `rotation` (nothing of either), `plane_xy`, `plane_xz`, `plane_yz` (motion in that plane only, turning in it allowed), `translation_x`, `rotation_x` and so on for one axis of the world |
//!
//! `null` is as good as nothing for `name`, `density`, `mass`, `inertia`, `center_of_mass`, the frictions and `restitution`.
//!
//! Shapes, each an object with one field, its kind. Lengths in metres, about the body's origin, in its axes:
//!
//! | shape | fields |
//! |---|---|
//! | `ball` | `radius` |
//! | `cuboid` | `half_extents` |
//! | `capsule` | `half_height` of its straight part, `radius`; along y, as the next two |
//! | `cylinder` | `half_height`, `radius` |
//! | `cone` | `half_height`, `radius` of its base; the tip is up |
//! | `convex_hull` | `points`, at least 4, not in a plane |
//! | `half_space` | `normal`, out of the solid; not for dynamic bodies |
//! | `trimesh` | `vertices`, `indices` (`[[0, 1, 2], …]`, counter-clockwise from outside); dynamic only if it is closed, or mass and inertia are given |
//! | `heightfield` | `rows` along z, `columns` along x, `heights` row by row in one list, `scale`: the whole extent along x and z, and a factor on the heights in y. A dynamic one needs `mass` and `inertia` |
//! | `compound` | not an object but a list of `{ "shape", "position", "orientation" }`, the shapes convex and bounded |
//! | `"none"` | just the word: the body touches nothing. A dynamic one needs `mass` and `inertia` |
//!
//! ## Joints
//! | field | default | meaning |
//! |---|---|---|
//! | `kind` | required | `fixed` (turned against each other as they are), `spherical`, `revolute`, `prismatic`, `distance` or `spring` |
//! | `bodies` | required | two indices; one of the two bodies is dynamic |
//! | `anchors` | the origins | a point of each, in its axes (m) |
//! | `collide` | `false` | whether the two still collide |
//! | `axes` | required for `revolute`, `prismatic` | a direction for each, in its axes |
//! | `limits` | none | `revolute` (rad), `prismatic` (m): `[least, most]` |
//! | `motor` | none | `revolute`, `prismatic`: `{ "velocity": rad/s or m/s, "max_force": N m or N }`, both required |
//! | `length` | required for `distance` | m, or `[least, most]` |
//! | `rest_length`, `stiffness` | required for `spring` | m, N/m |
//! | `damping` | 0 | `spring`: N s/m |
//!
//! ## Output
//! | of `output` | default | meaning |
//! |---|---|---|
//! | `every` | 0 | a sample every so many steps, the start included; 0: none |
//! | `bodies` | `"all"` | the bodies in samples: `"all"`, or a list of indices and names (a name is every body that has it) |
//! | `energy` | `true` | whether energy is reported |
//!
//! # Errors
//! Whatever is unknown, missing, not finite or impossible is a [`SceneError`] that names its field, and nothing is simulated
//! (`run_scene` ends with status 2):
//!
//! ```text
//! bodies[12].shape.radius: must be positive, got -1
//! bodies[3].colour: unknown field `colour`, expected one of `name`, `kind`, … at line 7 column 20
//! bodies[4].shape[1].shape.half_extents[0]: must be positive, got 0
//! joints[0].bodies[1]: there is no body 7 (the scene has 3)
//! ```
//!
//! The kind of a shape is no part of a path, the place in a compound's list is. Numbers must be in range as the engine's
//! scalar holds them: in an `f32` build, 1e39 is not finite and 1e-50 not positive.
//!
//! # What a run prints
//! One JSON object, [`RunResult`](result::RunResult):
//!
//! | field | meaning |
//! |---|---|
//! | `engine`, `version`, `scalar`, `simd`, `threads` | what ran, and on what |
//! | `steps` | steps taken |
//! | `ms` | wall time of the steps alone: `total` of all, `median`, `p95` and `max` of a step, `stages`: total by stage |
//! | `counts` | in the last step: `bodies`, `pairs`, `manifolds`, `points`, `islands`, `parked`; of all steps: `impacts`, `lp_solves`, `pivot_solves`, `fallbacks` |
//! | `energy` | `start`, `end` and `max` of the dynamic bodies' kinetic energy and that in the field of gravity (J), or `null` |
//! | `samples` | a list of `step`, `time`, `energy`, `bodies` |
//! | `bodies` | all of them at the end: `name` (or `null`), `position`, `orientation`, `linear_velocity`, `angular_velocity` |
//! | `contacts` | of the last step: `bodies` (two indices), `point`, `normal` (from the first to the second), `impulse` (on the second, over the step, N s) |
//!
//! Numbers are printed in full: they read back to the same bits.

mod build;
mod error;
pub mod format;
pub mod generators;
pub mod metrics;
mod quat;
mod read;
pub mod result;
mod simulation;
mod validate;

pub use build::{Built, build};
pub use error::SceneError;
pub use format::Scene;
pub use read::read;
pub use simulation::Simulation;
pub use validate::validate;

/// The engine's scalar by name: `f32` or `f64`.
pub const SCALAR: &str = if size_of::<crate::math::Real>() == size_of::<f64>() { "f64" } else { "f32" };
