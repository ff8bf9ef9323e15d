//! Seats: which contact sits in which lane of which block.

#[cfg(feature = "serialize")]
mod sound;

use crate::index::NONE;
use crate::kept::copy_fields;
use crate::solver::lanes::WIDTH;
use std::ops::Range;

/// The lanes of all blocks of one kind of constraint between two bodies.
///
/// A constraint is known by two numbers: its name, which it keeps while it lives, and its place in the list of this step,
/// which may be another one every step. A seat is `WIDTH * block + lane`.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Seats {
    /// By block: the place of each lane's constraint in the list of this step, or [`NONE`].
    pub contacts: Vec<[u32; WIDTH]>,
    /// By block: the lines of the two bodies of each lane; 0 where it is empty.
    pub lines: Vec<[[u32; 2]; WIDTH]>,
    names: Vec<[u32; WIDTH]>,
    /// By block, one bit a lane: taken, and met in this step.
    taken: Vec<u8>,
    met: Vec<u8>,
    /// By name: the seat, or [`NONE`].
    seat: Vec<u32>,
    count: usize,
}

impl Clone for Seats {
    fn clone(&self) -> Self {
        let mut seats = Self::default();
        seats.clone_from(self);
        seats
    }

    fn clone_from(&mut self, from: &Self) {
        copy_fields!(self, from; contacts, lines, names, taken, met, seat, count);
    }
}

/// Block and lane of a seat.
pub(crate) fn place(seat: u32) -> (usize, usize) {
    (seat as usize / WIDTH, seat as usize % WIDTH)
}

impl Seats {
    /// Empties everything, for names below `names`.
    pub fn clear(&mut self, names: usize) {
        self.contacts.clear();
        self.lines.clear();
        self.names.clear();
        self.taken.clear();
        self.met.clear();
        self.seat.clear();
        self.seat.resize(names, NONE);
        self.count = 0;
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.contacts.len()
    }

    /// Takes in the blocks that were appended to `contacts` and `lines`, and appends `spare` empty ones.
    pub fn enter(&mut self, spare: usize, name: impl Fn(u32) -> u32) {
        for block in self.names.len()..self.contacts.len() {
            let (mut names, mut taken) = ([NONE; WIDTH], 0);
            for (lane, &contact) in self.contacts[block].iter().enumerate() {
                if contact != NONE {
                    names[lane] = name(contact);
                    taken |= 1 << lane;
                    self.seat[names[lane] as usize] = (WIDTH * block + lane) as u32;
                    self.count += 1;
                }
            }
            self.names.push(names);
            self.taken.push(taken);
            self.met.push(taken);
        }
        let blocks = self.contacts.len() + spare;
        self.contacts.resize(blocks, [NONE; WIDTH]);
        self.lines.resize(blocks, [[0; 2]; WIDTH]);
        self.names.resize(blocks, [NONE; WIDTH]);
        self.taken.resize(blocks, 0);
        self.met.resize(blocks, 0);
    }

    /// Begins a step whose names are below `names`: nobody has been met yet.
    pub fn begin(&mut self, names: usize) {
        self.met.fill(0);
        self.seat.resize(names, NONE);
    }

    /// The seat of a name, if it has one.
    ///
    /// # Panics
    /// If there is no such name.
    #[inline]
    pub fn of(&self, name: u32) -> Option<u32> {
        let seat = self.seat[name as usize];
        (seat != NONE).then_some(seat)
    }

    /// Meets the constraint on a seat, whose place in the list is now `contact`; whether for the first time in this step.
    #[inline]
    pub fn meet(&mut self, seat: u32, contact: u32) -> bool {
        let (block, lane) = place(seat);
        let first = self.met[block] >> lane & 1 == 0;
        self.met[block] |= 1 << lane;
        self.contacts[block][lane] = contact;
        first
    }

    /// The lines of the bodies of the constraint on a seat.
    #[inline]
    pub fn lines_of(&self, seat: u32) -> [u32; 2] {
        let (block, lane) = place(seat);
        self.lines[block][lane]
    }

    /// The place in the list of the constraint on a seat.
    #[inline]
    pub fn contact(&self, seat: u32) -> u32 {
        let (block, lane) = place(seat);
        self.contacts[block][lane]
    }

    /// How many seats are taken.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The seats taken by those that were not met in this step.
    pub fn missing(&self, out: &mut Vec<u32>) {
        for (block, (taken, met)) in self.taken.iter().zip(&self.met).enumerate() {
            let gone = taken & !met;
            out.extend((0..WIDTH).filter(|lane| gone >> lane & 1 == 1).map(|lane| (WIDTH * block + lane) as u32));
        }
    }

    /// The seats taken in a run of blocks.
    pub fn within(&self, blocks: Range<usize>) -> impl Iterator<Item = u32> + '_ {
        let seats = (blocks.start * WIDTH) as u32..(blocks.end * WIDTH) as u32;
        seats.filter(|&seat| self.taken[place(seat).0] >> place(seat).1 & 1 == 1)
    }

    /// A free seat in a run of blocks, in a block that has neither of these lines.
    pub fn find(&self, blocks: Range<usize>, lines: [u32; 2]) -> Option<u32> {
        let here = |block: usize| self.lines[block].as_flattened().iter().fold(false, |met, l| met | lines.contains(l));
        let apart = |block: usize| !here(block);
        let block = blocks.into_iter().find(|&block| self.taken[block] != u8::MAX && apart(block))?;
        Some((WIDTH * block) as u32 + self.taken[block].trailing_ones())
    }

    /// Seats a constraint.
    pub fn sit(&mut self, seat: u32, contact: u32, name: u32, lines: [u32; 2]) {
        let (block, lane) = place(seat);
        self.contacts[block][lane] = contact;
        self.names[block][lane] = name;
        self.lines[block][lane] = lines;
        self.taken[block] |= 1 << lane;
        self.met[block] |= 1 << lane;
        self.seat[name as usize] = seat;
        self.count += 1;
    }

    /// Empties a seat; returns the lines of its bodies.
    pub fn leave(&mut self, seat: u32) -> [u32; 2] {
        let (block, lane) = place(seat);
        self.taken[block] &= !(1 << lane);
        self.contacts[block][lane] = NONE;
        if let Some(seat) = self.seat.get_mut(self.names[block][lane] as usize) {
            *seat = NONE;
        }
        self.count -= 1;
        std::mem::take(&mut self.lines[block][lane])
    }
}
