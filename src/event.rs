//! Events of a step, in an order that depends neither on rows nor on threads: lost joints; contacts
//! that ended with their colliders; impacts by island, and the ends of bouncing; broken joints;
//! gains of energy by island; by slot, bodies out of range; by pair, contacts that began and ended; those of contact sources by
//! source and slots; contact forces by island and pair; then by slot, bodies that woke up and fell
//! asleep.
//!
//! A shape that changes while it touches keeps its contact: that is no event.

use crate::math::{Real, Vec3};
use hecs::Entity;

/// One event of a step. Entities are those of the colliders, the one with the lesser slot first;
/// contacts of a contact source have those of the bodies, and [`Entity::DANGLING`] for the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Event {
    /// Two colliders began to touch.
    ContactBegan {
        /// The colliders' entities.
        entities: [Entity; 2],
    },
    /// Two colliders no longer touch, or one of them is gone.
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
        /// The contact point (m, world).
        point: Vec3,
        /// Impulse on the second body (N s, world).
        impulse: Vec3,
        /// Approach speed along the normal before the impact (m/s), positive.
        speed: Real,
    },
    /// Two surfaces have stopped bouncing: the remaining bounces are too slow to be impacts (see
    /// [`Settings::resting_tolerance`](crate::Settings::resting_tolerance)). A pair that touches in
    /// several points may report it more than once, and one that is thrown up again bounces again.
    BouncingEnded {
        /// The colliders' entities.
        entities: [Entity; 2],
        /// The time from the step's start at which the infinite sequence of bounces ends, in closed
        /// form (s). It may lie beyond the end of the step.
        after: Real,
    },
    /// A joint broke: its force or torque over the step exceeded its strength. It holds nothing
    /// from now on.
    JointBroke {
        /// The joint.
        joint: Entity,
        /// Mean force over the step (N).
        force: Real,
        /// Mean torque over the step (N m).
        torque: Real,
    },
    /// A body of a joint is gone, and the joint was despawned. If its entity is a body too, only its
    /// [`Joint`](crate::Joint) was removed.
    JointLost {
        /// The entity of the joint.
        joint: Entity,
    },
    /// A contact force reaches the [`ContactForceThreshold`](crate::ContactForceThreshold) of
    /// either collider; reported in every step in which it does. Sleeping contacts, whose forces do
    /// not change, are not reported.
    ContactForce {
        /// The colliders' entities.
        entities: [Entity; 2],
        /// Mean force on the second body over the step, impacts and friction included (N, world).
        force: Vec3,
        /// The centre of the contact: the mean of its points, weighted by their forces (m, world).
        point: Vec3,
    },
    /// The boxes of two colliders overlap, and no kernel collides their shapes or some of their
    /// parts, or a kernel of the game's own gave a number that is not finite: there they pass
    /// through each other. Reported once, until it changes.
    NotCollided {
        /// The colliders' entities.
        entities: [Entity; 2],
    },
    /// A body's pose or velocity was not finite at the end of the step, or more than
    /// `FARTHEST`, because of an extreme force, motor or time step,
    /// or a user system. It is reset to its pose at the step's start, without velocity.
    OutOfRange {
        /// The body.
        entity: Entity,
    },
    /// An island has more energy after the step than it had before and was given by work: a fault
    /// of a solver, of an impact law that gains energy, or of a user system. Reported beyond
    /// [`Settings::energy_tolerance`](crate::Settings::energy_tolerance), and wherever
    /// [`Settings::energy_guard`](crate::Settings::energy_guard) acted.
    EnergyGained {
        /// The body of the island with the least slot;
        /// [`Physics::energy_of`](crate::Physics::energy_of) gives all of them.
        entity: Entity,
        /// Kinetic energy that it may have: that before the step and the work done (J).
        allowed: Real,
        /// Energy beyond that (J).
        gained: Real,
        /// The part that was taken out again (J).
        removed: Real,
    },
    /// A body fell asleep: its island is proved to be at rest.
    FellAsleep {
        /// The body.
        entity: Entity,
    },
    /// A sleeping body woke up.
    WokeUp {
        /// The body.
        entity: Entity,
    },
}

/// The entities of an event; `$one` makes a slice of one.
macro_rules! entities_of {
    ($event:expr, $one:path) => {
        match $event {
            Event::ContactBegan { entities }
            | Event::ContactEnded { entities }
            | Event::SensorEntered { entities }
            | Event::SensorLeft { entities }
            | Event::Impact { entities, .. }
            | Event::BouncingEnded { entities, .. }
            | Event::ContactForce { entities, .. }
            | Event::NotCollided { entities } => entities,
            Event::JointBroke { joint, .. } | Event::JointLost { joint } => $one(joint),
            Event::OutOfRange { entity }
            | Event::EnergyGained { entity, .. }
            | Event::FellAsleep { entity }
            | Event::WokeUp { entity } => $one(entity),
        }
    };
}

impl Event {
    /// The entities of the event: colliders, bodies or a joint.
    pub fn entities(&self) -> &[Entity] {
        entities_of!(self, std::slice::from_ref)
    }

    /// The entity that met `one`, if `one` is a collider of this event between two.
    ///
    /// ```
    /// # use dolmen::prelude::*;
    /// # let mut world = hecs::World::new();
    /// # let [wall, ball] = [(); 2].map(|()| world.spawn(()));
    /// let event = Event::ContactBegan { entities: [wall, ball] };
    /// assert_eq!((event.other(ball), event.other(wall)), (Some(wall), Some(ball)));
    /// ```
    pub fn other(&self, one: Entity) -> Option<Entity> {
        let &[a, b] = self.entities() else { return None };
        if one == a { Some(b) } else { (one == b).then_some(a) }
    }

    /// The entities of the event, mutable.
    pub(crate) fn entities_mut(&mut self) -> &mut [Entity] {
        entities_of!(self, std::slice::from_mut)
    }
}
