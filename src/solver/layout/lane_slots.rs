//! Lane slots: the block and lane of each contact.

#[cfg(feature = "serialize")]
mod validate;

use crate::ids::NONE;
use crate::persist::copy_fields;
use crate::solver::simd::WIDTH;
use std::ops::Range;

/// The lanes of all contact blocks. A slot is `WIDTH * block + lane`.
///
/// A contact has two numbers: its key, constant while it lives (the index of its manifold), and its
/// index in the list of this step, which may change every step.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct LaneSlots {
    /// By block: the index of each lane's contact in the list of this step, or [`NONE`].
    pub contacts: Vec<[u32; WIDTH]>,
    /// By block: the states of the two bodies of each lane; 0 for an empty lane.
    pub states: Vec<[[u32; 2]; WIDTH]>,
    keys: Vec<[u32; WIDTH]>,
    /// By block, one bit a lane: occupied, and seen in this step.
    occupied: Vec<u8>,
    seen: Vec<u8>,
    /// By key: the slot, or [`NONE`].
    slots: Vec<u32>,
    count: usize,
}

impl Clone for LaneSlots {
    fn clone(&self) -> Self {
        let mut slots = Self::default();
        slots.clone_from(self);
        slots
    }

    fn clone_from(&mut self, from: &Self) {
        copy_fields!(self, from; contacts, states, keys, occupied, seen, slots, count);
    }
}

/// Block and lane of a slot.
pub(crate) fn block_and_lane(slot: u32) -> (usize, usize) {
    (slot as usize / WIDTH, slot as usize % WIDTH)
}

impl LaneSlots {
    /// Clears everything, for keys below `keys`.
    pub fn clear(&mut self, keys: usize) {
        self.contacts.clear();
        self.states.clear();
        self.keys.clear();
        self.occupied.clear();
        self.seen.clear();
        self.slots.clear();
        self.slots.resize(keys, NONE);
        self.count = 0;
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.contacts.len()
    }

    /// Registers the blocks that were appended to `contacts` and `states`, and appends `spare`
    /// empty ones.
    pub fn append(&mut self, spare: usize, key: impl Fn(u32) -> u32) {
        for block in self.keys.len()..self.contacts.len() {
            let (mut keys, mut occupied) = ([NONE; WIDTH], 0);
            for (lane, &contact) in self.contacts[block].iter().enumerate() {
                if contact != NONE {
                    keys[lane] = key(contact);
                    occupied |= 1 << lane;
                    self.slots[keys[lane] as usize] = (WIDTH * block + lane) as u32;
                    self.count += 1;
                }
            }
            self.keys.push(keys);
            self.occupied.push(occupied);
            self.seen.push(occupied);
        }
        let blocks = self.contacts.len() + spare;
        self.contacts.resize(blocks, [NONE; WIDTH]);
        self.states.resize(blocks, [[0; 2]; WIDTH]);
        self.keys.resize(blocks, [NONE; WIDTH]);
        self.occupied.resize(blocks, 0);
        self.seen.resize(blocks, 0);
    }

    /// Begins a step with keys below `keys`: no contact is seen yet.
    pub fn begin_step(&mut self, keys: usize) {
        self.seen.fill(0);
        self.slots.resize(keys, NONE);
    }

    /// The slot of a key, if it has one.
    ///
    /// # Panics
    /// If the key is not below the number of keys of the step.
    #[inline]
    pub fn slot_of(&self, key: u32) -> Option<u32> {
        let slot = self.slots[key as usize];
        (slot != NONE).then_some(slot)
    }

    /// Marks the contact of a slot as seen, at index `contact` of the list; whether for the first
    /// time in this step.
    #[inline]
    pub fn mark_seen(&mut self, slot: u32, contact: u32) -> bool {
        let (block, lane) = block_and_lane(slot);
        let first = self.seen[block] >> lane & 1 == 0;
        self.seen[block] |= 1 << lane;
        self.contacts[block][lane] = contact;
        first
    }

    /// The states of the bodies of a slot.
    #[inline]
    pub fn states_of(&self, slot: u32) -> [u32; 2] {
        let (block, lane) = block_and_lane(slot);
        self.states[block][lane]
    }

    /// The index in the list of the contact of a slot.
    #[inline]
    pub fn contact(&self, slot: u32) -> u32 {
        let (block, lane) = block_and_lane(slot);
        self.contacts[block][lane]
    }

    /// Number of occupied slots.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Lists the occupied slots not seen in this step.
    pub fn unseen(&self, out: &mut Vec<u32>) {
        for (block, (occupied, seen)) in self.occupied.iter().zip(&self.seen).enumerate() {
            let unseen = occupied & !seen;
            out.extend((0..WIDTH).filter(|lane| unseen >> lane & 1 == 1).map(|lane| (WIDTH * block + lane) as u32));
        }
    }

    /// The occupied slots of a run of blocks.
    pub fn occupied_in(&self, blocks: Range<usize>) -> impl Iterator<Item = u32> + '_ {
        let slots = (blocks.start * WIDTH) as u32..(blocks.end * WIDTH) as u32;
        slots.filter(|&slot| self.occupied[block_and_lane(slot).0] >> block_and_lane(slot).1 & 1 == 1)
    }

    /// A free slot in a run of blocks, in a block that has neither of these states.
    pub fn find_free(&self, blocks: Range<usize>, states: [u32; 2]) -> Option<u32> {
        let has_either =
            |block: usize| self.states[block].as_flattened().iter().fold(false, |seen, l| seen | states.contains(l));
        let has_neither = |block: usize| !has_either(block);
        let block = blocks.into_iter().find(|&block| self.occupied[block] != u8::MAX && has_neither(block))?;
        Some((WIDTH * block) as u32 + self.occupied[block].trailing_ones())
    }

    /// Puts a contact into a slot.
    pub fn insert(&mut self, slot: u32, contact: u32, key: u32, states: [u32; 2]) {
        let (block, lane) = block_and_lane(slot);
        self.contacts[block][lane] = contact;
        self.keys[block][lane] = key;
        self.states[block][lane] = states;
        self.occupied[block] |= 1 << lane;
        self.seen[block] |= 1 << lane;
        self.slots[key as usize] = slot;
        self.count += 1;
    }

    /// Clears a slot; returns the states of its bodies.
    pub fn remove(&mut self, slot: u32) -> [u32; 2] {
        let (block, lane) = block_and_lane(slot);
        self.occupied[block] &= !(1 << lane);
        self.contacts[block][lane] = NONE;
        if let Some(slot) = self.slots.get_mut(self.keys[block][lane] as usize) {
            *slot = NONE;
        }
        self.count -= 1;
        std::mem::take(&mut self.states[block][lane])
    }
}
