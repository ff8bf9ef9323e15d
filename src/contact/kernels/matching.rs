//! Which new point inherits the impulse of which old one.

use crate::math::{Real, Vec3};

/// A point of a manifold, as far as matching goes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeaturePoint {
    /// Which features meet there.
    pub feature: u32,
    /// Where: in a frame that moves with one of the bodies, the same for old and new (m).
    pub position: Vec3,
}

/// Writes for each of `new` the index of the one of `old` that it continues, if any.
///
/// Points of the same features belong together, the nearest ones first where features are shared; of those left over,
/// the nearest within `tolerance` (m). No old point has two heirs. `heirs` must be as long as `new`.
///
/// ```
/// use dolmen::contact::kernels::{FeaturePoint, match_features};
/// use dolmen::math::Vec3;
///
/// let point = |feature, x| FeaturePoint { feature, position: Vec3::X * x };
/// let mut heirs = [None; 2];
/// match_features(&[point(7, 0.0), point(9, 1.0)], &[point(9, 1.2), point(4, 0.001)], 0.01, &mut heirs);
/// assert_eq!(heirs, [Some(1), Some(0)]);
/// ```
pub fn match_features(old: &[FeaturePoint], new: &[FeaturePoint], tolerance: Real, heirs: &mut [Option<u32>]) {
    heirs.fill(None);
    let same_features = |o: &FeaturePoint, n: &FeaturePoint| o.feature == n.feature;
    let near = |o: &FeaturePoint, n: &FeaturePoint| o.position.distance_squared(n.position) <= tolerance * tolerance;
    assign(old, new, heirs, same_features);
    assign(old, new, heirs, near);
}

/// Takes the nearest pair that may belong together, again and again.
fn assign(
    old: &[FeaturePoint],
    new: &[FeaturePoint],
    heirs: &mut [Option<u32>],
    may: impl Fn(&FeaturePoint, &FeaturePoint) -> bool,
) {
    loop {
        let mut best: Option<(Real, usize, usize)> = None;
        for (n, point) in new.iter().enumerate() {
            if heirs[n].is_some() {
                continue;
            }
            for (o, before) in old.iter().enumerate() {
                let distance = before.position.distance_squared(point.position);
                let nearer = best.is_none_or(|(least, ..)| distance < least);
                if nearer && may(before, point) && !heirs.contains(&Some(o as u32)) {
                    best = Some((distance, n, o));
                }
            }
        }
        let Some((_, n, o)) = best else { return };
        heirs[n] = Some(o as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(feature: u32, x: Real) -> FeaturePoint {
        FeaturePoint { feature, position: Vec3::X * x }
    }

    fn heirs<const N: usize>(old: &[FeaturePoint], new: [FeaturePoint; N], tolerance: Real) -> [Option<u32>; N] {
        let mut heirs = [None; N];
        match_features(old, &new, tolerance, &mut heirs);
        heirs
    }

    #[test]
    fn equal_features_belong_together_however_far_they_slid() {
        assert_eq!(heirs(&[point(1, 0.0), point(2, 1.0)], [point(2, 5.0), point(1, 4.0)], 0.01), [Some(1), Some(0)]);
    }

    #[test]
    fn of_points_that_share_a_feature_the_nearest_belong_together() {
        assert_eq!(heirs(&[point(1, 0.0), point(1, 1.0)], [point(1, 0.9), point(1, 0.1)], 0.01), [Some(1), Some(0)]);
    }

    #[test]
    fn new_features_inherit_only_from_within_the_tolerance() {
        assert_eq!(heirs(&[point(1, 0.0), point(2, 1.0)], [point(3, 1.005), point(4, 0.5)], 0.01), [Some(1), None]);
    }

    #[test]
    fn no_old_point_has_two_heirs() {
        assert_eq!(heirs(&[point(1, 0.0)], [point(2, 0.002), point(3, 0.001)], 0.01), [None, Some(0)]);
    }
}
