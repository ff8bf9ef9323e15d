//! Joints in scene files.

use super::axis::{AxisSpec, MotorSpec, SpringSpec};
use super::row::{Pair, Row, Vector};
use serde::{Deserialize, Serialize};

/// The kind of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// No relative motion.
    Fixed,
    /// The anchors coincide.
    Spherical,
    /// The anchors and axes coincide: rotation about the axis is free.
    Revolute,
    /// Translation along the axis is free; no rotation.
    Prismatic,
    /// The distance of the anchors is fixed, or within a range.
    Distance,
    /// A spring between the anchors.
    Spring,
    /// The anchors coincide; the swing of the axes and the twist about them may have limits.
    SwingTwist,
    /// The teeth of two gears mesh, which turn about their axes.
    Gear,
    /// A rack (the second body) moves along its axis as a pinion (the first) turns about its own.
    RackAndPinion,
    /// A drum (the first body) that turns about its axis winds up the rope to a load (the second).
    Winch,
    /// A rope between the anchors that runs over two fixed points of the world.
    Pulley,
    /// A wheel (the second body) on a chassis (the first): suspension along the axis, steering about
    /// it, drive about the y axis.
    Wheel,
    /// A spring that drags the second anchor to the first; rotations are free.
    Drag,
    /// Springs hold the relative position and orientation.
    SoftWeld,
}

impl JointKind {
    /// The name in a file.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Spherical => "spherical",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Distance => "distance",
            Self::Spring => "spring",
            Self::SwingTwist => "swing_twist",
            Self::Gear => "gear",
            Self::RackAndPinion => "rack_and_pinion",
            Self::Winch => "winch",
            Self::Pulley => "pulley",
            Self::Wheel => "wheel",
            Self::Drag => "drag",
            Self::SoftWeld => "soft_weld",
        }
    }
}

/// A joint. Its kind determines the optional fields that it takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointSpec {
    /// The kind. Required.
    pub kind: JointKind,
    /// The two bodies, as indices in `bodies`. Required.
    pub bodies: Pair<usize>,
    /// The anchor on each body, in its axes (m). Default: the origins.
    #[serde(default)]
    pub anchors: Pair<Vector>,
    /// True if the two bodies still collide.
    #[serde(default)]
    pub collide: bool,
    /// `revolute`, `prismatic`, `swing_twist`, `gear`, `rack_and_pinion`, `winch`, `wheel`: the axis in each
    /// body's axes. Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<Pair<Vector>>,
    /// `swing_twist`, `wheel`: the y axis of the joint in each body's axes, at least 1e-3 rad from the axis
    /// and made perpendicular to it. Required for `wheel`, whose axle it is. Default: that of the shortest
    /// rotation from x to the axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y_axes: Option<Pair<Vector>>,
    /// `revolute` (rad), `prismatic` (m), the twist of `swing_twist` (rad, between -pi and pi): least and
    /// greatest value. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Pair<f64>>,
    /// `revolute`, `prismatic`, the twist of `swing_twist`: a motor along or about the axis. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<MotorSpec>,
    /// `spherical`, `revolute`, `swing_twist` (N m), `prismatic` (N): dry friction, about all axes where
    /// there are several; at least 0. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// `distance`: the distance, or its least and greatest value (m); `winch`: the length of the free rope
    /// (m); `pulley`: the length of the rope, or its least and greatest value (m), above 0. Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<LengthSpec>,
    /// `spring`: the rest length (m). Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_length: Option<f64>,
    /// `spring`: stiffness (N/m). Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// `spring`: damping (N s/m). Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// `swing_twist`: half angles of the cone about the joint's y and z axes (rad), 1e-3 to pi. Default: pi,
    /// no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cone: Option<Pair<f64>>,
    /// `swing_twist`: motors of the swings about the joint's y and z axes. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swing_motors: Option<Pair<Option<MotorSpec>>>,
    /// `gear`: turns of the first gear per turn of the second, in opposite senses; neither 0 nor -1, and
    /// negative for a ring gear. Required there. `pulley`: the weight of the rope's second part in its
    /// length, above 0. Default 1 there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// `rack_and_pinion`: the pinion's pitch radius (m), `winch`: the drum's radius (m); not 0. A negative
    /// one is on the other side. Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// `pulley`: the points over which the rope runs, for the first and the second anchor (m, in the world).
    /// Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Pair<Vector>>,
    /// `wheel`: the way of the wheel along the axis (m, N). Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suspension: Option<AxisSpec>,
    /// `wheel`: the turn of the wheel about the axis (rad, N m). Default: none, it does not turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steering: Option<AxisSpec>,
    /// `wheel`: the spin of the wheel about the y axis (rad, N m). Default: free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<AxisSpec>,
    /// `drag`: the spring along each axis of the first body. Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spring: Option<SpringSpec>,
    /// `drag`: the greatest force along each axis of the first body (N), at least 0. Default: no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_force: Option<f64>,
    /// `soft_weld`: the spring of the position. Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linear: Option<SpringSpec>,
    /// `soft_weld`: the spring of the orientation. Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angular: Option<SpringSpec>,
}

impl JointSpec {
    /// A joint between the origins of two bodies, without optional fields.
    pub fn new(kind: JointKind, first: usize, second: usize) -> Self {
        Self {
            kind,
            bodies: Row([first, second]),
            anchors: Pair::default(),
            collide: false,
            axes: None,
            y_axes: None,
            limits: None,
            motor: None,
            friction: None,
            length: None,
            rest_length: None,
            stiffness: None,
            damping: None,
            cone: None,
            swing_motors: None,
            ratio: None,
            radius: None,
            points: None,
            suspension: None,
            steering: None,
            drive: None,
            spring: None,
            max_force: None,
            linear: None,
            angular: None,
        }
    }
}

/// The length of a distance joint, winch or pulley (m).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a length or [least, most]")]
pub enum LengthSpec {
    /// A fixed length; of a pulley the greatest.
    Exact(f64),
    /// Least and greatest length, of a distance joint or a pulley.
    Range(Pair<f64>),
}

impl LengthSpec {
    /// Least and greatest length (m).
    pub const fn range(self) -> [f64; 2] {
        match self {
            Self::Exact(length) => [length; 2],
            Self::Range(range) => range.0,
        }
    }
}
