//! Copying the part of the working set that outlives a step.

use super::Bodies;
#[cfg(feature = "serialize")]
use super::Kind;
use crate::inputs::Inputs;
use crate::math::Vec3;
use crate::persist::{copy_columns, copy_fields, differing_indices, next_version};

impl Bodies {
    /// Notes that the game changed these slots: they get a new version.
    pub(crate) fn mark_edited(&mut self, slots: impl IntoIterator<Item = u32>) {
        self.edit_version = next_version();
        for slot in slots {
            self.edit_versions[slot as usize] = self.edit_version;
            self.motion_versions[slot as usize] = self.edit_version;
        }
    }

    /// Notes that every slot may have changed.
    pub(crate) fn mark_all_edited(&mut self) {
        self.edit_version = next_version();
        self.edit_versions.fill(self.edit_version);
        self.motion_versions.fill(self.edit_version);
    }

    /// Copies what outlives a step. Columns that only the game changes are skipped where their
    /// versions agree. Returns the slots that had moved, or `None` if all were copied.
    pub(crate) fn copy_persistent(&mut self, from: &Self) -> Option<&[u32]> {
        let mut differing = std::mem::take(&mut self.differing);
        let some = differing_indices(&self.motion_versions, &from.motion_versions, &mut differing);
        let places = some.then_some(&differing);
        copy_columns!(self, from, places; position, orientation, linear_velocity, angular_velocity, center, inverse_inertia,
            odometer, center_compensation, velocity_compensation, momentum_compensation, motion_versions);
        self.differing = differing;
        copy_fields!(self, from; sleeping_island, jointed, radius);
        if self.edit_version != from.edit_version {
            self.copy_edited(from);
        }
        some.then_some(&self.differing)
    }

    /// Restores a copy: [`Self::copy_persistent`], and the data that live for a step only or follow
    /// from others.
    pub(crate) fn restore(&mut self, from: &Self) -> Option<&[u32]> {
        let edited = self.edit_version != from.edit_version;
        let some = self.copy_persistent(from).is_some() && !edited;
        self.reset_transient();
        let moved = std::mem::take(&mut self.differing);
        if some {
            moved.iter().for_each(|&slot| self.cache_columns(slot as usize));
        } else {
            (0..self.slots()).for_each(|slot| self.cache_columns(slot));
        }
        self.differing = moved;
        some.then_some(&self.differing)
    }

    /// Copies the columns that only the game changes.
    fn copy_edited(&mut self, from: &Self) {
        copy_fields!(self, from; entity, kind, local_center, inverse_mass, mass, principal, frame, acceleration, torque, core_radius,
            round_axis, special, columns, vacant, live, edit_version);
        self.inputs.resize_with(from.inputs.len(), Inputs::default);
        self.edit_versions.resize(from.edit_versions.len(), 0);
        for (slot, inputs) in from.inputs.iter().enumerate() {
            if self.edit_versions[slot] != from.edit_versions[slot] {
                self.inputs[slot].clone_from(inputs);
            }
        }
        self.edit_versions.clone_from(&from.edit_versions);
    }

    /// True if all columns have one length and the vacant slots are consistent.
    #[cfg(feature = "serialize")]
    pub(crate) fn is_sound(&self) -> bool {
        let slots = self.slots();
        let lengths = [
            self.entity.len(),
            self.position.len(),
            self.orientation.len(),
            self.linear_velocity.len(),
            self.angular_velocity.len(),
            self.center.len(),
            self.local_center.len(),
            self.inverse_mass.len(),
            self.mass.len(),
            self.principal.len(),
            self.frame.len(),
            self.inverse_inertia.len(),
            self.acceleration.len(),
            self.torque.len(),
            self.radius.len(),
            self.core_radius.len(),
            self.round_axis.len(),
            self.jointed.len(),
            self.odometer.len(),
            self.center_compensation.len(),
            self.velocity_compensation.len(),
            self.momentum_compensation.len(),
            self.sleeping_island.len(),
            self.special.len(),
            self.inputs.len(),
        ];
        let count = |sought: Kind| self.kind.iter().filter(|&&kind| kind == sought).count();
        let mut vacant: Vec<u32> = self.vacant.iter().map(|slot| slot.0).collect();
        vacant.sort_unstable();
        vacant.dedup();
        let is_vacant = |&slot: &u32| self.kind.get(slot as usize) == Some(&Kind::Vacant);
        lengths == [slots; 25]
            && vacant.len() == self.vacant.len()
            && vacant.len() == count(Kind::Vacant)
            && vacant.iter().all(is_vacant)
            && self.live == slots - vacant.len() - count(Kind::World)
    }

    /// Rebuilds the columns that a file does not hold; every slot gets a new version.
    #[cfg(feature = "serialize")]
    pub(crate) fn rebuild_caches(&mut self) {
        self.columns.resize_with(self.slots(), Default::default);
        self.edit_versions.resize(self.slots(), 0);
        self.motion_versions.resize(self.slots(), 0);
        self.mark_all_edited();
        for slot in 0..self.slots() {
            self.cache_inputs(slot);
        }
    }

    /// Resets the columns that live for a step only.
    fn reset_transient(&mut self) {
        let slots = self.slots();
        self.fast.resize(slots, false);
        self.reach.resize(slots, 0.0);
        self.displacement.resize(slots, Vec3::ZERO);
        self.rotation.resize(slots, Vec3::ZERO);
        for marks in [&mut self.dirty, &mut self.edited, &mut self.turned] {
            marks.clear();
            marks.resize(slots, false);
        }
    }
}
