//! Matching of new contact points to old ones, whose impulses they inherit.

use crate::math::{Real, Vec3};

/// Point of a manifold, as input of the matching.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeaturePoint {
    /// Identifier of the pair of features.
    pub feature: u32,
    /// Position in a frame that moves with one of the bodies, the same for old and new (m).
    pub position: Vec3,
}

/// Writes for each of `new` the index of the point of `old` that it continues, if any.
///
/// Points of equal features match first, the closest ones first where features are shared; then the
/// closest of the others within `tolerance` (m). No old point matches twice. `matches` must be as
/// long as `new`.
///
/// ```
/// use dolmen::contact::kernels::{FeaturePoint, match_features};
/// use dolmen::math::Vec3;
///
/// let point = |feature, x| FeaturePoint { feature, position: Vec3::X * x };
/// let mut matches = [None; 2];
/// let (old, new) = ([point(7, 0.0), point(9, 1.0)], [point(9, 1.2), point(4, 0.001)]);
/// match_features(&old, &new, 0.01, &mut matches);
/// assert_eq!(matches, [Some(1), Some(0)]);
/// ```
pub fn match_features(old: &[FeaturePoint], new: &[FeaturePoint], tolerance: Real, matches: &mut [Option<u32>]) {
    matches.fill(None);
    let same_features = |o: &FeaturePoint, n: &FeaturePoint| o.feature == n.feature;
    let near = |o: &FeaturePoint, n: &FeaturePoint| o.position.distance_squared(n.position) <= tolerance * tolerance;
    assign(old, new, matches, same_features);
    assign(old, new, matches, near);
}

/// Greedy assignment: takes the closest allowed pair repeatedly.
fn assign(
    old: &[FeaturePoint],
    new: &[FeaturePoint],
    matches: &mut [Option<u32>],
    may: impl Fn(&FeaturePoint, &FeaturePoint) -> bool,
) {
    loop {
        let mut best: Option<(Real, usize, usize)> = None;
        for (n, point) in new.iter().enumerate() {
            if matches[n].is_some() {
                continue;
            }
            for (o, before) in old.iter().enumerate() {
                let distance = before.position.distance_squared(point.position);
                let nearer = best.is_none_or(|(least, ..)| distance < least);
                if nearer && may(before, point) && !matches.contains(&Some(o as u32)) {
                    best = Some((distance, n, o));
                }
            }
        }
        let Some((_, n, o)) = best else { return };
        matches[n] = Some(o as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(feature: u32, x: Real) -> FeaturePoint {
        FeaturePoint { feature, position: Vec3::X * x }
    }

    fn matches<const N: usize>(old: &[FeaturePoint], new: [FeaturePoint; N], tolerance: Real) -> [Option<u32>; N] {
        let mut matches = [None; N];
        match_features(old, &new, tolerance, &mut matches);
        matches
    }

    #[test]
    fn equal_features_belong_together_however_far_they_slid() {
        assert_eq!(matches(&[point(1, 0.0), point(2, 1.0)], [point(2, 5.0), point(1, 4.0)], 0.01), [Some(1), Some(0)]);
    }

    #[test]
    fn of_points_that_share_a_feature_the_nearest_belong_together() {
        assert_eq!(matches(&[point(1, 0.0), point(1, 1.0)], [point(1, 0.9), point(1, 0.1)], 0.01), [Some(1), Some(0)]);
    }

    #[test]
    fn new_features_match_only_from_within_the_tolerance() {
        assert_eq!(matches(&[point(1, 0.0), point(2, 1.0)], [point(3, 1.005), point(4, 0.5)], 0.01), [Some(1), None]);
    }

    #[test]
    fn no_old_point_matches_twice() {
        assert_eq!(matches(&[point(1, 0.0)], [point(2, 0.002), point(3, 0.001)], 0.01), [None, Some(0)]);
    }
}
