//! Buffers of the gather stage.

use super::body_mass::BodyMass;
use super::columns::{Mirror, Motion};
use super::joints;
use super::resting::Resting;
use crate::inputs::Inputs;
use crate::rows::BLOCK;
use hecs::Entity;

/// A new or edited row.
pub(crate) struct Edit {
    pub(super) entity: Entity,
    /// The slot, or [`NONE`](crate::ids::NONE) for a newcomer.
    pub(super) slot: u32,
    pub(super) motion: Motion,
    pub(super) inputs: Inputs,
}

/// Buffers of the gather stage, kept between steps.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(super) edits: Vec<Edit>,
    pub(super) removed: Vec<u32>,
    pub(super) masses: Vec<BodyMass>,
    pub(super) claimed: Vec<bool>,
    /// By block of rows: which differ from their slots.
    pub(super) changed: Vec<[bool; BLOCK]>,
    /// By chunk of the blocks: those with changed rows, and those at rest that are not mirrored yet.
    pub(super) notable: Vec<Vec<(usize, bool)>>,
    /// By archetype.
    pub(super) mirrors: Vec<Mirror>,
    pub(super) marks: Marks,
    pub(super) joints: joints::Scratch,
    pub(super) resting: Resting,
}

/// Marks by slot for a pass over all colliders, kept between steps.
#[derive(Default)]
pub(super) struct Marks {
    /// Slots that are no longer bodies.
    pub(super) lost: Vec<bool>,
    /// Bodies whose kind or continuous collision detection changed: their parts need other pairs.
    pub(super) rekinded: Vec<bool>,
    /// Bodies whose local centre of mass changed.
    pub(super) recentred: Vec<bool>,
}

impl Marks {
    pub fn clear(&mut self, slots: usize) {
        for marks in [&mut self.lost, &mut self.rekinded, &mut self.recentred] {
            marks.clear();
            marks.resize(slots, false);
        }
    }
}
