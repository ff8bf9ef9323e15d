//! Rows that bodies with locked axes can follow.
//!
//! A motor whose response `J M^-1 J^T` is zero asks for an infinite impulse. Without locked axes
//! every row has a response. With them a motor may point along an axis that is locked, or that is
//! free but held by the joint's own equalities. Such a row does nothing.

use super::geometry::JointGeometry;
use crate::math::{DMat3, DVec3};
use crate::solver::{JointRow, RowKind};
use crate::tolerances::UNREACHABLE_RESPONSE;

/// How a body answers impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyResponse {
    /// Inverse mass along each world axis (1/kg), and inverse inertia in world axes (1/(kg m²)).
    pub locked: (DVec3, DMat3),
    /// The same without its locks.
    pub free: (DVec3, DMat3),
}

impl BodyResponse {
    /// A body that nothing moves.
    pub const FIXED: Self = Self { locked: (DVec3::ZERO, DMat3::ZERO), free: (DVec3::ZERO, DMat3::ZERO) };
}

/// A direction of motion of both bodies: linear and angular part of each.
type Direction = [(DVec3, DVec3); 2];

fn dot(a: &Direction, b: &Direction) -> f64 {
    (0..2).map(|side| a[side].0.dot(b[side].0) + a[side].1.dot(b[side].1)).sum()
}

fn times(direction: &Direction, responses: [(DVec3, DMat3); 2]) -> Direction {
    [0, 1].map(|side| (responses[side].0 * direction[side].0, responses[side].1 * direction[side].1))
}

/// Removes the limits, motors, springs and friction from `first` on that neither body can follow,
/// because locked axes and the joint's equalities leave them no motion.
pub fn retain_reachable(rows: &mut Vec<JointRow>, first: usize, at: &JointGeometry, bodies: [BodyResponse; 2]) {
    let locked = bodies.map(|body| body.locked);
    // Gram-Schmidt over the equalities, in the metric of the inverse mass.
    let mut held: Vec<(Direction, Direction)> = Vec::new();
    // What the held directions leave of a row, its response, and the square of its length, if that
    // is any.
    let left_of = |row: &JointRow, held: &[(Direction, Direction)]| {
        let (forces, torques) = at.jacobian(row);
        let mut left = [(-forces[0], -torques[0]), (forces[1], torques[1])];
        let least = UNREACHABLE_RESPONSE * dot(&left, &times(&left, bodies.map(|body| body.free)));
        for (direction, response) in held {
            let along = dot(&left, response);
            for side in 0..2 {
                left[side].0 -= direction[side].0 * along;
                left[side].1 -= direction[side].1 * along;
            }
        }
        let response = times(&left, locked);
        let square = dot(&left, &response);
        (square > least).then_some((left, response, square))
    };
    for row in rows[first..].iter().filter(|row| row.kind == RowKind::Equality) {
        if let Some((left, response, square)) = left_of(row, &held) {
            let scale = square.sqrt().recip();
            let unit = |v: Direction| v.map(|(linear, angular)| (linear * scale, angular * scale));
            held.push((unit(left), unit(response)));
        }
    }
    let mut index = 0;
    rows.retain(|row| {
        index += 1;
        index <= first || row.kind == RowKind::Equality || left_of(row, &held).is_some()
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{DQuat, Real};
    use crate::solver::Coordinate;

    fn left(rows: &[JointRow], locked: (DVec3, DMat3)) -> Vec<Coordinate> {
        let at = JointGeometry::new([DVec3::ZERO, DVec3::new(0.3, -0.5, 0.2)], DVec3::ZERO, [DQuat::IDENTITY; 2]);
        let mut rows = rows.to_vec();
        let body = BodyResponse { locked, free: (DVec3::ONE, DMat3::IDENTITY) };
        retain_reachable(&mut rows, 0, &at, [BodyResponse::FIXED, body]);
        rows.iter().map(|row| row.coordinate).collect()
    }

    #[test]
    fn motors_along_locked_axes_are_left_out_and_no_others() {
        let lock = |coordinate| JointRow::lock(coordinate, 0.0);
        let motor = |coordinate| JointRow { kind: RowKind::Motor, force: Real::INFINITY, ..lock(coordinate) };
        let planar = (DVec3::new(1.0, 1.0, 0.0), DMat3::from_diagonal(DVec3::Z));
        let turns = [0, 1, 2].map(Coordinate::Turn);
        assert_eq!(left(&turns.map(motor), (DVec3::ONE, DMat3::IDENTITY)), turns);
        assert_eq!(left(&turns.map(motor), planar), [Coordinate::Turn(2)]);
        // What the welds hold, no motor drives by its lever.
        let welds = [0, 1, 2].map(|k| lock(Coordinate::Weld(k)));
        let slide = [motor(Coordinate::Along(0)), welds[0], welds[1], welds[2]];
        let turning_only = (DVec3::ZERO, DMat3::IDENTITY);
        assert_eq!(left(&slide, turning_only), [0, 1, 2].map(Coordinate::Weld));
        assert_eq!(left(&slide[..1], turning_only), [Coordinate::Along(0)]);
    }
}
