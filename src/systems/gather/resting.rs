//! Joints and further colliders that rest with a disabled body.

use hecs::Entity;
use rustc_hash::FxHashSet;

/// Those of the last step that was taken, and of this one: what a game despawns in between does not make
/// them an error.
#[derive(Default)]
pub(super) struct Resting {
    before: FxHashSet<Entity>,
    now: FxHashSet<Entity>,
}

impl Resting {
    /// Begins to read a world.
    pub fn begin(&mut self) {
        self.now.clear();
    }

    /// Adds one that rests.
    pub fn add(&mut self, entity: Entity) {
        self.now.insert(entity);
    }

    /// True if it rested in the last step.
    pub fn did(&self, entity: Entity) -> bool {
        self.before.contains(&entity)
    }

    /// Takes over what was read.
    pub fn commit(&mut self) {
        std::mem::swap(&mut self.before, &mut self.now);
    }
}
