//! What joints may exert, for statics: each of their rows as a force of known direction and bounded strength.

use crate::joint::{self, Placement};
use crate::math::{DMat3, DQuat, DVec3, Quat, to_f64};
use crate::resting::statics::Bond;
use crate::solver::{Coordinate, JointRow, Law};
use crate::state::State;
use crate::systems::joints::{Placed, place};
use crate::tolerances::STATICS_TOUCH;

/// The bonds of a joint between these bodies of a structure. None if it has a spring that is tuned to what it moves: how
/// strongly that pulls depends on how it moves.
pub(super) fn of_joint(state: &State, joint: usize, ends: [u32; 2]) -> Option<Vec<Bond>> {
    let State { bodies, joints, settings, .. } = state;
    let spec = joints.specs[joint].as_ref().expect("the joint is there");
    let placed = place(bodies, joints, joint, false);
    let asks = joint::asks_placement(&spec.kind);
    let placement = if asks { placed.placement(joints, joint) } else { Placement::default() };
    let mut rows = Vec::new();
    joint::rows(&spec.kind, &placement, &mut rows);
    let directions = Directions::new(&placed);
    let slack = f64::from(STATICS_TOUCH * settings.length_unit);
    let linear = rows.iter().filter(|row| row.coordinate.is_linear()).count();
    let mut bonds = Vec::with_capacity(rows.len());
    for row in &rows {
        // A joint breaks by all of its rows together: each may have what keeps their sum within the bound.
        let (most, count) =
            if row.coordinate.is_linear() { (spec.max_force, linear) } else { (spec.max_torque, rows.len() - linear) };
        let most = f64::from(most) / (count as f64).sqrt();
        let range = strength(row, directions.value(row), slack)?.map(|strength| strength.clamp(-most, most));
        let (force, torques) = directions.of(row.coordinate);
        bonds.push(Bond { bodies: ends, force, torques, range });
    }
    Some(bonds)
}

/// How strong a row may be.
fn strength(row: &JointRow, value: f64, slack: f64) -> Option<[f64; 2]> {
    let (low, high) = (f64::from(row.target), f64::from(row.target_high));
    let force = f64::from(row.force);
    Some(match row.law {
        Law::Lock => [f64::NEG_INFINITY, f64::INFINITY],
        Law::Range => [
            if value >= high - slack { f64::NEG_INFINITY } else { 0.0 },
            if value <= low + slack { f64::INFINITY } else { 0.0 },
        ],
        Law::Drive => [-force, force],
        Law::Spring => [(f64::from(row.stiffness) * (low - value)).clamp(-force, force); 2],
        Law::Tuned => return None,
    })
}

/// Where a joint is, in `f64`.
struct Directions {
    levers: [DVec3; 2],
    gap: DVec3,
    /// Axes of both joint frames: columns.
    frames: [DMat3; 2],
}

impl Directions {
    fn new(placed: &Placed) -> Self {
        let axes =
            |q: Quat| DMat3::from_quat(DQuat::from_xyzw(q.x.into(), q.y.into(), q.z.into(), q.w.into()).normalize());
        Self { levers: placed.levers.map(to_f64), gap: to_f64(placed.gap), frames: placed.frames.map(axes) }
    }

    /// Axis `k` of a frame.
    fn axis(&self, side: usize, k: u8) -> DVec3 {
        self.frames[side].col(k as usize)
    }

    /// The value of a row's coordinate, where its bounds ask for it.
    fn value(&self, row: &JointRow) -> f64 {
        match row.coordinate {
            Coordinate::Along(k) => self.gap.dot(self.axis(0, k)),
            Coordinate::Distance => self.gap.length(),
            _ => f64::from(row.start),
        }
    }

    /// The force on the second body and the torques on both that a strength of one is.
    fn of(&self, coordinate: Coordinate) -> (DVec3, [DVec3; 2]) {
        let pull = |axis: DVec3| (axis, [(self.levers[0] + self.gap).cross(axis), self.levers[1].cross(axis)]);
        let turn = |axis: DVec3| (DVec3::ZERO, [axis; 2]);
        match coordinate {
            Coordinate::Point(k) => pull(DVec3::AXES[k as usize]),
            Coordinate::Along(k) => pull(self.axis(0, k)),
            Coordinate::Distance => pull(self.gap.try_normalize().unwrap_or(DVec3::X)),
            Coordinate::Weld(k) => turn(DVec3::AXES[k as usize]),
            Coordinate::Align { k, .. } | Coordinate::Turn(k) => turn(self.axis(0, k)),
            Coordinate::Cardan(k) => turn(self.axis(0, (k + 1) % 3).cross(self.axis(1, (k + 2) % 3))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Real;

    #[test]
    fn a_row_may_be_as_strong_as_its_law_and_its_place_allow() {
        let infinite = f64::INFINITY;
        let row = |law, target: Real, target_high: Real, force: Real| JointRow {
            law,
            target_high,
            force,
            stiffness: 100.0,
            ..JointRow::lock(Coordinate::Distance, target)
        };
        let range = |row: &JointRow, value| strength(row, value, 1e-4).unwrap();
        assert_eq!(range(&row(Law::Lock, 1.0, 1.0, Real::INFINITY), 1.0), [-infinite, infinite]);
        let rope = row(Law::Range, 0.0, 2.0, Real::INFINITY);
        // A taut rope pulls, a slack one does nothing.
        assert_eq!(range(&rope, 2.0), [-infinite, 0.0]);
        assert_eq!(range(&rope, 1.5), [0.0, 0.0]);
        assert_eq!(range(&row(Law::Drive, 0.0, 0.0, 5.0), 0.3), [-5.0, 5.0]);
        assert_eq!(range(&row(Law::Spring, 1.0, 1.0, 30.0), 1.25), [-25.0; 2]);
        assert_eq!(range(&row(Law::Spring, 1.0, 1.0, 20.0), 1.25), [-20.0; 2]);
        assert_eq!(strength(&row(Law::Tuned, 1.0, 1.0, 20.0), 1.25, 1e-4), None);
    }
}
