//! Tolerances of the laws of impact.

/// Tolerance of [`crate::impact::frictional::solve`] in the engine: local error of a step of
/// sliding, relative to the sliding speed or the impulse. Larger: badly conditioned impacts miss an
/// error of 1e-6. Ten times smaller: a sixth more time.
pub const IMPACT_TOLERANCE: f64 = 3e-9;

/// Tolerance of [`crate::impact::frictional::solve`] for reference solutions (relative). Smaller
/// gains nothing against rounding.
pub const IMPACT_TIGHT_TOLERANCE: f64 = 1e-13;

/// Bounds of impact tolerances (relative); no step is looser than the upper one. Lower bound:
/// smaller steps gain no digit. Upper bound: beyond it the series become unstable and trajectories
/// miss their rays.
pub const IMPACT_TOLERANCE_RANGE: (f64, f64) = (1e-15, 1e-5);

/// Sliding has stopped if stopping it takes less than this fraction of the impulse's tolerance.
/// Larger: impacts stop that would have turned away. Smaller: trajectories spiral into the origin
/// for no gain.
pub const IMPACT_STANDSTILL_FACTOR: f64 = 0.1;

/// Relative excess over the friction cone at which a stopped contact still sticks. Rounding must
/// not decide the ending on the border, where both endings agree.
pub const IMPACT_HOLDS: f64 = 16.0 * f64::EPSILON;

/// Least ratio of the tangential responses of a contact where tolerances follow from it. Smaller:
/// with a locked tangent, steps become too short for rounding.
pub const IMPACT_LEAST_EVENNESS: f64 = 1e-9;

/// Initial sliding below this fraction of the approach speed is rounding of the velocities and
/// counts as none.
pub const IMPACT_NO_SLIDING: f64 = 4e-16;

/// Rate of turning, relative to its terms, below which a trajectory is on a ray. Larger: starts
/// close to a repelling ray stay on it. Smaller: rounding pushes symmetric impacts off it.
pub const IMPACT_ON_RAY: f64 = 8.0 * f64::EPSILON;

/// Cap on the steps of one impact, which then goes straight on. Ordinary impacts take at most about
/// twenty; only matrices made of rounding reach the cap.
pub const IMPACT_MAX_STEPS: u32 = 1000;

/// Least growth of the normal velocity on an endless ray, relative to the normal response. Positive
/// in theory; without it rounding in nearly singular matrices could prevent the end of an impact.
pub const IMPACT_LEAST_SLOPE: f64 = 64.0 * f64::EPSILON;

/// Relative size of a negative pivot above which a matrix is not a collision matrix. Larger:
/// invalid input passes. Smaller: rounding of locked axes and long arms is rejected.
pub const IMPACT_INDEFINITE: f64 = 1e-9;

/// Greatest relative scaling of an impulse by the energy guard; beyond it the impact is solved
/// again with a finer tolerance. Larger: a visible error. Smaller: needless second solutions.
pub const IMPACT_REDO_SHRINK: f64 = 1e-4;

/// Factor on the tolerance of the second solution.
pub const IMPACT_REDO_FACTOR: f64 = 1e-3;

/// Response of a contact, relative to its own, below which it is redundant beside the active ones
/// (the fourth corner of a box). Larger: contacts that matter are dropped. Smaller: division by
/// rounding.
pub const SIMULTANEOUS_REDUNDANT: f64 = 1e-9;

/// Approach relative to the fastest one that counts as zero in a block of contacts. Larger:
/// approach remains. Smaller: iterations on rounding.
pub const SIMULTANEOUS_REST: f64 = 1e-12;

/// Approach relative to the fastest one above which a block of contacts is reported as unsolved.
pub const SIMULTANEOUS_LEFT: f64 = 1e-6;

/// Cap on the rounds of the simultaneous law, which repeat if a separating contact comes to
/// approach. The round after it is plastic, which ends the loop and loses energy.
pub const SIMULTANEOUS_ROUNDS: u32 = 16;

/// Rotation per step (rad) above which impacts change a body's rotation as if they came at the
/// step's start, unless its inertia is isotropic. Larger: thin rods gain energy from impacts.
/// Smaller: late impacts turn bodies early.
pub const IMPACT_SPIN: f64 = 0.1;

/// Rotation per step (rad) above which a convex body's contacts are checked against its rotating
/// shape, because impacts extrapolate points linearly. Larger: spinning rods hit walls that they
/// never reach. Smaller: needless checks.
pub const IMPACT_TURN: crate::math::Real = 1.0;

/// Rotation (rad) between two samples of that check. Larger: bodies within an eighth of its square
/// of their size count as hit. Smaller: more samples.
pub const IMPACT_LOOK: crate::math::Real = 0.1;

/// Cap on the samples of that check in a step; a body that needs more counts as hit.
pub const IMPACT_LOOKS: crate::math::Real = 128.0;

/// Pivot of a joint row, relative to its own response, below which it is redundant (the second
/// hinge of a door). Larger: joints with long arms let go in impacts. Smaller: division by
/// rounding.
pub const LINKAGE_REDUNDANT: f64 = 1e-9;

/// Least response of a contact of jointed bodies, relative to that of their total mass without
/// rotation; below it along the normal there is no impact. Larger: doors hit near their hinges
/// react too weakly. Smaller: huge impulses made of rounding.
pub const LINKAGE_STIFF: f64 = 1e-2;

/// [`LINKAGE_STIFF`] for contacts within one linkage, relative to the masses of the two bodies.
/// Larger: the knees of a figure do not bounce off each other. Smaller: jammed bodies collide again
/// and again without effect.
pub const LINKAGE_STIFF_INSIDE: f64 = 0.1;

/// Loss of normal response by joints, relative, below which a frictionless impact ignores them.
/// Larger: speed along the joints is lost later. Smaller: suspended balls gain energy, for impacts
/// then act at the step's start.
pub const LINKAGE_ASIDE: f64 = 1e-5;

/// Greatest rotation (rad) by which a linkage is taken back to the step's start for a later impact;
/// the joint error is of its second order. Larger: light links separate and gain energy. Smaller:
/// mechanisms bounce too early.
pub const LINKAGE_TURN: f64 = 0.05;

/// Cap on the joints of a linkage, nearest to the impact first; joints beyond it react in the solve
/// stage, and the cut is counted. Larger: whole nets are factored for each impact. Smaller: long
/// stiff mechanisms react too lightly.
pub const LINKAGE_JOINTS: usize = 128;
