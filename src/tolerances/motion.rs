//! Tolerances of motion and mass.

use super::ROUNDING;
use crate::math::Real;

/// Tolerances of motion.
pub(crate) struct Motion {
    /// Rotation per step (rad) above which impacts change a body's rotation as if they came at the
    /// step's start, unless its inertia is isotropic. Larger: thin rods gain energy from impacts.
    /// Smaller: late impacts turn bodies early.
    pub linear_rotation: f64,
    /// Rotation (rad), beyond that of a body with equal moments of inertia, per stage of the
    /// Runge-Kutta method, and per step of the splitting. Larger: the error of the axis grows with the
    /// fourth power, that of the splitting's energy with the third. Smaller: only cost.
    pub part_rotation: Real,
    /// Asymmetry that counts as none: offset of the centre of mass from a shape's axis of revolution,
    /// relative to its radius, and relative difference of two principal moments. Larger: wobbling
    /// bodies are not swept and are predicted wrongly. Smaller: rounding makes spinning tops swept
    /// bodies, and square rods asymmetric.
    pub symmetry: Real,
}

/// The values.
pub(crate) const MOTION: Motion = Motion { linear_rotation: 0.1, part_rotation: 0.25, symmetry: 1e-4 };

/// Tolerances of continuous collision detection.
pub(crate) struct Ccd {
    /// Travel per step, relative to a body's radius, above which it needs continuous collision
    /// detection. Larger: contacts of the step's start stop bodies that would fly past. Smaller:
    /// more swept bodies.
    pub travel: Real,
    /// Radius moved by rotation, relative to a body's radius, below which rotation is ignored by
    /// that rule. Larger: spinning eggs are not swept. Smaller: rolling balls with a slightly
    /// shifted centre are.
    pub moved_radius: Real,
    /// Distance of the arms of an earlier contact, in `CONTACT.touch`, up to
    /// which it takes part in the next impact of the pair. Larger: separated points take part.
    /// Smaller: a rod that falls flat rattles from end to end.
    pub same_contact: f64,
    /// Approach speed, relative to the relative speed of two bodies, that counts as rounding.
    /// Larger: glancing hits are missed. Smaller: fast sliding bodies collide with their support
    /// again and again.
    pub noise: f64,
}

/// The values.
pub(crate) const CCD: Ccd = Ccd { travel: 0.5, moved_radius: 0.1, same_contact: 8.0, noise: 1e-5 };

/// Off-diagonal entry of an inertia tensor, relative to its largest entry, that counts as zero.
/// Larger: principal axes are wrong by this angle (rad). Zero: rounding turns the axes of a cube by
/// any angle.
pub(crate) const INERTIA_OFF_DIAGONAL: f64 = 0.1 * ROUNDING.relative;

/// Least moment of inertia relative to the greatest. The inverse tensor in world axes is rounded to
/// the greatest of its entries: with moments further apart it is not positive, and impacts gain
/// energy. Larger: thin rods turn too slowly about their length. Smaller: their response is rounding.
pub(crate) const LEAST_MOMENT: Real = 0.25 * ROUNDING.velocity;

/// Largest residual of the angular momentum, relative to moment of inertia times angular velocity.
/// Larger: a spin that the user has stopped leaves more. Smaller: true rounding errors are dropped,
/// and momentum drifts.
pub(crate) const MOMENTUM_RESIDUAL: Real = 0.5 * ROUNDING.velocity;

/// Rotation per step (rad) above which a body needs continuous collision detection. Larger: the
/// ends of spinning rods move straight, into walls or past them. Smaller: more swept bodies.
pub(crate) const CCD_ROTATION: Real = 1.25 * MOTION.linear_rotation as Real;

/// Gain of energy of an island in a step, as a part of the energy before, the work done and the
/// energy of a step of free fall, from which the guard takes it out. Larger: faults pass. Smaller:
/// takes the integration errors of healthy motion for faults.
pub(crate) const ENERGY_GAIN: f64 = 0.1;

/// The same for islands with joints and without drives, for `Game` and `Exact`. Larger: whips
/// and loaded chains gain energy step by step. Smaller: the error of the substeps, which has both
/// signs, counts as a gain, and pendulums run down.
pub(crate) const JOINT_ENERGY_GAIN: [f64; 2] = [1e-3, 1e-4];
