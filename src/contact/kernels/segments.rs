//! Line segments: closest points, and the overlap of two nearly parallel ones.

use crate::math::{Real, Vec3};
use crate::tolerances::{GEOMETRY, MANIFOLD, SKEW_SQUARED_SINE};

/// True if a distance between points with coordinates up to `size` (m) exceeds rounding, so that it
/// has a direction.
#[inline]
pub(crate) fn has_direction(distance: Real, size: Real) -> bool {
    distance > GEOMETRY.coincident + 4.0 * Real::EPSILON * size
}

/// Parameters in [0, 1] of the closest points of the segments from `a` along `da` and from `b`
/// along `db`.
///
/// After Ericson, "Real-time collision detection", section 5.1.9. The crossing is computed from
/// cross products, which keep the small angles that products of lengths lose.
#[inline]
pub(crate) fn nearest(a: Vec3, da: Vec3, b: Vec3, db: Vec3) -> (Real, Real) {
    let r = a - b;
    let (aa, bb) = (da.length_squared(), db.length_squared());
    let (ar, br) = (da.dot(r), db.dot(r));
    if aa <= GEOMETRY.coincident * GEOMETRY.coincident {
        return (0.0, if bb <= GEOMETRY.coincident * GEOMETRY.coincident { 0.0 } else { (br / bb).clamp(0.0, 1.0) });
    }
    if bb <= GEOMETRY.coincident * GEOMETRY.coincident {
        return ((-ar / aa).clamp(0.0, 1.0), 0.0);
    }
    let ab = da.dot(db);
    let normal = da.cross(db);
    let squared = normal.length_squared();
    // Closest point on the second segment, and back: the distance never grows.
    let settled = |s: Real| {
        let t = ((ab * s + br) / bb).clamp(0.0, 1.0);
        (((ab * t - ar) / aa).clamp(0.0, 1.0), t)
    };
    if squared > SKEW_SQUARED_SINE * aa * bb {
        return settled((normal.dot(db.cross(r)) / squared).clamp(0.0, 1.0));
    }
    // Nearly parallel: the crossing is a quotient of rounding errors, so the ends are tried too.
    let crossing = if squared > GEOMETRY.coincident * aa * bb { normal.dot(db.cross(r)) / squared } else { -ar / aa };
    let starts = [crossing.clamp(0.0, 1.0), 0.0, 1.0, (-ar / aa).clamp(0.0, 1.0), ((ab - ar) / aa).clamp(0.0, 1.0)];
    let gap = |(s, t): (Real, Real)| (r + da * s - db * t).length_squared();
    starts
        .map(settled)
        .into_iter()
        .reduce(|best, next| if gap(next) < gap(best) { next } else { best })
        .unwrap_or((0.0, 0.0))
}

/// Parameters at both ends of the overlap of two nearly parallel segments; `None` if they are not
/// nearly parallel or do not overlap.
#[inline]
pub(crate) fn overlap_interval(a: Vec3, da: Vec3, b: Vec3, db: Vec3) -> Option<[(Real, Real); 2]> {
    let (aa, bb) = (da.length_squared(), db.length_squared());
    if aa <= GEOMETRY.coincident * GEOMETRY.coincident || bb <= GEOMETRY.coincident * GEOMETRY.coincident {
        return None;
    }
    let sine = MANIFOLD.parallel_sine;
    if da.cross(db).length_squared() > sine * sine * aa * bb {
        return None;
    }
    let along = |p: Vec3| (p - a).dot(da) / aa;
    let (start, end) = (along(b), along(b + db));
    let low = start.min(end).max(0.0);
    let high = start.max(end).min(1.0);
    if high - low <= GEOMETRY.coincident {
        return None;
    }
    let on_b = |s: Real| ((a + da * s - b).dot(db) / bb).clamp(0.0, 1.0);
    Some([(low, on_b(low)), (high, on_b(high))])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vec3(size: Real) -> impl Strategy<Value = Vec3> {
        (-size..size, -size..size, -size..size).prop_map(|(x, y, z)| Vec3::new(x, y, z))
    }

    proptest! {
        #[test]
        fn no_pair_of_points_is_nearer_than_the_nearest(
            a in vec3(2.0), da in vec3(2.0), b in vec3(2.0), db in vec3(2.0), near in 0.0..1.0_f64,
        ) {
            // Half of the cases are nearly parallel.
            let db = if near < 0.5 { da * 0.7 + db * 1e-4 } else { db };
            let (s, t) = nearest(a, da, b, db);
            let found = (a + da * s - b - db * t).length();
            for i in 0..=20 {
                for j in 0..=20 {
                    let (u, v) = (i as Real / 20.0, j as Real / 20.0);
                    prop_assert!((a + da * u - b - db * v).length() >= found - 1e-5);
                }
            }
        }
    }

    #[test]
    fn parallel_segments_share_the_stretch_where_they_overlap() {
        let [first, last] =
            overlap_interval(Vec3::ZERO, Vec3::X * 2.0, Vec3::new(3.0, 1.0, 0.0), Vec3::X * -2.0).unwrap();
        assert!((first.0 - 0.5).abs() < 1e-6 && (first.1 - 1.0).abs() < 1e-6);
        assert!((last.0 - 1.0).abs() < 1e-6 && (last.1 - 0.5).abs() < 1e-6);
        assert!(overlap_interval(Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z).is_none());
        assert!(overlap_interval(Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::X).is_none());
    }
}
