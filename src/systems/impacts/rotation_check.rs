//! Check that fast rotating bodies reach the surfaces that their contact points seem to hit.
//!
//! Impacts extrapolate points in straight lines from the step's start, which is valid for rotations
//! of less than a radian. A point at the end of a rod that spins about its length flies off along
//! its tangent, into a wall that the rod never reaches. So the support functions of rotating convex
//! shapes are sampled over the step.

use super::context::Context;
use crate::contact::kernels::{Geometry, RoundedConvex};
use crate::contact::{Contact, Manifold};
use crate::math::parry::shape::SupportMap;
use crate::math::{Quat, Real, Vec3};
use crate::tolerances::{IMPACT_CHECK_ROTATION, IMPACT_CHECK_STEP, MAX_IMPACT_CHECKS, MOTION};

/// A convex collider on a freely rotating body: it spins about its axis of symmetry, which
/// precesses about the angular momentum.
struct SpinningShape<'a> {
    solid: RoundedConvex<'a>,
    /// Orientation of the collider at the step's start, and its origin relative to the body's
    /// centre of mass (m).
    orientation: Quat,
    arm: Vec3,
    /// Spin about the axis, and precession of the axis (rad/s).
    spin: Vec3,
    precession: Vec3,
}

impl SpinningShape<'_> {
    /// Its support from the body's centre of mass along a direction at the moment `t` (m).
    fn support(&self, along: Vec3, t: Real) -> Real {
        // The direction is rotated back instead of the shape.
        let along = Quat::from_scaled_axis(self.spin * -t) * (Quat::from_scaled_axis(self.precession * -t) * along);
        let own = self.orientation.inverse() * along;
        own.dot(self.solid.core.local_support_point(own)) + self.solid.radius + along.dot(self.arm)
    }
}

impl Context<'_> {
    /// Whether a contact may close within the step as its bodies rotate, before other impacts: not
    /// if one rotates by more than `IMPACT_CHECK_ROTATION`, and its shape never reaches the other.
    /// Bodies with joints or without an axis of symmetry are not checked.
    pub(super) fn may_touch_rotating(&self, c: &Contact, manifold: &Manifold) -> bool {
        let (bodies, dt) = (self.bodies, self.dt);
        let ends = [c.a as usize, c.b as usize];
        let most = ends.into_iter().map(|slot| bodies.angular_velocity[slot].length()).fold(0.0, Real::max) * dt;
        let samples = (most / IMPACT_CHECK_STEP).ceil();
        let held = ends.into_iter().any(|slot| bodies.jointed[slot] || bodies.is_rotation_locked(slot));
        if most <= IMPACT_CHECK_ROTATION
            || samples > MAX_IMPACT_CHECKS
            || held
            || !self.graph.status[c.pair as usize].is_simple()
        {
            return true;
        }
        let Some(nearest) = manifold.points().iter().min_by(|p, q| p.separation.total_cmp(&q.separation)) else {
            return true;
        };
        let (normal, pair) = (manifold.normal, &self.graph.pairs[c.pair as usize]);
        let sides = [(ends[0], pair.a, normal, nearest.anchor_a), (ends[1], pair.b, -normal, nearest.anchor_b)];
        let mut spinning_shapes = [const { None }; 2];
        let mut bulge = 0.0;
        for (spinning_shape, (slot, collider, along, anchor)) in spinning_shapes.iter_mut().zip(sides) {
            let still = bodies.angular_velocity[slot] == Vec3::ZERO;
            if still && matches!(self.colliders.geometry[collider as usize], Some(Geometry::HalfSpace { .. })) {
                continue;
            }
            let Some(shape) = self.spinning_shape(slot, collider) else { return true };
            // If the shape extends beyond its nearest point, that part lies beside the other shape,
            // and may pass over it.
            let start = shape.support(along, 0.0);
            let beyond = start - along.dot(bodies.orientation[slot] * anchor);
            let bulges = bodies.radius[slot] * IMPACT_CHECK_STEP * IMPACT_CHECK_STEP / 8.0;
            if beyond > bulges {
                return true;
            }
            // Contacts treat rims as polygons; the true rim extends a little further.
            bulge += beyond.max(0.0);
            if !still {
                bulge += bulges;
                *spinning_shape = Some((shape, along, start));
            }
        }
        let moving = bodies.linear_velocity[ends[1]] - bodies.linear_velocity[ends[0]];
        let pull = bodies.free_acceleration(ends[1]) - bodies.free_acceleration(ends[0]);
        (0..=samples as u32).any(|sample| {
            let t = dt * sample as Real / samples;
            let advanced: Real =
                spinning_shapes.iter().flatten().map(|(shape, along, start)| shape.support(*along, t) - start).sum();
            nearest.separation + (moving + pull * (0.5 * t)).dot(normal) * t - advanced <= self.closed + bulge
        })
    }

    /// A convex collider of a body with three or two equal moments of inertia, at the step's start.
    fn spinning_shape(&self, slot: usize, collider: u32) -> Option<SpinningShape<'_>> {
        let bodies = self.bodies;
        let solid = self.colliders.geometry[collider as usize].as_ref()?.as_convex()?;
        let local = self.colliders.local[collider as usize];
        let arm = bodies.orientation[slot] * (local.translation - bodies.local_center[slot]);
        let orientation = bodies.orientation[slot] * local.rotation;
        let (moments, velocity) = (bodies.principal[slot], bodies.angular_velocity[slot]);
        let alike = |a: Real, b: Real| (a - b).abs() <= MOTION.symmetry * a.max(b);
        let (axis, own, other) = [
            (Vec3::X, moments.x, moments.y, moments.z),
            (Vec3::Y, moments.y, moments.z, moments.x),
            (Vec3::Z, moments.z, moments.x, moments.y),
        ]
        .into_iter()
        .find(|&(_, _, a, b)| alike(a, b))
        .map(|(axis, own, a, _)| (axis, own, a))?;
        let axis = bodies.orientation[slot] * bodies.frame[slot] * axis;
        // Both are zero if no impulse turns the body.
        let part = if other > 0.0 { own / other } else { 1.0 };
        let about = velocity.dot(axis);
        let (spin, precession) = (axis * (about * (1.0 - part)), velocity + axis * (about * (part - 1.0)));
        Some(SpinningShape { solid, orientation, arm, spin, precession })
    }
}
