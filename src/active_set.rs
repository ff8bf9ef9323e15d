//! The active set: bodies that a step must process, and their colliders and pairs.
//!
//! Bodies asleep or fixed, with the pairs between them, cost the stages behind `gather` nothing.
//! The lists are rebuilt only when another body wakes, stops or is changed by the game, or a pair
//! is added.

use crate::bodies::Bodies;
use crate::contact::{ContactGraph, reserve_one};
use crate::ids::NONE;
use crate::parallel::Indices;
use crate::sleep::SleepState;

/// The active bodies, colliders and pairs.
#[derive(Default)]
pub(crate) struct ActiveSet {
    /// Slots of the bodies that move by themselves or were changed by the game, in order. Those of
    /// bodies that stopped since are still listed.
    pub bodies: Vec<u32>,
    /// Slots of their colliders, in order.
    colliders: Vec<u32>,
    /// Numbers of the pairs with at least one active body or without a result yet, in order. A pair
    /// removed since may still be listed.
    pub pairs: Vec<u32>,
    /// By chunk of the pairs: those with an event to report.
    pub unreported: Vec<Vec<u32>>,
    /// Counter of changes of the set of bodies or colliders.
    version: u64,
    /// The data that the lists of bodies and colliders follow from; `None` if unknown.
    source: Option<Source>,
    /// Version of the lists, and change counter of the contact graph, for which the pairs were
    /// listed.
    of_pairs: (u64, u64),
    next: [Vec<u32>; 2],
    is_active: Vec<bool>,
}

/// Versions of the data that activate bodies.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Source {
    edits: u64,
    sleep: u64,
}

impl ActiveSet {
    /// Discards the lists.
    pub fn forget(&mut self) {
        self.bodies.clear();
        self.colliders.clear();
        self.pairs.clear();
        self.source = None;
    }

    /// Updates the lists of bodies and colliders; `revised` if anything may have changed, and not
    /// only what the game's columns and sleep tell.
    pub fn update_bodies(&mut self, bodies: &Bodies, body_of: &[u32], sleep: &SleepState, revised: bool) {
        let source = Source { edits: bodies.edit_version, sleep: sleep.version() };
        let is_active_slot = |slot: usize| bodies.is_moving(slot) || bodies.edited[slot];
        let stays = |&slot: &u32| is_active_slot(slot as usize);
        if self.source == Some(source) && !revised && self.bodies.iter().all(stays) {
            return;
        }
        let known = self.source.replace(source).is_some() && !revised;
        let Self { bodies: list, colliders, next: [next, next_colliders], is_active, .. } = self;
        is_active.clear();
        is_active.extend((0..bodies.slots()).map(is_active_slot));
        let active = |slots: &[bool], of: u32| slots.get(of as usize) == Some(&true);
        next.clear();
        next.extend((0..bodies.slots() as u32).filter(|&slot| active(is_active, slot)));
        next_colliders.clear();
        next_colliders
            .extend((0..body_of.len() as u32).filter(|&collider| active(is_active, body_of[collider as usize])));
        if !known || next != list || next_colliders != colliders {
            std::mem::swap(next, list);
            std::mem::swap(next_colliders, colliders);
            self.version += 1;
        }
    }

    /// Updates all lists.
    pub fn update(&mut self, bodies: &Bodies, body_of: &[u32], contacts: &ContactGraph, sleep: &SleepState) {
        self.update_bodies(bodies, body_of, sleep, false);
        let of_pairs = (self.version, contacts.changes());
        if self.of_pairs != of_pairs {
            self.of_pairs = of_pairs;
            self.list_pairs(body_of, contacts);
        }
    }

    fn list_pairs(&mut self, body_of: &[u32], contacts: &ContactGraph) {
        let Self { pairs, is_active, .. } = self;
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

    /// The bodies and the colliders that may differ from when a caller last asked: all, of so many
    /// slots, if the set has changed since it was `seen`, or most of them move.
    pub fn since(&self, seen: &mut u64, slots: usize) -> [Indices<'_>; 2] {
        let changed = std::mem::replace(seen, self.version) != self.version;
        [&self.bodies, &self.colliders]
            .map(|list| if changed || 2 * list.len() > slots { Indices::All(slots) } else { Indices::Listed(list) })
    }
}
