//! The library itself: the mechanism as a world of bodies and joints without colliders.

use super::Method;
use crate::mechanism::Mechanism;
use dolmen::math::Real;
use dolmen::prelude::*;
use glam::DVec3;
use hecs::{Entity, World};

/// A world and the entities of the mechanism's bodies.
pub struct Dolmen {
    world: World,
    physics: Physics,
    bodies: Vec<Entity>,
}

impl Dolmen {
    pub fn new(mechanism: &Mechanism, accuracy: Accuracy, energy_guard: bool) -> Self {
        let settings = Settings { accuracy, energy_guard, sleep: false, threads: Some(1), ..Settings::default() };
        let mut world = World::new();
        let bodies: Vec<Entity> = mechanism
            .bodies
            .iter()
            .map(|body| {
                let principal = engine(body.principal);
                let inertia = Inertia { principal, frame: Quat::IDENTITY };
                let [x, y, z, w] = body.orientation.to_array().map(|part| part as Real);
                let body = Body::free(body.mass as Real, inertia)
                    .position(engine(body.position))
                    .orientation(Quat::from_xyzw(x, y, z, w))
                    .linear_velocity(engine(body.velocity))
                    .angular_velocity(engine(body.spin));
                world.spawn(body)
            })
            .collect();
        let mut joints = mechanism.joints.iter().peekable();
        while let Some(joint) = joints.next() {
            let ends = joint.bodies.map(|body| body.map(|body| bodies[body]));
            let [a, b] = joint.anchors;
            // Two balls between the same bodies are a hinge.
            match joints.next_if(|next| next.bodies == joint.bodies) {
                Some(next) => {
                    let axes = [next.anchors[0] - a, next.anchors[1] - b].map(|axis| engine(axis.normalize()));
                    let middles = [0.5 * (next.anchors[0] + a), 0.5 * (next.anchors[1] + b)].map(engine);
                    let joint = Joint::revolute(ends[0], ends[1]);
                    world.spawn((joint.anchors(middles[0], middles[1]).axes(axes[0], axes[1]),));
                }
                None => {
                    world.spawn((Joint::spherical(ends[0], ends[1]).anchors(engine(a), engine(b)),));
                }
            }
        }
        Self { world, physics: Physics::new(settings), bodies }
    }
}

/// A vector in the engine's scalar.
fn engine(v: DVec3) -> Vec3 {
    Vec3::new(v.x as Real, v.y as Real, v.z as Real)
}

/// A vector of the engine's.
fn study(v: Vec3) -> DVec3 {
    DVec3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

impl Method for Dolmen {
    fn step(&mut self, mechanism: &mut Mechanism, dt: f64) {
        self.physics.step(&mut self.world, dt as Real).expect("the mechanism is sound");
        for (body, &entity) in mechanism.bodies.iter_mut().zip(&self.bodies) {
            let mut query =
                self.world.query_one::<(&Position, &Orientation, &LinearVelocity, &AngularVelocity)>(entity);
            let (position, orientation, velocity, spin) = query.get().expect("bodies stay");
            body.position = study(position.0);
            body.orientation = glam::DQuat::from_array(orientation.0.to_array().map(f64::from)).normalize();
            (body.velocity, body.spin) = (study(velocity.0), study(spin.0));
        }
    }
}
