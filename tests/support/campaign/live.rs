//! A plan in a hecs world.

use super::edit::Edit;
use super::hostile::{self, Undo};
use super::part::Part;
use super::plan::{BodyPlan, JointPlan, Plan};
use super::shape::Shape;
use super::tally::{Fault, FaultKind};
use dolmen::components::*;
use dolmen::math::Real;
use dolmen::{Physics, ShapeError, Snapshot};
use hecs::{Entity, EntityBuilder, World};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A component of the game's own.
struct Tag;

/// A world that runs by a plan.
pub struct Live {
    pub world: World,
    pub physics: Physics,
    pub dt: Real,
    /// By number of the plan.
    pub bodies: BTreeMap<u32, Entity>,
    pub joints: BTreeMap<u32, Entity>,
    /// Radii of balls that contain the bodies (m), by number.
    pub reach: BTreeMap<u32, Real>,
    /// Bodies whose shape holds its origin.
    pub centered: BTreeSet<u32>,
    /// Joints and further colliders made since the last step: without one of their bodies they would be
    /// refused.
    pub fresh: Vec<Entity>,
    /// Joints whose ends an edit since the last step may have taken apart.
    pub strained: Vec<Entity>,
    /// Despawned since the last step.
    pub gone: HashSet<Entity>,
    /// Hostile values since the last step: the last one first.
    pub undo: Vec<Undo>,
}

impl Live {
    pub fn new(plan: &Plan) -> Self {
        let mut live = Self {
            world: World::new(),
            physics: Physics::new(plan.rules.settings()),
            dt: plan.dt,
            bodies: BTreeMap::new(),
            joints: BTreeMap::new(),
            reach: BTreeMap::new(),
            centered: BTreeSet::new(),
            fresh: Vec::new(),
            strained: Vec::new(),
            gone: HashSet::new(),
            undo: Vec::new(),
        };
        plan.bodies.iter().for_each(|body| live.spawn(body));
        plan.bodies.iter().filter(|body| !body.ignores.is_empty()).for_each(|body| live.ignore(body.id, &body.ignores));
        plan.joints.iter().for_each(|joint| live.join(joint));
        live
    }

    /// Spawns a body, unless its shape is refused.
    fn spawn(&mut self, plan: &BodyPlan) {
        let Ok(collider) = plan.shape.collider() else { return };
        let mut builder = EntityBuilder::new();
        builder.add(collider);
        if let Some(of) = plan.of {
            let Some(&body) = self.bodies.get(&of) else { return };
            if self.world.get::<&RigidBody>(body).is_err() {
                return;
            }
            builder.add(ColliderOf { body, position: plan.position, orientation: plan.orientation });
        } else {
            builder.add_bundle((
                plan.kind,
                Position(plan.position),
                Orientation(plan.orientation),
                LinearVelocity(plan.linear),
                AngularVelocity(plan.angular),
                BodySlot::UNASSIGNED,
            ));
        }
        let entity = self.world.spawn(builder.build());
        if plan.of.is_some() {
            self.fresh.push(entity);
        }
        plan.parts.iter().for_each(|part| part.insert(&mut self.world, entity));
        self.bodies.insert(plan.id, entity);
        self.note_shape(plan.id, &plan.shape);
    }

    /// Lets the colliders of a body not meet others that are there.
    fn ignore(&mut self, id: u32, others: &[u32]) {
        let others = others.iter().filter_map(|other| self.bodies.get(other).copied()).collect();
        if let Some(&entity) = self.bodies.get(&id) {
            self.world.insert_one(entity, IgnoreContactsWith(others)).expect("the entity exists");
        }
    }

    /// Makes a joint between bodies that are there.
    fn join(&mut self, plan: &JointPlan) {
        let there = |end: Option<u32>| end.map(|id| self.bodies.get(&id).copied());
        let [a, b] = plan.ends.map(there);
        if a == Some(None) || b == Some(None) {
            return;
        }
        let ends = [a.flatten(), b.flatten()];
        let is_body = |e: &Entity| self.world.get::<&RigidBody>(*e).is_ok();
        if !ends.iter().flatten().all(is_body) {
            return;
        }
        let mut joint = Joint::new(ends[0], ends[1], plan.kind.clone()).collide(plan.collide);
        joint.frames = plan.frames;
        if let Some([force, torque]) = plan.breaks {
            joint = joint.breaks_at(force, torque);
        }
        let entity = self.world.spawn((joint, JointState::default()));
        self.joints.insert(plan.id, entity);
        self.fresh.push(entity);
        self.strained.push(entity);
    }

    fn note_shape(&mut self, id: u32, shape: &Shape) {
        self.reach.insert(id, shape.reach());
        if shape.holds_origin() {
            self.centered.insert(id)
        } else {
            self.centered.remove(&id)
        };
    }

    pub fn despawn(&mut self, entity: Entity) {
        let names = |live: &Self, other: Entity| {
            live.world.get::<&Joint>(other).is_ok_and(|joint| joint.bodies.contains(&Some(entity)))
                || live.world.get::<&ColliderOf>(other).is_ok_and(|collider| collider.body == entity)
        };
        let fresh: Vec<Entity> = self.fresh.iter().copied().filter(|&other| names(self, other)).collect();
        fresh.into_iter().for_each(|other| self.despawn(other));
        if self.world.despawn(entity).is_ok() {
            self.gone.insert(entity);
        }
        self.bodies.retain(|_, e| *e != entity);
        self.joints.retain(|_, e| *e != entity);
    }

    /// Notes the joints of a body that is moved away.
    fn strain_joints_of(&mut self, body: Entity) {
        let of = |joint: &&Entity| self.world.get::<&Joint>(**joint).is_ok_and(|j| j.bodies.contains(&Some(body)));
        self.strained.extend(self.joints.values().filter(of));
    }

    /// Makes an edit; one of something that is not there does nothing.
    pub fn edit(&mut self, edit: &Edit) -> Result<(), Fault> {
        match edit {
            Edit::Spawn(plan) => self.spawn(plan),
            Edit::Join(plan) => self.join(plan),
            Edit::Rules(rules) => self.physics.settings = rules.settings(),
            Edit::TimeStep(dt) => self.dt = *dt,
            Edit::Reload => return self.reload(),
            Edit::Unjoin(id) => {
                if let Some(joint) = self.joints.remove(id) {
                    self.despawn(joint);
                }
            }
            Edit::Rejoin(id, kind) => {
                let Some(&entity) = self.joints.get(id) else { return Ok(()) };
                if let Ok(mut joint) = self.world.get::<&mut Joint>(entity) {
                    joint.kind = kind.clone();
                    self.strained.push(entity);
                }
            }
            Edit::Ignore(id, others) => self.ignore(*id, others),
            Edit::DisableJoint(id, disabled) => {
                if let Some(&joint) = self.joints.get(id).filter(|joint| self.world.contains(**joint)) {
                    match disabled {
                        true => Part::Disabled(Disabled).insert(&mut self.world, joint),
                        false => Part::Disabled(Disabled).remove(&mut self.world, joint),
                    }
                    self.strained.push(joint);
                }
            }
            _ => {
                let there = |id: u32| Some((id, *self.bodies.get(&id).filter(|&&e| self.world.contains(e))?));
                if let Some((id, entity)) = edit.changed_body().and_then(there) {
                    if matches!(edit, Edit::Teleport(..)) {
                        self.strain_joints_of(entity);
                    }
                    self.edit_body(id, entity, edit);
                }
            }
        }
        Ok(())
    }

    fn edit_body(&mut self, id: u32, entity: Entity, edit: &Edit) {
        let world = &mut self.world;
        let is_body = world.get::<&RigidBody>(entity).is_ok();
        match edit {
            Edit::Despawn(_) => self.despawn(entity),
            Edit::Teleport(_, position, orientation) if is_body => {
                world.insert(entity, (Position(*position), Orientation(*orientation))).expect("the entity exists");
            }
            Edit::Push(_, linear, angular) if is_body => {
                world.insert(entity, (LinearVelocity(*linear), AngularVelocity(*angular))).expect("the entity exists");
            }
            Edit::Reshape(_, shape) => {
                if let Ok(collider) = shape.collider() {
                    world.insert_one(entity, collider).expect("the entity exists");
                    self.note_shape(id, shape);
                }
            }
            Edit::Dig(_, factors) => {
                let mut factors = factors.iter().cycle();
                reshape(world, entity, |collider| {
                    collider.with_heights(|_, _, height| height * factors.next().expect("there are factors"))
                });
            }
            Edit::Break(_, divisor, remainder) => {
                reshape(world, entity, |collider| collider.with_parts(|part| part % divisor != *remainder));
            }
            Edit::Kind(_, kind) if is_body => world.insert_one(entity, *kind).expect("the entity exists"),
            Edit::Add(_, part) => part.insert(world, entity),
            Edit::Remove(_, part) => part.remove(world, entity),
            Edit::Tag(_) if world.remove_one::<Tag>(entity).is_err() => {
                world.insert_one(entity, Tag).expect("the entity exists");
            }
            Edit::Hostile(_, field, value) => {
                self.undo.push(hostile::set(world, &mut self.physics, entity, *field, *value));
            }
            _ => {}
        }
    }

    /// Saves the state to bytes, and restores it from them.
    fn reload(&mut self) -> Result<(), Fault> {
        let bytes = self.physics.save(&self.world).to_bytes();
        match Snapshot::from_bytes(&bytes) {
            Ok(snapshot) => {
                self.physics.restore(&mut self.world, &snapshot);
                Ok(())
            }
            Err(refused) => Err(Fault::new(FaultKind::Snapshot, refused.to_string())),
        }
    }

    /// Takes hostile values back.
    pub fn take_back(&mut self) {
        while let Some(undo) = self.undo.pop() {
            undo(&mut self.world, &mut self.physics);
        }
    }
}

/// Changes the shape of an entity, where it can be changed so.
fn reshape(world: &mut World, entity: Entity, change: impl FnOnce(&Collider) -> Result<Collider, ShapeError>) {
    let changed = world.get::<&Collider>(entity).ok().and_then(|collider| change(&collider).ok());
    if let Some(collider) = changed {
        world.insert_one(entity, collider).expect("the entity exists");
    }
}
