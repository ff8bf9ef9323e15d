//! The format of scene files: plain data with the names and order of the file.

mod axis;
mod body;
mod joint;
mod locked;
mod output;
mod row;
mod settings;
mod shape;
mod surface;

pub(super) use axis::greatest;
pub use axis::{AxisSpec, MotorSpec, SpringSpec};
pub use body::{BodySpec, InertiaSpec, KindSpec};
pub use joint::{JointKind, JointSpec, LengthSpec};
pub use locked::{Lock, LockedSpec};
pub use output::{BodyRef, Everything, OutputSpec, SelectionSpec};
pub use row::{Pair, Quaternion, Row, Vector};
pub use settings::{AccuracySpec, SettingsSpec};
pub use shape::{PartSpec, ShapeSpec};
pub use surface::{Surface, SurfaceSpec};

use serde::{Deserialize, Serialize};

/// A scene: all inputs of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Gravity (m/s²). Default (0, -9.81, 0).
    #[serde(default = "earth")]
    pub gravity: Vector,
    /// The time step (s), positive. Default 1/60.
    #[serde(default = "sixtieth")]
    pub dt: f64,
    /// Number of steps of a run. Default 600.
    #[serde(default = "six_hundred")]
    pub steps: u64,
    /// The settings of the physics.
    #[serde(default)]
    pub settings: SettingsSpec,
    /// Default surface of the bodies.
    #[serde(default)]
    pub materials: SurfaceSpec,
    /// The bodies. Required.
    pub bodies: Vec<BodySpec>,
    /// The joints.
    #[serde(default)]
    pub joints: Vec<JointSpec>,
    /// The output of a run.
    #[serde(default)]
    pub output: OutputSpec,
}

fn earth() -> Vector {
    Row([0.0, -9.81, 0.0])
}
fn sixtieth() -> f64 {
    1.0 / 60.0
}
fn six_hundred() -> u64 {
    600
}
impl Default for Scene {
    /// A scene without bodies, and defaults for everything else.
    fn default() -> Self {
        Self {
            gravity: earth(),
            dt: sixtieth(),
            steps: six_hundred(),
            settings: SettingsSpec::default(),
            materials: SurfaceSpec::default(),
            bodies: Vec::new(),
            joints: Vec::new(),
            output: OutputSpec::default(),
        }
    }
}
