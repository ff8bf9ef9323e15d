//! Which bodies a step has to look at, and the pairs that they are in.
//!
//! What is parked or fixed, with all between, costs a step nothing beyond one look at each slot. The lists are made anew only
//! when another body wakes, stops or is moved by the game, or a pair is added.

use crate::bodies::Bodies;
use crate::contact::{ContactGraph, make_room};
use crate::index::NONE;

/// The lists.
#[derive(Default)]
pub(crate) struct Awake {
    /// Slots of the bodies that move by themselves or were moved by the game, in order.
    pub bodies: Vec<u32>,
    /// Numbers of the pairs with at least one such body or without an answer yet, in order. A pair that was removed since
    /// may still be named.
    pub pairs: Vec<u32>,
    /// Counts how often the bodies became others.
    pub turn: u64,
    /// The contact graph's count of changes that [`Self::pairs`] was made at.
    changes: u64,
    /// Of shares of the pairs, those of which something is to be told.
    pub untold: Vec<Vec<u32>>,
    now: Vec<u32>,
    is_awake: Vec<bool>,
}

impl Awake {
    /// Lets the lists be made anew.
    pub fn forget(&mut self) {
        self.bodies.clear();
        self.pairs.clear();
        self.changes = u64::MAX;
    }

    /// Brings the lists up to date.
    pub fn update(&mut self, bodies: &Bodies, body_of: &[u32], contacts: &ContactGraph) {
        self.now.clear();
        let awake = |slot: &usize| bodies.is_moving(*slot) || bodies.edited[*slot];
        self.now.extend((0..bodies.slots()).filter(awake).map(|slot| slot as u32));
        let others = self.now != self.bodies;
        if others || self.changes != contacts.changes() {
            std::mem::swap(&mut self.now, &mut self.bodies);
            self.turn += u64::from(others);
            self.changes = contacts.changes();
            self.list_pairs(bodies.slots(), body_of, contacts);
        }
    }

    fn list_pairs(&mut self, slots: usize, body_of: &[u32], contacts: &ContactGraph) {
        let Self { bodies, pairs, is_awake, .. } = self;
        is_awake.clear();
        is_awake.resize(slots, false);
        for &slot in bodies.iter() {
            is_awake[slot as usize] = true;
        }
        let awake = |collider: u32| is_awake.get(body_of[collider as usize] as usize) == Some(&true);
        pairs.clear();
        let all = contacts.pairs.iter().enumerate().filter(|(_, p)| p.a != NONE);
        let concerned = all.filter(|(_, p)| awake(p.a) || awake(p.b) || p.valid_until == f64::NEG_INFINITY);
        for (number, _) in concerned {
            make_room(pairs);
            pairs.push(number as u32);
        }
    }
}
