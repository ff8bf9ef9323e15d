//! What happened in a step, in an order that depends neither on rows nor on threads: joints that were lost, contacts that
//! ended with their colliders, impacts by island and the ends of their sequences, joints that broke, other contacts by pair,
//! those of contact sources by source and slots, forces by island and pair, then bodies woken and parked by slot. Before
//! the pairs that began and ended come, by slot, bodies that were out of range.
//!
//! A shape that changes while it touches goes on touching: that is no event.

use crate::math::{Real, Vec3};
use hecs::Entity;

/// One event of a step. Entities are those of the colliders, the one with the lesser slot first; of a contact source's contacts
/// those of the bodies, and [`Entity::DANGLING`] for the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Event {
    /// Two colliders touch that did not before.
    ContactBegan {
        /// The colliders' entities.
        entities: [Entity; 2],
    },
    /// Two colliders touch no more, or one of them is gone.
    ContactEnded {
        /// The colliders' entities.
        entities: [Entity; 2],
    },
    /// A collider entered a sensor.
    SensorEntered {
        /// The colliders' entities; at least one is a sensor.
        entities: [Entity; 2],
    },
    /// A collider left a sensor, or one of them is gone.
    SensorLeft {
        /// The colliders' entities; at least one is a sensor.
        entities: [Entity; 2],
    },
    /// Two bodies collided.
    Impact {
        /// The colliders' entities.
        entities: [Entity; 2],
        /// Where (m, world).
        point: Vec3,
        /// Impulse on the second body (N s, world).
        impulse: Vec3,
        /// Approach speed along the normal before (m/s), positive.
        speed: Real,
    },
    /// Two surfaces that bounced have stopped bouncing: what is left of the sequence is too slow to be impacts (see
    /// [`Settings::resting_tolerance`](crate::Settings::resting_tolerance)). A pair that touches in several points may say so
    /// more than once, and one that is thrown up again bounces again.
    Settled {
        /// The colliders' entities.
        entities: [Entity; 2],
        /// When the sequence ends, from the beginning of the step (s): infinitely many bounces, in closed form. It may lie
        /// beyond the end of the step.
        after: Real,
    },
    /// A joint broke: its force or torque over the step was more than it bears. It holds nothing from now on.
    JointBroke {
        /// The joint.
        joint: Entity,
        /// Mean force over the step (N).
        force: Real,
        /// Mean torque over the step (N m).
        torque: Real,
    },
    /// A body of a joint is gone, and the joint was despawned.
    JointLost {
        /// The joint's entity, which is there no more.
        joint: Entity,
    },
    /// A contact carries at least the force of a [`ContactForceThreshold`](crate::ContactForceThreshold) of either collider, in
    /// every step in which it does. Parked contacts, whose forces do not change, are not told of.
    ContactForce {
        /// The colliders' entities.
        entities: [Entity; 2],
        /// Mean force on the second body over the step, impacts and friction included (N, world).
        force: Vec3,
        /// Where the contact is: the mean of its points by what they carry (m, world).
        point: Vec3,
    },
    /// The boxes of two colliders meet, and no kernel collides their shapes or some parts of them, or one of the game's own gave
    /// a number that is not finite: there they pass through each other. Told once, until it is otherwise.
    NotCollided {
        /// The colliders' entities.
        entities: [Entity; 2],
    },
    /// A body's pose or velocity was no number at the end of the step, or more than [`FARTHEST`](crate::tolerances::FARTHEST): a
    /// force, motor or time step without measure, or a user system. It is back where the step found it, without velocity.
    OutOfRange {
        /// The body.
        entity: Entity,
    },
    /// A body came to rest and was parked.
    Parked {
        /// The body.
        entity: Entity,
    },
    /// A parked body was woken.
    Woken {
        /// The body.
        entity: Entity,
    },
}

/// The entities that an event names; `$one` makes a slice of one.
macro_rules! entities_of {
    ($event:expr, $one:path) => {
        match $event {
            Event::ContactBegan { entities }
            | Event::ContactEnded { entities }
            | Event::SensorEntered { entities }
            | Event::SensorLeft { entities }
            | Event::Impact { entities, .. }
            | Event::Settled { entities, .. }
            | Event::ContactForce { entities, .. }
            | Event::NotCollided { entities } => entities,
            Event::JointBroke { joint, .. } | Event::JointLost { joint } => $one(joint),
            Event::OutOfRange { entity } | Event::Parked { entity } | Event::Woken { entity } => $one(entity),
        }
    };
}

impl Event {
    /// The entities that it names: colliders, bodies or a joint.
    pub fn entities(&self) -> &[Entity] {
        entities_of!(self, std::slice::from_ref)
    }

    /// The same, to be changed.
    pub(crate) fn entities_mut(&mut self) -> &mut [Entity] {
        entities_of!(self, std::slice::from_mut)
    }
}
