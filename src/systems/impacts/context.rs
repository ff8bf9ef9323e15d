//! Inputs of the work on an island.

use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::components::ImpactLaw;
use crate::contact::{Contact, ContactGraph, Manifold, ManifoldPoint};
use crate::islands::{Island, Islands};
use crate::joints::Joints;
use crate::math::{Real, Vec3};
use crate::settings::Settings;

/// Inputs shared by all islands.
pub(super) struct Context<'a> {
    pub bodies: &'a Bodies,
    pub colliders: &'a Colliders,
    pub graph: &'a ContactGraph,
    pub islands: &'a Islands,
    pub joints: &'a Joints,
    pub place: &'a [u32],
    pub first: &'a [u32],
    pub of_body: &'a [u32],
    pub law: ImpactLaw,
    pub dt: Real,
    pub settings: &'a Settings,
    pub touch: Real,
    /// Gaps up to this count as closed (m).
    pub closed: Real,
    /// The acceleration of gravity (m/s²), and the resting threshold under it (m/s) in small
    /// islands.
    pub gravity: Real,
    pub threshold: Real,
}

impl Context<'_> {
    /// Approach acceleration of a contact's surfaces by forces (m/s²).
    fn approach_acceleration(&self, c: &Contact, normal: Vec3) -> Real {
        (self.bodies.free_acceleration(c.a as usize) - self.bodies.free_acceleration(c.b as usize)).dot(normal)
    }

    /// The resting threshold of a contact (m/s): the speed after a fall by the resting tolerance
    /// under gravity, or under stronger forces.
    pub fn threshold(&self, c: &Contact, normal: Vec3, rest_factor: Real) -> Real {
        self.threshold_under(self.approach_acceleration(c, normal), rest_factor)
    }

    fn threshold_under(&self, pull: Real, rest_factor: Real) -> Real {
        rest_factor * if pull <= self.gravity { self.threshold } else { self.settings.resting_speed_under(pull) }
    }

    /// The resting threshold of plastic contacts in an island (m/s), zero if it has no joints.
    pub fn plastic_rest(&self, island: &Island) -> Real {
        let linked = !island.joint_range().is_empty();
        self.settings.plastic_speed(island.points as usize).filter(|_| linked).unwrap_or(0.0)
    }

    /// True if some point closes faster than the threshold and `rest` (m/s) at the step's start.
    pub fn closes(&self, c: &Contact, manifold: &Manifold, rest_factor: Real, rest: Real) -> bool {
        let threshold = self.threshold(c, manifold.normal, rest_factor).max(rest);
        manifold.points().iter().any(|p| self.rate(c, p, manifold.normal) < -threshold)
    }

    /// Rate of the gap at a point at the step's start (m/s): negative if it closes.
    fn rate(&self, c: &Contact, p: &ManifoldPoint, normal: Vec3) -> Real {
        let (bodies, a, b) = (self.bodies, c.a as usize, c.b as usize);
        let on_a = bodies.velocity_at(a, bodies.orientation[a] * p.anchor_a);
        let on_b = bodies.velocity_at(b, bodies.orientation[b] * p.anchor_b);
        (on_b - on_a).dot(normal)
    }

    /// True if some point may close faster than the threshold and `rest` (m/s) within the step.
    pub fn may_collide(&self, c: &Contact, manifold: &Manifold, rest_factor: Real, rest: Real) -> bool {
        let (bodies, dt, closed) = (self.bodies, self.dt, self.closed);
        let (a, b) = (c.a as usize, c.b as usize);
        let approach = self.approach_acceleration(c, manifold.normal);
        let threshold = self.threshold_under(approach, rest_factor).max(rest);
        let pull = (-approach).min(0.0) * dt;
        let along = (bodies.linear_velocity[b] - bodies.linear_velocity[a]).dot(manifold.normal);
        let turning = bodies.angular_velocity[a].length() * bodies.radius[a]
            + bodies.angular_velocity[b].length() * bodies.radius[b];
        if along + 2.0 * pull - turning >= -threshold {
            return false;
        }
        manifold.points().iter().any(|p| {
            let rate = self.rate(c, p, manifold.normal);
            // A body in the air may reach that speed only in the next step: its gap must close in
            // this one.
            let pulled = if p.separation > closed { 2.0 * pull } else { pull };
            rate + pulled < -threshold && p.separation + (rate + pull).min(0.0) * dt <= closed
        })
    }
}
