//! The state of a body's rotation and what is read from it and written to it.

use super::unit::{Axes, Unit};
use crate::{
    math::{Quat, Real, Vec3},
    tolerances::MOMENTUM_RESIDUAL,
};

/// How a body resists rotation: principal moments of inertia and their axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrincipalInertia {
    principal: Vec3,
    inverse: Vec3,
    frame: Quat,
}

impl PrincipalInertia {
    /// Principal moments about the centre of mass (kg m², positive and finite), along axes that the unit quaternion
    /// `frame` turns into the body's.
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

    /// One over each principal moment.
    #[inline(always)]
    pub fn inverse(&self) -> Vec3 {
        self.inverse
    }

    /// The turn from the principal axes to the body's.
    #[inline(always)]
    pub fn frame(&self) -> Quat {
        self.frame
    }

    /// Whether all three moments are equal, as for balls and cubes.
    #[inline]
    pub fn is_isotropic(&self) -> bool {
        self.principal.x == self.principal.y && self.principal.y == self.principal.z
    }

    /// The moments for the laws.
    #[inline(always)]
    pub(super) fn moments(&self) -> Moments {
        Moments { principal: self.principal, inverse: self.inverse }
    }
}

/// Principal moments and their inverses: divisions are dear, and a body's moments seldom change.
#[derive(Clone, Copy)]
pub(super) struct Moments {
    pub principal: Vec3,
    pub inverse: Vec3,
}

/// The state of a body's rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spin {
    /// Unit quaternion from the body's axes to the world's.
    pub orientation: Quat,
    /// Angular velocity (rad/s, world axes).
    pub velocity: Vec3,
    /// What the angular momentum of the two is short of (kg m²/s, world axes): the rounding of the last step. Zero
    /// for a body new to the engine. See the [module](super).
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
        let axes = Unit::from_quat(self.orientation).times(Unit::from_quat(inertia.frame)).axes();
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
}

/// [`Spin`] in plain scalars.
#[derive(Clone, Copy)]
pub(super) struct PlainSpin {
    pub orientation: Unit,
    pub velocity: Vec3,
    pub residual: Vec3,
}

impl PlainSpin {
    #[inline(always)]
    pub(super) fn from_spin(spin: &Spin) -> Self {
        Self { orientation: Unit::from_quat(spin.orientation), velocity: spin.velocity, residual: spin.residual }
    }

    #[inline(always)]
    pub(super) fn to_spin(self) -> Spin {
        Spin { orientation: self.orientation.to_quat(), velocity: self.velocity, residual: self.residual }
    }

    /// A momentum and the orientation of the principal axes as a game sees them, with the residual that makes up for
    /// what the rounding of both loses. `FRAMED` says whether there is a frame at all; without one the bits are the
    /// same.
    #[inline(always)]
    pub(super) fn write<const FRAMED: bool>(principal: Unit, momentum: Vec3, moments: Moments, frame: Unit) -> Self {
        let orientation = if FRAMED { principal.times(frame.conjugate()) } else { principal };
        let axes = if FRAMED { orientation.times(frame).axes() } else { orientation.axes() };
        let velocity = axes.to_world(axes.to_body(momentum) * moments.inverse);
        let residual = momentum - carried(axes, moments.principal, velocity);
        // A product with no rotation turns a zero's sign round; adding zero makes all zeros positive.
        let orientation = Unit { v: orientation.v + Vec3::ZERO, w: orientation.w + 0.0 };
        Self { orientation, velocity: velocity + Vec3::ZERO, residual: residual + Vec3::ZERO }
    }
}

/// The momentum that a rounded angular velocity carries.
#[inline(always)]
fn carried(axes: Axes, inertia: Vec3, velocity: Vec3) -> Vec3 {
    axes.to_world(axes.to_body(velocity) * inertia)
}

/// The angular momentum, with the residual where it is as small as rounding leaves it.
#[inline(always)]
pub(super) fn momentum(axes: Axes, inertia: Vec3, velocity: Vec3, residual: Vec3) -> Vec3 {
    let small = MOMENTUM_RESIDUAL * (inertia.x + inertia.y + inertia.z) * sum_of_sizes(velocity);
    let keep = if sum_of_sizes(residual) <= small { 1.0 } else { 0.0 };
    carried(axes, inertia, velocity) + residual * keep
}

/// A bound on a vector's length, without a root.
#[inline(always)]
pub(super) fn sum_of_sizes(v: Vec3) -> Real {
    v.x.abs() + v.y.abs() + v.z.abs()
}
