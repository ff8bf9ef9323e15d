//! Closest point of a simplex to the origin, in `f64`.

use super::minkowski::MinkowskiVertex;
use crate::math::DVec3;

/// Simplex of up to four vertices. The first ones support its closest point to the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simplex {
    corners: [MinkowskiVertex; 4],
    feature: NearestFeature,
}

/// Sub-simplex that supports the closest point: the indices of its vertices in ascending order, and
/// their barycentric weights. The vertices themselves are large and not moved.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NearestFeature {
    which: [u8; 4],
    weights: [f64; 4],
    count: usize,
    nearest: DVec3,
}

impl NearestFeature {
    pub fn count(&self) -> usize {
        self.count
    }

    /// The point nearest to the origin.
    pub fn nearest(&self) -> DVec3 {
        self.nearest
    }

    /// Sub-simplex of the given vertices and weights.
    #[inline]
    fn new<const N: usize>(all: &[MinkowskiVertex; 4], which: [usize; N], weights: [f64; N]) -> Self {
        let mut out = Self { count: N, ..Self::default() };
        for k in 0..N {
            out.which[k] = which[k] as u8;
            out.weights[k] = weights[k];
            out.nearest += all[which[k]].point * weights[k];
        }
        out
    }
}

impl Simplex {
    /// The simplex of the first `count` (one to three) vertices, reduced to the closest
    /// sub-simplex.
    #[inline]
    pub fn of(corners: [MinkowskiVertex; 4], count: usize) -> Self {
        let feature = match count {
            1 => NearestFeature::new(&corners, [0], [1.0]),
            2 => edge(&corners, [0, 1]),
            _ => triangle(&corners, [0, 1, 2]),
        };
        let mut simplex = Self { corners, feature };
        simplex.accept(feature);
        simplex
    }

    pub fn count(&self) -> usize {
        self.feature.count
    }

    pub fn contains(&self, point: DVec3) -> bool {
        self.vertices().iter().any(|c| c.point == point)
    }

    /// The vertices that support the closest point.
    pub fn vertices(&self) -> &[MinkowskiVertex] {
        &self.corners[..self.feature.count]
    }

    /// The point nearest to the origin.
    pub fn nearest(&self) -> DVec3 {
        self.feature.nearest
    }

    /// Closest points of the two shapes.
    pub fn witnesses(&self) -> (DVec3, DVec3) {
        let weighted = self.vertices().iter().zip(self.feature.weights);
        let on_a = weighted.fold(DVec3::ZERO, |sum, (corner, weight)| sum + corner.on_a * weight);
        (on_a, on_a + self.nearest())
    }

    /// The closest sub-simplex with one more vertex. It has four only if the origin lies inside.
    /// The simplex is unchanged until [`Self::accept`].
    pub fn extended(&mut self, corner: MinkowskiVertex) -> NearestFeature {
        self.corners[self.feature.count] = corner;
        match self.feature.count + 1 {
            2 => edge(&self.corners, [0, 1]),
            3 => triangle(&self.corners, [0, 1, 2]),
            _ => tetrahedron(&self.corners),
        }
    }

    /// Reduces the simplex to a sub-simplex of [`Self::extended`].
    pub fn accept(&mut self, feature: NearestFeature) {
        for (k, &from) in feature.which[..feature.count].iter().enumerate() {
            if usize::from(from) > k {
                self.corners[k] = self.corners[usize::from(from) & 3];
            }
        }
        self.feature = NearestFeature { which: [0, 1, 2, 3], ..feature };
    }
}

fn edge(all: &[MinkowskiVertex; 4], [i, j]: [usize; 2]) -> NearestFeature {
    let (a, along) = (all[i].point, all[j].point - all[i].point);
    let (t, squared) = (-a.dot(along), along.length_squared());
    if t <= 0.0 {
        NearestFeature::new(all, [i], [1.0])
    } else if t >= squared {
        NearestFeature::new(all, [j], [1.0])
    } else {
        NearestFeature::new(all, [i, j], [1.0 - t / squared, t / squared])
    }
}

/// Ericson, "Real-time collision detection", section 5.1.5.
fn triangle(all: &[MinkowskiVertex; 4], [i, j, k]: [usize; 3]) -> NearestFeature {
    let (a, b, c) = (all[i].point, all[j].point, all[k].point);
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return NearestFeature::new(all, [i], [1.0]);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return NearestFeature::new(all, [j], [1.0]);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return NearestFeature::new(all, [k], [1.0]);
    }
    // Signed areas from cross products: differences of the products above lose thin triangles.
    let normal = ab.cross(ac);
    let (over_ab, over_bc, over_ca) = (normal.dot(a.cross(b)), normal.dot(b.cross(c)), normal.dot(c.cross(a)));
    if over_ab > 0.0 && over_bc > 0.0 && over_ca > 0.0 {
        let sum = over_ab + over_bc + over_ca;
        return NearestFeature::new(all, [i, j, k], [over_bc / sum, over_ca / sum, over_ab / sum]);
    }
    // The origin projects beyond one edge or two.
    let sides = [(over_ab, [i, j]), (over_bc, [j, k]), (over_ca, [i, k])];
    nearest_of(sides.into_iter().filter(|(over, _)| *over <= 0.0).map(|(_, side)| edge(all, side)))
}

fn tetrahedron(all: &[MinkowskiVertex; 4]) -> NearestFeature {
    let faces = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 1, 3, 2], [1, 2, 3, 0]];
    let outside = |[i, j, k, l]: [usize; 4]| {
        let (a, b, c) = (all[i].point, all[j].point, all[k].point);
        let normal = (b - a).cross(c - a);
        let (origin, fourth) = (-a.dot(normal), (all[l].point - a).dot(normal));
        // A flat tetrahedron has no inside.
        origin * fourth <= 0.0
    };
    let facing = faces.into_iter().filter(|&face| outside(face)).map(|[i, j, k, _]| triangle(all, [i, j, k]));
    let nearest = nearest_of(facing);
    if nearest.count == 0 { NearestFeature::new(all, [0, 1, 2, 3], [0.25; 4]) } else { nearest }
}

/// The candidate of least distance, or an empty one.
fn nearest_of(candidates: impl Iterator<Item = NearestFeature>) -> NearestFeature {
    let gap = |feature: &NearestFeature| feature.nearest.length_squared();
    candidates.reduce(|best, next| if gap(&next) < gap(&best) { next } else { best }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn corner(point: DVec3) -> MinkowskiVertex {
        MinkowskiVertex { point, ..MinkowskiVertex::default() }
    }

    proptest! {
        #[test]
        fn no_point_of_the_simplex_is_nearer(places in prop::array::uniform4(prop::array::uniform3(-1.0..1.0_f64))) {
            let places = places.map(DVec3::from_array);
            let all = places.map(corner);
            let three = triangle(&all, [0, 1, 2]);
            let four = tetrahedron(&all);
            let inside = four.count() == 4;
            let nearest = |feature: &NearestFeature| feature.nearest().length();
            for i in 0..=12 {
                for j in 0..=12 - i {
                    for k in 0..=12 - i - j {
                        let l = 12 - i - j - k;
                        let weights = [i, j, k, l].map(|w| f64::from(w) / 12.0);
                        let point: DVec3 = (0..4).map(|n| places[n] * weights[n]).sum();
                        prop_assert!(inside || point.length() >= nearest(&four) - 1e-12);
                        prop_assert!(l > 0 || point.length() >= nearest(&three) - 1e-12);
                    }
                }
            }
        }
    }

    #[test]
    fn an_origin_inside_keeps_four_corners() {
        let places = [
            DVec3::new(1.0, 1.0, 1.0),
            DVec3::new(-1.0, -1.0, 1.0),
            DVec3::new(-1.0, 1.0, -1.0),
            DVec3::new(1.0, -1.0, -1.0),
        ];
        assert_eq!(tetrahedron(&places.map(corner)).count(), 4);
        assert_eq!(tetrahedron(&places.map(|p| corner(p + DVec3::X * 3.0))).count(), 2);
    }
}
