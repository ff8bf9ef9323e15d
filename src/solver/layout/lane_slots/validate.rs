//! Validation of lane slots read from a snapshot.

use super::{LaneSlots, NONE};
use crate::solver::simd::WIDTH;

impl LaneSlots {
    /// Checks that slots and keys agree, and states are below `states`.
    ///
    /// # Errors
    /// The inconsistent part.
    pub fn validate(&self, states: usize) -> Result<(), &'static str> {
        let blocks = self.blocks();
        let lists = [self.states.len(), self.keys.len(), self.occupied.len(), self.seen.len()];
        if lists != [blocks; 4] || blocks >= u32::MAX as usize / WIDTH {
            return Err("the lists of lane slots");
        }
        let mut count = 0;
        for block in 0..blocks {
            for lane in 0..WIDTH {
                let (key, ends) = (self.keys[block][lane] as usize, self.states[block][lane]);
                let valid = if self.occupied[block] >> lane & 1 == 0 {
                    ends == [0; 2] && self.contacts[block][lane] == NONE
                } else {
                    count += 1;
                    let own = self.slots.get(key) == Some(&((WIDTH * block + lane) as u32));
                    own && ends.iter().all(|&state| (state as usize) < states)
                };
                if !valid {
                    return Err("a lane slot");
                }
            }
        }
        let slotted = self.slots.iter().filter(|&&slot| slot != NONE).count();
        if count == self.count && slotted == count { Ok(()) } else { Err("the count of lane slots") }
    }
}
