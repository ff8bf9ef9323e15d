//! Tolerances of the step: thresholds between its stages.

use crate::math::Real;

/// A quaternion whose squared length is off one by no more than this is taken as it is (no unit). Lower: bodies are written
/// back after every step of a game that rounds differently. Higher: shapes are scaled visibly.
pub const UNIT_QUATERNION: Real = 1e-5;

/// No coordinate of a body's position, velocity or spin may be larger (m, m/s, rad/s). Lower: what falls for hours is stopped.
/// Higher: squares of `f32` overflow.
pub const FARTHEST: Real = 1e15;

/// Surfaces this close touch (m, for bodies of about 1 m). Lower: rounding makes resting contacts flicker. Higher: contacts
/// begin before anything is seen to meet.
pub const TOUCH: Real = if size_of::<Real>() == 4 { 1e-4 } else { 1e-6 };

/// Contacts are looked for this far beyond what the bodies can travel in the step (m, for bodies of about 1 m). Lower: points
/// of a rocking face come and go. Higher: more contacts that carry nothing.
pub const SPECULATIVE_MARGIN: Real = 0.02;

/// A pair is collided this much farther out than it could matter, so that its answer lasts for some steps (m, for bodies of
/// about 1 m). Lower: pairs that drift past each other are collided in every step. Higher: clipping for nothing.
pub const NEAR_SLACK: Real = 0.02;

/// With `Accuracy::Game`, [`SPECULATIVE_MARGIN`] and [`NEAR_SLACK`] of flat faces are no more than this part of the radius of the smaller body. No unit. Higher: of a box of a few
/// centimetres in a world of metres all eight corners are near the floor, the four that are kept are not always those that it turns
/// over, and it rattles for good, as deep in as it is thick. Lower: contacts of small bodies are met later. With
/// `Exact`, elastic balls of 0.1 m lost energy by it: what the first impact of a step throws them at was not there.
pub const NEAR_PART: Real = 0.1;

/// The path that two bodies with flat faces may move against each other before their manifold is made anew (m, for bodies of
/// about 1 m). Lower: the narrow phase of a settling pile costs more. Higher: contact points lag behind the faces.
pub const RECYCLE_PATH: Real = 0.01;

/// The same where a surface is round: there the contact point wanders as the body rolls, so it must follow closely, unless the
/// solver carries the contact on ([`FOLLOW_PATH`]).
pub const RECYCLE_PATH_ROUND: Real = 1e-5;

/// While there is a gap between round surfaces, the path is at least this part of it: what moves less in a step than that does
/// not close it. No unit. Lower: open contacts of a heap are made anew in every step. Higher: what meets all the same, because it is
/// hit, meets along a normal that lags by more.
pub const RECYCLE_GAP_ROUND: Real = 0.25;

/// The same for a mesh or a height field, and for compounds with round parts, against anything but a round shape. Lower: bodies at rest on terrain are
/// collided again and again. Higher: they meet the next triangle late.
pub const RECYCLE_PATH_COMPOSITE: Real = 1e-3;

/// The path that two bodies may move before the separations that the solver carries on are computed from their poses again, and
/// round surfaces among them are collided anew (m, for bodies of about 1 m). Lower: it is done in every step of a settled pile.
/// Higher: the normal that the solver reads when it computes its rows anew ([`ROWS_TRAVEL`](super::ROWS_TRAVEL)) lags behind.
pub const FOLLOW_PATH: Real = 2.5e-4;

/// How much the box of a collider is enlarged, as a fraction of its largest half extent.
pub const BOX_MARGIN_FRACTION: Real = 0.2;

/// The most that the box of a collider is enlarged (m, for bodies of about 1 m). Lower: boxes are renewed more often. Higher:
/// more pairs that do not touch.
pub const BOX_MARGIN: Real = 0.05;

/// How many steps of travel a renewed box looks ahead. Lower: fast bodies renew their boxes in every step. Higher: they pair
/// with what they never reach.
pub const BOX_SWEEP_STEPS: Real = 2.0;

/// A box that was swept farther ahead of its body than this many times what the body can still move in a step is renewed (no
/// unit). Lower: what brakes renews its box in every step. Higher: bodies at rest keep boxes that are as long as their fall was
/// fast.
pub const BOX_AHEAD: Real = 8.0;

/// A part of the broad phase's tree, about a twentieth, is built anew whenever one in this many of its boxes has changed (no
/// unit). Lower: the tree of a world in motion decays, to fifty times the cost within a minute. Higher: settling piles pay for
/// order they do not need.
pub const TREE_UPKEEP: usize = 20;

/// The radius that a half-space counts with when it turns (m).
pub const HALF_SPACE_RADIUS: Real = 1e6;

/// The most impacts of one contact in a step before it goes on plastically, with `Accuracy::Game` in islands of more than
/// [`SMALL_ISLAND`] points. Lower: heaps lose their bounce early. Higher: cascades through piles cost more, and differ in
/// energy by a thousandth.
pub const IMPACTS_PER_CONTACT_GAME: u32 = 4;

/// The same with `Accuracy::Exact`.
pub const IMPACTS_PER_CONTACT_EXACT: u32 = 8;

/// The same in smaller islands. A ball's last hops all fall into one step. Lower: with long steps they are cut short. Higher:
/// only cost.
pub const IMPACTS_PER_CONTACT_SMALL: u32 = 50;

/// Points up to which an island counts as small for [`IMPACTS_PER_CONTACT_SMALL`].
pub const SMALL_ISLAND: usize = 64;

/// The most work on the impacts of an island in a step, counted as contacts looked at (see
/// [`Limits::visits`](crate::impact::propagation::Limits::visits)), is this much for each of its points, and for
/// [`IMPACT_BUDGET`] more. Lower: cascades through piles are cut short. Higher: only cost, where much jams at once.
pub const IMPACT_VISITS: u64 = 64;

/// Points that every island may work for, however few it has. Lower: small islands are cut short. Higher: only cost, where
/// many small ones jam at once.
pub const IMPACT_BUDGET: u64 = 64;

/// How many plastic impacts follow the last bounce that a contact is allowed, at the most. Fewer: what is pressed together
/// from all sides is left approaching to the resting solver. More: only cost.
pub const PLASTIC_IMPACTS: u32 = 4;

/// Sweeps over what is left at the bound of an island. Fewer: more approach is left to the resting solver. More: only cost.
/// Any number loses energy and none gains it.
pub const CLOSE_OUT_SWEEPS: u32 = 8;

/// Moments this close together, as a part of the step, are the same when impacts are batched. Larger: impacts that follow
/// each other are taken at once. Smaller: rounding breaks symmetric ones.
pub const TIE_MOMENT: f64 = 1e-9;

/// Approaches this close together, relatively, are the same when impacts are batched. Larger: impacts that follow each other
/// are taken at once. Smaller: rounding of the normals breaks symmetric ones.
pub const TIE_APPROACH: f64 = if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 };

/// How much farther apart, as a part of `a h²`, the resting solver sees what is about to bounce in the next step (no unit): it
/// moves bodies by whole substeps, and with one of them falls this much too far. Lower: it stops, plastically, what it takes
/// for touching. Higher: bodies that it pushes at each other overlap for a step.
pub const CLOSING_SLACK: f64 = 0.5;

/// Sine of the angle between a contact's arm and its normal up to which the contact is in line with the centre of mass (no
/// unit). Larger: bodies that ought to topple are held for a step. Smaller: rounding makes balls hop at rest.
pub const CENTRAL: f64 = 1e-6;

/// Steps of Newton's method to the moment at which two balls meet whose accelerations differ. It starts within a step's
/// curvature of the answer and doubles its digits: fewer leave a gap, more are never needed.
pub const CLOSING_ITERATIONS: u32 = 8;

/// Gap of meeting balls that ends the search, as a part of the distance of their centres. Larger: normals are off by as much
/// as the balls turn about each other meanwhile. Smaller: rounding.
pub const CLOSING_RESIDUAL: f64 = 1e-13;

/// Shapes that a plane keeps apart but for this depth until the step's end slide past each other (m, for bodies of about 1 m), beside what
/// stands still. Lower: what has sunk in a little stumbles over the next tile of a floor. Higher: steps of this height are no obstacle.
pub const GRAZE_DEPTH: Real = 1e-3;

/// They slide past only if they overlap by no more than this along their contact's own normal, or by more than across the plane (m, for bodies
/// of about 1 m). Lower: what has come flush with a tile's side by rounding stops there. Higher: rims as narrow as [`GRAZE_DEPTH`] carry nothing.
pub const GRAZE_TOUCH: Real = 1e-4;

/// The cosine up to which such a plane's normal is square to the contact's: a side beside a top. Then it does not matter whether they
/// close. Lower: what is pushed slowly from tile to tile stops. Higher: what lies in a groove is taken for what slides over it.
pub const GRAZE_ASIDE: Real = 0.1;

/// The cosine from which on it is the contact's own normal: then they touch on that plane. Lower: a ball that rolls fast jumps at the edge of
/// each tile. Higher: by rounding nothing stands on a face.
pub const GRAZE_SAME: Real = 1.0 - 1e-5;

/// In between contacts count as closing that would be past each other by this depth at the step's end (m, for bodies of about 1 m). Lower: what lies
/// in a groove falls in by noise. Higher: slow balls feel the edges of tiles.
pub const GRAZE_CLOSING: Real = 5e-5;

/// Contacts that begin impacts, outside the island that has most of them, from which on the islands are shared out between
/// threads. Fewer cost more to hand over than to solve, and the greatest island keeps one thread busy at any rate.
pub const IMPACTS_FOR_HELP: usize = 32;

/// Gaps up to this count as closed in the impacts stage (m, for bodies of about 1 m). Lower: rounding of positions delays
/// impacts. Higher: bodies bounce before they meet.
pub const IMPACT_TOUCH: Real = if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 };

/// Approach slower than this part of the fastest body in a cluster is rounding and no impact. Lower: contacts in weightless
/// worlds use up their impacts on rounding. Higher: slow impacts beside fast ones are swallowed.
pub const IMPACT_NOISE: f64 = if size_of::<Real>() == 4 { 1e-6 } else { 1e-12 };

/// The height of a bounce that counts as rest with `Accuracy::Game` where the settings name none (m, for bodies of about
/// 1 m). Lower: piles spend their time on the last tiny impacts. Higher: visible bounces are swallowed.
pub const RESTING_TOLERANCE_GAME: Real = 1e-4;

/// The same in islands of more than [`SMALL_ISLAND`] points. Lower: what jams hits itself again and again, with
/// 1e-4 four times as often, for an energy that differs by a few thousandths. Higher: visible bounces are swallowed.
pub const RESTING_TOLERANCE_HEAP: Real = 2.5e-3;

/// The greatest restitution in an island for which [`RESTING_TOLERANCE_HEAP`] counts (no unit): up to it an impact loses half its energy at
/// any rate. Lower: jams of lively bodies spend their time on slow impacts. Higher: elastic heaps lose energy, 66 J of 10 s where
/// 216 balls bounce with all of it.
pub const HEAP_RESTITUTION: Real = 0.7;

/// [`RESTING_TOLERANCE_GAME`] with `Accuracy::Exact`. Lower: cascades in piles grow by orders of magnitude. Higher: the time at which a
/// bouncing ball comes to rest is early by more than a thousandth.
pub const RESTING_TOLERANCE_EXACT: Real = 2.5e-7;

/// Islands of up to this many points take plastic collisions one by one too, with the impact law; larger ones all at once in
/// the resting solver, which loses no less energy.
pub const PLASTIC_POINTS: usize = 8;

/// In larger islands the plastic collisions of jointed bodies that are faster than this are impacts with `Accuracy::Game` (m/s, for bodies of
/// about 1 m), which are felt through joints; slower ones are left to the resting solver. Lower: the impacts of ragdolls that lie on each
/// other take longer than all else. Higher: what is heavy and stands on light links bounces where it lands.
pub const PLASTIC_SPEED_GAME: Real = 1.0;

/// The same with `Accuracy::Exact`, whose resting solver gives more of it back. Lower: flat ends that land point by point keep a hop of
/// some hundredths of their fall. Higher: what stands on light links bounces.
pub const PLASTIC_SPEED_EXACT: Real = 0.3;

/// In islands of more points `Accuracy::Game` leaves those of jointed bodies to the resting solver too. Lower: a machine that lands beside
/// others bounces on its light links. Higher: heaps of ragdolls take a fifth longer while they come down.
pub const LINKED_POINTS: usize = 64;

/// Bodies that move slower than this may be parked (m/s at their farthest point, for bodies of about 1 m). Lower: noise keeps
/// piles awake. Higher: slow falls are caught in the air.
pub const REST_SPEED: Real = 1e-3;

/// Bodies whose mean acceleration over a step is below this fraction of gravity hold still. Lower: large piles stay awake
/// for long. Higher: leaning towers are parked.
pub const REST_RESIDUAL: Real = 1e-3;

/// Steps for which all bodies of an island must be slow before the exact laws are asked, once in as many, whether forces could
/// hold what still swings on the scalable solver's springs. Fewer: large islands are searched in vain while they settle. More: they
/// stay awake for longer.
pub const CERTIFY_STEPS: u16 = 30;

/// How many times longer than slow bodies those must wait that stay where they are although they are faster. Less: piles that settle
/// are searched in vain. More: what goes to and fro from step to step stays awake for longer.
pub const SWING_PATIENCE: u16 = 4;

/// Steps for which all bodies of an island must hold still before it is parked.
pub const REST_STEPS: u16 = 10;

/// Substeps with `Accuracy::Exact`. Lower: softer contacts. Higher: slower.
pub const EXACT_SUBSTEPS: u32 = 32;

/// A body whose velocity the solver changed by more than this part of it, beside free motion, was pushed. Lower: rounding
/// of the substeps replaces the exact law of flight. Higher: weak pushes are lost.
pub const PUSHED: Real = 64.0 * Real::EPSILON;

/// Early stop of the solver with `Accuracy::Exact` (m/s).
pub const EXACT_STOP: Real = 0.0;

/// A new contact point goes on with the impulse of an old one within this distance where no features agree (m, for bodies of
/// about 1 m). Lower: rolling contacts start cold. Higher: impulses jump to points they do not belong to.
pub const INHERIT_DISTANCE: Real = 0.02;
