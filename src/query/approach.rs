//! How far a convex shape goes along a line before it touches another: a law of two shapes.

use crate::contact::kernels::{Distance, Solid, between};
use crate::math::parry::shape::SupportMap;
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::{CAST_ADVANCES, CAST_TOUCH};

/// Where a moving shape first touches one that stands still, in the latter's axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Approach {
    /// How far it went (m).
    pub distance: Real,
    /// Where on what stands still (m).
    pub point: Vec3,
    /// Unit normal of that surface; zero where they overlap from the start.
    pub normal: Vec3,
}

impl Approach {
    const INSIDE: Self = Self { distance: 0.0, point: Vec3::ZERO, normal: Vec3::ZERO };

    /// The same where what stands still is at a pose.
    pub fn placed(self, at: &Pose) -> Self {
        Self { point: *at * self.point, normal: at.rotation * self.normal, ..self }
    }
}

/// How far `moving` goes along the unit vector `towards` from `start`, in the axes of `still`, within `length` (m).
///
/// The distance of two convex shapes is a convex function of the way (the way of a point against the sum of the shapes), and
/// its slope is the component of the way along the normal. Newton's method from the near side never steps over its root.
pub(super) fn first_touch(
    still: &Solid,
    moving: &Solid,
    start: &Pose,
    towards: Vec3,
    length: Real,
) -> Option<Approach> {
    let size = moving.radius + moving.core.reach_about(Vec3::ZERO).unwrap_or(1.0);
    let touch = CAST_TOUCH * size;
    let mut found = Approach::INSIDE;
    for _ in 0..CAST_ADVANCES {
        let way = found.distance;
        let here = Pose::from_parts(start.translation + towards * way, start.rotation);
        let (on_moving, normal, gap) = match between(still, None, moving, &here, length - way + touch, None) {
            Distance::Apart => return None,
            // After the first look it is what rounding makes of a touch.
            Distance::Overlap => return Some(found),
            Distance::Near { on_b, normal, distance } => (here.translation + on_b, normal, distance),
        };
        let rate = normal.dot(towards);
        found.point = on_moving - normal * gap;
        found.normal = normal;
        if gap < 0.0 && way == 0.0 {
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
    // A graze: they are all but touching.
    Some(found)
}

/// The same over the half-space below the plane through the origin with this unit normal.
pub(super) fn over_space(normal: Vec3, moving: &Solid, start: &Pose, towards: Vec3, length: Real) -> Option<Approach> {
    let down = start.rotation.inverse() * -normal;
    let lowest = *start * moving.core.local_support_point(down) - normal * moving.radius;
    let (gap, rate) = (normal.dot(lowest), normal.dot(towards));
    if gap < 0.0 {
        return Some(Approach { distance: 0.0, point: lowest - normal * gap, normal });
    }
    if rate >= 0.0 {
        return None;
    }
    let distance = gap / -rate;
    let there = lowest + towards * distance;
    (distance <= length).then(|| Approach { distance, point: there - normal * normal.dot(there), normal })
}
