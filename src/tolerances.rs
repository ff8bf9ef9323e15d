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


/// A quaternion whose squared length is off one by no more than this is taken as it is (no unit). Lower: bodies are written
/// back after every step of a game that rounds differently. Higher: shapes are scaled visibly.
pub const UNIT_QUATERNION: Real = 1e-5;

/// Surfaces this close touch (m, for bodies of about 1 m). Lower: rounding makes resting contacts flicker. Higher: contacts
/// begin before anything is seen to meet.
pub const TOUCH: Real = if size_of::<Real>() == 4 { 1e-4 } else { 1e-6 };

/// Contacts are looked for this far beyond what the bodies can travel in the step (m, for bodies of about 1 m). Lower: points
/// of a rocking face come and go. Higher: more contacts that carry nothing.
pub const SPECULATIVE_MARGIN: Real = 0.02;

/// A pair is collided this much farther out than it could matter, so that its answer lasts for some steps (m, for bodies of
/// about 1 m). Lower: pairs that drift past each other are collided in every step. Higher: clipping for nothing.
pub const NEAR_SLACK: Real = 0.02;

/// The path that two bodies with flat faces may move against each other before their manifold is made anew (m, for bodies of
/// about 1 m). Lower: the narrow phase of a settling pile costs more. Higher: contact points lag behind the faces.
pub const RECYCLE_PATH: Real = 0.01;

/// The same where a surface is round: there the contact point wanders as the body rolls, so it must follow closely.
pub const RECYCLE_PATH_ROUND: Real = 1e-5;

/// How much the box of a collider is enlarged, as a fraction of its largest half extent.
pub const BOX_MARGIN_FRACTION: Real = 0.2;

/// The most that the box of a collider is enlarged (m, for bodies of about 1 m). Lower: boxes are renewed more often. Higher:
/// more pairs that do not touch.
pub const BOX_MARGIN: Real = 0.05;

/// How many steps of travel a renewed box looks ahead. Lower: fast bodies renew their boxes in every step. Higher: they pair
/// with what they never reach.
pub const BOX_SWEEP_STEPS: Real = 2.0;

/// The radius that a half-space counts with when it turns (m).
pub const HALF_SPACE_RADIUS: Real = 1e6;

/// The most impacts of one contact in a step. Lower: cascades are cut short and left to the resting solver. Higher: jammed
/// clusters cost more.
pub const IMPACTS_PER_CONTACT: u32 = 8;

/// Islands of up to this many points take plastic collisions one by one too, with the impact law; larger ones all at once in
/// the resting solver, which loses no less energy.
pub const PLASTIC_POINTS: usize = 8;

/// Bodies that move slower than this may be parked (m/s at their farthest point, for bodies of about 1 m). Lower: noise keeps
/// piles awake. Higher: slow falls are caught in the air.
pub const REST_SPEED: Real = 0.01;

/// Bodies whose mean acceleration over a step is below this fraction of gravity hold still. Lower: large piles stay awake
/// for long. Higher: leaning towers are parked.
pub const REST_RESIDUAL: Real = 1e-3;

/// Steps for which all bodies of an island must hold still before it is parked.
pub const REST_STEPS: u16 = 10;

/// Substeps with `Accuracy::Exact`. Lower: softer contacts. Higher: slower.
pub const EXACT_SUBSTEPS: u32 = 32;

/// Early stop of the solver with `Accuracy::Exact` (m/s).
pub const EXACT_STOP: Real = 0.0;

/// A new contact point goes on with the impulse of an old one within this distance where no features agree (m, for bodies of
/// about 1 m). Lower: rolling contacts start cold. Higher: impulses jump to points they do not belong to.
pub const INHERIT_DISTANCE: Real = 0.02;
