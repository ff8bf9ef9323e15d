//! Impulses of particles on dynamic bodies.

use super::particle_set::Motion;
use super::solve::{SlabWork, wall_normal_impulse};
use super::walls::WallContact;
use crate::bodies::Bodies;
use crate::components::ExternalImpulse;
use crate::impact::particle::friction;
use crate::math::{Real, Vec3};
use hecs::World;

/// A dynamic body during the particles' step: its velocities, and the impulse on it so far.
#[derive(Clone, Copy, Debug)]
struct BodyImpulse {
    slot: u32,
    linear: Vec3,
    angular: Vec3,
    impulse: ExternalImpulse,
}

/// The dynamic bodies in contact with particles during a step, ordered by slot.
#[derive(Default)]
pub(super) struct BodyImpulses(Vec<BodyImpulse>);

impl BodyImpulses {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds the bodies of all contacts.
    pub(super) fn add_bodies(&mut self, bodies: &Bodies, work: &[SlabWork]) {
        for touch in work.iter().flat_map(|work| &work.wall_contacts.dynamic) {
            if let Err(at) = self.find(touch.body) {
                let slot = touch.body as usize;
                let (linear, angular) = (bodies.linear_velocity[slot], bodies.angular_velocity[slot]);
                let impulse = ExternalImpulse::default();
                self.0.insert(at, BodyImpulse { slot: touch.body, linear, angular, impulse });
            }
        }
    }

    fn find(&self, slot: u32) -> Result<usize, usize> {
        self.0.binary_search_by_key(&slot, |body| body.slot)
    }

    /// One pass over the contacts with dynamic bodies, in the order of slabs: the normal impulse,
    /// then friction for the remaining sliding velocity. Neither adds energy.
    pub(super) fn impacts(
        &mut self,
        bodies: &Bodies,
        motions: &mut [Motion],
        work: &[SlabWork],
        pass: u32,
        rest_speed: Real,
    ) {
        for touch in work.iter().flat_map(|work| &work.wall_contacts.dynamic) {
            let Ok(at) = self.find(touch.body) else { continue };
            let (body, motion) = (&mut self.0[at], &mut motions[touch.particle as usize]);
            let (slot, own) = (touch.body as usize, motion.inverse_mass);
            let response = |along: Vec3| own + along.dot(bodies.response_at(slot, touch.arm, along));
            let normal_impulse = wall_normal_impulse(
                touch,
                body.relative_velocity(motion, touch),
                response(touch.normal),
                pass,
                rest_speed,
            );
            if normal_impulse == 0.0 {
                continue;
            }
            body.apply(bodies, motion, touch, touch.normal * normal_impulse);
            let relative = body.relative_velocity(motion, touch);
            let sliding = relative - touch.normal * touch.normal.dot(relative);
            let across = sliding.try_normalize().map_or(own, response);
            let friction_impulse = friction(touch.normal, relative, across, touch.surfaces.friction * normal_impulse);
            body.apply(bodies, motion, touch, friction_impulse);
        }
    }

    /// Adds the impulses to the bodies' [`ExternalImpulse`] components.
    pub(super) fn write_impulses(&self, bodies: &Bodies, world: &mut World) {
        for body in self.0.iter().filter(|body| body.impulse != ExternalImpulse::default()) {
            body.impulse.add_to(world, bodies.entity[body.slot as usize]);
        }
    }
}

impl BodyImpulse {
    /// The particle's velocity relative to the surface.
    fn relative_velocity(&self, motion: &Motion, touch: &WallContact) -> Vec3 {
        motion.velocity - self.linear - self.angular.cross(touch.arm)
    }

    /// Applies an impulse to the particle, and the opposite one to the body.
    fn apply(&mut self, bodies: &Bodies, motion: &mut Motion, touch: &WallContact, impulse: Vec3) {
        let slot = self.slot as usize;
        let turn = touch.arm.cross(impulse);
        motion.velocity += impulse * motion.inverse_mass;
        self.linear -= bodies.inverse_mass[slot] * impulse;
        self.angular -= bodies.inverse_inertia[slot] * turn;
        self.impulse.linear -= impulse;
        self.impulse.angular -= turn;
    }
}
