//! The plugin in a hecs world: edits between steps, extra colliders, custom shapes, kernels,
//! contact sources, filters and hooks, systems between stages, and events.

#[path = "../../examples/contact_source.rs"]
mod contact_source;
#[path = "../../examples/custom_shape.rs"]
mod custom_shape;
#[path = "../../examples/events.rs"]
mod events_example;
#[path = "../support/game.rs"]
mod game;
#[path = "../../examples/pair_kernel.rs"]
mod pair_kernel;

mod at_rest;
mod custom_colliders;
mod edits;
mod error_catalogue;
mod events;
mod exceptions;
mod frames;
mod hooks;
mod misuse;
mod parts;
mod range;
mod recordings;
mod shapes;
mod sources;
mod steered;
mod unsafe_list;
mod worlds;

use dolmen::prelude::*;
use game::{DT, cube, position, run, velocity};
use hecs::{Entity, World};

/// True if the engine's scalar is `f32`.
const SINGLE: bool = size_of::<Real>() == 4;

/// Momentum and angular momentum about the origin of bodies with a ball's or an even inertia (kg
/// m²).
fn momentum(world: &World, bodies: &[(Entity, Real)]) -> Vec3 {
    bodies.iter().map(|&(e, mass)| velocity(world, e) * mass).sum()
}

/// Every bit of the bodies' state.
fn bits(world: &World, bodies: &[Entity]) -> Vec<u64> {
    let mut out = Vec::new();
    for &e in bodies {
        let q = world.get::<&Orientation>(e).unwrap().0;
        let w = world.get::<&AngularVelocity>(e).unwrap().0;
        for v in [position(world, e), velocity(world, e), w, Vec3::new(q.x, q.y, q.z)] {
            out.extend(v.to_array().map(|x| f64::from(x).to_bits()));
        }
    }
    out
}
