//! Volume and its first and second moments, the common basis of all mass properties.

use glam::{DMat3, DVec3};

use super::{
    MassProperties,
    eigen::principal_axes,
    tensors::{inertia_of_second, outer},
};

/// Moments of a region of space (or of a surface) of unit density, about a reference point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moments {
    /// The integral of 1: volume (m³), or area (m²).
    pub volume: f64,
    /// The integral of `x`.
    pub first: DVec3,
    /// The integral of `x x^T`.
    pub second: DMat3,
}

impl Moments {
    pub(super) fn zero() -> Self {
        Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO }
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.volume += other.volume;
        self.first += other.first;
        self.second += other.second;
    }

    /// The mass properties at this density; `reference` is the point of the moments. The volume
    /// must be positive.
    pub(super) fn properties(&self, reference: DVec3, density: f64) -> MassProperties {
        let center = self.first / self.volume;
        let (principal, frame) = principal_axes(inertia_of_second(self.second - outer(center, self.first)) * density);
        MassProperties { mass: density * self.volume, center: reference + center, principal, frame }
    }
}
