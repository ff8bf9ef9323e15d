//! Constraint values and Jacobians of joint rows, in `f64`.

use crate::math::{DMat3, DQuat, DVec3, to_f64};
use crate::solver::{Coordinate, JointRow, RowKind};

/// The geometry of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointGeometry {
    /// Arms from the centre of mass of each body to its anchor, world axes (m).
    pub arms: [DVec3; 2],
    /// From the first anchor to the second, world axes (m).
    pub gap: DVec3,
    /// Axes of both joint frames: columns.
    frames: [DMat3; 2],
}

impl JointGeometry {
    /// A joint with these arms, this offset, and the orientations of its frames, unit quaternions.
    pub fn new(arms: [DVec3; 2], gap: DVec3, frames: [DQuat; 2]) -> Self {
        Self { arms, gap, frames: frames.map(DMat3::from_quat) }
    }

    /// Axis `k` of a frame.
    fn axis(&self, side: usize, k: u8) -> DVec3 {
        self.frames[side].col(k as usize)
    }

    /// The small rotation between the frames: half the sum of the cross products of their axes.
    fn weld(&self) -> DVec3 {
        0.5 * (0..3).map(|k| self.axis(0, k).cross(self.axis(1, k))).sum::<DVec3>()
    }

    /// The value of a row's coordinate (m, rad); for an angle about a free axis, its value at the
    /// step's start.
    pub fn value(&self, row: &JointRow) -> f64 {
        match row.coordinate {
            Coordinate::Point(k) => self.gap[k as usize],
            Coordinate::Along(k) => self.gap.dot(self.axis(0, k)),
            Coordinate::Distance => self.gap.length(),
            Coordinate::Weld(k) => self.weld()[k as usize],
            Coordinate::Align { free, k } => self.axis(0, free).cross(self.axis(1, free)).dot(self.axis(0, k)),
            Coordinate::Cardan(k) => -self.axis(0, (k + 1) % 3).dot(self.axis(1, (k + 2) % 3)),
            Coordinate::Turn(_) => f64::from(row.start),
        }
    }

    /// How far a row's coordinate is from what the row permits (m), angles as the way of the longer
    /// arm; zero for motors and springs.
    pub fn violation(&self, row: &JointRow) -> f64 {
        let (value, least, most) = (self.value(row), f64::from(row.target), f64::from(row.target_high));
        let beyond = match row.kind {
            RowKind::Equality => (value - least).abs(),
            RowKind::Limit => (least - value).max(value - most).max(0.0),
            RowKind::Motor | RowKind::Spring | RowKind::AccelerationSpring => 0.0,
        };
        let arm = || self.arms[0].length().max(self.arms[1].length());
        if row.coordinate.is_linear() { beyond } else { beyond * arm() }
    }

    /// The Jacobian of a row: the force on the second body, and the torques on both (that of the
    /// first negated), for a unit force of the row.
    pub fn jacobian(&self, row: &JointRow) -> (DVec3, [DVec3; 2]) {
        // The axis rotates with the first body, and the force acts at the second body's anchor.
        let pull = |axis: DVec3| (axis, [(self.arms[0] + self.gap).cross(axis), self.arms[1].cross(axis)]);
        let turn = |axis: DVec3| (DVec3::ZERO, [axis; 2]);
        match row.coordinate {
            Coordinate::Point(k) => pull(DVec3::AXES[k as usize]),
            Coordinate::Along(k) => pull(self.axis(0, k)),
            Coordinate::Distance => pull(self.gap.try_normalize().unwrap_or(DVec3::X)),
            Coordinate::Weld(k) => turn(DVec3::AXES[k as usize]),
            Coordinate::Align { k, .. } => turn(self.axis(0, k)),
            Coordinate::Turn(_) => turn(self.frames[0] * to_f64(row.gradient)),
            Coordinate::Cardan(k) => turn(self.axis(0, (k + 1) % 3).cross(self.axis(1, (k + 2) % 3))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0f64, -1.0..1.0f64, -1.0..1.0f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        /// The power of a row's unit force is its coordinate's rate.
        #[test]
        fn values_change_as_the_directions_say(
            arms in [vector(), vector()], gap in vector(), turned in vector(), lean in vector(),
            velocities in [vector(), vector()], spins in [vector(), vector()],
        ) {
            let frames = [DQuat::from_scaled_axis(turned), DQuat::from_scaled_axis(lean * 1e-7) * DQuat::from_scaled_axis(turned)];
            prop_assume!(gap.length() > 0.1);
            let at = |t: f64| {
                let turns = spins.map(|spin| DQuat::from_scaled_axis(spin * t));
                let now = [turns[0] * arms[0], turns[1] * arms[1]];
                let gap = gap + (velocities[1] - velocities[0]) * t + (now[1] - arms[1]) - (now[0] - arms[0]);
                JointGeometry::new(now, gap, [turns[0] * frames[0], turns[1] * frames[1]])
            };
            let h = 1e-6;
            let mut coordinates = vec![Coordinate::Distance];
            for k in 0..3 {
                coordinates.extend([Coordinate::Along(k), Coordinate::Weld(k), Coordinate::Cardan(k), Coordinate::Point(k)]);
                coordinates.push(Coordinate::Align { free: (k + 1) % 3, k });
            }
            for coordinate in coordinates {
                // The anchors of a ball joint coincide.
                let pinned = matches!(coordinate, Coordinate::Point(_));
                let row = JointRow::lock(coordinate, 0.0);
                let rate = (at(h).value(&row) - at(-h).value(&row)) / (2.0 * h);
                let (force, torques) = at(0.0).jacobian(&row);
                let torques = if pinned { [torques[0] - gap.cross(force), torques[1]] } else { torques };
                let got = force.dot(velocities[1] - velocities[0]) + torques[1].dot(spins[1]) - torques[0].dot(spins[0]);
                prop_assert!((rate - got).abs() < 1e-6, "{coordinate:?}: {rate} {got}");
            }
        }
    }
}
