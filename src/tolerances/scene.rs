//! Tolerances of scene files.

/// How far a given inertia matrix may be from symmetric, as a part of its largest entry (no unit). Lower: matrices written
/// in `f32` are refused. Higher: a transposed or mistyped entry goes unnoticed.
pub const INERTIA_ASYMMETRY: f64 = 1e-6;

/// Two edges whose directions' sine is below this count as parallel when the depth of two overlapping boxes is measured (no
/// unit). Lower: a direction made of rounding errors. Higher: the edges of nearly parallel boxes are passed over, and
/// their depth comes out too large by about this part of their size.
pub const PARALLEL_EDGES: f64 = 1e-9;
