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



/// Length below which two points are one (m). Larger, it would hide real offsets of millimetre-sized bodies; smaller, a
/// direction would be taken from rounding.
pub const COINCIDENT: crate::math::Real = 1e-9;

/// Squared sine, or ratio of lengths, below which two directions, or two ends, are one. Larger, nearest points of
/// slightly skew segments go astray; smaller, they are divided out of rounding.
pub const SAME_DIRECTION: crate::math::Real = 1e-9;

/// Squared sine below which two segments count as nearly parallel and the nearest points are sought from their ends too.
/// Smaller, rounding misplaces the nearest points; larger, time is lost.
pub const SKEW_SQUARED_SINE: crate::math::Real = 1e-4;

/// How much better another separating axis must be before it replaces a preferred one, as a share of the smaller body's
/// least half extent. Larger, the normal lags behind the geometry by that depth; smaller, it flickers between axes that
/// are equally good.
pub const AXIS_SWITCH: crate::math::Real = 1e-3;

/// Squared sine of the angle between two edges below which their cross product is not tried as an axis. Larger, crossing
/// edges are missed; smaller, the axis is made of rounding.
pub const EDGE_PARALLEL: crate::math::Real = 1e-5;

/// How far outside a side a corner of the incident face may lie and still count as inside, as a share of the face's
/// size. Larger, points hang over the edge; smaller, the features of aligned boxes flicker with rounding.
pub const CLIP_SLACK: crate::math::Real = 1e-5;

/// Sine of the angle between two axes below which capsules, or edges, lie side by side and touch at two points. Larger,
/// the two points leave the surface; smaller, a capsule resting on another one rocks.
pub const CAPSULE_PARALLEL_SINE: crate::math::Real = 0.02;

/// How far the axes of two capsules may part sideways where they lie side by side, as a share of the sum of the radii.
/// Larger, the separations at both ends are wrong; smaller, long capsules at a slight angle rock.
pub const CAPSULE_SIDE_SLIP: crate::math::Real = 0.1;

/// Sine of the angle to the plane of contact up to which both ends of a capsule, or all corners of a rounded face, are
/// contact points. Larger, they leave the surface by the radius times half the angle squared; smaller, a capsule that
/// comes to lie flat finds its second point late.
pub const ROUNDED_SLANT: crate::math::Real = 0.1;

/// Separations this close are equally deep when points are chosen (m). Larger, a deeper point may be passed over by
/// that much; smaller, rounding chooses.
pub const REDUCE_DEPTH_TIE: crate::math::Real = 1e-5;

/// Distances or areas this close, relatively, are equal when points are chosen. Larger, the manifold loses that share of
/// its area; smaller, rounding chooses.
pub const REDUCE_SCORE_TIE: crate::math::Real = 1e-3;

/// Ratio of width to length below which a manifold is a line. Larger, narrow planks lose their width; smaller, points of
/// a line are kept for their rounding.
pub const REDUCE_SLIVER: crate::math::Real = 1e-3;

/// Distance of two cores below which they overlap, as a share of the largest distance met. Larger, gaps are taken for
/// overlaps; smaller, the direction between touching cores is made of rounding.
pub const GJK_OVERLAP: f64 = 1e-7;

/// Gap between the bounds of a distance at which the search ends, as a share of the largest distance met. Larger, the
/// nearest points of rims are off by its root; smaller, steps are spent on rounding of the supports.
pub const GJK_GAP: f64 = 1e-8;

/// Overlap, as a share of the smaller shape's size, above which more than the last direction is tried. Larger, a body
/// that turned while it overlapped is pushed out the long way; smaller, resting bodies pay for the search.
pub const DEEP_OVERLAP: crate::math::Real = 0.05;

/// Gain in separation, as a share of the smaller shape's size, below which a direction of overlap is good enough. Larger,
/// normals on rims are off by its root; smaller, steps are spent on rounding.
pub const MOVE_GAIN: crate::math::Real = 1e-6;

/// One less the cosine of the angle within which a face's normal may replace a direction found between separate shapes.
/// Larger, faces are tried in vain; smaller, faces nearly parallel keep the noise of the iteration.
pub const FACE_CONE: crate::math::Real = 1e-6;

/// Cosine of the angle to a face's normal up to which the face carries a contact. Smaller, faces that only graze are
/// clipped; larger, noise in the normal loses the face.
pub const FACE_ALIGNED: crate::math::Real = 0.999;

/// The same where the normal was turned to what a composite's part allows.
pub const FACE_ALIGNED_CONSTRAINED: crate::math::Real = 0.7;

/// Distance of two unit normals below which they are the same. Larger, a bent surface counts as flat; smaller, rounding
/// counts as a turn.
pub const NORMAL_KEPT: crate::math::Real = 1e-3;

/// Distance of two unit normals up to which the parts of a composite share one manifold. Larger, bent surfaces are
/// flattened by that angle; smaller, rounding splits a plane into manifolds that each carry too few points.
pub const NORMAL_MERGED: crate::math::Real = 1e-3;

/// Distance up to which two points of a composite are one (m). Larger, features that small are lost; smaller, corners
/// that neighbours share fill the manifold twice.
pub const POINTS_MERGED: crate::math::Real = 1e-4;

/// How far outside a triangle a point may lie and still count as covered by it, as a share of the triangle's size.
/// Larger, edges near a face lose their contacts; smaller, rounding uncovers an inner edge and bodies bump over it.
pub const SEAM_SLACK: crate::math::Real = 1e-4;

/// How many times deeper a contact may become when its normal is turned to what a composite's part allows. Larger, a
/// body grazing a mesh's border is thrown over it; smaller, contacts near inner edges go missing.
pub const FORCED_DEPTH_RATIO: crate::math::Real = 5.0;

/// Depth that a contact with a turned normal may have in any case, as a share of the smaller shape's size. It moves with
/// [`FORCED_DEPTH_RATIO`]: smaller, a corner just over an inner edge loses its contact for a moment.
pub const FORCED_DEPTH_ALLOWANCE: crate::math::Real = 0.02;
