//! What contacts carried in the last step.
//!
//! A heap of forty layers hands its weight down through forty contacts, far more than a few passes over the impacts can: each step
//! starts from what the last one found. A contact that is there for the second time rests: what the surfaces give back they
//! have given when they met. Without gravity nothing is remembered. It is a cache: without it a heap gives way for a few
//! steps and then stands again.

use super::carried::Carried;
use super::swarm::Swarm;
use crate::index::NONE;
use crate::math::{Real, Vec3, bits_differ};

/// One side of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// The number of the other particle, or a wall's.
    pub other: u32,
    pub push: Real,
    pub hold: Vec3,
}

/// What a contact is with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// The hecs id of a particle.
    Particle(u32),
    /// The slot of a collider.
    Wall(u32),
}

/// A contact as it is remembered of its first particle: with what, and what it carried along the normal and across it (N s).
pub(super) type Remembered = (Other, Real, Vec3);

/// Numbers from here on are walls.
pub(super) const WALL: u32 = 1 << 31;

/// A particle that the last step knew.
#[derive(Clone, Copy, Debug)]
struct Known {
    /// Where it was left.
    left: Vec3,
    /// Its number in the order of the grid.
    number: u32,
}

impl Known {
    const NOBODY: Self = Self { left: Vec3::ZERO, number: NONE };
}

/// Contacts by the numbers that particles had in the last step: near each other in space is near in memory. A hecs id leads to
/// the number; ids are looked up and never compared, so that no result depends on them. A particle that is not where the last step
/// left it is another one, or was moved, and remembers nothing.
#[derive(Default)]
pub(super) struct Memory {
    /// By hecs id.
    known: Vec<Known>,
    /// The hecs ids by number.
    ids: Vec<u32>,
    /// Where the entries of each number begin; one more than there are numbers.
    pub(super) starts: Vec<u32>,
    pub(super) entries: Vec<Entry>,
}

impl Memory {
    /// What is remembered of these particles: each one's id, where it was left, and its contacts.
    pub fn of(mut particles: Vec<(u32, Vec3, Vec<Remembered>)>) -> Self {
        particles.sort_unstable_by_key(|(id, ..)| *id);
        let mut memory = Self::default();
        let Some(ids) = particles.last().map(|(id, ..)| *id as usize + 1) else { return memory };
        memory.known.resize(ids, Known::NOBODY);
        for (number, (id, left, _)) in particles.iter().enumerate() {
            memory.known[*id as usize] = Known { left: *left, number: number as u32 };
            memory.ids.push(*id);
        }
        for (.., contacts) in particles {
            memory.starts.push(memory.entries.len() as u32);
            for (other, push, hold) in contacts {
                let other = match other {
                    Other::Wall(slot) => WALL | slot,
                    Other::Particle(id) => match memory.known.get(id as usize) {
                        Some(known) if known.number != NONE => known.number,
                        _ => continue,
                    },
                };
                memory.entries.push(Entry { other, push, hold });
            }
        }
        memory.starts.push(memory.entries.len() as u32);
        memory
    }

    /// Where a particle was left.
    pub fn left(&self, id: u32) -> Option<Vec3> {
        self.known.get(id as usize).filter(|known| known.number != NONE).map(|known| known.left)
    }

    /// What is remembered of a particle's contacts, of each by one of the two.
    pub fn contacts(&self, id: u32) -> impl Iterator<Item = Remembered> + '_ {
        let number = self.known.get(id as usize).map_or(NONE, |known| known.number);
        self.entries(number).iter().map(|entry| {
            let wall = entry.other & WALL != 0;
            let other =
                if wall { Other::Wall(entry.other & !WALL) } else { Other::Particle(self.ids[entry.other as usize]) };
            (other, entry.push, entry.hold)
        })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.known.clear();
        self.ids.clear();
        self.starts.clear();
        self.entries.clear();
    }

    /// The number that a particle had in the last step, if it still is where it was left.
    pub fn number(&self, id: u32, position: Vec3) -> u32 {
        match self.known.get(id as usize) {
            Some(known) if !bits_differ(known.left, position) => known.number,
            _ => NONE,
        }
    }

    /// What two particles carried, for the first one, if they touched in the last step. They go by their numbers of then.
    pub fn pair(&self, a: u32, b: u32) -> Option<Carried> {
        if a == NONE || b == NONE {
            return None;
        }
        // It is kept by the one that came first.
        let of = |e: &Entry, hold: Vec3| Carried { rests: true, push: e.push, hold };
        self.find(a, b).map(|e| of(e, e.hold)).or_else(|| self.find(b, a).map(|e| of(e, -e.hold)))
    }

    /// What a particle carried on a collider, if it touched it in the last step. It goes by its number of then.
    pub fn wall(&self, particle: u32, slot: u32) -> Option<Carried> {
        self.find(particle, WALL | slot).map(|e| Carried { rests: true, push: e.push, hold: e.hold })
    }

    fn find(&self, first: u32, other: u32) -> Option<&Entry> {
        self.entries(first).iter().find(|entry| entry.other == other)
    }

    fn entries(&self, number: u32) -> &[Entry] {
        if number == NONE {
            return &[];
        }
        let at = |number: usize| self.starts.get(number).map(|&start| start as usize);
        at(number as usize).zip(at(number as usize + 1)).map_or(&[], |(from, to)| &self.entries[from..to])
    }

    /// Notes how many particles there are; then [`leave`](Self::leave) is called for each.
    pub fn leave_all(&mut self, swarm: &Swarm) {
        self.known.fill(Known::NOBODY);
        self.ids.clear();
        if self.starts.is_empty() {
            // Nothing is remembered of anyone.
            return;
        }
        self.ids.extend(swarm.labels.iter().map(|label| label.id));
        let ids = self.ids.iter().max().map_or(0, |&id| id as usize + 1);
        self.known.resize(ids, Known::NOBODY);
    }

    /// Notes where a particle is left.
    #[inline]
    pub fn leave(&mut self, id: u32, number: u32, left: Vec3) {
        if let Some(known) = self.known.get_mut(id as usize) {
            *known = Known { left, number };
        }
    }
}
