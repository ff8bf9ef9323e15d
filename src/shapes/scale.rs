//! Scaled shapes, where the result is a shape of the same kind.

use super::{check_parts, check_range, checked_hull, checked_mesh, with_scale};
use crate::error::ShapeError;
use crate::math::parry::math::Pose;
use crate::math::parry::shape::{
    Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Polyline, RoundShape, Segment, Shape, SharedShape, TriMesh,
    Triangle, TypedShape,
};
use crate::math::{Quat, Real, Vec3};

/// A shape scaled along its axes.
///
/// # Errors
/// [`ShapeError::Scale`] for a factor of zero, and for round shapes that would no longer be one of
/// their kind; else as the shape's constructor.
pub(crate) fn scaled(shape: &dyn Shape, by: Vec3) -> Result<SharedShape, ShapeError> {
    let refused = |problem| ShapeError::Scale { value: by, problem };
    if !by.is_finite() || by.x == 0.0 || by.y == 0.0 || by.z == 0.0 {
        return Err(refused("every factor must be finite and not zero"));
    }
    let size = by.abs();
    let even = size.x == size.y && size.y == size.z;
    let round = || if even { Ok(size.x) } else { Err(refused("a round shape takes one factor")) };
    // Radius and half height of a solid of revolution; mirrored, it is the same.
    let revolved = |radius: Real, half_height: Real| {
        if size.x != size.z {
            return Err(refused("a shape of revolution takes the same factor along x and z"));
        }
        Ok((radius * size.x, half_height * size.y))
    };
    let made = match shape.as_typed_shape() {
        TypedShape::Ball(s) => SharedShape::ball(s.radius * round()?),
        TypedShape::Cuboid(s) => SharedShape::new(Cuboid::new(s.half_extents * size)),
        TypedShape::Capsule(s) => {
            SharedShape::new(Capsule::new(s.segment.a * by, s.segment.b * by, s.radius * round()?))
        }
        TypedShape::Cylinder(s) => {
            let (radius, half_height) = revolved(s.radius, s.half_height)?;
            SharedShape::new(Cylinder { half_height, radius })
        }
        TypedShape::Cone(_) | TypedShape::RoundCone(_) if by.y < 0.0 => return Err(refused("a cone stays upright")),
        TypedShape::Cone(s) => {
            let (radius, half_height) = revolved(s.radius, s.half_height)?;
            SharedShape::new(Cone { half_height, radius })
        }
        TypedShape::HalfSpace(s) => SharedShape::halfspace((s.normal / by).normalize()),
        TypedShape::Segment(s) => SharedShape::new(Segment::new(s.a * by, s.b * by)),
        TypedShape::Triangle(s) => SharedShape::new(triangle(s, by)),
        TypedShape::ConvexPolyhedron(s) => SharedShape::new(hull(s, by)?),
        TypedShape::RoundCuboid(s) => {
            rounded(Cuboid::new(s.inner_shape.half_extents * size), s.border_radius * round()?)
        }
        TypedShape::RoundTriangle(s) => rounded(triangle(&s.inner_shape, by), s.border_radius * round()?),
        TypedShape::RoundCylinder(s) => {
            let (inner, by) = (&s.inner_shape, round()?);
            let core = Cylinder { half_height: inner.half_height * by, radius: inner.radius * by };
            rounded(core, s.border_radius * by)
        }
        TypedShape::RoundCone(s) => {
            let (inner, by) = (&s.inner_shape, round()?);
            rounded(Cone { half_height: inner.half_height * by, radius: inner.radius * by }, s.border_radius * by)
        }
        TypedShape::RoundConvexPolyhedron(s) => rounded(hull(&s.inner_shape, by)?, s.border_radius * round()?),
        TypedShape::TriMesh(s) => SharedShape::new(mesh(s, by)?),
        TypedShape::Polyline(s) => SharedShape::new(polyline(s, by)),
        TypedShape::HeightField(_) if by.min_element() < 0.0 => return Err(refused("a height field is not mirrored")),
        TypedShape::HeightField(s) => SharedShape::new(with_scale(s, s.scale() * by)),
        TypedShape::Compound(s) => {
            let part = |(pose, part): &(Pose, SharedShape)| {
                if pose.rotation != Quat::IDENTITY && by != Vec3::splat(by.x.abs()) {
                    return Err(refused("a turned part of a compound takes one factor, which is positive"));
                }
                Ok((Pose::from_parts(pose.translation * by, pose.rotation), scaled(&**part, by)?))
            };
            let parts = s.shapes().iter().map(part).collect::<Result<Vec<_>, ShapeError>>()?;
            check_parts(&parts)?;
            SharedShape::compound(parts)
        }
        _ => return Err(refused("voxels and custom shapes keep their size")),
    };
    check_range(&*made)?;
    Ok(made)
}

fn rounded<S>(inner_shape: S, border_radius: Real) -> SharedShape
where
    RoundShape<S>: Shape,
{
    SharedShape::new(RoundShape { inner_shape, border_radius })
}

fn triangle(s: &Triangle, by: Vec3) -> Triangle {
    Triangle::new(s.a * by, s.b * by, s.c * by)
}

fn hull(s: &ConvexPolyhedron, by: Vec3) -> Result<ConvexPolyhedron, ShapeError> {
    let points: Vec<Vec3> = s.points().iter().map(|&p| p * by).collect();
    checked_hull(&points)
}

fn mesh(s: &TriMesh, by: Vec3) -> Result<TriMesh, ShapeError> {
    let vertices: Vec<Vec3> = s.vertices().iter().map(|&v| v * by).collect();
    let mut indices = s.indices().to_vec();
    if by.x * by.y * by.z < 0.0 {
        // A mirror turns triangles inside out.
        indices.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
    }
    checked_mesh(vertices, indices, s.flags())
}

fn polyline(s: &Polyline, by: Vec3) -> Polyline {
    Polyline::new(s.vertices().iter().map(|&v| v * by).collect(), Some(s.indices().to_vec()))
}
