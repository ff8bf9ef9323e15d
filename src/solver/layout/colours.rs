//! Contacts into lanes: greedy colours, then list scheduling.

use crate::solver::lanes::WIDTH;

/// The last colour takes whatever finds no other; scheduling keeps it correct.
const COLOURS: usize = 64;
/// Counts of points, 0 to 4.
const COUNTS: usize = 5;
/// Sorting keys: among movable or not, colour, points.
const KEYS: usize = 2 * COLOURS * COUNTS;

/// A contact on its way into a lane.
#[derive(Clone, Copy, Default)]
struct Entry {
    contact: u32,
    lines: [u32; 2],
    movable: [bool; 2],
    key: u16,
}

/// Puts contacts into blocks so that no block moves a body twice.
///
/// Contacts get the least colour that neither of their bodies has yet, and are sorted by colour; those that touch
/// something immovable come last, so that the ground has the last word. Within a colour those with many points come
/// first, so that blocks have lanes of a kind. Then each contact goes into the first block with a free lane after
/// the last block of either of its bodies: the blocks in turn do exactly what the sorted contacts in turn would, and
/// the lanes that a colour left free are filled by the next.
#[derive(Clone, Default)]
pub(crate) struct Scheduler {
    entries: Vec<Entry>,
    sorted: Vec<Entry>,
    starts: Vec<u32>,
    /// By line: the colours it has; later the block after its last one.
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

    /// Adds a contact with the lines of its bodies, whether impulses move them, and its number of points.
    pub fn add(&mut self, contact: u32, lines: [u32; 2], movable: [bool; 2], points: u32) {
        let key = (COUNTS - 1).saturating_sub(points as usize) as u16;
        self.entries.push(Entry { contact, lines, movable, key });
    }

    /// Appends the blocks of the list: the contact of each lane and its lines. `lines` is the number of lines there are.
    pub fn place(&mut self, lines: usize, contacts: &mut Vec<[u32; WIDTH]>, sides: &mut Vec<[[u32; 2]; WIDTH]>) {
        if self.entries.is_empty() {
            // The count of keys takes longer than some bundles of joints without contacts.
            return;
        }
        if self.colours.len() < lines {
            self.colours.resize(lines, 0);
            self.after.resize(lines, 0);
        }
        self.starts.clear();
        self.starts.resize(KEYS + 1, 0);
        for entry in &self.entries {
            for line in entry.lines {
                self.colours[line as usize] = 0;
                self.after[line as usize] = 0;
            }
        }
        for entry in &mut self.entries {
            let [a, b] = entry.lines.map(|line| line as usize);
            let mut had = 0;
            for (line, moves) in [(a, entry.movable[0]), (b, entry.movable[1])] {
                had |= if moves { self.colours[line] } else { 0 };
            }
            let colour = (!had).trailing_zeros().min(COLOURS as u32 - 1);
            for (line, moves) in [(a, entry.movable[0]), (b, entry.movable[1])] {
                if moves {
                    self.colours[line] |= 1 << colour;
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
            for (line, moves) in entry.lines.into_iter().zip(entry.movable) {
                if moves {
                    from = from.max(self.after[line as usize]);
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
            sides[base + block][lane] = entry.lines;
            self.used[block] += 1;
            if lane + 1 == WIDTH {
                self.open[block] = block as u32 + 1;
            }
            for (line, moves) in entry.lines.into_iter().zip(entry.movable) {
                if moves {
                    self.after[line as usize] = block as u32 + 1;
                }
            }
        }
    }

    /// The first block from `from` on that has a free lane; one past the last if none has.
    fn first_open(&mut self, from: u32) -> usize {
        let end = self.used.len() as u32;
        let mut at = from;
        while at < end && self.open[at as usize] != at {
            at = self.open[at as usize];
        }
        // The way there is shortened for the next search.
        let mut walk = from;
        while walk < end && self.open[walk as usize] != walk {
            walk = std::mem::replace(&mut self.open[walk as usize], at);
        }
        at.min(end) as usize
    }
}
