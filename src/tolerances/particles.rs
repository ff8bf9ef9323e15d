//! Tolerances of particles.

use crate::math::Real;

/// Tolerances of particles.
pub(crate) struct Particles {
    /// Contact margin, relative to the sum of the radii (no unit). Smaller: a resting particle
    /// loses its contact by rounding. Larger: particles stop at a visible distance.
    pub touch: Real,
    /// Displacement in half a step, relative to the radius, above which a particle is swept against
    /// colliders (no unit). Above 1: passes through thin walls. Smaller: a ray for more particles.
    pub sweep: Real,
}

/// The values.
pub(crate) const PARTICLES: Particles = Particles { touch: 1e-3, sweep: 0.9 };

/// Size of a grid cell, as a multiple of the largest diameter (no unit). Below `1 +
/// PARTICLES.touch` contacts are missed; larger tests more pairs.
pub(crate) const PARTICLE_CELL: Real = 1.0 + 10.0 * PARTICLES.touch;
