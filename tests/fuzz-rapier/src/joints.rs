//! Joints in Rapier.

use dolmen::components::{Joint, JointAxis, JointFrame, JointFreedom, JointKind, JointSpring, Motor, MotorTarget};
use rapier3d::dynamics::JointAxis as Axis;
use rapier3d::math::{Pose, Real};
use rapier3d::prelude::{GenericJoint, JointAxesMask, MotorModel, RopeJoint, SpringJoint};
use std::f32::consts::TAU;

/// Gain of a motor for a velocity (1/s): it reaches it within a step if its force allows.
const GAIN: Real = 1e6;

const AXES: [Axis; 6] = [Axis::LinX, Axis::LinY, Axis::LinZ, Axis::AngX, Axis::AngY, Axis::AngZ];

/// True if Rapier has a joint like it.
pub fn has(kind: &JointKind) -> bool {
    !matches!(
        kind,
        JointKind::Gear { .. } | JointKind::RackAndPinion { .. } | JointKind::Winch { .. } | JointKind::Pulley { .. }
    )
}

/// A joint in Rapier, if it has one like it. Friction and breaking are left out, and a distance
/// has its upper bound only: Rapier has no lower one.
pub fn joint(of: &Joint) -> Option<GenericJoint> {
    let mut made = GenericJoint::default();
    match &of.kind {
        JointKind::Fixed => _ = made.lock_axes(JointAxesMask::LOCKED_FIXED_AXES),
        JointKind::Spherical { .. } => _ = made.lock_axes(JointAxesMask::LOCKED_SPHERICAL_AXES),
        JointKind::Revolute(axis) => free(made.lock_axes(JointAxesMask::LOCKED_REVOLUTE_AXES), Axis::AngX, axis),
        JointKind::Prismatic(axis) => free(made.lock_axes(JointAxesMask::LOCKED_PRISMATIC_AXES), Axis::LinX, axis),
        JointKind::Distance { greatest, .. } => made = RopeJoint::new(greatest.min(Real::MAX)).into(),
        JointKind::Spring { length, spring } => {
            let (model, stiffness, damping) = coefficients(spring);
            made = SpringJoint::new(*length, stiffness, damping).into();
            made.set_motor_model(Axis::LinX, model);
        }
        JointKind::SwingTwist(limits) => {
            made.lock_axes(JointAxesMask::LOCKED_SPHERICAL_AXES);
            free(&mut made, Axis::AngX, &limits.twist);
            for ((axis, most), motor) in [Axis::AngY, Axis::AngZ].into_iter().zip(limits.cone).zip(limits.swing_motors)
            {
                free(&mut made, axis, &JointAxis { limits: Some([-most, most]), motor, friction: 0.0 });
            }
        }
        JointKind::Generic(axes) => {
            for (axis, freedom) in AXES.into_iter().zip(axes.iter()) {
                match freedom {
                    JointFreedom::Locked => _ = made.lock_axes(axis.into()),
                    JointFreedom::Free(free_axis) => free(&mut made, axis, free_axis),
                }
            }
        }
        JointKind::Gear { .. }
        | JointKind::RackAndPinion { .. }
        | JointKind::Winch { .. }
        | JointKind::Pulley { .. } => return None,
    }
    let [a, b] = of.frames.map(|JointFrame { anchor, orientation }| Pose::from_parts(anchor, orientation));
    made.set_local_frame1(a).set_local_frame2(b).set_contacts_enabled(of.collide);
    Some(made)
}

/// Gives a free axis its limits and its motor.
fn free(joint: &mut GenericJoint, axis: Axis, of: &JointAxis) {
    if let Some(limits) = of.limits {
        joint.set_limits(axis, limits.map(|limit| limit.clamp(-Real::MAX, Real::MAX)));
    }
    let Some(Motor { target, max_force }) = of.motor else { return };
    match target {
        MotorTarget::Velocity(velocity) => _ = joint.set_motor_velocity(axis, velocity, GAIN),
        MotorTarget::Position { target, spring } => {
            let (model, stiffness, damping) = coefficients(&spring);
            joint.set_motor_model(axis, model).set_motor_position(axis, target, stiffness, damping);
        }
    }
    joint.set_motor_max_force(axis, max_force.min(Real::MAX));
}

/// The model of a spring, its stiffness and its damping.
fn coefficients(spring: &JointSpring) -> (MotorModel, Real, Real) {
    match *spring {
        JointSpring::Si { stiffness, damping } => (MotorModel::ForceBased, stiffness, damping),
        JointSpring::Tuned { frequency, damping_ratio } => {
            let rate = TAU * frequency;
            (MotorModel::AccelerationBased, rate * rate, 2.0 * damping_ratio * rate)
        }
    }
}
