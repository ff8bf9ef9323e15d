//! Joints in scene files.

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
    /// `revolute`, `prismatic`: the axis in each body's axes. Required there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<Pair<Vector>>,
    /// `revolute` (rad), `prismatic` (m): least and greatest value. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Pair<f64>>,
    /// `revolute`, `prismatic`: a motor along the axis. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<MotorSpec>,
    /// `distance`: the distance, or its least and greatest value (m). Required there.
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
    /// Target velocity of the second body relative to the first (rad/s or m/s). Required.
    pub velocity: f64,
    /// Greatest force (N) or torque (N m), at least 0. Required.
    pub max_force: f64,
}

/// The length of a distance joint (m).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a length or [least, most]")]
pub enum LengthSpec {
    /// A fixed length.
    Exact(f64),
    /// Least and greatest length.
    Range(Pair<f64>),
}
