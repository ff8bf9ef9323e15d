//! A body of a cluster: its motion within the step, extrapolated to the step's start.

use crate::impact::collision_matrix::{BodyAtContact, collision_matrix};
use crate::impact::linkage::VelocityChange;
use crate::math::{DMat3, DVec3};

/// The joints of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkState {
    /// No joints.
    #[default]
    Free,
    /// Joints that have not been looked up yet.
    Unknown,
    /// Part of a linkage of the cluster.
    Linked {
        /// Index of the linkage in the cluster.
        linkage: u32,
        /// Index of the body in the linkage.
        index: u32,
    },
}

impl LinkState {
    /// The linkage's index, if there is one.
    pub fn linkage(self) -> Option<u32> {
        match self {
            Self::Linked { linkage, .. } => Some(linkage),
            Self::Free | Self::Unknown => None,
        }
    }
}

/// A body of a [`Cluster`](super::Cluster).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterBody {
    /// Extrapolated velocity of the centre of mass at the step's start (m/s).
    pub velocity: DVec3,
    /// Angular velocity (rad/s).
    pub angular_velocity: DVec3,
    /// Extrapolated displacement (m) by impacts within the step.
    pub displacement: DVec3,
    /// Extrapolated rotation vector (rad): the sum of the contributions of all impacts.
    pub rotation_sum: DVec3,
    /// Second-order correction of that sum (rad), because rotations do not commute: see
    /// [`Self::rotation`].
    pub rotation_correction: DVec3,
    /// The moment of its last impact (s).
    pub last_impact: f64,
    /// Constant acceleration (m/s²); zero for supported bodies.
    pub acceleration: DVec3,
    /// Inverse mass along each axis (1/kg).
    pub inverse_mass: DVec3,
    /// Inverse inertia about the centre of mass, world axes (1/(kg m²)).
    pub inverse_inertia: DMat3,
    /// Its joints.
    pub link: LinkState,
}

impl ClusterBody {
    /// An immovable body.
    pub const FIXED: Self = Self {
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        displacement: DVec3::ZERO,
        rotation_sum: DVec3::ZERO,
        rotation_correction: DVec3::ZERO,
        last_impact: 0.0,
        acceleration: DVec3::ZERO,
        inverse_mass: DVec3::ZERO,
        inverse_inertia: DMat3::ZERO,
        link: LinkState::Free,
    };

    /// True if no impulse moves it.
    pub fn is_immovable(&self) -> bool {
        self.inverse_mass == DVec3::ZERO && self.inverse_inertia == DMat3::ZERO
    }

    /// Inverse mass (1/kg) if it is equal along all axes.
    pub(super) fn isotropic_mass(&self) -> Option<f64> {
        let mass = self.inverse_mass.x;
        (self.inverse_mass == DVec3::splat(mass)).then_some(mass)
    }

    /// Inverse mass and inverse moment of inertia (1/kg, 1/(kg m²)) if both are isotropic.
    pub(super) fn isotropic(&self) -> Option<(f64, f64)> {
        let inertia = self.inverse_inertia.x_axis.x;
        let alike = self.inverse_inertia == DMat3::from_diagonal(DVec3::splat(inertia));
        self.isotropic_mass().filter(|_| alike).map(|mass| (mass, inertia))
    }

    /// Velocity at the moment `t` of the material point at `arm` (m/s).
    pub(super) fn point_velocity(&self, arm: DVec3, t: f64) -> DVec3 {
        self.velocity + self.acceleration * t + self.angular_velocity.cross(arm)
    }

    /// The velocity change at `at` per impulse there, a matrix (1/kg).
    pub(super) fn response(&self, at: DVec3) -> DMat3 {
        let body_at_contact = BodyAtContact { inverse_mass: 0.0, inverse_inertia: self.inverse_inertia, arm: at };
        collision_matrix(&body_at_contact, &BodyAtContact::IMMOVABLE) + DMat3::from_diagonal(self.inverse_mass)
    }

    /// The velocity change by an impulse at `arm`, without joints.
    pub fn velocity_change(&self, impulse: DVec3, arm: DVec3) -> VelocityChange {
        VelocityChange { linear: self.inverse_mass * impulse, angular: self.inverse_inertia * arm.cross(impulse) }
    }

    /// The rotation (rad) from the body's orientation at the step's start to its extrapolated
    /// start: turned from there with its present angular velocity, it ends where its impacts bring
    /// it.
    pub fn rotation(&self) -> DVec3 {
        self.rotation_sum + self.rotation_correction
    }

    /// Applies an impulse at the moment `t`, without joints.
    pub(super) fn apply_impulse(&mut self, impulse: DVec3, arm: DVec3, t: f64) {
        self.apply_change(self.velocity_change(impulse, arm), t);
    }

    /// Changes the velocities at the moment `t`.
    ///
    /// When the angular velocity changes from `v` to `w`, the body first turns by `v t`, and then
    /// by `-w t` back to the start, after the contributions of earlier impacts. The
    /// Baker-Campbell-Hausdorff series of the three is cut after its second-order terms.
    pub(super) fn apply_change(&mut self, VelocityChange { linear: dv, angular: dw }: VelocityChange, t: f64) {
        let share = dw * -t;
        self.rotation_correction += 0.5 * (t * t * self.angular_velocity.cross(dw) + share.cross(self.rotation_sum));
        self.velocity += dv;
        self.angular_velocity += dw;
        self.displacement -= dv * t;
        self.rotation_sum += share;
        self.last_impact = t;
    }

    /// Begins anew where its last impact has brought it, and not where its velocity would have come
    /// from: a velocity that changes again does not lead from there.
    pub(crate) fn begin_at_last_impact(&mut self) {
        let t = self.last_impact;
        let turn = self.angular_velocity * t;
        self.displacement += (self.velocity + 0.5 * self.acceleration * t) * t;
        self.rotation_correction += 0.5 * turn.cross(self.rotation_sum);
        self.rotation_sum += turn;
        self.last_impact = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    /// Orientation error (rad) of a body with three impacts in a step of `h` (s), against its
    /// rotations one after the other.
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
            body.apply_impulse(impulse, arm, now);
        }
        turned = DQuat::from_scaled_axis(body.angular_velocity * (h - now)) * turned;
        let before = if bent { body.rotation() } else { body.rotation_sum };
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
