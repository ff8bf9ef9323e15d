//! Whether what turns far within a step comes to what its points seem to hit.
//!
//! Impacts follow points in straight lines from the step's start, which does for turns of less than a radian: a point on the end of a rod that
//! spins about its length flies off along its tangent, into a wall that the rod never reaches. So convex shapes are asked how far they
//! reach towards each other as they turn.

use super::Context;
use crate::contact::kernels::{Geometry, Solid};
use crate::contact::{Contact, Manifold};
use crate::math::parry::shape::SupportMap;
use crate::math::{Quat, Real, Vec3};
use crate::tolerances::{IMPACT_LOOK, IMPACT_LOOKS, IMPACT_TURN, MOMENTS_ALIKE};

/// A convex collider on a body that turns freely: it spins about its axis of symmetry, which goes round its angular momentum.
struct Spinner<'a> {
    solid: Solid<'a>,
    /// Turns the collider's axes into the world's at the step's start; its origin from the body's centre of mass there (m).
    orientation: Quat,
    arm: Vec3,
    /// About the axis, and of the axis (rad/s).
    spin: Vec3,
    round: Vec3,
}

impl Spinner<'_> {
    /// How far it reaches from the body's centre of mass along a direction at the moment `t` (m).
    fn reach(&self, along: Vec3, t: Real) -> Real {
        // The direction turned back instead.
        let along = Quat::from_scaled_axis(self.spin * -t) * (Quat::from_scaled_axis(self.round * -t) * along);
        let own = self.orientation.inverse() * along;
        own.dot(self.solid.core.local_support_point(own)) + self.solid.radius + along.dot(self.arm)
    }
}

impl Context<'_> {
    /// Whether a contact may close within the step as its bodies turn, if nothing hits them before: not if one turns by more than
    /// [`IMPACT_TURN`], and its shape never reaches the other. What joints hold, or what has no axis of symmetry, is not asked.
    pub(super) fn comes_near(&self, c: &Contact, manifold: &Manifold) -> bool {
        let (bodies, dt) = (self.bodies, self.dt);
        let ends = [c.a as usize, c.b as usize];
        let most = ends.into_iter().map(|slot| bodies.angular_velocity[slot].length()).fold(0.0, Real::max) * dt;
        let looks = (most / IMPACT_LOOK).ceil();
        let held = ends.into_iter().any(|slot| bodies.jointed[slot] || bodies.is_rotation_locked(slot));
        if most <= IMPACT_TURN || looks > IMPACT_LOOKS || held || !self.graph.status[c.pair as usize].is_simple() {
            return true;
        }
        let Some(nearest) = manifold.points().iter().min_by(|p, q| p.separation.total_cmp(&q.separation)) else {
            return true;
        };
        let (normal, pair) = (manifold.normal, &self.graph.pairs[c.pair as usize]);
        let sides = [(ends[0], pair.a, normal, nearest.anchor_a), (ends[1], pair.b, -normal, nearest.anchor_b)];
        let mut spinners = [const { None }; 2];
        let mut bulge = 0.0;
        for (spinner, (slot, collider, along, anchor)) in spinners.iter_mut().zip(sides) {
            let still = bodies.angular_velocity[slot] == Vec3::ZERO;
            if still && matches!(self.colliders.geometry[collider as usize], Some(Geometry::HalfSpace { .. })) {
                continue;
            }
            let Some(shape) = self.spinner(slot, collider) else { return true };
            // What reaches beyond its nearest point lies beside the other shape, and may come over it.
            let start = shape.reach(along, 0.0);
            let beyond = start - along.dot(bodies.orientation[slot] * anchor);
            let bulges = bodies.radius[slot] * IMPACT_LOOK * IMPACT_LOOK / 8.0;
            if beyond > bulges {
                return true;
            }
            // Rims are polygons to contacts: they reach a little further.
            bulge += beyond.max(0.0);
            if !still {
                bulge += bulges;
                *spinner = Some((shape, along, start));
            }
        }
        let moving = bodies.linear_velocity[ends[1]] - bodies.linear_velocity[ends[0]];
        let pull = bodies.free_acceleration(ends[1]) - bodies.free_acceleration(ends[0]);
        (0..=looks as u32).any(|look| {
            let t = dt * look as Real / looks;
            let reached: Real =
                spinners.iter().flatten().map(|(shape, along, start)| shape.reach(*along, t) - start).sum();
            nearest.separation + (moving + pull * (0.5 * t)).dot(normal) * t - reached <= self.closed + bulge
        })
    }

    /// A convex collider of a body that is as easily turned about all axes, or about all but one, as the step begins.
    fn spinner(&self, slot: usize, collider: u32) -> Option<Spinner<'_>> {
        let bodies = self.bodies;
        let solid = self.colliders.geometry[collider as usize].as_ref()?.solid()?;
        let local = self.colliders.local[collider as usize];
        let arm = bodies.orientation[slot] * (local.translation - bodies.local_center[slot]);
        let orientation = bodies.orientation[slot] * local.rotation;
        let (moments, velocity) = (bodies.principal[slot], bodies.angular_velocity[slot]);
        let alike = |a: Real, b: Real| (a - b).abs() <= MOMENTS_ALIKE * a.max(b);
        let (axis, own, other) = [
            (Vec3::X, moments.x, moments.y, moments.z),
            (Vec3::Y, moments.y, moments.z, moments.x),
            (Vec3::Z, moments.z, moments.x, moments.y),
        ]
        .into_iter()
        .find(|&(_, _, a, b)| alike(a, b))
        .map(|(axis, own, a, _)| (axis, own, a))?;
        let axis = bodies.orientation[slot] * bodies.frame[slot] * axis;
        // Of what no impulse turns both are nothing.
        let part = if other > 0.0 { own / other } else { 1.0 };
        let about = velocity.dot(axis);
        let (spin, round) = (axis * (about * (1.0 - part)), velocity + axis * (about * (part - 1.0)));
        Some(Spinner { solid, orientation, arm, spin, round })
    }
}
