//! Distance of two convex parts, or of one and a half-space.

use super::cache::SearchStart;
use super::gjk::{Nearest, nearest_within};
use super::rounded_convex::{Core, RoundedConvex};
use crate::math::parry::partitioning::BvhLeafCost;
use crate::math::parry::shape::SupportMap;
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::ROUNDING;

/// Result of a distance query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distance {
    /// Further apart than asked for.
    Apart,
    /// Within reach.
    Near {
        /// Closest point of the second shape relative to its origin, in the first one's axes (m).
        /// That of the first lies by `distance` against `normal` from it.
        on_b: Vec3,
        /// Unit normal from the first to the second, in the first one's axes.
        normal: Vec3,
        /// Metres; negative where rounded borders overlap.
        distance: Real,
    },
    /// Overlap by more than the rounded borders.
    Overlap,
}

impl Distance {
    /// The same with the shapes exchanged: `b_in_a` is the second one's pose in the frame of the
    /// first.
    pub(super) fn mirrored(self, b_in_a: &Pose) -> Self {
        let Self::Near { on_b, normal, distance } = self else { return self };
        let back = b_in_a.rotation.inverse();
        Self::Near { on_b: back * (b_in_a.translation + on_b - normal * distance), normal: back * -normal, distance }
    }

    /// The same in the parent axes of the first shape's pose.
    pub(super) fn placed(self, pose: Option<&Pose>) -> Self {
        let (Self::Near { on_b, normal, distance }, Some(pose)) = (self, pose) else { return self };
        Self::Near { on_b: pose.rotation * on_b, normal: pose.rotation * normal, distance }
    }

    /// The same for a part whose origin is at `offset` from that of the whole second shape.
    pub(super) fn of_part(self, offset: Vec3) -> Self {
        let Self::Near { on_b, normal, distance } = self else { return self };
        Self::Near { on_b: on_b + offset, normal, distance }
    }
}

impl BvhLeafCost for Distance {
    fn cost(&self) -> Real {
        match self {
            Self::Apart => Real::MAX,
            Self::Near { distance, .. } => *distance,
            Self::Overlap => -Real::MAX,
        }
    }
}

/// Distance of two convex parts, whose poses are in a common frame. `guess` is an expected normal,
/// in the first part's axes.
pub(crate) fn convex_distance(
    a: &RoundedConvex,
    a_pose: Option<&Pose>,
    b: &RoundedConvex,
    b_pose: &Pose,
    reach: Real,
    guess: Option<Vec3>,
) -> Distance {
    let b_in_a = a_pose.map_or(*b_pose, |pose| pose.inv_mul(b_pose));
    let radii = a.radius + b.radius;
    let (near_a, shift) = nearby_part(&a.core, &b.core, b_in_a.translation);
    let b_in_near = Pose::from_parts(b_in_a.translation - shift, b_in_a.rotation);
    let start = SearchStart { direction: guess, ..SearchStart::default() };
    match nearest_within(&near_a, &b.core, &b_in_near, reach + radii, start, |distance, _| ROUNDING.relative * distance)
    {
        Nearest::Apart(_) => Distance::Apart,
        Nearest::Overlap => Distance::Overlap,
        Nearest::Found { on_b, normal, distance, .. } => Distance::Near {
            on_b: on_b - b_in_near.translation - normal * b.radius,
            normal,
            distance: distance - radii,
        }
        .placed(a_pose),
    }
}

/// Block of a cuboid that contains its closest point to a core at `place`, and the centre of that
/// block: the corners of a large wall are too far away to resolve the direction to a small body.
fn nearby_part<'a>(a: &Core<'a>, b: &Core, place: Vec3) -> (Core<'a>, Vec3) {
    let (Core::Cuboid(half), Some(size)) = (a, b.radius_about(Vec3::ZERO)) else { return (*a, Vec3::ZERO) };
    // The closest point is no further from the core's origin than the cuboid's distance plus the
    // core's radius.
    let room = Vec3::splat(place.distance(place.clamp(-*half, *half)) + 2.0 * size);
    let (low, high) = ((place - room).clamp(-*half, *half), (place + room).clamp(-*half, *half));
    (Core::Cuboid((high - low) * 0.5), (high + low) * 0.5)
}

/// Height of a convex part over a half-space.
pub(super) fn half_space_distance(normal: Vec3, solid: &RoundedConvex, pose: &Pose, reach: Real) -> Distance {
    let down = pose.rotation.inverse() * -normal;
    let on_b = pose.rotation * solid.core.local_support_point(down) - normal * solid.radius;
    let distance = pose.translation.dot(normal) + on_b.dot(normal);
    if distance > reach { Distance::Apart } else { Distance::Near { on_b, normal, distance } }
}
