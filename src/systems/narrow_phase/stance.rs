//! What every pair asks of a body, side by side: a cache line in `f32`, so that a pair costs two.

use crate::bodies::{Bodies, Kind};
use crate::math::{Pose, Quat, Real, Vec3, turn_between};
use crate::systems::pace::is_spinning;

/// A body as the narrow phase sees it.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Stance {
    pub orientation: Quat,
    pub position: Vec3,
    pub center: Vec3,
    /// What the velocity at the step's end, free of contacts, comes to over the step (m).
    pub step: Vec3,
    /// How far turning moves any point in the step (m).
    pub turning: Real,
    pub radius: Real,
    pub dynamic: bool,
    /// Whether it moves too far for contacts at the step's start to tell what it meets, and whether that is by turning.
    pub fast: bool,
    pub spinning: bool,
}

#[cfg(not(feature = "f64"))]
const _: () = assert!(size_of::<Stance>() == 64);

impl Stance {
    pub fn of(bodies: &Bodies, slot: usize, dt: Real) -> Self {
        Self {
            orientation: bodies.orientation[slot],
            position: bodies.position[slot],
            center: bodies.center[slot],
            step: (bodies.linear_velocity[slot] + bodies.free_acceleration(slot) * dt) * dt,
            turning: bodies.angular_velocity[slot].length() * bodies.radius[slot] * dt,
            radius: bodies.radius[slot],
            dynamic: bodies.kind[slot] == Kind::Dynamic,
            fast: bodies.fast[slot],
            spinning: bodies.fast[slot] && is_spinning(bodies, slot, dt),
        }
    }

    #[inline]
    pub fn pose(&self) -> Pose {
        Pose::from_parts(self.position, self.orientation)
    }

    /// How far any point of this body has moved against the other one, at most, since the body stood `before` to it and not
    /// `now` (m).
    #[inline]
    pub fn moved(&self, before: &Pose, now: &Pose) -> Real {
        (now.translation - before.translation).length() + self.radius * turn_between(before.rotation, now.rotation)
    }

    /// The same for a body whose centre of mass may lie far from its origin.
    pub fn moved_about_center(&self, before: &Pose, now: &Pose) -> Real {
        let center = self.orientation.inverse() * (self.center - self.position);
        (*now * center - *before * center).length() + self.radius * turn_between(before.rotation, now.rotation)
    }

    /// How far the two can close in on each other in this step (m).
    #[inline]
    pub fn travel(&self, other: &Self) -> Real {
        (other.step - self.step).length() + self.turning + other.turning
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_never_underrated_and_small_ones_hardly_overrated() {
        let body = Stance { radius: 1.0, ..Stance::default() };
        for k in 1..=300 {
            let angle = 0.0104 * k as Real;
            let turned = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), angle);
            for q in [turned, -turned] {
                let moved = body.moved(&Pose::IDENTITY, &Pose::from_parts(Vec3::ZERO, q));
                assert!(moved >= angle * (1.0 - 1e-5) && moved <= angle * 1.03, "{moved} for {angle}");
            }
        }
    }
}
