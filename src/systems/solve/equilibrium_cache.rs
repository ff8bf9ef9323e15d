//! Cached equilibria: islands at rest that are skipped while nothing about them changes.
//!
//! With sleep off, an island at rest would be assembled, checked and found at rest in every step.
//! While its inputs are the same, it is skipped instead, and checked again from time to time: see
//! [`recheck_is_due`].

use super::assemble::SolveContext;
use super::assign::recheck_is_due;
use super::body_step::BodyStep;
use crate::bodies::Bodies;
use crate::islands::Island;
use crate::math::{DVec3, Real, Vec3, from_f64};
use crate::persist::copy_fields;
use crate::tolerances::{ROUNDING, SLEEP};

/// Inputs of an equilibrium.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct EquilibriumCache {
    /// Acceleration and torque of each body; empty if no equilibrium is cached.
    loads: Vec<[Vec3; 2]>,
    contacts: Vec<CachedContact>,
}

/// State of a contact when the equilibrium was found.
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct CachedContact {
    pair: u32,
    points: u32,
    revision: u32,
    static_friction: Real,
    dynamic_friction: Real,
}

impl EquilibriumCache {
    /// Copies the fields that outlive a step.
    pub fn copy_persistent(&mut self, from: &Self) {
        copy_fields!(self, from; loads, contacts);
    }

    /// Number of its bodies; 0 if no equilibrium is cached.
    #[cfg(feature = "serialize")]
    pub fn bodies(&self) -> usize {
        self.loads.len()
    }

    /// Drops the equilibrium.
    pub fn clear(&mut self) {
        self.loads.clear();
    }

    /// Stores the equilibrium of an island if it may be cached (`enabled`), its bodies are slow,
    /// and no contact moves.
    pub fn store(&mut self, context: &SolveContext, island: &Island, enabled: bool, steps: &mut [BodyStep]) {
        self.clear();
        let settings = context.settings;
        let slow = f64::from(SLEEP.speed * settings.length_unit);
        let members = &context.islands.bodies[island.body_range()];
        let speed = |step: &BodyStep, slot: u32| {
            step.velocity.length() + step.angular_velocity.length() * f64::from(context.bodies.radius[slot as usize])
        };
        let is_slow = |(step, &slot): (&BodyStep, &u32)| step.pushed && speed(step, slot) <= slow;
        if !enabled || !steps.iter().zip(members).all(is_slow) {
            return;
        }
        self.contacts.clear();
        for number in island.contact_range() {
            let Some(contact) = contact_state(context, number) else { return };
            self.contacts.push(contact);
        }
        self.loads.extend(members.iter().map(|&slot| loads(context.bodies, slot)));
        for (step, &slot) in steps.iter_mut().zip(members) {
            if speed(step, slot) <= ROUNDING.solution * f64::from(settings.length_unit) {
                (step.velocity, step.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
    }

    /// True if the equilibrium still holds in this step, and is not due to be checked again.
    /// `steps` are the results of the step before.
    pub fn holds(&self, context: &SolveContext, key: u32, island: &Island, steps: &[BodyStep]) -> bool {
        if self.loads.is_empty() || recheck_is_due(context.step, key) {
            return false;
        }
        let members = &context.islands.bodies[island.body_range()];
        let contacts = island.contact_range();
        let same_size = members.len() == self.loads.len() && contacts.len() == self.contacts.len();
        if !same_size || context.impulse_scale != 1.0 {
            return false;
        }
        let bodies = context.bodies;
        let is_unchanged = |(k, &slot): (usize, &u32)| {
            let (s, step) = (slot as usize, &steps[k]);
            let same = |now: Vec3, then: DVec3| now == from_f64(then);
            !bodies.edited[s]
                && !bodies.special[s]
                && same(bodies.linear_velocity[s], step.velocity)
                && same(bodies.angular_velocity[s], step.angular_velocity)
                && (bodies.displacement[s], bodies.rotation[s]) == (Vec3::ZERO, Vec3::ZERO)
                && self.loads[k] == loads(bodies, slot)
        };
        members.iter().enumerate().all(is_unchanged)
            && contacts.zip(&self.contacts).all(|(number, then)| contact_state(context, number).as_ref() == Some(then))
    }
}

fn loads(bodies: &Bodies, slot: u32) -> [Vec3; 2] {
    [bodies.acceleration[slot as usize], bodies.torque[slot as usize]]
}

/// State of a contact; none if a surface of it moves or was moved.
fn contact_state(context: &SolveContext, number: usize) -> Option<CachedContact> {
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
    Some(CachedContact {
        pair: c.pair,
        points: graph.manifolds[c.manifold as usize].count,
        revision: record.revision,
        static_friction: record.material.static_friction,
        dynamic_friction: record.material.dynamic_friction,
    })
}
