//! Solids with flat faces and rounded borders, edge by edge.

use super::pen::Pen;
use crate::math::parry::bounding_volume::Aabb;
use crate::math::parry::shape::ConvexPolyhedron;
use crate::math::{Pose, Real, Vec3};

/// The edges of a box that may be anywhere.
pub(super) fn aabb(pen: &mut Pen, aabb: &Aabb) {
    cuboid(&mut pen.at(Pose::from_translation(aabb.center())), aabb.half_extents(), 0.0);
}

/// A box about the origin.
pub(super) fn cuboid(pen: &mut Pen, half: Vec3, border: Real) {
    for (axis, [i, j]) in [(0, [1, 2]), (1, [2, 0]), (2, [0, 1])] {
        for (s, t) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let normals = [Vec3::AXES[i] * s, Vec3::AXES[j] * t];
            let (middle, along) = (normals[0] * half[i] + normals[1] * half[j], Vec3::AXES[axis] * half[axis]);
            edge(pen, [middle - along, middle + along], normals, border);
        }
    }
}

/// A convex polyhedron.
pub(super) fn hull(pen: &mut Pen, hull: &ConvexPolyhedron, border: Real) {
    for side in hull.edges() {
        let ends = side.vertices.map(|vertex| hull.points()[vertex as usize]);
        edge(pen, ends, side.faces.map(|face| hull.faces()[face as usize].normal), border);
    }
}

/// A triangle.
pub(super) fn triangle(pen: &mut Pen, corners: [Vec3; 3], border: Real) {
    if border == 0.0 {
        return pen.triangle(corners);
    }
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a).normalize_or_zero();
    for ends in [[a, b], [b, c], [c, a]] {
        let out = (ends[1] - ends[0]).cross(normal).normalize_or_zero();
        edge(pen, ends, [normal, out], border);
        edge(pen, ends, [out, -normal], border);
    }
}

/// The edge between faces with these normals: with a border the lines in which the round part
/// meets the faces, and the arcs over its ends.
fn edge(pen: &mut Pen, [a, b]: [Vec3; 2], [from, to]: [Vec3; 2], border: Real) {
    if border == 0.0 {
        return pen.line(a, b);
    }
    let [from, to] = [from, to].map(|normal| normal * border);
    pen.line(a + from, b + from);
    pen.line(a + to, b + to);
    pen.arc(a, from, to);
    pen.arc(b, from, to);
}
