//! Inertia and gyroscopic term of jointed bodies at the midpoint of a step.

use crate::math::{Mat3, Quat, Real, Vec3};
use crate::motion::rotation::{PrincipalInertia, RotationLaw, RotationState, rotate};
use crate::tolerances::SUBSTEP_PHASE;

/// Inertia of a body at the midpoint of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MidpointInertia {
    /// Rotation from the principal axes to the world axes.
    pub axes: Quat,
    /// Gyroscopic angular acceleration `-I^-1 (w x I w)`, averaged over the step (rad/s²).
    pub gyroscopic: Vec3,
}

impl MidpointInertia {
    /// The midpoint of a step of `h` (s) from its start: `axes` is the rotation from principal to
    /// world axes, `principal` are the principal moments (kg m²), `velocity` is the angular
    /// velocity (rad/s), `torque` the applied torque, and `joints` the expected joint torque, that
    /// of the last step (N m).
    ///
    /// Both the orientation and the gyroscopic term include the joint torque. With the gyroscopic
    /// term of a free body a mounted gyroscope drifts up or down, and with the inertia of the
    /// step's start it is accelerated by a torque that rotates with it.
    pub fn new(axes: Quat, principal: Vec3, velocity: Vec3, torque: Vec3, joints: Vec3, h: Real) -> Self {
        if principal.x == principal.y && principal.y == principal.z {
            return Self { axes, gyroscopic: Vec3::ZERO };
        }
        let (frame, over) = (Mat3::from_quat(axes), principal.recip());
        let speed = velocity.length();
        // Limited, for an impact load of the last step predicts nothing.
        let twist = (frame.transpose() * joints * over).length() * h;
        let share = if twist > SUBSTEP_PHASE.resolved * speed { SUBSTEP_PHASE.resolved * speed / twist } else { 1.0 };
        let torque = torque + joints * share;
        if speed * h > SUBSTEP_PHASE.resolved {
            let inertia = PrincipalInertia::new(principal, Quat::IDENTITY);
            let after = |h: Real| rotate(RotationLaw::Strang, RotationState::new(axes, velocity), &inertia, torque, h);
            let axes = after(0.5 * h).orientation;
            let frame = Mat3::from_quat(axes);
            let pull = frame * (frame.transpose() * torque * over);
            return Self { axes, gyroscopic: (after(h).velocity - velocity) / h - pull };
        }
        // In principal axes:
        let pull = frame.transpose() * torque * over;
        let term = |w: Vec3| (principal * w).cross(w) * over;
        let middle = velocity + frame * (term(frame.transpose() * velocity) + pull) * (0.5 * h);
        let half = (velocity + middle) * (0.125 * h);
        let axes = (axes + Quat::from_xyzw(half.x, half.y, half.z, 0.0) * axes).normalize();
        let frame = Mat3::from_quat(axes);
        Self { axes, gyroscopic: frame * term(frame.transpose() * middle) }
    }

    /// The inverse inertia in world axes (1/(kg m²)).
    pub fn inverse_inertia(&self, principal: Vec3) -> Mat3 {
        let (axes, over) = (Mat3::from_quat(self.axes), principal.recip());
        let [x, y, z] = [axes.row(0), axes.row(1), axes.row(2)];
        let [ix, iy, iz] = [x * over, y * over, z * over];
        let (xy, xz, yz) = (ix.dot(y), ix.dot(z), iy.dot(z));
        Mat3::from_cols(Vec3::new(ix.dot(x), xy, xz), Vec3::new(xy, iy.dot(y), yz), Vec3::new(xz, yz, iz.dot(z)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_free_keeps_its_momentum() {
        let principal = Vec3::new(1.0, 2.0, 3.0);
        let axes = Quat::from_xyzw(0.1, -0.4, 0.3, 0.8).normalize();
        let velocity = Vec3::new(2.0, -1.0, 3.0);
        let inertia = PrincipalInertia::new(principal, Quat::IDENTITY);
        for h in [0.01, 0.1, 0.5] {
            let after =
                |h: Real| rotate(RotationLaw::RungeKutta, RotationState::new(axes, velocity), &inertia, Vec3::ZERO, h);
            let mean = (after(h).velocity - velocity) / h;
            let got = MidpointInertia::new(axes, principal, velocity, Vec3::ZERO, Vec3::ZERO, h);
            let turn = velocity.length() * h;
            let bar = 0.2 * turn * turn;
            assert!((got.gyroscopic - mean).length() < bar * mean.length() + 1e-3, "{h}: {got:?} for {mean}");
            assert!(got.axes.angle_between(after(0.5 * h).orientation) < bar + 1e-3, "{h}: {got:?}");
        }
    }

    #[test]
    fn a_gyroscope_that_its_joint_holds_precesses_and_neither_rises_nor_spins_up() {
        // A disc about x that precesses about y: joint torque and gyroscopic torque cancel.
        let (principal, precession) = (Vec3::new(0.02, 0.0125, 0.0125), 4.0);
        for (spin, h) in [(20.0, 1.0 / 400.0), (60.0, 1.0 / 240.0), (60.0, 1.0 / 60.0)] {
            let velocity = Vec3::new(spin, precession, 0.0);
            // The torque of steady precession, now and at the midpoint of the step.
            let torque = Vec3::Z * (-precession * principal.x * spin);
            let midway = MidpointInertia::new(Quat::IDENTITY, principal, velocity, Vec3::ZERO, torque, h);
            let torque = Quat::from_rotation_y(0.5 * precession * h) * torque;
            let mean = midway.gyroscopic + midway.inverse_inertia(principal) * torque;
            // The angular velocity rotates with the precession, and does not change otherwise.
            let want = (Quat::from_rotation_y(precession * h) * velocity - velocity) / h;
            let turn = spin * h;
            assert!((mean - want).length() < 0.15 * turn * turn * want.length() + 0.1, "{spin}: {mean} for {want}");
        }
    }
}
