//! Constraint values and Jacobians of joint rows, in `f64`.

use super::pulley::pulley_forces;
use super::swing_twist::cone_value;
use super::winch::Rope;
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
    /// From the points of a pulley to its anchors, world axes (m).
    parts: [DVec3; 2],
}

/// Forces and torques on both bodies for a unit force of a row, those on the first negated.
pub type RowJacobian = ([DVec3; 2], [DVec3; 2]);

impl JointGeometry {
    /// A joint with these arms, this offset, and the orientations of its frames, unit quaternions.
    pub fn new(arms: [DVec3; 2], gap: DVec3, frames: [DQuat; 2]) -> Self {
        Self { arms, gap, frames: frames.map(DMat3::from_quat), parts: [DVec3::ZERO; 2] }
    }

    /// The same with the parts of a pulley's rope, each from its point to the anchor (m).
    pub fn with_parts(self, parts: [DVec3; 2]) -> Self {
        Self { parts, ..self }
    }

    /// Axis `k` of a frame.
    fn axis(&self, side: usize, k: u8) -> DVec3 {
        self.frames[side].col(k as usize)
    }

    /// The small rotation between the frames: half the sum of the cross products of their axes.
    fn weld(&self) -> DVec3 {
        0.5 * (0..3).map(|k| self.axis(0, k).cross(self.axis(1, k))).sum::<DVec3>()
    }

    /// The second x axis in the first frame.
    fn swung(&self) -> DVec3 {
        self.frames[0].transpose() * self.axis(1, 0)
    }

    /// The value of a row's coordinate (m, rad); for an angle about a free axis, meshed teeth and
    /// winches, its value at the step's start.
    pub fn value(&self, row: &JointRow) -> f64 {
        match row.coordinate {
            Coordinate::Point(k) => self.gap[k as usize],
            Coordinate::Along(k) => self.gap.dot(self.axis(0, k)),
            Coordinate::Distance => self.gap.length(),
            Coordinate::Weld(k) => self.weld()[k as usize],
            Coordinate::Align { free, k } => self.axis(0, free).cross(self.axis(1, free)).dot(self.axis(0, k)),
            Coordinate::Cardan(k) => -self.axis(0, (k + 1) % 3).dot(self.axis(1, (k + 2) % 3)),
            Coordinate::Cone => cone_value(to_f64(row.gradient), self.swung()).0,
            Coordinate::Gear | Coordinate::Rack => 0.0,
            Coordinate::Pulley => self.parts[0].length() + f64::from(row.gradient.x) * self.parts[1].length(),
            Coordinate::Turn(_) | Coordinate::Winch => f64::from(row.start),
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

    /// The Jacobian of a force along `tooth` at the pitch point, seen from the first anchor.
    fn touch(&self, tooth: DVec3, pitch_point: DVec3) -> RowJacobian {
        let arms = [self.arms[0] + pitch_point, self.arms[1] + (pitch_point - self.gap)];
        ([tooth; 2], arms.map(|arm| arm.cross(tooth)))
    }

    /// The Jacobian of a row.
    pub fn jacobian(&self, row: &JointRow) -> RowJacobian {
        // The axis rotates with the first body, and the force acts at the second body's anchor.
        let pull = |axis: DVec3| ([axis; 2], [(self.arms[0] + self.gap).cross(axis), self.arms[1].cross(axis)]);
        let turn = |axis: DVec3| ([DVec3::ZERO; 2], [axis; 2]);
        match row.coordinate {
            Coordinate::Point(k) => pull(DVec3::AXES[k as usize]),
            Coordinate::Along(k) => pull(self.axis(0, k)),
            Coordinate::Distance => pull(self.gap.try_normalize().unwrap_or(DVec3::X)),
            Coordinate::Weld(k) => turn(DVec3::AXES[k as usize]),
            Coordinate::Align { k, .. } => turn(self.axis(0, k)),
            Coordinate::Turn(_) => turn(self.frames[0] * to_f64(row.gradient)),
            Coordinate::Cone => turn(self.frames[0] * cone_value(to_f64(row.gradient), self.swung()).1),
            Coordinate::Gear => {
                let along = self.gap.try_normalize().unwrap_or(DVec3::X);
                let tooth = self.axis(0, 0).cross(along).normalize_or_zero();
                self.touch(tooth, along * f64::from(row.gradient.x))
            }
            Coordinate::Winch => {
                let rope = Rope::new(self.gap, self.axis(0, 0), f64::from(row.gradient.x));
                self.touch(rope.along, rope.tangent_point)
            }
            Coordinate::Pulley => {
                let forces = pulley_forces(f64::from(row.gradient.x), self.parts);
                (forces, [0, 1].map(|side| self.arms[side].cross(forces[side])))
            }
            Coordinate::Rack => {
                let along = self.axis(1, 0);
                let foot = along.cross(self.axis(0, 0)).normalize_or_zero();
                self.touch(along, foot * f64::from(row.gradient.x))
            }
            Coordinate::Cardan(k) => turn(self.axis(0, (k + 1) % 3).cross(self.axis(1, (k + 2) % 3))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::components::JointKind;
    use crate::joint::JointCoordinates;
    use crate::math::{Quat, Real, Vec3, from_f64};
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
            prop_assume!(gap.length() > 0.1 && arms.iter().all(|arm| arm.length() > 0.1));
            let at = |t: f64| {
                let turns = spins.map(|spin| DQuat::from_scaled_axis(spin * t));
                let now = [turns[0] * arms[0], turns[1] * arms[1]];
                let gap = gap + (velocities[1] - velocities[0]) * t + (now[1] - arms[1]) - (now[0] - arms[0]);
                // The points of a pulley lie at the anchors turned about by a half.
                let parts = [0, 1].map(|k| arms[k] * 2.0 + velocities[k] * t + now[k] - arms[k]);
                JointGeometry::new(now, gap, [turns[0] * frames[0], turns[1] * frames[1]]).with_parts(parts)
            };
            let h = 1e-6;
            let mut coordinates = vec![Coordinate::Distance, Coordinate::Pulley];
            for k in 0..3 {
                coordinates.extend([Coordinate::Along(k), Coordinate::Weld(k), Coordinate::Cardan(k), Coordinate::Point(k)]);
                coordinates.push(Coordinate::Align { free: (k + 1) % 3, k });
            }
            for coordinate in coordinates {
                // The anchors of a ball joint coincide.
                let pinned = matches!(coordinate, Coordinate::Point(_));
                let row = JointRow { gradient: Vec3::X * 2.5, ..JointRow::lock(coordinate, 0.0) };
                let rate = (at(h).value(&row) - at(-h).value(&row)) / (2.0 * h);
                let (forces, torques) = at(0.0).jacobian(&row);
                let torques = if pinned { [torques[0] - gap.cross(forces[0]), torques[1]] } else { torques };
                let power = |side: usize| forces[side].dot(velocities[side]) + torques[side].dot(spins[side]);
                let got = power(1) - power(0);
                prop_assert!((rate - got).abs() < 1e-6, "{coordinate:?}: {rate} {got}");
            }
        }

        /// Teeth slip, and a rope is drawn, as their force's power says, also on a moving carrier.
        #[test]
        fn teeth_and_ropes_move_as_the_directions_say(
            arms in [vector(), vector()], turned in vector(), place in (0.2..1.0f64, -1.0..1.0f64),
            velocity in vector(), spins in [-1.0..1.0f64, -1.0..1.0f64], ratio in prop_oneof![-5.0..-1.5, 0.2..5.0],
        ) {
            let base = DQuat::from_scaled_axis(turned);
            let along = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
            // Everything moves in the plane across the axes.
            let (gap, velocity) = (DVec3::new(0.0, place.0, place.1), velocity.with_x(0.0));
            for kind in [
                JointKind::Gear { ratio: ratio as Real },
                JointKind::RackAndPinion { radius: 0.3 },
                JointKind::Winch { radius: -0.15, length: 1.0 },
            ] {
                let second = if matches!(kind, JointKind::RackAndPinion { .. }) { along } else { DQuat::IDENTITY };
                let single = |q: DQuat| Quat::from_xyzw(q.x as Real, q.y as Real, q.z as Real, q.w as Real);
                let at = |t: f64| {
                    let frames = [DQuat::from_rotation_x(spins[0] * t), DQuat::from_rotation_x(spins[1] * t) * second];
                    (base * (gap + velocity * t), frames.map(|frame| base * frame))
                };
                let coordinates = |t: f64, before: Vec3| {
                    let (gap, frames) = at(t);
                    JointCoordinates::new(&kind, from_f64(gap), frames.map(single), before)
                };
                let start = coordinates(0.0, Vec3::ZERO);
                let (h, turn) = (1e-2, |by: Real| f64::from(crate::joint::unwrap_angle(by, 0.0)));
                let change = coordinates(h, start.angle).angle - coordinates(-h, start.angle).angle;
                let mut rows = Vec::new();
                crate::joint::rows(&kind, &start, &mut rows);
                let rate = match kind {
                    JointKind::Gear { .. } => {
                        let first = f64::from(rows[0].gradient.x);
                        -(first * turn(change.x) + (gap.length() - first) * turn(change.y))
                    }
                    JointKind::RackAndPinion { .. } => f64::from(change.y) - 0.3 * turn(change.x),
                    _ => f64::from(change.z),
                } / (2.0 * h);
                let ([force, _], torques) = JointGeometry::new(arms, at(0.0).0, at(0.0).1).jacobian(&rows[0]);
                // The anchors move with the velocity between them.
                let about = spins.map(|spin| base * DVec3::X * spin);
                let of = [-about[0].cross(arms[0]), base * velocity - about[1].cross(arms[1])];
                let got = force.dot(of[1] - of[0]) + torques[1].dot(about[1]) - torques[0].dot(about[0]);
                prop_assert!((rate - got).abs() < 5e-3, "{kind:?}: {rate} {got}");
            }
        }
    }
}
