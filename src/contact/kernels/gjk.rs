//! Nearest points of any two convex cores, and their deepest overlap.
//!
//! The distance is found by our own iteration in `f64` (Gilbert, Johnson and Keerthi 1988): now and then
//! one in `f32` stalls millimetres short of the answer. The overlap is parry's expanding polytope, whose answer is only
//! a guess of a direction here: [`super::axis`] weighs it against the faces.

use super::feature;
use super::local::{LocalManifold, LocalPoint};
use super::simplex::{Corner, Simplex};
use super::solid::Core;
use crate::math::parry::query::epa::EPA;
use crate::math::parry::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use crate::math::parry::shape::SupportMap;
use crate::math::{DMat3, DQuat, DVec3, Pose, Real, Vec3, from_f64, to_f64};
use crate::tolerances::{GJK_GAP, GJK_OVERLAP};

/// How two cores lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nearest {
    /// Further apart than asked for; a direction that shows it.
    Apart(Vec3),
    /// Nearest points, unit normal and distance (m), all in the first core's frame.
    Found { on_a: Vec3, on_b: Vec3, normal: Vec3, distance: Real },
    /// They overlap, or touch within rounding.
    Overlap,
}

impl Nearest {
    /// One point, if the cores are near but do not overlap.
    pub fn manifold(&self, b_in_a: &Pose) -> LocalManifold {
        let Self::Found { on_a, on_b, normal, distance } = *self else { return LocalManifold::default() };
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

/// The nearest points of two cores at most `reach` (m) apart. `start` is a guess of the direction from first to second.
pub(crate) fn nearest(a: &Core, b: &Core, b_in_a: &Pose, reach: Real, start: Option<Vec3>) -> Nearest {
    nearest_to(a, b, b_in_a, reach, start, |_, size| GJK_GAP * size)
}

/// [`nearest`] to within what `slack` makes of the distance and the size (m) of what it is asked about. Where the distance is
/// small against the size, so must the slack be, for the normal is off by the root of twice its part of the distance.
pub(crate) fn nearest_to(
    a: &Core,
    b: &Core,
    b_in_a: &Pose,
    reach: Real,
    start: Option<Vec3>,
    slack: impl Fn(f64, f64) -> f64,
) -> Nearest {
    let q = b_in_a.rotation;
    let to_a = DMat3::from_quat(DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()).normalize());
    let shift = to_f64(b_in_a.translation);
    let back = to_a.transpose();
    // The corner of b - a furthest against `direction`.
    let corner = |direction: DVec3| {
        let on_a = to_f64(a.local_support_point(from_f64(direction)));
        let on_b = to_a * to_f64(b.local_support_point(from_f64(back * -direction))) + shift;
        Corner { place: on_b - on_a, on_a }
    };
    // A ball's centre and a triangle need no iteration.
    let direct = match (a, b) {
        (Core::Triangle(corners), Core::Point) => {
            Some(corners.map(|v| Corner { place: shift - to_f64(v), on_a: to_f64(v) }))
        }
        (Core::Point, Core::Triangle(corners)) => {
            Some(corners.map(|v| Corner { place: to_a * to_f64(v) + shift, on_a: DVec3::ZERO }))
        }
        _ => None,
    };
    if let Some(corners) = direct {
        let size = corners.iter().fold(0.0, |most: f64, c| most.max(c.place.length_squared())).sqrt();
        return verdict(&Simplex::of_triangle(corners), size, f64::from(reach));
    }
    let start = start.map(to_f64).or_else(|| shift.try_normalize()).unwrap_or(DVec3::X);
    let mut simplex = Simplex::of(corner(start));
    let reach = f64::from(reach);
    let mut size = simplex.nearest().length();
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
        if grown.count() < 4 && simplex.nearest_by(&grown).length_squared() >= nearest.length_squared() {
            break;
        }
        simplex.take(grown);
    }
    verdict(&simplex, size, reach)
}

fn verdict(simplex: &Simplex, size: f64, reach: f64) -> Nearest {
    let (on_a, on_b) = simplex.witnesses();
    let distance = (on_b - on_a).length();
    if simplex.count() == 4 || distance <= GJK_OVERLAP * size {
        return Nearest::Overlap;
    }
    let normal = (on_b - on_a) / distance;
    if distance > reach {
        return Nearest::Apart(from_f64(normal));
    }
    Nearest::Found { on_a: from_f64(on_a), on_b: from_f64(on_b), normal: from_f64(normal), distance: distance as Real }
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
