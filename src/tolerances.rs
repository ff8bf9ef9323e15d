//! Every tolerance of the engine, in one place, with its unit and what goes wrong when it moves.

use crate::math::Real;

// ---- Impact laws ----------------------------------------------------------------------------------------------

// ---- Resting laws ---------------------------------------------------------------------------------------------

// ---- Motion and mass ------------------------------------------------------------------------------------------

/// Off-diagonal entries of an inertia tensor below this part of its largest entry count as zero. Larger: principal
/// axes are wrong by that much. Zero: rounding turns the axes of a cube by any angle.
pub const INERTIA_OFF_DIAGONAL: f64 = 1e-13;

/// By which part one principal moment of inertia may exceed the sum of the other two. Larger: impossible bodies pass,
/// and their spin gains energy. Smaller: flat bodies given in single precision are refused.
pub const INERTIA_TRIANGLE: f64 = 1e-6;

/// A closed mesh whose volume is below this part of its extent cubed has no inside. Larger: thin sheets are refused.
/// Zero: a flat mesh gets a mass of rounding errors.
pub const MESH_FLATNESS: f64 = 1e-12;

/// Angles of rotation beyond this (rad) count as this: a body that turns a thousand times within a step. Larger: the
/// angle is less than known to a single-precision number, and the rotation stops being one.
pub const MAX_TURN: Real = 8192.0;

/// The residual of angular momentum that is carried from step to step may be this many roundings of the largest
/// moment of inertia times the angular velocity. Larger: more is left of a spin that the game has stopped. Smaller:
/// it is dropped while it still is what rounding left, and momentum drifts again.
pub const MOMENTUM_RESIDUAL: Real = 32.0 * Real::EPSILON;

/// The rest of a carried sum may be this part of its value. Larger: more is left of a place that the game has moved a
/// body from. Smaller: it is dropped while it still is what rounding left.
pub const CARRIED_REST: Real = Real::EPSILON;

/// The most that a body turns (rad) in one stage of Runge and Kutta's method; faster bodies take several. Larger: the
/// error of the axis grows with the fourth power. Smaller: only cost.
pub const RUNGE_KUTTA_TURN: Real = 0.25;

/// The most stages of Runge and Kutta's method in one step; a body that needs more turns by so many splitting steps
/// instead, which stay on the energy surface at any rate. Larger: only cost.
pub const RUNGE_KUTTA_STAGES: u32 = 64;

// ---- Collision ------------------------------------------------------------------------------------------------

/// A hull thinner than this fraction of its length is flat (no unit). Lower: hulls whose faces cannot be told apart in
/// `f32`. Higher: thin plates are refused.
pub const FLAT_HULL: Real = 1e-5;

// ---- The scalable solver --------------------------------------------------------------------------------------

// ---- The step: thresholds between its stages ------------------------------------------------------------------



// ---- Scene files ----------------------------------------------------------------------------------------------

/// How far a given inertia matrix may be from symmetric, as a part of its largest entry (no unit). Lower: matrices written
/// in `f32` are refused. Higher: a transposed or mistyped entry goes unnoticed.
pub const INERTIA_ASYMMETRY: f64 = 1e-6;

/// Two edges whose directions' sine is below this count as parallel when the depth of two overlapping boxes is measured (no
/// unit). Lower: a direction made of rounding errors. Higher: the edges of nearly parallel boxes are passed over, and
/// their depth comes out too large by about this part of their size.
pub const PARALLEL_EDGES: f64 = 1e-9;
