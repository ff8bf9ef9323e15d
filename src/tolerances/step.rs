//! Tolerances of the step: thresholds between its stages.

use crate::math::Real;

/// Deviation from one of the squared length of a quaternion that is accepted as it is. Larger:
/// shapes are scaled visibly. Smaller: the step writes back bodies of a game that rounds
/// differently.
pub const UNIT_QUATERNION: Real = 1e-5;

/// Greatest coordinate of a position, velocity or angular velocity (m, m/s, rad/s). Larger: squares
/// overflow in `f32`. Smaller: bodies that fall for hours are stopped.
pub const FARTHEST: Real = 1e15;

/// Separation up to which surfaces touch (m, at unit length). Larger: contacts begin visibly early.
/// Smaller: rounding makes resting contacts flicker.
pub const TOUCH: Real = if size_of::<Real>() == 4 { 1e-4 } else { 1e-6 };

/// Speculative margin: contacts are searched this far beyond the travel of the step (m, at unit
/// length). Larger: more contacts without load. Smaller: points of a rocking face come and go.
pub const SPECULATIVE_MARGIN: Real = 0.02;

/// Additional distance at which a pair is collided, so that the answer stays valid for several
/// steps (m, at unit length). Larger: clipping in vain. Smaller: passing pairs are collided in
/// every step.
pub const NEAR_SLACK: Real = 0.02;

/// Bound, with `Accuracy::Game`, of [`SPECULATIVE_MARGIN`] and [`NEAR_SLACK`] of flat faces as a
/// share of the smaller body's radius. Larger: all eight corners of a small box are near the floor,
/// the four kept change, and it rattles. Smaller: small bodies are met late.
pub const NEAR_PART: Real = 0.1;

/// Relative path of two flat-faced bodies after which their manifold is rebuilt (m, at unit
/// length). Larger: contact points lag behind the faces. Smaller: settling piles cost more.
pub const RECYCLE_PATH: Real = 0.01;

/// [`RECYCLE_PATH`] for round surfaces, whose contact point moves as they roll, unless the solver
/// advances the contact ([`FOLLOW_PATH`]).
pub const RECYCLE_PATH_ROUND: Real = 1e-5;

/// Least recycling path of separated round surfaces, as a share of their gap. Larger: bodies that
/// are hit meet along a normal that lags more. Smaller: open contacts of a pile are rebuilt in
/// every step.
pub const RECYCLE_GAP_ROUND: Real = 0.25;

/// [`RECYCLE_PATH`] for meshes, height fields and compounds with round parts. Larger: bodies meet
/// the next triangle late. Smaller: bodies at rest on terrain are collided again and again.
pub const RECYCLE_PATH_COMPOSITE: Real = 1e-3;

/// Path after which separations advanced by the solver are computed from the poses again (m, at
/// unit length). Larger: the normal lags behind [`ROWS_TRAVEL`](super::ROWS_TRAVEL). Smaller: done
/// in every step of a settled pile.
pub const FOLLOW_PATH: Real = 2.5e-4;

/// Margin of a collider's box, as a share of its largest half extent, up to [`BOX_MARGIN`]. Larger
/// and smaller: as there.
pub const BOX_MARGIN_FRACTION: Real = 0.2;

/// Greatest margin of a collider's box (m, at unit length). Larger: more pairs that do not touch.
/// Smaller: boxes are renewed more often.
pub const BOX_MARGIN: Real = 0.05;

/// Steps of travel by which a renewed box is swept. Larger: fast bodies pair with what they never
/// reach. Smaller: they renew their boxes in every step.
pub const BOX_SWEEP_STEPS: Real = 2.0;

/// Ratio of a box's sweep to the body's reach in the step above which the box is renewed. Larger:
/// stopped bodies keep the long boxes of their fall. Smaller: braking bodies renew their boxes in
/// every step.
pub const BOX_AHEAD: Real = 8.0;

/// Reciprocal share of changed boxes at which a twentieth of the broad phase's tree is rebuilt.
/// Larger: settling piles pay for it in vain. Smaller: the tree decays, to fifty times its cost
/// within a minute of motion.
pub const TREE_UPKEEP: usize = 20;

/// Radius of a half-space about a point, for bounds of its motion when it turns (m).
pub const HALF_SPACE_RADIUS: Real = 1e6;

/// Impacts of one contact in a step with restitution, with `Accuracy::Game` in islands above
/// [`SMALL_ISLAND`]; then it is plastic. Larger: cascades through piles cost more, for a thousandth
/// of the energy. Smaller: piles lose their bounce early.
pub const IMPACTS_PER_CONTACT_GAME: u32 = 4;

/// [`IMPACTS_PER_CONTACT_GAME`] with `Accuracy::Exact`.
pub const IMPACTS_PER_CONTACT_EXACT: u32 = 8;

/// [`IMPACTS_PER_CONTACT_GAME`] in islands up to [`SMALL_ISLAND`], where the last hops of a ball
/// share one step. Larger: only cost. Smaller: hops in long steps are cut short.
pub const IMPACTS_PER_CONTACT_SMALL: u32 = 50;

/// Contact points up to which an island is small for [`IMPACTS_PER_CONTACT_SMALL`].
pub const SMALL_ISLAND: usize = 64;

/// Work per contact point on the impacts of an island in a step, in contact updates (see
/// [`Limits::visits`](crate::impact::propagation::Limits::visits)). Larger: only cost in jams.
/// Smaller: cascades through piles are cut short.
pub const IMPACT_VISITS: u64 = 64;

/// Contact points added to every island for [`IMPACT_VISITS`]. Larger: only cost, if many small
/// islands jam. Smaller: small islands are cut short.
pub const IMPACT_BUDGET: u64 = 64;

/// Plastic impacts of a contact in a step after its last bounce. More: only cost. Fewer: bodies
/// pressed from all sides still approach when the solver takes over.
pub const PLASTIC_IMPACTS: u32 = 4;

/// Gauss-Seidel sweeps over the remaining approach of an island whose work is used up. More: only
/// cost. Fewer: more approach is left to the solver. Any number only loses energy.
pub const CLOSE_OUT_SWEEPS: u32 = 8;

/// Difference of moments, as a fraction of the step, within which batched impacts are simultaneous.
/// Larger: successive impacts are merged. Smaller: rounding breaks symmetric ones.
pub const TIE_MOMENT: f64 = 1e-9;

/// Relative difference of approach speeds within which batched impacts are simultaneous. Larger:
/// successive impacts are merged. Smaller: rounding of the normals breaks symmetric ones.
pub const TIE_APPROACH: f64 = if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 };

/// Additional separation, in units of `a h²`, of a contact that is about to bounce in the next
/// step: the lead of one substep over the exact motion. Larger: bodies overlap for a step. Smaller:
/// the solver stops them plastically.
pub const CLOSING_SLACK: f64 = 0.5;

/// Sine of the angle between a contact's arm and its normal up to which the normal passes through
/// the centre of mass. Larger: toppling bodies are held for a step. Smaller: rounding makes resting
/// balls hop.
pub const CENTRAL: f64 = 1e-6;

/// Newton iterations for the moment at which two balls of different acceleration meet. They
/// converge quadratically: more are never needed, fewer leave a gap.
pub const CLOSING_ITERATIONS: u32 = 8;

/// Gap that ends that search, relative to the distance of the centres. Larger: the normals' error.
/// Smaller: rounding.
pub const CLOSING_RESIDUAL: f64 = 1e-13;

/// Depth up to which a face separates two shapes until the step's end, so that their contact is a
/// ghost (m, at unit length). Larger: steps of this height are no obstacle. Smaller: bodies that
/// sank in stumble over the next tile.
pub const GRAZE_DEPTH: Real = 1e-3;

/// Overlap along its own normal up to which a contact may be a ghost; deeper only where it is
/// deeper than across the face (m, at unit length). Larger: narrow rims carry nothing. Smaller:
/// bodies flush with a tile's side stop there.
pub const GRAZE_TOUCH: Real = 1e-4;

/// Cosine between separating face and contact normal up to which they are square: then a ghost need
/// not be closing. Larger: bodies in a groove pass for sliding ones. Smaller: slow bodies stop
/// between tiles.
pub const GRAZE_ASIDE: Real = 0.1;

/// Cosine between separating face and contact normal above which the contact lies on that face and
/// is no ghost. Larger: by rounding nothing stands on a face. Smaller: fast rolling balls jump at
/// the edges of tiles.
pub const GRAZE_SAME: Real = 1.0 - 1e-5;

/// Overlap at the step's end above which a contact that is not square to the separating face is
/// closing, and may be a ghost (m, at unit length). Larger: slow balls feel the edges of tiles.
/// Smaller: bodies in a groove fall in by noise.
pub const GRAZE_CLOSING: Real = 5e-5;

/// Seeds of impacts outside the largest island from which the islands are distributed to threads.
/// Fewer cost more to distribute than to solve.
pub const IMPACTS_FOR_HELP: usize = 32;

/// Gap that counts as closed in the impacts stage (m, at unit length). Larger: bodies bounce before
/// they meet. Smaller: rounding of positions delays impacts.
pub const IMPACT_TOUCH: Real = if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 };

/// Approach speed, relative to the fastest body of a cluster, that counts as rounding. Larger: slow
/// impacts beside fast ones are lost. Smaller: weightless worlds use up their impacts on rounding.
pub const IMPACT_NOISE: f64 = if size_of::<Real>() == 4 { 1e-6 } else { 1e-12 };

/// Height of a bounce that counts as rest with `Accuracy::Game`, unless set (m, at unit length).
/// Larger: visible bounces are lost. Smaller: piles spend their time on the last tiny impacts.
pub const RESTING_TOLERANCE_GAME: Real = 1e-4;

/// [`RESTING_TOLERANCE_GAME`] in islands above [`SMALL_ISLAND`] (m, at unit length). Larger:
/// visible bounces are lost. Smaller: jams collide up to four times as often, for a few thousandths
/// of the energy.
pub const RESTING_TOLERANCE_HEAP: Real = 2.5e-3;

/// Greatest restitution in an island for [`RESTING_TOLERANCE_HEAP`]: an impact loses half its
/// energy below it. Larger: elastic piles lose energy. Smaller: jams of bouncy bodies spend their
/// time on slow impacts.
pub const HEAP_RESTITUTION: Real = 0.7;

/// [`RESTING_TOLERANCE_GAME`] with `Accuracy::Exact` (m, at unit length). Larger: bouncing balls
/// come to rest early by more than a thousandth of the time. Smaller: cascades in piles grow by
/// orders of magnitude.
pub const RESTING_TOLERANCE_EXACT: Real = 2.5e-7;

/// Contact points up to which the plastic collisions of an island are impacts; those of larger
/// islands are solved all at once by the solver, which loses no less energy.
pub const PLASTIC_POINTS: usize = 8;

/// Speed above which plastic collisions of jointed bodies in larger islands are impacts with
/// `Accuracy::Game` (m/s, at unit length). Larger: heavy bodies bounce on light links. Smaller:
/// impacts of piled ragdolls dominate the cost.
pub const PLASTIC_SPEED_GAME: Real = 1.0;

/// [`PLASTIC_SPEED_GAME`] with `Accuracy::Exact` (m/s, at unit length), whose solver returns more
/// of the energy. Larger: bodies bounce on light links. Smaller: flat ends that land point by point
/// keep a small hop.
pub const PLASTIC_SPEED_EXACT: Real = 0.3;

/// Contact points above which an island with `Accuracy::Game` has no plastic impacts of jointed
/// bodies. Larger: piles of ragdolls take a fifth longer to settle. Smaller: a machine beside
/// others bounces on its light links.
pub const LINKED_POINTS: usize = 64;

/// Speed of a body's farthest point below which it may sleep (m/s, at unit length). Larger: slow
/// falls are stopped in the air. Smaller: noise of the solver keeps piles awake.
pub const REST_SPEED: Real = 1e-3;

/// Greatest acceleration left by the substepping solver's forces in one step, as a share of
/// gravity, for a body to count as still. Larger: leaning towers fall asleep. Smaller: large piles
/// stay awake for long.
pub const REST_RESIDUAL: Real = 1e-3;

/// Steps for which all bodies of an island must be slow before the direct solver is asked for an
/// equilibrium; asked again after as many. Larger: islands that oscillate on the substepping
/// solver's springs stay awake for longer. Smaller: settling piles are solved in vain.
pub const CERTIFY_STEPS: u16 = 30;

/// Ratio of the waiting times, before an equilibrium is asked for, of bodies that stay in place
/// although they are fast, and of slow bodies. Larger: bodies that oscillate from step to step stay
/// awake for longer. Smaller: settling piles are solved in vain.
pub const SWING_PATIENCE: u16 = 4;

/// Steps for which all bodies of an island must be still and in equilibrium before it falls asleep.
/// Larger: piles cost time for longer. Smaller: bodies at the top of their flight may be caught.
pub const REST_STEPS: u16 = 10;

/// Substeps with `Accuracy::Exact`. Larger: the cost grows in proportion. Smaller: contacts are
/// softer.
pub const EXACT_SUBSTEPS: u32 = 32;

/// Relative change of a velocity, beside that of free flight, above which the solver's velocity
/// replaces the exact law of flight. Larger: weak forces are lost. Smaller: rounding of the substeps
/// counts as a force.
pub const PUSHED: Real = 64.0 * Real::EPSILON;

/// Change of velocity at which the substepping solver stops early with `Accuracy::Exact` (m/s):
/// never.
pub const EXACT_STOP: Real = 0.0;

/// Distance within which a new contact point inherits the impulse of an old one of other features
/// (m, at unit length). Larger: impulses jump to other points. Smaller: rolling contacts start
/// cold.
pub const INHERIT_DISTANCE: Real = 0.02;
