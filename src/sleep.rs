//! Sleeping islands, and for how long every awake body has been still.
//!
//! [`systems::sleep`](crate::systems::sleep) puts islands to sleep, `systems::waking` wakes them.

use crate::bodies::{Bodies, Kind};
use crate::ids::NONE;
use crate::math::{Quat, Real, Vec3, angle_between};
use crate::persist::{copy_columns, copy_fields, next_version};

/// Sleeping islands, and the stillness of each body.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SleepState {
    /// Members (slots) of each sleeping island; empty where the number is free.
    islands: Vec<Vec<u32>>,
    /// Length (s) of the step in which each fell asleep: the time over which its impulses acted.
    steps: Vec<Real>,
    vacant: Vec<u32>,
    /// Version of `islands`, `steps` and `vacant`: another number whenever one of them changes.
    #[cfg_attr(feature = "serialize", serde(skip, default = "next_version"))]
    version: u64,
    /// Stillness of each slot. It changes only together with the slot's motion version.
    pub stillness: Vec<Stillness>,
    /// Slow islands without a proof of equilibrium, for which the direct solver is asked.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub to_certify: Vec<usize>,
    /// Bodies that a joint connects to a moving kinematic body.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub driven: Vec<bool>,
    /// Stillness of each island.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub island_stillness: Vec<SetStillness>,
    /// Stillness of the chunks of one island.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub chunk_stillness: Vec<SetStillness>,
    /// By slot: the largest force on a body (N).
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub loads: Vec<Real>,
    /// Slots woken since the last events were written.
    pub woken: Vec<u32>,
    /// Slots woken since contacts were last solved, each with the length (s) of the step in which
    /// it fell asleep.
    pub stale_impulses: Vec<(u32, Real)>,
    /// Slots whose islands the game wants asleep, since this step began.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub requested: Vec<u32>,
    /// Slots that fell asleep since the last events were written.
    pub fell_asleep: Vec<u32>,
    count: usize,
}

/// For how long a body has been still.
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Stillness {
    /// Steps for which it has been still, and its velocities after the first of them.
    pub still_steps: u16,
    pub start_velocities: [Vec3; 2],
    /// Steps for which it has been slow (counted `SLEEP.in_place_patience` times) or has stayed in
    /// place, and the pose from which that is measured.
    pub slow_steps: u16,
    pub slow_pose: CenterPose,
    /// Count of slow steps after which its island is asked for an equilibrium, once one was refused
    /// since it became slow: twice as many as before the last refusal. Zero before that.
    pub check_interval: u16,
}

impl Stillness {
    /// Resets all counts.
    pub fn reset(&mut self) {
        (self.still_steps, self.slow_steps, self.check_interval) = (0, 0, 0);
    }
}

/// Stillness of a set of bodies.
#[derive(Clone, Copy)]
pub(crate) struct SetStillness {
    /// The least counts of its bodies: see [`Stillness`].
    pub still_steps: u16,
    pub slow_steps: u16,
    /// The greatest of its bodies: see [`Stillness`].
    pub check_interval: u16,
    /// True if the mean of the forces, over the time for which a body has been still, holds each in
    /// equilibrium.
    pub mean_in_equilibrium: bool,
}

impl Default for SetStillness {
    /// The stillness of an empty set.
    fn default() -> Self {
        Self { still_steps: u16::MAX, slow_steps: u16::MAX, check_interval: 0, mean_in_equilibrium: true }
    }
}

impl SetStillness {
    /// The stillness of the union of two sets.
    pub fn merge(self, other: &Self) -> Self {
        Self {
            still_steps: self.still_steps.min(other.still_steps),
            slow_steps: self.slow_steps.min(other.slow_steps),
            check_interval: self.check_interval.max(other.check_interval),
            mean_in_equilibrium: self.mean_in_equilibrium & other.mean_in_equilibrium,
        }
    }
}

/// Centre of mass and orientation of a body.
#[derive(Clone, Copy, Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct CenterPose {
    center: Vec3,
    orientation: Quat,
}

impl CenterPose {
    pub fn of(bodies: &Bodies, slot: usize) -> Self {
        Self { center: bodies.center[slot], orientation: bodies.orientation[slot] }
    }

    /// Bound of the displacement (m) of any point of a body of this radius from the pose `start`.
    pub fn displacement_bound(&self, start: &Self, radius: Real) -> Real {
        (self.center - start.center).length() + radius * angle_between(start.orientation, self.orientation)
    }
}

impl SleepState {
    /// Copies what outlives a step: of the columns by slot only the `places` of bodies that moved,
    /// or all.
    pub(crate) fn copy_persistent(&mut self, from: &Self, places: Option<&[u32]>) {
        // Every field is named, so that a new one cannot be forgotten; the first six live within a
        // step only.
        let Self {
            to_certify: _,
            requested: _,
            driven: _,
            island_stillness: _,
            chunk_stillness: _,
            loads: _,
            islands: _,
            steps: _,
            vacant: _,
            version: _,
            stillness: _,
            woken: _,
            stale_impulses: _,
            fell_asleep: _,
            count: _,
        } = from;
        let places = places.filter(|_| self.stillness.len() == from.stillness.len());
        copy_columns!(self, from, places; stillness);
        copy_fields!(self, from; woken, stale_impulses, fell_asleep);
        if self.version != from.version {
            copy_fields!(self, from; islands, steps, vacant, count, version);
        }
    }

    /// Checks that islands and bodies agree about which bodies are asleep.
    ///
    /// # Errors
    /// The inconsistent part.
    #[cfg(feature = "serialize")]
    pub(crate) fn check_sound(&self, bodies: &Bodies) -> Result<(), &'static str> {
        let mut sleeping_island = vec![NONE; bodies.slots()];
        for (island, members) in self.islands.iter().enumerate() {
            for &slot in members {
                match sleeping_island.get_mut(slot as usize) {
                    Some(of) if *of == NONE => *of = island as u32,
                    _ => return Err("a sleeping island"),
                }
            }
        }
        let mut vacant = self.vacant.clone();
        vacant.sort_unstable();
        vacant.dedup();
        let free = |&island: &u32| self.islands.get(island as usize).is_some_and(Vec::is_empty);
        let count: usize = self.islands.iter().map(Vec::len).sum();
        let known = |slot: usize| bodies.sleeping_island[slot] == NONE || self.stillness.len() > slot;
        let sound = sleeping_island == bodies.sleeping_island
            && count == self.count
            && vacant.len() == self.vacant.len()
            && vacant.iter().all(free)
            && (0..bodies.slots()).all(known)
            && self.woken.is_empty()
            && self.fell_asleep.is_empty()
            && self.stillness.iter().flat_map(|stillness| stillness.start_velocities).all(Vec3::is_finite)
            && self.steps.len() == self.islands.len()
            && self
                .steps
                .iter()
                .chain(self.stale_impulses.iter().map(|(_, step)| step))
                .all(|&step| step > 0.0 && step.is_finite())
            && self.stale_impulses.iter().all(|&(slot, _)| (slot as usize) < bodies.slots());
        if sound { Ok(()) } else { Err("the sleeping bodies") }
    }

    /// Version of the last change of the set of sleeping bodies.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// Wakes the island of a body, if it is asleep.
    pub(crate) fn wake_body(&mut self, bodies: &mut Bodies, slot: usize) {
        if bodies.sleeping_island[slot] != NONE {
            self.wake_island(bodies, bodies.sleeping_island[slot]);
        }
    }

    /// Wakes all islands.
    pub(crate) fn wake_all(&mut self, bodies: &mut Bodies) {
        for island in 0..self.islands.len() as u32 {
            if !self.islands[island as usize].is_empty() {
                self.wake_island(bodies, island);
            }
        }
    }

    fn wake_island(&mut self, bodies: &mut Bodies, island: u32) {
        let members = std::mem::take(&mut self.islands[island as usize]);
        self.count -= members.len();
        self.version = next_version();
        for &slot in &members {
            bodies.sleeping_island[slot as usize] = NONE;
            bodies.motion_versions[slot as usize] = self.version;
            self.stillness[slot as usize].reset();
            self.stale_impulses.push((slot, self.steps[island as usize]));
        }
        self.woken.extend(members);
        self.vacant.push(island);
    }

    /// Puts an island of these bodies to sleep after a step of this length (s).
    pub(crate) fn put_to_sleep(&mut self, bodies: &mut Bodies, members: &[u32], step: Real) {
        let island = self.vacant.pop().unwrap_or_else(|| {
            self.islands.push(Vec::new());
            self.steps.push(step);
            self.islands.len() as u32 - 1
        });
        self.version = next_version();
        self.steps[island as usize] = step;
        self.islands[island as usize].extend_from_slice(members);
        self.count += members.len();
        self.fell_asleep.extend_from_slice(members);
        for &slot in members {
            let slot = slot as usize;
            bodies.sleeping_island[slot] = island;
            bodies.linear_velocity[slot] = Vec3::ZERO;
            bodies.angular_velocity[slot] = Vec3::ZERO;
            bodies.dirty[slot] = true;
        }
    }

    /// Drops vacant slots from the list of woken bodies: a newcomer may take such a slot in the
    /// same step.
    pub(crate) fn drop_vacant(&mut self, bodies: &Bodies) {
        self.woken.retain(|&slot| bodies.kind[slot as usize] != Kind::Vacant);
    }

    /// The time (s) over which the impulses of a sleeping body's contacts acted; `None` for an
    /// awake body.
    pub(crate) fn impulse_step(&self, bodies: &Bodies, slot: u32) -> Option<Real> {
        let island = bodies.sleeping_island[slot as usize];
        (island != NONE).then(|| self.steps[island as usize])
    }

    /// The number of sleeping islands.
    pub(crate) fn island_count(&self) -> usize {
        self.islands.len() - self.vacant.len()
    }

    /// The number of sleeping bodies.
    pub(crate) fn body_count(&self) -> usize {
        self.count
    }
}
