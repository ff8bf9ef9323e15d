//! Applying checked edits: nothing here can fail.

use super::body_mass::{BodyMass, Target};
use super::{Edit, Scratch};
use crate::bodies::{Bodies, Kind, NONE};
use crate::components::*;
use crate::contact::kernels::Geometry;
use crate::math::{Pose, Quat, Real, Vec3};
use crate::state::State;
use crate::tolerances::{HALF_SPACE_RADIUS, UNIT_QUATERNION};
use hecs::{Entity, World};

pub(super) fn apply(world: &mut World, state: &mut State, scratch: &mut Scratch, masses: Vec<BodyMass>) {
    remove(state, &scratch.removed);
    for edit in scratch.edits.iter_mut() {
        if edit.slot == NONE {
            admit(world, state, edit);
        }
    }
    for mass in &masses {
        let slot = match mass.target {
            Target::Edit(index) => scratch.edits[index].slot as usize,
            Target::Slot(slot) => slot,
        };
        set_mass(&mut state.bodies, slot, mass);
    }
    for edit in scratch.edits.drain(..) {
        if edit.inputs.kind.is_some() {
            body(world, state, edit);
        } else {
            extra_collider(state, edit);
        }
    }
    adopt(world, state);
    measure(state);
    for i in 0..state.changes.woken.len() {
        start(&mut state.bodies, state.changes.woken[i] as usize, state.settings.gravity);
    }
}

/// Empties the slots whose entities are gone. What else hangs on them is dropped by the stages that own it.
fn remove(state: &mut State, removed: &[u32]) {
    for &slot in removed {
        // A further collider that is gone, or whose body is, changes its body.
        let body = state.colliders.body[slot as usize];
        if body != NONE && body != slot {
            state.changes.woken.push(body);
        }
        if state.bodies.kind[slot as usize].is_body() {
            for part in 0..state.colliders.body.len() {
                if state.colliders.body[part] == slot && part as u32 != slot {
                    state.colliders.clear(part);
                    state.changes.reshaped.push(part as u32);
                }
            }
        }
        state.changes.removed.push((slot, state.bodies.entity[slot as usize]));
    }
    for &slot in removed {
        state.rest.unpark_body(&mut state.bodies, slot as usize);
        state.colliders.clear(slot as usize);
        state.bodies.remove(slot as usize);
    }
    state.changes.woken.retain(|slot| !removed.contains(slot));
}

/// Gives a newcomer its slot, and the components that the step writes.
fn admit(world: &mut World, state: &mut State, edit: &mut Edit) {
    let kind = edit.inputs.kind.map_or(Kind::Collider, Kind::from);
    let slot = state.bodies.insert(edit.entity, kind);
    state.colliders.resize(state.bodies.slots());
    edit.slot = slot as u32;
    state.changes.reshaped.push(edit.slot);
    state.bodies.position[slot] = Vec3::ZERO;
    state.bodies.orientation[slot] = Quat::IDENTITY;
    state.bodies.linear_velocity[slot] = Vec3::ZERO;
    state.bodies.angular_velocity[slot] = Vec3::ZERO;
    world.insert_one(edit.entity, BodySlot(edit.slot)).expect("the entity was just seen");
}

/// Adds the columns that the step writes where a body that can move lacks one.
fn complete(world: &mut World, bodies: &mut Bodies, entity: Entity, slot: usize) {
    let written = (
        Position(bodies.position[slot]),
        Orientation(bodies.orientation[slot]),
        LinearVelocity(bodies.linear_velocity[slot]),
        AngularVelocity(bodies.angular_velocity[slot]),
    );
    world.insert(entity, written).expect("the entity was just seen");
    for bit in 0..4 {
        bodies.inputs[slot].present.set(bit, true);
    }
}

fn body(world: &mut World, state: &mut State, edit: Edit) {
    let slot = edit.slot as usize;
    let bodies = &mut state.bodies;
    let kind = edit.inputs.kind.map_or(Kind::Collider, Kind::from);
    bodies.edited[slot] = true;
    if bodies.inputs[slot].contact_differs(&edit.inputs) {
        state.changes.reshaped.push(edit.slot);
    }
    bodies.kind[slot] = kind;
    let incomplete = edit.motion.is_incomplete() && kind != Kind::Static;

    let position = edit.motion.position.unwrap_or(bodies.position[slot]);
    let given = edit.motion.orientation.unwrap_or(bodies.orientation[slot]);
    let orientation = unit(given);
    let path = (position - bodies.position[slot]).length()
        + bodies.radius[slot] * orientation.angle_between(bodies.orientation[slot]);
    bodies.odometer[slot] += f64::from(path);
    bodies.position[slot] = position;
    bodies.orientation[slot] = orientation;
    bodies.dirty[slot] |= orientation != given;
    if kind != Kind::Static {
        bodies.linear_velocity[slot] = edit.motion.linear.unwrap_or(bodies.linear_velocity[slot]);
        bodies.angular_velocity[slot] = edit.motion.angular.unwrap_or(bodies.angular_velocity[slot]);
    }
    let frame = edit.inputs.inertia.map(|i| unit(i.frame));
    bodies.inputs[slot] = edit.inputs;
    if let (Some(frame), Some(inertia)) = (frame, bodies.inputs[slot].inertia.as_mut()) {
        inertia.frame = frame;
    }

    let colliders = &mut state.colliders;
    colliders.clear(slot);
    if let Some(collider) = &bodies.inputs[slot].collider {
        colliders.geometry[slot] = Some(Geometry::from(&collider.0));
        colliders.body[slot] = edit.slot;
        colliders.local[slot] = Pose::IDENTITY;
        surface(state, slot);
    }
    if incomplete {
        complete(world, &mut state.bodies, edit.entity, slot);
    }
    state.bodies.note_inputs(slot);
    state.changes.woken.push(edit.slot);
}

fn extra_collider(state: &mut State, edit: Edit) {
    let slot = edit.slot as usize;
    let of = edit.inputs.collider_of.expect("an extra collider has ColliderOf");
    state.bodies.kind[slot] = Kind::Collider;
    state.bodies.inputs[slot] = edit.inputs;
    let colliders = &mut state.colliders;
    let collider = state.bodies.inputs[slot].collider.as_ref().expect("checked before");
    colliders.geometry[slot] = Some(Geometry::from(&collider.0));
    colliders.local[slot] = Pose::from_parts(of.position, of.orientation.normalize());
    // The body is looked up once every newcomer has its slot.
    colliders.body[slot] = NONE;
    surface(state, slot);
    state.changes.reshaped.push(edit.slot);
    state.changes.unadopted.push(edit.slot);
    state.bodies.note_inputs(slot);
}

fn surface(state: &mut State, slot: usize) {
    let inputs = &state.bodies.inputs[slot];
    let colliders = &mut state.colliders;
    colliders.material[slot] = inputs.material.unwrap_or_default();
    colliders.layers[slot] = inputs.layers.unwrap_or_default();
    colliders.sensor[slot] = inputs.sensor.is_some();
    colliders.ccd[slot] = inputs.ccd.is_some();
}

/// Finds the bodies of extra colliders; wakes them.
fn adopt(world: &World, state: &mut State) {
    for i in 0..state.changes.unadopted.len() {
        let slot = state.changes.unadopted[i] as usize;
        let of = state.bodies.inputs[slot].collider_of.expect("an extra collider has ColliderOf");
        let body = world.get::<&BodySlot>(of.body).expect("every body has a slot by now").0;
        state.colliders.body[slot] = body;
        state.colliders.ccd[slot] = state.bodies.inputs[body as usize].ccd.is_some();
        state.changes.woken.push(body);
    }
    state.changes.unadopted.clear();
}

/// How far each woken body reaches from its centre of mass, over all its colliders.
fn measure(state: &mut State) {
    for &body in &state.changes.woken {
        state.bodies.radius[body as usize] = 0.0;
    }
    for slot in 0..state.bodies.slots() {
        let body = state.colliders.body[slot];
        if body == NONE || !state.bodies.edited[body as usize] && state.bodies.radius[body as usize] > 0.0 {
            continue;
        }
        let Some(geometry) = &state.colliders.geometry[slot] else { continue };
        let local = state.colliders.local[slot];
        let center = local.inverse_transform_point(state.bodies.local_center[body as usize]);
        let radius = &mut state.bodies.radius[body as usize];
        *radius = radius.max(geometry.radius_about(center).min(HALF_SPACE_RADIUS));
    }
}

/// What follows from pose, mass and forces; and the impulse that acts at once.
fn start(bodies: &mut Bodies, slot: usize, gravity: Vec3) {
    bodies.refresh(slot);
    if bodies.kind[slot] != Kind::Dynamic {
        bodies.inverse_mass[slot] = Vec3::ZERO;
        bodies.refresh_forces(slot, gravity);
        return;
    }
    let locks = bodies.inputs[slot].locked.unwrap_or_default();
    let free = |locked: [bool; 3]| Vec3::from_array(locked.map(|l| if l { 0.0 } else { 1.0 }));
    bodies.inverse_mass[slot] = free(locks.translations()) * (1.0 / bodies.mass[slot]);
    if let Some(impulse) = bodies.inputs[slot].impulse.replace_if_some() {
        bodies.linear_velocity[slot] += bodies.inverse_mass[slot] * impulse.linear;
        bodies.angular_velocity[slot] += bodies.inverse_inertia[slot] * impulse.angular;
        bodies.dirty[slot] = true;
    }
    let linear = bodies.linear_velocity[slot] * free(locks.translations());
    let angular = bodies.angular_velocity[slot] * free(locks.rotations());
    bodies.dirty[slot] |= linear != bodies.linear_velocity[slot] || angular != bodies.angular_velocity[slot];
    bodies.linear_velocity[slot] = linear;
    bodies.angular_velocity[slot] = angular;
    bodies.refresh_forces(slot, gravity);
}

trait TakeImpulse {
    fn replace_if_some(&mut self) -> Option<ExternalImpulse>;
}

impl TakeImpulse for Option<ExternalImpulse> {
    /// Takes a non-zero impulse and leaves zero, as `scatter` will write it.
    fn replace_if_some(&mut self) -> Option<ExternalImpulse> {
        let taken = self.filter(|i| *i != ExternalImpulse::default())?;
        *self = Some(ExternalImpulse::default());
        Some(taken)
    }
}

fn set_mass(bodies: &mut Bodies, slot: usize, mass: &BodyMass) {
    bodies.mass[slot] = mass.mass;
    bodies.principal[slot] = mass.principal;
    bodies.frame[slot] = mass.frame;
    bodies.local_center[slot] = mass.center;
}

/// The quaternion itself where it is a unit to rounding, else normalised.
fn unit(q: Quat) -> Quat {
    if (q.length_squared() - 1.0).abs() <= UNIT_QUATERNION as Real { q } else { q.normalize() }
}
