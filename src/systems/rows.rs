//! Which slot each hecs row belongs to: found once in a step, for gather and scatter alike.

use crate::bodies::{Bodies, NONE};
use crate::components::{BodySlot, ColliderOf, RigidBody};
use hecs::{Archetype, Entity, Or, World};

/// The slot of every row of every archetype of bodies and extra colliders, in hecs' order; [`NONE`] where the row's entity
/// has none of its own yet.
#[derive(Default)]
pub(crate) struct Rows {
    slots: Vec<u32>,
    entities: Vec<Entity>,
    /// Whether the rows still are as they were read.
    fresh: bool,
}

/// Whether an archetype's rows are bodies or extra colliders.
fn concerns(archetype: &Archetype) -> bool {
    !archetype.is_empty() && (archetype.has::<RigidBody>() || archetype.has::<ColliderOf>())
}

impl Rows {
    /// Reads all rows; returns how many slots were claimed by their entities.
    pub(crate) fn read(&mut self, world: &World, bodies: &Bodies) -> usize {
        self.slots.clear();
        self.entities.clear();
        let mut rows = world.query::<(Entity, Option<&BodySlot>, Or<&RigidBody, &ColliderOf>)>();
        let mut claimed = 0;
        rows.iter().for_each(|(entity, slot, _)| {
            let slot = slot.map_or(NONE, |slot| slot.0);
            let own = bodies.entity.get(slot as usize) == Some(&entity);
            claimed += usize::from(own);
            self.slots.push(if own { slot } else { NONE });
            self.entities.push(entity);
        });
        self.fresh = true;
        claimed
    }

    /// Says that entities moved between archetypes since the rows were read.
    pub(crate) fn outdate(&mut self) {
        self.fresh = false;
    }

    /// Reads the rows again if they are out of date.
    pub(crate) fn refresh(&mut self, world: &World, bodies: &Bodies) {
        if !self.fresh {
            self.read(world, bodies);
        }
    }

    /// The archetypes with the slots and entities of their rows.
    pub(crate) fn archetypes<'a>(
        &'a self,
        world: &'a World,
    ) -> impl Iterator<Item = (&'a Archetype, &'a [u32], &'a [Entity])> {
        let mut next = 0;
        world.archetypes().filter(|a| concerns(a)).map(move |archetype| {
            let rows = next..next + archetype.len() as usize;
            next = rows.end;
            (archetype, &self.slots[rows.clone()], &self.entities[rows])
        })
    }

    /// Every slot that a row claimed.
    pub(crate) fn claimed(&self) -> impl Iterator<Item = usize> + '_ {
        self.slots.iter().filter(|&&slot| slot != NONE).map(|&slot| slot as usize)
    }
}
