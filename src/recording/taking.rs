//! The part of a world that takes part in steps. A recording contains nothing else: a disabled body is
//! despawned in it, and spawned anew when it comes back.

use crate::components::{ColliderOf, Joint, RigidBody};
use crate::rows::Enabled;
use hecs::{Entity, EntityRef, World};

/// As what a row takes part.
pub(super) struct Taking {
    pub body: bool,
    /// As a further collider.
    pub part: bool,
    pub joint: bool,
}

impl Taking {
    pub fn of(row: EntityRef, enabled: &Enabled) -> Self {
        let itself = enabled.has(row.entity());
        Self {
            body: itself && row.has::<RigidBody>(),
            part: itself && row.get::<&ColliderOf>().is_some_and(|of| enabled.has(of.body)),
            joint: row.get::<&Joint>().is_some_and(|joint| enabled.has_joint(row.entity(), &joint)),
        }
    }
}

/// True if an entity takes part as anything.
pub(super) fn is_taking(world: &World, entity: Entity, enabled: &Enabled) -> bool {
    let taking = world.entity(entity).map(|row| Taking::of(row, enabled));
    taking.is_ok_and(|taking| taking.body || taking.part || taking.joint)
}
