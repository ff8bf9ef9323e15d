//! A world and what happens to it, as plain data that a file can hold.

use super::edit::TimedEdit;
use super::part::Part;
use super::shape::Shape;
use dolmen::components::{ImpactLaw, JointFrame, JointKind, RigidBody};
use dolmen::math::{Quat, Real, Vec3};
use dolmen::resting::RestingMethod;
use dolmen::{Accuracy, ImpactModel, Settings};
use serde::{Deserialize, Serialize};

/// A world. Bodies and joints are named by numbers, so that others keep theirs when one is dropped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    pub rules: Rules,
    /// Time step (s).
    pub dt: Real,
    pub steps: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<FloorPlan>,
    pub bodies: Vec<BodyPlan>,
    #[serde(default)]
    pub joints: Vec<JointPlan>,
    #[serde(default)]
    pub edits: Vec<TimedEdit>,
    /// Gain of energy in a step that is a fault, if there is one.
    #[serde(default)]
    pub gain: Option<f64>,
    /// True if no overlap and no gap excuses a gain.
    #[serde(default)]
    pub strict: bool,
}

/// A floor that nothing may pass: a square of the plane at a height.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FloorPlan {
    pub center: Vec3,
    /// Half its side (m).
    pub extent: Real,
}

/// The settings of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rules {
    pub gravity: Vec3,
    pub accuracy: Accuracy,
    pub sleep: bool,
    pub impact_law: ImpactLaw,
    pub impact_model: ImpactModel,
    pub method: RestingMethod,
    pub substeps: Option<u32>,
    pub length_unit: Real,
    pub push_out_speed: Real,
}

impl Default for Rules {
    fn default() -> Self {
        let s = Settings::default();
        Self {
            gravity: s.gravity,
            accuracy: s.accuracy,
            sleep: s.sleep,
            impact_law: s.impact_law,
            impact_model: s.impact_model,
            method: s.resting_method,
            substeps: s.substeps,
            length_unit: s.length_unit,
            push_out_speed: s.push_out_speed,
        }
    }
}

impl Rules {
    /// Settings with an account of energy, on the calling thread.
    pub fn settings(&self) -> Settings {
        Settings {
            gravity: self.gravity,
            accuracy: self.accuracy,
            sleep: self.sleep,
            impact_law: self.impact_law,
            impact_model: self.impact_model,
            resting_method: self.method,
            substeps: self.substeps,
            length_unit: self.length_unit,
            push_out_speed: self.push_out_speed,
            energy_tolerance: Some(1e-3),
            threads: Some(1),
            ..Settings::default()
        }
    }
}

/// A body, or a further collider of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyPlan {
    pub id: u32,
    /// The body whose further collider it is; its pose is relative to that one then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
    pub kind: RigidBody,
    pub shape: Shape,
    pub position: Vec3,
    pub orientation: Quat,
    #[serde(default)]
    pub linear: Vec3,
    #[serde(default)]
    pub angular: Vec3,
    #[serde(default)]
    pub parts: Vec<Part>,
    /// The bodies that its colliders do not meet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignores: Vec<u32>,
}

/// A joint between two bodies, or between a body and the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointPlan {
    pub id: u32,
    pub ends: [Option<u32>; 2],
    pub frames: [JointFrame; 2],
    pub kind: JointKind,
    pub collide: bool,
    /// Force (N) and torque (N m) at which it breaks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<[Real; 2]>,
}
