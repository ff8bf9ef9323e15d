//! How a world is stepped.

use crate::components::ImpactLaw;
use crate::error::StepError;
use crate::math::{Real, Vec3};
use crate::motion::rotation::RotationLaw;
use crate::resting::Law;
use crate::tolerances::{
    LINKED_POINTS, PLASTIC_POINTS, PLASTIC_SPEED_EXACT, PLASTIC_SPEED_GAME, RESTING_TOLERANCE_EXACT,
    RESTING_TOLERANCE_GAME, RESTING_TOLERANCE_HEAP, SMALL_ISLAND,
};

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

impl Accuracy {
    /// The law by which bodies turn.
    pub(crate) fn rotation_law(self) -> RotationLaw {
        match self {
            Self::Game => RotationLaw::Strang,
            Self::Exact => RotationLaw::RungeKutta,
        }
    }
}

/// What becomes of several contacts of a body that collide in the same moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum ImpactModel {
    /// One after the other, each by its own law, until none approaches; those of equal moment and approach in the order of
    /// their keys (Baber 2006, section 3.4: Newton's cradle passes on what comes in).
    #[default]
    Propagation,
    /// As `Propagation`, but contacts that meet in the same moment with the same approach take part at once, along their
    /// normals: what is symmetric stays symmetric.
    Batch,
    /// All contacts that touch at once, along their normals: `v >= e u`, `j >= 0` and complementarity (Baber 2006, end of
    /// section 3.4). Friction in them is left to the forces that follow.
    Simultaneous,
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
    /// The height of a bounce that counts as rest, for bodies of about `length_unit` (m), or `None` for 1e-4 with
    /// [`Accuracy::Game`] (2.5e-3 in islands of more than 64 points with a restitution of up to 0.7) and 2.5e-7 with [`Accuracy::Exact`]. A contact that approaches slower than sqrt(2 g eps) is a
    /// resting contact and bounces no more (Mirtich; Bender and Schmitt 2006). Default `None`.
    pub resting_tolerance: Option<Real>,
    /// The law of a single impact, where the surfaces do not ask for another. Default [`ImpactLaw::Frictional`].
    pub impact_law: ImpactLaw,
    /// What becomes of several contacts that collide in the same moment. Default [`ImpactModel::Propagation`].
    pub impact_model: ImpactModel,
    /// The size of a typical body (m). Distances that depend on scale follow it. Default 1.
    pub length_unit: Real,
    /// Which law finds the forces of rest. [`Law::Auto`]: the exact laws for islands that they can take in good time, and the
    /// scalable solver for all others; how large that is depends on `accuracy`. [`Law::Iterative`]: the scalable solver for
    /// all. [`Law::ShockPropagation`]: sweeps over rigid contacts with shock propagation, for all. [`Law::Newton`] and [`Law::LinearProgram`]: the exact laws for all islands of up to
    /// [`NEWTON_CONTACTS`](crate::tolerances::NEWTON_CONTACTS) points, moving ones too, however long they take. Default
    /// [`Law::Auto`].
    pub resting_law: Law,
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
            resting_tolerance: None,
            impact_law: ImpactLaw::Frictional,
            impact_model: ImpactModel::Propagation,
            length_unit: 1.0,
            resting_law: Law::Auto,
            substeps: None,
            threads: None,
        }
    }
}

impl Settings {
    /// Approach slower than this is rest and not an impact (m/s): `sqrt(2 g eps)`.
    pub fn resting_speed(&self) -> Real {
        self.resting_speed_under(self.gravity.length())
    }

    /// [`resting_speed`](Self::resting_speed) where the bodies are pulled together by another acceleration (m/s²).
    pub fn resting_speed_under(&self, pull: Real) -> Real {
        let height = self.resting_tolerance.unwrap_or(match self.accuracy {
            Accuracy::Game => RESTING_TOLERANCE_GAME,
            Accuracy::Exact => RESTING_TOLERANCE_EXACT,
        });
        (2.0 * pull * height * self.length_unit).sqrt()
    }

    /// The approach without restitution that is an impact in an island of so many points with joints, if it is faster than others may be
    /// (m/s); none if all of it is left to the resting stage: [`PLASTIC_POINTS`], [`LINKED_POINTS`].
    pub(crate) fn plastic_speed(&self, points: usize) -> Option<Real> {
        let speed = match self.accuracy {
            _ if points <= PLASTIC_POINTS => 0.0,
            Accuracy::Game if points > LINKED_POINTS => return None,
            Accuracy::Game => PLASTIC_SPEED_GAME,
            Accuracy::Exact => PLASTIC_SPEED_EXACT,
        };
        Some(speed * self.length_unit)
    }

    /// How many times faster than [`resting_speed`](Self::resting_speed) approach may be in an island of so many points, and still
    /// be rest where restitution is not high: [`RESTING_TOLERANCE_HEAP`].
    pub(crate) fn heap_speed(&self, points: usize) -> Real {
        let heap = points > SMALL_ISLAND && self.accuracy == Accuracy::Game && self.resting_tolerance.is_none();
        if heap { (RESTING_TOLERANCE_HEAP / RESTING_TOLERANCE_GAME).sqrt() } else { 1.0 }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// [`StepError::Setting`] with the field's name and value.
    pub fn validate(&self) -> Result<(), StepError> {
        let bad = |setting, problem: String| Err(StepError::Setting { setting, problem });
        if !self.gravity.is_finite() {
            return bad("gravity", format!("must be finite, got {}", self.gravity));
        }
        if let Some(tolerance) = self.resting_tolerance.filter(|t| !(*t > 0.0 && t.is_finite())) {
            return bad("resting_tolerance", format!("must be positive and finite, got {tolerance}"));
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
