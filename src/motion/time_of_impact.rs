//! The time of impact: when two moving shapes first touch.
//!
//! Conservative advancement (Mirtich 1996, section 2.3). At any moment the nearest points show a direction along which the
//! shapes are apart; along it they close no faster than their centres do, exactly, and than turning can swing their surfaces
//! (the angular velocity square to the direction, times the reach of the shape). The search advances by the time that the gap
//! needs at least to close so, and asks again. It never steps over a touch, however thin the shapes are.
//!
//! For a body that does not turn and a plane the first step is exact; between balls the steps are Newton's, from the near side.

// Where the engine's scalar is f64 already, widening it does nothing.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion))]

use super::path::Path;
use crate::contact::kernels::{Distance, Geometry, distance};
use crate::impact::propagation::closing_time;
use crate::math::{DVec3, Pose, Quat, Real, from_f64, to_f64};
use crate::tolerances::{ADVANCES, HALF_SPACE_RADIUS};

/// A shape on its way.
#[derive(Clone, Copy)]
pub struct Mover<'a> {
    shape: &'a Geometry,
    pose: Pose,
    path: &'a Path,
    /// How far from the centre of mass turning moves the surface (m).
    reach: f64,
}

impl<'a> Mover<'a> {
    /// A shape at `pose` in the axes of a body that moves along `path`.
    pub fn new(shape: &'a Geometry, pose: Pose, path: &'a Path) -> Self {
        let center = pose.inverse_transform_point(path.local_center);
        let reach = f64::from(shape.swing_about(center).min(HALF_SPACE_RADIUS));
        Self { shape, pose, path, reach }
    }

    /// The path of its body.
    pub fn path(&self) -> &Path {
        self.path
    }

    /// Where the shape is at the moment `t`.
    fn place(&self, t: f64) -> (DVec3, Quat) {
        let (at, orientation) = self.path.place(self.pose.translation, t);
        (at, orientation * self.pose.rotation)
    }

    /// Velocity at the moment `t` of the body's material point at `point` (m, world).
    fn velocity_at(&self, point: DVec3, t: f64) -> DVec3 {
        let arm = point - self.path.center_at(t);
        self.path.velocity_at(t) + to_f64(self.path.spin_at(t).velocity).cross(arm)
    }
}

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// The first moment (s).
    pub from: f64,
    /// The last moment (s).
    pub until: f64,
    /// Shapes this close touch (m). The answer lies within it.
    pub touch: f64,
    /// The part (0 to 1) of the second shape's thickness that is taken off it: see
    /// [`distance`](crate::contact::kernels::distance).
    pub shrink: Real,
}

/// Two shapes that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// When (s).
    pub t: f64,
    /// Unit normal from the first to the second, world axes. Zero where they overlap from the start.
    pub normal: DVec3,
    /// The nearest points of both (m, world).
    pub points: [DVec3; 2],
}

impl Meeting {
    /// How fast the surfaces move apart there (m/s): negative where they close.
    pub fn rate(&self, a: &Mover, b: &Mover) -> f64 {
        (b.velocity_at(self.points[1], self.t) - a.velocity_at(self.points[0], self.t)).dot(self.normal)
    }
}

/// When two shapes first touch, if they do. Two that touch from the start meet at once.
///
/// ```
/// use dolmen::contact::kernels::Geometry;
/// use dolmen::math::{DVec3, Pose, Quat, Vec3};
/// use dolmen::motion::{Mover, Path, Search, time_of_impact};
/// let at = |x| Pose::from_parts(Vec3::X * x, Quat::IDENTITY);
/// let wall = (Geometry::Cuboid { half: Vec3::new(0.0005, 1.0, 1.0) }, Path::still(&at(1.0)));
/// let ball = (Geometry::Ball { radius: 0.01 }, Path { velocity: DVec3::X * 500.0, ..Path::still(&at(0.0)) });
/// let here = at(0.0);
/// let (wall, ball) = (Mover::new(&wall.0, here, &wall.1), Mover::new(&ball.0, here, &ball.1));
/// let search = Search { from: 0.0, until: 1.0 / 60.0, touch: 1e-6, shrink: 0.0 };
/// let meeting = time_of_impact(&wall, &ball, &search).unwrap();
/// assert!((meeting.t - (1.0 - 0.0005 - 0.01) / 500.0).abs() < 1e-8);
/// ```
pub fn time_of_impact(a: &Mover, b: &Mover, search: &Search) -> Option<Meeting> {
    let Search { from, until, touch, shrink } = *search;
    let mut t = from;
    let mut found = Meeting { t, normal: DVec3::ZERO, points: [DVec3::ZERO; 2] };
    for _ in 0..ADVANCES {
        let ((at_a, turned), (at_b, turned_b)) = (a.place(t), b.place(t));
        let back = turned.inverse();
        let b_in_a = Pose::from_parts(back * from_f64(at_b - at_a), back * turned_b);
        let (approach, pull) =
            (b.path.velocity_at(t) - a.path.velocity_at(t), b.path.acceleration - a.path.acceleration);
        let left = until - t;
        let turning = a.path.turning_speed(until) * a.reach + b.path.turning_speed(until) * b.reach;
        let reach = (approach.length() + 0.5 * pull.length() * left + turning) * left + touch;
        let (on_b, normal, gap) = match distance(a.shape, b.shape, &b_in_a, reach as Real, shrink) {
            Distance::Apart => return None,
            // After the first look it is what rounding makes of a touch.
            Distance::Overlap => return Some(Meeting { t, ..found }),
            Distance::Near { on_b, normal, distance } => (on_b, normal, f64::from(distance)),
        };
        let normal = to_f64(turned * normal).normalize();
        let on_b = at_b + to_f64(turned * on_b);
        found = Meeting { t, normal, points: [on_b - normal * gap, on_b] };
        if gap <= touch {
            return Some(found);
        }
        let swing = a.path.swing(normal, a.reach, until) + b.path.swing(normal, b.reach, until);
        let wait = closing_time(gap - 0.5 * touch, approach.dot(normal) - swing, pull.dot(normal))?;
        t += wait;
        if t >= until {
            return None;
        }
    }
    // A graze that turning drags out: they are all but touching.
    Some(found)
}
