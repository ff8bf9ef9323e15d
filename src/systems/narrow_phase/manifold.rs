//! Conversion of kernel output to world manifolds, and the update of kept manifolds.

use super::body_view::BodyView;
use crate::bodies::Bodies;
use crate::contact::kernels::{FeaturePoint, LocalManifold, match_features};
use crate::contact::{MAX_POINTS, Manifold, ManifoldPoint};
use crate::math::{Pose, Quat, Real, Vec3, turn};

/// Placement of a collider on its body: its pose in the body's frame, and the body's centre of mass
/// there.
pub(super) struct Placement {
    pub pose: Pose,
    pub center: Vec3,
    /// True if the pose is the body's own, as most are: no transformation is needed.
    pub plain: bool,
}

impl Placement {
    /// A point of the collider relative to the body's centre of mass, in body axes.
    #[inline]
    fn anchor(&self, point: Vec3) -> Vec3 {
        if self.plain { point - self.center } else { self.pose.transform_point(point) - self.center }
    }

    #[inline]
    fn direction(&self, v: Vec3) -> Vec3 {
        if self.plain { v } else { self.pose.rotation * v }
    }
}

/// Rebuilds a manifold from kernel output; matching points inherit their impulses. Returns the
/// normal in the first body's axes. Points further apart than `reach` (m) are dropped.
pub(super) fn rebuild(
    manifold: &mut Manifold,
    local: &LocalManifold,
    [a, b]: [&Placement; 2],
    orientation: Quat,
    reach: Real,
    inherit_distance: Real,
) -> Vec3 {
    if manifold.count == 0 {
        *manifold = Manifold::default();
    }
    let mut points = [ManifoldPoint::default(); MAX_POINTS];
    let mut count = 0;
    for p in local.points().iter().filter(|p| p.separation <= reach) {
        points[count] = ManifoldPoint {
            anchor_a: a.anchor(p.point_a),
            anchor_b: b.anchor(p.point_b),
            separation: p.separation,
            feature: p.feature,
            normal_impulse: 0.0,
        };
        count += 1;
    }
    inherit_impulses(manifold.points(), &mut points[..count], inherit_distance);
    let normal = a.direction(local.normal);
    manifold.normal = turn::rotate(orientation, normal);
    manifold.count = count as u32;
    manifold.points = points;
    normal
}

/// [`rebuild`] for two balls on bodies `a` and `b`, from kernel output in world axes.
pub(super) fn rebuild_balls(manifold: &mut Manifold, local: &LocalManifold, a: &BodyView, b: &BodyView) -> Vec3 {
    if manifold.count == 0 {
        *manifold = Manifold::default();
    }
    let found = &local.points[0];
    let (to_a, to_b) = (a.orientation.inverse(), b.orientation.inverse());
    let point = &mut manifold.points[0];
    point.anchor_a = to_a * (found.point_a + (a.position - a.center));
    point.anchor_b = to_b * (found.point_b + (b.position - b.center));
    point.separation = found.separation;
    point.feature = found.feature;
    manifold.count = 1;
    manifold.normal = local.normal;
    to_a * local.normal
}

/// True if the solver's rows of a manifold `before` are valid for `now`, to within `tolerance` (m,
/// and of the normal).
pub(super) fn rows_stay_valid(before: &Manifold, now: &Manifold, tolerance: Real) -> bool {
    let near = |p: Vec3, q: Vec3| (p - q).length_squared() <= tolerance * tolerance;
    before.count == now.count
        && near(before.normal, now.normal)
        && before
            .points()
            .iter()
            .zip(now.points())
            .all(|(p, q)| p.feature == q.feature && near(p.anchor_a, q.anchor_a) && near(p.anchor_b, q.anchor_b))
}

/// Copies the impulses of old points to the new points that continue them.
pub(crate) fn inherit_impulses(old: &[ManifoldPoint], new: &mut [ManifoldPoint], tolerance: Real) {
    // The common case: the same features in the same order.
    if old.len() == new.len() && old.iter().zip(&*new).all(|(o, n)| o.feature == n.feature) {
        for (n, o) in new.iter_mut().zip(old) {
            n.normal_impulse = o.normal_impulse;
        }
        return;
    }
    let features = |points: &[ManifoldPoint]| {
        let mut features = [FeaturePoint::default(); MAX_POINTS];
        for (point, p) in features.iter_mut().zip(points) {
            *point = FeaturePoint { feature: p.feature, position: p.anchor_b };
        }
        features
    };
    let mut matches = [None; MAX_POINTS];
    let (before, after) = (features(old), features(new));
    match_features(&before[..old.len()], &after[..new.len()], tolerance, &mut matches[..new.len()]);
    for (n, source) in new.iter_mut().zip(matches) {
        n.normal_impulse = source.map_or(0.0, |o| old[o as usize].normal_impulse);
    }
}

/// Updates the separations of a kept manifold. Its normal is fixed in the first body's axes, its
/// points on both surfaces.
pub(super) fn follow(a: &BodyView, b: &BodyView, local_normal: Vec3, manifold: &mut Manifold) {
    let between = b.center - a.center;
    let normal = turn::rotate(a.orientation, local_normal);
    // It is cheaper to rotate the normal into the body axes than the anchors out of them.
    let (in_a, in_b) = (local_normal, turn::rotate(b.orientation.inverse(), normal));
    let height = between.dot(normal);
    manifold.normal = normal;
    for p in manifold.points_mut() {
        p.separation = height + p.anchor_b.dot(in_b) - p.anchor_a.dot(in_a);
    }
}

/// World position of a contact point (m): the midpoint of the points on both surfaces.
pub(crate) fn world_point(bodies: &Bodies, a: usize, b: usize, point: &ManifoldPoint) -> Vec3 {
    let on_a = bodies.center[a] + bodies.orientation[a] * point.anchor_a;
    let on_b = bodies.center[b] + bodies.orientation[b] * point.anchor_b;
    (on_a + on_b) * 0.5
}
