//! The motion of two bodies as seen from axes that turn steadily with one of them.
//!
//! Where a drum carries what lies in it, both turn together: seen from the drum nearly nothing moves, and a wall that is metres long
//! does not swing. With `r` from the first centre of mass to the second, `v` and `w` its velocity and acceleration in fixed axes, and
//! `ω` the angular velocity of the axes, the velocity in them is `v - ω × r` and the acceleration `w - 2 ω × v + ω × (ω × r)`
//! (Coriolis and centrifugal). That changes at no more than `3 |ω| |w| + 3 |ω|² |v| + |ω|³ |r|`, for `w` and `ω` are constant.

use super::mover::Mover;
use super::path::Path;
use super::reach::TurningReach;
use crate::math::{DVec3, Quat};

/// Axes that turn steadily, or do not turn.
#[derive(Clone, Copy, Default)]
pub(super) struct TurningAxes {
    /// Angular velocity (rad/s).
    spin: DVec3,
    /// Which of the bodies they turn with.
    holder: Option<usize>,
}

/// How one centre of mass moves against the other at a moment, seen from turning axes.
pub(super) struct Approach {
    /// Relative velocity (m/s).
    pub velocity: DVec3,
    /// Relative acceleration (m/s²).
    pub acceleration: DVec3,
    /// The most by which that changes until the end (m/s²).
    pub slack: f64,
}

impl TurningAxes {
    /// The axes in which turning moves the surfaces of two shapes least.
    pub fn of(movers: [&Mover; 2], until: f64) -> Self {
        let speeds = movers.map(|mover| mover.path().turning_speed(until));
        let spins = movers.map(|mover| mover.path().steady_spin());
        let mut best = (Self::default(), speeds[0] * movers[0].reach + speeds[1] * movers[1].reach);
        for holder in 0..2 {
            let Some(spin) = spins[holder] else { continue };
            let other = 1 - holder;
            let speed = spins[other].map_or(speeds[other] + speeds[holder], |its| (its - spin).length());
            let swing = speed * movers[other].reach;
            if swing < best.1 {
                best = (Self { spin, holder: Some(holder) }, swing);
            }
        }
        best.0
    }

    /// How the second of two bodies moves against the first at the moment `t`, with `left` seconds to go.
    pub fn approach(&self, [a, b]: [&Path; 2], t: f64, left: f64) -> Approach {
        let (r, v) = (b.center_at(t) - a.center_at(t), b.velocity_at(t) - a.velocity_at(t));
        let (w, spin) = (b.acceleration - a.acceleration, self.spin);
        let rate = spin.length();
        let fastest = v.length() + w.length() * left;
        let farthest = r.length() + fastest * left;
        let change = rate * (3.0 * w.length() + rate * (3.0 * fastest + rate * farthest));
        Approach {
            velocity: v - spin.cross(r),
            acceleration: w - 2.0 * spin.cross(v) + spin.cross(spin.cross(r)),
            slack: change * left,
        }
    }

    /// A bound on the speed (m/s) along the unit vector `n`, or any if there is none, that turning gives to the surface of one of the
    /// bodies, at any moment up to `until` with `left` seconds to go.
    pub fn swing(&self, which: usize, mover: &Mover, n: Option<DVec3>, (left, until): (f64, f64)) -> f64 {
        if self.holder == Some(which) {
            return 0.0;
        }
        mover.reach
            * match mover.path().steady_spin() {
                Some(spin) => {
                    let seen = spin - self.spin;
                    n.map_or(seen, |n| seen.cross(n)).length() + spin.length() * self.spin.length() * left
                }
                None => mover.path().turning_speed(until) + self.spin.length(),
            }
    }

    /// How far one of the shapes, which stands at `place`, will reach along `direction` by turning.
    pub fn turning_reach<'a>(
        &self,
        which: usize,
        mover: &Mover<'a>,
        place: (DVec3, Quat),
        direction: DVec3,
        window: (f64, f64),
    ) -> Option<TurningReach<'a>> {
        if self.holder == Some(which) {
            return Some(TurningReach::STILL);
        }
        TurningReach::new(mover, self.spin, place, direction, window)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::kernels::Geometry;
    use crate::math::{Pose, Real, Vec3, from_f64};
    use crate::motion::Turning;

    fn turning(center: DVec3, velocity: DVec3, spin: Vec3) -> Path {
        let turning = Turning::Steady { orientation: Quat::IDENTITY, velocity: spin };
        Path { center, velocity, turning, ..Path::still(&Pose::IDENTITY) }
    }

    /// Of a place in turning axes, by differences over a millisecond.
    fn differences(axes: &TurningAxes, paths: [&Path; 2]) -> [DVec3; 2] {
        let h = 1e-3;
        let seen = |t: f64| {
            let turn = crate::math::DQuat::from_scaled_axis(-axes.spin * t);
            turn * (paths[1].center_at(t) - paths[0].center_at(t))
        };
        let (before, now, after) = (seen(-h), seen(0.0), seen(h));
        [(after - before) / (2.0 * h), (after + before - 2.0 * now) / (h * h)]
    }

    #[test]
    fn velocity_and_acceleration_are_those_of_the_place_in_the_axes() {
        let drum = turning(DVec3::ZERO, DVec3::X * 0.3, Vec3::new(0.2, -0.4, 0.8));
        let stone = Path {
            acceleration: DVec3::NEG_Y * 9.81,
            ..turning(DVec3::new(1.0, -7.0, 0.5), DVec3::new(3.0, 0.5, -1.0), Vec3::ZERO)
        };
        let axes = TurningAxes { spin: DVec3::new(0.2, -0.4, 0.8), holder: Some(0) };
        let found = axes.approach([&drum, &stone], 0.0, 0.01);
        let [velocity, acceleration] = differences(&axes, [&drum, &stone]);
        assert!((found.velocity - velocity).length() < 1e-4, "{} {velocity}", found.velocity);
        assert!((found.acceleration - acceleration).length() < 1e-3, "{} {acceleration}", found.acceleration);
        // And a hundredth of a second later the acceleration has changed by less than the slack.
        let later = axes.approach([&drum, &stone], 0.01, 0.0).acceleration;
        let back = crate::math::DQuat::from_scaled_axis(-axes.spin * 0.01);
        assert!((back * later - found.acceleration).length() < found.slack, "{}", found.slack);
    }

    #[test]
    fn what_turns_together_does_not_swing() {
        let shape = Geometry::Cuboid { half: Vec3::new(5.0, 0.1, 4.0) };
        let spin = Vec3::Z * (0.8 as Real);
        let paths = [DVec3::ZERO, DVec3::NEG_Y].map(|center| turning(center, DVec3::ZERO, spin));
        let [a, b] = [0, 1].map(|k| Mover::new(&shape, Pose::IDENTITY, &paths[k]));
        let axes = TurningAxes::of([&a, &b], 0.0);
        assert_eq!(from_f64(axes.spin), spin);
        // What is left is what changes while the axes turn.
        let swing = |left| axes.swing(1, &b, None, (left, left));
        assert_eq!((axes.swing(0, &a, None, (0.01, 0.01)), swing(0.0)), (0.0, 0.0));
        assert!(swing(0.01) < 0.1 * 0.8 * b.reach);
    }
}
