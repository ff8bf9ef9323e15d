use super::{JointAxis, Motor};
use crate::math::{Real, consts::PI};

/// Limits, motors and friction of a swing-twist joint: a shoulder or a hip.
///
/// The twist is the rotation about the second frame's x axis, the swing the shortest rotation that
/// then takes the first frame's x axis to the second's. The swing stays in an elliptic cone about
/// the first x axis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SwingTwist {
    /// Half angles of the cone (rad) for swings about the y and z axes of the first frame, above
    /// 0.001 and at most pi; pi for both is no limit. Between the axes the sine of half the swing
    /// is bounded by the ellipse.
    pub cone: [Real; 2],
    /// The twist: limits between -pi and pi, motor, friction.
    pub twist: JointAxis,
    /// Motors of the swings about y and z.
    pub swing_motors: [Option<Motor>; 2],
    /// Friction torque of the swings about y and z (N m), at least 0.
    pub swing_friction: Real,
}

impl SwingTwist {
    /// The least half angle of a cone (rad). A smaller one is a locked axis: another kind of joint.
    pub const MIN_HALF_ANGLE: Real = 1e-3;

    /// A cone with these half angles (rad) and twist limits (rad).
    pub fn new(cone: [Real; 2], twist: [Real; 2]) -> Self {
        let twist = JointAxis { limits: Some(twist), ..JointAxis::default() };
        Self { cone, twist, ..Self::default() }
    }

    /// True if the cone bounds the swing.
    pub(crate) fn bounds_swing(&self) -> bool {
        self.cone.iter().any(|&half| half < PI)
    }
}

/// No limits, no motors, no friction.
impl Default for SwingTwist {
    fn default() -> Self {
        Self { cone: [PI; 2], twist: JointAxis::default(), swing_motors: [None; 2], swing_friction: 0.0 }
    }
}
