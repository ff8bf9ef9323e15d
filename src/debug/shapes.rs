//! Wire frames of shapes, in their own axes.

use super::pen::Pen;
use super::{revolution, rounded};
use crate::components::as_custom;
use crate::math::parry::shape::{AxisMask, Shape, SupportMap, TypedShape, Voxels};
use crate::math::{Pose, Quat, Real, Vec3, consts::TAU, orthonormal_basis, real};

/// Half the number of squares along a side of what stands for a half-space.
const SQUARES: i32 = 5;

/// Draws the surface of a shape. Each line ends on it.
pub(super) fn draw(pen: &mut Pen, shape: &dyn Shape) {
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => revolution::capsule(pen, 0.0, ball.radius),
        TypedShape::Cuboid(cuboid) => rounded::cuboid(pen, cuboid.half_extents, 0.0),
        TypedShape::Capsule(capsule) => {
            let (a, b) = (capsule.segment.a, capsule.segment.b);
            let turn = Quat::from_rotation_arc(Vec3::Y, (b - a).try_normalize().unwrap_or(Vec3::Y));
            let axes = Pose::from_parts(0.5 * (a + b), turn);
            revolution::capsule(&mut pen.at(axes), 0.5 * a.distance(b), capsule.radius);
        }
        TypedShape::Cylinder(s) => revolution::cylinder(pen, s.half_height, s.radius, 0.0),
        TypedShape::Cone(s) => revolution::cone(pen, s.half_height, s.radius, 0.0),
        TypedShape::RoundCylinder(s) => {
            revolution::cylinder(pen, s.inner_shape.half_height, s.inner_shape.radius, s.border_radius);
        }
        TypedShape::RoundCone(s) => {
            revolution::cone(pen, s.inner_shape.half_height, s.inner_shape.radius, s.border_radius);
        }
        TypedShape::RoundCuboid(s) => rounded::cuboid(pen, s.inner_shape.half_extents, s.border_radius),
        TypedShape::ConvexPolyhedron(hull) => rounded::hull(pen, hull, 0.0),
        TypedShape::RoundConvexPolyhedron(s) => rounded::hull(pen, &s.inner_shape, s.border_radius),
        TypedShape::Triangle(t) => rounded::triangle(pen, [t.a, t.b, t.c], 0.0),
        TypedShape::RoundTriangle(s) => {
            let t = &s.inner_shape;
            rounded::triangle(pen, [t.a, t.b, t.c], s.border_radius);
        }
        TypedShape::Segment(s) => pen.line(s.a, s.b),
        TypedShape::HalfSpace(s) => square(pen, s.normal),
        TypedShape::TriMesh(mesh) => mesh.triangles().for_each(|t| pen.triangle([t.a, t.b, t.c])),
        TypedShape::HeightField(field) => field.triangles().for_each(|t| pen.triangle([t.a, t.b, t.c])),
        TypedShape::Polyline(line) => line.segments().for_each(|s| pen.line(s.a, s.b)),
        TypedShape::Voxels(shape) => voxels(pen, shape),
        TypedShape::Compound(compound) => {
            compound.shapes().iter().for_each(|(pose, part)| draw(&mut pen.at(*pose), &**part));
        }
        TypedShape::Custom(shape) => match (as_custom(shape), shape.as_support_map()) {
            (Some(custom), _) if custom.draw(&mut |a, b| pen.line(a, b)) => {}
            (None, Some(map)) => supported(pen, map),
            _ => rounded::aabb(pen, &shape.compute_local_aabb()),
        },
    }
}

/// A square of a half-space's surface about the origin.
fn square(pen: &mut Pen, normal: Vec3) {
    let (a, b) = orthonormal_basis(normal);
    let extent = pen.style.extent;
    for k in -SQUARES..=SQUARES {
        let off = extent * (k as Real / SQUARES as Real);
        pen.line(a * off - b * extent, a * off + b * extent);
        pen.line(b * off - a * extent, b * off + a * extent);
    }
}

/// The faces of voxels that no other voxel covers.
fn voxels(pen: &mut Pen, voxels: &Voxels) {
    let faces = [
        (AxisMask::X_POS, Vec3::X),
        (AxisMask::X_NEG, Vec3::NEG_X),
        (AxisMask::Y_POS, Vec3::Y),
        (AxisMask::Y_NEG, Vec3::NEG_Y),
        (AxisMask::Z_POS, Vec3::Z),
        (AxisMask::Z_NEG, Vec3::NEG_Z),
    ];
    let half = 0.5 * voxels.voxel_size();
    for voxel in voxels.voxels() {
        let free = voxel.state.free_faces();
        for (_, normal) in faces.iter().filter(|(face, _)| free.contains(*face)) {
            let (middle, (u, v)) = (voxel.center + *normal * half, orthonormal_basis(*normal));
            let [u, v] = [u * half, v * half];
            let corners = [middle - u - v, middle + u - v, middle + u + v, middle - u + v];
            (0..4).for_each(|k| pen.line(corners[k], corners[(k + 1) % 4]));
        }
    }
}

/// Points of a convex surface that are farthest along the directions of three circles.
fn supported(pen: &mut Pen, map: &dyn SupportMap) {
    let pieces = pen.style.segments.max(3);
    for (x, y) in [(Vec3::X, Vec3::Y), (Vec3::Y, Vec3::Z), (Vec3::Z, Vec3::X)] {
        let at = |k: u32| {
            let angle = TAU * (k as Real / pieces as Real);
            map.local_support_point(x * real::cos(angle) + y * real::sin(angle))
        };
        (0..pieces).for_each(|k| pen.line(at(k), at(k + 1)));
    }
}
