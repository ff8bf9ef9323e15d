//! Joints.

use super::row::{Pair, Row, Vector};
use serde::{Deserialize, Serialize};

/// How a joint binds its bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// No relative motion.
    Fixed,
    /// The anchors stay together.
    Spherical,
    /// The anchors stay together and the axes parallel: turns about the axis.
    Revolute,
    /// Slides along the axis and does not turn.
    Prismatic,
    /// The anchors keep a distance, or stay within a range of distances.
    Distance,
    /// The anchors are pulled to a distance.
    Spring,
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
        }
    }
}

/// A joint. Which of the optional fields it takes depends on its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointSpec {
    /// How it binds. Required.
    pub kind: JointKind,
    /// The two bodies, by their places in `bodies`. Required.
    pub bodies: Pair<usize>,
    /// Where it holds each body, in that body's axes (m). Default: the origins.
    #[serde(default)]
    pub anchors: Pair<Vector>,
    /// Whether the two bodies still collide.
    #[serde(default)]
    pub collide: bool,
    /// `revolute`, `prismatic`: the axis in each body's axes. Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<Pair<Vector>>,
    /// `revolute` (rad), `prismatic` (m): least and most. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Pair<f64>>,
    /// `revolute`, `prismatic`: a motor along the axis. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<MotorSpec>,
    /// `distance`: the distance, or the least and the most (m). Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<LengthSpec>,
    /// `spring`: the distance without force (m). Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_length: Option<f64>,
    /// `spring`: N/m. Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// `spring`: N s/m. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
}

impl JointSpec {
    /// A joint of two bodies by their origins, with nothing that is optional.
    pub fn new(kind: JointKind, first: usize, second: usize) -> Self {
        Self {
            kind,
            bodies: Row([first, second]),
            anchors: Pair::default(),
            collide: false,
            axes: None,
            limits: None,
            motor: None,
            length: None,
            rest_length: None,
            stiffness: None,
            damping: None,
        }
    }
}

/// A motor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotorSpec {
    /// The velocity of the second body against the first that it strives for (rad/s or m/s). Required.
    pub velocity: f64,
    /// The most it pushes or turns (N or N m), at least 0. Required.
    pub max_force: f64,
}

/// The length of a distance joint (m).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a length or [least, most]")]
pub enum LengthSpec {
    /// Kept.
    Exact(f64),
    /// Least and most.
    Range(Pair<f64>),
}
