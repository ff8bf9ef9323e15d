//! What the caller says about each contact of a step.

use crate::math::{Real, Vec3};

/// How two surfaces rub.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surface {
    /// Coefficient of friction while the surfaces stick.
    pub static_friction: Real,
    /// Coefficient of friction while they slide.
    pub dynamic_friction: Real,
    /// Rolling friction (m): the torque that resists rolling, over the normal force. 0 for none.
    pub rolling_friction: Real,
}

/// One contact of a step: two bodies and the manifold they share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactRef {
    /// The first body; the manifold's normal leads away from it.
    pub a: u32,
    /// The second body.
    pub b: u32,
    /// Where the manifold lies in the pool. No two contacts share one.
    pub manifold: u32,
    /// The island both bodies belong to. A movable body belongs to one island.
    pub island: u32,
    /// 0: the manifold is read anew each step. Else a number that changes whenever the manifold was written anew, or a
    /// body was given another mass or was moved by anything but the solver: while it stays, the solver keeps the rows and
    /// impulses it has and carries the separations on by itself, which is faster and rounds less.
    pub revision: u32,
    /// How the surfaces rub.
    pub surface: Surface,
    /// Velocity of the second surface over its body less that of the first over its own, world axes (m/s): friction drives the
    /// slip with it to zero. What of it is along the normal has no effect.
    pub surface_velocity: Vec3,
}
