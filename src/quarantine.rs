//! Bodies that take no part in a step, because their state has left the range of numbers or is
//! about to.

/// The bodies held in this step.
#[derive(Default)]
pub(crate) struct Quarantine {
    /// By slot; empty while no body is held.
    held: Vec<bool>,
    /// True if a body was held after others could have met it: caches may contain its numbers.
    late: bool,
}

impl Quarantine {
    /// Releases all bodies.
    pub fn clear(&mut self) {
        self.held.clear();
        self.late = false;
    }

    /// Holds a body of a world with so many slots.
    pub fn add(&mut self, slot: usize, slots: usize) {
        self.held.resize(slots, false);
        self.held[slot] = true;
    }

    /// Notes that bodies are held after others could have met them.
    pub fn set_late(&mut self) {
        self.late = true;
    }

    /// True if others could have met a held body.
    pub fn is_late(&self) -> bool {
        self.late
    }

    /// True if a body is held; slots out of range, such as the world's, are not.
    #[inline]
    pub fn contains(&self, slot: u32) -> bool {
        self.held.get(slot as usize).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::NONE;

    #[test]
    fn held_bodies_are_known_until_all_are_released() {
        let mut held = Quarantine::default();
        assert!(!held.contains(0) && !held.contains(NONE));
        held.add(2, 4);
        held.add(2, 4);
        assert!([0, 1, 2, 3, NONE].map(|slot| held.contains(slot)) == [false, false, true, false, false]);
        held.clear();
        assert!(!held.contains(2));
    }
}
