//! What contacts carried in the last step.
//!
//! A heap of forty layers hands its weight down through forty contacts, far more than a few passes over the impacts can: each step
//! starts from what the last one found. A contact that is there for the second time rests: what the surfaces give back they
//! have given when they met. Without gravity nothing is remembered. It is a cache: without it a heap gives way for a few
//! steps and then stands again.

use super::pairs::Pair;
use super::solve::Work;
use super::swarm::Swarm;
use super::walls::Touch;
use crate::math::{Real, Vec3, bits_differ};

/// The impulse that a contact carries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Carried {
    /// Whether the contact rests: then impulses add up over the passes, and may be taken back.
    pub rests: bool,
    /// Along the normal, at least 0 (N s).
    pub push: Real,
    /// Friction on the first particle (N s).
    pub hold: Vec3,
}

/// One side of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// The id of the other particle, or a wall's number.
    other: u32,
    push: Real,
    hold: Vec3,
}

/// What a contact is with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// The hecs id of a particle.
    Particle(u32),
    /// The slot of a collider.
    Wall(u32),
}

impl Entry {
    /// What a contact carried along the normal and across it (N s).
    pub fn new(other: Other, push: Real, hold: Vec3) -> Self {
        let other = match other {
            Other::Particle(id) => id,
            Other::Wall(slot) => WALL | slot,
        };
        Self { other, push, hold }
    }

    pub fn other(&self) -> Other {
        if self.other < WALL { Other::Particle(self.other) } else { Other::Wall(self.other & !WALL) }
    }

    /// Along the normal and across it (N s).
    pub fn carried(&self) -> (Real, Vec3) {
        (self.push, self.hold)
    }
}

/// Numbers from here on are walls.
const WALL: u32 = 1 << 31;

/// Contacts by the hecs ids of their first particle. Ids are looked up and never compared, so that no result depends on
/// them; a particle that is not where the last step left it is another one, or was moved, and remembers nothing.
#[derive(Default)]
pub(super) struct Memory {
    /// Where the entries of each id begin; one more than there are ids.
    starts: Vec<u32>,
    entries: Vec<Entry>,
    /// Where each particle was left.
    left: Vec<Vec3>,
    /// Whether each particle still is where it was left.
    known: Vec<bool>,
}

impl Carried {
    /// Nothing yet, by a contact that rests.
    pub const RESTS: Self = Self { rests: true, push: 0.0, hold: Vec3::ZERO };
}

impl Memory {
    /// What is remembered of these particles: each one's id, where it was left, and its contacts.
    pub fn of(mut known: Vec<(u32, Vec3, Vec<Entry>)>) -> Self {
        known.sort_unstable_by_key(|(id, ..)| *id);
        let mut memory = Self::default();
        let Some(ids) = known.last().map(|(id, ..)| *id as usize + 1) else { return memory };
        // Nobody was left where no particle can be.
        memory.left.resize(ids, Vec3::NAN);
        memory.known.resize(ids, false);
        for (id, left, entries) in known {
            memory.starts.resize(id as usize + 1, memory.entries.len() as u32);
            memory.left[id as usize] = left;
            memory.entries.extend(entries);
        }
        memory.starts.push(memory.entries.len() as u32);
        memory
    }

    /// Where a particle was left.
    pub fn left(&self, id: u32) -> Option<Vec3> {
        self.left.get(id as usize).copied()
    }

    /// What is remembered of a particle's contacts.
    pub fn entries(&self, id: u32) -> &[Entry] {
        let at = |id: u32| self.starts.get(id as usize).map(|&start| start as usize);
        at(id).zip(at(id + 1)).map_or(&[], |(from, to)| &self.entries[from..to])
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.entries.clear();
        self.left.clear();
        self.known.clear();
    }

    /// Forgets the contacts of particles that are not where they were left.
    pub fn recognise(&mut self, swarm: &Swarm) {
        self.known.fill(false);
        for (&id, place) in swarm.id.iter().zip(&swarm.places) {
            if let Some(left) = self.left.get(id as usize) {
                self.known[id as usize] = !bits_differ(*left, place.position);
            }
        }
    }

    /// What two particles carried, for the first one, if they touched in the last step.
    pub fn pair(&self, a: u32, b: u32) -> Option<Carried> {
        let of = |e: &Entry, hold: Vec3| Carried { rests: true, push: e.push, hold };
        self.find(a, b).map(|e| of(e, e.hold)).or_else(|| self.find(b, a).map(|e| of(e, -e.hold)))
    }

    /// What a particle carried on a collider, if it touched it in the last step.
    pub fn wall(&self, particle: u32, slot: u32) -> Option<Carried> {
        self.find(particle, WALL | slot).map(|e| Carried { rests: true, push: e.push, hold: e.hold })
    }

    fn find(&self, first: u32, other: u32) -> Option<&Entry> {
        let known = |id: u32| self.known.get(id as usize).is_some_and(|&known| known);
        if !known(first) || other < WALL && !known(other) {
            return None;
        }
        let range = self.starts[first as usize] as usize..self.starts[first as usize + 1] as usize;
        self.entries[range].iter().find(|entry| entry.other == other)
    }

    /// Remembers the contacts of a step.
    pub fn keep(&mut self, swarm: &Swarm, work: &[Work]) {
        let ids = swarm.id.iter().map(|&id| id as usize + 1).max().unwrap_or(0);
        self.starts.clear();
        self.starts.resize(ids + 1, 0);
        visit(swarm, work, |id, _| self.starts[id as usize] += 1);
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.entries.clear();
        self.entries.resize(sum as usize, Entry::default());
        // Filled from behind: then each start ends up where its entries begin.
        visit(swarm, work, |id, entry| {
            let start = &mut self.starts[id as usize];
            *start -= 1;
            self.entries[*start as usize] = entry;
        });
    }

    /// Notes where the particles are left.
    pub fn leave(&mut self, swarm: &Swarm) {
        // Nothing is remembered of anyone.
        let Some(ids) = self.starts.len().checked_sub(1) else { return };
        self.left.resize(ids, Vec3::ZERO);
        self.known.resize(ids, false);
        self.known.fill(false);
        for (&id, place) in swarm.id.iter().zip(&swarm.places) {
            self.left[id as usize] = place.position;
            self.known[id as usize] = true;
        }
    }
}

fn visit(swarm: &Swarm, work: &[Work], mut note: impl FnMut(u32, Entry)) {
    for work in work {
        for Pair { a, b, carried, .. } in &work.pairs {
            let other = swarm.id[*b as usize];
            note(swarm.id[*a as usize], Entry { other, push: carried.push, hold: carried.hold });
        }
        for Touch { particle, slot, carried, .. } in &work.touches.fixed {
            let entry = Entry { other: WALL | slot, push: carried.push, hold: carried.hold };
            note(swarm.id[*particle as usize], entry);
        }
    }
}
