//! Random floors.

use super::shapes::{field, sheet, spoil};
use crate::campaign::dice::Dice;
use crate::campaign::modes::Ranges;
use crate::campaign::plan::{BodyPlan, FloorPlan};
use crate::campaign::shape::Shape;
use dolmen::components::RigidBody;
use dolmen::math::{Quat, Real, Vec3};

/// A floor at a place, of about 60 sizes, and what it promises: that nothing passes it. A spoilt
/// mesh promises nothing.
pub fn floor(dice: &mut Dice, ranges: &Ranges, id: u32, place: Vec3, size: Real) -> (BodyPlan, Option<FloorPlan>) {
    let half = 30.0 * size;
    let mut extent = half;
    let mut sound = true;
    let mut lift = Vec3::ZERO;
    let shape = match dice.count([0, 9]) {
        0..=2 => {
            extent = Real::INFINITY;
            Shape::HalfSpace(Vec3::Y)
        }
        3..=5 => {
            let thick = size * dice.within([0.1, 2.0]) as Real;
            lift = Vec3::NEG_Y * thick;
            Shape::Cuboid(Vec3::new(half, thick, half))
        }
        6..=7 => {
            let cells = dice.count([1, 12]);
            let rise = if dice.chance(0.5) { 0.0 } else { size };
            let mut mesh = sheet(dice, half, cells, rise);
            if dice.chance(ranges.degenerate) {
                spoil(dice, &mut mesh);
                sound = false;
            }
            mesh
        }
        _ => {
            let cells = dice.count([1, 20]);
            let rise = if dice.chance(0.5) { 0.0 } else { size };
            field(dice, half, cells, rise)
        }
    };
    let body = BodyPlan {
        id,
        of: None,
        kind: RigidBody::Static,
        shape,
        position: place + lift,
        orientation: Quat::IDENTITY,
        linear: Vec3::ZERO,
        angular: Vec3::ZERO,
        parts: Vec::new(),
        ignores: Vec::new(),
    };
    // Largest step between two numbers at that distance.
    let grain = place.abs().max_element() * Real::EPSILON;
    let plan = FloorPlan { center: place, extent: if extent.is_finite() { extent } else { Real::MAX } };
    (body, (sound && grain < 1e-4 * size).then_some(plan))
}
