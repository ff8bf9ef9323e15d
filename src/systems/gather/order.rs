//! The order of edits: known bodies by slot, newcomers by their data.

use super::scratch::Edit;
use crate::math::Real;
use std::cmp::Ordering;

/// Sorts edits independently of row order.
///
/// Two newcomers that agree in pose, velocity, shape, mass and surface are interchangeable for
/// physics; only then does the entity decide.
pub(super) fn sort(edits: &mut [Edit]) {
    edits.sort_unstable_by(|a, b| {
        a.slot
            .cmp(&b.slot)
            // Most newcomers differ in position; the other keys cost more.
            .then_with(|| compare(&position_key(a), &position_key(b)))
            .then_with(|| compare(&other_keys(a), &other_keys(b)))
            .then_with(|| a.entity.to_bits().cmp(&b.entity.to_bits()))
    });
}

/// The position of a newcomer.
fn position_key(edit: &Edit) -> [Real; 3] {
    edit.motion.position.unwrap_or_default().to_array()
}

/// The other data of a newcomer, as numbers.
fn other_keys(edit: &Edit) -> [Real; 21] {
    let q = edit.motion.orientation.unwrap_or_default();
    let v = edit.motion.linear.unwrap_or_default();
    let w = edit.motion.angular.unwrap_or_default();
    let (kind, extent) = edit.inputs.collider.as_ref().map_or((0.0, Default::default()), |c| {
        (1.0 + (c.0.shape_type() as u8) as Real, c.0.compute_local_aabb().half_extents())
    });
    let surface = edit.inputs.material.unwrap_or_default();
    let of = edit.inputs.collider_of.map(|of| of.position).unwrap_or_default();
    [
        q.x,
        q.y,
        q.z,
        q.w,
        v.x,
        v.y,
        v.z,
        w.x,
        w.y,
        w.z,
        kind,
        extent.x,
        extent.y,
        extent.z,
        edit.inputs.mass.map_or(0.0, |m| m.0),
        edit.inputs.density.map_or(0.0, |d| d.0),
        surface.dynamic_friction,
        surface.restitution,
        of.x,
        of.y,
        of.z,
    ]
}

fn compare(a: &[Real], b: &[Real]) -> Ordering {
    a.iter().zip(b).map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}
