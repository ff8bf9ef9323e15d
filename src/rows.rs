//! The slot of each hecs row: found once in a step, for gather and scatter.

use crate::bodies::Bodies;
use crate::components::{BodySlot, ColliderOf, Disabled, Joint, RigidBody};
use crate::ids::NONE;
use hecs::{Archetype, Entity, Or, World};

/// The slot of every row of every archetype of bodies and extra colliders, in hecs' order; [`NONE`]
/// where the row's entity has no slot yet, or is a collider of a disabled body.
#[derive(Default)]
pub(crate) struct Rows {
    slots: Vec<u32>,
    /// True if no entity has changed its archetype since the rows were read.
    fresh: bool,
    /// By archetype and block of [`BLOCK`] rows: true if `gather` holds a copy of its columns, and
    /// the step has not written them since.
    mirrored: Vec<Vec<bool>>,
}

/// Rows that are compared and copied together.
pub(crate) const BLOCK: usize = 32;

/// True if the rows of an archetype are bodies or extra colliders, and enabled.
pub(crate) fn is_relevant(archetype: &Archetype) -> bool {
    !archetype.is_empty()
        && (archetype.has::<RigidBody>() || archetype.has::<ColliderOf>())
        && !archetype.has::<Disabled>()
}

/// A test of a world's entities for the marker [`Disabled`].
pub(crate) struct Enabled<'a> {
    world: &'a World,
    /// True if any is: most worlds have none, and no entity is looked at.
    any_disabled: bool,
}

impl<'a> Enabled<'a> {
    pub fn of(world: &'a World) -> Self {
        let any = world.archetypes().any(|archetype| !archetype.is_empty() && archetype.has::<Disabled>());
        Self { world, any_disabled: any }
    }

    /// True if an entity is not disabled.
    pub fn has(&self, entity: Entity) -> bool {
        !self.any_disabled || !self.world.satisfies::<&Disabled>(entity)
    }

    /// True if neither a joint nor a body of it is disabled.
    pub fn has_joint(&self, entity: Entity, joint: &Joint) -> bool {
        self.has(entity) && joint.bodies.into_iter().flatten().all(|body| self.has(body))
    }
}

/// The entity of a row of one of a world's archetypes.
pub(crate) fn entity_of(world: &World, archetype: &Archetype, row: usize) -> Entity {
    // SAFETY: the id stands in an archetype's row, so it is the id of a live entity.
    unsafe { world.find_entity_from_id(archetype.ids()[row]) }
}

impl Rows {
    /// Reads all rows; returns the number of slots claimed by their entities.
    pub(crate) fn read(&mut self, world: &World, bodies: &Bodies) -> usize {
        let total = world.archetypes().filter(|a| is_relevant(a)).map(|a| a.len() as usize).sum();
        self.slots.resize(total, NONE);
        self.mirrored.resize_with(world.archetypes().len(), Vec::new);
        for (archetype, mirrored) in world.archetypes().zip(&mut self.mirrored) {
            let rows = if is_relevant(archetype) { archetype.len() as usize } else { 0 };
            mirrored.resize(rows.div_ceil(BLOCK), false);
        }
        let (mut remaining, mut claimed) = (self.slots.as_mut_slice(), 0);
        let enabled = Enabled::of(world);
        // Their entities, in the order of the archetypes: the test of `is_relevant` as a query.
        let mut entities = world.query::<Entity>().with::<Or<&RigidBody, &ColliderOf>>().without::<&Disabled>();
        let mut entities = entities.iter();
        for archetype in world.archetypes().filter(|a| is_relevant(a)) {
            let (slots, behind) = remaining.split_at_mut(archetype.len() as usize);
            remaining = behind;
            let Some(column) = archetype.get::<&BodySlot>() else {
                slots.fill(NONE);
                entities.by_ref().take(slots.len()).for_each(drop);
                continue;
            };
            let column: &[BodySlot] = &column;
            // A body with both is an error, which gather reports.
            let parts = archetype.get::<&ColliderOf>().filter(|_| !archetype.has::<RigidBody>());
            let rows = slots.iter_mut().zip(column).zip(entities.by_ref());
            for (row, ((slot, written), entity)) in rows.enumerate() {
                let is_idle = parts.as_ref().is_some_and(|parts| !enabled.has(parts[row].body));
                let own = !is_idle && bodies.entity.get(written.0 as usize) == Some(&entity);
                *slot = if own { written.0 } else { NONE };
                claimed += usize::from(own);
            }
        }
        self.fresh = true;
        claimed
    }

    /// Notes that entities changed their archetypes since the rows were read.
    pub(crate) fn invalidate(&mut self) {
        self.fresh = false;
    }

    /// Discards what is known of the rows.
    pub(crate) fn forget(&mut self) {
        self.invalidate();
        self.mirrored.clear();
    }

    /// Reads the rows again if they are out of date.
    pub(crate) fn refresh(&mut self, world: &World, bodies: &Bodies) {
        if !self.fresh {
            self.read(world, bodies);
        }
    }

    /// The archetypes with the slots of their rows.
    pub(crate) fn archetypes<'a>(&'a self, world: &'a World) -> impl Iterator<Item = (&'a Archetype, &'a [u32])> {
        let mut remaining = self.slots.as_slice();
        world.archetypes().filter(|a| is_relevant(a)).map(move |archetype| {
            let (slots, behind) = remaining.split_at(archetype.len() as usize);
            remaining = behind;
            (archetype, slots)
        })
    }

    /// The same with the number of each archetype, and the marks of its blocks of mirrored rows.
    pub(crate) fn archetypes_mut<'a>(
        &'a mut self,
        world: &'a World,
    ) -> impl Iterator<Item = ((usize, &'a Archetype), &'a [u32], &'a mut Vec<bool>)> {
        let mut remaining = self.slots.as_slice();
        let all = world.archetypes().enumerate().zip(&mut self.mirrored);
        all.filter(|((_, archetype), _)| is_relevant(archetype)).map(move |(archetype, mirrored)| {
            let (slots, behind) = remaining.split_at(archetype.1.len() as usize);
            remaining = behind;
            (archetype, slots, mirrored)
        })
    }

    /// Every slot that a row claimed.
    pub(crate) fn claimed(&self) -> impl Iterator<Item = usize> + '_ {
        self.slots.iter().filter(|&&slot| slot != NONE).map(|&slot| slot as usize)
    }
}
