//! Which joints a net can take.

use crate::math::Real;
use crate::solver::body::SolverBody;
use crate::solver::joint::{Coordinate, JointRow, Law, SolverJoint};
use crate::tolerances::LIMIT_MARGIN;

/// What joints of a net have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// It keeps two anchors together.
    Pin,
    /// It keeps two anchors at a distance, or within a range of distances.
    Rod,
    /// It locks axes, or lets anchors slide along axes.
    Lock,
}

impl Form {
    /// The form of a joint with these rows, its limits left aside (see [`is_clear`]); `None` where a net has none for it: motors, springs,
    /// friction, limits that are one value, universal joints.
    pub fn of(rows: &[(Coordinate, Law)]) -> Option<Self> {
        if let [(Coordinate::Distance, Law::Lock | Law::Range)] = rows {
            return Some(Self::Rod);
        }
        let (mut points, mut slides, mut welds, mut aligned) = (0, [false; 3], 0, [false; 3]);
        let (mut hinge, mut limits) = (None, 0);
        for &(coordinate, law) in rows {
            match (coordinate, law) {
                (Coordinate::Point(_), Law::Lock) => points += 1,
                (Coordinate::Along(k), Law::Lock) => slides[k as usize] = true,
                (Coordinate::Weld(_), Law::Lock) => welds += 1,
                (Coordinate::Align { free, k }, Law::Lock) if hinge.is_none_or(|hinge| hinge == free) => {
                    hinge = Some(free);
                    aligned[k as usize] = true;
                }
                (Coordinate::Turn(_) | Coordinate::Along(_), Law::Range) => limits += 1,
                _ => return None,
            }
        }
        let (slides, aligned) = (slides.iter().filter(|&&on| on).count(), aligned.iter().filter(|&&on| on).count());
        match (points, slides, welds, aligned) {
            (3, 0, 0, 0) => Some(Self::Pin),
            (3, 0, 3, 0) | (3, 0, 0, 2) | (0, _, 3, 0) | (0, _, 0, 2) => Some(Self::Lock),
            (0, 1.., 0, 0) => Some(Self::Lock),
            _ => None,
        }
        .filter(|_| points + slides + welds + aligned + limits == rows.len())
    }
}

/// Whether all limits of angles and slides are farther than the joint moves in two steps of `dt` (s), and some margin: so long nobody needs
/// to look at them.
pub(crate) fn is_clear(joint: &SolverJoint, rows: &[JointRow], bodies: &[SolverBody], dt: Real) -> bool {
    let [a, b] = [&bodies[joint.a as usize], &bodies[joint.b as usize]];
    rows.iter().filter(|row| row.law == Law::Range).all(|row| {
        let (value, rate) = match row.coordinate {
            Coordinate::Turn(_) => {
                (row.start, (joint.frames[0] * row.about).dot(b.angular_velocity - a.angular_velocity))
            }
            Coordinate::Along(k) => {
                let speed = |body: &SolverBody, arm| body.linear_velocity + body.angular_velocity.cross(arm);
                let parting = speed(b, joint.levers[1]) - speed(a, joint.levers[0] + joint.gap);
                let axis = joint.frames[0].col(k as usize);
                (axis.dot(joint.gap), axis.dot(parting))
            }
            // Rods and ropes have limits of their own.
            _ => return true,
        };
        let margin = 2.0 * dt * rate.abs() + LIMIT_MARGIN as Real;
        value - margin > row.target && value + margin < row.target_high
    })
}
