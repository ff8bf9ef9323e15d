//! The state of a body's rotation, and its conversions.

use super::unit_quat::{Axes, UnitQuat};
use crate::{
    math::{Quat, Real, Vec3},
    tolerances::MOMENTUM_RESIDUAL,
};

/// Principal moments of inertia and their axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalInertia {
    principal: Vec3,
    inverse: Vec3,
    frame: Quat,
}

impl PrincipalInertia {
    /// Principal moments about the centre of mass (kg m², positive and finite); `frame` is the unit
    /// quaternion from principal to body axes.
    pub fn new(principal: Vec3, frame: Quat) -> Self {
        Self { principal, inverse: Vec3::ONE / principal, frame }
    }

    /// Principal moments along the body's own axes (kg m²).
    pub fn aligned(principal: Vec3) -> Self {
        Self::new(principal, Quat::IDENTITY)
    }

    /// The principal moments (kg m²).
    #[inline(always)]
    pub fn principal(&self) -> Vec3 {
        self.principal
    }

    /// The inverse of each principal moment.
    #[inline(always)]
    pub fn inverse(&self) -> Vec3 {
        self.inverse
    }

    /// The rotation from principal to body axes.
    #[inline(always)]
    pub fn frame(&self) -> Quat {
        self.frame
    }

    /// True if all three moments are equal, as for balls and cubes.
    #[inline]
    pub fn is_isotropic(&self) -> bool {
        self.principal.x == self.principal.y && self.principal.y == self.principal.z
    }

    /// The moments for the rotation laws.
    #[inline(always)]
    pub(super) fn moments(&self) -> Moments {
        Moments { principal: self.principal, inverse: self.inverse }
    }
}

/// Principal moments and their inverses, cached because divisions are expensive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub principal: Vec3,
    pub inverse: Vec3,
}

/// The state of a body's rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationState {
    /// Unit quaternion from the body's axes to the world's.
    pub orientation: Quat,
    /// Angular velocity (rad/s, world axes).
    pub velocity: Vec3,
    /// Rounding remainder of the angular momentum (kg m²/s, world axes): the exact momentum less
    /// that of orientation and angular velocity. Zero for a new body. See the [module](super).
    pub residual: Vec3,
}

impl RotationState {
    /// A body from user values.
    pub fn new(orientation: Quat, velocity: Vec3) -> Self {
        Self { orientation, velocity, residual: Vec3::ZERO }
    }

    /// Angular momentum about the centre of mass (kg m²/s, world axes).
    #[inline]
    pub fn momentum(&self, inertia: &PrincipalInertia) -> Vec3 {
        let axes = UnitQuat::from_quat(self.orientation).times(UnitQuat::from_quat(inertia.frame)).axes();
        momentum(axes, inertia.principal, self.velocity, self.residual)
    }

    /// Kinetic energy of the rotation (J).
    #[inline]
    pub fn energy(&self, inertia: &PrincipalInertia) -> Real {
        0.5 * self.velocity.dot(self.momentum(inertia))
    }

    /// The same rotation with its angular velocity multiplied by `factor`: see
    /// [`Decay`](crate::motion::damping::Decay).
    #[inline]
    pub fn scaled(&self, factor: Real) -> Self {
        Self { velocity: self.velocity * factor, residual: self.residual * factor, ..*self }
    }
}

/// [`RotationState`] in plain scalars.
#[derive(Clone, Copy)]
pub(super) struct PlainRotation {
    pub orientation: UnitQuat,
    pub velocity: Vec3,
    pub residual: Vec3,
}

impl PlainRotation {
    #[inline(always)]
    pub(super) fn from_state(spin: &RotationState) -> Self {
        Self { orientation: UnitQuat::from_quat(spin.orientation), velocity: spin.velocity, residual: spin.residual }
    }

    #[inline(always)]
    pub(super) fn to_state(self) -> RotationState {
        RotationState { orientation: self.orientation.to_quat(), velocity: self.velocity, residual: self.residual }
    }

    /// Converts a momentum and the orientation of the principal axes to a state, with the residual
    /// that compensates the rounding of both. `FRAMED` says whether the principal frame differs
    /// from the identity; if not, the bits are the same either way.
    #[inline(always)]
    pub(super) fn write<const FRAMED: bool>(
        principal: UnitQuat,
        momentum: Vec3,
        moments: Moments,
        frame: UnitQuat,
    ) -> Self {
        let orientation = if FRAMED { principal.times(frame.conjugate()) } else { principal };
        let axes = if FRAMED { orientation.times(frame).axes() } else { orientation.axes() };
        let velocity = axes.to_world(axes.to_body(momentum) * moments.inverse);
        let residual = momentum - rounded_momentum(axes, moments.principal, velocity);
        // A product with the identity may flip the sign of a zero; adding zero makes all zeros
        // positive.
        let orientation = UnitQuat { v: orientation.v + Vec3::ZERO, w: orientation.w + 0.0 };
        Self { orientation, velocity: velocity + Vec3::ZERO, residual: residual + Vec3::ZERO }
    }
}

/// The momentum of a rounded angular velocity.
#[inline(always)]
fn rounded_momentum(axes: Axes, inertia: Vec3, velocity: Vec3) -> Vec3 {
    axes.to_world(axes.to_body(velocity) * inertia)
}

/// The angular momentum, with the residual if it is as small as rounding leaves it.
#[inline(always)]
pub(super) fn momentum(axes: Axes, inertia: Vec3, velocity: Vec3, residual: Vec3) -> Vec3 {
    let small = MOMENTUM_RESIDUAL * (inertia.x + inertia.y + inertia.z) * l1_norm(velocity);
    let keep = if l1_norm(residual) <= small { 1.0 } else { 0.0 };
    rounded_momentum(axes, inertia, velocity) + residual * keep
}

/// The 1-norm: a bound on a vector's length without a square root.
#[inline(always)]
pub(super) fn l1_norm(v: Vec3) -> Real {
    v.x.abs() + v.y.abs() + v.z.abs()
}
