//! Nearest points of any two convex cores, and their deepest overlap.
//!
//! The distance is found by our own iteration in `f64` (Gilbert, Johnson and Keerthi 1988): now and then
//! one in `f32` stalls millimetres short of the answer. The overlap is parry's expanding polytope, whose answer is only
//! a guess of a direction here: [`super::axis`] weighs it against the faces.

use super::cache::{Corners, Start};
use super::feature;
use super::local::{LocalManifold, LocalPoint};
use super::simplex::{Corner, Simplex};
use super::solid::Core;
use crate::math::parry::query::epa::EPA;
use crate::math::parry::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use crate::math::{DMat3, DQuat, DVec3, Pose, Real, Vec3, from_f64, to_f64};
use crate::tolerances::{GJK_GAP, GJK_OVERLAP};

/// How two cores lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nearest {
    /// Further apart than asked for; a direction that shows it.
    Apart(Vec3),
    /// Nearest points, unit normal and distance (m), all in the first core's frame; and the corners that carry the points.
    Found { on_a: Vec3, on_b: Vec3, normal: Vec3, distance: Real, corners: Corners },
    /// They overlap, or touch within rounding.
    Overlap,
}

impl Nearest {
    /// One point, if the cores are near but do not overlap.
    pub fn manifold(&self, b_in_a: &Pose) -> LocalManifold {
        let Self::Found { on_a, on_b, normal, distance, .. } = *self else { return LocalManifold::default() };
        let mut out = LocalManifold::with_normal(normal);
        out.push(LocalPoint {
            point_a: on_a,
            point_b: b_in_a.inverse_transform_point(on_b),
            separation: distance,
            feature: feature::pack(feature::vertex(WITNESS), feature::vertex(WITNESS)),
        });
        out
    }
}

/// Name of a nearest point whose features are not known.
pub(crate) const WITNESS: u32 = 0x3fff;

/// The iteration ends by itself on shapes with corners; on rims each step halves what is left.
const MOST_STEPS: usize = 64;

/// The nearest points of two cores at most `reach` (m) apart.
pub(crate) fn nearest(a: &Core, b: &Core, b_in_a: &Pose, reach: Real, start: Start) -> Nearest {
    nearest_to(a, b, b_in_a, reach, start, |_, size| GJK_GAP * size)
}

/// [`nearest`] to within what `slack` makes of the distance and the size (m) of what it is asked about. Where the distance is
/// small against the size, so must the slack be, for the normal is off by the root of twice its part of the distance.
pub(crate) fn nearest_to(
    a: &Core,
    b: &Core,
    b_in_a: &Pose,
    reach: Real,
    start: Start,
    slack: impl Fn(f64, f64) -> f64,
) -> Nearest {
    let q = b_in_a.rotation;
    let to_a = DMat3::from_quat(DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()).normalize());
    let shift = to_f64(b_in_a.translation);
    let back = to_a.transpose();
    let between = |(on_a, of_a): (Vec3, u8), (on_b, of_b): (Vec3, u8)| {
        let on_a = to_f64(on_a);
        Corner { place: to_a * to_f64(on_b) + shift - on_a, on_a, numbers: [of_a, of_b] }
    };
    // The corner of b - a furthest against `direction`.
    let corner = |direction: DVec3| between(a.support(from_f64(direction)), b.support(from_f64(back * -direction)));
    // A ball's centre and a triangle need no iteration.
    let direct = match (a, b) {
        (Core::Triangle(corners), Core::Point) => Some(corners.map(|v| between((v, 0), (Vec3::ZERO, 0)))),
        (Core::Point, Core::Triangle(corners)) => Some(corners.map(|v| between((Vec3::ZERO, 0), (v, 0)))),
        _ => None,
    };
    let reach = f64::from(reach);
    if let Some(corners) = direct {
        let [a, b, c] = corners;
        return verdict(&Simplex::of([a, b, c, c], 3), size_of_all(&corners), reach, false);
    }
    let Corners { of_a, of_b, count } = start.corners;
    let mut corners = [Corner::default(); 4];
    let mut kept = 0;
    for (of_a, of_b) in of_a.into_iter().zip(of_b).take(count.into()) {
        // A number may be another shape's, in a file of somebody's own making.
        if let (Some(on_a), Some(on_b)) = (a.corner(of_a), b.corner(of_b)) {
            corners[kept] = between((on_a, of_a), (on_b, of_b));
            kept += 1;
        }
    }
    if kept == 0 {
        corners[0] = corner(start.direction.map(to_f64).or_else(|| shift.try_normalize()).unwrap_or(DVec3::X));
        kept = 1;
    }
    let mut size = size_of_all(&corners[..kept]);
    let mut simplex = Simplex::of(corners, kept);
    for _ in 0..MOST_STEPS {
        let nearest = simplex.nearest();
        let distance = nearest.length();
        if simplex.count() == 4 || distance <= GJK_OVERLAP * size {
            return Nearest::Overlap;
        }
        let direction = nearest / distance;
        let next = corner(direction);
        size = size.max(next.place.length());
        let bound = next.place.dot(direction);
        if bound > reach {
            return Nearest::Apart(from_f64(direction));
        }
        if distance - bound <= slack(distance, size) || simplex.holds(next.place) {
            break;
        }
        let grown = simplex.offer(next);
        // A direction along which they are apart is proof: what holds the origin all the same is a sliver, and rounding.
        if grown.count() == 4 && bound > GJK_OVERLAP * size {
            break;
        }
        if grown.count() < 4 && grown.nearest().length_squared() >= nearest.length_squared() {
            break;
        }
        simplex.take(grown);
    }
    verdict(&simplex, size, reach, a.is_numbered() && b.is_numbered())
}

/// The largest distance of some corners from the origin (m).
fn size_of_all(corners: &[Corner]) -> f64 {
    corners.iter().fold(0.0, |most: f64, c| most.max(c.place.length_squared())).sqrt()
}

fn verdict(simplex: &Simplex, size: f64, reach: f64, numbered: bool) -> Nearest {
    let (on_a, on_b) = simplex.witnesses();
    let distance = (on_b - on_a).length();
    if simplex.count() == 4 || distance <= GJK_OVERLAP * size {
        return Nearest::Overlap;
    }
    let normal = (on_b - on_a) / distance;
    if distance > reach {
        return Nearest::Apart(from_f64(normal));
    }
    let mut corners = Corners::default();
    if numbered {
        for (k, corner) in simplex.carried().iter().enumerate() {
            [corners.of_a[k], corners.of_b[k]] = corner.numbers;
        }
        corners.count = simplex.count() as u8;
    }
    let [on_a, on_b, normal] = [on_a, on_b, normal].map(from_f64);
    Nearest::Found { on_a, on_b, normal, distance: distance as Real, corners }
}

/// The points of deepest overlap of two cores that overlap or touch, and the normal, as far as parry finds them.
pub(crate) fn deepest(a: &Core, b: &Core, b_in_a: &Pose, epa: &mut EPA) -> Option<(Vec3, Vec3, Vec3)> {
    let mut simplex = VoronoiSimplex::new();
    let start = b_in_a.translation.try_normalize().unwrap_or(Vec3::X);
    simplex.reset(CsoPoint::from_shapes(b_in_a, a, b, start));
    let found = match gjk::closest_points(b_in_a, a, b, Real::MAX, true, &mut simplex) {
        GJKResult::ClosestPoints(on_a, on_b, normal) => Some((on_a, on_b, normal)),
        GJKResult::Intersection => epa.closest_points(b_in_a, a, b, &simplex),
        GJKResult::NoIntersection(_) | GJKResult::Proximity(_) => None,
    };
    found.filter(|(.., normal)| normal.is_normalized())
}
