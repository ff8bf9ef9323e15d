//! How far a turning shape reaches along a fixed direction within the next moments: an upper bound.
//!
//! A point at `p` from the centre of mass comes to `n·p + s n·(ω × p)` after the time `s`, but for what is of second order in it;
//! and `n·(ω × p) = (n × ω)·p`. So the shape reaches no farther along `n` than it does now along `n + s (n × ω)`, plus half `s²`
//! times the most that turning can accelerate a point along `n`. A support function of a straight line of directions is convex,
//! and so is the bound. A law of rotation that is right to second order turns a little otherwise than its angular velocity says:
//! that is of third order in the angle since the path began, and so is what is added for it.

use super::path::{Path, Turning};
use crate::contact::kernels::{Geometry, Solid};
use crate::math::parry::shape::SupportMap;
use crate::math::{DQuat, DVec3, Quat, Vec3, from_f64, to_f64};
use crate::tolerances::LAW_SLIP;

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
    /// The bound along the unit vector `direction` from the moment `t` to `until` at most, for a shape whose origin is at `place` with
    /// this orientation and whose points are at most `reach` (m) from the centre of mass. `None` where the shape has no support
    /// function.
    pub fn new(
        shape: &'a Geometry,
        path: &Path,
        (place, orientation): (DVec3, Quat),
        direction: DVec3,
        reach: f64,
        (t, until): (f64, f64),
    ) -> Option<Self> {
        let spin = to_f64(path.spin_at(t).velocity);
        let drift = direction.cross(spin);
        let (bend, slip) = match path.turning {
            Turning::Free { inertia, torque, .. } if !inertia.is_isotropic() || torque != Vec3::ZERO => {
                // Euler's equations: the angular velocity changes by its square times a ratio of the moments at most.
                let (i, fastest) = (to_f64(inertia.principal()), path.turning_speed(until));
                let ratio = ((i.y - i.z) / i.x).abs().max(((i.z - i.x) / i.y).abs()).max(((i.x - i.y) / i.z).abs());
                let gain = f64::from(torque.length() * inertia.inverse().max_element());
                let bend = 0.5 * reach * (fastest * fastest * (1.0 + ratio) + gain);
                (bend, LAW_SLIP * reach * fastest.powi(3))
            }
            _ => (0.5 * reach * spin.length() * drift.length(), 0.0),
        };
        let q = orientation;
        let orientation = DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into());
        let offset = place - path.center_at(t);
        // What does not turn may be anything.
        let solid = if bend == 0.0 { shape.solid().unwrap_or(Solid::POINT) } else { shape.solid()? };
        let slip = (slip, t - path.start);
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
