//! Hit of a ray on one shape.

use crate::math::parry::shape::FeatureId;
use crate::math::{Real, Vec3};

/// Hit of a ray on a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct RayHit {
    /// Distance from the ray's origin (m).
    pub distance: Real,
    /// Unit normal of the surface, outward; zero if the ray starts inside.
    pub normal: Vec3,
    pub feature: FeatureId,
    pub part: u32,
}

impl RayHit {
    pub(super) fn new(distance: Real, normal: Vec3, feature: FeatureId) -> Self {
        Self { distance, normal, feature, part: 0 }
    }

    pub(super) const INSIDE: Self = Self { distance: 0.0, normal: Vec3::ZERO, feature: FeatureId::Unknown, part: 0 };
}
