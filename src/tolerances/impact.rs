//! Tolerances of the laws of impact.

use super::{MOTION, ROUNDING};
use crate::math::Real;

/// Tolerances of the frictional impact.
pub(crate) struct Impact {
    /// Tolerance of [`crate::impact::frictional::solve`] in the engine: local error of a step of
    /// sliding, relative to the sliding speed or the impulse. Larger: badly conditioned impacts
    /// miss an error of 1e-6. Ten times smaller: a sixth more time.
    pub tolerance: f64,
    /// Bounds of impact tolerances (relative); no step is looser than the upper one. Lower bound:
    /// smaller steps gain no digit. Upper bound: beyond it the series become unstable and
    /// trajectories miss their rays.
    pub tolerance_range: (f64, f64),
    /// Sliding has stopped if stopping it takes less than this fraction of the impulse's tolerance.
    /// Larger: impacts stop that would have turned away. Smaller: trajectories spiral into the
    /// origin for no gain.
    pub standstill: f64,
    /// Relative rounding of an impact: of initial sliding against the approach, of a trajectory's
    /// rate of turning on a ray, of the excess over the friction cone at which a stopped contact
    /// still sticks. Larger: starts close to a repelling ray stay on it. Smaller: rounding pushes
    /// symmetric impacts off it, and decides the ending on the border of the cone.
    pub rounding: f64,
    /// Greatest relative scaling of an impulse by the energy guard; beyond it the impact is solved
    /// again with the finest tolerance. Larger: a visible error. Smaller: needless second solutions.
    pub max_scaling: f64,
}

/// The values.
pub(crate) const IMPACT: Impact = Impact {
    tolerance: 3e-9,
    tolerance_range: (1e-15, 1e-5),
    standstill: 0.1,
    rounding: 16.0 * f64::EPSILON,
    max_scaling: 1e-4,
};

/// Tolerances of impacts of linkages.
pub(crate) struct Linkage {
    /// Least response of a contact of jointed bodies, relative to that of their total mass without
    /// rotation; below it along the normal there is no impact. Larger: doors hit near their hinges
    /// react too weakly. Smaller: huge impulses made of rounding.
    pub min_response: f64,
}

/// The values.
pub(crate) const LINKAGE: Linkage = Linkage { min_response: 1e-2 };

/// `LINKAGE.min_response` for contacts within one linkage, relative to the masses of the two bodies.
/// Larger: the knees of a figure do not bounce off each other. Smaller: jammed bodies collide again
/// and again without effect.
pub(crate) const MIN_RESPONSE_INSIDE: f64 = 10.0 * LINKAGE.min_response;

/// Approach relative to the fastest one above which a block of contacts is reported as unsolved.
pub(crate) const BLOCK_RESIDUAL: f64 = 1e6 * ROUNDING.relative;

/// Rotation per step (rad) above which a convex body's contacts are checked against its rotating
/// shape, because impacts extrapolate points linearly. Larger: spinning rods hit walls that they
/// never reach. Smaller: needless checks.
pub(crate) const IMPACT_CHECK_ROTATION: Real = 10.0 * MOTION.linear_rotation as Real;

/// Rotation (rad) between two samples of that check. Larger: bodies within an eighth of its square
/// of their size count as hit. Smaller: more samples.
pub(crate) const IMPACT_CHECK_STEP: Real = MOTION.linear_rotation as Real;

/// Cap on the samples of that check in a step; a body that needs more counts as hit. Larger: such
/// steps cost more. Smaller: fast wheels hit the seams of floors.
pub(crate) const MAX_IMPACT_CHECKS: Real = 128.0;

/// Greatest rotation (rad) by which a linkage is taken back to the step's start for a later impact;
/// the joint error is of its second order. Larger: light links separate and gain energy. Smaller:
/// mechanisms bounce too early.
pub(crate) const LINKAGE_ROTATION: f64 = 0.5 * MOTION.linear_rotation;
