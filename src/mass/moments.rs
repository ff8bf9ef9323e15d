//! Volume and its first and second moments: what every way of weighing a shape adds up.

use glam::{DMat3, DVec3};

use super::{MassProperties, eigen::principal_axes};

/// The outer product `a b^T`.
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// `a b^T + b a^T`.
pub(super) fn symmetric_outer(a: DVec3, b: DVec3) -> DMat3 {
    outer(a, b) + outer(b, a)
}

/// The inertia tensor of a distribution with the second moments `second` about the same point: `tr(S) 1 - S`.
pub(super) fn inertia_of_second(second: DMat3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(second.x_axis.x + second.y_axis.y + second.z_axis.z)) - second
}

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

    /// The mass properties at this density; `reference` is the point the moments were taken about. The volume has
    /// to be positive.
    pub(super) fn properties(&self, reference: DVec3, density: f64) -> MassProperties {
        let center = self.first / self.volume;
        let (principal, frame) = principal_axes(inertia_of_second(self.second - outer(center, self.first)) * density);
        MassProperties { mass: density * self.volume, center: reference + center, principal, frame }
    }
}
