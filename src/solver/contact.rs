//! Contacts of a step, as the caller describes them.

use crate::math::{Real, Vec3};

/// Friction of a pair of surfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Surface {
    /// Coefficient of friction while the surfaces stick.
    pub static_friction: Real,
    /// Coefficient of friction while they slide.
    pub dynamic_friction: Real,
    /// Rolling friction (m): the torque that resists rolling, over the normal force. 0 for none.
    pub rolling_friction: Real,
}

/// A contact of a step: two bodies and the manifold they share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactRef {
    /// The first body; the normal of the manifold points away from it.
    pub a: u32,
    /// The second body.
    pub b: u32,
    /// Index of the manifold in the pool. No two contacts share one.
    pub manifold: u32,
    /// Island of both bodies. A movable body belongs to one island.
    pub island: u32,
    /// 0: the manifold is read anew each step. Else a number that changes whenever the manifold was
    /// rewritten, or a body was given another mass or was moved by anything but the solver: while
    /// it stays, the solver keeps its rows and impulses and advances the separations by itself,
    /// which is faster and rounds less.
    pub revision: u32,
    /// Friction of the surfaces.
    pub surface: Surface,
    /// Velocity of the second surface over its body less that of the first over its own, world axes
    /// (m/s): friction drives the sum of slip and this velocity to zero. Its part along the normal
    /// has no effect.
    pub surface_velocity: Vec3,
    /// True if an overlap is that of an extrapolated start of the motion, and opens by itself: it is
    /// not pushed out.
    pub extrapolated: bool,
}
