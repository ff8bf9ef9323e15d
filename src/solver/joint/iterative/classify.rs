//! Classification of joints by constraint kind.

use crate::math::Real;
use crate::solver::body::SolverBody;
use crate::solver::joint::{Coordinate, JointRow, RowKind, SolverJoint};
use crate::tolerances::JOINTS;

/// Constraint kind of an iterative joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ConstraintKind {
    /// Coincident anchors.
    Point,
    /// Anchors at a distance, or within a range of distances.
    Distance,
    /// Locked axes of rotation, or anchors sliding along axes.
    LockedAxes,
}

impl ConstraintKind {
    /// Kind of a joint with these rows, its limits left aside (see [`limits_are_far`]); `None` for
    /// motors, springs, friction, limits of zero width, and universal joints.
    pub fn of(rows: &[(Coordinate, RowKind)]) -> Option<Self> {
        if let [(Coordinate::Distance, RowKind::Equality | RowKind::Limit)] = rows {
            return Some(Self::Distance);
        }
        let (mut points, mut slides, mut welds, mut aligned) = (0, [false; 3], 0, [false; 3]);
        let (mut hinge, mut limits) = (None, 0);
        for &(coordinate, row_kind) in rows {
            match (coordinate, row_kind) {
                (Coordinate::Point(_), RowKind::Equality) => points += 1,
                (Coordinate::Along(k), RowKind::Equality) => slides[k as usize] = true,
                (Coordinate::Weld(_), RowKind::Equality) => welds += 1,
                (Coordinate::Align { free, k }, RowKind::Equality) if hinge.is_none_or(|hinge| hinge == free) => {
                    hinge = Some(free);
                    aligned[k as usize] = true;
                }
                (Coordinate::Turn(_) | Coordinate::Along(_), RowKind::Limit) => limits += 1,
                _ => return None,
            }
        }
        let (slides, aligned) = (slides.iter().filter(|&&on| on).count(), aligned.iter().filter(|&&on| on).count());
        match (points, slides, welds, aligned) {
            (3, 0, 0, 0) => Some(Self::Point),
            (3, 0, 3, 0) | (3, 0, 0, 2) | (0, _, 3, 0) | (0, _, 0, 2) => Some(Self::LockedAxes),
            (0, 1.., 0, 0) => Some(Self::LockedAxes),
            _ => None,
        }
        .filter(|_| points + slides + welds + aligned + limits == rows.len())
    }
}

/// True if all limits of angles and slides are farther than the joint moves in two steps of `dt`
/// (s), plus a margin: such limits may be left out.
pub(crate) fn limits_are_far(joint: &SolverJoint, rows: &[JointRow], bodies: &[SolverBody], dt: Real) -> bool {
    let [a, b] = [&bodies[joint.a as usize], &bodies[joint.b as usize]];
    rows.iter().filter(|row| row.kind == RowKind::Limit).all(|row| {
        let (value, rate) = match row.coordinate {
            Coordinate::Turn(_) => {
                (row.start, (joint.frames[0] * row.gradient).dot(b.angular_velocity - a.angular_velocity))
            }
            Coordinate::Along(k) => {
                let speed = |body: &SolverBody, arm| body.linear_velocity + body.angular_velocity.cross(arm);
                let relative_velocity = speed(b, joint.arms[1]) - speed(a, joint.arms[0] + joint.gap);
                let axis = joint.frames[0].col(k as usize);
                (axis.dot(joint.gap), axis.dot(relative_velocity))
            }
            // The iterative solver has no cones, winches and pulleys.
            Coordinate::Cone | Coordinate::Winch | Coordinate::Pulley => return false,
            // Rods and ropes handle their own limits.
            _ => return true,
        };
        let margin = 2.0 * dt * rate.abs() + JOINTS.limit_margin as Real;
        value - margin > row.target && value + margin < row.target_high
    })
}
