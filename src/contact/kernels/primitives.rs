//! Dispatch of balls, capsules and cuboids, the pairs of shapes with kernels of their own.

use super::ball_ball::ball_ball;
use super::ball_capsule::capsule_ball;
use super::ball_cuboid::cuboid_ball;
use super::cache::PairCache;
use super::capsule_capsule::capsule_capsule;
use super::capsule_cuboid::cuboid_capsule;
use super::cuboid_cuboid::cuboid_cuboid;
use super::geometry::Geometry;
use super::local_manifold::LocalManifold;
use crate::math::{Pose, Real};

/// Finds the manifold of two balls, capsules or cuboids; false for other shapes.
pub(super) fn primitives(
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    cache: &mut PairCache,
    out: &mut LocalManifold,
) -> bool {
    use Geometry::{Ball, Capsule, Cuboid};
    match (a, b) {
        (Ball { radius: p }, Ball { radius: q }) => *out = ball_ball(*p, *q, b_in_a, prediction),
        (Cuboid { half: p }, Cuboid { half: q }) => {
            let mut axis = cache.axis();
            *out = cuboid_cuboid(*p, *q, b_in_a, prediction, &mut axis);
            *cache = PairCache::Axis(axis);
        }
        (Cuboid { half }, Ball { radius }) => *out = cuboid_ball(*half, *radius, b_in_a, prediction),
        (Capsule { a, b, radius }, Ball { radius: ball }) => {
            *out = capsule_ball(*a, *b, *radius, *ball, b_in_a, prediction);
        }
        (Ball { .. }, Cuboid { .. } | Capsule { .. }) | (Capsule { .. }, Cuboid { .. }) => {
            if !primitives(b, a, &b_in_a.inverse(), prediction, cache, out) {
                return false;
            }
            *out = LocalManifold { clearance: out.clearance, ..out.mirrored(b_in_a) };
        }
        _ => {
            let Some(capsule) = b.capsule() else { return false };
            match (a, a.capsule()) {
                (_, Some(first)) => *out = capsule_capsule(&first, &capsule, b_in_a, prediction),
                (Cuboid { half }, _) => *out = cuboid_capsule(*half, &capsule, b_in_a, prediction),
                _ => return false,
            }
        }
    }
    true
}
