//! How long two moving shapes stay apart along a direction that turns at a constant rate.
//!
//! In a frame that turns with the direction, the path of each point of a shape over a window `T` is the
//! parabola through its places at the start, the middle and the end, but for an error. With `j` a bound of
//! the third derivative, at the part `u` of the window the error is at most `T³ j / 6 · u |u - ½| (1 - u)`,
//! which is less than the Bézier parabola with the points `0, T³ j / 24, 0`. A parabola is a combination of
//! its Bézier points with weights that sum to one, and the support function is convex, so the supports
//! along the direction at those points bound the support at any moment between. The places are those of
//! the rotation law itself, whatever its error. The room that is left is again a parabola, and before its
//! first root nothing touches.

use super::rotating_frame::RotatingFrame;
use super::swept_shape::SweptShape;
use crate::contact::kernels::QueryShape;
use crate::math::{DVec3, Quat, quat_to_f64};

/// Windows tried in turn. More: each advance costs more. Fewer: shorter advances.
const WINDOWS: u32 = 4;

/// Two shapes and a direction between them.
pub(super) struct Clearance<'a> {
    shapes: [&'a SweptShape<'a>; 2],
    frame: RotatingFrame,
    /// The unit vector from the first to the second at the start (world).
    normal: DVec3,
    /// Their distance along it, without a tolerance (m).
    room: f64,
    /// The first and the last moment (s).
    moments: (f64, f64),
    /// The places of both at the start.
    places: [(DVec3, Quat); 2],
    /// Bound on the third derivative of the gap along the direction (m/s³).
    jerk: f64,
}

/// The direction in the axes of both shapes, and the distance of their origins along it (m).
#[derive(Clone, Copy)]
struct Moment {
    directions: [DVec3; 2],
    distance: f64,
}

impl<'a> Clearance<'a> {
    /// `None` if a shape that turns in the frame has no support function.
    pub fn new(
        shapes: [&'a SweptShape<'a>; 2],
        frame: RotatingFrame,
        normal: DVec3,
        room: f64,
        window: (f64, f64),
        places: [(DVec3, Quat); 2],
    ) -> Option<Self> {
        let trajectories = shapes.map(|shape| shape.trajectory());
        let mut jerk = frame.approach(trajectories, window.0, window.1 - window.0).jerk;
        for shape in shapes {
            let of_points = frame.point_jerk(shape.trajectory(), window);
            if of_points > 0.0 && !matches!(shape.form, QueryShape::Solid(_)) {
                return None;
            }
            jerk += shape.rotation_radius * of_points;
        }
        Some(Self { shapes, frame, normal, room, moments: window, places, jerk })
    }

    /// The window whose error is as large as the room, at most until the last moment (s).
    pub fn window(&self) -> f64 {
        libm::cbrt(24.0 * self.room / self.jerk).min(self.moments.1 - self.moments.0)
    }

    /// A time (s) for which the shapes stay apart; `None` if they do to the last moment.
    pub fn time(&self) -> Option<f64> {
        let left = self.moments.1 - self.moments.0;
        let start = self.moment(0.0);
        let spare = self.room - self.gap(start);
        let mut window = self.window();
        let (mut safe, mut middle) = (0.0_f64, None);
        for _ in 0..WINDOWS {
            let end = self.moment(window);
            let moments = [start, middle.unwrap_or_else(|| self.moment(0.5 * window)), end];
            let time = self.time_within(spare, moments, window);
            if time >= left {
                return None;
            }
            if time <= safe {
                break;
            }
            safe = time;
            // The supports of what is round at the Bézier points are of second order in the window.
            let next = left.min(2.0 * time);
            middle = (next == 2.0 * window).then_some(end);
            window = next;
        }
        Some(safe)
    }

    /// The time up to `window` (s) for which they stay apart, by the parabolas over that window; `spare` is
    /// what there is beside their gap along the direction (m).
    fn time_within(&self, spare: f64, [start, middle, end]: [Moment; 3], window: f64) -> f64 {
        let control = Moment {
            directions: [0, 1].map(|k| 2.0 * middle.directions[k] - 0.5 * (start.directions[k] + end.directions[k])),
            distance: 2.0 * middle.distance - 0.5 * (start.distance + end.distance),
        };
        let error = self.jerk * (window * window * window) / 24.0;
        first_root(self.room, spare + self.gap(control) - error, spare + self.gap(end)) * window
    }

    fn moment(&self, s: f64) -> Moment {
        let t = self.moments.0 + s;
        let normal = self.frame.turned(self.normal, s);
        let places = if s == 0.0 { self.places } else { self.shapes.map(|shape| shape.place(t)) };
        Moment {
            directions: [0, 1].map(|k| quat_to_f64(places[k].1).inverse() * if k == 0 { normal } else { -normal }),
            distance: normal.dot(places[1].0 - places[0].0),
        }
    }

    fn gap(&self, Moment { directions, distance }: Moment) -> f64 {
        let reach = |k: usize| directions[k].dot(self.shapes[k].local_support(directions[k]).unwrap_or_default());
        distance - reach(0) - reach(1)
    }
}

/// The part of a window up to which the parabola with these Bézier points stays positive, as the first is.
fn first_root(start: f64, control: f64, end: f64) -> f64 {
    if control >= 0.0 && end >= 0.0 {
        return 1.0;
    }
    // start + 2 slope u + curve u²
    let (slope, curve) = (control - start, start - 2.0 * control + end);
    let under = slope * slope - curve * start;
    if under < 0.0 {
        return 1.0;
    }
    let root = start / (under.sqrt() - slope);
    match root {
        // What is no number stays apart for no time.
        root if root.is_nan() => 0.0,
        root if root <= 0.0 => 1.0,
        root => root.min(1.0),
    }
}
