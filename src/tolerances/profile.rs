//! What the two accuracies differ in.

use crate::math::Real;

/// What differs between `Accuracy::Game` and `Accuracy::Exact`.
pub(crate) struct AccuracyProfile {
    /// Most contacts that go to Newton's method without sweeps first, and most points of an island
    /// that the direct solver takes in `Accuracy::Game`. Larger: steps of many milliseconds.
    pub max_points: usize,
    /// As `EXACT.midpoint_angle` for `Accuracy::Game`.
    pub midpoint_angle: f64,
    /// As `EXACT.accept` for `Accuracy::Game`. Larger: a tower that is kept awake drifts by a
    /// millimetre in a minute.
    pub accept: f64,
    /// As `EXACT.certificate` for `Accuracy::Game`, where shapes are known to `f32`.
    pub certificate: f64,
    /// Impacts of one contact in a step with restitution, with `Accuracy::Game` in islands above
    /// `IMPACTS.small_island`; then it is plastic. Larger: cascades through piles cost more, for a
    /// thousandth of the energy. Smaller: piles lose their bounce early.
    pub impacts_per_contact: u32,
    /// Height of a bounce that counts as rest with `Accuracy::Game`, unless set (m, at unit
    /// length). Larger: visible bounces are lost. Smaller: piles spend their time on the last tiny
    /// impacts.
    pub resting_height: Real,
    /// Speed above which plastic collisions of jointed bodies in larger islands are impacts with
    /// `Accuracy::Game` (m/s, at unit length). Larger: heavy bodies bounce on light links. Smaller:
    /// impacts of piled ragdolls dominate the cost.
    pub plastic_speed: Real,
}

/// Values of `Accuracy::Game`.
pub(crate) const GAME: AccuracyProfile = AccuracyProfile {
    max_points: 400,
    midpoint_angle: 0.02,
    accept: 1e-5,
    certificate: 1e-4,
    impacts_per_contact: 4,
    resting_height: 1e-4,
    plastic_speed: 1.0,
};

/// Values of `Accuracy::Exact`.
pub(crate) const EXACT: AccuracyProfile = AccuracyProfile {
    max_points: 1000,
    midpoint_angle: 1e-5,
    accept: if size_of::<Real>() == 4 { 1e-6 } else { 1e-9 },
    certificate: 1e-5,
    impacts_per_contact: 8,
    resting_height: 2.5e-7,
    plastic_speed: 0.3,
};
