//! Shapes on their way, and the convex parts of which they are made.

use super::path::Path;
use crate::contact::kernels::{Form, Geometry, Part, Solid, for_parts};
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::{DVec3, Pose, Quat, Real, from_f64, to_f64};
use crate::tolerances::HALF_SPACE_RADIUS;

/// A shape on its way.
#[derive(Clone, Copy)]
pub struct Mover<'a> {
    pub(super) form: Form<'a>,
    /// The shape in the axes of its body.
    pose: Pose,
    path: &'a Path,
    /// How far from the centre of mass turning moves the surface (m).
    pub(super) reach: f64,
    /// The box that holds the shape, in its own axes.
    bounds: Aabb,
}

impl<'a> Mover<'a> {
    /// A shape at `pose` in the axes of a body that moves along `path`.
    pub fn new(shape: &'a Geometry, pose: Pose, path: &'a Path) -> Self {
        let reach = shape.swing_about(pose.inverse_transform_point(path.local_center));
        let bounds = shape.aabb(&Pose::IDENTITY);
        Self { form: shape.into(), pose, path, reach: f64::from(reach.min(HALF_SPACE_RADIUS)), bounds }
    }

    /// One part of the shape; none if it is not convex.
    fn part<'b>(&self, part: &Part<'b>) -> Option<Mover<'b>>
    where
        'a: 'b,
    {
        let solid = Solid::of(part.shape)?;
        let pose = part.pose.map_or(self.pose, |pose| self.pose * pose);
        let center = pose.inverse_transform_point(self.path.local_center);
        let bounds = part.shape.compute_local_aabb();
        let farthest = || (bounds.maxs - center).abs().max((bounds.mins - center).abs()).length();
        let reach = solid.core.reach_about(center).unwrap_or_else(farthest);
        Some(Mover { form: Form::Solid(solid), pose, path: self.path, reach: reach.into(), bounds })
    }

    /// The same shape in another form.
    pub(super) fn with_form<'b>(&self, form: Form<'b>) -> Mover<'b>
    where
        'a: 'b,
    {
        Mover { form, ..*self }
    }

    /// The path of its body.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Where the shape is at the moment `t`.
    pub(super) fn place(&self, t: f64) -> (DVec3, Quat) {
        let (at, orientation) = self.path.place(self.pose.translation, t);
        (at, orientation * self.pose.rotation)
    }

    /// Velocity at the moment `t` of the body's material point at `point` (m, world).
    pub(super) fn velocity_at(&self, point: DVec3, t: f64) -> DVec3 {
        let arm = point - self.path.center_at(t);
        self.path.velocity_at(t) + to_f64(self.path.spin_at(t).velocity).cross(arm)
    }

    /// The pose of another shape in the axes of this one at the moment `t`.
    fn sees(&self, other: &Mover, t: f64) -> Pose {
        let ((at, turned), (there, others)) = (self.place(t), other.place(t));
        let back = turned.inverse();
        Pose::from_parts(back * from_f64(there - at), back * others)
    }

    /// A box, in the axes of this shape, that holds another one at all moments of a window (s).
    ///
    /// A point whose acceleration is at most `A` stays within `A T² / 8` of the chord of its way through a time `T`.
    fn swept(&self, other: &Mover, (from, until): (f64, f64)) -> Aabb {
        if let Form::HalfSpace(_) = other.form {
            return self.bounds;
        }
        let ends = [from, until].map(|t| other.bounds.transform_by(&self.sees(other, t)));
        let time = until - from;
        let [mine, its] = [self, other].map(|mover| mover.path.turning_bounds(until));
        let (p, q) = (self.path, other.path);
        let pull = (q.acceleration - p.acceleration).length();
        let speed = (q.velocity_at(from) - p.velocity_at(from)).length() + pull * time + its.speed * other.reach;
        let away = (q.center_at(from) - p.center_at(from)).length() + other.reach + speed * time;
        let bend = pull + its.bend() * other.reach + 2.0 * mine.speed * speed + mine.bend() * away;
        let slip = (its.slip * other.reach + mine.slip * away) * (until - p.start.min(q.start)).powi(3);
        ends[0].merged(&ends[1]).loosened((0.125 * bend * time * time + slip) as Real)
    }
}

/// Calls `f` for each pair of convex parts of two shapes that may come as near as `touch` (m) within a window (s), always in the
/// same order.
pub(crate) fn for_part_pairs(a: &Mover, b: &Mover, window: (f64, f64), touch: f64, f: &mut dyn FnMut(&Mover, &Mover)) {
    let margin = touch as Real;
    match (a.form, b.form) {
        (Form::Parts(shape), Form::Parts(others)) => {
            for_parts(others, &b.swept(a, window).loosened(margin), &mut |other| {
                let Some(b) = b.part(&other) else { return };
                for_parts(shape, &a.swept(&b, window).loosened(margin), &mut |part| {
                    if let Some(a) = a.part(&part) {
                        f(&a, &b);
                    }
                });
            });
        }
        (Form::Parts(shape), _) => for_parts(shape, &a.swept(b, window).loosened(margin), &mut |part| {
            if let Some(a) = a.part(&part) {
                f(&a, b);
            }
        }),
        (_, Form::Parts(others)) => for_parts(others, &b.swept(a, window).loosened(margin), &mut |other| {
            if let Some(b) = b.part(&other) {
                f(a, &b);
            }
        }),
        _ => f(a, b),
    }
}
