//! Every tolerance of the engine, in one place, with its unit and what goes wrong when it moves.

use crate::math::Real;

// ---- Impact laws ----------------------------------------------------------------------------------------------

/// The tolerance of [`crate::impact::frictional::solve`] that the engine uses: the local error of a step of sliding,
/// as a fraction of the sliding speed or of what matters for the impulse. No unit.
///
/// The relative error of the impulse is below a hundred times it in all but one impact of a thousand. Ten times
/// smaller costs a fifth more time; ten times larger saves a sixth, and leaves badly conditioned impacts too little
/// room to the 1e-6 that the tests ask for.
pub const IMPACT_TOLERANCE: f64 = 1e-9;

/// The tolerance of [`crate::impact::frictional::solve`] where time does not matter. No unit.
///
/// Smaller gains nothing: rounding takes over.
pub const IMPACT_TIGHT_TOLERANCE: f64 = 1e-13;

/// Tolerances of impacts outside these bounds are brought inside, and no step is looser than the upper one, however
/// little of the impulse is left in it. No unit.
///
/// Below the lower bound the steps shrink without gaining a digit; above the upper one they grow past the stability
/// of the series, and trajectories never settle on their rays.
pub const IMPACT_TOLERANCE_RANGE: (f64, f64) = (1e-15, 1e-5);

/// Sliding is at a standstill when stopping it takes less than this fraction of the tolerance of the impulse. No unit.
///
/// Larger stops impacts that would have turned away; smaller spirals into the origin for no gain.
pub const IMPACT_STANDSTILL_FACTOR: f64 = 0.1;

/// Friction holds a contact that stopped if the force it takes is within this fraction outside the cone. No unit.
///
/// On the border holding and letting go are one; the slack keeps rounding from choosing the name of the ending.
pub const IMPACT_HOLDS: f64 = 16.0 * f64::EPSILON;

/// The tangential response of a contact is taken as no more uneven than this, where tolerances follow from it.
///
/// Smaller asks for steps that rounding cannot use, where locked axes leave one tangential direction rigid.
pub const IMPACT_LEAST_EVENNESS: f64 = 1e-9;

/// Sliding slower than this fraction of the approach speed, at the start, is none: rounding of the velocities.
pub const IMPACT_NO_SLIDING: f64 = 4e-16;

/// A step's turning rate below this fraction of its terms is zero: the trajectory is on a ray, repelling or not.
///
/// Larger freezes starts close to a repelling ray there; smaller lets rounding push symmetric impacts off it.
pub const IMPACT_ON_RAY: f64 = 8.0 * f64::EPSILON;

/// The most steps one impact may take before it goes straight on. Ordinary impacts take 16 at most at the default
/// tolerance; what reaches the bound is a matrix that rounding has made meaningless.
pub const IMPACT_MAX_STEPS: u32 = 1000;

/// The least growth of the normal velocity on an endless ray, as a fraction of its scale: theory says positive,
/// rounding may not. Without it an impact with a nearly singular collision matrix would not end.
pub const IMPACT_LEAST_SLOPE: f64 = 64.0 * f64::EPSILON;

/// A collision matrix whose pivots fall below minus this fraction of its diagonal is not that of a body.
///
/// Larger accepts nonsense; smaller rejects what rounding makes of locked axes and far levers.
pub const IMPACT_INDEFINITE: f64 = 1e-9;

/// An impact that gained energy is solved again, more finely, if its impulse would have to shrink by more than this.
///
/// Smaller redoes impacts that shrinking mends below their own error; larger leaves a visible error.
pub const IMPACT_REDO_SHRINK: f64 = 1e-4;

/// How much finer the second solution is. No unit.
pub const IMPACT_REDO_FACTOR: f64 = 1e-3;

/// A contact whose response adds less than this fraction to what the others already give is redundant (four corners
/// of a box on the floor). No unit.
///
/// Larger drops contacts that matter; smaller divides by rounding.
pub const SIMULTANEOUS_REDUNDANT: f64 = 1e-11;

/// A contact that still approaches slower than this fraction of the fastest approach is at rest. No unit.
///
/// Smaller chases rounding; larger leaves approach behind.
pub const SIMULTANEOUS_REST: f64 = 1e-12;

/// How often the simultaneous law starts again because a contact it had left out came to approach.
///
/// Beyond it the rest is taken plastically, which always ends and loses energy.
pub const SIMULTANEOUS_ROUNDS: u32 = 16;

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




/// Contact spring of the scalable solver: its frequency times the length of a substep. Stiffer sinks less; from 0.25 up
/// walls and pyramids shake, from 0.4 up they burst. Sink goes with its inverse square.
pub const CONTACT_STIFFNESS: Real = 0.2;

/// Damping ratio of the contact spring. From 1 to 4 alike; at 10 stiff stacks shake, below 1 they ring.
pub const CONTACT_DAMPING: Real = 2.0;

/// The fastest that a contact pushes overlapping bodies apart (m/s). Faster throws bodies that start inside each other;
/// slower leaves them overlapping for longer.
pub const MAX_PUSH_OUT: Real = 3.0;

/// Points this much above the deepest one count as touching while a new manifold carries nothing yet (m): they share its
/// friction. Larger moves the friction of a tilted face inwards, smaller makes it jump between points.
pub const TOUCHING: Real = 1e-3;

/// A new contact whose surfaces move past each other faster than this starts with dynamic friction, a slower one with
/// static friction (m/s). Larger lets moving bodies grip, smaller makes bodies placed by hand slip.
pub const SLIDING_SPEED: Real = 1e-2;

/// A body slower than this (m/s) whose velocity turns round between two substeps flutters: it goes on with the mean of
/// the two. Larger damps real vibration, smaller leaves wedged bodies buzzing in piles.
pub const FLUTTER_SPEED: Real = 0.3;

/// The same for turning (rad/s).
pub const FLUTTER_SPIN: Real = 0.3;

/// How far the surfaces of a block may move before its kept rows are computed again (m). Larger saves work and lets
/// levers go stale; smaller recomputes what has hardly changed.
pub const ROWS_TRAVEL: Real = 5e-4;

/// A column of at most this many bodies is solved with the base number of substeps. Larger lets columns lean before they
/// get help; smaller spends substeps on columns that stand anyway.
pub const DEEPEST_AT_BASE: u32 = 20;

/// The height, in bodies, up to which a column stands at the base number of substeps: 34 cubes buckle at 8, and a margin
/// of 1.3 remains. Larger eats the margin; smaller costs time on tall columns.
pub const BUCKLING_DEPTH: f64 = 34.0 / 1.3;

/// An island with at most this many bodies a level counts as a column of its whole depth. Larger takes walls and piles
/// for columns; smaller misses columns of two or three side by side.
pub const SLENDER_WIDTH: u32 = 3;

/// A run of this many bodies, each on one that carries one, is gone over twice a visit, which stills its rocking. Larger
/// leaves low towers rocking; smaller costs time on small heaps.
pub const TALL_CHAIN: u32 = 8;

/// A body this many times as heavy as one it stands on is gone over twice a visit. Larger lets stacks under heavy loads
/// drift; smaller costs time on heaps of mixed sizes.
pub const HEAVY_RATIO: Real = 10.0;

/// An island is through with a step once no substep changes a velocity by more than this (m/s, rad/s). Larger saves
/// substeps and lets settled stacks creep; smaller is never reached for rounding.
pub const STEADY: Real = 1e-4;

// ---- The step: thresholds between its stages ------------------------------------------------------------------
