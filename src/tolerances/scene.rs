//! Tolerances of scene files.

/// Allowed asymmetry of an inertia matrix, relative to its largest entry (no unit). Smaller:
/// matrices written in `f32` are rejected. Larger: mistyped entries are accepted.
pub const INERTIA_ASYMMETRY: f64 = 1e-6;

/// Parallel edges in the measurement of box overlaps: sine of their angle below this (no unit).
/// Smaller: an axis made of rounding errors. Larger: depth too large by this part of the boxes'
/// size.
pub const PARALLEL_EDGES: f64 = 1e-9;
