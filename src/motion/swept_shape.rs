//! Shapes on trajectories, and their convex parts.

use super::trajectory::{Trajectory, TurningBounds};
use crate::contact::kernels::{Geometry, QueryShape, RoundedConvex, ShapePart, for_each_part};
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::shape::SupportMap;
use crate::math::{DVec3, Pose, Quat, Real, from_f64, quat_to_f64, to_f64};
use crate::tolerances::HALF_SPACE_RADIUS;

/// A shape on a trajectory.
#[derive(Clone, Copy)]
pub struct SweptShape<'a> {
    pub(super) form: QueryShape<'a>,
    /// Pose in the axes of its body.
    pose: Pose,
    trajectory: &'a Trajectory,
    /// Maximum distance from the centre of mass of surface points that rotation moves (m).
    pub(super) rotation_radius: f64,
    /// Bounding box in its own axes.
    bounds: Aabb,
}

impl<'a> SweptShape<'a> {
    /// A shape at `pose` in the axes of a body on a trajectory.
    pub fn new(shape: &'a Geometry, pose: Pose, trajectory: &'a Trajectory) -> Self {
        let radius = shape.core_radius_about(pose.inverse_transform_point(trajectory.local_center));
        let bounds = shape.aabb(&Pose::IDENTITY);
        Self { form: shape.into(), pose, trajectory, rotation_radius: f64::from(radius.min(HALF_SPACE_RADIUS)), bounds }
    }

    /// One part of the shape; `None` if the part is not convex.
    fn convex_part<'b>(&self, part: &ShapePart<'b>) -> Option<SweptShape<'b>>
    where
        'a: 'b,
    {
        let solid = RoundedConvex::of(part.shape)?;
        let pose = part.pose.map_or(self.pose, |pose| self.pose * pose);
        let center = pose.inverse_transform_point(self.trajectory.local_center);
        let bounds = part.shape.compute_local_aabb();
        let farthest = || (bounds.maxs - center).abs().max((bounds.mins - center).abs()).length();
        let radius = solid.core.radius_about(center).unwrap_or_else(farthest);
        Some(SweptShape {
            form: QueryShape::Solid(solid),
            pose,
            trajectory: self.trajectory,
            rotation_radius: radius.into(),
            bounds,
        })
    }

    /// The shape with another query shape.
    pub(super) fn with_form<'b>(&self, form: QueryShape<'b>) -> SweptShape<'b>
    where
        'a: 'b,
    {
        SweptShape { form, ..*self }
    }

    /// The trajectory of its body.
    pub fn trajectory(&self) -> &'a Trajectory {
        self.trajectory
    }

    /// The position and orientation of the shape at the moment `t`.
    pub(super) fn place(&self, t: f64) -> (DVec3, Quat) {
        let (at, orientation) = self.trajectory.place(self.pose.translation, t);
        (at, orientation * self.pose.rotation)
    }

    /// Velocity at the moment `t` of the body's material point at `point` (m, world).
    pub(super) fn velocity_at(&self, point: DVec3, t: f64) -> DVec3 {
        let arm = point - self.trajectory.center_at(t);
        self.trajectory.velocity_at(t) + to_f64(self.trajectory.rotation_at(t).velocity).cross(arm)
    }

    /// The pose of another shape in the axes of this one at the moment `t`.
    pub(super) fn relative_pose(&self, other: &SweptShape, t: f64) -> Pose {
        let ((at, turned), (there, others)) = (self.place(t), other.place(t));
        let back = turned.inverse();
        Pose::from_parts(back * from_f64(there - at), back * others)
    }

    /// A box in the axes of this shape that contains another one at all moments of a window (s).
    ///
    /// A point with acceleration at most `A` stays within `A T² / 8` of the chord of its path over
    /// a time `T`. However fast the bodies turn, no point leaves the ball about this body's centre
    /// that the other one can reach, and none of the other body's is farther than its diameter from
    /// where it would be if that body did not turn.
    fn swept_bounds(&self, other: &SweptShape, (from, until): (f64, f64)) -> Aabb {
        if let QueryShape::HalfSpace(_) = other.form {
            return self.bounds;
        }
        let ends = [from, until].map(|t| other.bounds.transform_by(&self.relative_pose(other, t)));
        let time = until - from;
        let [mine, its] = [self, other].map(|shape| shape.trajectory.turning_bounds(until));
        let (p, q) = (self.trajectory, other.trajectory);
        let pull = (q.acceleration - p.acceleration).length();
        let shift = (q.velocity_at(from) - p.velocity_at(from)).length() + pull * time;
        let distance = (q.center_at(from) - p.center_at(from)).length() + other.rotation_radius;
        let since = until - p.start.min(q.start);
        // The bow of a point's path, and its greatest distance from this body's centre.
        let bow = |its: TurningBounds| {
            let speed = shift + its.speed * other.rotation_radius;
            let away = distance + speed * time;
            let acceleration = pull
                + its.point_acceleration() * other.rotation_radius
                + 2.0 * mine.speed * speed
                + mine.point_acceleration() * away;
            let law_error = (its.law_error * other.rotation_radius + mine.law_error * away) * (since * since * since);
            (0.125 * acceleration * time * time + law_error).min(2.0 * away)
        };
        let bow = bow(its).min(bow(TurningBounds::STILL) + 2.0 * other.rotation_radius);
        // A body out of the range of numbers has no box; it is held later.
        ends[0].merged(&ends[1]).loosened(bow.max(0.0) as Real)
    }

    /// A bound on how much the support along the unit vector `direction` (world) grows by rotation
    /// (m), relative to the centre of mass, however far the body turns from the moment `t` on: its
    /// points stay in the ball that they reach about the centre. `None` if there is none.
    pub(super) fn max_gain(
        &self,
        (place, orientation): (DVec3, Quat),
        direction: DVec3,
        (t, until): (f64, f64),
    ) -> Option<f64> {
        if self.trajectory.max_angular_speed(until) == 0.0 {
            return Some(0.0);
        }
        let point = place + self.support_along(orientation, direction)? - self.trajectory.center_at(t);
        Some((self.rotation_radius - direction.dot(point)).max(0.0))
    }

    /// The support function along the unit vector `direction` (world) at the moment `t` (m): of a half-space, along
    /// its normal.
    pub(super) fn support(&self, direction: DVec3, t: f64) -> f64 {
        let (place, orientation) = self.place(t);
        let radius = if let QueryShape::Solid(solid) = self.form { f64::from(solid.radius) } else { 0.0 };
        direction.dot(place + self.support_along(orientation, direction).unwrap_or_default()) + radius
    }

    /// The support point of the core along `v` (world) at an orientation, from the shape's origin (m, world
    /// axes). `None` if the shape has none.
    pub(super) fn support_along(&self, orientation: Quat, v: DVec3) -> Option<DVec3> {
        let orientation = quat_to_f64(orientation);
        Some(orientation * self.local_support(orientation.inverse() * v)?)
    }

    /// The support point of the core along `v`, both in the shape's axes (m). `None` if the shape has none.
    pub(super) fn local_support(&self, v: DVec3) -> Option<DVec3> {
        let QueryShape::Solid(solid) = self.form else { return None };
        Some(to_f64(solid.core.local_support_point(from_f64(v))))
    }
}

/// Calls `f` for each pair of convex parts of two shapes that may come within `touch` (m) in a
/// window (s), always in the same order.
pub(crate) fn for_part_pairs(
    a: &SweptShape,
    b: &SweptShape,
    window: (f64, f64),
    touch: f64,
    f: &mut dyn FnMut(&SweptShape, &SweptShape),
) {
    let margin = touch as Real;
    match (a.form, b.form) {
        (QueryShape::Parts(shape), QueryShape::Parts(others)) => {
            for_each_part(others, &b.swept_bounds(a, window).loosened(margin), &mut |other| {
                let Some(b) = b.convex_part(&other) else { return };
                for_each_part(shape, &a.swept_bounds(&b, window).loosened(margin), &mut |part| {
                    if let Some(a) = a.convex_part(&part) {
                        f(&a, &b);
                    }
                });
            });
        }
        (QueryShape::Parts(shape), _) => {
            for_each_part(shape, &a.swept_bounds(b, window).loosened(margin), &mut |part| {
                if let Some(a) = a.convex_part(&part) {
                    f(&a, b);
                }
            })
        }
        (_, QueryShape::Parts(others)) => {
            for_each_part(others, &b.swept_bounds(a, window).loosened(margin), &mut |other| {
                if let Some(b) = b.convex_part(&other) {
                    f(a, &b);
                }
            })
        }
        _ => f(a, b),
    }
}
