//! Axes of joints in scene files, with motors and springs.

use super::row::Pair;
use crate::components::{JointAxis, JointSpring, Motor, MotorTarget};
use crate::math::Real;
use serde::{Deserialize, Serialize};

/// A spring with a damper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "must be { stiffness, damping } or { frequency, damping_ratio }")]
pub enum SpringSpec {
    /// By SI units.
    Si {
        /// Stiffness (N/m or N m/rad), at least 0. Required.
        stiffness: f64,
        /// Damping (N s/m or N m s/rad), at least 0. Default 0.
        #[serde(default)]
        damping: f64,
    },
    /// By frequency, independent of the masses.
    Tuned {
        /// Undamped natural frequency (Hz), at least 0. Required.
        frequency: f64,
        /// Damping over critical damping, at least 0. Default 0.
        #[serde(default)]
        damping_ratio: f64,
    },
}

impl From<SpringSpec> for JointSpring {
    fn from(spec: SpringSpec) -> Self {
        match spec {
            SpringSpec::Si { stiffness, damping } => {
                Self::Si { stiffness: stiffness as Real, damping: damping as Real }
            }
            SpringSpec::Tuned { frequency, damping_ratio } => {
                Self::Tuned { frequency: frequency as Real, damping_ratio: damping_ratio as Real }
            }
        }
    }
}

/// A motor, to a velocity or to a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotorSpec {
    /// Target velocity of the second body relative to the first (rad/s or m/s). This or `position`
    /// is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<f64>,
    /// Target angle (rad) or position (m).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<f64>,
    /// The spring to `position`. Required with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spring: Option<SpringSpec>,
    /// Greatest force (N) or torque (N m), at least 0. Required with `velocity`; with `position` the
    /// default is no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_force: Option<f64>,
}

/// The motor of a validated spec.
impl From<MotorSpec> for Motor {
    fn from(spec: MotorSpec) -> Self {
        let target = match (spec.position, spec.spring) {
            (Some(target), Some(spring)) => MotorTarget::Position { target: target as Real, spring: spring.into() },
            _ => MotorTarget::Velocity(spec.velocity.unwrap_or_default() as Real),
        };
        Self { target, max_force: greatest(spec.max_force) }
    }
}

/// A greatest force (N) or torque (N m); infinite if none is given.
pub(in crate::scene) fn greatest(force: Option<f64>) -> Real {
    force.map_or(Real::INFINITY, |force| force as Real)
}

/// A free axis of a joint with several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AxisSpec {
    /// Least and greatest position (m) or angle (rad). Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Pair<f64>>,
    /// The motor. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<MotorSpec>,
    /// Dry friction (N or N m), at least 0. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
}

impl From<AxisSpec> for JointAxis {
    fn from(spec: AxisSpec) -> Self {
        Self {
            limits: spec.limits.map(|limits| limits.0.map(|x| x as Real)),
            motor: spec.motor.map(Motor::from),
            friction: spec.friction.unwrap_or_default() as Real,
        }
    }
}
