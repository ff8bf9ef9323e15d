//! Check that a triangle mesh is closed and wound outwards.

use glam::DVec3;

use super::MassError;

/// One side of a triangle, sorted by its edge. `reversed` if the triangle runs from the higher
/// vertex to the lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    low: u32,
    high: u32,
    reversed: bool,
    triangle: u32,
}

/// A triangle mesh in which every edge has as many triangles on its left as on its right.
///
/// Vertices at exactly the same position are welded, for render meshes repeat them where normals
/// differ.
pub(super) struct ClosedMesh {
    /// Distinct vertex positions.
    pub vertices: Vec<DVec3>,
    /// Triangles by indices into `vertices`, counter-clockwise from outside, without those with two
    /// equal corners.
    pub triangles: Vec<[u32; 3]>,
    /// Edges: two ends and a pair of triangles, the first of which runs from the first end to the
    /// second.
    pub edges: Vec<([u32; 2], [u32; 2])>,
    /// For each triangle its index in the input mesh.
    given_triangles: Vec<u32>,
}

impl ClosedMesh {
    /// Welds and checks a mesh.
    pub(super) fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<Self, MassError> {
        check_indices(vertices, triangles)?;
        let (welded, given) = weld(vertices);
        let mut mesh = Self {
            vertices: given.iter().map(|&i| vertices[i as usize]).collect(),
            triangles: Vec::with_capacity(triangles.len()),
            edges: Vec::with_capacity(triangles.len() * 3 / 2),
            given_triangles: Vec::with_capacity(triangles.len()),
        };
        for (i, triangle) in triangles.iter().enumerate() {
            let [a, b, c] = triangle.map(|v| welded[v as usize]);
            if a != b && b != c && c != a {
                mesh.triangles.push([a, b, c]);
                mesh.given_triangles.push(i as u32);
            }
        }
        if mesh.triangles.is_empty() {
            return Err(MassError::Empty);
        }
        mesh.match_sides(&given)?;
        Ok(mesh)
    }

    /// Pairs the sides of the triangles; `given` names vertices in errors.
    fn match_sides(&mut self, given: &[u32]) -> Result<(), MassError> {
        let mut sides: Vec<Side> = Vec::with_capacity(self.triangles.len() * 3);
        for (triangle, &[a, b, c]) in self.triangles.iter().enumerate() {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let (low, high) = (from.min(to), from.max(to));
                sides.push(Side { low, high, reversed: from > to, triangle: triangle as u32 });
            }
        }
        sides.sort_unstable();
        for edge in sides.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)) {
            let forward = edge.partition_point(|side| !side.reversed);
            let ends = [edge[0].low, edge[0].high];
            if 2 * forward != edge.len() {
                let edge_given = ends.map(|v| given[v as usize]);
                return Err(if edge.len() % 2 == 1 {
                    MassError::OpenEdge { edge: edge_given }
                } else {
                    MassError::Winding { edge: edge_given }
                });
            }
            let (left, right) = edge.split_at(forward);
            self.edges.extend(left.iter().zip(right).map(|(l, r)| (ends, [l.triangle, r.triangle])));
        }
        Ok(())
    }

    /// The corners of a triangle.
    pub(super) fn corners(&self, triangle: [u32; 3]) -> [DVec3; 3] {
        triangle.map(|v| self.vertices[v as usize])
    }

    /// The mean of the vertices: a point to take moments about that keeps tetrahedra short (Baber
    /// 2006, section 3.2).
    pub(super) fn reference(&self) -> DVec3 {
        // Differences to one vertex keep the mean exact to rounding wherever the mesh lies.
        let first = self.vertices[0];
        first + self.vertices.iter().map(|&v| v - first).sum::<DVec3>() / self.vertices.len() as f64
    }

    /// Checks that each separate part of the mesh is wound outwards, or inwards inside another one
    /// (a cavity).
    pub(super) fn check_parts(&self) -> Result<(), MassError> {
        let part = self.parts();
        let reference = self.reference();
        let mut volumes = vec![0.0; self.vertices.len()];
        for (triangle, &p) in self.triangles.iter().zip(&part) {
            let [a, b, c] = self.corners(*triangle).map(|v| v - reference);
            volumes[p as usize] += a.dot(b.cross(c));
        }
        let mut seen = vec![false; self.vertices.len()];
        for (i, &p) in part.iter().enumerate() {
            if std::mem::replace(&mut seen[p as usize], true) || volumes[p as usize] >= 0.0 {
                continue;
            }
            let at = self.vertices[self.triangles[i][0] as usize];
            let others = self.triangles.iter().zip(&part).filter(|&(_, &q)| q != p);
            let turns: f64 = others.map(|(triangle, _)| solid_angle(self.corners(*triangle).map(|v| v - at))).sum();
            // A winding number is an integer, except on the surface itself, where it is a half.
            if turns < 0.25 * 4.0 * std::f64::consts::PI {
                return Err(MassError::PartInsideOut { triangle: self.given_triangles[i] });
            }
        }
        Ok(())
    }

    /// The part of each triangle, identified by one of its vertices (union-find over vertices).
    fn parts(&self) -> Vec<u32> {
        let mut parent: Vec<u32> = (0..self.vertices.len() as u32).collect();
        fn root(parent: &mut [u32], mut v: u32) -> u32 {
            while parent[v as usize] != v {
                parent[v as usize] = parent[parent[v as usize] as usize];
                v = parent[v as usize];
            }
            v
        }
        for &[a, b, c] in &self.triangles {
            let a = root(&mut parent, a);
            for other in [b, c] {
                let other = root(&mut parent, other);
                parent[other as usize] = a;
            }
        }
        self.triangles.iter().map(|t| root(&mut parent, t[0])).collect()
    }
}

/// Checks that vertices are finite and indices in range.
pub(super) fn check_indices(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), MassError> {
    if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
        return Err(MassError::NotFinite { vertex: vertex as u32 });
    }
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
            return Err(MassError::IndexOutOfRange { triangle: triangle as u32, index });
        }
    }
    if triangles.is_empty() { Err(MassError::Empty) } else { Ok(()) }
}

/// For each vertex its index among the distinct positions, and for each position its first vertex.
fn weld(vertices: &[DVec3]) -> (Vec<u32>, Vec<u32>) {
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    // Adding zero makes -0 equal to 0 bit by bit.
    let key = |i: u32| (vertices[i as usize] + DVec3::ZERO).to_array();
    let compare = |a: u32, b: u32| {
        let (a, b) = (key(a), key(b));
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]))
    };
    order.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    let mut first = vec![0; vertices.len()];
    for same in order.chunk_by(|&a, &b| compare(a, b).is_eq()) {
        for &i in same {
            first[i as usize] = same[0];
        }
    }
    let mut place = vec![0; vertices.len()];
    let mut given = Vec::new();
    for i in 0..vertices.len() {
        if first[i] as usize == i {
            place[i] = given.len() as u32;
            given.push(i as u32);
        } else {
            place[i] = place[first[i] as usize];
        }
    }
    (place, given)
}

/// The signed solid angle of a triangle seen from the origin (Van Oosterom and Strackee 1983).
fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * libm::atan2(a.dot(b.cross(c)), below)
}
