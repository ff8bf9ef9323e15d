//! Hashes of the state after a step.

use crate::bodies::Bodies;
use crate::math::Real;
use crate::persist::next_version;
use crate::state::State;
use hecs::Entity;

/// Bytes of the digest of one body.
const SHORT: usize = 2;

/// Hashes the bodies that a step changed.
pub(super) struct Digests {
    /// Version before the step.
    since: u64,
}

/// What is hashed of a step.
#[derive(Default)]
pub(super) struct Digest {
    /// Short digests of the bodies that moved, in order of slots.
    pub bodies: Vec<u8>,
    pub hash: u64,
}

impl Digests {
    /// Begins between two steps.
    pub fn new() -> Self {
        Self { since: next_version() }
    }

    /// The digest of the state after a step.
    pub fn after_step(&mut self, state: &State) -> Digest {
        let bodies = &state.bodies;
        let mut digest = Digest::default();
        for slot in self.changed(bodies) {
            let body = body(bodies, slot);
            digest.bodies.extend(&body.to_le_bytes()[..SHORT]);
            digest.hash = mix(digest.hash, body);
        }
        let broken = state.joints.broken.iter().filter(|broken| **broken).count();
        for count in [bodies.live(), state.contacts.live_pairs, state.joints.live, broken] {
            digest.hash = mix(digest.hash, count as u64);
        }
        digest
    }

    /// The first body whose short digest differs from these, if one does.
    pub fn first_difference(&self, state: &State, digest: &Digest, expected: &[u8]) -> Option<Entity> {
        let mut theirs = expected.chunks(SHORT);
        let differs = |own: &[u8]| theirs.next() != Some(own);
        let at = digest.bodies.chunks(SHORT).position(differs)?;
        self.changed(&state.bodies).nth(at).map(|slot| state.bodies.entity[slot])
    }

    /// Ends a step.
    pub fn advance(&mut self) {
        self.since = next_version();
    }

    /// The slots of the bodies that changed since the step before.
    fn changed<'a>(&self, bodies: &'a Bodies) -> impl Iterator<Item = usize> + use<'a> {
        let since = self.since;
        let runs = bodies.motion_versions.chunks(RUN).enumerate();
        // Most bodies of a quiet world are still in long runs; the sum needs no branches.
        let moved = runs.filter(move |(_, run)| run.iter().map(|&version| u32::from(version > since)).sum::<u32>() > 0);
        let slots = moved.flat_map(move |(run, versions)| {
            let moved = versions.iter().enumerate().filter(move |&(_, &version)| version > since);
            moved.map(move |(k, _)| RUN * run + k)
        });
        slots.filter(|&slot| bodies.kind[slot].is_body())
    }
}

/// Slots that are looked at together.
const RUN: usize = 64;

/// A step of a hash, which is a permutation for either argument.
fn mix(hash: u64, word: u64) -> u64 {
    let hash = (hash ^ word).wrapping_mul(FACTOR);
    hash ^ hash >> 32
}

/// An odd number whose powers multiply the words of a hash.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of a body: its slot, pose and velocities. Each product is a permutation of its word, and
/// none waits for another.
fn body(bodies: &Bodies, slot: usize) -> u64 {
    /// Numbers that a word holds.
    const PACKED: usize = size_of::<u64>() / size_of::<Real>();
    let (place, turn) = (bodies.position[slot], bodies.orientation[slot]);
    let (v, w) = (bodies.linear_velocity[slot], bodies.angular_velocity[slot]);
    let numbers = [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w, v.x, v.y, v.z, w.x, w.y, w.z];
    let (mut sum, mut factor) = (slot as u64, FACTOR);
    for packed in numbers.chunks(PACKED) {
        let word = packed.iter().rev().fold(0, |word: u64, number| {
            word.unbounded_shl(8 * size_of::<Real>() as u32) | u64::from(number.to_bits())
        });
        sum = sum.wrapping_add(word.wrapping_mul(factor));
        factor = factor.wrapping_mul(FACTOR);
    }
    mix(sum ^ sum >> 32, 0)
}
