//! How far a turning shape reaches along a fixed direction within the next moments: an upper bound.
//!
//! A point at `p` from the centre of mass comes to `n·p + s n·(ω × p)` after the time `s`, but for what is of second order in it;
//! and `n·(ω × p) = (n × ω)·p`. So the shape reaches no farther along `n` than it does now along `n + s (n × ω)`, plus half `s²`
//! times the most that turning can accelerate a point along `n`. A support function of a straight line of directions is convex,
//! and so is the bound. A law of rotation that is right to second order turns a little otherwise than its angular velocity says:
//! that is of third order in the angle since the path began, and so is what is added for it.

use super::mover::Mover;
use crate::contact::kernels::{Form, Solid};
use crate::math::parry::shape::SupportMap;
use crate::math::{DQuat, DVec3, Quat, from_f64, to_f64};

/// The bound, for one shape and one direction.
pub(super) struct TurningReach<'a> {
    solid: Solid<'a>,
    /// The unit vector (world).
    direction: DVec3,
    /// Its cross product with the angular velocity (1/s).
    drift: DVec3,
    /// The shape's origin from the centre of mass (m, world), and its orientation.
    offset: DVec3,
    orientation: DQuat,
    /// Half the most that turning can accelerate a point along the direction (m/s²).
    bend: f64,
    /// What the law of rotation may add to that: a factor (m/s³), and the time since the path began (s).
    slip: (f64, f64),
    /// How far the shape's core reaches along the direction now (m).
    now: f64,
}

impl<'a> TurningReach<'a> {
    /// What does not turn.
    pub const STILL: Self = Self {
        solid: Solid::POINT,
        direction: DVec3::ZERO,
        drift: DVec3::ZERO,
        offset: DVec3::ZERO,
        orientation: DQuat::IDENTITY,
        bend: 0.0,
        slip: (0.0, 0.0),
        now: 0.0,
    };

    /// The bound along the unit vector `direction`, which turns at the rate `axes` (rad/s), from the moment `t` to `until` at most, for a
    /// shape whose origin is at `place` with this orientation. `None` where the shape has no support function.
    pub fn new(
        mover: &Mover<'a>,
        axes: DVec3,
        (place, orientation): (DVec3, Quat),
        direction: DVec3,
        (t, until): (f64, f64),
    ) -> Option<Self> {
        let (path, reach) = (mover.path(), mover.reach);
        let spin = to_f64(path.spin_at(t).velocity);
        let drift = direction.cross(spin - axes);
        let bounds = path.turning_bounds(until);
        // What is constant in fixed axes turns in those that turn.
        let change = bounds.change + bounds.speed * axes.length();
        let bend = if change == 0.0 {
            0.5 * reach * spin.length() * drift.length()
        } else {
            0.5 * reach * ((bounds.speed + axes.length()).powi(2) + change)
        };
        if bend == 0.0 {
            return Some(Self::STILL);
        }
        let Form::Solid(solid) = mover.form else { return None };
        let q = orientation;
        let orientation = DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into());
        let offset = place - path.center_at(t);
        let slip = (bounds.slip * reach, t - path.start);
        let mut bound = Self { solid, direction, drift, offset, orientation, bend, slip, now: 0.0 };
        bound.now = bound.along(direction);
        Some(bound)
    }

    /// How much farther along the direction the shape may reach after `s` seconds (m), its centre of mass taken to stand still.
    pub fn gain(&self, s: f64) -> f64 {
        if self.bend == 0.0 {
            return 0.0;
        }
        let (factor, since) = self.slip;
        let slip = factor * s * (since + s) * (since + s);
        self.along(self.direction + self.drift * s) - self.now + self.bend * s * s + slip
    }

    /// The support function of the core about the centre of mass (m, for a unit vector).
    fn along(&self, v: DVec3) -> f64 {
        let local = self.orientation.inverse() * v;
        let point = self.solid.core.local_support_point(from_f64(local));
        v.dot(self.offset) + local.dot(to_f64(point))
    }
}
