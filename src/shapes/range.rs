//! Ranges of a shape's sizes: whatever enters a step or a query has passed them.

use super::lists::{check_points, is_near};
use crate::error::ShapeError;
use crate::math::parry::shape::{HeightField, Shape, TypedShape};
use crate::math::{Pose, Real, Vec3};
use crate::ranges::{LARGEST, SMALLEST};

type Checked = Result<(), ShapeError>;

/// Checks the extents of a parry shape, parts of compounds included.
///
/// # Errors
/// [`ShapeError`] for what no step would take.
pub(crate) fn check_range(shape: &dyn Shape) -> Checked {
    match shape.as_typed_shape() {
        TypedShape::Ball(s) => size("the ball's radius", s.radius),
        TypedShape::Cuboid(s) => half_extents(s.half_extents),
        TypedShape::Capsule(s) => size("the capsule's radius", s.radius).and(check_bounds(shape)),
        TypedShape::Cylinder(s) => cylinder(s.half_height, s.radius),
        TypedShape::Cone(s) => cone(s.half_height, s.radius),
        // A normal that came from `normalize` is off by a few units in the last place at most.
        TypedShape::HalfSpace(s) if !s.normal.is_normalized() => Err(ShapeError::Normal { value: s.normal }),
        TypedShape::HalfSpace(_) => Ok(()),
        TypedShape::ConvexPolyhedron(s) => hull(s.points()),
        TypedShape::RoundCuboid(s) => border(s.border_radius).and(half_extents(s.inner_shape.half_extents)),
        TypedShape::RoundCylinder(s) => {
            border(s.border_radius).and(cylinder(s.inner_shape.half_height, s.inner_shape.radius))
        }
        TypedShape::RoundCone(s) => border(s.border_radius).and(cone(s.inner_shape.half_height, s.inner_shape.radius)),
        TypedShape::RoundConvexPolyhedron(s) => border(s.border_radius).and(hull(s.inner_shape.points())),
        TypedShape::RoundTriangle(s) => {
            border(s.border_radius).and(check_points(&[s.inner_shape.a, s.inner_shape.b, s.inner_shape.c]))
        }
        TypedShape::Triangle(s) => check_points(&[s.a, s.b, s.c]),
        TypedShape::Segment(s) => check_points(&[s.a, s.b]),
        TypedShape::TriMesh(s) => check_points(s.vertices()),
        TypedShape::Polyline(s) => check_points(s.vertices()),
        TypedShape::HeightField(s) => height_field(s),
        TypedShape::Compound(s) => {
            s.shapes().iter().enumerate().try_for_each(|(part, (pose, shape))| check_part(part, pose, &**shape))
        }
        _ => check_bounds(shape),
    }
}

/// Checks a part of a compound with its pose.
pub(super) fn check_part(part: usize, pose: &Pose, shape: &dyn Shape) -> Checked {
    if !(is_near(pose.translation) && pose.rotation.is_normalized()) {
        return Err(ShapeError::PartPose { part, position: pose.translation, orientation: pose.rotation });
    }
    check_range(shape).map_err(|error| ShapeError::Part { part, error: Box::new(error) })
}

fn size(what: &'static str, value: Real) -> Checked {
    if (SMALLEST..=LARGEST).contains(&value) { Ok(()) } else { Err(ShapeError::Size { what, value }) }
}

fn border(radius: Real) -> Checked {
    size("the border's radius", radius)
}

fn half_extents(half: Vec3) -> Checked {
    half.to_array().into_iter().try_for_each(|half| size("the cuboid's half extents", half))
}

fn cylinder(half_height: Real, radius: Real) -> Checked {
    size("the cylinder's radius", radius).and(size("the cylinder's half height", half_height))
}

fn cone(half_height: Real, radius: Real) -> Checked {
    size("the cone's radius", radius).and(size("the cone's half height", half_height))
}

fn hull(corners: &[Vec3]) -> Checked {
    check_points(corners).and(if corners.len() < 4 { Err(ShapeError::FlatHull) } else { Ok(()) })
}

fn height_field(field: &HeightField) -> Checked {
    let scale = field.scale();
    size("the height field's extent along x", scale.x).and(size("the height field's extent along z", scale.z))?;
    if !(0.0..=LARGEST).contains(&scale.y) {
        return Err(ShapeError::HeightFactor { value: scale.y });
    }
    // Indices count by rows, as those that a game gives; parry holds the heights by column.
    let (rows, columns) = (field.heights().nrows(), field.heights().ncols());
    let all = || (0..rows).flat_map(|row| (0..columns).map(move |column| field.heights()[(row, column)]));
    if let Some(index) = all().position(|height| !height.is_finite()) {
        return Err(ShapeError::NotFinite { index });
    }
    match all().position(|height| (height * scale.y).abs() > LARGEST) {
        Some(index) => Err(ShapeError::TooFar { index }),
        None => Ok(()),
    }
}

fn check_bounds(shape: &dyn Shape) -> Checked {
    let aabb = shape.compute_local_aabb();
    if is_near(aabb.mins) && is_near(aabb.maxs) && aabb.mins.cmple(aabb.maxs).all() {
        Ok(())
    } else {
        Err(ShapeError::Bounds { mins: aabb.mins, maxs: aabb.maxs })
    }
}
