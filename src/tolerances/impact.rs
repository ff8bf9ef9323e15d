//! Tolerances of the laws of impact.

/// The tolerance of [`crate::impact::frictional::solve`] that the engine uses: the local error of a step of sliding,
/// as a fraction of the sliding speed or of what matters for the impulse. No unit.
///
/// The relative error of the impulse is below twenty times it in all but one ordinary impact of a thousand. Ten times
/// smaller costs a sixth more time; ten times larger saves as much, and leaves badly conditioned impacts too little
/// room to the 1e-6 that the tests ask for.
pub const IMPACT_TOLERANCE: f64 = 3e-9;

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

/// The most steps one impact may take before it goes straight on. Ordinary impacts take some twenty at most at
/// the default tolerance; what reaches the bound is a matrix that rounding has made meaningless.
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
pub const SIMULTANEOUS_REDUNDANT: f64 = 1e-9;

/// A contact that still approaches slower than this fraction of the fastest approach is at rest. No unit.
///
/// Smaller chases rounding; larger leaves approach behind.
pub const SIMULTANEOUS_REST: f64 = 1e-12;

/// A block of contacts counts as unsolved if one still approaches faster than this fraction of the fastest approach.
pub const SIMULTANEOUS_LEFT: f64 = 1e-6;

/// How often the simultaneous law starts again because a contact it had left out came to approach.
///
/// Beyond it the rest is taken plastically, which always ends and loses energy.
pub const SIMULTANEOUS_ROUNDS: u32 = 16;

/// The turn of a step (rad) from which on impacts within it change how a body turns as if they came at its start, if it is not as easily turned
/// about any axis.
///
/// Larger: thin rods gain energy where they hit each other, and heaps of them fly apart: of 60 pairs of boxes of 0.06 by 1.2 by 0.06 m that turn
/// by 0.25 rad, 8 gained up to a third. Smaller: what lands late in a step is turned as if it had landed at once.
pub const IMPACT_SPIN: f64 = 0.1;

/// The turn of a step (rad) from which on a convex body is asked whether it comes to what its points seem to hit: impacts follow them in
/// straight lines. Larger: rods that spin about their length hit walls that they never reach, and are turned into them; smaller: what would
/// be found to hit anyway is looked at longer.
pub const IMPACT_TURN: crate::math::Real = 1.0;

/// The turn between two such looks (rad). Larger: what comes within an eighth of its square of a body's size counts as hit; smaller: more looks.
pub const IMPACT_LOOK: crate::math::Real = 0.1;

/// The most such looks in a step (no unit). Larger: what spins fast costs more; smaller: what turns further than they tell is taken to hit.
pub const IMPACT_LOOKS: crate::math::Real = 128.0;

/// A row of joints is redundant if the rows before it leave less than this part of its own response (no unit): the second hinge of a door.
/// Larger: joints on far levers let go in impacts. Smaller: redundant ones divide by rounding.
pub const LINKAGE_REDUNDANT: f64 = 1e-9;

/// In no direction does a contact between jointed bodies give way by less than this part of what all their mass in one place would
/// (no unit); one that does so along its normal is stopped by the joints, and no impact: what is hit along the rod that holds it.
/// Larger: doors that are hit near their hinges answer too weakly. Smaller: what is pressed together across a ball joint gets impulses
/// made of rounding, a million times what moves it.
pub const LINKAGE_STIFF: f64 = 1e-2;

/// The same of contacts between two bodies that joints hold to each other, of what their own masses would: these meet across joints near
/// by. Larger: the knees of a figure do not bounce off each other. Smaller: what jams is pressed ever again, to no effect.
pub const LINKAGE_STIFF_INSIDE: f64 = 0.1;

/// Impulses along the normal that joints answer by less than this part of what their bodies do pass them by, where there is no friction (no
/// unit). Larger: what is struck nearly across its joints keeps some speed along them, which is lost afterwards. Smaller: an office
/// toy in steps of 1/2400 s gains 1.3 millionths of a joule where it gained less than one.
pub const LINKAGE_ASIDE: f64 = 1e-5;

/// What joints hold is turned back by no more than this (rad) to the step's start for an impact later in it, by which the joints are apart to
/// second order; from then on it goes as if it had been struck earlier. Larger: light links that are struck late in a step come apart,
/// and what brings them together again adds energy. Smaller: mechanisms bounce before they touch.
pub const LINKAGE_TURN: f64 = 0.05;

/// The most joints that an impact is felt through, those nearest to the body that is struck; of what hangs on farther ones the joint
/// solver hears afterwards. Lower: long stiff mechanisms are lighter to what strikes them. Higher: nets of thousands of joints are
/// factored for every blow.
pub const LINKAGE_JOINTS: usize = 128;
