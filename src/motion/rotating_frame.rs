//! The relative motion of two bodies in a frame that rotates with one of them at a constant rate.
//!
//! In the frame of a rotating drum its contents hardly move, and its walls do not move at all. With
//! `r` from the first centre of mass to the second, `v` and `w` its velocity and acceleration in
//! fixed axes, and `ω` the angular velocity of the frame, the velocity in the frame is `v - ω × r`
//! and the acceleration `w - 2 ω × v + ω × (ω × r)` (Coriolis and centrifugal). The latter changes
//! at no more than `3 |ω| |w| + 3 |ω|² |v| + |ω|³ |r|`, for `w` and `ω` are constant.

use super::swept_shape::SweptShape;
use super::trajectory::Trajectory;
use crate::math::{DQuat, DVec3, to_f64};

/// A frame with a constant angular velocity, or zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RotatingFrame {
    /// Angular velocity (rad/s).
    angular_velocity: DVec3,
    /// The body that is at rest in it, if any.
    holder: Option<usize>,
}

/// The relative motion of two centres of mass in a rotating frame.
pub(super) struct Approach {
    /// Relative velocity (m/s).
    pub velocity: DVec3,
    /// Relative acceleration (m/s²).
    pub acceleration: DVec3,
    /// Bound on its rate of change until the end (m/s³).
    pub jerk: f64,
}

impl RotatingFrame {
    /// Its angular velocity (rad/s).
    pub fn angular_velocity(&self) -> DVec3 {
        self.angular_velocity
    }

    /// A frame with an angular velocity (rad/s), in which no body is at rest.
    pub fn turning(angular_velocity: DVec3) -> Self {
        Self { angular_velocity, holder: None }
    }

    /// The frame in which rotation moves the surfaces of two shapes least.
    pub fn of(shapes: [&SweptShape; 2], until: f64) -> Self {
        let speeds = shapes.map(|shape| shape.trajectory().max_angular_speed(until));
        let spins = shapes.map(|shape| shape.trajectory().constant_angular_velocity());
        let mut best = (Self::default(), speeds[0] * shapes[0].rotation_radius + speeds[1] * shapes[1].rotation_radius);
        for holder in 0..2 {
            let Some(spin) = spins[holder] else { continue };
            let other = 1 - holder;
            let speed = spins[other].map_or(speeds[other] + speeds[holder], |its| (its - spin).length());
            let moved = speed * shapes[other].rotation_radius;
            if moved < best.1 {
                best = (Self { angular_velocity: spin, holder: Some(holder) }, moved);
            }
        }
        best.0
    }

    /// The motion of the second body relative to the first at the moment `t`, with `left` seconds
    /// to go.
    pub fn approach(&self, [a, b]: [&Trajectory; 2], t: f64, left: f64) -> Approach {
        let (r, v) = (b.center_at(t) - a.center_at(t), b.velocity_at(t) - a.velocity_at(t));
        let (w, spin) = (b.acceleration - a.acceleration, self.angular_velocity);
        let rate = spin.length();
        let fastest = v.length() + w.length() * left;
        let farthest = r.length() + fastest * left;
        Approach {
            velocity: v - spin.cross(r),
            acceleration: w - 2.0 * spin.cross(v) + spin.cross(spin.cross(r)),
            jerk: rate * (3.0 * w.length() + rate * (3.0 * fastest + rate * farthest)),
        }
    }

    /// A bound on the surface speed (m/s) of one of the bodies by rotation, along the unit vector
    /// `n` (along any direction if `None`), at any moment up to `until` with `left` seconds to go.
    pub fn surface_speed(&self, which: usize, shape: &SweptShape, n: Option<DVec3>, (left, until): (f64, f64)) -> f64 {
        if self.holder == Some(which) {
            return 0.0;
        }
        shape.rotation_radius
            * match shape.trajectory().constant_angular_velocity() {
                Some(spin) => {
                    let seen = spin - self.angular_velocity;
                    n.map_or(seen, |n| seen.cross(n)).length() + spin.length() * self.angular_velocity.length() * left
                }
                None => shape.trajectory().max_angular_speed(until) + self.angular_velocity.length(),
            }
    }

    /// A vector that is at rest in it, `s` seconds later.
    pub fn turned(&self, v: DVec3, s: f64) -> DVec3 {
        if self.angular_velocity == DVec3::ZERO { v } else { DQuat::from_scaled_axis(self.angular_velocity * s) * v }
    }

    /// A bound in a window (s) on the third derivative in the frame of a point a metre from the centre of
    /// mass, by rotation (1/s³).
    ///
    /// With `ω` relative to the frame it is at most `|ω|³ + 3 |ω| |ω'| + |ω''|`.
    pub fn point_jerk(&self, trajectory: &Trajectory, (t, until): (f64, f64)) -> f64 {
        let spin = to_f64(trajectory.rotation_at(t).velocity);
        let rate = self.angular_velocity.length();
        let bounds = trajectory.turning_bounds(until);
        let speed = (spin - self.angular_velocity).length() + bounds.acceleration * (until - t);
        let speed = speed.min(bounds.speed + rate);
        // A vector that is constant in fixed axes turns in the frame.
        let first = bounds.acceleration + rate * speed;
        let second = bounds.jerk + 2.0 * rate * bounds.acceleration + rate * rate * speed;
        bounds.law_slack * (speed * speed * speed + 3.0 * speed * first + second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::kernels::Geometry;
    use crate::math::{Pose, Quat, Real, Vec3, from_f64};
    use crate::motion::Turning;

    fn turning(center: DVec3, velocity: DVec3, spin: Vec3) -> Trajectory {
        let turning = Turning::Steady { orientation: Quat::IDENTITY, velocity: spin };
        Trajectory { center, velocity, turning, ..Trajectory::still(&Pose::IDENTITY) }
    }

    /// Velocity and acceleration in a rotating frame, by finite differences over a millisecond.
    fn differences(axes: &RotatingFrame, paths: [&Trajectory; 2]) -> [DVec3; 2] {
        let h = 1e-3;
        let seen = |t: f64| {
            let turn = crate::math::DQuat::from_scaled_axis(-axes.angular_velocity * t);
            turn * (paths[1].center_at(t) - paths[0].center_at(t))
        };
        let (before, now, after) = (seen(-h), seen(0.0), seen(h));
        [(after - before) / (2.0 * h), (after + before - 2.0 * now) / (h * h)]
    }

    #[test]
    fn velocity_and_acceleration_are_those_of_the_place_in_the_axes() {
        let drum = turning(DVec3::ZERO, DVec3::X * 0.3, Vec3::new(0.2, -0.4, 0.8));
        let stone = Trajectory {
            acceleration: DVec3::NEG_Y * 9.81,
            ..turning(DVec3::new(1.0, -7.0, 0.5), DVec3::new(3.0, 0.5, -1.0), Vec3::ZERO)
        };
        let axes = RotatingFrame { angular_velocity: DVec3::new(0.2, -0.4, 0.8), holder: Some(0) };
        let found = axes.approach([&drum, &stone], 0.0, 0.01);
        let [velocity, acceleration] = differences(&axes, [&drum, &stone]);
        assert!((found.velocity - velocity).length() < 1e-4, "{} {velocity}", found.velocity);
        assert!((found.acceleration - acceleration).length() < 1e-3, "{} {acceleration}", found.acceleration);
        // A hundredth of a second later the acceleration has changed by less than the bound.
        let later = axes.approach([&drum, &stone], 0.01, 0.0).acceleration;
        let back = crate::math::DQuat::from_scaled_axis(-axes.angular_velocity * 0.01);
        assert!((back * later - found.acceleration).length() < 0.01 * found.jerk, "{}", found.jerk);
    }

    #[test]
    fn bodies_that_rotate_together_have_no_surface_speed() {
        let shape = Geometry::Cuboid { half: Vec3::new(5.0, 0.1, 4.0) };
        let spin = Vec3::Z * (0.8 as Real);
        let paths = [DVec3::ZERO, DVec3::NEG_Y].map(|center| turning(center, DVec3::ZERO, spin));
        let [a, b] = [0, 1].map(|k| SweptShape::new(&shape, Pose::IDENTITY, &paths[k]));
        let axes = RotatingFrame::of([&a, &b], 0.0);
        assert_eq!(from_f64(axes.angular_velocity), spin);
        // The rest is the change while the frame rotates.
        let speed = |left| axes.surface_speed(1, &b, None, (left, left));
        assert_eq!((axes.surface_speed(0, &a, None, (0.01, 0.01)), speed(0.0)), (0.0, 0.0));
        assert!(speed(0.01) < 0.1 * 0.8 * b.rotation_radius);
    }
}
