//! Tolerances of the two accuracies.

use crate::math::Real;

/// Tolerances that differ between `Accuracy::Game` and `Accuracy::Exact`.
pub(crate) struct AccuracyProfile {
    /// Most contact points of an island that the direct solver takes. Larger: steps of many
    /// milliseconds; smaller: large quiet islands cannot be proved at rest.
    pub max_points: usize,
    /// Residual (relative to the island's speed) below which a solution of the direct solver is
    /// accepted. Larger: towers that are kept awake drift; smaller: searches run to their limits.
    pub accept: f64,
    /// Residual acceleration (in units of gravity) below which a solution is an equilibrium.
    /// Larger: bodies fall asleep that would move; smaller: rounding of `f32` shapes keeps piles
    /// awake.
    pub certificate: f64,
    /// Impacts of one contact in a step with restitution, in islands above `IMPACTS.small_island`;
    /// then it is plastic. Larger: cascades through piles cost more, for a thousandth of the
    /// energy. Smaller: piles lose their bounce early.
    pub impacts_per_contact: u32,
    /// Height of a bounce that counts as rest, unless set (m, at unit length). Larger: visible
    /// bounces are lost. Smaller: piles spend their time on the last tiny impacts.
    pub resting_height: Real,
    /// Speed above which plastic collisions of jointed bodies in larger islands are impacts (m/s,
    /// at unit length). Larger: heavy bodies bounce on light links. Smaller: impacts of piled
    /// ragdolls dominate the cost.
    pub plastic_speed: Real,
}

/// Values of `Accuracy::Game`.
pub(crate) const GAME: AccuracyProfile = AccuracyProfile {
    max_points: 400,
    accept: 1e-5,
    certificate: 1e-4,
    impacts_per_contact: 4,
    resting_height: 1e-4,
    plastic_speed: 1.0,
};

/// Values of `Accuracy::Exact`.
pub(crate) const EXACT: AccuracyProfile = AccuracyProfile {
    max_points: 1000,
    accept: if size_of::<Real>() == 4 { 1e-6 } else { 1e-9 },
    certificate: 1e-5,
    impacts_per_contact: 8,
    resting_height: 2.5e-7,
    plastic_speed: 0.3,
};
