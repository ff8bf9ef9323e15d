//! Digests of shapes, stored in files instead of the shapes.

use crate::components::Collider;
use crate::file_form::checksum;
use crate::math::parry::shape::{ShapeType, SharedShape};
use crate::state::State;
use rustc_hash::FxHashMap;

/// The digests of shapes, 0 without a shape. A shared shape is digested once.
pub(super) fn digests<'a>(shapes: impl Iterator<Item = Option<&'a Collider>>) -> Vec<u64> {
    let mut known = FxHashMap::default();
    shapes
        .map(|shape| {
            shape.map_or(0, |shape| {
                *known.entry(crate::bodies::shape_address(shape)).or_insert_with(|| digest(&shape.0))
            })
        })
        .collect()
}

/// A nonzero digest, equal for equal shapes. For a shape that parry cannot serialise it is made of
/// its type and bounding box.
fn digest(shape: &SharedShape) -> u64 {
    let custom = shape.shape_type() == ShapeType::Custom;
    let written = if custom { None } else { postcard::to_allocvec(shape).ok() };
    let bytes = written.unwrap_or_else(|| {
        let aabb = shape.compute_local_aabb();
        let corners = aabb.mins.to_array().into_iter().chain(aabb.maxs.to_array());
        corners.flat_map(|x| f64::from(x).to_bits().to_le_bytes()).chain([shape.shape_type() as u8]).collect()
    });
    checksum(&bytes).max(1)
}

/// Gives the bodies of a state from a file their shapes from the world, where the digests agree. The
/// others get one that no world can have: whatever the next step finds there is another shape.
pub(super) fn take_shapes(state: &mut State, world: &hecs::World, shapes: &[u64]) {
    let unknown = Collider(SharedShape::ball(0.0));
    let mut known = FxHashMap::default();
    for (slot, &shape) in shapes.iter().enumerate().filter(|(_, shape)| **shape != 0) {
        let collider = world.get::<&Collider>(state.bodies.entity[slot]).ok().filter(|collider| {
            let address = crate::bodies::shape_address(collider);
            *known.entry(address).or_insert_with(|| digest(&collider.0)) == shape
        });
        match collider {
            Some(collider) => state.take_shape(slot, &collider),
            None => state.bodies.inputs[slot].collider = Some(unknown.clone()),
        }
    }
    state.bodies.mark_all_edited();
}
