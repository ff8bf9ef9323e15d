//! What of the working set outlives a step.

use super::Bodies;
use crate::inputs::Inputs;
use crate::kept::{copy_fields, stamp};
use crate::math::Vec3;

impl Bodies {
    /// Notes that the game changed these slots: what does not change by itself is no longer what it was.
    pub(crate) fn restamp(&mut self, slots: impl IntoIterator<Item = u32>) {
        self.edition = stamp();
        for slot in slots {
            self.stamps[slot as usize] = self.edition;
        }
    }

    /// Notes that any slot may have changed.
    pub(crate) fn restamp_all(&mut self) {
        self.edition = stamp();
        self.stamps.fill(self.edition);
    }

    /// Copies what outlives a step. Columns that only the game changes are left alone where they are the same.
    pub(crate) fn copy_kept(&mut self, from: &Self) {
        copy_fields!(self, from; position, orientation, linear_velocity, angular_velocity, center, inverse_inertia, odometer,
            rests, parked, jointed, radius);
        if self.edition == from.edition {
            return;
        }
        copy_fields!(self, from; entity, kind, local_center, inverse_mass, mass, principal, frame, acceleration, torque, swing,
            special, seen, vacant, live, edition);
        self.inputs.resize_with(from.inputs.len(), Inputs::default);
        self.stamps.resize(from.stamps.len(), 0);
        for (slot, inputs) in from.inputs.iter().enumerate() {
            if self.stamps[slot] != from.stamps[slot] {
                self.inputs[slot].clone_from(inputs);
            }
        }
        self.stamps.clone_from(&from.stamps);
    }

    /// Makes what only lives for a step fit what was copied.
    pub(crate) fn refresh_kept(&mut self) {
        let slots = self.slots();
        self.fast.resize(slots, false);
        self.reach.resize(slots, 0.0);
        self.displacement.resize(slots, Vec3::ZERO);
        self.rotation.resize(slots, Vec3::ZERO);
        for marks in [&mut self.dirty, &mut self.edited] {
            marks.clear();
            marks.resize(slots, false);
        }
        for slot in 0..slots {
            self.note_seen(slot);
        }
    }
}
