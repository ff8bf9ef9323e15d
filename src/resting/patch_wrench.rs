//! The impulses of a patch of contact points with one normal, point by point or as a wrench.
//!
//! The direct solver finds an impulse for each point. A manifold keeps the normal part of each, and
//! friction as one force at the centre of pressure and one torque about the normal. Both are
//! equivalent for the bodies, as the points of a patch lie in a plane square to the normal.
//! Distribution keeps the wrench, and stays inside the cones if the patch does not slide.

use crate::math::DVec3;
use crate::tolerances::ROUNDING;

/// The resultant of the tangential impulses of a patch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Friction {
    /// The impulse at the centre of pressure (N s).
    pub force: DVec3,
    /// The angular impulse about the normal (N m s).
    pub twist: f64,
}

/// The centre of pressure of the normal impulses, and their sum; the mean of the points if nothing
/// presses.
///
/// Measured from the first point, so that a single point is its own centre to the last bit.
fn centre_of_pressure(points: &[DVec3], normal_impulses: &[f64]) -> (DVec3, f64) {
    let Some(&first) = points.first() else { return (DVec3::ZERO, 0.0) };
    let load: f64 = normal_impulses.iter().sum();
    if load > 0.0 {
        let moment = points.iter().zip(normal_impulses).fold(DVec3::ZERO, |sum, (p, j)| sum + (*p - first) * *j);
        (first + moment / load, load)
    } else {
        (first + points.iter().map(|p| *p - first).sum::<DVec3>() / points.len() as f64, 0.0)
    }
}

/// Lumps the tangential parts of the impulses at the points of a patch.
pub fn lump(normal: DVec3, points: &[DVec3], impulses: &[DVec3]) -> Friction {
    let mut pressing = [0.0; crate::contact::MAX_POINTS];
    let pressing = &mut pressing[..points.len()];
    for (pressing, j) in pressing.iter_mut().zip(impulses) {
        *pressing = j.dot(normal).max(0.0);
    }
    let (centre, _) = centre_of_pressure(points, pressing);
    let mut sum = Friction::default();
    for (p, j) in points.iter().zip(impulses) {
        let along = *j - normal * j.dot(normal);
        sum.force += along;
        sum.twist += (*p - centre).cross(along).dot(normal);
    }
    sum
}

/// Distributes friction over the points in proportion to their load: writes the impulse of each
/// point, normal part included. An unloaded patch has no friction.
///
/// ```
/// use dolmen::math::DVec3;
/// use dolmen::resting::patch_wrench::{Friction, distribute, lump};
/// let points = [DVec3::X, -DVec3::X];
/// let friction = Friction { force: DVec3::Z, twist: 0.5 };
/// let mut impulses = [DVec3::ZERO; 2];
/// distribute(DVec3::Y, &points, &[3.0, 1.0], friction, &mut impulses);
/// let back = lump(DVec3::Y, &points, &impulses);
/// assert!((back.force - friction.force).length() < 1e-15 && (back.twist - 0.5).abs() < 1e-15);
/// ```
pub fn distribute(
    normal: DVec3,
    points: &[DVec3],
    normal_impulses: &[f64],
    friction: Friction,
    impulses: &mut [DVec3],
) {
    let (centre, load) = centre_of_pressure(points, normal_impulses);
    let (mut spread, mut size) = (0.0, 0.0_f64);
    for (p, j) in points.iter().zip(normal_impulses) {
        spread += j * (*p - centre).length_squared();
        size = size.max((*p - points[0]).length_squared());
    }
    // If one point carries the whole load, the rest is rounding and bears no torque.
    let twists = spread > ROUNDING.relative * load * size;
    for ((out, p), &j) in impulses.iter_mut().zip(points).zip(normal_impulses) {
        *out = normal * j;
        if load > 0.0 {
            *out += friction.force * (j / load);
        }
        if twists {
            *out += normal.cross(*p - centre) * (friction.twist * j / spread);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_patch_with_one_loaded_point_holds_no_torque() {
        let points = [DVec3::new(-3.3, 0.1, 0.7), DVec3::new(-2.9, 0.1, 0.7)];
        let friction = Friction { force: DVec3::X, twist: 1e-17 };
        for (count, normal) in [(1, [0.3, 0.0]), (2, [0.0, 0.3])] {
            let mut impulses = [DVec3::ZERO; 2];
            distribute(DVec3::Y, &points[..count], &normal[..count], friction, &mut impulses[..count]);
            assert_eq!(impulses[count - 1], DVec3::new(1.0, 0.3, 0.0));
        }
    }

    proptest! {
        #[test]
        fn what_is_shared_out_and_summed_up_again_is_the_same(
            places in prop::collection::vec((-1.0..1.0f64, -1.0..1.0f64, 0.1..1.0f64), 2..4),
            x in -1.0..1.0f64, y in -1.0..1.0f64, twist in -1.0..1.0f64,
        ) {
            let points: Vec<DVec3> = places.iter().map(|p| DVec3::new(p.0, p.1, 0.3)).collect();
            prop_assume!((points[0] - points[1]).length() > 1e-3);
            let normal: Vec<f64> = places.iter().map(|p| p.2).collect();
            let mut impulses = vec![DVec3::ZERO; points.len()];
            let friction = Friction { force: DVec3::new(x, y, 0.0), twist };
            distribute(DVec3::Z, &points, &normal, friction, &mut impulses);
            let back = lump(DVec3::Z, &points, &impulses);
            prop_assert!((back.force - friction.force).length() < 1e-12 && (back.twist - twist).abs() < 1e-12);
        }
    }
}
