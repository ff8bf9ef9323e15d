//! Inputs of the work on an island.

use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::components::ImpactLaw;
use crate::contact::{Contact, ContactGraph, Manifold, ManifoldPoint};
use crate::islands::{Island, Islands};
use crate::joints::Joints;
use crate::math::{Norm, Real, Vec3, turn};
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
        let rate = self.rate(c, manifold.normal);
        manifold.points().iter().any(|p| rate(p) < -threshold)
    }

    /// Rate of the gap at points of a contact at the step's start (m/s): negative if it closes.
    ///
    /// What a rotation adds is the product of a point's anchor with one vector per body, in its axes.
    #[inline]
    fn rate(&self, c: &Contact, normal: Vec3) -> impl Fn(&ManifoldPoint) -> Real {
        let (bodies, a, b) = (self.bodies, c.a as usize, c.b as usize);
        let turning =
            |slot: usize| turn::rotate(bodies.orientation[slot].inverse(), normal.cross(bodies.angular_velocity[slot]));
        let along = (bodies.linear_velocity[b] - bodies.linear_velocity[a]).dot(normal);
        let (in_a, in_b) = (turning(a), turning(b));
        move |p| along + p.anchor_b.dot(in_b) - p.anchor_a.dot(in_a)
    }

    /// True if some point may close faster than the threshold and `rest` (m/s) within the step.
    pub fn may_collide(&self, c: &Contact, manifold: &Manifold, rest_factor: Real, rest: Real) -> bool {
        let (bodies, dt, closed) = (self.bodies, self.dt, self.closed);
        let (a, b) = (c.a as usize, c.b as usize);
        let approach = self.approach_acceleration(c, manifold.normal);
        let threshold = self.threshold_under(approach, rest_factor).max(rest);
        let pull = (-approach).min(0.0) * dt;
        let along = (bodies.linear_velocity[b] - bodies.linear_velocity[a]).dot(manifold.normal);
        let turning =
            bodies.angular_velocity[a].norm() * bodies.radius[a] + bodies.angular_velocity[b].norm() * bodies.radius[b];
        if along + 2.0 * pull - turning >= -threshold {
            return false;
        }
        let rate = self.rate(c, manifold.normal);
        manifold.points().iter().any(|p| {
            let rate = rate(p);
            // A body in the air may reach that speed only in the next step: its gap must close in
            // this one.
            let pulled = if p.separation > closed { 2.0 * pull } else { pull };
            rate + pulled < -threshold && p.separation + (rate + pull).min(0.0) * dt <= closed
        })
    }
}
