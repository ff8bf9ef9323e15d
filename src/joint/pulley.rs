//! A rope over two fixed points of the world.
//!
//! Its coordinate is the length of its first part plus the ratio times that of the second (m). A part
//! runs from its point to the anchor; one without length pulls nowhere.

use crate::components::JointKind;
use crate::math::{DVec3, Norm, Real, Vec3, from_f64, to_f64};

/// The length that a pulley bounds, and those of both parts of its rope (m).
pub fn pulley_lengths(ratio: Real, parts: [Vec3; 2]) -> Vec3 {
    let [first, second] = parts.map(|part| part.norm());
    Vec3::new(first + ratio * second, first, second)
}

/// Forces of a pulley's row for a unit force, that on the first body negated.
pub fn pulley_forces(ratio: f64, [first, second]: [DVec3; 2]) -> [DVec3; 2] {
    [-first.normalize_or_zero(), second.normalize_or_zero() * ratio]
}

/// Force (N) of a joint of this kind on its first body, from that on the second.
pub fn force_on_first(kind: &JointKind, parts: [Vec3; 2], force: Vec3) -> Vec3 {
    let JointKind::Pulley { ratio, .. } = *kind else { return -force };
    let [first, second] = parts.map(to_f64).map(DVec3::normalize_or_zero);
    from_f64(first * (second.dot(to_f64(force)) / f64::from(ratio)))
}
