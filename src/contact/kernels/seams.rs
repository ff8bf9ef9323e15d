//! Inner edges of meshes that do not mark them.
//!
//! A body that slides over a flat mesh meets the rim of every triangle it comes to, from the side. Where the mesh says
//! which normals its edges allow, that settles it. Elsewhere a contact with a triangle's rim is dropped when the place
//! also lies on a triangle that the body touches with its face: there the surface goes on, and the rim is no edge.

use super::local::LocalPoint;
use super::polygon::newell;
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::{FACE_ALIGNED, SEAM_SLACK};

/// What a contact is to the triangle it is with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seam {
    /// No triangle, one that knows its inner edges, or a contact with its face.
    Sound,
    /// A contact with the rim of a triangle of the first shape.
    RimOfA,
    /// A contact with the rim of a triangle of the second shape.
    RimOfB,
}

/// The triangles touched by their faces and the points on rims, in the first shape's frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seams {
    faces: Vec<[Vec3; 3]>,
    rims: Vec<(usize, Vec3)>,
    covered: Vec<usize>,
}

impl Seams {
    pub fn clear(&mut self) {
        self.faces.clear();
        self.rims.clear();
        self.covered.clear();
    }

    /// Notes the faces touched. Triangles are given in their shapes' frames and the normal in the first one's.
    pub fn classify(&mut self, of_a: Option<[Vec3; 3]>, of_b: Option<[Vec3; 3]>, b_in_a: &Pose, normal: Vec3) -> Seam {
        let (triangle, rim) = match (of_a, of_b) {
            (Some(triangle), _) => (triangle, Seam::RimOfA),
            (None, Some(triangle)) => (triangle.map(|v| *b_in_a * v), Seam::RimOfB),
            (None, None) => return Seam::Sound,
        };
        if newell(&triangle).dot(normal).abs() >= FACE_ALIGNED {
            self.faces.push(triangle);
            Seam::Sound
        } else {
            rim
        }
    }

    /// Notes a point on a rim. `index` is its place in the list of points.
    pub fn note(&mut self, seam: Seam, index: usize, point: &LocalPoint, b_in_a: &Pose) {
        match seam {
            Seam::Sound => {}
            Seam::RimOfA => self.rims.push((index, point.point_a)),
            Seam::RimOfB => self.rims.push((index, *b_in_a * point.point_b)),
        }
    }

    /// The indices of the points on rims that a touched face covers.
    pub fn covered(&mut self) -> &[usize] {
        let faces = &self.faces;
        let on_a_face = |place: Vec3| faces.iter().any(|face| covers(face, place));
        self.covered.extend(self.rims.iter().filter(|(_, place)| on_a_face(*place)).map(|(index, _)| *index));
        &self.covered
    }
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
    fn a_triangle_covers_its_rim_and_nothing_beside_or_above_it() {
        let triangle = [Vec3::ZERO, Vec3::Z, Vec3::X];
        assert!(covers(&triangle, Vec3::new(0.5, 0.0, 0.5)));
        assert!(covers(&triangle, Vec3::new(0.2, 0.0, 0.0)));
        assert!(!covers(&triangle, Vec3::new(0.6, 0.0, 0.5)));
        assert!(!covers(&triangle, Vec3::new(0.2, 0.01, 0.2)));
    }
}
