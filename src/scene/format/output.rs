//! What is reported.

use serde::{Deserialize, Serialize};

/// What is reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputSpec {
    /// A sample every so many steps, the start included; 0: none.
    pub every: u64,
    /// The bodies in samples.
    pub bodies: SelectionSpec,
    /// Whether the energy is reported.
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
    /// All of them.
    Every(Everything),
    /// These, in this order.
    These(Vec<BodyRef>),
}

impl Default for SelectionSpec {
    fn default() -> Self {
        Self::Every(Everything::All)
    }
}

/// The word for every body.
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
    /// Its place in `bodies`, from 0.
    Index(usize),
    /// Every body of this name.
    Name(String),
}
