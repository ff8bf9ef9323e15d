//! Constraint rows of each kind of joint.

use super::coordinates::{JointCoordinates, hinge_axis};
use super::gears::pitch_radius;
use super::gradient::gradient;
use super::swing_twist::{cone_scale, swing_twist_gradient};
use crate::components::{JointAxis, JointFreedom, JointKind, JointSpring, MotorTarget, SwingTwist};
use crate::math::{Norm, Real, Vec3, consts::TAU};
use crate::solver::{Coordinate, JointRow, RowKind};
use crate::tolerances::MIN_ROD_LENGTH;

/// Appends the rows of a joint of this kind with these coordinates.
pub fn rows(kind: &JointKind, coordinates: &JointCoordinates, rows: &mut Vec<JointRow>) {
    let lock = |coordinate| JointRow::lock(coordinate, 0.0);
    let points = || (0..3).map(move |k| lock(Coordinate::Point(k)));
    let welds = || (0..3).map(move |k| lock(Coordinate::Weld(k)));
    match kind {
        JointKind::Fixed => rows.extend(points().chain(welds())),
        JointKind::Spherical { friction } => {
            rows.extend(points());
            for k in (0..3).filter(|_| *friction > 0.0) {
                let axis = JointAxis { friction: *friction, ..JointAxis::default() };
                free_axis_rows(
                    rows,
                    JointRow { start: coordinates.angle[k as usize], ..lock(Coordinate::Turn(k)) },
                    &axis,
                );
            }
        }
        JointKind::Revolute(axis) => {
            rows.extend(points());
            rows.extend([1, 2].map(|k| lock(Coordinate::Align { free: 0, k })));
            free_axis_rows(rows, JointRow { start: coordinates.angle.x, ..lock(Coordinate::Turn(0)) }, axis);
        }
        JointKind::Prismatic(axis) => {
            rows.extend([1, 2].map(|k| lock(Coordinate::Along(k))));
            rows.extend(welds());
            free_axis_rows(rows, lock(Coordinate::Along(0)), axis);
        }
        // A zero length has no direction: it becomes a ball joint.
        JointKind::Distance { greatest, .. } if *greatest <= MIN_ROD_LENGTH => rows.extend(points()),
        JointKind::Distance { least, greatest } => {
            rows.push(range_row(lock(Coordinate::Distance), [*least, *greatest]));
        }
        JointKind::Spring { length, spring } => {
            rows.push(spring_row(lock(Coordinate::Distance), *length, spring, Real::INFINITY));
        }
        JointKind::SwingTwist(joint) => {
            rows.extend(points());
            swing_twist_rows(joint, coordinates, rows);
        }
        JointKind::Gear { ratio } => {
            let radius = pitch_radius(*ratio, coordinates.position.norm());
            rows.push(rolling_row(Coordinate::Gear, radius));
        }
        JointKind::RackAndPinion { radius } => rows.push(rolling_row(Coordinate::Rack, *radius)),
        JointKind::Winch { radius, length } => {
            let row = rolling_row(Coordinate::Winch, *radius);
            rows.push(JointRow {
                kind: RowKind::Limit,
                start: coordinates.angle.z,
                target: Real::NEG_INFINITY,
                target_high: *length,
                ..row
            });
        }
        JointKind::Pulley { ratio, least, greatest, .. } => {
            rows.push(range_row(rolling_row(Coordinate::Pulley, *ratio), [*least, *greatest]));
        }
        JointKind::Generic(axes) => generic_rows(axes, kind, coordinates, rows),
    }
}

/// A row whose coordinate stays between two bounds, or at both where they are equal.
fn range_row(row: JointRow, [least, greatest]: [Real; 2]) -> JointRow {
    let law = if least == greatest { RowKind::Equality } else { RowKind::Limit };
    JointRow { kind: law, target: least, target_high: greatest, ..row }
}

/// The row of meshed teeth or of a rope, with the radius of the first body (m) or a pulley's ratio.
fn rolling_row(coordinate: Coordinate, size: Real) -> JointRow {
    JointRow { gradient: Vec3::X * size, ..JointRow::lock(coordinate, 0.0) }
}

fn swing_twist_rows(joint: &SwingTwist, coordinates: &JointCoordinates, rows: &mut Vec<JointRow>) {
    if let Some((scale, most)) = cone_scale(joint) {
        rows.push(JointRow {
            kind: RowKind::Limit,
            target_high: most,
            gradient: scale,
            ..JointRow::lock(Coordinate::Cone, Real::NEG_INFINITY)
        });
    }
    let swing = |k: usize| JointAxis { limits: None, motor: joint.swing_motors[k], friction: joint.swing_friction };
    for (k, axis) in [joint.twist, swing(0), swing(1)].iter().enumerate() {
        let row = JointRow {
            start: coordinates.angle[k],
            gradient: swing_twist_gradient(coordinates.angle, k),
            ..JointRow::lock(Coordinate::Turn(k as u8), 0.0)
        };
        free_axis_rows(rows, row, axis);
    }
}

fn generic_rows(axes: &[JointFreedom; 6], kind: &JointKind, coordinates: &JointCoordinates, rows: &mut Vec<JointRow>) {
    let lock = |coordinate| JointRow::lock(coordinate, 0.0);
    let locked = |axis: usize| axes[axis] == JointFreedom::Locked;
    let all = |first: usize| (first..first + 3).all(locked);
    for k in 0..3_u8 {
        match &axes[k as usize] {
            JointFreedom::Locked if all(0) => rows.push(lock(Coordinate::Point(k))),
            JointFreedom::Locked => rows.push(lock(Coordinate::Along(k))),
            JointFreedom::Free(axis) => free_axis_rows(rows, lock(Coordinate::Along(k)), axis),
        }
    }
    for k in 0..3_u8 {
        match (&axes[3 + k as usize], hinge_axis(kind)) {
            (JointFreedom::Locked, _) if all(3) => rows.push(lock(Coordinate::Weld(k))),
            (JointFreedom::Locked, Some(hinge)) => rows.push(lock(Coordinate::Align { free: hinge as u8, k })),
            (JointFreedom::Locked, None) => rows.push(lock(Coordinate::Cardan(k))),
            (JointFreedom::Free(axis), _) => {
                let about = gradient(kind, coordinates.angle, k as usize);
                let row =
                    JointRow { start: coordinates.angle[k as usize], gradient: about, ..lock(Coordinate::Turn(k)) };
                free_axis_rows(rows, row, axis);
            }
        }
    }
}

/// The rows of a free axis, derived from one with its coordinate.
fn free_axis_rows(rows: &mut Vec<JointRow>, row: JointRow, axis: &JointAxis) {
    let of = |law, target, force| JointRow { kind: law, target, target_high: target, force, ..row };
    if let Some([least, greatest]) = axis.limits
        && (least.is_finite() || greatest.is_finite())
    {
        let law = if least == greatest { RowKind::Equality } else { RowKind::Limit };
        rows.push(JointRow { target_high: greatest, ..of(law, least, Real::INFINITY) });
        if law == RowKind::Equality {
            // Nothing is left to a motor or to friction.
            return;
        }
    }
    if let Some(motor) = axis.motor {
        rows.push(match motor.target {
            MotorTarget::Velocity(velocity) => of(RowKind::Motor, velocity, motor.max_force),
            MotorTarget::Position { target, spring } => spring_row(row, target, &spring, motor.max_force),
        });
    }
    if axis.friction > 0.0 {
        rows.push(of(RowKind::Motor, 0.0, axis.friction));
    }
}

/// A row with a spring to a target.
fn spring_row(row: JointRow, target: Real, spring: &JointSpring, force: Real) -> JointRow {
    let (law, stiffness, damping) = match *spring {
        JointSpring::Si { stiffness, damping } => (RowKind::Spring, stiffness, damping),
        JointSpring::Tuned { frequency, damping_ratio } => {
            let omega = TAU * frequency;
            (RowKind::AccelerationSpring, omega * omega, 2.0 * damping_ratio * omega)
        }
    };
    JointRow { kind: law, target, target_high: target, force, stiffness, damping, ..row }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::Motor;
    use crate::joint::needs_coordinates;
    use crate::math::Vec3;

    fn of(kind: &JointKind) -> Vec<JointRow> {
        let mut list = Vec::new();
        rows(kind, &JointCoordinates::default(), &mut list);
        list
    }

    #[test]
    fn each_kind_locks_what_it_does_not_leave_free() {
        let axis = JointAxis::default();
        let free = |list: &[usize]| {
            let mut axes = [JointFreedom::Locked; 6];
            list.iter().for_each(|&k| axes[k] = JointFreedom::FREE);
            JointKind::Generic(Box::new(axes))
        };
        for (kind, count) in [
            (JointKind::Fixed, 6),
            (JointKind::Spherical { friction: 0.0 }, 3),
            (JointKind::Revolute(axis), 5),
            (JointKind::Prismatic(axis), 5),
            (JointKind::Distance { least: 1.0, greatest: 1.0 }, 1),
            (JointKind::Pulley { points: [Vec3::ZERO; 2], ratio: 2.0, least: 1.0, greatest: 1.0 }, 1),
            (JointKind::Distance { least: 0.0, greatest: 0.0 }, 3),
            (JointKind::SwingTwist(Box::default()), 3),
            (JointKind::Gear { ratio: 2.0 }, 1),
            (JointKind::RackAndPinion { radius: 0.1 }, 1),
            (free(&[]), 6),
            (free(&[0, 1, 2]), 3),
            (free(&[3, 4]), 4),
            (free(&[0, 3, 4, 5]), 2),
        ] {
            let list = of(&kind);
            assert!(list.len() == count && list.iter().all(|row| row.kind == RowKind::Equality), "{kind:?}: {list:?}");
        }
    }

    #[test]
    fn kinds_that_do_not_ask_for_their_placement_have_the_same_rows_wherever_they_are() {
        let coordinates = JointCoordinates { position: Vec3::new(1.0, 2.0, 3.0), angle: Vec3::new(0.1, 0.2, 0.3) };
        let limited = JointAxis { limits: Some([-1.0, 1.0]), ..JointAxis::default() };
        for kind in [
            JointKind::Fixed,
            JointKind::Spherical { friction: 0.0 },
            JointKind::Prismatic(limited),
            JointKind::Distance { least: 0.0, greatest: 2.0 },
        ] {
            let mut list = Vec::new();
            rows(&kind, &coordinates, &mut list);
            assert_eq!(list, of(&kind));
            assert!(!needs_coordinates(&kind));
        }
        let hinge = JointKind::Revolute(limited);
        let mut list = Vec::new();
        rows(&hinge, &coordinates, &mut list);
        assert!(list != of(&hinge) && needs_coordinates(&hinge));
    }

    #[test]
    fn limits_motor_and_friction_are_rows_of_their_own() {
        let motor = Some(Motor::velocity(3.0, 10.0));
        let axis = JointAxis { limits: Some([-1.0, Real::INFINITY]), motor, friction: 2.0 };
        let laws: Vec<_> =
            of(&JointKind::Revolute(axis))[5..].iter().map(|row| (row.kind, row.target, row.force)).collect();
        let wide = Real::INFINITY;
        assert_eq!(laws, [(RowKind::Limit, -1.0, wide), (RowKind::Motor, 3.0, 10.0), (RowKind::Motor, 0.0, 2.0)]);
    }
}
