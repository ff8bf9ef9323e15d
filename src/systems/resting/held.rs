//! Islands whose proof of equilibrium still stands.
//!
//! Where nothing is ever parked, an island that its own impulses hold at rest would be posed, checked and found at rest
//! again in every step. As long as nothing about it has changed, it is left as it is, and asked again in its turn: every
//! [`HELD_STEPS`] steps, each island in a step of its own, so that no step has them all.

use super::moved::Moved;
use super::posing::Context;
use crate::bodies::Bodies;
use crate::islands::Island;
use crate::kept::copy_fields;
use crate::math::{DVec3, Real, Vec3, from_f64};
use crate::resting::Law;
use crate::settings::Accuracy;
use crate::tolerances::{HELD_ROUNDING, HELD_STEPS, REST_SPEED};

/// What an island's equilibrium rests on.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Proof {
    /// What pulls at each body: acceleration and torque.
    loads: Vec<[Vec3; 2]>,
    touches: Vec<Touch>,
}

/// What a contact was when the proof was made.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Touch {
    pair: u32,
    points: u32,
    revision: u32,
    static_friction: Real,
    dynamic_friction: Real,
}

impl Proof {
    /// Copies what outlives a step.
    pub fn copy_kept(&mut self, from: &Self) {
        copy_fields!(self, from; loads, touches);
    }

    /// Bodies that it is about; none if there is no proof.
    #[cfg(feature = "serialize")]
    pub fn bodies(&self) -> usize {
        self.loads.len()
    }

    /// Forgets it.
    pub fn drop(&mut self) {
        self.loads.clear();
    }

    /// Remembers an island that was proved at rest, if it can be left alone from now on.
    pub fn keep(&mut self, context: &Context, island: &Island, moved: &mut [Moved]) {
        self.drop();
        let settings = context.settings;
        let asked = !settings.rest && settings.accuracy == Accuracy::Game && settings.resting_law == Law::Auto;
        let crawl = f64::from(REST_SPEED * settings.length_unit);
        let members = &context.islands.bodies[island.body_range()];
        let speed = |moved: &Moved, slot: u32| {
            moved.velocity.length() + moved.spin.length() * f64::from(context.bodies.radius[slot as usize])
        };
        let slow = |(moved, &slot): (&Moved, &u32)| moved.pushed && speed(moved, slot) <= crawl;
        if !asked || !moved.iter().zip(members).all(slow) {
            return;
        }
        self.touches.clear();
        for number in island.contact_range() {
            let Some(touch) = touch(context, number) else { return };
            self.touches.push(touch);
        }
        self.loads.extend(members.iter().map(|&slot| loads(context.bodies, slot)));
        for (moved, &slot) in moved.iter_mut().zip(members) {
            if speed(moved, slot) <= HELD_ROUNDING * f64::from(settings.length_unit) {
                (moved.velocity, moved.spin) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
    }

    /// Whether it still stands in this step, and the island is not due to be asked again.
    pub fn stands(&self, context: &Context, name: u32, island: &Island, moved: &[Moved]) -> bool {
        // Multiples of the golden ratio: names with a common distance are spread out over the turns all the same.
        let turn = name.wrapping_mul(0x9e37_79b9) >> 16;
        if self.loads.is_empty() || context.turn.wrapping_add(turn).is_multiple_of(HELD_STEPS) {
            return false;
        }
        let members = &context.islands.bodies[island.body_range()];
        let contacts = island.contact_range();
        if members.len() != self.loads.len() || contacts.len() != self.touches.len() || context.scale != 1.0 {
            return false;
        }
        let bodies = context.bodies;
        let untouched = |(k, &slot): (usize, &u32)| {
            let (s, moved) = (slot as usize, &moved[k]);
            let same = |now: Vec3, then: DVec3| now == from_f64(then);
            !bodies.edited[s]
                && !bodies.special[s]
                && same(bodies.linear_velocity[s], moved.velocity)
                && same(bodies.angular_velocity[s], moved.spin)
                && (bodies.displacement[s], bodies.rotation[s]) == (Vec3::ZERO, Vec3::ZERO)
                && self.loads[k] == loads(bodies, slot)
        };
        members.iter().enumerate().all(untouched)
            && contacts.zip(&self.touches).all(|(number, then)| touch(context, number).as_ref() == Some(then))
    }
}

fn loads(bodies: &Bodies, slot: u32) -> [Vec3; 2] {
    [bodies.acceleration[slot as usize], bodies.torque[slot as usize]]
}

/// A contact, unless its surfaces run or were moved.
fn touch(context: &Context, number: usize) -> Option<Touch> {
    let (graph, bodies) = (context.graph, context.bodies);
    let c = &graph.contacts[number];
    let record = &graph.records[c.record as usize];
    let moves = |slot: u32| {
        let slot = slot as usize;
        bodies.edited[slot] || !bodies.is_active(slot) && bodies.is_moving(slot)
    };
    if record.surface_velocity != Vec3::ZERO || moves(c.a) || moves(c.b) {
        return None;
    }
    Some(Touch {
        pair: c.pair,
        points: graph.manifolds[c.manifold as usize].count,
        revision: record.revision,
        static_friction: record.material.static_friction,
        dynamic_friction: record.material.dynamic_friction,
    })
}
