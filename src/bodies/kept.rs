//! What of the working set outlives a step.

use super::Bodies;
#[cfg(feature = "serialize")]
use super::Kind;
use crate::inputs::Inputs;
use crate::kept::{copy_columns, copy_fields, differ, stamp};
use crate::math::Vec3;

impl Bodies {
    /// Notes that the game changed these slots: what does not change by itself is no longer what it was.
    pub(crate) fn restamp(&mut self, slots: impl IntoIterator<Item = u32>) {
        self.edition = stamp();
        for slot in slots {
            self.stamps[slot as usize] = self.edition;
            self.moved[slot as usize] = self.edition;
        }
    }

    /// Notes that any slot may have changed.
    pub(crate) fn restamp_all(&mut self) {
        self.edition = stamp();
        self.stamps.fill(self.edition);
        self.moved.fill(self.edition);
    }

    /// Copies what outlives a step. Columns that only the game changes are left alone where they are the same. Returns the
    /// slots that had moved, or nothing if all were copied.
    pub(crate) fn copy_kept(&mut self, from: &Self) -> Option<&[u32]> {
        let mut differing = std::mem::take(&mut self.differing);
        let some = differ(&self.moved, &from.moved, &mut differing);
        let places = some.then_some(&differing);
        copy_columns!(self, from, places; position, orientation, linear_velocity, angular_velocity, center, inverse_inertia,
            odometer, center_rest, velocity_rest, momentum_rest, moved);
        self.differing = differing;
        copy_fields!(self, from; parked, jointed, radius);
        if self.edition != from.edition {
            self.copy_edited(from);
        }
        some.then_some(&self.differing)
    }

    /// Goes back to what was kept: [`Self::copy_kept`], and what only lives for a step or follows.
    pub(crate) fn restore(&mut self, from: &Self) -> Option<&[u32]> {
        let edited = self.edition != from.edition;
        let some = self.copy_kept(from).is_some() && !edited;
        self.refresh_kept();
        let moved = std::mem::take(&mut self.differing);
        if some {
            moved.iter().for_each(|&slot| self.note_seen(slot as usize));
        } else {
            (0..self.slots()).for_each(|slot| self.note_seen(slot));
        }
        self.differing = moved;
        some.then_some(&self.differing)
    }

    /// Copies what only the game changes.
    fn copy_edited(&mut self, from: &Self) {
        copy_fields!(self, from; entity, kind, local_center, inverse_mass, mass, principal, frame, acceleration, torque, swing,
            round_axis, special, seen, vacant, live, edition);
        self.inputs.resize_with(from.inputs.len(), Inputs::default);
        self.stamps.resize(from.stamps.len(), 0);
        for (slot, inputs) in from.inputs.iter().enumerate() {
            if self.stamps[slot] != from.stamps[slot] {
                self.inputs[slot].clone_from(inputs);
            }
        }
        self.stamps.clone_from(&from.stamps);
    }

    /// Whether all columns have one length, and what is vacant is known as such.
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
            self.swing.len(),
            self.round_axis.len(),
            self.jointed.len(),
            self.odometer.len(),
            self.center_rest.len(),
            self.velocity_rest.len(),
            self.momentum_rest.len(),
            self.parked.len(),
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

    /// What a file does not hold follows from what it does: all of it is new.
    #[cfg(feature = "serialize")]
    pub(crate) fn admit(&mut self) {
        self.seen.resize_with(self.slots(), Default::default);
        self.stamps.resize(self.slots(), 0);
        self.moved.resize(self.slots(), 0);
        self.restamp_all();
        for slot in 0..self.slots() {
            self.note_inputs(slot);
        }
    }

    /// Makes what only lives for a step fit what was copied.
    fn refresh_kept(&mut self) {
        let slots = self.slots();
        self.fast.resize(slots, false);
        self.reach.resize(slots, 0.0);
        self.displacement.resize(slots, Vec3::ZERO);
        self.rotation.resize(slots, Vec3::ZERO);
        for marks in [&mut self.dirty, &mut self.edited] {
            marks.clear();
            marks.resize(slots, false);
        }
    }
}
