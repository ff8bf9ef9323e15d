//! What is parked: islands that hold still for good, and how long every other body has been still.
//!
//! [`systems::rest`](crate::systems::rest) parks islands, `systems::waking` wakes them.

use crate::bodies::{Bodies, Kind};
use crate::index::NONE;
use crate::kept::{copy_columns, copy_fields, stamp};
use crate::math::{Quat, Real, Vec3, turn_between};

/// The parked islands, and how long each body has been still.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Rest {
    /// Members of each parked island, by slot; empty where the number is free.
    islands: Vec<Vec<u32>>,
    /// The length (s) of the step in which each was parked: what its impulses were carried over.
    steps: Vec<Real>,
    vacant: Vec<u32>,
    /// Of islands, their steps and what is vacant: another one whenever any of them changes.
    #[cfg_attr(feature = "serialize", serde(skip, default = "stamp"))]
    edition: u64,
    /// How long each slot has been still. Changes only with the slot's stamp of motion.
    pub stillness: Vec<Stillness>,
    /// Islands that are slow and swing, to be asked whether they could rest.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub swinging: Vec<usize>,
    /// Bodies that a joint leads along with something kinematic that moves.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub led: Vec<bool>,
    /// How still each island is, and shares of one island.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub quiet: Vec<Sum>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub books: Vec<Sum>,
    /// Slots woken since the last events were written.
    pub woken: Vec<u32>,
    /// Slots woken since contacts were last solved, each with the length of the step that it was parked in.
    pub stale: Vec<(u32, Real)>,
    pub parked: Vec<u32>,
    count: usize,
}

/// How long a body has been still.
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Stillness {
    /// Steps for which it has been still, and its velocities after the first of them.
    pub still: u16,
    pub began: [Vec3; 2],
    /// Steps for which it has been slow, `SWING_PATIENCE` times each, or has stayed where it was, and where that was.
    pub slow: u16,
    pub stays: Place,
}

impl Stillness {
    /// It must be still anew.
    pub fn forget(&mut self) {
        (self.still, self.slow) = (0, 0);
    }
}

/// How still some bodies are together.
#[derive(Clone, Copy)]
pub(crate) struct Sum {
    /// The least of [`Stillness::still`] and of [`Stillness::slow`].
    pub least: u16,
    pub slowest: u16,
    /// Whether each is held on the mean over the time for which it has been still.
    pub held_on_the_mean: bool,
}

impl Default for Sum {
    /// Of no bodies.
    fn default() -> Self {
        Self { least: u16::MAX, slowest: u16::MAX, held_on_the_mean: true }
    }
}

impl Sum {
    /// Of these bodies and others.
    pub fn and(self, other: &Self) -> Self {
        Self {
            least: self.least.min(other.least),
            slowest: self.slowest.min(other.slowest),
            held_on_the_mean: self.held_on_the_mean & other.held_on_the_mean,
        }
    }
}

/// Where a body is.
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Place {
    center: Vec3,
    orientation: Quat,
}

impl Place {
    pub fn of(bodies: &Bodies, slot: usize) -> Self {
        Self { center: bodies.center[slot], orientation: bodies.orientation[slot] }
    }

    /// How far any point of a body of this radius has got since it was at `start`, at most (m).
    pub fn way_from(&self, start: &Self, radius: Real) -> Real {
        (self.center - start.center).length() + radius * turn_between(start.orientation, self.orientation)
    }
}

impl Rest {
    /// Copies what outlives a step; of what each slot has only the `places` where bodies moved, or all.
    pub(crate) fn copy_kept(&mut self, from: &Self, places: Option<&[u32]>) {
        // All are named, so that a new field is thought of here; the first four live within a step only.
        let Self {
            swinging: _,
            led: _,
            quiet: _,
            books: _,
            islands: _,
            steps: _,
            vacant: _,
            edition: _,
            stillness: _,
            woken: _,
            stale: _,
            parked: _,
            count: _,
        } = from;
        let places = places.filter(|_| self.stillness.len() == from.stillness.len());
        copy_columns!(self, from, places; stillness);
        copy_fields!(self, from; woken, stale, parked);
        if self.edition != from.edition {
            copy_fields!(self, from; islands, steps, vacant, count, edition);
        }
    }

    /// Whether islands and bodies agree about who is parked.
    ///
    /// # Errors
    /// What is wrong.
    #[cfg(feature = "serialize")]
    pub(crate) fn check_sound(&self, bodies: &Bodies) -> Result<(), &'static str> {
        let mut parked = vec![NONE; bodies.slots()];
        for (island, members) in self.islands.iter().enumerate() {
            for &slot in members {
                match parked.get_mut(slot as usize) {
                    Some(of) if *of == NONE => *of = island as u32,
                    _ => return Err("a parked island"),
                }
            }
        }
        let mut vacant = self.vacant.clone();
        vacant.sort_unstable();
        vacant.dedup();
        let free = |&island: &u32| self.islands.get(island as usize).is_some_and(Vec::is_empty);
        let count: usize = self.islands.iter().map(Vec::len).sum();
        let known = |slot: usize| bodies.parked[slot] == NONE || self.stillness.len() > slot;
        let sound = parked == bodies.parked
            && count == self.count
            && vacant.len() == self.vacant.len()
            && vacant.iter().all(free)
            && (0..bodies.slots()).all(known)
            && self.woken.is_empty()
            && self.parked.is_empty()
            && self.stillness.iter().flat_map(|stillness| stillness.began).all(Vec3::is_finite)
            && self.steps.len() == self.islands.len()
            && self
                .steps
                .iter()
                .chain(self.stale.iter().map(|(_, step)| step))
                .all(|&step| step > 0.0 && step.is_finite())
            && self.stale.iter().all(|&(slot, _)| (slot as usize) < bodies.slots());
        if sound { Ok(()) } else { Err("what is parked") }
    }

    /// Wakes the island of a body, if it is parked.
    pub(crate) fn unpark_body(&mut self, bodies: &mut Bodies, slot: usize) {
        if bodies.parked[slot] != NONE {
            self.unpark(bodies, bodies.parked[slot]);
        }
    }

    /// Wakes everything.
    pub(crate) fn unpark_all(&mut self, bodies: &mut Bodies) {
        for island in 0..self.islands.len() as u32 {
            if !self.islands[island as usize].is_empty() {
                self.unpark(bodies, island);
            }
        }
    }

    fn unpark(&mut self, bodies: &mut Bodies, island: u32) {
        let members = std::mem::take(&mut self.islands[island as usize]);
        self.count -= members.len();
        self.edition = stamp();
        for &slot in &members {
            bodies.parked[slot as usize] = NONE;
            bodies.moved[slot as usize] = self.edition;
            self.stillness[slot as usize].forget();
            self.stale.push((slot, self.steps[island as usize]));
        }
        self.woken.extend(members);
        self.vacant.push(island);
    }

    /// Parks an island of these bodies after a step of this length (s).
    pub(crate) fn park(&mut self, bodies: &mut Bodies, members: &[u32], step: Real) {
        let island = self.vacant.pop().unwrap_or_else(|| {
            self.islands.push(Vec::new());
            self.steps.push(step);
            self.islands.len() as u32 - 1
        });
        self.edition = stamp();
        self.steps[island as usize] = step;
        self.islands[island as usize].extend_from_slice(members);
        self.count += members.len();
        self.parked.extend_from_slice(members);
        for &slot in members {
            let slot = slot as usize;
            bodies.parked[slot] = island;
            bodies.linear_velocity[slot] = Vec3::ZERO;
            bodies.angular_velocity[slot] = Vec3::ZERO;
            bodies.dirty[slot] = true;
        }
    }

    /// Forgets that a body was woken whose slot is vacant now: a newcomer may take it in the same step.
    pub(crate) fn forget_vacant(&mut self, bodies: &Bodies) {
        self.woken.retain(|&slot| bodies.kind[slot as usize] != Kind::Vacant);
    }

    /// The length of the step (s) that the impulses of a body's contacts were carried over, if it is parked.
    pub(crate) fn step_of(&self, bodies: &Bodies, slot: u32) -> Option<Real> {
        let island = bodies.parked[slot as usize];
        (island != NONE).then(|| self.steps[island as usize])
    }

    /// The number of parked islands.
    pub(crate) fn island_count(&self) -> usize {
        self.islands.len() - self.vacant.len()
    }

    /// The number of parked bodies.
    pub(crate) fn body_count(&self) -> usize {
        self.count
    }
}
