//! The state of a body's rotation and what is read from it and written to it.

use super::unit::{Axes, Unit};
use crate::{
    math::{Quat, Real, Vec3},
    tolerances::MOMENTUM_RESIDUAL,
};

/// How a body resists rotation: principal moments of inertia and their axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalInertia {
    /// Principal moments about the centre of mass (kg m²), positive and finite.
    pub principal: Vec3,
    /// Unit quaternion that turns the principal axes into the body's axes.
    pub frame: Quat,
}

impl PrincipalInertia {
    /// Principal moments along the body's own axes (kg m²).
    pub fn aligned(principal: Vec3) -> Self {
        Self { principal, frame: Quat::IDENTITY }
    }

    /// Whether all three moments are equal, as for balls and cubes.
    #[inline]
    pub fn is_isotropic(&self) -> bool {
        self.principal.x == self.principal.y && self.principal.y == self.principal.z
    }
}

/// The state of a body's rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spin {
    /// Unit quaternion from the body's axes to the world's.
    pub orientation: Quat,
    /// Angular velocity (rad/s, world axes).
    pub velocity: Vec3,
    /// What the angular momentum of the two is short of (kg m²/s, world axes): the rounding of the last step. Zero for a body
    /// new to the engine. See the [module](super).
    pub residual: Vec3,
}

impl Spin {
    /// A body as a game gives it.
    pub fn new(orientation: Quat, velocity: Vec3) -> Self {
        Self { orientation, velocity, residual: Vec3::ZERO }
    }

    /// Angular momentum about the centre of mass (kg m²/s, world axes).
    #[inline]
    pub fn momentum(&self, inertia: &PrincipalInertia) -> Vec3 {
        let axes = principal_axes(Unit::from_quat(self.orientation), Unit::from_quat(inertia.frame)).axes();
        momentum(axes, inertia.principal, self.velocity, self.residual)
    }

    /// Kinetic energy of the rotation (J).
    #[inline]
    pub fn energy(&self, inertia: &PrincipalInertia) -> Real {
        0.5 * self.velocity.dot(self.momentum(inertia))
    }

    /// The same rotation, `factor` times as fast: see [`Decay`](crate::motion::damping::Decay).
    #[inline]
    pub fn scaled(&self, factor: Real) -> Self {
        Self { velocity: self.velocity * factor, residual: self.residual * factor, ..*self }
    }

    /// Orientation `principal` of the principal axes and momentum as a game sees them, with the residual that makes up for
    /// what the rounding of both loses.
    #[inline(always)]
    pub(super) fn write(principal: Unit, momentum: Vec3, inertia: Vec3, frame: Unit) -> (Unit, Vec3, Vec3) {
        let orientation = principal.times(frame.conjugate());
        let axes = principal_axes(orientation, frame).axes();
        let velocity = axes.to_world(axes.to_body(momentum) / inertia);
        let residual = momentum - carried(axes, inertia, velocity);
        (orientation, velocity, residual)
    }
}

/// The principal axes' orientation in world axes.
#[inline(always)]
pub(super) fn principal_axes(orientation: Unit, frame: Unit) -> Unit {
    orientation.times(frame)
}

/// The momentum that a rounded angular velocity carries.
#[inline(always)]
fn carried(axes: Axes, inertia: Vec3, velocity: Vec3) -> Vec3 {
    axes.to_world(axes.to_body(velocity) * inertia)
}

/// The angular momentum, with the residual where it is as small as rounding leaves it.
#[inline(always)]
pub(super) fn momentum(axes: Axes, inertia: Vec3, velocity: Vec3, residual: Vec3) -> Vec3 {
    let sum = |v: Vec3| v.x.abs() + v.y.abs() + v.z.abs();
    let small = MOMENTUM_RESIDUAL * (inertia.x + inertia.y + inertia.z) * sum(velocity);
    let keep = if sum(residual) <= small { 1.0 } else { 0.0 };
    carried(axes, inertia, velocity) + residual * keep
}
