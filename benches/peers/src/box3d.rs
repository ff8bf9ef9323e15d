//! Box3D, with the substeps of its samples unless others are asked for.

use crate::engine::{Body, Engine, Pin, Task, write};
use box3d_sys::*;
use dolmen::math::{Quat, Vec3};
use dolmen::parry::shape::TypedShape;
use hecs::{Entity, World};

/// Substeps of a step, as in Box3D's own samples.
const SUBSTEPS: i32 = 4;
/// The most corners a hull may have.
const HULL_CORNERS: i32 = 64;

pub struct Box3d {
    world: b3WorldId,
    bodies: Vec<(Entity, b3BodyId)>,
    dt: f32,
    substeps: i32,
}

fn vector(v: Vec3) -> b3Vec3 {
    b3Vec3 { x: v.x, y: v.y, z: v.z }
}

fn back(v: b3Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, v.z)
}

impl Box3d {
    pub fn new(bodies: &[Body], pins: &[Pin], task: &Task) -> Result<Self, String> {
        let substeps = task.substeps.map_or(SUBSTEPS, |substeps| substeps as i32);
        // SAFETY: definitions come from Box3D's own defaults, and ids are used with the world that
        // made them.
        let world = unsafe {
            let mut definition = b3DefaultWorldDef();
            definition.gravity = vector(task.settings.gravity);
            definition.enableSleep = task.settings.sleep;
            definition.workerCount = task.threads as u32;
            b3CreateWorld(&definition)
        };
        let mut made = Self { world, bodies: Vec::with_capacity(bodies.len()), dt: task.dt, substeps };
        for body in bodies {
            made.insert(body, task.settings.sleep)?;
        }
        pins.iter().for_each(|pin| made.join(pin));
        Ok(made)
    }

    fn join(&mut self, pin: &Pin) {
        let frame = |anchor| b3Transform { p: vector(anchor), q: b3Quat { v: vector(Vec3::ZERO), s: 1.0 } };
        // SAFETY: the definition comes from Box3D's own defaults, and the bodies are those of this
        // world.
        unsafe {
            let mut definition = b3DefaultSphericalJointDef();
            [definition.base.bodyIdA, definition.base.bodyIdB] = pin.bodies.map(|body| self.bodies[body].1);
            [definition.base.localFrameA, definition.base.localFrameB] = pin.anchors.map(frame);
            definition.base.collideConnected = pin.collide;
            b3CreateSphericalJoint(self.world, &definition);
        }
    }

    fn insert(&mut self, body: &Body, sleep: bool) -> Result<(), String> {
        // SAFETY: as above; hulls are copied by the shape, and freed once.
        unsafe {
            let mut definition = b3DefaultBodyDef();
            definition.type_ = if body.dynamic { b3BodyType_b3_dynamicBody } else { b3BodyType_b3_staticBody };
            definition.position = vector(body.position);
            let q = body.orientation;
            definition.rotation = b3Quat { v: b3Vec3 { x: q.x, y: q.y, z: q.z }, s: q.w };
            definition.linearVelocity = vector(body.linear_velocity);
            definition.angularVelocity = vector(body.angular_velocity);
            definition.enableSleep = sleep;
            let id = b3CreateBody(self.world, &definition);
            let mut surface = b3DefaultShapeDef();
            surface.density = body.density;
            surface.baseMaterial.friction = body.material.dynamic_friction;
            surface.baseMaterial.restitution = body.material.restitution;
            match body.collider.shape().as_typed_shape() {
                TypedShape::Cuboid(cuboid) => {
                    let half = cuboid.half_extents;
                    let hull = b3MakeBoxHull(half.x, half.y, half.z);
                    b3CreateHullShape(id, &surface, &hull.base);
                }
                TypedShape::Ball(ball) => {
                    let sphere = b3Sphere { center: vector(Vec3::ZERO), radius: ball.radius };
                    b3CreateSphereShape(id, &surface, &sphere);
                }
                TypedShape::Capsule(capsule) => {
                    let [center1, center2] = [capsule.segment.a, capsule.segment.b].map(vector);
                    let capsule = b3Capsule { center1, center2, radius: capsule.radius };
                    b3CreateCapsuleShape(id, &surface, &capsule);
                }
                TypedShape::ConvexPolyhedron(hull) => {
                    let points: Vec<b3Vec3> = hull.points().iter().map(|&p| vector(p)).collect();
                    let hull = b3CreateHull(points.as_ptr(), points.len() as i32, HULL_CORNERS);
                    if hull.is_null() {
                        return Err("box3d: no hull of these corners".to_owned());
                    }
                    b3CreateHullShape(id, &surface, hull);
                    b3DestroyHull(hull);
                }
                _ => return Err(format!("box3d is given no {:?}", body.collider.shape().shape_type())),
            }
            self.bodies.push((body.entity, id));
        }
        Ok(())
    }
}

impl Drop for Box3d {
    fn drop(&mut self) {
        // SAFETY: the world was made in `new` and is destroyed once.
        unsafe { b3DestroyWorld(self.world) }
    }
}

impl Engine for Box3d {
    fn step(&mut self) -> Result<(), String> {
        // SAFETY: the world lives as long as `self`.
        unsafe { b3World_Step(self.world, self.dt, self.substeps) }
        Ok(())
    }

    fn write(&self, world: &mut World) {
        for &(entity, id) in &self.bodies {
            // SAFETY: the bodies live as long as their world.
            let (position, q, linear, angular) = unsafe {
                let [linear, angular] = [b3Body_GetLinearVelocity(id), b3Body_GetAngularVelocity(id)];
                (b3Body_GetPosition(id), b3Body_GetRotation(id), linear, angular)
            };
            let orientation = Quat::from_xyzw(q.v.x, q.v.y, q.v.z, q.s);
            write(world, entity, back(position), orientation, back(linear), back(angular));
        }
    }
}
