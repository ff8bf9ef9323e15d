//! Parts of compounds: convex shapes, each in range and in its place.

use super::range::check_part;
use crate::error::ShapeError;
use crate::math::Pose;
use crate::math::parry::shape::SharedShape;

/// Checks the parts of a compound: their kinds, sizes and poses.
pub(crate) fn check_parts(parts: &[(Pose, SharedShape)]) -> Result<(), ShapeError> {
    if parts.is_empty() {
        return Err(ShapeError::EmptyCompound);
    }
    if let Some(part) = parts.iter().position(|(_, part)| is_whole(part)) {
        return Err(ShapeError::NestedCompound { part });
    }
    parts.iter().enumerate().try_for_each(|(part, (pose, shape))| check_part(part, pose, &**shape))
}

/// True for shapes of many parts and for those without end.
fn is_whole(shape: &SharedShape) -> bool {
    shape.as_composite_shape().is_some() || shape.as_halfspace().is_some() || shape.as_heightfield().is_some()
}
