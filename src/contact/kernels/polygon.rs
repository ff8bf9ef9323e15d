//! Flat features of convex shapes, and polygon clipping.

use super::feature;
use crate::math::{Mat3, Real, Vec3};
use crate::tolerances::{GEOMETRY, MANIFOLD};

/// Corner, edge or face of a convex shape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Polygon {
    /// The vertices in order (m).
    pub vertices: Vec<Vec3>,
    /// Identifiers of the vertices.
    pub names: Vec<u16>,
    /// Identifier of the polygon.
    pub name: u16,
    /// Outward unit normal of a face, else zero.
    pub normal: Vec3,
}

impl Polygon {
    pub fn clear(&mut self) {
        self.vertices.clear();
        self.names.clear();
        self.name = 0;
        self.normal = Vec3::ZERO;
    }

    pub fn push(&mut self, vertex: Vec3, name: u16) {
        self.vertices.push(vertex);
        self.names.push(name);
    }

    /// Applies a rotation and then a translation.
    pub fn transform(&mut self, rotation: &Mat3, translation: Vec3) {
        self.vertices.iter_mut().for_each(|v| *v = *rotation * *v + translation);
        self.normal = *rotation * self.normal;
    }

    /// Largest distance of a vertex from the first (m).
    pub fn extent(&self) -> Real {
        let first = self.vertices[0];
        self.vertices.iter().fold(0.0, |most: Real, v| most.max((*v - first).length_squared())).sqrt()
    }

    /// Identifier of the side from the vertex `k` to the next.
    fn side(&self, k: usize) -> u16 {
        let next = if k + 1 == self.names.len() { 0 } else { k + 1 };
        feature::edge(u32::from(self.names[k]), u32::from(self.names[next]))
    }
}

/// Origin of an edge of a clipped polygon.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Incident(usize),
    Reference(usize),
}

/// Corner of a clipped polygon.
#[derive(Clone, Copy, Debug)]
struct Corner {
    /// Position on the incident polygon (m).
    place: Vec3,
    /// Side that starts here.
    side: Side,
}

/// Buffers for clipping, reused between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clipper {
    corners: Vec<Corner>,
    next: Vec<Corner>,
    /// Distance of each corner inside the current side (m).
    inside: Vec<Real>,
}

/// Point of a clipped polygon.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClippedPoint {
    /// Position on the incident polygon (m).
    pub on_incident: Vec3,
    /// Feature of the reference polygon.
    pub of_reference: u16,
    /// Feature of the incident polygon.
    pub of_incident: u16,
}

impl Clipper {
    /// Calls `emit` with each corner of the part of `incident` over the face `reference`, along the
    /// unit vector `normal` (Sutherland and Hodgman 1974, with a tolerance that keeps corners on
    /// the border).
    pub fn clip(&mut self, reference: &Polygon, incident: &Polygon, normal: Vec3, mut emit: impl FnMut(ClippedPoint)) {
        self.corners.clear();
        let start = incident.vertices.iter().enumerate();
        self.corners.extend(start.map(|(k, &place)| Corner { place, side: Side::Incident(k) }));
        let sides = reference.vertices.len();
        let turn = Real::signum(area(&reference.vertices).dot(normal));
        let size = reference.extent();
        let slack = MANIFOLD.clip_slack * if sides > 1 { size } else { 0.0 }
            + 8.0 * Real::EPSILON * reference.vertices[0].length();
        for k in 0..sides {
            let from = reference.vertices[k];
            let along = reference.vertices[if k + 1 == sides { 0 } else { k + 1 }] - from;
            // Inwards, for both orders of the vertices.
            let inward = normal.cross(along) * turn;
            let length = inward.length();
            if length <= GEOMETRY.coincident * size {
                continue;
            }
            self.clip_by(from, inward / length, slack, k);
            if self.corners.is_empty() {
                return;
            }
        }
        // Corners closer than rounding coincide. The size is that of the smaller polygon: a pebble
        // on a wide floor keeps its corners.
        let size = size.min(incident.extent());
        let rounding = 8.0 * Real::EPSILON * reference.vertices[0].length();
        let doubled = (GEOMETRY.coincident * size * size).max(rounding * rounding);
        for n in 0..self.corners.len() {
            let corner = self.corners[n];
            let before = self.corners[if n == 0 { self.corners.len() - 1 } else { n - 1 }];
            let again = |other: &Corner| (corner.place - other.place).length_squared() <= doubled;
            if n > 0 && (again(&before) || again(&self.corners[0])) {
                continue;
            }
            let (of_reference, of_incident) = match (before.side, corner.side) {
                (Side::Incident(_), Side::Incident(k)) => (reference.name, incident.names[k]),
                (Side::Incident(i), Side::Reference(r)) | (Side::Reference(r), Side::Incident(i)) => {
                    (reference.side(r), incident.side(i))
                }
                (Side::Reference(_), Side::Reference(r)) => (reference.names[r], incident.name),
            };
            emit(ClippedPoint { on_incident: corner.place, of_reference, of_incident });
        }
    }

    fn clip_by(&mut self, point: Vec3, inward: Vec3, slack: Real, side: usize) {
        let distance = |c: &Corner| (c.place - point).dot(inward);
        let count = self.corners.len();
        self.inside.clear();
        self.inside.extend(self.corners.iter().map(distance));
        if self.inside.iter().all(|&d| d >= -slack) {
            return;
        }
        self.next.clear();
        // A single point outside is dropped, for it has no sides to be cut.
        for k in 0..if count == 1 { 0 } else { count } {
            let after = if k + 1 == count { 0 } else { k + 1 };
            let (from, to) = (self.corners[k], self.corners[after]);
            let (d, e) = (self.inside[k], self.inside[after]);
            match (d >= -slack, e >= -slack) {
                (true, true) => self.next.push(from),
                (true, false) => {
                    if d > 0.0 {
                        let place = from.place + (to.place - from.place) * (d / (d - e));
                        self.next.push(from);
                        self.next.push(Corner { place, side: Side::Reference(side) });
                    } else {
                        self.next.push(Corner { side: Side::Reference(side), ..from });
                    }
                }
                (false, true) if e > 0.0 => {
                    let place = to.place + (from.place - to.place) * (e / (e - d));
                    self.next.push(Corner { place, side: from.side });
                }
                _ => {}
            }
        }
        std::mem::swap(&mut self.corners, &mut self.next);
    }
}

/// Outward unit normal of a polygon, by Newell's sum (Sutherland, Sproull and Schumacker 1974).
pub(crate) fn newell(vertices: &[Vec3]) -> Vec3 {
    area(vertices).try_normalize().unwrap_or(Vec3::ZERO)
}

/// That normal times twice the area of the polygon (m²).
fn area(vertices: &[Vec3]) -> Vec3 {
    let Some(&origin) = vertices.first() else { return Vec3::ZERO };
    let mut sum = Vec3::ZERO;
    for pair in vertices.windows(2) {
        sum += (pair[0] - origin).cross(pair[1] - origin);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(half: Real, centre: Vec3, up: Real) -> Polygon {
        let mut out = Polygon { normal: Vec3::Y * up, name: feature::face(0), ..Polygon::default() };
        for (k, (x, z)) in [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)].into_iter().enumerate() {
            out.push(centre + Vec3::new(x, 0.0, z * up) * half, feature::vertex(k as u32));
        }
        out
    }

    fn clipped(reference: &Polygon, incident: &Polygon) -> Vec<ClippedPoint> {
        let mut out = Vec::new();
        Clipper::default().clip(reference, incident, Vec3::Y, |p| out.push(p));
        out
    }

    #[test]
    fn the_common_part_of_two_shifted_squares_has_their_inner_corners() {
        let out = clipped(&square(1.0, Vec3::ZERO, 1.0), &square(1.0, Vec3::new(0.5, 0.0, 0.25), -1.0));
        assert_eq!(out.len(), 4);
        let area: Real = (0..4).map(|k| out[k].on_incident.cross(out[(k + 1) % 4].on_incident).y * 0.5).sum();
        assert!((area.abs() - 1.5 * 1.75).abs() < 1e-5);
    }

    #[test]
    fn equal_squares_meet_corner_on_face_whatever_the_rounding() {
        for shift in [0.0, 3e-6, -3e-6] {
            let out = clipped(&square(1.0, Vec3::ZERO, 1.0), &square(1.0, Vec3::splat(shift), -1.0));
            assert_eq!(out.len(), 4);
            assert!(out.iter().all(|p| p.of_reference == feature::face(0)));
        }
    }

    #[test]
    fn an_edge_is_cut_to_the_face_below_it_and_a_corner_is_kept_or_dropped() {
        let face = square(1.0, Vec3::ZERO, 1.0);
        let mut edge = Polygon::default();
        edge.push(Vec3::new(-3.0, 0.1, 0.5), 0);
        edge.push(Vec3::new(0.5, 0.1, 0.5), 1);
        let out = clipped(&face, &edge);
        assert_eq!(out.len(), 2);
        let mut x: Vec<Real> = out.iter().map(|p| p.on_incident.x).collect();
        x.sort_by(Real::total_cmp);
        assert!((x[0] + 1.0).abs() < 1e-6 && (x[1] - 0.5).abs() < 1e-6);
        let mut corner = Polygon::default();
        corner.push(Vec3::new(0.9, 0.0, 0.9), 0);
        assert_eq!(clipped(&face, &corner).len(), 1);
        corner.vertices[0].x = 1.1;
        assert_eq!(clipped(&face, &corner).len(), 0);
    }

    #[test]
    fn newell_gives_the_normal_of_a_plane_polygon() {
        let normal = Vec3::new(0.48, -0.6, 0.64);
        let (t1, t2) = crate::math::orthonormal_basis(normal);
        let points: Vec<Vec3> =
            [(1.0, 0.0), (0.0, 1.0), (-0.7, 0.7), (-0.7, -0.7)].map(|(x, y)| Vec3::X * 3.0 + t1 * x + t2 * y).to_vec();
        assert!((newell(&points) - normal).length() < 1e-5);
    }
}
