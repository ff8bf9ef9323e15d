//! The loop of a game: steps of a sixtieth of a second, and looks at its bodies.

#![allow(dead_code)] // each test uses its own part

use dolmen::prelude::*;
use hecs::{Entity, World};

pub const DT: Real = 1.0 / 60.0;

pub fn position(world: &World, entity: Entity) -> Vec3 {
    world.get::<&Position>(entity).unwrap().0
}

pub fn velocity(world: &World, entity: Entity) -> Vec3 {
    world.get::<&LinearVelocity>(entity).unwrap().0
}

pub fn run(world: &mut World, physics: &mut Physics, steps: usize) {
    for _ in 0..steps {
        physics.step(world, DT).unwrap();
    }
}

/// A cube of a metre.
pub fn cube() -> Collider {
    Collider::cuboid(0.5, 0.5, 0.5)
}

/// A floor of a hundred metres with its top at zero.
pub fn floor(world: &mut World) -> Entity {
    world.spawn(Body::fixed(Collider::cuboid(50.0, 1.0, 50.0)).at(0.0, -1.0, 0.0))
}
