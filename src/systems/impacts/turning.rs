//! Whether what turns far within a step comes to what its points seem to hit.
//!
//! Impacts follow points in straight lines from the step's start, which does for turns of less than a radian: a point on the end of a rod that
//! spins about its length flies off along its tangent, into a wall that the rod never reaches. So convex shapes are asked how far they
//! reach towards each other as they turn.

use super::Context;
use crate::contact::kernels::Solid;
use crate::contact::{Contact, Manifold};
use crate::math::parry::shape::SupportMap;
use crate::math::{Quat, Real, Vec3};
use crate::tolerances::{IMPACT_LOOK, IMPACT_TURN};

/// The most looks in a step; what turns further is not asked.
const MOST_LOOKS: Real = 128.0;

/// A convex collider on a body that turns steadily.
struct Turning<'a> {
    solid: Solid<'a>,
    /// Turns the collider's axes into the world's at the step's start; its origin from the body's centre of mass there (m).
    orientation: Quat,
    arm: Vec3,
    /// Of the body (rad/s).
    spin: Vec3,
}

impl Turning<'_> {
    /// How far it reaches from the body's centre of mass along a direction at the moment `t` (m).
    fn reach(&self, along: Vec3, t: Real) -> Real {
        // The direction turned back instead.
        let along = Quat::from_scaled_axis(self.spin * -t) * along;
        let own = self.orientation.inverse() * along;
        own.dot(self.solid.core.local_support_point(own)) + self.solid.radius + along.dot(self.arm)
    }
}

impl Context<'_> {
    /// Whether a contact may close within the step as its bodies turn: not if one turns by more than [`IMPACT_TURN`], and its shape never
    /// reaches the other.
    pub(super) fn comes_near(&self, c: &Contact, manifold: &Manifold) -> bool {
        let (bodies, dt) = (self.bodies, self.dt);
        let ends = [c.a as usize, c.b as usize];
        let most = ends.into_iter().map(|slot| bodies.angular_velocity[slot].length()).fold(0.0, Real::max) * dt;
        let looks = (most / IMPACT_LOOK).ceil();
        if most <= IMPACT_TURN || looks > MOST_LOOKS || !self.graph.status[c.pair as usize].is_simple() {
            return true;
        }
        let Some(nearest) = manifold.points().iter().min_by(|p, q| p.separation.total_cmp(&q.separation)) else {
            return true;
        };
        let (normal, pair) = (manifold.normal, &self.graph.pairs[c.pair as usize]);
        let sides = [(ends[0], pair.a, normal, nearest.anchor_a), (ends[1], pair.b, -normal, nearest.anchor_b)];
        let mut turning = [const { None }; 2];
        let mut bulge = 0.0;
        for (turning, (slot, collider, along, anchor)) in turning.iter_mut().zip(sides) {
            let spin = bodies.angular_velocity[slot];
            if spin == Vec3::ZERO {
                continue;
            }
            let Some(shape) = self.turning(slot, collider) else { return true };
            // What reaches beyond its nearest point lies beside the other shape, and may come over it.
            let start = shape.reach(along, 0.0);
            if start > along.dot(bodies.orientation[slot] * anchor) + self.closed {
                return true;
            }
            bulge += bodies.radius[slot] * IMPACT_LOOK * IMPACT_LOOK / 8.0;
            *turning = Some((shape, along, start));
        }
        let moving = bodies.linear_velocity[ends[1]] - bodies.linear_velocity[ends[0]];
        let pull = bodies.free_acceleration(ends[1]) - bodies.free_acceleration(ends[0]);
        (0..=looks as u32).any(|look| {
            let t = dt * look as Real / looks;
            let reached: Real =
                turning.iter().flatten().map(|(shape, along, start)| shape.reach(*along, t) - start).sum();
            nearest.separation + (moving + pull * (0.5 * t)).dot(normal) * t - reached <= self.closed + bulge
        })
    }

    /// A convex collider of a body, as the step begins.
    fn turning(&self, slot: usize, collider: u32) -> Option<Turning<'_>> {
        let bodies = self.bodies;
        let solid = self.colliders.geometry[collider as usize].as_ref()?.solid()?;
        let local = self.colliders.local[collider as usize];
        let arm = bodies.orientation[slot] * (local.translation - bodies.local_center[slot]);
        let orientation = bodies.orientation[slot] * local.rotation;
        Some(Turning { solid, orientation, arm, spin: bodies.angular_velocity[slot] })
    }
}
