//! Least overlap of two convex cores, by an expanding polytope (van den Bergen, "Proximity queries and penetration
//! depth computation on 3D game objects", 2001).
//!
//! The polytope grows inside the Minkowski difference. No direction has less overlap than its face nearest to the
//! origin, so it is that face which is moved out, until the support along its normal is as near: the optimum is
//! global, wherever the search begins.

use super::minkowski::MinkowskiDifference;
use crate::math::DVec3;

/// Cap on the vertices of a polytope. Fewer: the least overlap of two rims is off by more than the tolerance. More:
/// memory, and time for such rims.
const MAX_VERTICES: usize = 96;

/// Faces of a polyhedron of triangles with so many vertices (Euler).
const MAX_FACES: usize = 2 * MAX_VERTICES - 4;

/// Share of the size below which the difference is flat, and a point is on a face.
const FLAT: f64 = 1e-10;

#[derive(Clone, Copy, Default)]
struct Face {
    /// Counterclockwise from outside.
    vertices: [u8; 3],
    /// Outward unit normal.
    normal: DVec3,
    /// Height of its plane over the origin (m).
    height: f64,
}

struct Polytope<'a> {
    difference: &'a MinkowskiDifference<'a>,
    vertices: [DVec3; MAX_VERTICES],
    count: usize,
    faces: [Face; MAX_FACES],
    face_count: usize,
    /// Rounding of a height (m).
    rounding: f64,
    /// Direction of least overlap so far, and the overlap along it (m).
    best: (DVec3, f64),
}

/// The direction from the first core to the second along which they overlap least, and that overlap (m), which is off
/// by at most `tolerance` (m) but for rims that take too many vertices. It is negative for cores that are apart.
pub(super) fn least_overlap(difference: &MinkowskiDifference, tolerance: f64) -> (DVec3, f64) {
    let mut polytope = Polytope {
        difference,
        vertices: [DVec3::ZERO; MAX_VERTICES],
        count: 0,
        faces: [Face::default(); MAX_FACES],
        face_count: 0,
        rounding: 0.0,
        best: (DVec3::Y, f64::INFINITY),
    };
    if polytope.begin() {
        polytope.expand(tolerance);
    }
    // Outwards is against the direction from the first core to the second.
    (-polytope.best.0, polytope.best.1)
}

impl Polytope<'_> {
    /// Support point along a unit vector.
    fn probe(&mut self, direction: DVec3) -> DVec3 {
        let point = self.difference.support(-direction).point;
        let height = point.dot(direction);
        if height < self.best.1 {
            self.best = (direction, height);
        }
        point
    }

    /// The support point along some directions or against them that is furthest by `measure`, and that distance.
    fn furthest(&mut self, directions: &[DVec3], measure: impl Fn(DVec3) -> f64) -> (DVec3, f64) {
        let mut best = (DVec3::ZERO, -1.0);
        for &direction in directions {
            for outwards in [direction, -direction] {
                let point = self.probe(outwards);
                let far = measure(point);
                if far > best.1 {
                    best = (point, far);
                }
            }
        }
        best
    }

    /// Begins with a tetrahedron. False if the difference is flat: then its plane has been probed.
    fn begin(&mut self) -> bool {
        let from = self.difference.support(DVec3::X).point;
        let (to, size) = self.furthest(&DVec3::AXES, |point| point.distance(from));
        let flat = FLAT * (size + from.length());
        self.rounding = flat;
        if size <= flat {
            return false;
        }
        let along = (to - from) / size;
        let (across, other) = along.any_orthonormal_pair();
        let (third, wide) =
            self.furthest(&[across, other], |point| (point - from).reject_from_normalized(along).length());
        if wide <= flat {
            return false;
        }
        let normal = (to - from).cross(third - from).normalize();
        let (fourth, thick) = self.furthest(&[normal], |point| (point - from).dot(normal).abs());
        if thick <= flat {
            return false;
        }
        self.count = 4;
        self.vertices[..4].copy_from_slice(&[from, to, third, fourth]);
        let below = (fourth - from).dot(normal) < 0.0;
        let faces = match below {
            true => [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]],
            false => [[1, 0, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
        };
        faces.into_iter().all(|vertices| self.add(vertices))
    }

    /// Adds a face. False if it has no normal, or there are too many.
    fn add(&mut self, vertices: [u8; 3]) -> bool {
        let [a, b, c] = vertices.map(|k| self.vertices[usize::from(k)]);
        let Some(normal) = (b - a).cross(c - a).try_normalize() else { return false };
        if self.face_count == MAX_FACES {
            return false;
        }
        self.faces[self.face_count] = Face { vertices, normal, height: a.dot(normal) };
        self.face_count += 1;
        true
    }

    /// Moves out the face nearest to the origin until nothing is gained.
    fn expand(&mut self, tolerance: f64) {
        while self.count < MAX_VERTICES {
            let faces = &self.faces[..self.face_count];
            let Some(nearest) =
                faces.iter().copied().reduce(|best, face| if face.height < best.height { face } else { best })
            else {
                return;
            };
            let tolerance = tolerance.max(self.rounding);
            if self.best.1 - nearest.height <= tolerance {
                return;
            }
            let point = self.probe(nearest.normal);
            if point.dot(nearest.normal) - nearest.height <= tolerance || !self.insert(point) {
                return;
            }
        }
    }

    /// Replaces the faces that see a point by faces that end in it. False if rounding leaves no closed surface.
    fn insert(&mut self, point: DVec3) -> bool {
        let mut horizon = [[0_u8; 2]; MAX_FACES];
        let mut edges = 0;
        for k in (0..self.face_count).rev() {
            let Face { vertices: [a, b, c], normal, height } = self.faces[k];
            if point.dot(normal) - height <= self.rounding {
                continue;
            }
            for [from, to] in [[a, b], [b, c], [c, a]] {
                // An edge between two faces that go is met twice, once in each direction.
                match horizon[..edges].iter().position(|edge| *edge == [to, from]) {
                    Some(met) => {
                        edges -= 1;
                        horizon[met] = horizon[edges];
                    }
                    None if edges == MAX_FACES => return false,
                    None => {
                        horizon[edges] = [from, to];
                        edges += 1;
                    }
                }
            }
            self.face_count -= 1;
            self.faces[k] = self.faces[self.face_count];
        }
        let new = self.count as u8;
        self.vertices[self.count] = point;
        self.count += 1;
        edges >= 3 && horizon[..edges].iter().all(|&[from, to]| self.add([from, to, new]))
    }
}

#[cfg(test)]
mod tests {
    use super::super::rounded_convex::Core;
    use super::*;
    use crate::math::{Pose, Quat, Real, Vec3};
    use proptest::prelude::*;

    /// The least overlap over many directions (m): an upper bound, within a share of the cores' size.
    fn sampled(difference: &MinkowskiDifference) -> f64 {
        let count = 20_000;
        let height = |k: usize| {
            let (y, turn) = (1.0 - (2 * k + 1) as f64 / f64::from(count), 2.399_963_229_728_653 * k as f64);
            let flat = (1.0 - y * y).sqrt();
            let direction = DVec3::new(flat * libm::cos(turn), y, flat * libm::sin(turn));
            -difference.support(direction).point.dot(direction)
        };
        (0..count as usize).map(height).fold(f64::INFINITY, f64::min)
    }

    fn core(kind: usize) -> Core<'static> {
        match kind {
            0 => Core::Cuboid(Vec3::new(0.5, 0.3, 0.4)),
            1 => Core::Cylinder(0.4, 0.3),
            2 => Core::Cone(0.5, 0.4),
            3 => Core::Segment(Vec3::new(-0.3, 0.1, 0.0), Vec3::new(0.4, 0.0, 0.2)),
            _ => Core::Triangle([Vec3::new(-0.4, 0.0, -0.3), Vec3::new(0.5, 0.1, 0.0), Vec3::new(0.0, -0.1, 0.6)]),
        }
    }

    proptest! {
        #[test]
        fn no_direction_has_less_overlap(
            kinds in (0..3_usize, 0..5_usize), angles in prop::array::uniform3(-3.0..3.0_f64),
            place in prop::array::uniform3(-0.4..0.4_f64),
        ) {
            let [x, y, z] = angles.map(|angle| angle as Real);
            let rotation = Quat::from_rotation_x(x) * Quat::from_rotation_y(y) * Quat::from_rotation_z(z);
            let pose = Pose::from_parts(Vec3::from_array(place.map(|x| x as Real)), rotation);
            let (a, b) = (core(kinds.0), core(kinds.1));
            let difference = MinkowskiDifference::new(&a, &b, &pose);
            let tolerance = 0.005;
            let (direction, overlap) = least_overlap(&difference, tolerance);
            prop_assert!((direction.length() - 1.0).abs() < 1e-12);
            prop_assert!((-difference.support(direction).point.dot(direction) - overlap).abs() < 1e-6);
            let best = sampled(&difference);
            prop_assert!(best < 0.0 || overlap <= best + tolerance, "{overlap} for {best}");
        }
    }

    #[test]
    fn cores_in_one_place_overlap_by_their_least_width() {
        let pose = Pose::IDENTITY;
        for (kind, width) in [(0, 0.6), (1, 0.6)] {
            let shape = core(kind);
            let (_, overlap) = least_overlap(&MinkowskiDifference::new(&shape, &shape, &pose), 1e-4);
            assert!((overlap - width).abs() < 2e-4, "{kind}: {overlap}");
        }
    }

    #[test]
    fn flat_differences_have_no_overlap() {
        let triangle = core(4);
        let (_, overlap) = least_overlap(&MinkowskiDifference::new(&triangle, &triangle, &Pose::IDENTITY), 1e-4);
        assert!(overlap.abs() < 1e-6, "{overlap}");
        let segment = core(3);
        let (_, overlap) = least_overlap(&MinkowskiDifference::new(&segment, &segment, &Pose::IDENTITY), 1e-4);
        assert!(overlap.abs() < 1e-6, "{overlap}");
    }
}
