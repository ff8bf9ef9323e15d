//! Tolerances of motion and mass.

use crate::math::Real;

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

/// Rounding of a free body's energy and momentum, as a part of them, when the bound on its angular speed is found (no unit).
/// Lower: a body that spins about one axis seems to belong to no corner of the bound. Higher: the bound is loose.
pub const FASTEST_SLACK: f64 = 1e-5;

/// The most advances of a search for a time of impact. Lower: a rod that grazes by its tip is taken for touching while it is
/// still a little off. Higher: such a search costs more.
pub const ADVANCES: u32 = 400;

/// How much faster than its angular velocity a law of rotation of second order may turn a body, as a multiple of that velocity
/// times the square of the angle since its step began (no unit). Lower: bodies that tumble by a radian in a step slip through
/// walls. Higher: such bodies are followed in smaller advances.
pub const LAW_SLIP: f64 = 2.0;

/// The most chords with which one advance of that search is made longer (no unit). Fewer: more advances. More: each costs more.
pub const CHORDS: u32 = 4;

/// How far off the distance of two shapes may be in a search for a time of impact, as a part of itself: the normal is off by the
/// root of twice that (no unit). Lower: more steps for curved shapes. Higher: bodies that slide fast over large shapes seem to
/// approach them.
pub const GJK_FINE: f64 = 1e-12;

/// A body that travels by more than this part of its radius in a step is followed on its way (no unit). Lower: more bodies are
/// followed. Higher: contacts at the step's start stop bodies that would have flown past.
pub const SWEEP_TRAVEL: Real = 0.5;

/// A body that turns by more than this in a step is followed on its way (rad). Lower: more bodies are followed. Higher: the ends
/// of spinning rods are taken to move straight on, into walls or past them.
pub const SWEEP_TURN: Real = 0.125;

/// Turning counts where the surface swings by more than this part of the body's radius (no unit). Lower: balls whose centre is
/// off by rounding are followed because they roll. Higher: eggs that spin are not.
pub const SWEEP_SWING: Real = 0.1;

/// How far the centre of mass may be off the axis of a cone, cylinder or capsule that counts as round about it, as a part of the
/// body's radius (no unit). Lower: rounding makes of a spinning top a body to be followed. Higher: what wobbles is not.
pub const OFF_AXIS: Real = 1e-4;

/// The parts of [`TOUCH`](super::TOUCH) that count as touching on the way, in turn, while two bodies touch already, to see whether they will
/// meet elsewhere too (no unit). Smaller: what lies flat is caught by rounding. Larger, or fewer: the other end of a rod dips in.
pub const SWEEP_TOUCHES: [f64; 3] = [1.0, 0.25, 0.0625];

/// The parts of a body's thickness that are taken off it in turn after that (no unit). Smaller: bodies that slide fast are caught
/// by rounding. Larger, or fewer: the other end of a rod dips in deeper, or passes.
pub const SWEEP_CORES: [Real; 3] = [0.5, 0.75, 0.875];

/// How far apart the places may be where two bodies touched earlier in the step, as a multiple of [`TOUCH`](super::TOUCH), to take part in
/// their next impact (no unit). Lower: a rod that falls flat on a wall rattles from end to end. Higher: what has left takes part.
pub const SWEEP_MARK: f64 = 8.0;

/// The most impacts of a body on its way through a step. Lower: balls that rattle between walls stand still for parts of steps.
/// Higher: jammed bodies cost more.
pub const SWEEP_HITS: u32 = 16;

/// Approach slower than this part of the speed with which two bodies pass each other is rounding (no unit). Lower: bodies that
/// slide fast on the way through a step collide with what they slide on again and again. Higher: glancing hits are missed.
pub const SWEEP_NOISE: f64 = 1e-5;

/// The part of two principal moments of inertia by which they may differ for a body to turn as one with an axis of symmetry does. Larger: what wobbles
/// is not where it is looked at; smaller: rounding makes rods of one thickness two.
pub const MOMENTS_ALIKE: Real = 1e-3;
