//! The joints of the working set, by slots of their own.

use crate::components::Joint;
use crate::ids::NONE;
use crate::math::{Quat, Real, Vec3, from_f64_bounded, to_f64};
use crate::persist::copy_fields;
use crate::solver::JointOutcome;
use hecs::Entity;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Struct-of-arrays of all joints, by slot. A joint gets its slot on first sight, in an order made
/// of its bodies' slots and anchors, so that no result depends on rows or on [`Entity`] numbers.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Joints {
    /// The entity of each joint; dangling where the slot is vacant.
    pub entity: Vec<Entity>,
    /// Slots of the two bodies, or [`NONE`] for the world; both are [`NONE`] where the slot is
    /// vacant.
    pub bodies: Vec<[u32; 2]>,
    /// The entities that these slots belonged to when they were looked up.
    pub(crate) owners: Vec<[Option<Entity>; 2]>,
    /// The component as it was last read; `None` where the slot is vacant.
    pub(crate) specs: Vec<Option<Joint>>,
    /// The last angle (rad).
    pub(crate) angle: Vec<Vec3>,
    /// True if the joint is broken.
    pub broken: Vec<bool>,
    /// Its outcome in the last step.
    pub outcome: Vec<JointOutcome>,
    /// Mean force and torque over the step of the impacts felt through the joint (N, N m): see
    /// [`JointOutcome`].
    #[cfg_attr(feature = "serialize", serde(skip))]
    impact_loads: Vec<[Vec3; 2]>,
    /// The joints with such a load.
    #[cfg_attr(feature = "serialize", serde(skip))]
    struck: Vec<u32>,
    /// The last forces of its rows (N, N m), with which limits and motors start. Empty if unknown.
    pub(crate) row_forces: Vec<Vec<Real>>,
    /// Bodies that do not collide because of a joint: pairs of slots, the lesser first. Only looked
    /// up, never iterated.
    pub(crate) non_colliding: FxHashSet<(u32, u32)>,
    /// Joints of this step by island, in order of slots within each: those that hold, with an
    /// active body.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub acting: Vec<u32>,
    /// Joints of the step without effect, because all axes of their awake bodies are locked.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) idle: Vec<u32>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) sorted: Vec<u32>,
    /// The most that edits can have left each joint apart (m): what it was from what it permits at
    /// the edit, or less if it has closed since.
    pub(crate) edited_gap: Vec<f64>,
    /// Joints that broke in the last step.
    pub(crate) broke: Vec<u32>,
    /// Orientations of the joint frames in their bodies' axes, as unit quaternions.
    pub(crate) frames: Vec<[Quat; 2]>,
    /// The second anchor relative to the first, in the axes of the first joint frame (m).
    pub(crate) position: Vec<Vec3>,
    /// True if the component must be written.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub(crate) dirty: Vec<bool>,
    pub(crate) live: usize,
    vacant: BinaryHeap<Reverse<u32>>,
}

impl Joints {
    /// Copies what outlives a step.
    pub(crate) fn copy_persistent(&mut self, from: &Self) {
        copy_fields!(self, from; entity, bodies, owners, specs, angle, broken, outcome, row_forces, non_colliding, edited_gap, broke, frames,
            position, live, vacant);
        self.acting.clear();
        self.idle.clear();
        self.clear_impact_loads();
        self.dirty.clear();
        self.dirty.resize(from.slots(), false);
    }

    /// True if all columns have one length and the vacant slots are consistent.
    #[cfg(feature = "serialize")]
    pub(crate) fn is_sound(&self) -> bool {
        let slots = self.slots();
        let lengths = [
            self.bodies.len(),
            self.owners.len(),
            self.specs.len(),
            self.angle.len(),
            self.broken.len(),
            self.outcome.len(),
            self.row_forces.len(),
            self.frames.len(),
            self.position.len(),
            self.edited_gap.len(),
        ];
        let mut vacant: Vec<u32> = self.vacant.iter().map(|slot| slot.0).collect();
        vacant.sort_unstable();
        vacant.dedup();
        let is_vacant = |&slot: &u32| self.specs.get(slot as usize) == Some(&None);
        lengths == [slots; 10]
            && vacant.len() == self.vacant.len()
            && vacant.iter().all(is_vacant)
            && self.live == self.specs.iter().flatten().count()
            && self.live + vacant.len() == slots
            && self.broke.iter().all(|&slot| (slot as usize) < slots)
    }

    /// Clears the impact loads of the last step.
    pub(crate) fn clear_impact_loads(&mut self) {
        for joint in self.struck.drain(..) {
            self.impact_loads[joint as usize] = [Vec3::ZERO; 2];
        }
    }

    /// The mean force and torque of this step's impacts on a joint (N, N m), to be added to.
    pub(crate) fn impact_load_mut(&mut self, joint: u32) -> &mut [Vec3; 2] {
        if self.impact_loads.len() < self.slots() {
            self.impact_loads.resize(self.slots(), [Vec3::ZERO; 2]);
        }
        if self.impact_loads[joint as usize] == [Vec3::ZERO; 2] {
            self.struck.push(joint);
        }
        &mut self.impact_loads[joint as usize]
    }

    /// The mean force and torque of a joint over the step, impacts included (N, N m).
    pub(crate) fn load(&self, joint: usize, outcome: &JointOutcome) -> [Vec3; 2] {
        let [force, torque] = self.impact_loads.get(joint).copied().unwrap_or_default();
        [to_f64(outcome.force) + to_f64(force), to_f64(outcome.torque) + to_f64(torque)].map(from_f64_bounded)
    }

    /// The number of slots, vacant ones included.
    pub fn slots(&self) -> usize {
        self.entity.len()
    }

    /// Takes a slot: the vacant one with the least number, or a new one.
    pub(crate) fn insert(&mut self, entity: Entity) -> usize {
        self.live += 1;
        let slot = match self.vacant.pop() {
            Some(Reverse(slot)) => slot as usize,
            None => {
                self.entity.push(entity);
                self.bodies.push([NONE; 2]);
                self.owners.push([None; 2]);
                self.specs.push(None);
                self.angle.push(Vec3::ZERO);
                self.broken.push(false);
                self.dirty.push(false);
                self.frames.push([Quat::IDENTITY; 2]);
                self.position.push(Vec3::ZERO);
                self.outcome.push(JointOutcome::default());
                self.row_forces.push(Vec::new());
                self.edited_gap.push(0.0);
                self.slots() - 1
            }
        };
        self.entity[slot] = entity;
        self.outcome[slot] = JointOutcome::default();
        self.row_forces[slot].clear();
        self.edited_gap[slot] = 0.0;
        slot
    }

    /// Gives a slot back.
    pub(crate) fn remove(&mut self, slot: usize) {
        self.live -= 1;
        self.entity[slot] = Entity::DANGLING;
        self.bodies[slot] = [NONE; 2];
        self.owners[slot] = [None; 2];
        self.specs[slot] = None;
        self.broken[slot] = false;
        self.vacant.push(Reverse(slot as u32));
    }

    /// True if a slot is a joint that is not broken.
    pub fn holds(&self, slot: usize) -> bool {
        self.specs[slot].is_some() && !self.broken[slot]
    }

    /// Recomputes which bodies have joints (`jointed`, by slot), and which pairs do not collide
    /// because of one.
    pub(crate) fn update_pairs(&mut self, jointed: &mut [bool]) {
        self.non_colliding.clear();
        jointed.fill(false);
        for slot in 0..self.slots() {
            let [a, b] = self.bodies[slot];
            for body in [a, b].into_iter().filter(|&body| body != NONE && self.holds(slot)) {
                jointed[body as usize] = true;
            }
            if self.holds(slot) && a != NONE && b != NONE && self.specs[slot].as_ref().is_some_and(|s| !s.collide) {
                self.non_colliding.insert((a.min(b), a.max(b)));
            }
        }
    }

    /// True if two bodies do not collide because of a joint.
    pub(crate) fn prevents_collision(&self, a: usize, b: usize) -> bool {
        !self.non_colliding.is_empty() && self.non_colliding.contains(&((a.min(b)) as u32, a.max(b) as u32))
    }
}
