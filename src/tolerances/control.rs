//! Tolerances of characters and vehicles.

use crate::math::Real;

/// Planes whose normals' cosine is above one by less than this are the same, and sets of planes whose determinant is below it
/// have no common corner (no unit). Lower: corners are made of rounding. Higher: the walls of a narrow wedge are taken for one.
pub const SAME_PLANE: Real = 1e-5;

/// A motion that breaks a plane by no more than this part of its size keeps to it (no unit). Lower: rounding refuses the
/// corners it has just computed. Higher: motion creeps into walls.
pub const PLANE_SLACK: f64 = 1e-6;

/// How far the cosine of a slope may be below that of the steepest one (no unit). Lower: rounding decides about a slope of
/// just the limit. Higher: the limit is exceeded by a part of a degree.
pub const SLOPE_SLACK: Real = 1e-4;

/// The most surfaces that a character meets in one step. Lower: it stops short in narrow corners. Higher: nothing, they are
/// hardly ever met.
pub const CHARACTER_BENDS: u32 = 8;

/// How far off, in skins, a character looks for what comes towards it. Lower: fast walls enter it for a step before they push.
/// Higher: more is looked at.
pub const CHARACTER_APPROACH: Real = 100.0;

/// Passes over the wheels of a vehicle. Lower: tyres creep that share a load. Higher: time.
pub const TRACTION_PASSES: u32 = 40;

/// The passes before those, over the springs alone. Fewer: wheels that share an axle squeeze it by the friction that balanced
/// springs which had not met yet.
pub const TRACTION_LOADS: u32 = 16;

/// A suspension that is pressed beyond its travel is stiffer by this factor (no unit). Lower: the chassis strikes the ground.
/// Higher: it is thrown up.
pub const STRUT_STOP: Real = 10.0;

/// The least cosine between a suspension and the normal of the ground (no unit). Lower: a wheel that meets a wall pushes without
/// bound. Higher: it is too soft on steep ground.
pub const STRUT_COSINE: Real = 0.1;
