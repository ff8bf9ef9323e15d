//! The point of a simplex nearest to the origin, in `f64`.

use crate::math::DVec3;

/// A corner of the difference of two shapes, and the points of the shapes that make it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Corner {
    /// The second shape's point less the first one's.
    pub place: DVec3,
    pub on_a: DVec3,
    /// The numbers of both points among the shapes' corners.
    pub numbers: [u8; 2],
}

/// Up to four corners, and those of them that carry the point nearest to the origin: the first ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simplex {
    corners: [Corner; 4],
    carrier: Carrier,
}

/// Which corners carry the point nearest to the origin, in ascending order, and their weights: the corners themselves are large
/// and stay where they are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Carrier {
    which: [u8; 4],
    weights: [f64; 4],
    count: usize,
    nearest: DVec3,
}

impl Carrier {
    pub fn count(&self) -> usize {
        self.count
    }

    /// The point nearest to the origin.
    pub fn nearest(&self) -> DVec3 {
        self.nearest
    }

    /// Some of all corners with their weights.
    #[inline]
    fn new<const N: usize>(all: &[Corner; 4], which: [usize; N], weights: [f64; N]) -> Self {
        let mut out = Self { count: N, ..Self::default() };
        for k in 0..N {
            out.which[k] = which[k] as u8;
            out.weights[k] = weights[k];
            out.nearest += all[which[k]].place * weights[k];
        }
        out
    }
}

impl Simplex {
    /// What carries the nearest point of the first `count` of some corners: one to three.
    #[inline]
    pub fn of(corners: [Corner; 4], count: usize) -> Self {
        let carrier = match count {
            1 => Carrier::new(&corners, [0], [1.0]),
            2 => edge(&corners, [0, 1]),
            _ => triangle(&corners, [0, 1, 2]),
        };
        let mut simplex = Self { corners, carrier };
        simplex.take(carrier);
        simplex
    }

    pub fn count(&self) -> usize {
        self.carrier.count
    }

    pub fn holds(&self, place: DVec3) -> bool {
        self.carried().iter().any(|c| c.place == place)
    }

    /// The corners that carry the nearest point.
    pub fn carried(&self) -> &[Corner] {
        &self.corners[..self.carrier.count]
    }

    /// The point nearest to the origin.
    pub fn nearest(&self) -> DVec3 {
        self.carrier.nearest
    }

    /// The points of the two shapes that lie there.
    pub fn witnesses(&self) -> (DVec3, DVec3) {
        let weighted = self.carried().iter().zip(self.carrier.weights);
        let on_a = weighted.fold(DVec3::ZERO, |sum, (corner, weight)| sum + corner.on_a * weight);
        (on_a, on_a + self.nearest())
    }

    /// What carries the nearest point with one more corner. Four do only where the origin lies inside. Until [`Self::take`] it is
    /// but an offer.
    pub fn offer(&mut self, corner: Corner) -> Carrier {
        self.corners[self.carrier.count] = corner;
        match self.carrier.count + 1 {
            2 => edge(&self.corners, [0, 1]),
            3 => triangle(&self.corners, [0, 1, 2]),
            _ => tetrahedron(&self.corners),
        }
    }

    /// Takes up an offer: its corners go to the first places, the others are dropped.
    pub fn take(&mut self, carrier: Carrier) {
        for (k, &from) in carrier.which[..carrier.count].iter().enumerate() {
            if usize::from(from) > k {
                self.corners[k] = self.corners[usize::from(from) & 3];
            }
        }
        self.carrier = Carrier { which: [0, 1, 2, 3], ..carrier };
    }
}

fn edge(all: &[Corner; 4], [i, j]: [usize; 2]) -> Carrier {
    let (a, along) = (all[i].place, all[j].place - all[i].place);
    let (t, squared) = (-a.dot(along), along.length_squared());
    if t <= 0.0 {
        Carrier::new(all, [i], [1.0])
    } else if t >= squared {
        Carrier::new(all, [j], [1.0])
    } else {
        Carrier::new(all, [i, j], [1.0 - t / squared, t / squared])
    }
}

/// Ericson, "Real-time collision detection", section 5.1.5.
fn triangle(all: &[Corner; 4], [i, j, k]: [usize; 3]) -> Carrier {
    let (a, b, c) = (all[i].place, all[j].place, all[k].place);
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return Carrier::new(all, [i], [1.0]);
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return Carrier::new(all, [j], [1.0]);
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return Carrier::new(all, [k], [1.0]);
    }
    // Signed areas, from cross products: differences of the products above would lose thin triangles.
    let normal = ab.cross(ac);
    let (over_ab, over_bc, over_ca) = (normal.dot(a.cross(b)), normal.dot(b.cross(c)), normal.dot(c.cross(a)));
    if over_ab > 0.0 && over_bc > 0.0 && over_ca > 0.0 {
        let sum = over_ab + over_bc + over_ca;
        return Carrier::new(all, [i, j, k], [over_bc / sum, over_ca / sum, over_ab / sum]);
    }
    // On the outer side of one edge or two.
    let sides = [(over_ab, [i, j]), (over_bc, [j, k]), (over_ca, [i, k])];
    nearest_of(sides.into_iter().filter(|(over, _)| *over <= 0.0).map(|(_, side)| edge(all, side)))
}

fn tetrahedron(all: &[Corner; 4]) -> Carrier {
    let faces = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 1, 3, 2], [1, 2, 3, 0]];
    let outside = |[i, j, k, l]: [usize; 4]| {
        let (a, b, c) = (all[i].place, all[j].place, all[k].place);
        let normal = (b - a).cross(c - a);
        let (origin, fourth) = (-a.dot(normal), (all[l].place - a).dot(normal));
        // A flat tetrahedron has no inside.
        origin * fourth <= 0.0
    };
    let facing = faces.into_iter().filter(|&face| outside(face)).map(|[i, j, k, _]| triangle(all, [i, j, k]));
    let nearest = nearest_of(facing);
    if nearest.count == 0 { Carrier::new(all, [0, 1, 2, 3], [0.25; 4]) } else { nearest }
}

/// The one of some carriers whose point is nearest, or an empty one if there are none.
fn nearest_of(candidates: impl Iterator<Item = Carrier>) -> Carrier {
    let gap = |carrier: &Carrier| carrier.nearest.length_squared();
    candidates.reduce(|best, next| if gap(&next) < gap(&best) { next } else { best }).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn corner(place: DVec3) -> Corner {
        Corner { place, ..Corner::default() }
    }

    proptest! {
        #[test]
        fn no_point_of_the_simplex_is_nearer(places in prop::array::uniform4(prop::array::uniform3(-1.0..1.0_f64))) {
            let places = places.map(DVec3::from_array);
            let all = places.map(corner);
            let three = triangle(&all, [0, 1, 2]);
            let four = tetrahedron(&all);
            let inside = four.count() == 4;
            let nearest = |carrier: &Carrier| carrier.nearest().length();
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
