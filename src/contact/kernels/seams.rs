//! Inner edges of meshes that do not mark them.
//!
//! A body that slides over a flat mesh meets the rim of every triangle it comes to, from the side. Where the mesh says
//! which normals its edges allow, that settles it. Elsewhere a contact on a triangle's rim is dropped if another triangle
//! holds the place too and rises from it along the normal: then the surface goes on there, the place is not the nearest,
//! and the rim is no edge. What is left is the true nearest points (the Voronoi regions of the whole mesh).

use super::local::LocalPoint;
use super::polygon::newell;
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::{NORMAL_KEPT, SEAM_SLACK};

/// The triangles that came near and the points on rims, in the first shape's frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seams {
    triangles: Vec<[Vec3; 3]>,
    rims: Vec<Rim>,
    covered: Vec<usize>,
}

/// A point on a triangle's rim.
#[derive(Clone, Copy, Debug)]
struct Rim {
    /// Its index in the list of points.
    index: usize,
    place: Vec3,
    /// Out of the triangle's shape.
    normal: Vec3,
}

impl Seams {
    pub fn clear(&mut self) {
        self.triangles.clear();
        self.rims.clear();
        self.covered.clear();
    }

    /// Notes a triangle that came near, given in the first shape's frame.
    pub fn visit(&mut self, triangle: [Vec3; 3]) {
        self.triangles.push(triangle);
    }

    /// Notes a point, if it lies on the rim of a triangle that does not know its inner edges. The triangle, in the first
    /// shape's frame, belongs to the first shape if `of_a`.
    pub fn note(
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
        if aside.length_squared() > NORMAL_KEPT * NORMAL_KEPT {
            let (place, normal) = if of_a { (point.point_a, normal) } else { (*b_in_a * point.point_b, -normal) };
            self.rims.push(Rim { index, place, normal });
        }
    }

    /// The indices of the points on rims where the surface goes on.
    pub fn covered(&mut self) -> &[usize] {
        let triangles = &self.triangles;
        let goes_on = |rim: &&Rim| triangles.iter().any(|triangle| rises(triangle, rim) && covers(triangle, rim.place));
        self.covered.extend(self.rims.iter().filter(goes_on).map(|rim| rim.index));
        &self.covered
    }
}

/// Whether a triangle reaches out from a point on it along the normal there.
fn rises(triangle: &[Vec3; 3], rim: &Rim) -> bool {
    triangle.iter().any(|&vertex| {
        let way = vertex - rim.place;
        way.dot(rim.normal) > NORMAL_KEPT * way.length()
    })
}

/// Whether a point lies on a triangle, its rim included.
fn covers(triangle: &[Vec3; 3], place: Vec3) -> bool {
    let normal = newell(triangle);
    let size = triangle[0].distance(triangle[1]).max(triangle[0].distance(triangle[2]));
    let slack = SEAM_SLACK * size;
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
        let from_the_side = Rim { index: 0, place, normal: Vec3::new(0.0, 0.8, -0.6) };
        assert!(rises(&beyond(0.0), &from_the_side) && covers(&beyond(0.0), place));
        let on_top = Rim { index: 0, place, normal: Vec3::Y };
        assert!(!rises(&beyond(-1.0), &on_top));
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
