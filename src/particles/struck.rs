//! Dynamic bodies that particles hit: the impulses that they owe them.

use super::solve::{Work, normal_push};
use super::swarm::Motion;
use super::walls::Touch;
use crate::bodies::Bodies;
use crate::components::ExternalImpulse;
use crate::impact::particle::friction;
use crate::math::{Real, Vec3};
use hecs::World;

/// A dynamic body during the particles' step.
#[derive(Clone, Copy, Debug)]
struct Struck {
    slot: u32,
    linear: Vec3,
    angular: Vec3,
    impulse: ExternalImpulse,
}

/// The bodies that particles have hit since the step began, by slot.
#[derive(Default)]
pub(super) struct StruckBodies(Vec<Struck>);

impl StruckBodies {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes up the bodies that are touched.
    pub(super) fn enlist(&mut self, bodies: &Bodies, work: &[Work]) {
        for touch in work.iter().flat_map(|work| &work.touches.dynamic) {
            if let Err(at) = self.find(touch.body) {
                let slot = touch.body as usize;
                let (linear, angular) = (bodies.linear_velocity[slot], bodies.angular_velocity[slot]);
                let impulse = ExternalImpulse::default();
                self.0.insert(at, Struck { slot: touch.body, linear, angular, impulse });
            }
        }
    }

    fn find(&self, slot: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&slot, |body| body.slot)
    }

    /// One pass over the impacts on dynamic bodies, in the order of slabs. Along the normal first, then friction for what
    /// slides then: either by itself adds no energy.
    pub(super) fn impacts(&mut self, bodies: &Bodies, motions: &mut [Motion], work: &[Work], pass: u32, rest: Real) {
        for touch in work.iter().flat_map(|work| &work.touches.dynamic) {
            let Ok(at) = self.find(touch.body) else { continue };
            let (body, motion) = (&mut self.0[at], &mut motions[touch.particle as usize]);
            let (slot, own) = (touch.body as usize, motion.inverse_mass);
            let response = |along: Vec3| own + along.dot(bodies.response_at(slot, touch.arm, along));
            let push = normal_push(touch, body.against(motion, touch), response(touch.normal), pass, rest);
            if push == 0.0 {
                continue;
            }
            body.apply(bodies, motion, touch, touch.normal * push);
            let relative = body.against(motion, touch);
            let sliding = relative - touch.normal * touch.normal.dot(relative);
            let across = sliding.try_normalize().map_or(own, response);
            let hold = friction(touch.normal, relative, across, touch.surfaces.friction * push);
            body.apply(bodies, motion, touch, hold);
        }
    }

    /// Hands the impulses to the bodies' components, beside what the game put there.
    pub(super) fn hand_over(&self, bodies: &Bodies, world: &mut World) {
        for body in self.0.iter().filter(|body| body.impulse != ExternalImpulse::default()) {
            body.impulse.add_to(world, bodies.entity[body.slot as usize]);
        }
    }
}

impl Struck {
    /// The particle's velocity against the surface that it touches.
    fn against(&self, motion: &Motion, touch: &Touch) -> Vec3 {
        motion.velocity - self.linear - self.angular.cross(touch.arm)
    }

    /// Applies an impulse to the particle, and the opposite one to the body.
    fn apply(&mut self, bodies: &Bodies, motion: &mut Motion, touch: &Touch, impulse: Vec3) {
        let slot = self.slot as usize;
        let turn = touch.arm.cross(impulse);
        motion.velocity += impulse * motion.inverse_mass;
        self.linear -= bodies.inverse_mass[slot] * impulse;
        self.angular -= bodies.inverse_inertia[slot] * turn;
        self.impulse.linear -= impulse;
        self.impulse.angular -= turn;
    }
}
