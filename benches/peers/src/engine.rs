//! The common interface of the engines.

use dolmen::components::{
    AngularVelocity, Collider, Density, LinearVelocity, Mass, Material, Orientation, Position, RigidBody,
};
use dolmen::math::{Quat, Real, Vec3};
use dolmen::scene::format::{JointKind, JointSpec};
use dolmen::{Physics, Settings};
use hecs::{Entity, World};

/// An engine with a scene in it.
pub trait Engine {
    /// One step.
    fn step(&mut self) -> Result<(), String>;
    /// Writes the poses of all bodies to the output world.
    fn write(&self, world: &mut World);
}

/// The settings of a run.
pub struct Task {
    pub settings: Settings,
    pub dt: Real,
    pub threads: usize,
    /// Substeps of the other engines, if not their own number.
    pub substeps: Option<usize>,
}

/// A body as its components describe it, with the default for what is missing.
pub struct Body {
    pub entity: Entity,
    pub dynamic: bool,
    pub position: Vec3,
    pub orientation: Quat,
    pub linear_velocity: Vec3,
    pub angular_velocity: Vec3,
    pub collider: Collider,
    pub density: Real,
    pub material: Material,
}

/// The bodies of a world, in the order of `entities`.
///
/// # Errors
/// Unsupported: kinematic bodies, bodies without a shape, masses that are not given by densities.
pub fn bodies(world: &World, entities: &[Entity]) -> Result<Vec<Body>, String> {
    let body = |(i, &entity): (usize, &Entity)| {
        let refuse = |what| Err(format!("body {i}: {what} is not compared"));
        let dynamic = match world.get::<&RigidBody>(entity).map(|kind| *kind) {
            Ok(RigidBody::Dynamic) => true,
            Ok(RigidBody::Static) => false,
            _ => return refuse("a body that is neither dynamic nor static"),
        };
        if world.get::<&Mass>(entity).is_ok() {
            return refuse("a mass that is not the density's");
        }
        let Ok(collider) = world.get::<&Collider>(entity).map(|c| (*c).clone()) else {
            return refuse("a body without a shape");
        };
        let vector = |v: Option<Vec3>| v.unwrap_or(Vec3::ZERO);
        Ok(Body {
            entity,
            dynamic,
            position: vector(world.get::<&Position>(entity).ok().map(|p| p.0)),
            orientation: world.get::<&Orientation>(entity).map_or(Quat::IDENTITY, |q| q.0),
            linear_velocity: vector(world.get::<&LinearVelocity>(entity).ok().map(|v| v.0)),
            angular_velocity: vector(world.get::<&AngularVelocity>(entity).ok().map(|v| v.0)),
            collider,
            density: world.get::<&Density>(entity).map_or(Density::default().0, |d| d.0),
            material: world.get::<&Material>(entity).map_or_else(|_| Material::default(), |m| *m),
        })
    };
    entities.iter().enumerate().map(body).collect()
}

/// A spherical joint: two coincident anchors.
pub struct Pin {
    /// Indices of the two bodies in the scene.
    pub bodies: [usize; 2],
    /// The anchor on each body, in its axes (m).
    pub anchors: [Vec3; 2],
    /// True if the two bodies collide.
    pub collide: bool,
}

/// The joints of a scene.
///
/// # Errors
/// Unsupported: joints other than spherical ones.
pub fn pins(joints: &[JointSpec]) -> Result<Vec<Pin>, String> {
    let pin = |(i, joint): (usize, &JointSpec)| {
        if joint.kind != JointKind::Spherical {
            return Err(format!("joint {i}: a joint that is {} is not compared", joint.kind.name()));
        }
        let anchors = joint.anchors.0.map(|v| Vec3::from_array(v.0.map(|x| x as Real)));
        Ok(Pin { bodies: joint.bodies.0, anchors, collide: joint.collide })
    };
    joints.iter().enumerate().map(pin).collect()
}

/// The greatest joint error (m), if there are joints.
pub fn worst_gap(world: &World, entities: &[Entity], pins: &[Pin]) -> Option<f64> {
    let anchor = |pin: &Pin, side: usize| {
        let entity = entities[pin.bodies[side]];
        let position = world.get::<&Position>(entity).map_or(Vec3::ZERO, |p| p.0);
        let orientation = world.get::<&Orientation>(entity).map_or(Quat::IDENTITY, |q| q.0);
        position + orientation * pin.anchors[side]
    };
    pins.iter().map(|pin| f64::from((anchor(pin, 1) - anchor(pin, 0)).length())).reduce(f64::max)
}

/// Writes a body's state into its components.
pub fn write(world: &mut World, entity: Entity, position: Vec3, orientation: Quat, linear: Vec3, angular: Vec3) {
    let state = (Position(position), Orientation(orientation), LinearVelocity(linear), AngularVelocity(angular));
    // The entity belongs to the scene, and is never despawned.
    let _ = world.insert(entity, state);
}

/// dolmen, in a world of its own, whose states are copied.
pub struct Dolmen {
    physics: Physics,
    world: World,
    entities: Vec<Entity>,
    copies: Vec<Entity>,
    dt: Real,
}

impl Dolmen {
    /// Takes a world with the bodies `entities`; `copies` are the same bodies in the output world.
    pub fn new(world: World, entities: Vec<Entity>, copies: Vec<Entity>, task: &Task) -> Self {
        let settings = Settings { threads: Some(task.threads), ..task.settings.clone() };
        Self { physics: Physics::new(settings), world, entities, copies, dt: task.dt }
    }
}

impl Engine for Dolmen {
    fn step(&mut self) -> Result<(), String> {
        self.physics.step(&mut self.world, self.dt).map(drop).map_err(|e| e.to_string())
    }

    fn write(&self, world: &mut World) {
        for (&entity, &copy) in self.entities.iter().zip(&self.copies) {
            let vector = |v: Option<Vec3>| v.unwrap_or(Vec3::ZERO);
            write(
                world,
                copy,
                vector(self.world.get::<&Position>(entity).ok().map(|p| p.0)),
                self.world.get::<&Orientation>(entity).map_or(Quat::IDENTITY, |q| q.0),
                vector(self.world.get::<&LinearVelocity>(entity).ok().map(|v| v.0)),
                vector(self.world.get::<&AngularVelocity>(entity).ok().map(|v| v.0)),
            );
        }
    }
}
