//! The part of a world that takes part in steps. A recording contains nothing else: a disabled body is
//! despawned in it, and spawned anew when it comes back.

use crate::bodies::Bodies;
use crate::components::{BodySlot, ColliderOf, Joint, RigidBody};
use crate::rows::Enabled;
use hecs::{Entity, EntityRef, World};

/// As what a row takes part.
pub(super) struct Taking {
    pub body: bool,
    /// As a further collider.
    pub part: bool,
    pub joint: bool,
}

/// The rows of a world that take part.
pub(super) struct Participants<'a> {
    world: &'a World,
    enabled: Enabled<'a>,
    /// The bodies of the last step.
    bodies: &'a Bodies,
}

impl<'a> Participants<'a> {
    pub fn new(world: &'a World, bodies: &'a Bodies) -> Self {
        Self { world, enabled: Enabled::of(world), bodies }
    }

    /// As what a row takes part. What rested with a disabled body that is despawned does not.
    pub fn of(&self, row: EntityRef) -> Taking {
        let (Self { world, enabled, bodies }, entity) = (self, row.entity());
        let itself = enabled.has(entity);
        let slot = || row.get::<&BodySlot>().map(|slot| slot.0 as usize);
        let is_known = || slot().is_some_and(|slot| bodies.entity.get(slot) == Some(&entity));
        let has_body = |of: &ColliderOf| enabled.has(of.body) && (world.contains(of.body) || is_known());
        let has_bodies = |joint: &Joint| {
            enabled.has_joint(entity, joint) && joint.bodies.into_iter().flatten().all(|body| world.contains(body))
        };
        Taking {
            body: itself && row.has::<RigidBody>(),
            part: itself && row.get::<&ColliderOf>().is_some_and(|of| has_body(&of)),
            joint: row.get::<&Joint>().is_some_and(|joint| has_bodies(&joint)),
        }
    }

    /// True if an entity takes part as anything.
    pub fn contains(&self, entity: Entity) -> bool {
        let taking = self.world.entity(entity).map(|row| self.of(row));
        taking.is_ok_and(|taking| taking.body || taking.part || taking.joint)
    }
}
