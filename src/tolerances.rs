//! Every tolerance of the engine, in one place, with its unit and what goes wrong when it moves.

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

// ---- Collision ------------------------------------------------------------------------------------------------

// ---- The scalable solver --------------------------------------------------------------------------------------

// ---- The step: thresholds between its stages ------------------------------------------------------------------
