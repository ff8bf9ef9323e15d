//! What every pair asks of a body, side by side: a cache line in `f32`, so that a pair costs two.

use crate::bodies::{Bodies, Kind};
use crate::math::{Pose, Quat, Real, Vec3};

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
        }
    }

    #[inline]
    pub fn pose(&self) -> Pose {
        Pose::from_parts(self.position, self.orientation)
    }

    /// How far the two can close in on each other in this step (m).
    #[inline]
    pub fn travel(&self, other: &Self) -> Real {
        (other.step - self.step).length() + self.turning + other.turning
    }
}
