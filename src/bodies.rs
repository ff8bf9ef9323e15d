//! The working set: every body in dense arrays, by slot.
//!
//! `gather` fills it from the hecs columns, the stages work in it, `scatter` writes it back. No stage between them touches
//! hecs. A slot is given to an entity on first sight and stays its own; a slot whose entity is gone is vacant until the next
//! newcomer. Orders of work are orders of slots, so that no result depends on rows or on [`Entity`] numbers.

use crate::components::{Collider, RigidBody};
use crate::index::NONE;
use crate::inputs::{Inputs, Present};
use crate::math::{Mat3, Pose, Quat, Real, Vec3, rotated_diagonal};
use crate::motion::block::inverse_inertia;
use hecs::Entity;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

mod kept;

/// What a slot holds. The order counts: what can move comes last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// Nothing.
    #[default]
    Vacant,
    /// An extra collider of another slot's body.
    Collider,
    /// What contact sources call the world: nobody's, at the origin, and always there once it is needed.
    World,
    /// A static body.
    Static,
    /// A kinematic body.
    Kinematic,
    /// A dynamic body.
    Dynamic,
}

impl Kind {
    /// Whether the slot is a body.
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

/// What components a row has and what kind of slot it is, in one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tag(u32);

impl Tag {
    #[inline(always)]
    pub fn new(present: Present, kind: Kind) -> Self {
        Self(present.bits() | (kind as u32) << Present::BITS)
    }

    /// Whether it is a body that can move.
    #[inline(always)]
    pub fn moves(self) -> bool {
        self.0 >> Present::BITS >= Kind::Kinematic as u32
    }
}

/// What the usual hecs columns of a slot held when they were last read or written: a cache line in `f32`, so that telling an
/// unchanged body costs one.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Seen {
    pub orientation: Quat,
    pub position: Vec3,
    pub tag: Tag,
    pub linear: Vec3,
    pub angular: Vec3,
    /// Where the shape lies in memory: it is kept alive by the slot's [`Inputs`], so no other shape can lie there.
    pub collider: usize,
}

#[cfg(not(feature = "f64"))]
const _: () = assert!(size_of::<Seen>() == 64);

/// Where a collider's shape lies in memory.
#[inline]
pub(crate) fn address(collider: &Collider) -> usize {
    std::sync::Arc::as_ptr(&collider.0.0).cast::<()>().addr()
}

/// Struct-of-arrays of all bodies, by slot. Positions are in metres, velocities in m/s and rad/s, world axes.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Bodies {
    /// The entity of each slot.
    pub entity: Vec<Entity>,
    /// What each slot holds.
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
    /// How far any point of the body can be from its centre of mass (m).
    pub radius: Vec<Real>,
    /// How far turning can move its surface against what is near it (m): as `radius`, without rounded borders.
    pub swing: Vec<Real>,
    /// The axis that its surface turns into itself about, in its own axes; zero if there is none.
    pub round_axis: Vec<Vec3>,
    /// Whether it moves too far in this step for contacts at the step's start to tell what it meets: set before the broad phase.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub fast: Vec<bool>,
    /// Whether a joint holds it: its way through a step is then not its own, and nobody follows it alone.
    pub jointed: Vec<bool>,
    /// Path so far: the sum of |displacement| + radius |rotation| (m), an upper bound on how far any point has moved.
    pub odometer: Vec<f64>,
    /// How far any point can move in this step (m): set before the broad phase.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub reach: Vec<Real>,
    /// Displacement of the centre of mass in this step (m): impacts and forces add to it, motion applies it.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub displacement: Vec<Vec3>,
    /// Rotation in this step as a rotation vector, world axes (rad).
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub rotation: Vec<Vec3>,
    /// What rounding has left of the centre of mass (m). A cache, as the two below: dropping it costs one rounding.
    pub(crate) center_rest: Vec<Vec3>,
    /// And of its velocity (m/s).
    pub(crate) velocity_rest: Vec<Vec3>,
    /// And of the angular momentum (kg m²/s): see [`rotation`](crate::motion::rotation).
    pub(crate) momentum_rest: Vec<Vec3>,
    /// The parked island each body belongs to, or [`NONE`] while it is awake.
    pub parked: Vec<u32>,
    /// Whether the game's components are behind and the body must be written back.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub dirty: Vec<bool>,
    /// Whether the game changed the body before this step.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub edited: Vec<bool>,
    /// Whether a slot has damping or locked axes: most have neither, and need not be asked for them.
    pub(crate) special: Vec<bool>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) seen: Vec<Seen>,
    pub(crate) inputs: Vec<Inputs>,
    /// When each slot was last changed by anything but the step itself: see [`crate::kept::stamp`].
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) stamps: Vec<u64>,
    /// When anything about each slot last changed.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) moved: Vec<u64>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    differing: Vec<u32>,
    /// When any of them was last changed by the game.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) edition: u64,
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

    /// Whether a slot is a dynamic body that is not parked.
    #[inline]
    pub fn is_active(&self, slot: usize) -> bool {
        self.kind[slot] == Kind::Dynamic && self.parked[slot] == NONE
    }

    /// Whether a body moves by itself in this step: active, or kinematic with a velocity.
    #[inline]
    pub fn is_moving(&self, slot: usize) -> bool {
        self.is_active(slot)
            || self.kind[slot] == Kind::Kinematic
                && (self.linear_velocity[slot] != Vec3::ZERO || self.angular_velocity[slot] != Vec3::ZERO)
    }

    /// The acceleration a body would have without contacts: zero unless it is active (m/s²).
    #[inline]
    pub fn free_acceleration(&self, slot: usize) -> Vec3 {
        if self.is_active(slot) { self.acceleration[slot] } else { Vec3::ZERO }
    }

    /// Velocity of the body's material point at `point`, from its centre of mass.
    #[inline]
    pub fn velocity_at(&self, slot: usize, point: Vec3) -> Vec3 {
        self.linear_velocity[slot] + self.angular_velocity[slot].cross(point)
    }

    /// The velocity that a unit impulse `along` at `point`, from the centre of mass, gives the body's material point there.
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
        self.parked[slot] = NONE;
        self.local_center[slot] = Vec3::ZERO;
        slot
    }

    /// Takes a slot for the world.
    pub(crate) fn insert_world(&mut self) -> usize {
        let slot = self.insert(Entity::DANGLING, Kind::World);
        // No row claims it.
        self.live -= 1;
        slot
    }

    /// Gives a slot back.
    pub(crate) fn remove(&mut self, slot: usize) {
        self.kind[slot] = Kind::Vacant;
        self.entity[slot] = Entity::DANGLING;
        self.inputs[slot] = Inputs::default();
        self.parked[slot] = NONE;
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
        self.swing.push(0.0);
        self.round_axis.push(Vec3::ZERO);
        self.fast.push(false);
        self.jointed.push(false);
        self.odometer.push(0.0);
        self.reach.push(0.0);
        self.displacement.push(Vec3::ZERO);
        self.rotation.push(Vec3::ZERO);
        self.center_rest.push(Vec3::ZERO);
        self.velocity_rest.push(Vec3::ZERO);
        self.momentum_rest.push(Vec3::ZERO);
        self.parked.push(NONE);
        self.dirty.push(false);
        self.edited.push(false);
        self.special.push(false);
        self.seen.push(Seen::default());
        self.inputs.push(Inputs::default());
        self.stamps.push(0);
        self.moved.push(0);
    }

    /// Notes what the columns of a slot hold now, or will once it is written back.
    #[inline]
    pub(crate) fn note_seen(&mut self, slot: usize) {
        let seen = &mut self.seen[slot];
        seen.orientation = self.orientation[slot];
        seen.position = self.position[slot];
        seen.linear = self.linear_velocity[slot];
        seen.angular = self.angular_velocity[slot];
    }

    /// Notes what the columns of a slot hold now, the components that are only read included.
    pub(crate) fn note_inputs(&mut self, slot: usize) {
        self.note_seen(slot);
        self.special[slot] = self.inputs[slot].damping.is_some() || self.inputs[slot].locked.is_some();
        self.seen[slot].tag = Tag::new(self.inputs[slot].present, self.kind[slot]);
        self.seen[slot].collider = self.inputs[slot].collider.as_ref().map_or(0, address);
    }

    /// Whether any rotation of a body is locked.
    #[inline]
    pub(crate) fn is_rotation_locked(&self, slot: usize) -> bool {
        self.special[slot] && self.inputs[slot].locked.is_some_and(|l| l.rotations() != [false; 3])
    }

    /// The radius by which a dynamic body's turning counts as motion (m): that of what turns with it, but at least that of its mass about
    /// its centre (`sqrt(I / m)`), for what has no collider turns too. Bodies of the mass of their colliders are wider than that.
    pub fn turning_radius(&self, slot: usize) -> Real {
        let moment = self.principal[slot].max_element();
        // Of what may not move along any axis the mass is there all the same.
        self.radius[slot].max((moment / self.mass[slot].max(Real::MIN_POSITIVE)).sqrt())
    }

    /// Whether all principal moments of inertia of a body are equal.
    #[inline]
    pub(crate) fn is_isotropic(&self, slot: usize) -> bool {
        let moments = self.principal[slot];
        moments.x == moments.y && moments.y == moments.z
    }

    /// 1 for each axis of the world along which impulses move a body, 0 for the others.
    pub(crate) fn free_axes(&self, slot: usize) -> Vec3 {
        self.inverse_mass[slot].map(|m| if m > 0.0 { 1.0 } else { 0.0 })
    }

    /// Recomputes the constant acceleration and torque of a body from gravity and its external forces.
    pub(crate) fn refresh_forces(&mut self, slot: usize, gravity: Vec3) {
        let inputs = &self.inputs[slot];
        let inverse_mass = self.inverse_mass[slot];
        let free = self.free_axes(slot);
        self.acceleration[slot] = inputs.gravity(gravity) * free + inputs.force.unwrap_or_default().0 * inverse_mass;
        self.torque[slot] = inputs.torque.unwrap_or_default().0;
    }

    /// Recomputes what follows from the pose and the mass: the centre in the world and the world's inverse inertia.
    pub(crate) fn refresh(&mut self, slot: usize) {
        self.center[slot] = self.position[slot] + self.orientation[slot] * self.local_center[slot];
        self.forget_rests(slot);
        self.refresh_inertia(slot);
    }

    /// Drops what rounding has left of a body's state.
    #[inline]
    pub(crate) fn forget_rests(&mut self, slot: usize) {
        self.center_rest[slot] = Vec3::ZERO;
        self.velocity_rest[slot] = Vec3::ZERO;
        self.momentum_rest[slot] = Vec3::ZERO;
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

/// The inverse of a symmetric inertia restricted to the world axes that are free; zero on the locked ones.
///
/// A lock is a constraint torque: the response of the free axes is the inverse of their own block, not the block of the
/// inverse.
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
