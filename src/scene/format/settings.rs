//! Settings in scene files.

use crate::settings::{Accuracy, Settings};
use serde::{Deserialize, Serialize};

/// The fields of [`Settings`] that a scene file may set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsSpec {
    /// `game` or `exact`.
    pub accuracy: AccuracySpec,
    /// True if islands at rest may fall asleep: `rest` in scene files.
    #[serde(rename = "rest")]
    pub sleep: bool,
    /// Number of threads, at least 1. `null` or absent: the pool that the step is called in.
    pub threads: Option<usize>,
    /// The bounce height below which a contact is a resting contact (m), positive. `null` or
    /// absent: 1e-4, or 2.5e-7 if `accuracy` is `exact`.
    pub resting_tolerance: Option<f64>,
}

impl Default for SettingsSpec {
    fn default() -> Self {
        let Settings { sleep, threads, .. } = Settings::default();
        Self { accuracy: AccuracySpec::Game, sleep, threads, resting_tolerance: None }
    }
}

/// [`Accuracy`] with the names of scene files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccuracySpec {
    /// `game`
    #[default]
    Game,
    /// `exact`
    Exact,
}

impl From<AccuracySpec> for Accuracy {
    fn from(accuracy: AccuracySpec) -> Self {
        match accuracy {
            AccuracySpec::Game => Self::Game,
            AccuracySpec::Exact => Self::Exact,
        }
    }
}
