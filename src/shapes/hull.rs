//! Convex hulls by quickhull (Barber, Dobkin and Huhdanpaa 1996), in `f64`.
//!
//! The facets are a closed surface of triangles at every moment: a point replaces the facets that it
//! sees only if their outline is one simple loop, so whatever the rounding, every edge has one facet
//! on either side, in opposite directions. Parry's hull has no such guard and may panic, and what it
//! makes of a mesh asks for just that.

use crate::math::{DVec3, Real, Vec3, to_f64};
use crate::tolerances::FLAT_HULL;

/// No facet, or no edge.
const NONE: u32 = u32::MAX;

/// Triangle of the surface, counter-clockwise seen from outside.
struct Facet {
    corners: [u32; 3],
    /// The facet beyond the edge from each corner to the next.
    across: [u32; 3],
    /// Unit normal, outward.
    normal: DVec3,
    /// Points above it that are not on the hull yet.
    outside: Vec<u32>,
    is_removed: bool,
}

/// Surface under construction.
struct Hull<'a> {
    points: &'a [DVec3],
    facets: Vec<Facet>,
    /// Largest distance of a point from the first (m).
    extent: f64,
    /// Height over a facet up to which a point is on it (m).
    slack: f64,
    /// Facets that the newest point sees.
    seen: Vec<u32>,
    /// Edges around them: facet beyond, and its index of the edge.
    outline: Vec<(u32, usize)>,
    /// By point: the edge of the outline that begins there.
    edge_from: Vec<u32>,
}

/// Triangles of the hull of points, as triples of their indices; `None` if they span no volume, or
/// one so thin that rounding hides it.
///
/// A point closer to the hull than its own rounding, or than that of a facet as small, is no corner.
pub(crate) fn convex_hull(points: &[Vec3]) -> Option<Vec<[u32; 3]>> {
    let points: Vec<DVec3> = points.iter().map(|&point| to_f64(point)).collect();
    let simplex = corners_of_simplex(&points)?;
    let extent = points.iter().fold(0.0, |most: f64, point| most.max(point.distance(points[0])));
    // The normal of a facet as narrow as the slack is off by the rounding over the slack.
    let slack = extent * f64::EPSILON.sqrt().max(f64::from(Real::EPSILON));
    let mut hull = Hull {
        points: &points,
        facets: Vec::new(),
        extent,
        slack,
        seen: Vec::new(),
        outline: Vec::new(),
        edge_from: vec![NONE; points.len()],
    };
    hull.begin(simplex);
    let is_complete = hull.grow();
    let triangles = hull.facets.iter().filter(|facet| !facet.is_removed).map(|facet| facet.corners);
    is_complete.then(|| triangles.collect())
}

/// Four points that span much volume, the last above the plane of the others; `None` if all lie in
/// a plane.
fn corners_of_simplex(points: &[DVec3]) -> Option<[u32; 4]> {
    let o = *points.first()?;
    let farthest = |key: &dyn Fn(DVec3) -> f64| {
        let start = (0_u32, 0.0);
        let best = points.iter().enumerate().fold(start, |best: (u32, f64), (k, &point)| {
            let value = key(point - o);
            if value > best.1 { (k as u32, value) } else { best }
        });
        (best.1 > 0.0).then_some(best.0)
    };
    let at = |k: u32| points[k as usize] - o;
    let a = farthest(&|p| p.length_squared())?;
    let along = at(a).normalize();
    let b = farthest(&|p| along.cross(p).length_squared())?;
    let normal = along.cross(at(b)).normalize();
    let c = farthest(&|p| normal.dot(p).abs())?;
    Some(if normal.dot(at(c)) > 0.0 { [0, a, b, c] } else { [0, b, a, c] })
}

impl Hull<'_> {
    fn height(&self, facet: u32, point: u32) -> f64 {
        let facet = &self.facets[facet as usize];
        facet.normal.dot(self.points[point as usize] - self.points[facet.corners[0] as usize])
    }

    fn push(&mut self, corners: [u32; 3]) -> u32 {
        let [a, b, c] = corners.map(|corner| self.points[corner as usize]);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        self.facets.push(Facet { corners, across: [NONE; 3], normal, outside: Vec::new(), is_removed: false });
        (self.facets.len() - 1) as u32
    }

    /// Tetrahedron of four points, the last above the plane of the others.
    fn begin(&mut self, [a, b, c, d]: [u32; 4]) {
        for corners in [[a, c, b], [a, b, d], [b, c, d], [c, a, d]] {
            self.push(corners);
        }
        for (facet, across) in [[3, 2, 1], [0, 2, 3], [0, 3, 1], [0, 1, 2]].into_iter().enumerate() {
            self.facets[facet].across = across;
        }
        let all: Vec<u32> = (0..self.points.len() as u32).filter(|point| ![a, b, c, d].contains(point)).collect();
        self.share_out(&all, 0..4);
    }

    /// Gives each point to the facet that it is highest above.
    fn share_out(&mut self, points: &[u32], among: std::ops::Range<u32>) {
        for &point in points {
            let start = (NONE, self.slack);
            let (facet, _) = among.clone().fold(start, |best, facet| {
                let height = self.height(facet, point);
                if height > best.1 { (facet, height) } else { best }
            });
            if facet != NONE {
                self.facets[facet as usize].outside.push(point);
            }
        }
    }

    /// Adds all points outside; false if one that cannot be added is far outside.
    fn grow(&mut self) -> bool {
        let mut left_out = Vec::new();
        let mut next = 0;
        while next < self.facets.len() {
            let facet = &self.facets[next];
            if facet.is_removed || facet.outside.is_empty() {
                next += 1;
                continue;
            }
            let heights = facet.outside.iter().map(|&point| self.height(next as u32, point));
            let start = (0, f64::NEG_INFINITY);
            let (index, _) =
                heights.enumerate().fold(start, |best, (k, height)| if height > best.1 { (k, height) } else { best });
            let point = self.facets[next].outside.swap_remove(index);
            if self.look(next as u32, point) {
                self.replace_seen(point);
            } else {
                left_out.push(point);
            }
        }
        let limit = f64::from(FLAT_HULL) * self.extent;
        let facets = 0..self.facets.len() as u32;
        left_out
            .iter()
            .all(|&point| facets.clone().all(|k| self.facets[k as usize].is_removed || self.height(k, point) <= limit))
    }

    /// Finds the facets that a point above one of them sees, and their outline in order; false if
    /// that is not one simple loop.
    fn look(&mut self, from: u32, point: u32) -> bool {
        self.seen.clear();
        self.outline.clear();
        self.seen.push(from);
        self.facets[from as usize].is_removed = true;
        let mut next = 0;
        while let Some(&facet) = self.seen.get(next) {
            next += 1;
            for beyond in self.facets[facet as usize].across {
                if !self.facets[beyond as usize].is_removed && self.height(beyond, point) > self.slack {
                    self.facets[beyond as usize].is_removed = true;
                    self.seen.push(beyond);
                }
            }
        }
        for &facet in &self.seen {
            for beyond in self.facets[facet as usize].across {
                if !self.facets[beyond as usize].is_removed {
                    let edge = self.facets[beyond as usize].across.iter().position(|&k| k == facet);
                    self.outline.push((beyond, edge.expect("facets know each other")));
                }
            }
        }
        let is_loop = self.order_outline();
        if !is_loop {
            for &facet in &self.seen {
                self.facets[facet as usize].is_removed = false;
            }
        }
        is_loop
    }

    /// First and last corner of an edge of the outline, counter-clockwise around what is seen.
    fn ends(&self, (beyond, edge): (u32, usize)) -> [u32; 2] {
        let corners = self.facets[beyond as usize].corners;
        [corners[(edge + 1) % 3], corners[edge]]
    }

    /// Puts the outline into the order of a loop; false if it is none.
    fn order_outline(&mut self) -> bool {
        let edges = std::mem::take(&mut self.outline);
        let mut is_loop = edges.len() > 2;
        for (k, &edge) in edges.iter().enumerate() {
            let [start, _] = self.ends(edge);
            is_loop &= self.edge_from[start as usize] == NONE;
            self.edge_from[start as usize] = k as u32;
        }
        let mut current = 0;
        while is_loop && self.outline.len() < edges.len() {
            self.outline.push(edges[current as usize]);
            let [_, end] = self.ends(edges[current as usize]);
            current = self.edge_from[end as usize];
            is_loop = (current == 0) == (self.outline.len() == edges.len()) && current != NONE;
        }
        for &edge in &edges {
            let [start, _] = self.ends(edge);
            self.edge_from[start as usize] = NONE;
        }
        is_loop
    }

    /// Puts a cone from a point to the outline in the place of the facets that it sees.
    fn replace_seen(&mut self, point: u32) {
        let outline = std::mem::take(&mut self.outline);
        let (first, count) = (self.facets.len() as u32, outline.len() as u32);
        for (k, &(beyond, edge)) in (0..).zip(&outline) {
            let [start, end] = self.ends((beyond, edge));
            let facet = self.push([start, end, point]);
            self.facets[facet as usize].across = [beyond, first + (k + 1) % count, first + (k + count - 1) % count];
            self.facets[beyond as usize].across[edge] = facet;
        }
        for k in 0..self.seen.len() {
            let orphans = std::mem::take(&mut self.facets[self.seen[k] as usize].outside);
            self.share_out(&orphans, first..first + count);
        }
        self.outline = outline;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Points of a kind: in a cube, on a sphere, on a lattice, on a thin plate, near a line, or each
    /// several times.
    fn cloud(kind: usize, seeds: &[[Real; 3]], flatness: Real) -> Vec<Vec3> {
        let place = |(k, seed): (usize, &[Real; 3])| {
            let v = Vec3::from_array(*seed);
            match kind {
                0 => v,
                1 => v.normalize_or(Vec3::X),
                2 => (v * 2.0).round(),
                3 => Vec3::new(v.x, v.y * flatness, v.z),
                4 => Vec3::new(v.x, v.y * flatness, v.z * flatness),
                5 => Vec3::from_array(seeds[k / 3]) + v * flatness,
                _ => Vec3::new(v.x.signum(), v.y, v.z.signum()),
            }
        };
        seeds.iter().enumerate().map(place).collect()
    }

    /// Checks that triangles are a closed surface of a sphere's topology with all points below them.
    fn check(points: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), String> {
        let edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
        let directed: BTreeSet<[u32; 2]> = edges.iter().copied().collect();
        if directed.len() != edges.len() || edges.iter().any(|&[a, b]| a == b || !directed.contains(&[b, a])) {
            return Err("an edge without just one facet on either side".into());
        }
        let corners: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
        if corners.len() + triangles.len() != edges.len() / 2 + 2 {
            return Err("not a sphere".into());
        }
        let extent = points.iter().fold(0.0, |most: f64, &p| most.max(to_f64(p - points[0]).length()));
        for &[a, b, c] in triangles {
            let [a, b, c] = [a, b, c].map(|k| to_f64(points[k as usize]));
            let cross = (b - a).cross(c - a);
            let normal = cross.normalize_or_zero();
            // The plane of a narrow facet is off by the rounding of its corners over its width.
            let longest = (b - a).length().max((c - b).length()).max((a - c).length());
            let width = cross.length() / longest;
            let above = points.iter().map(|&p| normal.dot(to_f64(p) - a)).fold(0.0, f64::max);
            if above * width > 3e-7 * extent * extent {
                return Err(format!("a point is {:e} of the extent outside", above / extent));
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn a_hull_is_a_closed_surface_around_all_points(
            kind in 0..7_usize,
            flatness in prop::sample::select(vec![1.0, 1e-2, 1e-3, 1e-4, 1e-6]),
            exponent in -9..=8,
            seeds in prop::collection::vec(prop::array::uniform3(-1.0..1.0 as Real), 4..60),
        ) {
            let points: Vec<Vec3> =
                cloud(kind, &seeds, flatness).iter().map(|&p| p * Real::powi(10.0, exponent)).collect();
            if let Some(triangles) = convex_hull(&points) {
                prop_assert_eq!(check(&points, &triangles), Ok(()));
            } else {
                prop_assert!(kind == 2 || kind > 3 || flatness < 1e-3, "no hull");
            }
        }
    }

    #[test]
    fn a_hull_of_many_points_of_a_sphere_has_them_all() {
        let points: Vec<Vec3> = (0..4000)
            .map(|k| {
                let (height, turn) = ((k as f64 + 0.5) / 2000.0 - 1.0, 2.399_963_229_728_653 * k as f64);
                let wide = (1.0 - height * height).sqrt();
                crate::math::from_f64(DVec3::new(wide * turn.cos(), height, wide * turn.sin()))
            })
            .collect();
        let triangles = convex_hull(&points).unwrap();
        assert_eq!(check(&points, &triangles), Ok(()));
        assert_eq!(triangles.len(), 2 * 4000 - 4);
    }

    #[test]
    fn points_of_a_plane_a_line_and_a_place_have_no_hull() {
        let plane: Vec<Vec3> = (0..25).map(|k| Vec3::new((k % 5) as Real, 0.0, (k / 5) as Real)).collect();
        let line: Vec<Vec3> = (0..9).map(|k| Vec3::ONE * k as Real).collect();
        for points in [vec![], vec![Vec3::ONE], vec![Vec3::ONE; 9], line, plane] {
            assert_eq!(convex_hull(&points), None);
        }
    }

    #[test]
    fn a_box_of_many_points_has_eight_corners() {
        let points: Vec<Vec3> =
            (0..125).map(|k| Vec3::new((k % 5) as Real, (k / 5 % 5) as Real, (k / 25) as Real)).collect();
        let triangles = convex_hull(&points).unwrap();
        let corners: BTreeSet<u32> = triangles.iter().flatten().copied().collect();
        assert_eq!(corners.into_iter().collect::<Vec<_>>(), [0, 4, 20, 24, 100, 104, 120, 124]);
        assert_eq!(triangles.len(), 12);
    }
}
