//! How the world is stepped.

use crate::settings::{Accuracy, Settings};
use serde::{Deserialize, Serialize};

/// How the world is stepped: what a file may say of [`Settings`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsSpec {
    /// `game` or `exact`.
    pub accuracy: AccuracySpec,
    /// Whether islands at rest may be parked.
    pub rest: bool,
    /// Threads, at least 1. `null` or absent: those of the pool the step is called in.
    pub threads: Option<usize>,
    /// The height of a bounce that counts as rest (m), positive. `null` or absent: 1e-4, or 2.5e-7 where `accuracy` is
    /// `exact`.
    pub resting_tolerance: Option<f64>,
}

impl Default for SettingsSpec {
    fn default() -> Self {
        let Settings { rest, threads, .. } = Settings::default();
        Self { accuracy: AccuracySpec::Game, rest, threads, resting_tolerance: None }
    }
}

/// [`Accuracy`] by the names of scene files.
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
