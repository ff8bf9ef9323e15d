//! Assignment of contacts to lanes: greedy colouring, then list scheduling.

use crate::solver::simd::WIDTH;

/// The last colour takes all contacts without a free colour; scheduling keeps it correct.
const COLOURS: usize = 64;
/// Numbers of points, 0 to 4.
const COUNTS: usize = 5;
/// Sorting keys: between movable bodies or not, colour, points.
const KEYS: usize = 2 * COLOURS * COUNTS;

/// A contact to assign.
#[derive(Clone, Copy, Default)]
struct Entry {
    contact: u32,
    states: [u32; 2],
    movable: [bool; 2],
    key: u16,
}

/// Puts contacts into blocks so that no block moves a body twice.
///
/// Contacts get the least colour that neither of their bodies has yet, and are sorted by colour;
/// contacts with immovable bodies come last, so that the ground is solved last. Within a colour
/// contacts with many points come first, so that the lanes of a block are alike. Then each contact
/// goes into the first block with a free lane after the last block of either of its bodies: the
/// sequence of blocks computes exactly what the sequence of sorted contacts would, and lanes that a
/// colour left free are filled by the next.
#[derive(Clone, Default)]
pub(crate) struct Scheduler {
    entries: Vec<Entry>,
    sorted: Vec<Entry>,
    starts: Vec<u32>,
    /// By state: its colours; later the block after its last one.
    colours: Vec<u64>,
    after: Vec<u32>,
    /// By block: lanes in use, and the first block from it on with a free lane.
    used: Vec<u8>,
    open: Vec<u32>,
}

impl Scheduler {
    /// Begins a new list.
    pub fn begin(&mut self) {
        self.entries.clear();
    }

    /// Adds a contact with the states of its bodies, whether impulses move them, and its number of
    /// points.
    pub fn add(&mut self, contact: u32, states: [u32; 2], movable: [bool; 2], points: u32) {
        let key = (COUNTS - 1).saturating_sub(points as usize) as u16;
        self.entries.push(Entry { contact, states, movable, key });
    }

    /// Appends the blocks of the list: the contact of each lane and its states. `states` is the
    /// number of states.
    pub fn place(&mut self, states: usize, contacts: &mut Vec<[u32; WIDTH]>, sides: &mut Vec<[[u32; 2]; WIDTH]>) {
        if self.entries.is_empty() {
            // Counting keys takes longer than some bundles of joints without contacts.
            return;
        }
        if self.colours.len() < states {
            self.colours.resize(states, 0);
            self.after.resize(states, 0);
        }
        self.starts.clear();
        self.starts.resize(KEYS + 1, 0);
        for entry in &self.entries {
            for state in entry.states {
                self.colours[state as usize] = 0;
                self.after[state as usize] = 0;
            }
        }
        for entry in &mut self.entries {
            let [a, b] = entry.states.map(|state| state as usize);
            let mut used_colours = 0;
            for (state, moves) in [(a, entry.movable[0]), (b, entry.movable[1])] {
                used_colours |= if moves { self.colours[state] } else { 0 };
            }
            let colour = (!used_colours).trailing_zeros().min(COLOURS as u32 - 1);
            for (state, moves) in [(a, entry.movable[0]), (b, entry.movable[1])] {
                if moves {
                    self.colours[state] |= 1 << colour;
                }
            }
            let grounded = usize::from(entry.movable != [true, true]);
            entry.key += ((grounded * COLOURS + colour as usize) * COUNTS) as u16;
            self.starts[entry.key as usize + 1] += 1;
        }
        for k in 0..KEYS {
            self.starts[k + 1] += self.starts[k];
        }
        self.sorted.clear();
        self.sorted.resize(self.entries.len(), Entry::default());
        for entry in &self.entries {
            let at = &mut self.starts[entry.key as usize];
            self.sorted[*at as usize] = *entry;
            *at += 1;
        }

        let base = contacts.len();
        self.used.clear();
        self.open.clear();
        for k in 0..self.sorted.len() {
            let entry = self.sorted[k];
            let mut from = 0;
            for (state, moves) in entry.states.into_iter().zip(entry.movable) {
                if moves {
                    from = from.max(self.after[state as usize]);
                }
            }
            let block = self.first_open(from);
            if block == self.used.len() {
                self.used.push(0);
                self.open.push(block as u32);
                contacts.push([super::NONE; WIDTH]);
                sides.push([[0; 2]; WIDTH]);
            }
            let lane = usize::from(self.used[block]);
            contacts[base + block][lane] = entry.contact;
            sides[base + block][lane] = entry.states;
            self.used[block] += 1;
            if lane + 1 == WIDTH {
                self.open[block] = block as u32 + 1;
            }
            for (state, moves) in entry.states.into_iter().zip(entry.movable) {
                if moves {
                    self.after[state as usize] = block as u32 + 1;
                }
            }
        }
    }

    /// The first block from `from` on with a free lane; one past the last if there is none.
    fn first_open(&mut self, from: u32) -> usize {
        let end = self.used.len() as u32;
        let mut at = from;
        while at < end && self.open[at as usize] != at {
            at = self.open[at as usize];
        }
        // Path compression for the next search.
        let mut at_next = from;
        while at_next < end && self.open[at_next as usize] != at_next {
            at_next = std::mem::replace(&mut self.open[at_next as usize], at);
        }
        at.min(end) as usize
    }
}
