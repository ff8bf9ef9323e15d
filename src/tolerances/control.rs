//! Tolerances of character and vehicle controllers.

use crate::math::Real;

/// Tolerances of collide and slide.
pub(crate) struct Slide {
    /// Parallel planes: 1 minus the cosine of their normals, and determinant of three normals,
    /// below this (no unit). Smaller: corners computed from rounding errors. Larger: walls of a
    /// narrow wedge are merged.
    pub parallel: Real,
}

/// The values.
pub(crate) const SLIDE: Slide = Slide { parallel: 1e-5 };

/// Tolerances of wheels.
pub(crate) struct Vehicle {
    /// Factor on the stiffness of a suspension beyond its travel (no unit). Smaller: the chassis
    /// hits the ground. Larger: it is thrown up.
    pub bump_stop_factor: Real,
    /// Least cosine between a suspension and the ground's normal (no unit). Smaller: unbounded
    /// force of a wheel at a wall. Larger: too soft on steep ground.
    pub min_suspension_cosine: Real,
}

/// The values.
pub(crate) const VEHICLE: Vehicle = Vehicle { bump_stop_factor: 10.0, min_suspension_cosine: 0.1 };

/// Change of a field's force on a body, relative to the force, below which the force is left as it was
/// (no unit). Larger: slow orbits are polygons. Smaller: rounding keeps bodies at rest in a field awake.
pub(crate) const FIELD_CHANGE: Real = 1e-5;

/// Allowed violation of a plane, relative to the size of the motion (no unit). Smaller: corners are
/// rejected by rounding. Larger: motion creeps into walls.
pub(crate) const PLANE_SLACK: Real = 0.1 * SLIDE.parallel;

/// Allowed difference between the cosines of a slope and of the steepest walkable one (no unit).
/// Smaller: rounding decides at the limit. Larger: the limit is exceeded by a fraction of a degree.
pub(crate) const SLOPE_SLACK: Real = 10.0 * SLIDE.parallel;
