//! What is drawn of a world: instances of meshes, by mesh.

use crate::meshes::{self, Key};
use crate::world::Run;
use dolmen::bodies::Bodies;
use dolmen::glam::{Quat, Vec3};
use dolmen::parry::shape::SharedShape;
use dolmen::prelude::*;
use hecs::{Entity, World};
use std::collections::BTreeMap;

/// Colours of bodies that move, in turn (red, green, blue from 0 to 1).
const PALETTE: [[f32; 3]; 6] = [
    [0.85, 0.55, 0.35],
    [0.80, 0.70, 0.40],
    [0.50, 0.65, 0.50],
    [0.45, 0.60, 0.75],
    [0.70, 0.50, 0.60],
    [0.75, 0.60, 0.50],
];
const STATIC: [f32; 3] = [0.58, 0.60, 0.62];
const KINEMATIC: [f32; 3] = [0.55, 0.50, 0.75];
const JOINT: [f32; 3] = [0.25, 0.27, 0.30];
const SPRING: [f32; 3] = [0.90, 0.20, 0.15];
/// Factor on the colour of what sleeps.
const ASLEEP: f32 = 0.6;
/// Thickness of a joint's rod (m).
const ROD: f32 = 0.02;

/// One mesh in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Instance {
    pub position: [f32; 3],
    /// A quaternion: x, y, z, w.
    pub orientation: [f32; 4],
    pub scale: [f32; 3],
    pub colour: [f32; 3],
    /// 1 for a pattern of tiles on what faces up, 2 for walls besides that are seen through, 0 for
    /// neither.
    pub tiles: f32,
}

/// The instances of each mesh, with a shape that has the mesh.
pub type Picture = BTreeMap<Key, (SharedShape, Vec<Instance>)>;

/// Fills a picture with all colliders, joints and the spring in the hand.
pub fn draw(run: &Run, picture: &mut Picture) {
    picture.values_mut().for_each(|(_, instances)| instances.clear());
    let (world, bodies) = (run.world(), &run.physics().state().bodies);
    for (entity, kind, collider, position, orientation) in
        world.query::<(Entity, &RigidBody, &Collider, &Position, Option<&Orientation>)>().iter()
    {
        let orientation = orientation.map_or(Quat::IDENTITY, |orientation| orientation.0);
        add(picture, collider, position.0, orientation, colour(world, bodies, entity, *kind));
    }
    for (collider, of) in world.query::<(&Collider, &ColliderOf)>().iter() {
        let Ok(kind) = world.get::<&RigidBody>(of.body) else { continue };
        let (position, orientation) = pose(world, of.body);
        let at = position + orientation * of.position;
        add(picture, collider, at, orientation * of.orientation, colour(world, bodies, of.body, *kind));
    }
    for joint in world.query::<&Joint>().iter() {
        rods(picture, world, joint);
    }
    if let (Some(grip), Some(held)) = (&run.grip, run.held_point()) {
        rod(picture, held, grip.target, SPRING);
    }
}

/// The colour of a body.
fn colour(world: &World, bodies: &Bodies, entity: Entity, kind: RigidBody) -> [f32; 3] {
    match kind {
        RigidBody::Static => STATIC,
        RigidBody::Kinematic => KINEMATIC,
        RigidBody::Dynamic => {
            let slot = world.get::<&BodySlot>(entity).ok().and_then(|slot| slot.get());
            let awake = slot.is_none_or(|slot| bodies.sleeping_island.get(slot as usize) == Some(&u32::MAX));
            PALETTE[entity.id() as usize % PALETTE.len()].map(|x| if awake { x } else { x * ASLEEP })
        }
    }
}

fn pose(world: &World, body: Entity) -> (Vec3, Quat) {
    let position = world.get::<&Position>(body).map_or(Vec3::ZERO, |position| position.0);
    (position, world.get::<&Orientation>(body).map_or(Quat::IDENTITY, |orientation| orientation.0))
}

/// A joint as rods from the origin of each body to its anchor.
fn rods(picture: &mut Picture, world: &World, joint: &Joint) {
    for (body, frame) in joint.bodies.iter().zip(&joint.frames) {
        let Some(body) = *body else { continue };
        let (position, orientation) = pose(world, body);
        rod(picture, position, position + orientation * frame.anchor, JOINT);
    }
}

/// A thin box between two points.
fn rod(picture: &mut Picture, from: Vec3, to: Vec3, colour: [f32; 3]) {
    let along = to - from;
    if along.length() < ROD {
        return;
    }
    let orientation = Quat::from_rotation_arc(Vec3::X, along.normalize());
    let scale = Vec3::new(0.5 * along.length(), 0.5 * ROD, 0.5 * ROD);
    let shape = || Collider::cuboid(1.0, 1.0, 1.0).shape().clone();
    let instance = Instance {
        position: (0.5 * (from + to)).to_array(),
        orientation: orientation.to_array(),
        scale: scale.to_array(),
        colour,
        tiles: 0.0,
    };
    picture.entry(Key::Cuboid).or_insert_with(|| (shape(), Vec::new())).1.push(instance);
}

fn add(picture: &mut Picture, collider: &Collider, position: Vec3, orientation: Quat, colour: [f32; 3]) {
    let (key, scale) = meshes::key(collider.shape());
    let tiles = match key {
        Key::Cuboid if colour == STATIC => 2.0,
        Key::Own(_) if colour == STATIC => 1.0,
        _ => 0.0,
    };
    let instance = Instance {
        position: position.to_array(),
        orientation: orientation.to_array(),
        scale: scale.to_array(),
        colour,
        tiles,
    };
    picture.entry(key).or_insert_with(|| (collider.shape().clone(), Vec::new())).1.push(instance);
}
