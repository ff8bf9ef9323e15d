//! The gyroscopic term of bodies that joints hold.

use crate::math::{Quat, Real, Vec3};
use crate::motion::rotation::{PrincipalInertia, RotationLaw, Spin, rotate};
use crate::tolerances::{JOINT_PRECESSION, JOINT_TWIST};

/// How fast the angular velocity of a body changes by itself, `-I^-1 (w x I w)`, on average over a step of `h` (rad/s²).
///
/// `axes` turns the principal axes into the world's, `principal` are the moments about them (kg m²), and `velocity` is the
/// angular velocity (rad/s). `given` is the angular acceleration by torques and `joints` what joints are expected to add to
/// it (rad/s²), as they did last. A body that is free would turn away under its torque; one that a joint holds does not, and
/// a gyroscope whose term is that of a free body creeps upwards or downwards. So the term is that of the middle of the step,
/// with the joints.
pub fn gyroscopic(axes: Quat, principal: Vec3, velocity: Vec3, given: Vec3, joints: Vec3, h: Real) -> Vec3 {
    if principal.x == principal.y && principal.y == principal.z {
        return Vec3::ZERO;
    }
    let turn = velocity.length() * h;
    // A blow in the last step says nothing about this one.
    let joints = joints.clamp_length_max(JOINT_TWIST * turn / (h * h));
    let given = given + joints;
    if turn > JOINT_PRECESSION {
        let inertia = PrincipalInertia::new(principal, Quat::IDENTITY);
        let torque = axes * (principal * (axes.inverse() * given));
        let after = rotate(RotationLaw::Strang, Spin::new(axes, velocity), &inertia, torque, h);
        return (after.velocity - velocity) / h - given;
    }
    let term = |axes: Quat, velocity: Vec3| {
        let w = axes.inverse() * velocity;
        axes * ((principal * w).cross(w) / principal)
    };
    let first = term(axes, velocity);
    let middle = velocity + (first + given) * (0.5 * h);
    let half = middle * (0.25 * h);
    let turned = (axes + Quat::from_xyzw(half.x, half.y, half.z, 0.0) * axes).normalize();
    term(turned, middle)
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
            let after = rotate(RotationLaw::RungeKutta, Spin::new(axes, velocity), &inertia, Vec3::ZERO, h);
            let mean = (after.velocity - velocity) / h;
            let got = gyroscopic(axes, principal, velocity, Vec3::ZERO, Vec3::ZERO, h);
            let turn = velocity.length() * h;
            assert!((got - mean).length() < 0.2 * turn * turn * mean.length() + 1e-3, "{h}: {got} for {mean}");
        }
    }

    #[test]
    fn a_gyroscope_that_its_joint_holds_precesses_without_rising() {
        // A disc about x that precesses about y: what the joint gives and what the spin takes are one another's opposite.
        let (principal, precession) = (Vec3::new(0.02, 0.0125, 0.0125), 4.0);
        for spin in [20.0, 200.0] {
            let velocity = Vec3::new(spin, precession, 0.0);
            // The torque of steady precession, over the moment about z.
            let joints = Vec3::Z * (-precession * principal.x * spin / principal.z);
            let h = 1.0 / 400.0;
            let got = gyroscopic(Quat::IDENTITY, principal, velocity, Vec3::ZERO, joints, h);
            // The angular velocity turns with the precession and does not change otherwise.
            let mean = got + joints;
            let want = (Quat::from_rotation_y(precession * h) * velocity - velocity) / h;
            assert!((mean - want).length() < 2e-2 * want.length(), "{spin}: {mean} for {want}");
        }
    }
}
