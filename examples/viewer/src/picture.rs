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

/// The colour of an entity, instead of that of its kind (red, green, blue from 0 to 1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paint(pub [f32; 3]);

/// Fills a picture with all colliders, joints and the spring in the hand.
pub fn draw(run: &Run, picture: &mut Picture) {
    draw_world(run.world(), run.physics(), picture);
    if let (Some(grip), Some(held)) = (&run.grip, run.held_point()) {
        rod(picture, held, grip.target, SPRING);
    }
}

/// Fills a picture with all colliders and joints, at the poses of [`RenderPose`] where there are any.
pub fn draw_world(world: &World, physics: &Physics, picture: &mut Picture) {
    picture.values_mut().for_each(|(_, instances)| instances.clear());
    let bodies = &physics.state().bodies;
    for (entity, kind, collider) in world.query::<(Entity, &RigidBody, &Collider)>().without::<&Disabled>().iter() {
        let (position, orientation) = pose(world, entity);
        add(picture, collider, position, orientation, colour(world, bodies, entity, *kind));
    }
    for (entity, collider, of) in world.query::<(Entity, &Collider, &ColliderOf)>().iter() {
        let Ok(kind) = world.get::<&RigidBody>(of.body) else { continue };
        if world.satisfies::<&Disabled>(of.body) {
            continue;
        }
        let (position, orientation) = pose(world, of.body);
        let at = position + orientation * of.position;
        let painted = world.get::<&Paint>(entity).map(|paint| paint.0).ok();
        let colour = painted.unwrap_or_else(|| colour(world, bodies, of.body, *kind));
        add(picture, collider, at, orientation * of.orientation, colour);
    }
    for joint in world.query::<&Joint>().iter() {
        rods(picture, world, joint);
    }
}

/// The colour of a body.
fn colour(world: &World, bodies: &Bodies, entity: Entity, kind: RigidBody) -> [f32; 3] {
    if let Ok(paint) = world.get::<&Paint>(entity) {
        return paint.0;
    }
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

/// The pose of a body to draw.
pub fn pose(world: &World, body: Entity) -> (Vec3, Quat) {
    if let Ok(drawn) = world.get::<&RenderPose>(body) {
        return (drawn.position, drawn.orientation);
    }
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

/// Adds a collider at a pose in a colour.
pub fn add(picture: &mut Picture, collider: &Collider, position: Vec3, orientation: Quat, colour: [f32; 3]) {
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
