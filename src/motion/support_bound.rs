//! An upper bound of the support function of a rotating shape along a fixed direction.
//!
//! A point at `p` from the centre of mass comes to `n·p + s n·(ω × p)` after the time `s`, to first
//! order, and `n·(ω × p) = (n × ω)·p`. So the support along `n` is at most the current support
//! along `n + s (n × ω)`, plus half `s²` times the maximum acceleration of a point along `n` by
//! rotation. The support function is convex along a line of directions, and so is the bound. The
//! error of a second-order rotation law is of third order in the angle since the trajectory began,
//! and is added.

use super::swept_shape::SweptShape;
use crate::contact::kernels::{QueryShape, RoundedConvex};
use crate::math::parry::shape::SupportMap;
use crate::math::{DQuat, DVec3, Quat, from_f64, to_f64};

/// The bound for one shape and one direction.
pub(super) struct SupportBound<'a> {
    solid: RoundedConvex<'a>,
    /// The unit vector (world).
    direction: DVec3,
    /// Its cross product with the angular velocity (1/s).
    rate: DVec3,
    /// The shape's origin from the centre of mass (m, world), and its orientation.
    offset: DVec3,
    orientation: DQuat,
    /// Half the maximum acceleration of a point along the direction by rotation (m/s²).
    acceleration: f64,
    /// Error of the rotation law: a factor (m/s³), and the time since the trajectory began (s).
    law_error: (f64, f64),
    /// Current support of the shape's core along the direction (m).
    now: f64,
}

impl<'a> SupportBound<'a> {
    /// A shape without rotation.
    pub const STILL: Self = Self {
        solid: RoundedConvex::POINT,
        direction: DVec3::ZERO,
        rate: DVec3::ZERO,
        offset: DVec3::ZERO,
        orientation: DQuat::IDENTITY,
        acceleration: 0.0,
        law_error: (0.0, 0.0),
        now: 0.0,
    };

    /// The bound along the unit vector `direction`, which rotates with the angular velocity `axes`
    /// (rad/s), from the moment `t` to `until` at most, for a shape with its origin at `place` and
    /// this orientation. `None` if the shape has no support function.
    pub fn new(
        shape: &SweptShape<'a>,
        axes: DVec3,
        (place, orientation): (DVec3, Quat),
        direction: DVec3,
        (t, until): (f64, f64),
    ) -> Option<Self> {
        let (trajectory, radius) = (shape.trajectory(), shape.rotation_radius);
        let spin = to_f64(trajectory.rotation_at(t).velocity);
        let rate = direction.cross(spin - axes);
        let bounds = trajectory.turning_bounds(until);
        // A vector that is constant in fixed axes rotates in the rotating frame.
        let change = bounds.acceleration + bounds.speed * axes.length();
        let acceleration = if change == 0.0 {
            0.5 * radius * spin.length() * rate.length()
        } else {
            let speed = bounds.speed + axes.length();
            0.5 * radius * (speed * speed + change)
        };
        if acceleration == 0.0 {
            return Some(Self::STILL);
        }
        let QueryShape::Solid(solid) = shape.form else { return None };
        let q = orientation;
        let orientation = DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into());
        let offset = place - trajectory.center_at(t);
        let law_error = (bounds.law_error * radius, t - trajectory.start);
        let mut bound = Self { solid, direction, rate, offset, orientation, acceleration, law_error, now: 0.0 };
        bound.now = bound.along(direction);
        Some(bound)
    }

    /// The maximum increase of the support along the direction after `s` seconds (m), relative to
    /// the centre of mass.
    pub fn gain(&self, s: f64) -> f64 {
        if self.acceleration == 0.0 {
            return 0.0;
        }
        let (factor, since) = self.law_error;
        let law_error = factor * s * (since + s) * (since + s);
        self.along(self.direction + self.rate * s) - self.now + self.acceleration * s * s + law_error
    }

    /// The support function of the core about the centre of mass (m, for a unit vector).
    fn along(&self, v: DVec3) -> f64 {
        let local = self.orientation.inverse() * v;
        let point = self.solid.core.local_support_point(from_f64(local));
        v.dot(self.offset) + local.dot(to_f64(point))
    }
}
