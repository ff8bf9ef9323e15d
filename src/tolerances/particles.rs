//! Tolerances of particles.

use crate::math::Real;

/// Particles closer than this part of the sum of their radii touch, and so does one this close to a wall, by its radius (no
/// unit). Lower: a particle at rest on a wall loses its contact to rounding. Higher: they stop before they are seen to meet.
pub const PARTICLE_TOUCH: Real = 1e-3;

/// The size of a grid cell, as a multiple of the largest diameter (no unit). At least `1 + PARTICLE_TOUCH`, or contacts are
/// missed; larger tries more pairs.
pub const PARTICLE_CELL: f64 = 1.01;

/// The number of the last grid cell along each axis. What lies farther off counts as in that cell: nothing is missed, but
/// many particles out there are slow. Higher: the cells' numbers leave 63 bits.
pub const PARTICLE_CELLS: f64 = 1_048_575.0;

/// The least number of particles of a slab, the piece of work of one thread. Lower: threads wait for each other. Higher: too
/// few slabs for many threads. It orders the impacts, so that another value gives other bits.
pub const PARTICLE_SLAB: usize = 1024;

/// A particle that flies farther than this part of its radius in half a step is swept against colliders (no unit). Above 1, it
/// might pass through a thin wall unseen; lower costs a ray for more particles.
pub const PARTICLE_SWEEP: Real = 0.9;
