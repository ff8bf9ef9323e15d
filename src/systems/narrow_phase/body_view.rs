//! Body data of the narrow phase: one cache line in `f32`, so that a pair reads two.

use crate::bodies::{Bodies, Kind};
use crate::math::{Norm, Pose, Quat, Real, Vec3, angle_between};
use crate::systems::fast_bodies::is_spinning;

/// View of a body for the narrow phase.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct BodyView {
    pub orientation: Quat,
    pub position: Vec3,
    pub center: Vec3,
    /// Displacement in the step with the contact-free velocity at its end (m).
    pub step: Vec3,
    /// Bound of the displacement of any point by rotation in the step (m).
    pub turning: Real,
    pub radius: Real,
    pub dynamic: bool,
    /// True if the body moves too far for the contacts at the start of the step, and whether by
    /// rotation.
    pub fast: bool,
    pub spinning: bool,
}

#[cfg(not(feature = "f64"))]
const _: () = assert!(size_of::<BodyView>() == 64);

impl BodyView {
    pub fn of(bodies: &Bodies, slot: usize, dt: Real) -> Self {
        Self {
            orientation: bodies.orientation[slot],
            position: bodies.position[slot],
            center: bodies.center[slot],
            step: (bodies.linear_velocity[slot] + bodies.free_acceleration(slot) * dt) * dt,
            turning: bodies.turning_travel(slot, dt),
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

    /// Bound of the displacement of any point of this body relative to the other one since its
    /// relative pose was `before` (m).
    #[inline]
    pub fn moved(&self, before: &Pose, now: &Pose) -> Real {
        (now.translation - before.translation).norm() + self.radius * angle_between(before.rotation, now.rotation)
    }

    /// The same for a body whose centre of mass may be far from its origin.
    pub fn moved_about_center(&self, before: &Pose, now: &Pose) -> Real {
        let center = self.orientation.inverse() * (self.center - self.position);
        (*now * center - *before * center).norm() + self.radius * angle_between(before.rotation, now.rotation)
    }

    /// Bound of the approach of two bodies in this step (m).
    #[inline]
    pub fn travel(&self, other: &Self) -> Real {
        (other.step - self.step).norm() + self.turning + other.turning
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_never_underrated_and_small_ones_hardly_overrated() {
        let body = BodyView { radius: 1.0, ..BodyView::default() };
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
