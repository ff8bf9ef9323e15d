//! Applying checked edits: nothing here can fail.

use super::body_mass::{BodyMass, Target};
use super::scratch::{Edit, Marks, Scratch};
use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::components::*;
use crate::contact::kernels::Geometry;
use crate::ids::NONE;
use crate::inputs::Inputs;
use crate::math::parry::bounding_volume::Aabb;
use crate::math::{Pose, Quat, Real, Vec3};
use crate::shapes;
use crate::state::State;
use crate::tolerances::{HALF_SPACE_RADIUS, INPUT};
use hecs::{Entity, World};

pub(super) fn apply(world: &mut World, state: &mut State, scratch: &mut Scratch) {
    let Scratch { edits, removed, masses, marks, .. } = scratch;
    marks.clear(state.bodies.slots());
    let orphaned = detach_parts(state, edits, removed, marks);
    remove(state, removed);
    let mut newcomers = false;
    for edit in edits.iter_mut().filter(|edit| edit.slot == NONE) {
        insert_newcomer(world, state, edit);
        newcomers |= edit.inputs.kind.is_some();
    }
    if newcomers && (orphaned || state.counts.orphans > 0) {
        list_orphans(state);
    }
    marks.clear(state.bodies.slots());
    for mass in &*masses {
        let slot = match mass.target {
            Target::Edit(index) => edits[index].slot as usize,
            Target::Slot(slot) => slot,
        };
        marks.recentred[slot] = state.bodies.local_center[slot] != mass.center;
        set_mass(&mut state.bodies, slot, mass);
    }
    for edit in edits.drain(..) {
        if edit.inputs.kind.is_some() {
            body(world, state, edit, marks);
        } else {
            extra_collider(state, edit);
        }
    }
    attach_parts(world, state);
    update_extents(state, marks);
    // What touches these elsewhere stays as it is.
    for &(slot, _) in &state.changes.mended {
        state.bodies.edited[slot as usize] = false;
    }
    for i in 0..state.changes.woken.len() {
        initialise(&mut state.bodies, state.changes.woken[i] as usize, state.settings.gravity);
    }
}

/// Detaches parts from bodies that are removed or no longer bodies, and wakes the bodies of removed
/// parts. Returns whether a part has lost its body.
fn detach_parts(state: &mut State, edits: &[Edit], removed: &[u32], marks: &mut Marks) -> bool {
    let lost = &mut marks.lost;
    let demoted = |edit: &&Edit| edit.slot != NONE && edit.inputs.kind.is_none();
    for slot in removed.iter().copied().chain(edits.iter().filter(demoted).map(|edit| edit.slot)) {
        lost[slot as usize] = true;
    }
    if !lost.contains(&true) {
        return false;
    }
    let mut orphaned = false;
    for slot in 0..lost.len() {
        let body = state.colliders.body[slot];
        if body == NONE || body as usize == slot {
            continue;
        }
        if lost[body as usize] {
            state.colliders.body[slot] = NONE;
            state.changes.reshaped.push(slot as u32);
            orphaned = true;
        } else if lost[slot] {
            state.changes.woken.push(body);
        }
    }
    orphaned
}

/// Empties the slots of removed entities. Data of other stages about them is dropped by those
/// stages.
fn remove(state: &mut State, removed: &[u32]) {
    if removed.is_empty() {
        return;
    }
    for &slot in removed {
        state.changes.removed.push((slot, state.bodies.entity[slot as usize]));
        state.sleep.wake_body(&mut state.bodies, slot as usize);
        state.colliders.clear(slot as usize);
        state.bodies.remove(slot as usize);
    }
    state.sleep.drop_vacant(&state.bodies);
    let bodies = &state.bodies;
    state.changes.reshaped.retain(|&slot| bodies.kind[slot as usize] != Kind::Vacant);
}

/// Lists every extra collider without a body, which may belong to a newcomer.
fn list_orphans(state: &mut State) {
    let State { bodies, colliders, changes, .. } = state;
    let orphans = (0..bodies.slots()).filter(|&slot| {
        bodies.kind[slot] == Kind::Collider && !colliders.is_live(slot) && bodies.inputs[slot].collider_of.is_some()
    });
    changes.orphans.extend(orphans.map(|slot| slot as u32));
}

/// Gives a newcomer a slot and a [`BodySlot`].
fn insert_newcomer(world: &mut World, state: &mut State, edit: &mut Edit) {
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

/// Adds missing columns that the step writes for a body that can move.
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

fn body(world: &mut World, state: &mut State, edit: Edit, marks: &mut Marks) {
    let slot = edit.slot as usize;
    let bodies = &mut state.bodies;
    let kind = edit.inputs.kind.map_or(Kind::Collider, Kind::from);
    bodies.edited[slot] = true;
    let known = &bodies.inputs[slot];
    if let Some(region) = mended_region(bodies, slot, &edit) {
        state.changes.mended.push((edit.slot, region));
    } else if known.pairs_differ(&edit.inputs) {
        state.changes.reshaped.push(edit.slot);
    } else if known.surface_differs(&edit.inputs) {
        state.changes.refreshed.push(edit.slot);
    }
    marks.rekinded[slot] = known.kind != edit.inputs.kind || known.ccd != edit.inputs.ccd;
    bodies.kind[slot] = kind;
    let incomplete = edit.motion.is_incomplete() && kind != Kind::Static;

    let position = edit.motion.position.unwrap_or(bodies.position[slot]);
    let given = edit.motion.orientation.unwrap_or(bodies.orientation[slot]);
    let orientation = normalised(given);
    let path = (position - bodies.position[slot]).length()
        + bodies.radius[slot] * orientation.angle_between(bodies.orientation[slot]);
    bodies.odometer[slot] += f64::from(path);
    bodies.position[slot] = position;
    bodies.orientation[slot] = orientation;
    bodies.dirty[slot] |= orientation != given;
    if kind != Kind::Static {
        bodies.linear_velocity[slot] = edit.motion.linear.unwrap_or(bodies.linear_velocity[slot]);
        bodies.angular_velocity[slot] = edit.motion.angular.unwrap_or(bodies.angular_velocity[slot]);
    } else {
        // Velocities that it had as another kind must not move the bodies that touch it.
        bodies.linear_velocity[slot] = Vec3::ZERO;
        bodies.angular_velocity[slot] = Vec3::ZERO;
    }
    let frame = edit.inputs.inertia.map(|i| normalised(i.frame));
    bodies.inputs[slot] = edit.inputs;
    if let Some(request @ (SleepControl::Asleep | SleepControl::Awake)) = bodies.inputs[slot].sleep_control {
        // The edit itself wakes the body.
        if request == SleepControl::Asleep {
            state.sleep.requested.push(edit.slot);
        }
        bodies.inputs[slot].sleep_control = Some(SleepControl::Automatic);
        bodies.dirty[slot] = true;
    }
    if let (Some(frame), Some(inertia)) = (frame, bodies.inputs[slot].inertia.as_mut()) {
        inertia.frame = frame;
    }

    let colliders = &mut state.colliders;
    detach(colliders, &mut state.changes.woken, slot);
    colliders.clear(slot);
    colliders.geometry[slot] = bodies.inputs[slot].collider.as_ref().map(|collider| Geometry::from(&collider.0));
    colliders.body[slot] = edit.slot;
    colliders.local[slot] = Pose::IDENTITY;
    surface(state, slot);
    if incomplete {
        complete(world, &mut state.bodies, edit.entity, slot);
    }
    state.bodies.cache_inputs(slot);
    state.changes.woken.push(edit.slot);
}

/// The box in which a static body differs (m, world axes), if a part of its shape is all that does.
fn mended_region(bodies: &Bodies, slot: usize, edit: &Edit) -> Option<Aabb> {
    let known = &bodies.inputs[slot];
    let stays = edit.motion.position.is_none_or(|position| position == bodies.position[slot])
        && edit.motion.orientation.is_none_or(|given| normalised(given) == bodies.orientation[slot]);
    if known.kind != Some(RigidBody::Static) || !stays || known.surface_differs(&edit.inputs) {
        return None;
    }
    let (Some(before), Some(after)) = (&known.collider, &edit.inputs.collider) else { return None };
    let alike = Inputs { collider: known.collider.clone(), ..edit.inputs.clone() };
    if before == after || known.pairs_differ(&alike) {
        return None;
    }
    let region = shapes::difference(&before.0, &after.0)?;
    Some(region.transform_by(&bodies.pose(slot)))
}

fn extra_collider(state: &mut State, edit: Edit) {
    let slot = edit.slot as usize;
    let of = edit.inputs.collider_of.expect("an extra collider has ColliderOf");
    let known = &state.bodies.inputs[slot];
    if known.pairs_differ(&edit.inputs) {
        detach(&mut state.colliders, &mut state.changes.woken, slot);
        state.changes.reshaped.push(edit.slot);
    } else {
        state.changes.refreshed.push(edit.slot);
    }
    state.bodies.kind[slot] = Kind::Collider;
    state.bodies.inputs[slot] = edit.inputs;
    let colliders = &mut state.colliders;
    let collider = state.bodies.inputs[slot].collider.as_ref().expect("checked before");
    colliders.geometry[slot] = Some(Geometry::from(&collider.0));
    colliders.local[slot] = Pose::from_parts(of.position, of.orientation.normalize());
    surface(state, slot);
    // The body is looked up once every newcomer has its slot.
    state.changes.orphans.push(edit.slot);
    state.bodies.cache_inputs(slot);
}

/// Detaches a collider from its body; wakes the body if that is another slot.
fn detach(colliders: &mut Colliders, woken: &mut Vec<u32>, slot: usize) {
    let body = std::mem::replace(&mut colliders.body[slot], NONE);
    if body != NONE && body as usize != slot {
        woken.push(body);
    }
}

fn surface(state: &mut State, slot: usize) {
    let inputs = &state.bodies.inputs[slot];
    let colliders = &mut state.colliders;
    colliders.material[slot] = inputs.material.unwrap_or_default();
    colliders.layers[slot] = inputs.layers.unwrap_or_default();
    colliders.sensor[slot] = inputs.sensor.is_some();
    colliders.ccd[slot] = inputs.ccd.is_some();
    colliders.surface_velocity[slot] = colliders.local[slot].rotation * inputs.surface_velocity.unwrap_or_default().0;
    colliders.any_exceptions |= inputs.solver_layers.is_some() || inputs.ignored.is_some();
    colliders.force_threshold[slot] = inputs.force_threshold.map_or(Real::INFINITY, |t| t.0);
}

/// Attaches extra colliders to their bodies and wakes those. A collider stays without one if its
/// entity is no body.
fn attach_parts(world: &World, state: &mut State) {
    for i in 0..state.changes.orphans.len() {
        let slot = state.changes.orphans[i] as usize;
        // An edit may have made a body of it.
        if state.bodies.kind[slot] != Kind::Collider {
            continue;
        }
        let of = state.bodies.inputs[slot].collider_of.expect("an extra collider has ColliderOf");
        if !world.satisfies::<&RigidBody>(of.body) {
            continue;
        }
        let body = world.get::<&BodySlot>(of.body).expect("every body has a slot by now").0;
        if std::mem::replace(&mut state.colliders.body[slot], body) != body {
            state.changes.reshaped.push(slot as u32);
        }
        state.colliders.ccd[slot] = state.bodies.inputs[body as usize].ccd.is_some();
        state.changes.woken.push(body);
    }
    state.changes.orphans.clear();
}

/// Computes the extents of each woken body about its centre of mass, over all its colliders, and
/// lists the colliders that this changes.
fn update_extents(state: &mut State, marks: &Marks) {
    let State { bodies, colliders, changes, .. } = state;
    for &body in &changes.woken {
        bodies.radius[body as usize] = 0.0;
        bodies.core_radius[body as usize] = 0.0;
        bodies.round_axis[body as usize] = Vec3::ZERO;
        bodies.edited[body as usize] = true;
    }
    for slot in 0..bodies.slots() {
        let body = colliders.body[slot] as usize;
        if body == NONE as usize || !bodies.edited[body] {
            continue;
        }
        let Some(geometry) = &colliders.geometry[slot] else { continue };
        let center = colliders.local[slot].inverse_transform_point(bodies.local_center[body]);
        let alone = bodies.radius[body] == 0.0;
        let axis = geometry.axis_of_revolution(center).filter(|_| alone).unwrap_or_default();
        bodies.round_axis[body] = colliders.local[slot].rotation * axis;
        let radius = &mut bodies.radius[body];
        *radius = radius.max(geometry.radius_about(center).min(HALF_SPACE_RADIUS));
        let core_radius = &mut bodies.core_radius[body];
        *core_radius = core_radius.max(geometry.core_radius_about(center).min(HALF_SPACE_RADIUS));
        if body != slot && marks.rekinded[body] {
            colliders.ccd[slot] = bodies.inputs[body].ccd.is_some();
            changes.reshaped.push(slot as u32);
        } else if marks.recentred[body] {
            changes.refreshed.push(slot as u32);
        }
    }
}

/// Computes the data that follow from pose, mass and forces, and applies the external impulse.
fn initialise(bodies: &mut Bodies, slot: usize, gravity: Vec3) {
    bodies.refresh(slot);
    if bodies.kind[slot] != Kind::Dynamic {
        bodies.inverse_mass[slot] = Vec3::ZERO;
        bodies.refresh_forces(slot, gravity);
        return;
    }
    let locks = bodies.inputs[slot].locked.unwrap_or_default();
    bodies.inverse_mass[slot] = locks.free_translations() * (1.0 / bodies.mass[slot]);
    if let Some(impulse) = bodies.inputs[slot].impulse.take_nonzero() {
        bodies.linear_velocity[slot] += bodies.inverse_mass[slot] * impulse.linear;
        bodies.angular_velocity[slot] += bodies.inverse_inertia[slot] * impulse.angular;
        bodies.dirty[slot] = true;
    }
    let linear = bodies.linear_velocity[slot] * locks.free_translations();
    let angular = bodies.angular_velocity[slot] * locks.free_rotations();
    bodies.dirty[slot] |= linear != bodies.linear_velocity[slot] || angular != bodies.angular_velocity[slot];
    bodies.linear_velocity[slot] = linear;
    bodies.angular_velocity[slot] = angular;
    bodies.refresh_forces(slot, gravity);
}

trait TakeImpulse {
    fn take_nonzero(&mut self) -> Option<ExternalImpulse>;
}

impl TakeImpulse for Option<ExternalImpulse> {
    /// Takes a non-zero impulse and leaves zero, as `scatter` will write it.
    fn take_nonzero(&mut self) -> Option<ExternalImpulse> {
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
fn normalised(q: Quat) -> Quat {
    if (q.length_squared() - 1.0).abs() <= INPUT.unit_quaternion as Real { q } else { q.normalize() }
}
