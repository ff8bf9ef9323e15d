//! Tolerances of the step: thresholds between its stages.

use super::{CONTACT, JACOBIAN_REFRESH_PATH};
use crate::math::Real;
use crate::math::consts::FRAC_1_SQRT_2;

/// Tolerances of input checks.
pub(crate) struct Input {
    /// Deviation from one of the squared length of a quaternion that is accepted as it is. Larger:
    /// shapes are scaled visibly. Smaller: the step writes back bodies of a game that rounds
    /// differently.
    pub unit_quaternion: Real,
}

/// The values.
pub(crate) const INPUT: Input = Input { unit_quaternion: 1e-5 };

/// Tolerances of enlarged boxes of the broad phase.
pub(crate) struct Boxes {
    /// Margin of a collider's box, as a share of its largest half extent, up to `BOXES.margin`.
    /// Larger and smaller: as there.
    pub margin_per_extent: Real,
    /// Greatest margin of a collider's box (m, at unit length). Larger: more pairs that do not
    /// touch. Smaller: boxes are renewed more often.
    pub margin: Real,
    /// Steps of travel by which a renewed box is swept. Larger: fast bodies pair with what they
    /// never reach. Smaller: they renew their boxes in every step.
    pub sweep_steps: Real,
}

/// The values.
pub(crate) const BOXES: Boxes = Boxes { margin_per_extent: 0.2, margin: 0.05, sweep_steps: 2.0 };

/// Tolerances of the stage of impacts.
pub(crate) struct Impacts {
    /// `GAME.impacts_per_contact` in islands up to `IMPACTS.small_island`, where the last hops of a
    /// ball share one step. Larger: only cost. Smaller: hops in long steps are cut short.
    pub per_contact_small: u32,
    /// Contact points up to which an island is small for `IMPACTS.per_contact_small`.
    pub small_island: usize,
    /// Gap that counts as closed in the impacts stage (m, at unit length), and difference of moments
    /// (as a fraction of the step) and of approach speeds (relative) within which batched impacts
    /// are simultaneous. Larger: bodies bounce before they meet. Smaller: rounding of positions
    /// delays impacts and breaks symmetric ones.
    pub resolution: Real,
    /// Approach speed, relative to the fastest body of a cluster, that counts as rounding. Larger:
    /// slow impacts beside fast ones are lost. Smaller: weightless worlds use up their impacts on
    /// rounding.
    pub noise: f64,
    /// `GAME.resting_height` in islands above `IMPACTS.small_island` (m, at unit length). Larger:
    /// visible bounces are lost. Smaller: jams collide up to four times as often, for a few
    /// thousandths of the energy.
    pub pile_resting_height: Real,
    /// Contact points up to which the plastic collisions of an island are impacts; those of larger
    /// islands are solved all at once by the solver, which loses no less energy.
    pub plastic_points: usize,
}

/// The values.
pub(crate) const IMPACTS: Impacts = Impacts {
    per_contact_small: 50,
    small_island: 64,
    resolution: if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 },
    noise: if size_of::<Real>() == 4 { 1e-6 } else { 1e-12 },
    pile_resting_height: 2.5e-3,
    plastic_points: 8,
};

/// Tolerances of ghost contacts.
pub(crate) struct GhostContacts {
    /// Cosine between separating face and contact normal above which the contact lies on that face
    /// and is no ghost. Larger: by rounding nothing stands on a face. Smaller: fast rolling balls
    /// jump at the edges of tiles.
    pub same_cosine: Real,
}

/// The values.
pub(crate) const GHOST_CONTACTS: GhostContacts = GhostContacts { same_cosine: 1.0 - 1e-5 };

/// Depth up to which a face separates two shapes until the step's end, so that their contact is
/// a ghost (m, at unit length). Larger: steps of this height are no obstacle. Smaller: bodies
/// that sank in stumble over the next tile.
pub(crate) const GHOST_DEPTH: Real = CONTACT.touching;

/// Tolerances of sleep.
pub(crate) struct Sleep {
    /// Speed of a body's farthest point below which it may sleep (m/s, at unit length). Larger:
    /// slow falls are stopped in the air. Smaller: noise of the solver keeps piles awake.
    pub speed: Real,
    /// Part of its speed when it became slow at which a body out of balance on the mean is measured
    /// anew. Larger: with hundreds of bodies one of them is always measured anew. Smaller: the last
    /// motion of a settling body outlasts its rest.
    pub calmed: Real,
    /// Greatest acceleration left by the substepping solver's forces in the step in which a body
    /// falls asleep, as a share of gravity or of what the largest force on it would cause. Larger:
    /// forces of sleeping bodies are out of balance. Smaller: large piles stay awake for long.
    pub residual: Real,
    /// Ratio of the waiting times, before an equilibrium is asked for, of bodies that stay in place
    /// although they are fast, and of slow bodies. Larger: bodies that oscillate from step to step
    /// stay awake for longer. Smaller: settling piles are solved in vain.
    pub in_place_patience: u16,
    /// Steps for which all bodies of an island must be still and in equilibrium before it falls
    /// asleep. Larger: piles cost time for longer. Smaller: bodies at the top of their flight may
    /// be caught.
    pub steps: u16,
}

/// The values.
pub(crate) const SLEEP: Sleep = Sleep { speed: 1e-3, calmed: 0.5, residual: 1e-3, in_place_patience: 4, steps: 10 };

/// Relative path of two flat-faced bodies after which their manifold is rebuilt, as a share of the
/// margin within which its points were searched. Larger: contact points lag behind the faces, and
/// from 1 on corners sink in that were too far away to be found. Smaller: settling piles cost more.
pub(crate) const RECYCLE_PER_MARGIN: Real = 0.5;

/// Path after which separations advanced by the solver are computed from the poses again (m, at
/// unit length). Larger: the normal lags behind
/// `JACOBIAN_REFRESH_PATH`(super::JACOBIAN_REFRESH_PATH). Smaller: done in every step of a settled
/// pile.
pub(crate) const SEPARATION_UPDATE_PATH: Real = 0.5 * JACOBIAN_REFRESH_PATH;

/// Ratio of a box's sweep to the body's reach in the step above which the box is renewed. Larger:
/// stopped bodies keep the long boxes of their fall. Smaller: braking bodies renew their boxes in
/// every step.
pub(crate) const BOX_MAX_SWEEP_STEPS: Real = 4.0 * BOXES.sweep_steps;

/// Radius of a half-space about a point, for bounds of its motion when it turns (m).
pub(crate) const HALF_SPACE_RADIUS: Real = 1e6;

/// Overlap along its own normal up to which a contact may be a ghost; deeper only where it is
/// deeper than across the face (m, at unit length). Larger: narrow rims carry nothing. Smaller:
/// bodies flush with a tile's side stop there.
pub(crate) const GHOST_TOUCH: Real = 0.1 * GHOST_DEPTH;

/// Overlap at the step's end above which a contact that is not square to the separating face is
/// closing, and may be a ghost (m, at unit length). Larger: slow balls feel the edges of tiles.
/// Smaller: bodies in a groove fall in by noise.
pub(crate) const GHOST_CLOSING: Real = 0.05 * GHOST_DEPTH;

/// Greatest restitution in an island for `IMPACTS.pile_resting_height`: an impact loses half its
/// energy below it. Larger: elastic piles lose energy. Smaller: jams of bouncy bodies spend their
/// time on slow impacts.
pub(crate) const PILE_RESTITUTION: Real = FRAC_1_SQRT_2;

/// Steps for which all bodies of an island must be slow before the direct solver is asked for an
/// equilibrium; asked again after twice as many. Larger: islands that oscillate on the substepping
/// solver's springs stay awake for longer. Smaller: settling piles are solved in vain.
pub(crate) const EQUILIBRIUM_CHECK_STEPS: u16 = 3 * SLEEP.steps;
