//! The active set: bodies that a step must process, and their pairs.
//!
//! Bodies asleep or fixed, with the pairs between them, cost a step one check of each slot. The
//! lists are rebuilt only when another body wakes, stops or is moved by the game, or a pair is
//! added.

use crate::bodies::Bodies;
use crate::contact::{ContactGraph, reserve_one};
use crate::ids::NONE;

/// The active bodies and pairs.
#[derive(Default)]
pub(crate) struct ActiveSet {
    /// Slots of the bodies that move by themselves or were moved by the game, in order.
    pub bodies: Vec<u32>,
    /// Numbers of the pairs with at least one active body or without a result yet, in order. A pair
    /// removed since may still be listed.
    pub pairs: Vec<u32>,
    /// Counter of changes of the set of bodies.
    pub version: u64,
    /// Change counter of the contact graph at which [`Self::pairs`] was built.
    changes: u64,
    /// By chunk of the pairs: those with an event to report.
    pub unreported: Vec<Vec<u32>>,
    next: Vec<u32>,
    is_active: Vec<bool>,
}

impl ActiveSet {
    /// Invalidates the lists.
    pub fn forget(&mut self) {
        self.bodies.clear();
        self.pairs.clear();
        self.changes = u64::MAX;
    }

    /// Updates the lists.
    pub fn update(&mut self, bodies: &Bodies, body_of: &[u32], contacts: &ContactGraph) {
        self.next.clear();
        let is_active_slot = |slot: &usize| bodies.is_moving(*slot) || bodies.edited[*slot];
        self.next.extend((0..bodies.slots()).filter(is_active_slot).map(|slot| slot as u32));
        let differs = self.next != self.bodies;
        if differs || self.changes != contacts.changes() {
            std::mem::swap(&mut self.next, &mut self.bodies);
            self.version += u64::from(differs);
            self.changes = contacts.changes();
            self.list_pairs(bodies.slots(), body_of, contacts);
        }
    }

    fn list_pairs(&mut self, slots: usize, body_of: &[u32], contacts: &ContactGraph) {
        let Self { bodies, pairs, is_active, .. } = self;
        is_active.clear();
        is_active.resize(slots, false);
        for &slot in bodies.iter() {
            is_active[slot as usize] = true;
        }
        let is_active_slot = |collider: u32| is_active.get(body_of[collider as usize] as usize) == Some(&true);
        pairs.clear();
        let all = contacts.pairs.iter().enumerate().filter(|(_, p)| p.a != NONE);
        let concerned =
            all.filter(|(_, p)| is_active_slot(p.a) || is_active_slot(p.b) || p.valid_until == f64::NEG_INFINITY);
        for (number, _) in concerned {
            reserve_one(pairs);
            pairs.push(number as u32);
        }
    }
}
