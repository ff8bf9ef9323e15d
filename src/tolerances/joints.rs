//! Tolerances of joints.

use crate::math::Real;

/// CFM (constraint force mixing) of joints: fraction added to the diagonal of the Delassus matrix.
/// Larger: heavy loads stretch light chains; smaller: rounding, or in `f64` substep errors, decide
/// how redundant joints share a load, without bound.
pub const JOINT_SLACK: Real = if size_of::<Real>() == 8 { 1e-6 } else { 256.0 * Real::EPSILON };

/// CFM of contact-free groups with `Accuracy::Game`. Larger: chains stretch; smaller: linearisation
/// errors of fast rotations are amplified, and light chains tear under heavy balls.
pub const JOINT_SLACK_FREE: Real = 256.0 * f32::EPSILON as Real;

/// Substep length (s) below which the compliance by [`JOINT_SLACK`] no longer falls, with
/// `Accuracy::Game`. Larger: long chains hold loads more softly; smaller: taut bridges ask for ever
/// more substeps.
pub const JOINT_STIFF: Real = 1.0 / 480.0;

/// CFM of the friction of an axis with a motor. Larger: friction lags by some passes; smaller:
/// motor and friction get huge opposite impulses until one reaches its bound.
pub const JOINT_YIELD: Real = 0.05;

/// CFM of limits in groups of several joints. Larger: heavy loads push limits in; smaller: rounding
/// decides how redundant limits share a load.
pub const RANGE_SLACK: Real = 1e-3;

/// CFM of ropes in groups of several joints. Larger: heavy loads stretch ropes; smaller: rounding
/// decides how redundant ropes share a load, and loads tremble.
pub const ROPE_SLACK: Real = 1e-2;

/// Minimum compliance of a spring per substep, relative to its inverse effective mass. Larger:
/// damps springs; smaller: divides by zero without damping.
pub const JOINT_GIVE: Real = 1e-12;

/// Maximum correction speed of position errors (m/s, rad/s). Larger: separated joints pass through
/// obstacles between them; smaller: they close late.
pub const JOINT_PUSH: Real = 20.0;

/// ERP per substep of loops, with `Accuracy::Game`; 1 elsewhere. Nearly redundant taut joints
/// answer a full correction of a tiny error with huge impulses. Larger: loaded pallets on chains
/// explode; smaller: separated joints close late.
pub const JOINT_MEND: Real = 0.25;

/// Energy guard: allowed relative energy gain of a group by its joints, with `Accuracy::Exact`
/// (1/s). Larger: snapping chains gain energy; smaller: the oscillating error of the substep counts
/// as a gain, and pendulums run down.
pub const JOINT_THRIFT: Real = 0.02;

/// Load ratio: joint force over the weight of its lighter body, above which loops fall back to
/// `Accuracy::Game`. Larger: taut loaded loops explode in `Exact`; smaller: lightly loaded loops
/// lose precision.
pub const JOINT_STRAIN: Real = 30.0;

/// Maximum couplings per joint, on average, of a group for the direct solver; a chain has 1, a 12
/// by 12 grid 10. Larger: grids cost a multiple of iterative joints; smaller: they have errors of
/// millimetres.
pub const JOINT_FILL: usize = 10;

/// ERP per substep of iterative joints. Larger: needs more [`NET_LEAK`]; smaller: errors close
/// late.
pub const NET_MEND: Real = 0.1;

/// Impulse decay per substep of iterative joints. All modes are stable for at least half of
/// [`NET_MEND`] (Routh-Hurwitz). Larger: joint errors under loads grow by the ratio of the two;
/// smaller: slow modes diverge.
pub const NET_LEAK: Real = 0.05;

/// Substeps per 1/60 s of islands with iterative joints. Joint errors fall with the square; the
/// cost grows in proportion.
pub const NET_SUBSTEPS: u32 = 16;

/// Maximum phase per substep (rad) on taut iterative joints. Larger: above 2 they diverge; smaller:
/// more substeps.
pub const NET_SWING: Real = 1.5;

/// Substeps per 1/60 s of islands of joints without contacts. The period error of a pendulum of 1 m
/// is 1e-5 and falls with the square.
pub const JOINT_SUBSTEPS: u32 = 4;

/// Substeps per 1/60 s of piles of small joint groups, such as ragdolls ([`JOINED_TREE`]): islands
/// with half to twice as many joints as bodies in contact. Larger: cost; smaller: bodies overlap by
/// centimetres.
pub const JOINED_SUBSTEPS: u32 = 5;

/// Maximum joints of a group in a pile ([`JOINED_SUBSTEPS`]). Larger: long chains and bridges get
/// too few substeps and diverge under impacts; smaller: piles of ragdolls cost more.
pub const JOINED_TREE: usize = 24;

/// Maximum phase per substep (rad) of a body that oscillates on taut joints (geometric stiffness).
/// Larger: above 2 it diverges; smaller: more substeps. The frequency error is a twenty-fourth of
/// the square.
pub const JOINT_SWING: Real = 0.5;

/// As [`JOINT_SWING`] (rad), in piles with impulse prediction ([`FORESEEN_CONTACTS`]), which is
/// less stable. Larger: loaded chains in piles come apart; smaller: more substeps.
pub const HEAP_SWING: Real = 0.35;

/// Impulse prediction: minimum contacts of a pile, with `Accuracy::Game`. Larger: joints of small
/// piles come apart; smaller: landings handled as impacts ([`LINKED_POINTS`](super::LINKED_POINTS))
/// spoil the prediction, and energy grows.
pub const FORESEEN_CONTACTS: usize = 64;

/// Impulse prediction: maximum squared relative error of the last prediction. Larger: oscillating
/// impulses are amplified; smaller: joints of falling ragdolls come apart by more.
pub const FORETOLD: Real = 0.25;

/// Overlap (m) above which friction between jointed bodies fades, so that wedged limbs slip out.
/// Larger: wedges stay, and joints at rest have errors of millimetres; smaller: grippers lose heavy
/// objects.
pub const WEDGED: Real = 0.005;

/// Geometric stiffness: phase per substep (rad) above which inertias are raised, with
/// `Accuracy::Exact`. Larger: above 1.4 straight bridges diverge; smaller, below [`JOINT_SWING`]:
/// resolved motion changes.
pub const TAUT_SWING: Real = 0.7;

/// Geometric stiffness: maximum factor of an inertia. Larger: rounding destroys the inertia about
/// the tension axis; smaller: tauter joints diverge.
pub const TAUT_MOST: Real = if size_of::<Real>() == 8 { 1e9 } else { 1e3 };

/// Contact force over weight above which the joints of a body are solved again after the contacts.
/// Contacts and joints in turn converge by `r / (1 + r)` per substep at a load ratio `r`. Larger:
/// loads creep on light planks; smaller: piles cost more.
pub const JOINT_BURDEN: Real = 1.5;

/// Rotation per substep (rad) above which a group is linearised a second time. The error of one
/// linearisation is its square. Larger: joints come apart and correction adds energy; smaller:
/// cost.
pub const JOINT_AGAIN: Real = 0.02;

/// Maximum further solutions of bounded groups in piles, while they rotate bodies by more than
/// [`JOINT_SETTLED`]. Smaller: struck limits are violated, and elbows come apart; larger: cost.
pub const JOINT_MORE: u32 = 3;

/// Change of rotation (rad) by a solution below which a bounded group has converged: see
/// [`JOINT_MORE`]. Larger: the same as fewer solutions; smaller: cost at rest.
pub const JOINT_SETTLED: Real = 0.005;

/// Rotation per substep (rad) above which groups in contact are not linearised again, except in
/// piles. Only for `f64`, whose small [`JOINT_SLACK`] amplifies linearisation errors. Larger:
/// loaded light chains tear; smaller: whips gain energy.
pub const JOINT_ASTRAY: Real = if size_of::<Real>() == 8 { 0.1 } else { 1e6 };

/// Maximum substeps of a step for peak loads of joints in contact. Larger: cost; smaller: joints of
/// falling ragdolls come apart. Sustained loads have no such maximum.
pub const JOINT_BLOW: u32 = 16;

/// Sustained load: fraction of a rise that counts per step. Larger: landings ask for substeps like
/// sustained loads; smaller: new loads are resolved too coarsely for more than half a second.
pub const JOINT_LASTING: Real = 1.0 / 32.0;

/// Rotation per step (rad) up to which one gyroscopic midpoint term per step suffices for a jointed
/// body. Larger: whips gain energy from step to step; smaller: more bodies rotate their inertia per
/// substep.
pub const JOINT_PRECESSION: Real = 0.5;

/// Rotation per step (rad) above which a rotation vector is replaced by the equivalent one about
/// the opposite axis, or by whole turns: the composition series fails near 2 pi. It must exceed pi.
pub const TURN_ABOUT: Real = 4.7;

/// Product of two rotations (rad^2) and the sine between their axes, above which they are composed
/// by quaternions instead of a series. Larger: fast gyroscopic motion gains energy; smaller: cost.
pub const TURN_WOBBLE: Real = 0.02;

/// Sine of the angle between successive rotations below which the axis counts as constant. Larger:
/// see [`TURN_ABOUT`]; smaller: fast wheels on axles with springs or limits jump by a turn.
pub const TURN_ASIDE: Real = 0.1;

/// Maximum rotation per substep (rad) of a body whose inertia rotates with it. Larger: precession
/// drifts, and above 1 energy grows; smaller: more substeps.
pub const TUMBLE_TURN: Real = 0.25;

/// Fixed-point iterations of the gyroscopic midpoint rule. Each leaves the rotation per substep as
/// a fraction of the error. Fewer: free rotation gains energy.
pub const TUMBLE_ROUNDS: u32 = 3;

/// Maximum change of direction (rad) of an angular velocity by joint torques in a step, for the
/// gyroscopic term ([`MidpointInertia`](crate::joint::MidpointInertia)). Larger: it follows impacts
/// that are over; smaller: tops on joints creep.
pub const JOINT_TWIST: Real = 0.5;

/// Position-level solutions per pass, for `Game` and `Exact`. Each leaves the rotation per substep
/// squared as a fraction of the error. Bounded groups get one more, or in piles up to
/// [`JOINT_MORE`].
pub const JOINT_ROUNDS: [u32; 2] = [1, 3];

/// Length (m) below which rods and ropes are point constraints. Larger: loads hang too high by it;
/// smaller: the direction is rounding, and loads tremble.
pub const SHORTEST_ROD: Real = 1e-5;

/// Maximum retries of the active-set solve; each removes at least one row. Fewer: platforms on four
/// ropes gain momentum; more: cost where many ropes come taut at once.
pub const CUT_ROUNDS: u32 = 4;

/// Distance to a limit (rad, m), besides the motion of two steps, within which a joint needs a
/// solver with limits. Larger: joints near limits leave the direct solver; smaller: limits are
/// passed first.
pub const LIMIT_MARGIN: f64 = 1e-2;

/// Joint error (m, rad) at the end of a step that the direct solver leaves. Larger: joints drift
/// that far; smaller: it works on rounding.
pub const JOINT_CLOSED: f64 = if size_of::<Real>() == 4 { 1e-6 } else { 1e-12 };

/// Maximum position corrections per step in the direct solver. Each leaves the square of an angular
/// error. Fewer: fast chains come apart; more: cost where joints contradict each other.
pub const CLOSING_ROUNDS: u32 = 8;

/// Rotation per step (rad) above which a jointed island is solved at its midpoint. Larger: hanging
/// bodies oscillate with it and never sleep; smaller: rounding triggers it.
pub const HALFWAY_TURN_TIED: f64 = if size_of::<Real>() == 4 { 1e-7 } else { 1e-12 };

/// Maximum phase per step (rad) on taut joints for the direct solver. Larger: above 2 midpoint
/// solutions diverge; smaller: bridges stay in the substepping solver and do not sleep.
pub const TIED_SWING: Real = 1.5;
