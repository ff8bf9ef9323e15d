//! Settings of a [`Physics`](crate::Physics).

use crate::components::ImpactLaw;
use crate::error::StepError;
use crate::math::{Real, Vec3};
use crate::motion::rotation::RotationLaw;
use crate::ranges::FARTHEST;
use crate::resting::RestingMethod;
use crate::solver::Parameters;
use crate::tolerances::{EXACT, GAME, IMPACTS};

/// Most substeps that a game may ask for. More: a step may take minutes.
const MAX_SUBSTEPS: u32 = 4096;

/// The trade-off between speed and accuracy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Accuracy {
    /// Fast: substeps by the depth of an island, and the direct solver within a small budget.
    #[default]
    Game,
    /// Accurate: more substeps and tighter tolerances, at a multiple of the cost.
    Exact,
}

impl Accuracy {
    /// The integrator of rotations.
    pub(crate) fn rotation_law(self) -> RotationLaw {
        match self {
            Self::Game => RotationLaw::Strang,
            Self::Exact => RotationLaw::RungeKutta,
        }
    }
}

/// The model for several contacts of a body that collide at the same moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum ImpactModel {
    /// Propagation: one contact after the other, each by its own impact law, until none approaches.
    /// Contacts of equal time and approach go in the order of their keys. Newton's cradle works
    /// (Baber 2006, section 3.4).
    #[default]
    Propagation,
    /// As `Propagation`, but contacts of equal time and equal approach are solved simultaneously,
    /// along their normals: symmetric situations stay symmetric.
    Batch,
    /// All touching contacts simultaneously, along their normals: `v >= e u`, `j >= 0` and
    /// complementarity (Baber 2006, end of section 3.4). Friction acts only in the solver stage
    /// that follows.
    Simultaneous,
}

/// Settings of a [`Physics`](crate::Physics). They may be changed between steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Gravity (m/s²). Default (0, -9.81, 0).
    pub gravity: Vec3,
    /// Speed or accuracy. Default [`Accuracy::Game`].
    pub accuracy: Accuracy,
    /// True if islands at rest fall asleep: sleep is proved by an equilibrium, not timed.
    /// Default true.
    pub sleep: bool,
    /// The bounce height eps below which a contact is a resting contact, in units of `length_unit`:
    /// a contact that approaches slower than sqrt(2 g eps) does not bounce (Mirtich; Bender and
    /// Schmitt 2006). `None` is 1e-4 with [`Accuracy::Game`] (2.5e-3 in islands of more than 64
    /// points, for restitution up to 0.7) and 2.5e-7 with [`Accuracy::Exact`]. Default `None`.
    pub resting_tolerance: Option<Real>,
    /// The law of a single impact, unless a material names another. Default
    /// [`ImpactLaw::Frictional`].
    pub impact_law: ImpactLaw,
    /// The model for several simultaneous impacts. Default [`ImpactModel::Propagation`].
    pub impact_model: ImpactModel,
    /// The size of a typical body (m). Length tolerances are proportional to it. Default 1.
    pub length_unit: Real,
    /// The greatest speed at which bodies that overlap part (m/s, at a `length_unit` of 1, in
    /// proportion to which it is taken). Bodies born inside each other leave no faster. Larger: they
    /// part sooner. Smaller: they overlap for longer. Default 3.
    pub push_out_speed: Real,
    /// The method for the forces of resting contacts. Default [`RestingMethod::Auto`]: the direct
    /// solver for islands that it solves within its budget, which depends on `accuracy`, and the
    /// substepping solver for all others. [`RestingMethod::Iterative`]: always the substepping
    /// solver.
    /// [`RestingMethod::ShockPropagation`]: sweeps over rigid contacts with shock propagation.
    /// [`RestingMethod::Newton`] and [`RestingMethod::LinearProgram`]: the direct solver for all
    /// islands of up to 2000 points, at any cost.
    pub resting_method: RestingMethod,
    /// Substeps of the substepping solver, 1 to 4096, or `None` to choose them for each island.
    /// Default `None`.
    pub substeps: Option<u32>,
    /// The gain of energy of an island in a step, as a part of the energy before and the work done,
    /// from which an [`Event::EnergyGained`](crate::Event::EnergyGained) tells it; above 0. With it
    /// the step keeps an account of all energy: see
    /// [`StepReport::energy`](crate::StepReport::energy) and
    /// [`Physics::energy_account`](crate::Physics::energy_account). Default `None`: no account.
    pub energy_tolerance: Option<Real>,
    /// True if an island may not gain energy: what it has at the end of a step beyond the energy
    /// before and the work done, and beyond integration errors, is taken out of its motion, with
    /// its momenta kept where nothing static holds it, unless its bodies turn as one; one that is
    /// held and has climbed for nothing goes back on its way. The work of motors, springs, torques
    /// and moving bodies is known less exactly, and islands that these drive keep what they may
    /// have given. Each case is an [`Event::EnergyGained`](crate::Event::EnergyGained). Default
    /// true.
    pub energy_guard: bool,
    /// Threads of this world's own pool, or `None` for the pool that the step is called in (by
    /// default rayon's global one). The result does not depend on it. Default `None`.
    pub threads: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            accuracy: Accuracy::Game,
            sleep: true,
            resting_tolerance: None,
            impact_law: ImpactLaw::Frictional,
            impact_model: ImpactModel::Propagation,
            length_unit: 1.0,
            push_out_speed: Parameters::PUSH_OUT_SPEED,
            resting_method: RestingMethod::Auto,
            substeps: None,
            energy_tolerance: None,
            energy_guard: true,
            threads: None,
        }
    }
}

impl Settings {
    /// The approach speed below which a contact is a resting contact and not an impact (m/s):
    /// `sqrt(2 g eps)`.
    pub fn resting_speed(&self) -> Real {
        self.resting_speed_under(self.gravity.length())
    }

    /// [`resting_speed`](Self::resting_speed) for bodies pulled together by an acceleration (m/s²).
    pub fn resting_speed_under(&self, pull: Real) -> Real {
        let height = self.resting_tolerance.unwrap_or(match self.accuracy {
            Accuracy::Game => GAME.resting_height,
            Accuracy::Exact => EXACT.resting_height,
        });
        (2.0 * pull * height * self.length_unit).sqrt()
    }

    /// The greatest speed of push-out (m/s).
    pub(crate) fn max_push_out(&self) -> Real {
        self.push_out_speed * self.length_unit
    }

    /// The approach speed (m/s) from which a contact without restitution is an impact, in an island
    /// with joints and this number of points. `None` leaves all of them to the solver stage. See
    /// `IMPACTS.plastic_points`, `IMPACTS.small_island`.
    pub(crate) fn plastic_speed(&self, points: usize) -> Option<Real> {
        let speed = match self.accuracy {
            _ if points <= IMPACTS.plastic_points => 0.0,
            Accuracy::Game if points > IMPACTS.small_island => return None,
            Accuracy::Game => GAME.plastic_speed,
            Accuracy::Exact => EXACT.plastic_speed,
        };
        Some(speed * self.length_unit)
    }

    /// Factor on [`resting_speed`](Self::resting_speed) in an island of this number of points, for
    /// contacts without high restitution. See `IMPACTS.pile_resting_height`.
    pub(crate) fn resting_speed_factor(&self, points: usize) -> Real {
        let pile = points > IMPACTS.small_island && self.accuracy == Accuracy::Game && self.resting_tolerance.is_none();
        if pile { (IMPACTS.pile_resting_height / GAME.resting_height).sqrt() } else { 1.0 }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// [`StepError::Setting`] with the field's name and value.
    pub fn validate(&self) -> Result<(), StepError> {
        let bad = |setting, problem: String| Err(StepError::Setting { setting, problem });
        if !self.gravity.abs().cmple(Vec3::splat(FARTHEST)).all() {
            return bad("gravity", format!("no coordinate may be larger than {FARTHEST:e}, got {}", self.gravity));
        }
        if let Some(tolerance) = self.resting_tolerance.filter(|t| !(*t > 0.0 && t.is_finite())) {
            return bad("resting_tolerance", format!("must be positive and finite, got {tolerance}"));
        }
        if !(self.length_unit > 0.0 && self.length_unit.is_finite()) {
            return bad("length_unit", format!("must be positive and finite, got {}", self.length_unit));
        }
        if !(self.push_out_speed > 0.0 && self.push_out_speed.is_finite()) {
            return bad("push_out_speed", format!("must be positive and finite, got {}", self.push_out_speed));
        }
        if let Some(tolerance) = self.energy_tolerance.filter(|t| !(*t > 0.0 && t.is_finite())) {
            return bad("energy_tolerance", format!("must be positive and finite, got {tolerance}"));
        }
        if let Some(substeps) = self.substeps.filter(|substeps| !(1..=MAX_SUBSTEPS).contains(substeps)) {
            return bad("substeps", format!("must be from 1 to {MAX_SUBSTEPS}, got {substeps}"));
        }
        if self.threads == Some(0) {
            return bad("threads", "must be at least 1, got 0".into());
        }
        Ok(())
    }
}
