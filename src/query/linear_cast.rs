//! Linear cast of a convex shape against another: the distance it travels until it touches.

use crate::contact::kernels::{Distance, RoundedConvex, convex_distance};
use crate::math::parry::shape::SupportMap;
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::QUERY;

/// Iteration limit of a shape cast. A hit takes about five; a near miss halves the rest with each.
const MAX_ADVANCES: u32 = 64;

/// First touch of a moving shape on a static one, in the axes of the static one.
#[derive(Clone, Copy, Debug)]
pub(super) struct CastHit {
    /// Distance travelled (m).
    pub distance: Real,
    /// Point on the static shape (m).
    pub point: Vec3,
    /// Unit normal of the static surface; zero if unknown.
    pub normal: Vec3,
    /// True for an overlap at the start.
    pub overlaps: bool,
}

impl CastHit {
    const INSIDE: Self = Self { distance: 0.0, point: Vec3::ZERO, normal: Vec3::ZERO, overlaps: true };

    /// The same with the static shape at a pose.
    pub fn placed(self, at: &Pose) -> Self {
        Self { point: *at * self.point, normal: at.rotation * self.normal, ..self }
    }
}

/// Casts `moving` along the unit vector `towards` from `start`, in the axes of `still`, over
/// `length` (m).
///
/// The distance of two convex shapes is a convex function of the displacement (the path of a point
/// against the Minkowski sum), and its derivative is the component of the direction along the
/// normal. Newton's method from the near side never steps over its root.
pub(super) fn cast_convex(
    still: &RoundedConvex,
    moving: &RoundedConvex,
    start: &Pose,
    towards: Vec3,
    length: Real,
) -> Option<CastHit> {
    let size = moving.radius + moving.core.radius_about(Vec3::ZERO).unwrap_or(1.0);
    let touch = QUERY.touch * size;
    let mut found = CastHit::INSIDE;
    for _ in 0..MAX_ADVANCES {
        let travelled = found.distance;
        let here = Pose::from_parts(start.translation + towards * travelled, start.rotation);
        let (on_moving, normal, gap) =
            match convex_distance(still, None, moving, &here, length - travelled + touch, None) {
                Distance::Apart => return None,
                // After the first iteration an overlap is the rounding of a touch.
                Distance::Overlap => return Some(found),
                Distance::Near { on_b, normal, distance } => (here.translation + on_b, normal, distance),
            };
        let rate = normal.dot(towards);
        found.point = on_moving - normal * gap;
        found.normal = normal;
        found.overlaps = gap < 0.0 && travelled == 0.0;
        if found.overlaps {
            return Some(found);
        }
        if rate >= 0.0 {
            return None;
        }
        if gap <= touch {
            return Some(found);
        }
        found.distance += (gap - 0.5 * touch) / -rate;
        if found.distance > length {
            return None;
        }
    }
    // Near miss: the shapes all but touch.
    Some(found)
}

/// Casts `moving` against the half-space below the plane through the origin with this unit normal.
pub(super) fn cast_half_space(
    normal: Vec3,
    moving: &RoundedConvex,
    start: &Pose,
    towards: Vec3,
    length: Real,
) -> Option<CastHit> {
    let down = start.rotation.inverse() * -normal;
    let lowest = *start * moving.core.local_support_point(down) - normal * moving.radius;
    let (gap, rate) = (normal.dot(lowest), normal.dot(towards));
    if gap < 0.0 {
        return Some(CastHit { distance: 0.0, point: lowest - normal * gap, normal, overlaps: true });
    }
    if rate >= 0.0 {
        return None;
    }
    let distance = gap / -rate;
    let there = lowest + towards * distance;
    (distance <= length).then(|| CastHit {
        distance,
        point: there - normal * normal.dot(there),
        normal,
        overlaps: false,
    })
}
