//! Contact impulses of the last step, for warm starting.
//!
//! A pile of forty layers transmits its weight through forty contacts, more than a few Gauss-Seidel
//! passes can; each step therefore starts with the impulses of the last one. A contact in its
//! second step is resting: restitution acts in the first. Without gravity nothing is stored. This
//! is a cache: without it a pile yields for a few steps and then stands again.

use super::contact_impulse::ContactImpulse;
use super::particle_set::ParticleSet;
use crate::ids::NONE;
use crate::math::{Real, Vec3, bits_differ};

/// One side of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CacheEntry {
    /// The number of the other particle, or [`WALL`] plus the slot of a collider.
    pub other: u32,
    pub normal_impulse: Real,
    pub friction_impulse: Vec3,
}

/// The other side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Other {
    /// The hecs id of a particle.
    Particle(u32),
    /// The slot of a collider.
    Wall(u32),
}

/// A stored contact of a particle: the other side, the normal and the friction impulse (N s).
pub(super) type CachedContact = (Other, Real, Vec3);

/// Added to the slots of colliders, to tell them from particles.
pub(super) const WALL: u32 = 1 << 31;

/// A particle that the last step knew.
#[derive(Clone, Copy, Debug)]
struct CachedParticle {
    /// Its position after the last step (m).
    last_position: Vec3,
    /// Its number in the order of the grid.
    number: u32,
}

impl CachedParticle {
    const ABSENT: Self = Self { last_position: Vec3::ZERO, number: NONE };
}

/// Contacts by the particles' numbers in the last step, so that neighbours in space are near in
/// memory. The number is found by the hecs id; ids are never compared, so that no result depends on
/// them. A particle that is not at the position of the last step is new or was moved, and has no
/// entries.
#[derive(Default)]
pub(super) struct ContactCache {
    /// By hecs id.
    known: Vec<CachedParticle>,
    /// The hecs ids by number.
    ids: Vec<u32>,
    /// Index of the first entry of each number, and the number of entries at the end.
    pub(super) starts: Vec<u32>,
    pub(super) entries: Vec<CacheEntry>,
}

impl ContactCache {
    /// A cache of these particles: id, position after the last step, and contacts of each.
    pub fn of(mut particles: Vec<(u32, Vec3, Vec<CachedContact>)>) -> Self {
        particles.sort_unstable_by_key(|(id, ..)| *id);
        let mut cache = Self::default();
        let Some(ids) = particles.last().map(|(id, ..)| *id as usize + 1) else { return cache };
        cache.known.resize(ids, CachedParticle::ABSENT);
        for (number, (id, last_position, _)) in particles.iter().enumerate() {
            cache.known[*id as usize] = CachedParticle { last_position: *last_position, number: number as u32 };
            cache.ids.push(*id);
        }
        for (.., contacts) in particles {
            cache.starts.push(cache.entries.len() as u32);
            for (other, normal_impulse, friction_impulse) in contacts {
                let other = match other {
                    Other::Wall(slot) => WALL | slot,
                    Other::Particle(id) => match cache.known.get(id as usize) {
                        Some(known) if known.number != NONE => known.number,
                        _ => continue,
                    },
                };
                cache.entries.push(CacheEntry { other, normal_impulse, friction_impulse });
            }
        }
        cache.starts.push(cache.entries.len() as u32);
        cache
    }

    /// Position of a particle after the last step (m).
    pub fn last_position(&self, id: u32) -> Option<Vec3> {
        self.known.get(id as usize).filter(|known| known.number != NONE).map(|known| known.last_position)
    }

    /// The stored contacts of a particle; each contact is stored at one of its two particles.
    pub fn contacts(&self, id: u32) -> impl Iterator<Item = CachedContact> + '_ {
        let number = self.known.get(id as usize).map_or(NONE, |known| known.number);
        self.entries(number).iter().map(|entry| {
            let wall = entry.other & WALL != 0;
            let other =
                if wall { Other::Wall(entry.other & !WALL) } else { Other::Particle(self.ids[entry.other as usize]) };
            (other, entry.normal_impulse, entry.friction_impulse)
        })
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.known.clear();
        self.ids.clear();
        self.starts.clear();
        self.entries.clear();
    }

    /// The number of a particle in the last step, if it has not been moved since; else [`NONE`].
    pub fn number(&self, id: u32, position: Vec3) -> u32 {
        match self.known.get(id as usize) {
            Some(known) if !bits_differ(known.last_position, position) => known.number,
            _ => NONE,
        }
    }

    /// The impulse on the first of two particles, by their last numbers, if they touched in the
    /// last step.
    pub fn pair(&self, a: u32, b: u32) -> Option<ContactImpulse> {
        if a == NONE || b == NONE {
            return None;
        }
        // It is stored at the particle that came first.
        let of = |e: &CacheEntry, friction_impulse: Vec3| ContactImpulse {
            resting: true,
            normal_impulse: e.normal_impulse,
            friction_impulse,
        };
        self.find(a, b)
            .map(|e| of(e, e.friction_impulse))
            .or_else(|| self.find(b, a).map(|e| of(e, -e.friction_impulse)))
    }

    /// The impulse of a collider on a particle, by its last number, if they touched in the last
    /// step.
    pub fn wall(&self, particle: u32, slot: u32) -> Option<ContactImpulse> {
        self.find(particle, WALL | slot).map(|e| ContactImpulse {
            resting: true,
            normal_impulse: e.normal_impulse,
            friction_impulse: e.friction_impulse,
        })
    }

    fn find(&self, first: u32, other: u32) -> Option<&CacheEntry> {
        self.entries(first).iter().find(|entry| entry.other == other)
    }

    fn entries(&self, number: u32) -> &[CacheEntry] {
        if number == NONE {
            return &[];
        }
        let at = |number: usize| self.starts.get(number).map(|&start| start as usize);
        at(number as usize).zip(at(number as usize + 1)).map_or(&[], |(from, to)| &self.entries[from..to])
    }

    /// Prepares [`record_position`](Self::record_position), which is then called for every
    /// particle.
    pub fn begin_positions(&mut self, particle_set: &ParticleSet) {
        self.known.fill(CachedParticle::ABSENT);
        self.ids.clear();
        if self.starts.is_empty() {
            // No contacts are stored.
            return;
        }
        self.ids.extend(particle_set.labels.iter().map(|label| label.id));
        let ids = self.ids.iter().max().map_or(0, |&id| id as usize + 1);
        self.known.resize(ids, CachedParticle::ABSENT);
    }

    /// Records the position of a particle after the step (m).
    #[inline]
    pub fn record_position(&mut self, id: u32, number: u32, last_position: Vec3) {
        if let Some(known) = self.known.get_mut(id as usize) {
            *known = CachedParticle { last_position, number };
        }
    }
}
