//! What a game does to a world between two steps.

use super::part::Part;
use super::plan::{BodyPlan, JointPlan, Rules};
use super::shape::Shape;
use dolmen::components::{JointKind, RigidBody};
use dolmen::math::{Quat, Real, Vec3};
use serde::{Deserialize, Serialize};

/// An edit, and the step before which it is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimedEdit {
    pub step: usize,
    pub edit: Edit,
}

/// An edit. One of something that is not there does nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    Spawn(BodyPlan),
    Despawn(u32),
    Teleport(u32, Vec3, Quat),
    /// Sets both velocities.
    Push(u32, Vec3, Vec3),
    Reshape(u32, Shape),
    Kind(u32, RigidBody),
    Add(u32, Part),
    Remove(u32, Part),
    /// Gives or takes a component of the game's own: the entity moves to another archetype.
    Tag(u32),
    Join(JointPlan),
    Unjoin(u32),
    Rejoin(u32, JointKind),
    Rules(Rules),
    TimeStep(Real),
    /// Saves to bytes, and restores from them.
    Reload,
    /// Sets a field of a body, a joint or the world to a value that no game means: the numbers of
    /// the entity, the field and the value.
    Hostile(u32, usize, usize),
    /// Sets the bodies that the colliders of a body do not meet.
    Ignore(u32, Vec<u32>),
    /// Disables a joint, or lets it act again.
    DisableJoint(u32, bool),
    /// Multiplies the heights of a height field by factors, which come again and again.
    Dig(u32, Vec<Real>),
    /// Breaks off every part of a compound whose number is the remainder (the second) by a divisor (the first).
    Break(u32, usize, usize),
}

impl Edit {
    /// The number of the body or the further collider that is there already and changes.
    pub fn changed_body(&self) -> Option<u32> {
        match self {
            Self::Despawn(id)
            | Self::Teleport(id, ..)
            | Self::Push(id, ..)
            | Self::Reshape(id, _)
            | Self::Kind(id, _)
            | Self::Add(id, _)
            | Self::Remove(id, _)
            | Self::Tag(id)
            | Self::Hostile(id, ..)
            | Self::Ignore(id, _)
            | Self::Dig(id, _)
            | Self::Break(id, ..) => Some(*id),
            Self::Spawn(_)
            | Self::Join(_)
            | Self::Unjoin(_)
            | Self::Rejoin(..)
            | Self::DisableJoint(..)
            | Self::Rules(_)
            | Self::TimeStep(_)
            | Self::Reload => None,
        }
    }
}
