//! Output options of scene files.

use serde::{Deserialize, Serialize};

/// The output of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputSpec {
    /// Number of steps between samples, the start included; 0: no samples.
    pub every: u64,
    /// The bodies in samples.
    pub bodies: SelectionSpec,
    /// True if the energy is reported.
    pub energy: bool,
}

impl Default for OutputSpec {
    fn default() -> Self {
        Self { every: 0, bodies: SelectionSpec::default(), energy: true }
    }
}

/// The bodies in samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be \"all\", or a list of indices and names")]
pub enum SelectionSpec {
    /// All bodies.
    Every(Everything),
    /// These bodies, in this order.
    These(Vec<BodyRef>),
}

impl Default for SelectionSpec {
    fn default() -> Self {
        Self::Every(Everything::All)
    }
}

/// The keyword for all bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Everything {
    /// `all`
    All,
}

/// A body by its index or its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "must be a body's index or name")]
pub enum BodyRef {
    /// Its index in `bodies`, from 0.
    Index(usize),
    /// All bodies with this name.
    Name(String),
}
