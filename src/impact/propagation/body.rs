//! A body of a cluster: its motion within the step, extrapolated to the step's start.

use super::Held;
use crate::impact::collision_matrix::{Lever, collision_matrix};
use crate::impact::linkage::Change;
use crate::math::{DMat3, DVec3};

/// A body of a [`Cluster`](super::Cluster).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterBody {
    /// Extrapolated velocity of the centre of mass at the step's start (m/s).
    pub velocity: DVec3,
    /// Angular velocity (rad/s).
    pub angular_velocity: DVec3,
    /// Extrapolated displacement (m) that impacts within the step have left.
    pub shift: DVec3,
    /// The same of the rotation vector (rad), each impact's share added to the others'.
    pub turn: DVec3,
    /// What is to be added to it because rotations do not add up (rad), to second order: see [`Self::rotation`].
    pub bend: DVec3,
    /// Constant acceleration (m/s²); zero for what is supported.
    pub acceleration: DVec3,
    /// Inverse mass along each axis (1/kg).
    pub inverse_mass: DVec3,
    /// Inverse inertia about the centre of mass, world axes (1/(kg m²)).
    pub inverse_inertia: DMat3,
    /// Whether joints hold it.
    pub held: Held,
}

impl ClusterBody {
    /// What nothing moves.
    pub const FIXED: Self = Self {
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        shift: DVec3::ZERO,
        turn: DVec3::ZERO,
        bend: DVec3::ZERO,
        acceleration: DVec3::ZERO,
        inverse_mass: DVec3::ZERO,
        inverse_inertia: DMat3::ZERO,
        held: Held::Not,
    };

    /// Whether no impulse moves it.
    pub fn is_immovable(&self) -> bool {
        self.inverse_mass == DVec3::ZERO && self.inverse_inertia == DMat3::ZERO
    }

    /// Inverse mass (1/kg) if it is alike along every axis.
    pub(super) fn isotropic_mass(&self) -> Option<f64> {
        let mass = self.inverse_mass.x;
        (self.inverse_mass == DVec3::splat(mass)).then_some(mass)
    }

    /// Inverse mass and inverse moment of inertia (1/kg, 1/(kg m²)) if they are alike along and about every axis.
    pub(super) fn isotropic(&self) -> Option<(f64, f64)> {
        let inertia = self.inverse_inertia.x_axis.x;
        let alike = self.inverse_inertia == DMat3::from_diagonal(DVec3::splat(inertia));
        self.isotropic_mass().filter(|_| alike).map(|mass| (mass, inertia))
    }

    /// Velocity at the moment `t` of the material point at `arm` (m/s).
    pub(super) fn point_velocity(&self, arm: DVec3, t: f64) -> DVec3 {
        self.velocity + self.acceleration * t + self.angular_velocity.cross(arm)
    }

    /// The change of velocity at one arm per impulse at another.
    pub(super) fn response(&self, at: DVec3) -> DMat3 {
        let lever = Lever { inverse_mass: 0.0, inverse_inertia: self.inverse_inertia, arm: at };
        collision_matrix(&lever, &Lever::IMMOVABLE) + DMat3::from_diagonal(self.inverse_mass)
    }

    /// What an impulse at `arm` changes, if nothing holds the body.
    pub fn kick(&self, impulse: DVec3, arm: DVec3) -> Change {
        Change { velocity: self.inverse_mass * impulse, spin: self.inverse_inertia * arm.cross(impulse) }
    }

    /// The rotation (rad) that takes a body from where it is at the step's start to where it would have had to be, to come with its
    /// present angular velocity to where its impacts bring it.
    pub fn rotation(&self) -> DVec3 {
        self.turn + self.bend
    }

    /// An impulse at the moment `t` on a body that nothing holds.
    pub(super) fn push(&mut self, impulse: DVec3, arm: DVec3, t: f64) {
        self.take(self.kick(impulse, arm), t);
    }

    /// A change of its velocities at the moment `t`.
    ///
    /// Where the angular velocity changes from `v` to `w`, the body first turns by `v t`, and then by `-w t` back to the start; what
    /// earlier impacts have left comes before that. The Baker-Campbell-Hausdorff series of the three ends here with its second terms.
    pub(super) fn take(&mut self, Change { velocity: dv, spin: dw }: Change, t: f64) {
        let share = dw * -t;
        self.bend += 0.5 * (t * t * self.angular_velocity.cross(dw) + share.cross(self.turn));
        self.velocity += dv;
        self.angular_velocity += dw;
        self.shift -= dv * t;
        self.turn += share;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    /// How far a body that is struck three times in a step of `h` (s) is from where its rotations one after the other bring it (rad).
    fn error(h: f64, bent: bool) -> f64 {
        let start = DVec3::new(1.0, -2.0, 0.5);
        let mut body = ClusterBody {
            angular_velocity: start,
            inverse_mass: DVec3::ONE,
            inverse_inertia: DMat3::from_diagonal(DVec3::splat(2.5)),
            ..ClusterBody::FIXED
        };
        let (mut turned, mut now) = (DQuat::IDENTITY, 0.0);
        let kicks = [(0.2, DVec3::X, DVec3::Y), (0.5, DVec3::Y, DVec3::Z), (0.8, DVec3::ONE, DVec3::X)];
        for (part, impulse, arm) in kicks {
            turned = DQuat::from_scaled_axis(body.angular_velocity * (part * h - now)) * turned;
            now = part * h;
            body.push(impulse, arm, now);
        }
        turned = DQuat::from_scaled_axis(body.angular_velocity * (h - now)) * turned;
        let before = if bent { body.rotation() } else { body.turn };
        let got = DQuat::from_scaled_axis(body.angular_velocity * h) * DQuat::from_scaled_axis(before);
        2.0 * (got * turned.inverse()).xyz().length()
    }

    #[test]
    fn a_body_that_is_struck_within_a_step_turns_to_second_order_as_its_rotations_one_after_the_other() {
        let slope = |bent| (error(0.02, bent) / error(0.01, bent)).log2();
        assert!((slope(true) - 3.0).abs() < 0.1, "{}", slope(true));
        assert!((slope(false) - 2.0).abs() < 0.1, "{}", slope(false));
        assert!(error(0.02, true) < 0.1 * error(0.02, false), "{:e}", error(0.02, true));
    }
}
