//! Casts along a motion with rotation.

use super::error::QueryError;
use super::inputs::{finite, reach};
use super::{Filter, Hit, Probe, Queries};
use crate::math::parry::bounding_volume::{Aabb, BoundingVolume};
use crate::math::parry::shape::FeatureId;
use crate::math::{Pose, Real, Vec3, from_f64, to_f64};
use crate::motion::{ImpactSearch, SweptShape, Trajectory, Turning, time_of_impact};
use crate::tolerances::QUERY;

/// Motion cast: a motion of a shape with constant velocity and angular velocity.
#[derive(Clone)]
pub struct MotionCast {
    probe: Probe,
    velocity: Vec3,
    spin: Vec3,
    duration: Real,
    center: Vec3,
}

/// The first touch of a motion cast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionHit {
    /// The time (s) from the start.
    pub time: Real,
    /// The surface; its distance is the path of the shape's origin until then (m).
    pub hit: Hit,
}

impl MotionCast {
    /// The motion of a shape with a velocity (m/s) and an angular velocity (rad/s, world axes) about its
    /// origin, for a duration (s).
    ///
    /// # Errors
    /// [`QueryError`] if a velocity is not finite, or the duration is negative or no number.
    pub fn new(probe: Probe, velocity: Vec3, spin: Vec3, duration: Real) -> Result<Self, QueryError> {
        let [velocity, spin] = [finite("velocity", velocity)?, finite("angular velocity", spin)?];
        Ok(Self { probe, velocity, spin, duration: reach(duration)?, center: Vec3::ZERO })
    }

    /// Turns about a point in the shape's axes (m), and not its origin; one that is not finite is
    /// ignored.
    #[must_use]
    pub fn about(self, center: Vec3) -> Self {
        Self { center: if center.is_finite() { center } else { self.center }, ..self }
    }

    fn trajectory(&self) -> Trajectory {
        let pose = self.probe.pose;
        Trajectory {
            center: to_f64(pose * self.center),
            velocity: to_f64(self.velocity),
            local_center: self.center,
            turning: Turning::Steady { orientation: pose.rotation, velocity: self.spin },
            ..Trajectory::still(&pose)
        }
    }

    /// The pose after a time (s) from the start.
    pub fn pose_at(&self, time: Real) -> Pose {
        let (origin, orientation) = self.trajectory().place(Vec3::ZERO, f64::from(time));
        Pose::from_parts(from_f64(origin), orientation)
    }
}

impl Queries<'_> {
    /// The first surface that a shape meets on a motion with rotation, among the colliders where they are
    /// after the last step. A shape that overlaps something at the start has time 0; the normal is then
    /// the shortest way out. For two shapes that both move, see
    /// [`time_of_impact`].
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// use dolmen::query::MotionCast;
    /// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
    /// let wall = world.spawn(Body::fixed(Collider::cuboid(0.5, 5.0, 5.0)).at(2.5, 0.0, 0.0));
    /// physics.step(&mut world, 1.0 / 60.0)?;
    /// // A door of 3 m that swings about its edge, with half a radian a second.
    /// let leaf = Probe::new(&Collider::cuboid(0.01, 1.0, 1.5), Vec3::Z * 1.5, Quat::IDENTITY)?;
    /// let swing = MotionCast::new(leaf, Vec3::ZERO, Vec3::Y * 0.5, 4.0)?.about(Vec3::Z * -1.5);
    /// let met = physics.query().motion_cast(&swing, &Filter::default()).unwrap();
    /// assert!(met.hit.entity == wall && (0.5 * met.time).sin() < 2.0 / 3.0);
    /// assert!((0.5 * met.time).sin() > 0.65);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn motion_cast(&self, cast: &MotionCast, filter: &Filter) -> Option<MotionHit> {
        let trajectory = cast.trajectory();
        let moving = SweptShape::new(&cast.probe.geometry, Pose::IDENTITY, &trajectory);
        let radius = cast.probe.geometry.radius_about(cast.center);
        let (from, to) = (from_f64(trajectory.center), from_f64(trajectory.center_at(f64::from(cast.duration))));
        let swept = Aabb::new(from.min(to), from.max(to)).loosened(radius);
        let touch = f64::from(QUERY.touch * radius);
        let mut first: Option<(usize, crate::motion::TimeOfImpact)> = None;
        // In the order of slots: of equal times the least slot stays.
        for slot in self.near(&swept, filter) {
            let Some((geometry, pose)) = self.shape_at(slot) else { continue };
            let rest = Trajectory::still(&pose);
            let still = SweptShape::new(&geometry, Pose::IDENTITY, &rest);
            let until = first.map_or(f64::from(cast.duration), |(_, impact)| impact.t);
            let search = ImpactSearch { from: 0.0, until, touch, shrink: 0.0 };
            if let Some(impact) = time_of_impact(&still, &moving, &search)
                && first.is_none_or(|(_, best)| impact.t < best.t)
            {
                first = Some((slot, impact));
            }
        }
        let (slot, impact) = first?;
        let time = impact.t as Real;
        let (mut point, mut normal) = (from_f64(impact.points[0]), from_f64(impact.normal));
        if normal == Vec3::ZERO {
            if let Some(way_out) = self.contacts_of(slot, &cast.probe, 0.0).into_iter().next() {
                (point, normal) = (way_out.point, way_out.normal);
            } else {
                normal = (-cast.velocity).try_normalize().unwrap_or(Vec3::Y);
            }
        }
        let path = (cast.velocity * time).length();
        Some(MotionHit { time, hit: self.hit(slot, path, point, normal, FeatureId::Unknown, 0) })
    }
}
