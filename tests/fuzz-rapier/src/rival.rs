//! A plan in a world of Rapier.
//!
//! Edits are made in a hecs world that dolmen does not step. What they change is described to
//! Rapier anew, and poses and velocities are written back after each step.

use crate::campaign::edit::Edit;
use crate::campaign::live::Live;
use crate::campaign::{Fault, Plan, Shape};
use crate::{bodies, joints, left_out, shapes};
use dolmen::components::*;
use hecs::Entity;
use rapier3d::math::Pose;
use rapier3d::prelude::{ImpulseJointHandle, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, SharedShape};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A world that runs by a plan.
pub struct Rival {
    pub live: Live,
    pub world: PhysicsWorld,
    /// The bodies that Rapier has.
    pub bodies: BTreeMap<Entity, RigidBodyHandle>,
    /// Bodies that were described anew since the last step.
    pub touched: HashSet<RigidBodyHandle>,
    /// Shapes that Rapier refused.
    pub refused: u64,
    /// True once a value was set that no game means.
    pub spoilt: bool,
    /// The body that joints with the world have as their first one.
    anchor: RigidBodyHandle,
    joints: BTreeMap<Entity, ImpulseJointHandle>,
    /// By number of the plan.
    shapes: BTreeMap<u32, SharedShape>,
    /// Bodies, and numbers of joints, that edits since the last step changed.
    changed: BTreeSet<Entity>,
    rejoined: BTreeSet<u32>,
}

impl Rival {
    pub fn new(plan: &Plan) -> Self {
        let mut world = PhysicsWorld::new();
        let anchor = world.insert_body(RigidBodyBuilder::fixed());
        let mut rival = Self {
            live: Live::new(plan),
            world,
            bodies: BTreeMap::new(),
            touched: HashSet::new(),
            refused: 0,
            spoilt: false,
            anchor,
            joints: BTreeMap::new(),
            shapes: BTreeMap::new(),
            changed: BTreeSet::new(),
            rejoined: plan.joints.iter().map(|joint| joint.id).collect(),
        };
        plan.bodies.iter().for_each(|body| rival.shape(body.id, &body.shape, body.kind));
        rival.changed = plan.bodies.iter().filter_map(|body| rival.body_of(body.id)).collect();
        rival.describe();
        rival.touched.clear();
        rival
    }

    /// Makes an edit that Rapier has a counterpart for.
    pub fn edit(&mut self, edit: &Edit) -> Result<(), Fault> {
        if left_out::is_edit(edit) {
            return Ok(());
        }
        let spawned = if let Edit::Spawn(plan) = edit { Some(plan.id) } else { None };
        let named = edit.changed_body().or(spawned);
        let former = named.and_then(|id| self.body_of(id));
        self.live.edit(edit)?;
        match edit {
            Edit::Spawn(plan) => self.shape(plan.id, &plan.shape, plan.kind),
            Edit::Reshape(id, shape) => self.shape(*id, shape, RigidBody::Dynamic),
            Edit::Hostile(..) => {
                self.spoilt = true;
                self.rejoined.extend(self.live.joints.keys());
            }
            Edit::Join(plan) => _ = self.rejoined.insert(plan.id),
            Edit::Rejoin(id, _) => _ = self.rejoined.insert(*id),
            // Whether bodies may sleep is theirs.
            Edit::Rules(_) => self.changed.extend(self.bodies.keys()),
            _ => {}
        }
        self.changed.extend(former.into_iter().chain(named.and_then(|id| self.body_of(id))));
        Ok(())
    }

    /// Makes a shape that dolmen takes.
    fn shape(&mut self, id: u32, shape: &Shape, kind: RigidBody) {
        if shape.collider().is_err() {
            return;
        }
        match shapes::of_body(shape, kind == RigidBody::Dynamic) {
            Some(made) => _ = self.shapes.insert(id, made),
            None => self.refused += 1,
        }
    }

    /// Describes what edits changed.
    pub fn describe(&mut self) {
        self.world.gravity = self.live.physics.settings.gravity;
        self.world.integration_parameters.dt = self.live.dt;
        self.world.integration_parameters.length_unit = self.live.physics.settings.length_unit;
        self.remove_gone();
        for body in std::mem::take(&mut self.changed) {
            self.describe_body(body);
        }
        for id in std::mem::take(&mut self.rejoined) {
            self.describe_joint(id);
        }
    }

    /// Removes what is no longer there; joints go with their bodies, as in a step of dolmen.
    fn remove_gone(&mut self) {
        let there = |entity: &Entity| self.live.world.contains(*entity);
        let lost = |joint: &Joint| !joint.bodies.iter().flatten().all(there);
        let lost: Vec<Entity> =
            self.live.world.query::<(Entity, &Joint)>().iter().filter(|(_, j)| lost(j)).map(|(e, _)| e).collect();
        lost.into_iter().for_each(|joint| self.live.despawn(joint));
        let Self { live, world, bodies, joints, .. } = self;
        joints.retain(|entity, handle| live.world.contains(*entity) || world.remove_impulse_joint(*handle).is_none());
        bodies.retain(|entity, handle| live.world.contains(*entity) || world.remove_body(*handle).is_none());
    }

    /// The body with a number of the plan, or that the further collider with this number is part of.
    fn body_of(&self, id: u32) -> Option<Entity> {
        let entity = *self.live.bodies.get(&id)?;
        let part_of = self.live.world.get::<&ColliderOf>(entity).map(|part| part.body);
        Some(part_of.unwrap_or(entity))
    }

    fn describe_body(&mut self, entity: Entity) {
        let Self { live, world, bodies, shapes, touched, .. } = self;
        if live.world.get::<&RigidBody>(entity).is_err() {
            return;
        }
        let mut colliders = Vec::new();
        for (id, &of) in &live.bodies {
            let at = match live.world.get::<&ColliderOf>(of) {
                Ok(part) if part.body == entity => Pose::from_parts(part.position, part.orientation),
                Err(_) if of == entity => Pose::IDENTITY,
                _ => continue,
            };
            if let Some(shape) = shapes.get(id) {
                colliders.push((live.world.entity(of).expect("it is there"), at, shape.clone()));
            } else if of == entity {
                // Without its shape a body is left out.
                return;
            }
        }
        let body = live.world.entity(entity).expect("it is there");
        let handle = *bodies.entry(entity).or_insert_with(|| bodies::insert(world, body));
        bodies::describe(world, handle, body, &colliders, live.physics.settings.sleep);
        touched.insert(handle);
    }

    fn describe_joint(&mut self, id: u32) {
        let Some(&entity) = self.live.joints.get(&id) else { return };
        if let Some(former) = self.joints.remove(&entity) {
            self.world.remove_impulse_joint(former);
        }
        let Ok(joint) = self.live.world.get::<&Joint>(entity) else { return };
        let handle = |end: Option<Entity>| end.map_or(Some(self.anchor), |body| self.bodies.get(&body).copied());
        let ([Some(a), Some(b)], Some(made)) = (joint.bodies.map(handle), joints::joint(&joint)) else { return };
        self.joints.insert(entity, self.world.insert_impulse_joint(a, b, made));
        self.touched.extend([a, b]);
    }

    /// One step; kinematic bodies get their targets again.
    pub fn step(&mut self) {
        for (entity, target) in self.live.world.query::<(Entity, &KinematicTarget)>().iter() {
            if let Some(&handle) = self.bodies.get(&entity) {
                let body = &mut self.world.bodies[handle];
                let turned = target.orientation.unwrap_or(*body.rotation());
                body.set_next_kinematic_position(Pose::from_parts(target.position, turned));
            }
        }
        self.world.step();
    }

    /// Writes poses and velocities to the hecs world.
    pub fn write_back(&mut self) {
        for (&entity, &handle) in &self.bodies {
            let body = &self.world.bodies[handle];
            let pose = (Position(body.translation()), Orientation(*body.rotation()));
            let velocity = (LinearVelocity(body.linvel()), AngularVelocity(body.angvel()));
            self.live.world.insert(entity, pose).expect("it is there");
            self.live.world.insert(entity, velocity).expect("it is there");
        }
    }
}
