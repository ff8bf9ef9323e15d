//! Nearest points and deepest overlap of any two convex cores, by parry's GJK and EPA.

use super::feature;
use super::local::{LocalManifold, LocalPoint};
use super::solid::Core;
use crate::math::parry::query::epa::EPA;
use crate::math::parry::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use crate::math::{Pose, Real, Vec3};

/// How two cores lie.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Nearest {
    /// Further apart than asked for; a direction that shows it.
    Apart(Vec3),
    /// Nearest points and unit normal, all in the first core's frame.
    Found { on_a: Vec3, on_b: Vec3, normal: Vec3 },
    /// They overlap, or touch within rounding.
    Overlap,
}

impl Nearest {
    /// One point, if the cores are near but do not overlap.
    pub fn manifold(&self, b_in_a: &Pose) -> LocalManifold {
        let Self::Found { on_a, on_b, normal } = *self else { return LocalManifold::default() };
        let mut out = LocalManifold::with_normal(normal);
        out.push(LocalPoint {
            point_a: on_a,
            point_b: b_in_a.inverse_transform_point(on_b),
            separation: (on_b - on_a).dot(normal),
            feature: feature::pack(feature::vertex(WITNESS), feature::vertex(WITNESS)),
        });
        out
    }
}

/// Name of a nearest point whose features are not known.
pub(crate) const WITNESS: u32 = 0x3fff;

/// The nearest points of two cores at most `reach` (m) apart. `start` is a guess of the direction from first to second.
pub(crate) fn nearest(a: &Core, b: &Core, b_in_a: &Pose, reach: Real, start: Option<Vec3>) -> Nearest {
    search(a, b, b_in_a, reach, start, &mut VoronoiSimplex::new())
}

fn search(
    a: &Core,
    b: &Core,
    b_in_a: &Pose,
    reach: Real,
    start: Option<Vec3>,
    simplex: &mut VoronoiSimplex,
) -> Nearest {
    let start = start.or_else(|| b_in_a.translation.try_normalize()).unwrap_or(Vec3::X);
    simplex.reset(CsoPoint::from_shapes(b_in_a, a, b, start));
    match gjk::closest_points(b_in_a, a, b, reach, true, simplex) {
        GJKResult::ClosestPoints(on_a, on_b, normal) => Nearest::Found { on_a, on_b, normal },
        GJKResult::NoIntersection(direction) => Nearest::Apart(direction),
        GJKResult::Intersection | GJKResult::Proximity(_) => Nearest::Overlap,
    }
}

/// The same, and the points of deepest overlap where the cores overlap. [`Nearest::Overlap`] is left only where the
/// expanding polytope fails too.
pub(crate) fn nearest_or_deepest(
    a: &Core,
    b: &Core,
    b_in_a: &Pose,
    reach: Real,
    start: Option<Vec3>,
    epa: &mut EPA,
) -> Nearest {
    let mut simplex = VoronoiSimplex::new();
    match search(a, b, b_in_a, reach, start, &mut simplex) {
        Nearest::Overlap => match epa.closest_points(b_in_a, a, b, &simplex) {
            Some((on_a, on_b, normal)) if normal.is_normalized() => Nearest::Found { on_a, on_b, normal },
            _ => Nearest::Overlap,
        },
        found => found,
    }
}
