//! Tolerances of particles.

use crate::math::Real;

/// Contact margin, relative to the sum of the radii (no unit). Smaller: a resting particle loses
/// its contact by rounding. Larger: particles stop at a visible distance.
pub const PARTICLE_TOUCH: Real = 1e-3;

/// Size of a grid cell, as a multiple of the largest diameter (no unit). Below `1 + PARTICLE_TOUCH`
/// contacts are missed; larger tests more pairs.
pub const PARTICLE_CELL: f64 = 1.01;

/// Index of the last grid cell along each axis; all particles beyond it share that cell, which is
/// slow but misses no contact. Larger: keys exceed 63 bits.
pub const PARTICLE_CELLS: f64 = 1_048_575.0;

/// Least number of particles per slab, the work item of a thread. Smaller: synchronisation. Larger:
/// too few items. It determines the order of contacts: another value gives other bits.
pub const PARTICLE_SLAB: usize = 1024;

/// Displacement in half a step, relative to the radius, above which a particle is swept against
/// colliders (no unit). Above 1: passes through thin walls. Smaller: a ray for more particles.
pub const PARTICLE_SWEEP: Real = 0.9;
