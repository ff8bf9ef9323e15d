//! Input and result of an impact.

use crate::math::{DMat3, DVec3};
use std::fmt;

/// The input of an impact, in the contact's frame: the normal is +z and points to body A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// The collision matrix `K` in 1/kg ([`crate::impact::collision_matrix`]); only its symmetric
    /// part is used. It may be semidefinite (locked axes), as long as `K_33 > 0`.
    pub k: DMat3,
    /// The velocity of A's contact point relative to B's, in m/s; `z < 0` approaches.
    pub velocity: DVec3,
    /// The coefficient of friction, 0 or more.
    pub friction: f64,
    /// The coefficient of restitution, from 0 (plastic) to 1 (elastic). Energetic (Stronge): its
    /// square is the returned fraction of the compression work.
    pub restitution: f64,
}

/// The reason why an input is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvalidImpact {
    /// A number is NaN or infinite, or the result would overflow `f64`.
    NotFinite,
    /// The normal velocity is zero or separating.
    NotApproaching,
    /// The coefficient of friction is negative.
    NegativeFriction,
    /// The coefficient of restitution is outside `0..=1`.
    RestitutionOutOfRange,
    /// The matrix is not positive semidefinite, or has no normal response (two immovable bodies).
    NotACollisionMatrix,
}

impl fmt::Display for InvalidImpact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFinite => "a number is not finite, or the impulse would overflow",
            Self::NotApproaching => "the contact does not approach: its normal velocity must be negative",
            Self::NegativeFriction => "the coefficient of friction is negative",
            Self::RestitutionOutOfRange => "the coefficient of restitution is not between 0 and 1",
            Self::NotACollisionMatrix => "the matrix is not positive semidefinite with a positive normal response",
        })
    }
}

impl std::error::Error for InvalidImpact {}

/// The result of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The relative velocity after the impact, in m/s, in the contact's frame. Its tangential part
    /// is exactly zero if the contact sticks. Equal to `u_0 + K p` to the tolerance.
    pub velocity: DVec3,
    /// The impulse on body A, in N s, in the contact's frame; body B gets its opposite. Inside the
    /// friction cone.
    pub impulse: DVec3,
    /// The work of the normal impulse in all compressions, `W_c <= 0`, in J.
    pub compression_work: f64,
    /// The work of the normal impulse in all restitutions, `W_d = -e^2 W_c`, in J.
    pub restitution_work: f64,
    /// The change of kinetic energy that `impulse` makes, `p.u_0 + p.K p / 2 <= 0`, in J.
    pub energy_change: f64,
    /// Number of compressions: nearly always one.
    pub phases: u32,
    /// The contact's motion at the end.
    pub ended_by: Ending,
    /// The phase in which sliding stopped, if it did (or never began).
    pub stick_phase: Option<Phase>,
    /// Number of integration steps of sliding.
    pub steps: u32,
    /// Action of the energy guard.
    pub guard: Guard,
}

/// The motion of a contact at the end of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// It slides, without a stop before.
    Sliding,
    /// It stopped and sticks.
    StableSticking,
    /// It stopped, the friction cone did not allow sticking, and it left along the diverging ray.
    UnstableSticking,
}

/// A phase of an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The bodies approach: `u_z < 0`.
    Compression,
    /// The bodies separate: `u_z >= 0`.
    Restitution,
}

/// Action of the energy guard on an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guard {
    /// None: the impulse loses energy.
    Kept,
    /// The impulse was scaled by this factor, just under one, to conserve energy.
    Shrunk(f64),
    /// Scaling would have changed too much: the impact was solved again with a finer tolerance.
    Redone,
    /// The finer solution gained energy too: the impact was solved without friction in closed form.
    Frictionless,
}
