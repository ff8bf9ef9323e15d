//! What a picture shows: coloured solids at their poses.

use dolmen::prelude::*;
use hecs::{Entity, World};

/// Colours of bodies, in turn (red, green, blue from 0 to 1).
pub const PALETTE: [[f32; 3]; 6] = [
    [0.91, 0.47, 0.26],
    [0.96, 0.76, 0.38],
    [0.40, 0.67, 0.60],
    [0.27, 0.47, 0.70],
    [0.72, 0.40, 0.45],
    [0.86, 0.66, 0.55],
];
/// The colour of what does not move.
pub const STONE: [f32; 3] = [0.66, 0.68, 0.71];

/// A solid in a picture.
#[derive(Clone)]
pub struct Solid {
    pub collider: Collider,
    pub position: Vec3,
    pub orientation: Quat,
    pub colour: [f32; 3],
}

/// Solids, above a ground at y = 0 if there is one.
#[derive(Clone, Default)]
pub struct Model {
    pub solids: Vec<Solid>,
    pub ground: bool,
}

impl Model {
    /// A ground without a solid.
    pub fn on_ground() -> Self {
        Self { solids: Vec::new(), ground: true }
    }

    pub fn add(&mut self, collider: Collider, position: Vec3, orientation: Quat, colour: [f32; 3]) {
        self.solids.push(Solid { collider, position, orientation, colour });
    }

    /// A box between two corners (m).
    pub fn block(&mut self, low: Vec3, high: Vec3, colour: [f32; 3]) {
        let half = 0.5 * (high - low);
        self.add(Collider::cuboid(half.x, half.y, half.z), low + half, Quat::IDENTITY, colour);
    }

    /// A round rod from one point (m) to another.
    pub fn rod(&mut self, from: Vec3, to: Vec3, radius: Real, colour: [f32; 3]) {
        let along = to - from;
        let turn = Quat::from_rotation_arc(Vec3::Y, along.normalize());
        self.add(Collider::cylinder(0.5 * along.length(), radius), 0.5 * (from + to), turn, colour);
    }

    /// Bodies of a world at their present poses, moved by `offset`, each with a colour by its place in
    /// the list.
    pub fn bodies(&mut self, world: &World, bodies: &[Entity], offset: Vec3, colour: impl Fn(usize) -> [f32; 3]) {
        for (k, &body) in bodies.iter().enumerate() {
            let Ok(collider) = world.get::<&Collider>(body).map(|collider| (*collider).clone()) else { continue };
            let position = world.get::<&Position>(body).map_or(Vec3::ZERO, |position| position.0);
            let orientation = world.get::<&Orientation>(body).map_or(Quat::IDENTITY, |turn| turn.0);
            self.add(collider, position + offset, orientation, colour(k));
        }
    }
}

/// A colour of the palette.
pub fn in_turn(k: usize) -> [f32; 3] {
    PALETTE[k % PALETTE.len()]
}

/// The dynamic bodies of a world, in the order of a list.
pub fn dynamic(world: &World, entities: &[Entity]) -> Vec<Entity> {
    let moves = |entity: &Entity| world.get::<&RigidBody>(*entity).is_ok_and(|kind| *kind == RigidBody::Dynamic);
    entities.iter().copied().filter(moves).collect()
}
