//! The impulse of a contact, kept from step to step for warm starting.

use crate::math::{Real, Vec3};

/// The accumulated impulse of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ContactImpulse {
    /// True if the contact is resting: its impulses accumulate over the passes and may decrease
    /// again.
    pub resting: bool,
    /// Normal impulse, at least 0 (N s).
    pub normal_impulse: Real,
    /// Friction impulse on the first particle (N s).
    pub friction_impulse: Vec3,
}

impl ContactImpulse {
    /// Zero, for a resting contact.
    pub const RESTS: Self = Self { resting: true, normal_impulse: 0.0, friction_impulse: Vec3::ZERO };
}
