//! Shapes in Rapier, by the constructors that it has for them.

use crate::campaign::Shape;
use rapier3d::math::Pose;
use rapier3d::parry::utils::Array2;
use rapier3d::prelude::{HeightFieldFlags, SharedShape, TriMeshFlags};

/// A shape of a body that moves or not; `None` if Rapier refuses it, or has no constructor for it.
///
/// Rapier has no contacts between meshes, or a mesh and a height field: a mesh that moves becomes
/// its hull, which is the same for the boxes that plans have.
pub fn of_body(shape: &Shape, moves: bool) -> Option<SharedShape> {
    match shape {
        Shape::Mesh(vertices, _) if moves => SharedShape::convex_hull(vertices),
        other => made(other),
    }
}

/// A shape by its own constructor. Inner edges are marked, as dolmen marks them.
fn made(of: &Shape) -> Option<SharedShape> {
    Some(match of {
        Shape::Ball(radius) => SharedShape::ball(*radius),
        Shape::Cuboid(half) => SharedShape::cuboid(half.x, half.y, half.z),
        Shape::Capsule(half, radius) => SharedShape::capsule_y(*half, *radius),
        Shape::Cylinder(half, radius) => SharedShape::cylinder(*half, *radius),
        Shape::Cone(half, radius) => SharedShape::cone(*half, *radius),
        Shape::Hull(points) => SharedShape::convex_hull(points)?,
        Shape::HalfSpace(normal) => SharedShape::halfspace(normal.normalize()),
        Shape::Mesh(vertices, indices) => {
            let flags = TriMeshFlags::FIX_INTERNAL_EDGES;
            SharedShape::trimesh_with_flags(vertices.clone(), indices.clone(), flags).ok()?
        }
        Shape::Field { rows, columns, heights, scale } => {
            let by_column = (0..*columns).flat_map(|c| (0..*rows).map(move |r| heights[r * columns + c]));
            let heights = Array2::new(*rows, *columns, by_column.collect());
            SharedShape::heightfield_with_flags(heights, *scale, HeightFieldFlags::FIX_INTERNAL_EDGES)
        }
        Shape::Compound(parts) => {
            let all = parts.iter().map(|(at, turned, part)| Some((Pose::from_parts(*at, *turned), made(part)?)));
            SharedShape::compound(all.collect::<Option<_>>()?)
        }
        Shape::RoundCuboid(half, border) => SharedShape::round_cuboid(half.x, half.y, half.z, *border),
        Shape::RoundCylinder(half, radius, border) => SharedShape::round_cylinder(*half, *radius, *border),
        Shape::RoundCone(half, radius, border) => SharedShape::round_cone(*half, *radius, *border),
        Shape::RoundHull(points, border) => SharedShape::round_convex_hull(points, *border)?,
        Shape::RoundTriangle([a, b, c], border) => SharedShape::round_triangle(*a, *b, *c, *border),
        Shape::Triangle([a, b, c]) => SharedShape::triangle(*a, *b, *c),
        Shape::Segment([a, b]) => SharedShape::segment(*a, *b),
        Shape::Polyline(points) => SharedShape::polyline(points.clone(), None),
        // Of large seeds alone, which are not compared.
        Shape::Voxels(..) | Shape::Scaled(..) => return None,
    })
}
