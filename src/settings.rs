//! How a world is stepped.

use crate::error::StepError;
use crate::math::{Real, Vec3};

/// Which laws are taken when both an exact and a scalable one would do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Accuracy {
    /// Fast first: the scalable solver with as many substeps as an island's depth asks for.
    #[default]
    Game,
    /// Accurate first: finer substeps, tighter tolerances, at a multiple of the cost.
    Exact,
}

/// Settings of a [`Physics`](crate::Physics). Change them between steps as you like.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Gravity (m/s²). Default (0, -9.81, 0).
    pub gravity: Vec3,
    /// Which laws are taken. Default [`Accuracy::Game`].
    pub accuracy: Accuracy,
    /// Whether islands at rest are parked. Default true.
    pub rest: bool,
    /// The height of a bounce that counts as rest, for bodies of about `length_unit` (m). A contact that approaches slower
    /// than sqrt(2 g eps) is a resting contact and bounces no more (Mirtich; Bender and Schmitt 2006). Default 1e-4.
    pub resting_tolerance: Real,
    /// The size of a typical body (m). Distances that depend on scale follow it. Default 1.
    pub length_unit: Real,
    /// Substeps of the scalable solver, or `None` to choose them for each island. Default `None`.
    pub substeps: Option<u32>,
    /// Threads of this world's own pool, or `None` to use the pool the step is called in (rayon's global one by default).
    /// The result has the same bits either way. Default `None`.
    pub threads: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            accuracy: Accuracy::Game,
            rest: true,
            resting_tolerance: 1e-4,
            length_unit: 1.0,
            substeps: None,
            threads: None,
        }
    }
}

impl Settings {
    /// Checks every field.
    ///
    /// # Errors
    /// [`StepError::Setting`] with the field's name and value.
    pub fn validate(&self) -> Result<(), StepError> {
        let bad = |setting, problem: String| Err(StepError::Setting { setting, problem });
        if !self.gravity.is_finite() {
            return bad("gravity", format!("must be finite, got {}", self.gravity));
        }
        if !(self.resting_tolerance > 0.0 && self.resting_tolerance.is_finite()) {
            return bad("resting_tolerance", format!("must be positive and finite, got {}", self.resting_tolerance));
        }
        if !(self.length_unit > 0.0 && self.length_unit.is_finite()) {
            return bad("length_unit", format!("must be positive and finite, got {}", self.length_unit));
        }
        if self.substeps == Some(0) {
            return bad("substeps", "must be at least 1, got 0".into());
        }
        if self.threads == Some(0) {
            return bad("threads", "must be at least 1, got 0".into());
        }
        Ok(())
    }
}
