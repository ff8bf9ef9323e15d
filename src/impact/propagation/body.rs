//! A body of a cluster: its motion within the step, extrapolated to the step's start.

use crate::impact::collision_matrix::{Lever, collision_matrix};
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
    /// The same of the rotation vector (rad).
    pub turn: DVec3,
    /// Constant acceleration (m/s²); zero for what is supported.
    pub acceleration: DVec3,
    /// Inverse mass along each axis (1/kg).
    pub inverse_mass: DVec3,
    /// Inverse inertia about the centre of mass, world axes (1/(kg m²)).
    pub inverse_inertia: DMat3,
}

impl ClusterBody {
    /// What nothing moves.
    pub const FIXED: Self = Self {
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        shift: DVec3::ZERO,
        turn: DVec3::ZERO,
        acceleration: DVec3::ZERO,
        inverse_mass: DVec3::ZERO,
        inverse_inertia: DMat3::ZERO,
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

    /// What an impulse at `arm` changes: velocity and angular velocity.
    pub(super) fn kick(&self, impulse: DVec3, arm: DVec3) -> (DVec3, DVec3) {
        (self.inverse_mass * impulse, self.inverse_inertia * arm.cross(impulse))
    }

    /// An impulse at the moment `t`.
    pub(super) fn push(&mut self, impulse: DVec3, arm: DVec3, t: f64) {
        let (dv, dw) = self.kick(impulse, arm);
        self.velocity += dv;
        self.angular_velocity += dw;
        self.shift -= dv * t;
        self.turn -= dw * t;
    }
}
