//! Internal edges of meshes that do not mark them.
//!
//! A body that slides over a flat mesh meets the border of each next triangle from the side. A mesh
//! with normal constraints rules that out. Elsewhere a contact on a triangle's border is dropped if
//! another triangle contains the point and extends beyond it along the normal: the surface
//! continues there, so the point is not the closest one and the border is no edge. The remaining
//! points are the true closest ones (Voronoi regions of the whole mesh).

use super::local_manifold::LocalPoint;
use super::polygon::newell;
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::{GEOMETRY, INTERNAL_EDGE_SLACK};

/// Triangles near the other shape and contact points on their borders, in the first shape's frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct InternalEdges {
    triangles: Vec<[Vec3; 3]>,
    edge_points: Vec<EdgePoint>,
    covered: Vec<usize>,
}

/// Contact point on a triangle's border.
#[derive(Clone, Copy, Debug)]
struct EdgePoint {
    /// Index in the list of points.
    index: usize,
    place: Vec3,
    /// Normal out of the triangle's shape.
    normal: Vec3,
}

impl InternalEdges {
    pub fn clear(&mut self) {
        self.triangles.clear();
        self.edge_points.clear();
        self.covered.clear();
    }

    /// Adds a triangle, in the first shape's frame.
    pub fn add_triangle(&mut self, triangle: [Vec3; 3]) {
        self.triangles.push(triangle);
    }

    /// Adds a point if it lies on the border of a triangle without normal constraints. The
    /// triangle, in the first shape's frame, belongs to the first shape if `of_a`.
    pub fn add_point(
        &mut self,
        triangle: &[Vec3; 3],
        of_a: bool,
        normal: Vec3,
        index: usize,
        point: &LocalPoint,
        b_in_a: &Pose,
    ) {
        let face = newell(triangle);
        let aside = normal - face * normal.dot(face);
        if aside.length_squared() > GEOMETRY.same_normal * GEOMETRY.same_normal {
            let (place, normal) = if of_a { (point.point_a, normal) } else { (*b_in_a * point.point_b, -normal) };
            self.edge_points.push(EdgePoint { index, place, normal });
        }
    }

    /// Indices of the points on internal edges.
    pub fn covered(&mut self) -> &[usize] {
        let triangles = &self.triangles;
        let goes_on = |rim: &&EdgePoint| {
            triangles.iter().any(|triangle| extends_outward(triangle, rim) && covers(triangle, rim.place))
        };
        self.covered.extend(self.edge_points.iter().filter(goes_on).map(|rim| rim.index));
        &self.covered
    }
}

/// True if a triangle extends beyond a point on it along the normal there.
fn extends_outward(triangle: &[Vec3; 3], rim: &EdgePoint) -> bool {
    triangle.iter().any(|&vertex| {
        let offset = vertex - rim.place;
        offset.dot(rim.normal) > GEOMETRY.same_normal * offset.length()
    })
}

/// True if a point lies on a triangle, its border included.
fn covers(triangle: &[Vec3; 3], place: Vec3) -> bool {
    let normal = newell(triangle);
    let size = triangle[0].distance(triangle[1]).max(triangle[0].distance(triangle[2]));
    let slack = INTERNAL_EDGE_SLACK * size;
    if (place - triangle[0]).dot(normal).abs() > slack {
        return false;
    }
    (0..3).all(|k| {
        let along = triangle[(k + 1) % 3] - triangle[k];
        let inward: Vec3 = normal.cross(along);
        let length: Real = inward.length();
        (place - triangle[k]).dot(inward) >= -slack * length
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_ground_goes_on_at_a_rim_and_a_ridge_does_not() {
        let place = Vec3::new(0.2, 0.0, 0.0);
        let beyond = |y: Real| [Vec3::ZERO, Vec3::X, Vec3::new(0.0, y, -1.0)];
        let from_the_side = EdgePoint { index: 0, place, normal: Vec3::new(0.0, 0.8, -0.6) };
        assert!(extends_outward(&beyond(0.0), &from_the_side) && covers(&beyond(0.0), place));
        let on_top = EdgePoint { index: 0, place, normal: Vec3::Y };
        assert!(!extends_outward(&beyond(-1.0), &on_top));
    }

    #[test]
    fn a_triangle_covers_its_rim_and_nothing_beside_or_above_it() {
        let triangle = [Vec3::ZERO, Vec3::Z, Vec3::X];
        assert!(covers(&triangle, Vec3::new(0.5, 0.0, 0.5)));
        assert!(covers(&triangle, Vec3::new(0.2, 0.0, 0.0)));
        assert!(!covers(&triangle, Vec3::new(0.6, 0.0, 0.5)));
        assert!(!covers(&triangle, Vec3::new(0.2, 0.01, 0.2)));
    }
}
