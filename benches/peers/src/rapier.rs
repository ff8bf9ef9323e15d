//! Rapier, with its default settings; the substeps may be others.

use crate::engine::{Body, Engine, Pin, Task, write};
use hecs::{Entity, World};
use rapier3d::math::Pose;
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SphericalJointBuilder};

pub struct Rapier {
    world: PhysicsWorld,
    bodies: Vec<(Entity, RigidBodyHandle)>,
}

impl Rapier {
    /// Shapes are parry's, as in dolmen, and are shared.
    pub fn new(bodies: &[Body], pins: &[Pin], task: &Task) -> Result<Self, String> {
        let mut world = PhysicsWorld::new();
        world.gravity = task.settings.gravity;
        world.integration_parameters.dt = task.dt;
        if let Some(substeps) = task.substeps {
            world.integration_parameters.num_solver_iterations = substeps;
        }
        world.configure_thread_pool(task.threads).map_err(|e| format!("rapier: {e}"))?;
        let insert = |body: &Body| {
            let builder = if body.dynamic { RigidBodyBuilder::dynamic() } else { RigidBodyBuilder::fixed() };
            let rigid_body = builder
                .pose(Pose::from_parts(body.position, body.orientation))
                .linvel(body.linear_velocity)
                .angvel(body.angular_velocity)
                .can_sleep(task.settings.sleep);
            let collider = ColliderBuilder::new(body.collider.shape().clone())
                .density(body.density)
                .friction(body.material.dynamic_friction)
                .restitution(body.material.restitution);
            (body.entity, world.insert(rigid_body, collider).0)
        };
        let bodies: Vec<(Entity, RigidBodyHandle)> = bodies.iter().map(insert).collect();
        for pin in pins {
            let [a, b] = pin.bodies.map(|body| bodies[body].1);
            let joint = SphericalJointBuilder::new()
                .local_anchor1(pin.anchors[0])
                .local_anchor2(pin.anchors[1])
                .contacts_enabled(pin.collide);
            world.insert_impulse_joint(a, b, joint);
        }
        Ok(Self { world, bodies })
    }
}

impl Engine for Rapier {
    fn step(&mut self) -> Result<(), String> {
        self.world.step();
        Ok(())
    }

    fn write(&self, world: &mut World) {
        for &(entity, handle) in &self.bodies {
            let body = &self.world.bodies[handle];
            write(world, entity, body.translation(), *body.rotation(), body.linvel(), body.angvel());
        }
    }
}
