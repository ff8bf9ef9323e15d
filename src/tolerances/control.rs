//! Tolerances of character and vehicle controllers.

use crate::math::Real;

/// Parallel planes: 1 minus the cosine of their normals, and determinant of three normals, below
/// this (no unit). Smaller: corners computed from rounding errors. Larger: walls of a narrow wedge
/// are merged.
pub const SAME_PLANE: Real = 1e-5;

/// Allowed violation of a plane, relative to the size of the motion (no unit). Smaller: corners are
/// rejected by rounding. Larger: motion creeps into walls.
pub const PLANE_SLACK: f64 = 1e-6;

/// Allowed difference between the cosines of a slope and of the steepest walkable one (no unit).
/// Smaller: rounding decides at the limit. Larger: the limit is exceeded by a fraction of a degree.
pub const SLOPE_SLACK: Real = 1e-4;

/// Greatest number of surfaces in one slide of a character. Smaller: it stops early in narrow
/// corners. Larger: no effect, the cap is hardly ever reached.
pub const CHARACTER_BENDS: u32 = 8;

/// Greatest distance of approaching surfaces that a character looks for, in skins. Smaller: fast
/// walls penetrate it for a step. Larger: cost.
pub const CHARACTER_APPROACH: Real = 100.0;

/// Gauss-Seidel passes over the wheels of a vehicle. Fewer: static friction creeps. More: cost.
pub const TRACTION_PASSES: u32 = 40;

/// Passes over the springs alone before [`TRACTION_PASSES`]. Fewer: friction of unconverged loads
/// remains as internal forces between the wheels of an axle.
pub const TRACTION_LOADS: u32 = 16;

/// Factor on the stiffness of a suspension beyond its travel (no unit). Smaller: the chassis hits
/// the ground. Larger: it is thrown up.
pub const STRUT_STOP: Real = 10.0;

/// Least cosine between a suspension and the ground's normal (no unit). Smaller: unbounded force of
/// a wheel at a wall. Larger: too soft on steep ground.
pub const STRUT_COSINE: Real = 0.1;
