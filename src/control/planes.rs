//! Projection of a motion onto the intersection of half-spaces.
//!
//! Each surface allows a half-space of motions. The allowed motion nearest to the wanted one is
//! unique, so that a character in a corner stays still instead of bouncing between the walls.

use crate::math::Real;
use crate::math::{DMat3, DVec3, Vec3, from_f64, to_f64};
use crate::tolerances::{PLANE_SLACK, SLIDE};

/// The constraint of a surface on a motion `m`: `normal . m >= least`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal, away from the surface.
    pub normal: Vec3,
    /// Least motion along the normal (m, or m/s for velocities): 0 for a surface in contact,
    /// positive for one that pushes, negative for one at a distance.
    pub least: Real,
}

impl Plane {
    /// A surface in contact.
    pub const fn touched(normal: Vec3) -> Self {
        Self { normal, least: 0.0 }
    }
}

/// Adds a plane, or tightens a plane with the same normal.
pub fn add(planes: &mut Vec<Plane>, plane: Plane) {
    match planes.iter_mut().find(|known| known.normal.dot(plane.normal) > 1.0 - SLIDE.parallel) {
        Some(known) => known.least = known.least.max(plane.least),
        None => planes.push(plane),
    }
}

/// The motion nearest to `wanted` that all planes allow. If there is none, the motion with the
/// least violation among those that satisfy up to three planes with equality.
///
/// ```
/// use dolmen::control::planes::{Plane, project};
/// use dolmen::math::Vec3;
/// let corner = [Plane::touched(Vec3::NEG_X), Plane::touched(Vec3::NEG_Z)];
/// assert_eq!(project(Vec3::new(1.0, -2.0, 3.0), &corner), Vec3::new(0.0, -2.0, 0.0));
/// assert_eq!(project(Vec3::new(-1.0, 0.0, 3.0), &corner), Vec3::new(-1.0, 0.0, 0.0));
/// ```
pub fn project(wanted: Vec3, planes: &[Plane]) -> Vec3 {
    let wanted_f64 = to_f64(wanted);
    let all: Vec<(DVec3, f64)> = planes.iter().map(|p| (to_f64(p.normal), f64::from(p.least))).collect();
    let size = all.iter().fold(wanted_f64.length(), |most, (_, least)| most.max(least.abs()));
    let broken = |motion: DVec3| all.iter().fold(0.0, |most: f64, (n, least)| most.max(least - n.dot(motion)));
    if broken(wanted_f64) <= f64::from(PLANE_SLACK) * size {
        return wanted;
    }
    let mut best: Option<(bool, f64, DVec3)> = None;
    let mut consider = |motion: DVec3| {
        let (over, far) = (broken(motion), motion.distance_squared(wanted_f64));
        let allowed = over <= f64::from(PLANE_SLACK) * size;
        let cost = if allowed { far } else { over };
        let better = best.is_none_or(|(known, least, _)| allowed && !known || allowed == known && cost < least);
        if better {
            best = Some((allowed, cost, motion));
        }
    };
    for (i, &(a, p)) in all.iter().enumerate() {
        consider(wanted_f64 + a * (p - a.dot(wanted_f64)));
        for (j, &(b, q)) in all.iter().enumerate().skip(i + 1) {
            let (c, gap) = (a.dot(b), DVec3::new(p - a.dot(wanted_f64), q - b.dot(wanted_f64), 0.0));
            let det = 1.0 - c * c;
            if det > f64::from(SLIDE.parallel) {
                consider(wanted_f64 + a * ((gap.x - c * gap.y) / det) + b * ((gap.y - c * gap.x) / det));
            }
            for &(d, r) in all.iter().skip(j + 1) {
                let rows = DMat3::from_cols(a, b, d).transpose();
                if rows.determinant().abs() > f64::from(SLIDE.parallel) {
                    consider(rows.inverse() * DVec3::new(p, q, r));
                }
            }
        }
    }
    best.map_or(wanted, |(_, _, motion)| from_f64(motion))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn a_vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0..1.0_f64).prop_map(|v| Vec3::from_array(v.map(|x| x as Real)))
    }

    proptest! {
        #[test]
        fn the_motion_is_allowed_and_no_allowed_one_is_nearer(
            wanted in a_vector(),
            normals in prop::collection::vec(a_vector(), 1..6),
            others in prop::collection::vec(a_vector(), 40),
        ) {
            prop_assume!(normals.iter().all(|n| n.length() > 0.1));
            let planes: Vec<Plane> = normals.iter().map(|n| Plane::touched(n.normalize())).collect();
            let motion = project(wanted, &planes);
            let room = |m: Vec3| planes.iter().fold(Real::INFINITY, |least, p| least.min(p.normal.dot(m)));
            prop_assert!(room(motion) > -1e-5, "{motion}");
            for other in others.into_iter().filter(|o| room(*o) >= 0.0).chain([Vec3::ZERO]) {
                prop_assert!(motion.distance(wanted) < other.distance(wanted) + 1e-5, "{motion} but {other}");
            }
            prop_assert!((project(motion, &planes) - motion).length() < 1e-5, "an allowed motion is not changed");
        }
    }

    #[test]
    fn a_plane_that_pushes_moves_a_body_at_rest() {
        let planes = [Plane { normal: Vec3::X, least: 0.25 }, Plane::touched(Vec3::Y)];
        assert_eq!(project(Vec3::new(0.0, -1.0, 0.5), &planes), Vec3::new(0.25, 0.0, 0.5));
        assert_eq!(project(Vec3::new(0.5, 0.0, 0.0), &planes), Vec3::new(0.5, 0.0, 0.0));
    }

    #[test]
    fn between_walls_that_close_in_the_push_is_shared() {
        let planes = [Plane { normal: Vec3::X, least: 0.2 }, Plane { normal: Vec3::NEG_X, least: 0.1 }];
        assert!(project(Vec3::ZERO, &planes).x.abs() <= 0.2);
    }
}
