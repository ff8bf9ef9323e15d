//! A separating direction that turns with the features it is normal to.
//!
//! Along a fixed direction, an edge or a face that lies across it approaches with its faster end as
//! soon as it turns, though the other shape's feature may turn along. The bound of the gap holds in
//! any rotating frame (see [`rotating_frame`](super::rotating_frame)), so the frame is chosen in which
//! no feature tilts: an edge `e` of a shape with angular velocity `ω` keeps its support along `n` in a
//! frame with angular velocity `ν` if `(ω - ν)·(e × n) = 0`. Two edges, one of each shape or two of
//! one face, fix the part of `ν` across `n`. The edges are those to which the support points move.
//! A feature of one shape alone turns the direction in bilateral advancement (Catto, "Continuous Collision", GDC 2013).

use super::rotating_frame::RotatingFrame;
use super::swept_shape::SweptShape;
use crate::math::{DVec3, Quat, to_f64};

/// Edges that the direction is set square to, one after the other: two fix it, and the first two may be
/// of one face.
const EDGES: usize = 3;

/// A condition `across · ν = rate` on an angular velocity.
#[derive(Clone, Copy)]
struct Square {
    across: DVec3,
    rate: f64,
}

/// The frame in which two shapes close least of a gap of `room` (m) along `normal` (from the first to the
/// second) from the moment `t` on, to first order, among those in which their features do not tilt.
pub(super) fn feature_frame(
    shapes: [&SweptShape; 2],
    places: [(DVec3, Quat); 2],
    normal: DVec3,
    room: f64,
    t: f64,
) -> RotatingFrame {
    let trajectories = shapes.map(SweptShape::trajectory);
    let spins = trajectories.map(|trajectory| to_f64(trajectory.rotation_at(t).velocity));
    let pull =
        shapes[0].rotation_radius * spins[0].length_squared() + shapes[1].rotation_radius * spins[1].length_squared();
    if pull == 0.0 {
        return RotatingFrame::default();
    }
    // The time in which turning by itself closes the gap.
    let time = (2.0 * room / pull).sqrt();
    let directions = [normal, -normal];
    let tilt = |k: usize, frame: &RotatingFrame| directions[k].cross(spins[k] - frame.angular_velocity()) * time;
    let support = |k: usize, v: DVec3| shapes[k].support_along(places[k].1, v);
    let closed = |frame: &RotatingFrame| {
        let grown = [0, 1].map(|k| {
            let (offset, tilt) = (places[k].0 - trajectories[k].center_at(t), tilt(k, frame));
            let along = |v: DVec3| support(k, v).map(|point| v.dot(offset + point));
            match tilt == DVec3::ZERO {
                true => 0.0,
                false => along(directions[k] + tilt).zip(along(directions[k])).map_or(f64::INFINITY, |(p, q)| p - q),
            }
        });
        grown[0] + grown[1] - frame.approach(trajectories, t, 0.0).velocity.dot(normal) * time
    };
    let mut frame = RotatingFrame::default();
    let (mut best, mut held) = ((frame, closed(&frame)), None);
    for _ in 0..EDGES {
        let edges = [0, 1].map(|k| {
            let tilt = tilt(k, &frame);
            let ends = [tilt, -tilt].map(|tilt| support(k, directions[k] + tilt));
            let edge = ends[0].zip(ends[1]).map_or(DVec3::ZERO, |(p, q)| p - q);
            (edge, edge.dot(tilt))
        });
        let k = usize::from(edges[1].1 > edges[0].1);
        let across = edges[k].0.cross(normal);
        let square = Square { across, rate: spins[k].dot(across) };
        let Some(velocity) = square.with(held, normal) else { break };
        held = Some(square);
        frame = RotatingFrame::turning(velocity);
        let closed = closed(&frame);
        if closed < best.1 {
            best = (frame, closed);
        }
    }
    best.0
}

impl Square {
    /// The angular velocity across `normal` that meets this condition and another, if there is one; the
    /// shortest one if there is no other.
    fn with(self, other: Option<Self>, normal: DVec3) -> Option<DVec3> {
        let velocity = match other {
            None => self.across * (self.rate / self.across.length_squared()),
            Some(other) => {
                let [mine, its] = [self, other].map(|square| square.across.cross(normal));
                (mine * other.rate - its * self.rate) / normal.dot(other.across.cross(self.across))
            }
        };
        Some(velocity).filter(|velocity| velocity.is_finite())
    }
}
