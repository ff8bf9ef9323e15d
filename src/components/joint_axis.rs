use crate::math::Real;

/// A spring with a damper, by SI units or by frequency and damping ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum JointSpring {
    /// Stiffness (N/m, or N m/rad) and damping (N s/m, or N m s/rad).
    Si {
        /// Stiffness (N/m or N m/rad).
        stiffness: Real,
        /// Damping (N s/m or N m s/rad).
        damping: Real,
    },
    /// Natural frequency of the joined bodies and damping ratio, independent of their masses.
    Tuned {
        /// Undamped natural frequency (Hz).
        frequency: Real,
        /// Damping over critical damping; 1 is critical.
        damping_ratio: Real,
    },
}

/// The target of a motor.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum MotorTarget {
    /// A velocity of the second body relative to the first (m/s or rad/s).
    Velocity(Real),
    /// A position (m) or angle (rad), reached by a spring.
    Position {
        /// The position (m) or angle (rad).
        target: Real,
        /// The spring.
        spring: JointSpring,
    },
}

/// A motor along or about an axis of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Motor {
    /// The target.
    pub target: MotorTarget,
    /// Greatest force (N) or torque (N m), at least 0; may be infinite.
    pub max_force: Real,
}

impl Motor {
    /// A motor with a target velocity (m/s or rad/s) and a greatest force (N or N m).
    pub fn velocity(velocity: Real, max_force: Real) -> Self {
        Self { target: MotorTarget::Velocity(velocity), max_force }
    }

    /// A motor with a target position (m or rad), a spring, and a greatest force (N or N m).
    pub fn position(target: Real, spring: JointSpring, max_force: Real) -> Self {
        Self { target: MotorTarget::Position { target, spring }, max_force }
    }
}

/// Limits, motor and friction of a free axis of a joint. Default: none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointAxis {
    /// Least and greatest position (m) or angle (rad); either may be infinite. The angle of a joint
    /// with one rotation axis counts full turns.
    pub limits: Option<[Real; 2]>,
    /// The motor, if any.
    pub motor: Option<Motor>,
    /// Dry friction: the greatest force (N) or torque (N m) against motion, at least 0.
    pub friction: Real,
}

/// One of the six axes of a generic joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum JointFreedom {
    /// No motion.
    Locked,
    /// Motion, with limits, motor and friction.
    Free(JointAxis),
}

impl JointFreedom {
    /// Free motion without limits, motor or friction.
    pub const FREE: Self = Self::Free(JointAxis { limits: None, motor: None, friction: 0.0 });

    /// Motion between limits (m or rad).
    pub fn limited(least: Real, greatest: Real) -> Self {
        Self::Free(JointAxis { limits: Some([least, greatest]), ..JointAxis::default() })
    }
}
