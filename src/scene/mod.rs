//! Scene files: a world as one JSON object, and the result of a run as another.
//!
//! ```text
//! cargo run --release --example run_scene -- scene.json > result.json
//! ```
//!
//! In code: [`read`] parses a [`Scene`], [`build`] spawns it into a hecs world, [`Simulation`]
//! steps and times it, [`generators`] makes scenes of any size, [`metrics`] measures the quality of
//! a run.
//!
//! # The format
//! Metres, kilograms, seconds, radians. Vectors are `[x, y, z]`, quaternions `[x, y, z, w]`,
//! indices start at 0. Fields have defaults unless they are marked as required.
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
//! | `steps` | 600 | number of steps |
//! | `settings` | | see below |
//! | `materials` | friction 0.5, restitution 0 | `static_friction`, `dynamic_friction` and `restitution` of bodies without their own |
//! | `bodies` | required | see below |
//! | `joints` | none | see below |
//! | `output` | | see below |
//!
//! | of `settings` | default | meaning |
//! |---|---|---|
//! | `accuracy` | `"game"` | `"game"` or `"exact"`: see [`Accuracy`](crate::Accuracy) |
//! | `rest` | `true` | whether islands at rest may fall asleep |
//! | `threads` | `null` | 1 to 1024; `null`: the pool that the step is called in |
//! | `resting_tolerance` | 1e-4, `exact`: 2.5e-7 | the bounce height below which a contact is a resting contact (m), positive |
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
//! | `mass` | from the shape | kg, positive; overrides `density` |
//! | `inertia` | from the shape | about the centre of mass, body axes (kg m²): three principal moments, or a symmetric 3x3 matrix row by row, as three rows or as nine numbers. Positive, none greater than the sum of the other two |
//! | `center_of_mass` | from the shape | in body axes (m) |
//! | `static_friction`, `dynamic_friction` | of `materials` | at least 0, static at least dynamic. If a body gives only one, the other is that of `materials`, adjusted to this rule |
//! | `restitution` | of `materials` | 0 to 1 |
//! | `force`, `torque` | `[0, 0, 0]` | constant, on the centre of mass, world axes (N, N m) |
//! | `gravity_scale` | 1 | a factor on gravity |
//! | `ccd` | `false` | whether continuous collision detection applies against dynamic bodies too |
//! | `locked` | `"none"` | a name or a list of names: `none`, `translation`, `rotation` (all three axes), `plane_xy`, `plane_xz`, `plane_yz` (motion in that plane only, with rotation in the plane), `translation_x`, `rotation_x` and so on for one axis of the world |
//!
//! `null` is the same as a missing field for `name`, `density`, `mass`, `inertia`,
//! `center_of_mass`, the frictions and `restitution`.
//!
//! A shape is an object with one field, its type. Lengths are in metres, in the body's axes, from
//! its origin:
//!
//! | shape | fields |
//! |---|---|
//! | `ball` | `radius` |
//! | `cuboid` | `half_extents` |
//! | `capsule` | `half_height` of the straight part, `radius`; along y, as the next two |
//! | `cylinder` | `half_height`, `radius` |
//! | `cone` | `half_height`, `radius` of its base; the tip is up |
//! | `convex_hull` | `points`, at least 4, not coplanar |
//! | `half_space` | `normal`, outward; not for dynamic bodies |
//! | `trimesh` | `vertices`, `indices` (`[[0, 1, 2], …]`, counter-clockwise from outside); dynamic only if it is closed, or mass and inertia are given |
//! | `heightfield` | `rows` along z, `columns` along x, `heights` row by row in one list, `scale`: the full extent along x and z, and a factor on the heights in y. A dynamic one needs `mass` and `inertia` |
//! | `compound` | not an object but a list of `{ "shape", "position", "orientation" }`, the shapes convex and bounded |
//! | `"none"` | a string: no collisions. A dynamic body needs `mass` and `inertia` |
//!
//! ## Joints
//! | kind | meaning |
//! |---|---|
//! | `fixed` | no relative motion; at the relative orientation of the file |
//! | `spherical` | the anchors coincide |
//! | `revolute` | the anchors and axes coincide |
//! | `prismatic` | translation along the axis, no rotation |
//! | `distance` | the distance of the anchors is fixed, or within a range |
//! | `spring` | a spring between the anchors |
//! | `swing_twist` | the anchors coincide; the second axis swings in a cone about the first, with limits of the twist |
//! | `gear` | two gears turn about their axes in opposite senses, with the anchors in their centres |
//! | `rack_and_pinion` | a pinion, the first body, turns about its axis and moves a rack along the rack's |
//! | `winch` | a drum, the first body, turns about its axis and winds up a rope that ends at the second anchor |
//! | `pulley` | a rope between the anchors that runs over two fixed points of the world; its second part counts `ratio` times |
//! | `wheel` | a chassis and its wheel: suspension along the axis, steering about it, spin about the y axis |
//! | `drag` | a spring that drags the second anchor to the first; rotations are free |
//! | `soft_weld` | springs hold the second anchor at the first, and the relative orientation of the file |
//!
//! Other joints hold gears, pinions, racks and drums on their axes: see
//! [`JointKind`](crate::JointKind).
//!
//! | field | default | meaning |
//! |---|---|---|
//! | `kind` | required | see above |
//! | `bodies` | required | two indices; one of the two bodies is dynamic |
//! | `anchors` | the origins | a point on each body, in its axes (m) |
//! | `collide` | `false` | whether the two bodies collide with each other |
//! | `axes` | required for `revolute`, `prismatic`, `swing_twist`, `gear`, `rack_and_pinion`, `winch`, `wheel` | the axis, x of the joint: a direction for each body, in its axes. A winch ignores the second; x of a wheel is upwards |
//! | `y_axes` | required for `wheel`; `swing_twist`: that of the shortest rotation from x to the axis | y of the joint, in each body's axes, at least 1e-3 rad from the axis and made perpendicular to it. A wheel's is along its axle |
//! | `limits` | none | `revolute` (rad), `prismatic` (m), twist of `swing_twist` (rad, between -pi and pi): `[least, most]` |
//! | `motor` | none | `revolute`, `prismatic`, twist of `swing_twist`: a motor, see below |
//! | `friction` | 0 | `spherical`, `revolute`, `swing_twist` (N m), `prismatic` (N): dry friction, about each axis |
//! | `length` | required for `distance`, `winch`, `pulley` | m; `distance`, `pulley`: or `[least, most]`; `winch`: of the free rope at the start; `pulley`: above 0, one length is the most |
//! | `rest_length`, `stiffness` | required for `spring` | m, N/m |
//! | `damping` | 0 | `spring`: N s/m |
//! | `cone` | pi, no limit | `swing_twist`: half angles of the cone about y and z (rad), 1e-3 to pi |
//! | `swing_motors` | none | `swing_twist`: motors of the swings about y and z, `null` for none |
//! | `ratio` | required for `gear`; 1 for `pulley` | `gear`: turns of the first gear per turn of the second; neither 0 nor -1, negative for a ring gear. `pulley`: above 0 |
//! | `points` | required for `pulley` | two points of the world over which its rope runs (m) |
//! | `radius` | required for `rack_and_pinion`, `winch` | of pinion or drum (m), not 0; a negative one is on the other side |
//! | `suspension` | required for `wheel` | an axis, see below (m, N) |
//! | `steering`, `drive` | no steering, a free wheel | `wheel`: axes, see below (rad, N m) |
//! | `spring` | required for `drag` | a spring, see below, along each axis of the first body |
//! | `max_force` | no bound | `drag`: the greatest force along each axis of the first body (N) |
//! | `linear`, `angular` | required for `soft_weld` | springs, see below |
//!
//! | part of a joint | fields |
//! |---|---|
//! | a spring | `stiffness` (N/m, N m/rad) and `damping` (N s/m, N m s/rad, default 0), or `frequency` (Hz) and `damping_ratio` (default 0), which are independent of the masses |
//! | a motor | `velocity` of the second body relative to the first (rad/s, m/s) and `max_force` (N m, N); or `position` (rad, m), a `spring` to it, and `max_force` (default: no bound) |
//! | an axis | `limits`, `motor`, `friction`, each optional |
//!
//! ## Output
//! | of `output` | default | meaning |
//! |---|---|---|
//! | `every` | 0 | number of steps between samples, the start included; 0: no samples |
//! | `bodies` | `"all"` | the bodies in samples: `"all"`, or a list of indices and names (a name selects all bodies with it) |
//! | `energy` | `true` | whether energy is reported |
//!
//! # Errors
//! A field that is unknown, missing, not finite or invalid gives a [`SceneError`] with its path,
//! and nothing is simulated (`run_scene` exits with status 2):
//!
//! ```text
//! bodies[12].shape.radius: must be positive, got -1
//! bodies[3].colour: unknown field `colour`, expected one of `name`, `kind`, … at line 7 column 20
//! bodies[4].shape[1].shape.half_extents[0]: must be positive, got 0
//! joints[0].bodies[1]: there is no body 7 (the scene has 3)
//! ```
//!
//! A path contains the index in a compound's list, but not the type of a shape. Numbers must be
//! valid in the engine's scalar: in an `f32` build, 1e39 is not finite and 1e-50 not positive.
//!
//! # The output of a run
//! One JSON object, [`RunResult`](result::RunResult):
//!
//! | field | meaning |
//! |---|---|
//! | `engine`, `version`, `scalar`, `simd`, `threads` | engine, build and hardware |
//! | `steps` | steps taken |
//! | `ms` | wall time of the steps alone: `total` of all, `median`, `p95` and `max` of a step, `stages`: total by stage |
//! | `counts` | in the last step: `bodies`, `pairs`, `manifolds`, `points`, `islands`, `parked` (sleeping bodies); of all steps: `impacts`, `lp_solves`, `pivot_solves`, `fallbacks` |
//! | `energy` | `start`, `end` and `max` of the dynamic bodies' kinetic plus potential energy (J), or `null` |
//! | `samples` | list of `step`, `time`, `energy`, `bodies` |
//! | `bodies` | all bodies at the end: `name` (or `null`), `position`, `orientation`, `linear_velocity`, `angular_velocity` |
//! | `contacts` | of the last step: `bodies` (two indices), `point`, `normal` (from the first to the second), `impulse` (on the second, over the step, N s) |
//!
//! Numbers are printed so that they parse to the same bits.

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
