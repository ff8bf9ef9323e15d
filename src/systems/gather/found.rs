//! What the game changed since the last step, before it is applied.

use super::scratch::Scratch;
use crate::bodies::Bodies;
use crate::ids::NONE;
use crate::state::State;
use hecs::{Entity, World};

/// The changes of rows of bodies, further colliders and joints.
#[cfg_attr(not(feature = "serialize"), expect(dead_code, reason = "only recordings read it"))]
pub(crate) struct Found<'a> {
    pub world: &'a World,
    state: &'a State,
    scratch: &'a Scratch,
}

#[cfg_attr(not(feature = "serialize"), expect(dead_code, reason = "only recordings read it"))]
impl<'a> Found<'a> {
    pub(super) fn new(world: &'a World, state: &'a State, scratch: &'a Scratch) -> Self {
        Self { world, state, scratch }
    }

    /// The bodies before the changes.
    pub fn bodies(&self) -> &'a Bodies {
        &self.state.bodies
    }

    /// New and edited bodies and further colliders: known ones, with their slots, then newcomers.
    pub fn edited(&self) -> impl Iterator<Item = (Entity, Option<usize>)> + '_ {
        let slot = |slot: u32| (slot != NONE).then_some(slot as usize);
        self.scratch.edits.iter().map(move |edit| (edit.entity, slot(edit.slot)))
    }

    /// New and edited joints, and whether each is new.
    pub fn edited_joints(&self) -> impl Iterator<Item = (Entity, bool)> + '_ {
        self.scratch.joints.edited()
    }

    /// The entities of slots that no row claims: despawned, or no longer what they were.
    pub fn gone(&self) -> impl Iterator<Item = Entity> + '_ {
        let State { bodies, joints, .. } = self.state;
        let slots = self.scratch.removed.iter().map(|&slot| bodies.entity[slot as usize]);
        slots.chain(self.scratch.joints.removed().iter().map(|&slot| joints.entity[slot as usize]))
    }
}
