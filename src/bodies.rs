//! The working set: every body in dense arrays, by slot.
//!
//! `gather` fills it from the hecs columns, the stages work in it, `scatter` writes it back. No
//! stage between them touches hecs. An entity gets a slot on first sight and keeps it; the slot of
//! a removed entity is vacant until the next newcomer takes it. Work is done in order of slots, so
//! that no result depends on rows or on [`Entity`] numbers.

use crate::components::{Collider, LockedAxes, RigidBody, SleepControl};
use crate::ids::NONE;
use crate::inputs::{Inputs, Present};
use crate::math::{DVec3, Mat3, Norm, Pose, Quat, Real, Vec3, quat_to_f64, rotated_diagonal, to_f64};
use crate::motion::block::inverse_inertia;
use crate::motion::energy::{rotational, translational};
use hecs::Entity;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

mod persist;

/// The kind of a slot. The order matters: kinds that can move come last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// Nothing.
    #[default]
    Vacant,
    /// An extra collider of another slot's body.
    Collider,
    /// The world of contact sources: without an entity, at the origin, and never removed once it is
    /// needed.
    World,
    /// A static body.
    Static,
    /// A kinematic body.
    Kinematic,
    /// A dynamic body.
    Dynamic,
}

impl Kind {
    /// True if the slot is a body.
    pub const fn is_body(self) -> bool {
        matches!(self, Self::Static | Self::Kinematic | Self::Dynamic)
    }
}

impl From<RigidBody> for Kind {
    fn from(kind: RigidBody) -> Self {
        match kind {
            RigidBody::Dynamic => Self::Dynamic,
            RigidBody::Kinematic => Self::Kinematic,
            RigidBody::Static => Self::Static,
        }
    }
}

/// Present components and kind of a slot, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tag(u32);

impl Tag {
    #[inline(always)]
    pub fn new(present: Present, kind: Kind) -> Self {
        Self(present.bits() | (kind as u32) << Present::BITS)
    }

    /// True if the slot is a body that can move.
    #[inline(always)]
    pub fn moves(self) -> bool {
        self.0 >> Present::BITS >= Kind::Kinematic as u32
    }
}

/// Values of the common hecs columns of a slot when they were last read or written: one cache line
/// in `f32`, so that recognising an unchanged body costs one.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct ColumnCache {
    pub orientation: Quat,
    pub position: Vec3,
    pub tag: Tag,
    pub linear: Vec3,
    pub angular: Vec3,
    /// Address of the shape. The slot's [`Inputs`] keep it alive, so no other shape can have it.
    pub collider: usize,
}

#[cfg(not(feature = "f64"))]
const _: () = assert!(size_of::<ColumnCache>() == 64);

/// Address of a collider's shape.
#[inline]
pub(crate) fn shape_address(collider: &Collider) -> usize {
    std::sync::Arc::as_ptr(&collider.0.0).cast::<()>().addr()
}

/// Struct-of-arrays of all bodies, by slot. Positions are in metres, velocities in m/s and rad/s,
/// world axes.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Bodies {
    /// The entity of each slot.
    pub entity: Vec<Entity>,
    /// The kind of each slot.
    pub kind: Vec<Kind>,
    /// Position of the body's origin.
    pub position: Vec<Vec3>,
    /// Orientation of the body's axes.
    pub orientation: Vec<Quat>,
    /// Velocity of the centre of mass.
    pub linear_velocity: Vec<Vec3>,
    /// Angular velocity.
    pub angular_velocity: Vec<Vec3>,
    /// Centre of mass in the world.
    pub center: Vec<Vec3>,
    /// Centre of mass in the body's axes, from its origin.
    pub local_center: Vec<Vec3>,
    /// Inverse mass along each world axis (1/kg): zero where the body cannot move.
    pub inverse_mass: Vec<Vec3>,
    /// Mass (kg); zero unless dynamic.
    pub mass: Vec<Real>,
    /// Principal moments of inertia (kg m²); zero unless dynamic.
    pub principal: Vec<Vec3>,
    /// Rotation from principal axes to body axes.
    pub frame: Vec<Quat>,
    /// Inverse inertia about the centre of mass, world axes (1/(kg m²)).
    pub inverse_inertia: Vec<Mat3>,
    /// Constant acceleration of this step: gravity and external force (m/s²).
    pub acceleration: Vec<Vec3>,
    /// External torque of this step (N m).
    pub torque: Vec<Vec3>,
    /// Greatest distance of any point of the body from its centre of mass (m).
    pub radius: Vec<Real>,
    /// As `radius`, without rounded borders (m): rotation moves the surface relative to its
    /// surroundings by no more than this times the angle.
    pub core_radius: Vec<Real>,
    /// Axis of revolution of its surface, in its own axes; zero if there is none.
    pub round_axis: Vec<Vec3>,
    /// True if it moves too far in this step for discrete contacts at the step's start. Set before
    /// the broad phase.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub fast: Vec<bool>,
    /// True if it has a joint: it then has no path of its own through a step, and continuous
    /// collision detection skips it.
    pub jointed: Vec<bool>,
    /// Length of its path so far (m): the sum of |displacement| + radius |rotation|, an upper bound
    /// of the path of any point.
    pub odometer: Vec<f64>,
    /// Bound of the motion of any point in this step (m). Set before the broad phase.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub reach: Vec<Real>,
    /// Displacement of the centre of mass in this step (m): impacts and forces add to it, the
    /// motion stage applies it.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub displacement: Vec<Vec3>,
    /// Rotation in this step as a rotation vector, world axes (rad).
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub rotation: Vec<Vec3>,
    /// True if impacts of this step have turned its velocity by `rotation`, as its axes will be.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) turned: Vec<bool>,
    /// Rounding error of the centre of mass (m), as in compensated summation. A cache, as the two
    /// below: dropping it costs one rounding.
    pub(crate) center_compensation: Vec<Vec3>,
    /// Rounding error of its velocity (m/s).
    pub(crate) velocity_compensation: Vec<Vec3>,
    /// Rounding error of its angular momentum (kg m²/s): see [`rotation`](crate::motion::rotation).
    pub(crate) momentum_compensation: Vec<Vec3>,
    /// The sleeping island of each body, or [`NONE`] while it is awake.
    pub sleeping_island: Vec<u32>,
    /// True if the components are out of date and the body must be written back.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub dirty: Vec<bool>,
    /// True if the game changed the body before this step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub edited: Vec<bool>,
    /// True if a slot has damping or locked axes: a fast test for the many without either.
    pub(crate) special: Vec<bool>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) columns: Vec<ColumnCache>,
    pub(crate) inputs: Vec<Inputs>,
    /// Version of the last change of each slot by anything but the step itself.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) edit_versions: Vec<u64>,
    /// Version of the last change of each slot by anything, the step included.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) motion_versions: Vec<u64>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    differing: Vec<u32>,
    /// Version of the last such change of any slot.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) edit_version: u64,
    vacant: BinaryHeap<Reverse<u32>>,
    live: usize,
}

impl Bodies {
    /// The number of slots, vacant ones included: the length of every array.
    pub fn slots(&self) -> usize {
        self.kind.len()
    }

    /// The number of slots in use.
    pub fn live(&self) -> usize {
        self.live
    }

    /// The pose of a body's origin.
    #[inline]
    pub fn pose(&self, slot: usize) -> Pose {
        Pose::from_parts(self.position[slot], self.orientation[slot])
    }

    /// True if a slot is an awake dynamic body.
    #[inline]
    pub fn is_active(&self, slot: usize) -> bool {
        self.kind[slot] == Kind::Dynamic && self.sleeping_island[slot] == NONE
    }

    /// True if a body moves in this step without being pushed: active, or kinematic with a
    /// velocity.
    #[inline]
    pub fn is_moving(&self, slot: usize) -> bool {
        self.is_active(slot) || self.is_moving_kinematic(slot)
    }

    /// True if a body is kinematic and has a velocity: it may do work on all that it touches.
    #[inline]
    pub fn is_moving_kinematic(&self, slot: usize) -> bool {
        self.kind[slot] == Kind::Kinematic
            && (self.linear_velocity[slot] != Vec3::ZERO || self.angular_velocity[slot] != Vec3::ZERO)
    }

    /// True if the game keeps a body awake.
    pub(crate) fn never_sleeps(&self, slot: usize) -> bool {
        self.inputs[slot].sleep_control == Some(SleepControl::Never)
    }

    /// The acceleration of a body without contacts (m/s²): zero unless it is active.
    #[inline]
    pub fn free_acceleration(&self, slot: usize) -> Vec3 {
        if self.is_active(slot) { self.acceleration[slot] } else { Vec3::ZERO }
    }

    /// Velocity of the body's material point at `point`, relative to its centre of mass.
    #[inline]
    pub fn velocity_at(&self, slot: usize, point: Vec3) -> Vec3 {
        self.linear_velocity[slot] + self.angular_velocity[slot].cross(point)
    }

    /// The velocity that a unit impulse `along` at `point`, relative to the centre of mass, gives
    /// the material point there.
    #[inline]
    pub(crate) fn response_at(&self, slot: usize, point: Vec3, along: Vec3) -> Vec3 {
        self.inverse_mass[slot] * along + (self.inverse_inertia[slot] * point.cross(along)).cross(point)
    }

    /// Takes a slot: the vacant one with the least number, or a new one.
    pub(crate) fn insert(&mut self, entity: Entity, kind: Kind) -> usize {
        self.live += 1;
        let slot = match self.vacant.pop() {
            Some(Reverse(slot)) => slot as usize,
            None => {
                self.grow(entity);
                self.slots() - 1
            }
        };
        self.entity[slot] = entity;
        self.kind[slot] = kind;
        self.odometer[slot] = 0.0;
        self.sleeping_island[slot] = NONE;
        self.local_center[slot] = Vec3::ZERO;
        slot
    }

    /// Takes a slot for the world.
    pub(crate) fn insert_world(&mut self) -> usize {
        let slot = self.insert(Entity::DANGLING, Kind::World);
        // No row claims it, so it is not counted.
        self.live -= 1;
        slot
    }

    /// Gives a slot back.
    pub(crate) fn remove(&mut self, slot: usize) {
        self.kind[slot] = Kind::Vacant;
        self.entity[slot] = Entity::DANGLING;
        self.inputs[slot] = Inputs::default();
        self.sleeping_island[slot] = NONE;
        self.dirty[slot] = false;
        self.edited[slot] = false;
        self.vacant.push(Reverse(slot as u32));
        self.live -= 1;
    }

    fn grow(&mut self, entity: Entity) {
        self.entity.push(entity);
        self.kind.push(Kind::Vacant);
        self.position.push(Vec3::ZERO);
        self.orientation.push(Quat::IDENTITY);
        self.linear_velocity.push(Vec3::ZERO);
        self.angular_velocity.push(Vec3::ZERO);
        self.center.push(Vec3::ZERO);
        self.local_center.push(Vec3::ZERO);
        self.inverse_mass.push(Vec3::ZERO);
        self.mass.push(0.0);
        self.principal.push(Vec3::ZERO);
        self.frame.push(Quat::IDENTITY);
        self.inverse_inertia.push(Mat3::ZERO);
        self.acceleration.push(Vec3::ZERO);
        self.torque.push(Vec3::ZERO);
        self.radius.push(0.0);
        self.core_radius.push(0.0);
        self.round_axis.push(Vec3::ZERO);
        self.fast.push(false);
        self.jointed.push(false);
        self.odometer.push(0.0);
        self.reach.push(0.0);
        self.displacement.push(Vec3::ZERO);
        self.rotation.push(Vec3::ZERO);
        self.turned.push(false);
        self.center_compensation.push(Vec3::ZERO);
        self.velocity_compensation.push(Vec3::ZERO);
        self.momentum_compensation.push(Vec3::ZERO);
        self.sleeping_island.push(NONE);
        self.dirty.push(false);
        self.edited.push(false);
        self.special.push(false);
        self.columns.push(ColumnCache::default());
        self.inputs.push(Inputs::default());
        self.edit_versions.push(0);
        self.motion_versions.push(0);
    }

    /// Caches the values that the columns of a slot hold now, or will hold once it is written back.
    #[inline]
    pub(crate) fn cache_columns(&mut self, slot: usize) {
        let cached = &mut self.columns[slot];
        cached.orientation = self.orientation[slot];
        cached.position = self.position[slot];
        cached.linear = self.linear_velocity[slot];
        cached.angular = self.angular_velocity[slot];
    }

    /// Caches the values of all columns of a slot, the read-only components included.
    pub(crate) fn cache_inputs(&mut self, slot: usize) {
        self.cache_columns(slot);
        self.special[slot] = self.inputs[slot].damping.is_some() || self.inputs[slot].locked.is_some();
        self.columns[slot].tag = Tag::new(self.inputs[slot].present, self.kind[slot]);
        self.columns[slot].collider = self.inputs[slot].collider.as_ref().map_or(0, shape_address);
    }

    /// True if any rotation of a body is locked.
    #[inline]
    pub(crate) fn is_rotation_locked(&self, slot: usize) -> bool {
        self.special[slot] && self.inputs[slot].locked.is_some_and(|l| l.rotations() != [false; 3])
    }

    /// The radius by which the rotation of a dynamic body counts as motion (m): `radius`, but at
    /// least that of its mass about its centre (`sqrt(I / m)`), because a body without a collider
    /// turns too.
    pub fn turning_radius(&self, slot: usize) -> Real {
        let moment = self.principal[slot].max_element();
        // `mass` and not the inverse: the latter is zero where axes are locked.
        self.radius[slot].max((moment / self.mass[slot].max(Real::MIN_POSITIVE)).sqrt())
    }

    /// Bound of the displacement of any point of a body by rotation in a step of `dt` s (m): it moves by
    /// no more than the diameter, however often the body turns.
    pub(crate) fn turning_travel(&self, slot: usize, dt: Real) -> Real {
        (self.angular_velocity[slot].norm() * self.radius[slot] * dt).min(self.radius[slot] * 2.0)
    }

    /// True if all principal moments of inertia of a body are equal.
    #[inline]
    pub(crate) fn is_isotropic(&self, slot: usize) -> bool {
        let moments = self.principal[slot];
        moments.x == moments.y && moments.y == moments.z
    }

    /// Kinetic energies of translation and rotation of a body (J).
    pub fn kinetic_energies(&self, slot: usize) -> [f64; 2] {
        let velocities = [self.linear_velocity[slot], self.angular_velocity[slot]];
        self.kinetic_energies_at(slot, velocities, self.orientation[slot])
    }

    /// The same at other velocities (m/s, rad/s), and in another orientation.
    pub(crate) fn kinetic_energies_at(&self, slot: usize, velocities: [Vec3; 2], orientation: Quat) -> [f64; 2] {
        let [velocity, turning] = velocities.map(to_f64);
        let (linear, moments) = (translational(f64::from(self.mass[slot]), velocity), to_f64(self.principal[slot]));
        if turning == DVec3::ZERO || self.is_isotropic(slot) {
            return [linear, rotational(moments, turning)];
        }
        // The inertia is diagonal in principal axes: the world's inverse inertia need not be
        // inverted.
        let axes = quat_to_f64(orientation) * quat_to_f64(self.frame[slot]);
        [linear, rotational(moments, axes.conjugate() * turning)]
    }

    /// 1 for each world axis along which impulses move a body, 0 for the others.
    pub(crate) fn free_axes(&self, slot: usize) -> Vec3 {
        self.inverse_mass[slot].map(|m| if m > 0.0 { 1.0 } else { 0.0 })
    }

    /// Recomputes the constant acceleration and torque of a body from gravity and its external
    /// forces.
    pub(crate) fn refresh_forces(&mut self, slot: usize, gravity: Vec3) {
        let inputs = &self.inputs[slot];
        let inverse_mass = self.inverse_mass[slot];
        let free = self.free_axes(slot);
        self.acceleration[slot] = inputs.gravity(gravity) * free + inputs.force.unwrap_or_default().0 * inverse_mass;
        self.torque[slot] = inputs.torque.unwrap_or_default().0;
    }

    /// Recomputes the data that follow from pose and mass: the centre in the world and the world's
    /// inverse inertia.
    pub(crate) fn refresh(&mut self, slot: usize) {
        self.center[slot] = self.position[slot] + self.orientation[slot] * self.local_center[slot];
        self.clear_compensation(slot);
        self.refresh_inertia(slot);
    }

    /// Takes a body to a pose other than that of its motion, by its centre of mass. It may have turned
    /// any way since the pose that it had.
    pub(crate) fn place(&mut self, slot: usize, center: Vec3, orientation: Quat) {
        self.odometer[slot] += f64::from((center - self.center[slot]).length() + 2.0 * self.radius[slot]);
        self.center[slot] = center;
        self.orientation[slot] = orientation;
        self.position[slot] = center - orientation * self.local_center[slot];
        self.clear_compensation(slot);
        self.refresh_inertia(slot);
        self.dirty[slot] = true;
    }

    /// Drops the rounding errors of a body's state.
    #[inline]
    pub(crate) fn clear_compensation(&mut self, slot: usize) {
        self.center_compensation[slot] = Vec3::ZERO;
        self.velocity_compensation[slot] = Vec3::ZERO;
        self.momentum_compensation[slot] = Vec3::ZERO;
    }

    /// Recomputes the world's inverse inertia from the orientation.
    #[inline]
    pub(crate) fn refresh_inertia(&mut self, slot: usize) {
        let q = self.orientation[slot];
        self.inverse_inertia[slot] = match self.kind[slot] {
            Kind::Dynamic => self.inverse_inertia_at(slot, q),
            _ => Mat3::ZERO,
        };
    }

    /// True if any axis of a body is locked.
    #[inline]
    pub(crate) fn has_locks(&self, slot: usize) -> bool {
        self.special[slot] && self.inputs[slot].locked.is_some_and(|locked| locked != LockedAxes::NONE)
    }

    /// The world's inverse inertia of a dynamic body if no axis were locked.
    pub(crate) fn free_inverse_inertia(&self, slot: usize) -> Mat3 {
        inverse_inertia(self.principal[slot], self.frame[slot], self.orientation[slot])
    }

    /// The world's inverse inertia of a dynamic body if its orientation were `q`.
    pub(crate) fn inverse_inertia_at(&self, slot: usize, q: Quat) -> Mat3 {
        let i = self.principal[slot];
        if !self.is_rotation_locked(slot) {
            inverse_inertia(i, self.frame[slot], q)
        } else {
            let locks = self.inputs[slot].locked.unwrap_or_default().rotations();
            free_inverse(rotated_diagonal(i, q * self.frame[slot]), locks)
        }
    }
}

/// The inverse of a symmetric inertia restricted to the free world axes; zero on the locked ones.
///
/// A lock is a constraint torque: the response of the free axes is the inverse of their own block,
/// not the block of the inverse.
fn free_inverse(mut inertia: Mat3, locked: [bool; 3]) -> Mat3 {
    for (axis, _) in locked.iter().enumerate().filter(|(_, l)| **l) {
        for other in 0..3 {
            inertia.col_mut(axis)[other] = 0.0;
            inertia.col_mut(other)[axis] = 0.0;
        }
        inertia.col_mut(axis)[axis] = 1.0;
    }
    let mut inverse = inertia.inverse();
    for (axis, _) in locked.iter().enumerate().filter(|(_, l)| **l) {
        inverse.col_mut(axis)[axis] = 0.0;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_vacant_slot_is_taken_first() {
        let mut bodies = Bodies::default();
        let e = Entity::DANGLING;
        for i in 0..5 {
            assert_eq!(bodies.insert(e, Kind::Static), i);
        }
        for slot in [3, 1, 4] {
            bodies.remove(slot);
        }
        assert_eq!([0; 4].map(|_| bodies.insert(e, Kind::Static)), [1, 3, 4, 5]);
    }

    #[test]
    fn a_locked_axis_takes_no_part_and_the_others_answer_as_their_own_block() {
        let inertia = rotated_diagonal(Vec3::new(1.0, 2.0, 3.0), Quat::from_rotation_x(0.5));
        let inverse = free_inverse(inertia, [false, true, false]);
        assert_eq!(inverse.y_axis, Vec3::ZERO);
        let torque = Vec3::new(0.3, 0.0, -0.7);
        let back = inertia * (inverse * torque);
        assert!((back.x - torque.x).abs() < 1e-6 && (back.z - torque.z).abs() < 1e-6);
    }
}
