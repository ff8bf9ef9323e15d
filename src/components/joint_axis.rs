use crate::math::Real;

/// A spring with a damper, in SI units or by how it swings.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum JointSpring {
    /// Stiffness (N/m, or N m/rad) and damping (N s/m, or N m s/rad).
    Si {
        /// N/m, or N m/rad.
        stiffness: Real,
        /// N s/m, or N m s/rad.
        damping: Real,
    },
    /// How often the joined bodies would swing on it, and its damping ratio: 1 is critical. The same for any mass.
    Tuned {
        /// Frequency without damping (Hz).
        frequency: Real,
        /// Damping over critical damping.
        damping_ratio: Real,
    },
}

/// What a motor strives for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum MotorTarget {
    /// A velocity of the second body against the first (m/s or rad/s).
    Velocity(Real),
    /// A position (m) or angle (rad), to which a spring pulls.
    Position {
        /// Where to (m or rad).
        target: Real,
        /// How.
        spring: JointSpring,
    },
}

/// A motor along or about an axis of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Motor {
    /// What it strives for.
    pub target: MotorTarget,
    /// The most it pushes or turns (N or N m), at least 0; may be infinite.
    pub max_force: Real,
}

impl Motor {
    /// A motor that strives for a velocity (m/s or rad/s) with at most a force (N or N m).
    pub fn velocity(velocity: Real, max_force: Real) -> Self {
        Self { target: MotorTarget::Velocity(velocity), max_force }
    }

    /// A motor that pulls to a position (m or rad) by a spring with at most a force (N or N m).
    pub fn position(target: Real, spring: JointSpring, max_force: Real) -> Self {
        Self { target: MotorTarget::Position { target, spring }, max_force }
    }
}

/// What acts along or about an axis that a joint leaves free. Default: nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct JointAxis {
    /// Least and greatest position (m) or angle (rad). Angles of joints with one axis to turn about are counted beyond full
    /// turns. Either may be infinite.
    pub limits: Option<[Real; 2]>,
    /// The motor.
    pub motor: Option<Motor>,
    /// Dry friction: the force (N) or torque (N m) that resists motion, at least 0.
    pub friction: Real,
}

/// What a generic joint does with one of its six axes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum JointFreedom {
    /// No motion.
    Locked,
    /// Motion, with limits, motor and friction.
    Free(JointAxis),
}

impl JointFreedom {
    /// Motion that nothing resists.
    pub const FREE: Self = Self::Free(JointAxis { limits: None, motor: None, friction: 0.0 });

    /// Motion between limits (m or rad).
    pub fn limited(least: Real, greatest: Real) -> Self {
        Self::Free(JointAxis { limits: Some([least, greatest]), ..JointAxis::default() })
    }
}
