//! What a contact carries from step to step.

use crate::math::{Real, Vec3};

/// The impulse that a contact carries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Carried {
    /// Whether the contact rests: then impulses add up over the passes, and may be taken back.
    pub rests: bool,
    /// Along the normal, at least 0 (N s).
    pub push: Real,
    /// Friction on the first particle (N s).
    pub hold: Vec3,
}

impl Carried {
    /// Nothing yet, by a contact that rests.
    pub const RESTS: Self = Self { rests: true, push: 0.0, hold: Vec3::ZERO };
}
