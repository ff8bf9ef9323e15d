//! Tolerances of motion and mass.

use crate::math::Real;

/// Off-diagonal entry of an inertia tensor, relative to its largest entry, that counts as zero.
/// Larger: principal axes are wrong by this angle (rad). Zero: rounding turns the axes of a cube by
/// any angle.
pub const INERTIA_OFF_DIAGONAL: f64 = 1e-13;

/// Relative excess of a principal moment over the sum of the other two that is accepted. Larger:
/// impossible bodies gain rotational energy. Smaller: flat bodies in single precision are rejected.
pub const INERTIA_TRIANGLE: f64 = 1e-6;

/// Volume of a closed mesh, relative to its cubed extent, below which it counts as flat. Larger:
/// thin sheets are rejected. Zero: a flat mesh gets a mass of rounding errors.
pub const MESH_FLATNESS: f64 = 1e-12;

/// Clamp of rotation angles (rad), a thousand turns in a step. Larger: the range reduction of sine
/// and cosine loses its accuracy in single precision.
pub const MAX_TURN: Real = 8192.0;

/// Largest residual of the angular momentum, relative to moment of inertia times angular velocity.
/// Larger: a spin that the user has stopped leaves more. Smaller: true rounding errors are dropped,
/// and momentum drifts.
pub const MOMENTUM_RESIDUAL: Real = 32.0 * Real::EPSILON;

/// Largest remainder of a compensated sum, relative to its value: one rounding. Larger: a position
/// that the user has changed leaves more. Smaller: true rounding errors are dropped.
pub const CARRIED_REST: Real = Real::EPSILON;

/// Rotation (rad) per stage of the Runge-Kutta method; faster bodies take several stages. Larger:
/// the error of the axis grows with the fourth power. Smaller: only cost.
pub const RUNGE_KUTTA_TURN: Real = 0.25;

/// Cap on Runge-Kutta stages in one step; faster bodies take as many splitting steps, which
/// conserve energy at any rate. Larger: only cost.
pub const RUNGE_KUTTA_STAGES: u32 = 64;

/// Rounding of a free body's energy and momentum, relative, in the bound on its angular speed.
/// Larger: the bound is loose. Smaller: a body that spins about one axis misses its vertex of the
/// bound.
pub const FASTEST_SLACK: f64 = 1e-5;

/// Cap on the advances of a time-of-impact search, reached by grazing rods. Larger: such searches
/// cost more. Smaller: a rod counts as touching while it is still apart.
pub const ADVANCES: u32 = 400;

/// Error bound of the angular velocity of a second-order rotation law, relative, per squared angle
/// since the step began. Larger: smaller advances for tumbling bodies. Smaller: bodies that tumble
/// by a radian in a step pass through walls.
pub const LAW_SLIP: f64 = 2.0;

/// Secant steps by which one advance of a time-of-impact search is extended. More: each advance
/// costs more. Fewer: more advances.
pub const CHORDS: u32 = 4;

/// Relative error of the distance in a time-of-impact search; the normal's error is the root of
/// twice that. Larger: fast sliding bodies seem to approach large shapes. Smaller: more iterations
/// on curved shapes.
pub const GJK_FINE: f64 = 1e-12;

/// Travel per step, relative to a body's radius, above which it needs continuous collision
/// detection. Larger: contacts of the step's start stop bodies that would fly past. Smaller: more
/// swept bodies.
pub const SWEEP_TRAVEL: Real = 0.5;

/// Rotation per step (rad) above which a body needs continuous collision detection. Larger: the
/// ends of spinning rods move straight, into walls or past them. Smaller: more swept bodies.
pub const SWEEP_TURN: Real = 0.125;

/// Radius moved by rotation, relative to a body's radius, below which rotation is ignored by that
/// rule. Larger: spinning eggs are not swept. Smaller: rolling balls with a slightly shifted centre
/// are.
pub const SWEEP_SWING: Real = 0.1;

/// Offset of the centre of mass from a shape's axis of revolution, relative to its radius, that
/// counts as zero. Larger: wobbling bodies are not swept. Smaller: rounding makes spinning tops
/// swept bodies.
pub const OFF_AXIS: Real = 1e-4;

/// Fractions of [`TOUCH`](super::TOUCH) tried in turn while two bodies touch, to find their next
/// contact elsewhere. Larger or fewer: the other end of a rod sinks in. Smaller: lying bodies are
/// stopped by rounding.
pub const SWEEP_TOUCHES: [f64; 3] = [1.0, 0.25, 0.0625];

/// Fractions of a body's thickness removed in turn after those, for the same search. Larger or
/// fewer: the other end of a rod sinks in deeper, or passes. Smaller: fast sliding bodies are
/// stopped by rounding.
pub const SWEEP_CORES: [Real; 3] = [0.5, 0.75, 0.875];

/// Distance of the arms of an earlier contact, in [`TOUCH`](super::TOUCH), up to which it takes
/// part in the next impact of the pair. Larger: separated points take part. Smaller: a rod that
/// falls flat rattles from end to end.
pub const SWEEP_MARK: f64 = 8.0;

/// Cap on the impacts of a swept body in a step, after which it stops and is counted. Larger:
/// jammed bodies cost more. Smaller: balls that rattle between walls stop for parts of steps.
pub const SWEEP_HITS: u32 = 16;

/// Approach speed, relative to the relative speed of two bodies, that counts as rounding. Larger:
/// glancing hits are missed. Smaller: fast sliding bodies collide with their support again and
/// again.
pub const SWEEP_NOISE: f64 = 1e-5;

/// Relative difference of two principal moments at which a body rotates like one with an axis of
/// symmetry. Larger: wobbling bodies are predicted wrongly. Smaller: rounding makes a square rod
/// asymmetric.
pub const MOMENTS_ALIKE: Real = 1e-3;
