//! Every tolerance of the engine, in one place, with its unit and what goes wrong when it moves.

use crate::math::Real;

// ---- Impact laws ----------------------------------------------------------------------------------------------

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

// ---- Resting laws ---------------------------------------------------------------------------------------------

/// How far the square of a contact normal's length may be from one. Wider lets through normals that scale forces;
/// tighter refuses normals that were rounded to `f32`.
pub const UNIT_NORMAL: f64 = 1e-5;

/// Softness of the first proximal step, in units of a contact's own compliance. Larger needs more outer iterations on
/// tall stacks; smaller needs more Newton steps on loose heaps.
pub const PROX_START: f64 = 1e-3;

/// The least softness of a proximal step. Below it the matrices lose digits (their condition is one over this).
pub const PROX_FLOOR: f64 = 1e-7;

/// The most softness after the cone stage lost its way. More is slower; less gets lost again.
pub const PROX_MOST: f64 = 0.1;

/// The most softness after the finish lost its way.
pub const PROX_AFTER_FINISH: f64 = 1e-2;

/// Softness while looking for a jam: large enough that the iteration settles on its direction at once.
pub const PROX_JAM: f64 = 1e-2;

/// The finish is tried below this residual. Higher wastes finishes that are far from the answer; lower does without
/// its quadratic convergence for longer.
pub const FINISH_BELOW: f64 = 0.1;

/// The finish is kept if it leaves less than this part of the residual. Nearer to 1 accepts stagnation.
pub const FINISH_GAIN: f64 = 0.8;

/// A finish that solved its step and left less than this many times the residual may be crawling along nearly redundant
/// contacts towards one that is about to open: it is kept,
pub const CRAWL_LOSS: f64 = 2.0;

/// but no more often than this in a row.
pub const CRAWLS: usize = 12;

/// A finish that failed below this residual is tried again with a softer step before anything is kicked,
pub const SOFTEN_BELOW: f64 = 1e-3;

/// at most this often in a row.
pub const SOFTENINGS: usize = 2;

/// The cone stage is given up if the residual grows by this factor. Lower gives up climbs that lead to the answer.
pub const CONE_LOSS: f64 = 5.0;

/// A proximal step that left more than this part of the residual is lengthened while that helps.
pub const STRIDE_ABOVE: f64 = 0.5;

/// It is lengthened while the residual grows by no more than this: along a direction that matters to nothing but a
/// contact about to open, it neither grows nor falls until that contact opens.
pub const STRIDE_LOSS: f64 = 1.001;

/// The longest such step, in lengths of the one that was found.
pub const STRIDE_MOST: f64 = 1e6;

/// Newton steps of one cone stage. Fewer give up on opening contacts; more seldom help.
pub const CONE_NEWTON_STEPS: usize = 20;

/// Newton steps of one finish.
pub const FINISH_NEWTON_STEPS: usize = 8;

/// Halvings of a step of the finish that did not shorten its gradient.
pub const FINISH_HALVINGS: usize = 6;

/// Gauss-Seidel sweeps after a stage lost its way.
pub const KICK_SWEEPS: usize = 60;

/// A stage ends when its gradient has fallen to this part of where it began, or of the residual.
pub const INNER_OF_OUTER: f64 = 0.05;

/// A stage ends at this part of the tolerance asked for. Larger keeps the outer iteration from reaching it.
pub const INNER_OF_TOLERANCE: f64 = 0.01;

/// The root of the slope along a step is found to this part of the slope at its start.
pub const LINE_SEARCH_FRACTION: f64 = 0.1;

/// The most evaluations of the slope along a step.
pub const LINE_SEARCH_EVALUATIONS: usize = 30;

/// A factor is kept while no weight changed by more than this part of itself. More makes Newton's method inexact.
pub const WEIGHT_CHANGE: f64 = 1e-9;

/// Outer iterations of Newton's method. An island that needs more than this goes on with its best impulses.
pub const NEWTON_ITERATIONS: usize = 200;

/// After this many outer iterations without an answer, an island with biases is looked at for a jam. Earlier costs
/// hard islands that are not jammed; later lets the forces of those that are grow.
pub const JAM_FIRST_LOOK: usize = 6;

/// Cone stages spent on one look for a jam.
pub const JAM_ITERATIONS: usize = 12;

/// A direction jams if it moves the bodies by less than this part of what it could. Feasible wedges show 0.3 and more.
pub const JAM_MOTION: f64 = 1e-3;

/// A direction jams if it works against the biases by more than this part of the island's speed.
pub const JAM_BIAS: f64 = 1e-3;

/// A contact belongs to a jam if it carries more than this part of the largest share.
pub const JAM_SHARE: f64 = 1e-3;

/// How far outside its cone an impulse may be, as a part of the largest: rounding.
pub const CONE_ROUNDING: f64 = 1e-9;

/// A contact that slips less than this many tolerances (of the island's speed) sticks. Lower takes the solver's own
/// error for slipping, and lets a block on a slope go over to dynamic friction.
pub const SLIP_OF_TOLERANCE: f64 = 10.0;

/// Times an island is solved again because contacts went from static to dynamic friction. Each time at least one more
/// slides for good; what still holds after this many times holds until the next step.
pub const FRICTION_TRIES: usize = 8;

/// Sweeps of the iterative law in a step. Loose heaps settle over the steps; more sweeps cost more than they gain.
pub const ITERATIVE_SWEEPS: usize = 100;

/// Sweeps over the contacts of one level in shock propagation. Fewer: bodies on several points go on rocking. More: time.
pub const SHOCK_SWEEPS: usize = 10;

/// Sweeps between two looks at the residual, which costs a third of a sweep.
pub const SWEEPS_BETWEEN_CHECKS: usize = 10;

/// A single body with at most this many contacts is swept: that takes fewer than a microsecond.
pub const SINGLE_CONTACTS: usize = 3;

/// The most contacts of an island that goes to Newton's method at once. Above, a first hundred sweeps are cheap beside
/// it.
pub const EXACT_CONTACTS: usize = 400;

/// The same for an island on the move, where Newton's method starts far from its answer.
pub const EXACT_MOVING_CONTACTS: usize = 100;

/// The most contact points of a moving island that goes to the exact laws with `Accuracy::Exact`. Larger ones take tens of
/// milliseconds in every step.
pub const EXACT_MOVING_POINTS: usize = 200;

/// The same with `Accuracy::Game`: a body that slides, or some that roll.
pub const GAME_MOVING_POINTS: usize = 64;

/// An island of which some body turns by more in a step (rad) is solved a second time, with its contacts as they are half-way,
/// with `Accuracy::Exact`. Larger: what tips and spins on a contact is late by half a step. Smaller: twice the work for
/// motion that is straight.
pub const HALFWAY_TURN_EXACT: f64 = 1e-5;

/// The same with `Accuracy::Game`.
pub const HALFWAY_TURN_GAME: f64 = 0.02;

/// How often such an island is solved again, each time with where the last answer takes it. One is right to first order in the
/// angle of a spin, two to second; more change less than the step's own error.
pub const HALFWAY_ROUNDS: u32 = 2;

/// Gaps up to this between surfaces that turn on each other (m) are the step's own error. Smaller: they close at once, and the
/// speed of that is noise. Larger: slow landings end above the surface.
pub const HALFWAY_GAP: Real = 1e-5;

/// The part of such a gap that closes in a step. Larger: noise; smaller: gaps add up.
pub const HALFWAY_CLOSING: f64 = 0.1;

/// A normal that turns by more than this many times what its bodies turn by in the step (no unit) is another contact's: where a
/// face has slid off an edge. Larger: such contacts throw bodies about. Smaller: balls that roll on balls are first order.
pub const HALFWAY_SWERVE: f64 = 2.0;

/// With `Accuracy::Game`, moving islands go to the exact laws in the order of their names until they have this many points
/// together, and all others to the scalable solver. More: a world of loose bodies spends its time here.
/// With `Accuracy::Game`, moving islands go to the exact laws while they have this many points together, and when there are
/// more of them all to the scalable solver. More: a world of loose bodies spends its time here.
pub const GAME_MOVING_BUDGET: usize = 400;

/// An island is on the move when its fastest contact meets at more than what gravity makes in this many steps.
pub const MOVING_STEPS: f64 = 10.0;

/// A large island whose sweeps leave less than this residual is settling, and goes on to Newton's method.
pub const SETTLING: f64 = 1e-3;

/// A large island whose sweeps leave more than this part of the residual is a stack, and goes on to Newton's method.
pub const STALLED: f64 = 0.5;

/// The most contacts that Newton's method is used for after sweeps. Its factors can fill with the square of the bodies.
pub const NEWTON_CONTACTS: usize = 2000;

/// Bodies slower than this are quiet (m/s at their farthest point, for bodies of about 1 m): Newton's method then starts
/// near its answer. Lower: settling stacks stay with the scalable solver for longer. Higher: collapsing heaps go to laws that
/// take many milliseconds for them.
pub const QUIET_SPEED: Real = 0.1;

/// The most contact points of a quiet island that goes to the exact laws with `Accuracy::Exact`. Larger ones take tens of
/// milliseconds when something about them changes.
pub const EXACT_POINTS: usize = 1000;

/// Impulses of the last step are kept by `Accuracy::Exact` if their residual is no larger (of the island's speed). Higher:
/// tall towers drift by micrometres. Lower: rounding starts searches. In `f32` the manifolds' impulses are rounded more.
pub const EXACT_KEEP: f64 = if size_of::<Real>() == 4 { 1e-6 } else { 1e-9 };

/// A search of `Accuracy::Exact` ends below this.
pub const EXACT_REACH: f64 = if size_of::<Real>() == 4 { 1e-8 } else { 1e-10 };

/// As [`EXACT_KEEP`] for `Accuracy::Game`. Higher: a tower that is kept awake drifts by a millimetre in a minute.
pub const GAME_KEEP: f64 = 1e-5;

/// A search of `Accuracy::Game` ends below this. Nearer to [`GAME_KEEP`], a settled island is searched again every few
/// steps.
pub const GAME_REACH: f64 = 1e-7;

/// Outer iterations of Newton's method for islands that move, and for all with `Accuracy::Game`. More: single steps take
/// longer. Fewer: more islands end with residuals above their tolerance.
pub const MOVING_ITERATIONS: usize = 40;

/// An island whose exact impulses miss by more than this (of its speed) goes to the scalable solver. Lower: islands change
/// hands over errors that nobody sees. Higher: contacts that are not yet solved are taken for solved.
pub const EXACT_FAILURE: f64 = 1e-3;

/// Steps for which an island stays with the scalable solver after the exact laws failed on it. Fewer: time is lost on hard
/// islands in every step.
pub const EXACT_WAIT: u8 = 30;

/// Where nothing is parked, an island that was proved at rest and has not changed since is asked again once in this many
/// steps, with `Accuracy::Game`. More: what is left of its acceleration, at most [`CERTIFICATE_GAME`], waits for longer; over
/// these steps it comes to no more than [`REST_SPEED`].
/// Fewer: a world of stacks at rest pays for the same proof again and again.
pub const HELD_STEPS: u32 = 64;

/// Bodies from which on an island keeps such a proof. Fewer: every loose body keeps one, for the little that its own check
/// takes. More: low stacks pay in every step.
pub const HELD_BODIES: usize = 2;

/// Searches of vanished islands that are kept for new ones, beside as many as there are at work. Fewer: scattering bodies
/// allocate. More: memory that is never used again.
pub const SPARE_SEARCHES: usize = 8;

/// Contact points from which on the islands of the exact laws are shared out between threads. Fewer cost more to hand over
/// than to solve.
pub const ROOM_FOR_HELP: usize = 200;

/// The part of an overlap that a step of the exact laws undoes. Higher: heaps shift while they are pushed apart. Lower:
/// overlaps stay for longer.
pub const PUSH_OUT: f64 = 0.2;

/// The square of the mean distance of a patch's load from its centre, as a part of the square of the patch's size, below
/// which the load counts as in one point. Lower: rounding is taken for a torque with a tiny arm, and shared out as huge
/// forces. Higher: narrow patches forget their torque between steps.
pub const PATCH_SPREAD: f64 = 1e-12;

/// Softness of the contacts that push overlaps apart, in units of their own compliance. Lower: bodies slide along faces that
/// are nearly parallel. Higher: tall stacks are lifted out of their ground more slowly.
pub const PUSH_OUT_SOFTNESS: f64 = 1e-2;

/// Where gravity is weaker than this (m/s², for bodies of about 1 m) forces are measured against this. Lower: in weightless
/// worlds rounding keeps islands awake. Higher: islands in weak gravity are parked while they fall.
pub const WEIGHTLESS: f64 = 0.1;

/// Bodies may rest if their contacts' own impulses leave no more than this acceleration, in units of gravity, with
/// `Accuracy::Exact`. It sees a ladder 0.003 % beyond its limit. Lower: rounding of normals keeps islands awake.
pub const CERTIFICATE_EXACT: f64 = 1e-5;

/// The same with `Accuracy::Game`, where shapes are known to `f32`.
pub const CERTIFICATE_GAME: f64 = 1e-4;

/// Softness of the proximal steps of block pivoting. Larger needs more of them; smaller lets the search for the set go
/// round in circles on big heaps.
pub const PIVOT_SOFTNESS: f64 = 1e-3;

/// The least softness of those steps, once they gain little.
pub const PIVOT_SOFTNESS_LEAST: f64 = 1e-7;

/// A proximal step of pivoting that leaves more than this part of the residual makes the next one ten times stiffer.
pub const PIVOT_GAIN: f64 = 0.1;

/// Pivoting gives up when its residual is this many times its best.
pub const PIVOT_LOSS: f64 = 1e3;

/// Times a softer step is tried after no set was found.
pub const PIVOT_FAILURES: usize = 1;

/// Proximal steps of pivoting.
pub const PIVOT_ITERATIONS: usize = 60;

/// Sets tried in one proximal step. Beyond it Newton's method takes over.
pub const PIVOT_STEPS: usize = 40;

/// Block exchanges without fewer wrong contacts before one contact is moved at a time.
pub const PIVOT_PATIENCE: usize = 5;

/// The most contacts of a frictionless island that goes to the linear programs where they are asked for. They take about
/// four milliseconds at this size, and grow with its cube; nothing else bounds their time.
pub const LP_CONTACTS: usize = 96;

/// Cost of a unit of force against a unit of slack in the elastic programs. Larger prefers slack to stacked forces;
/// below the solvers' own tolerance of 1e-8 it would not count.
pub const LP_FORCE_COST: f64 = 1e-3;

/// Scaled coefficients below this are left out of the programs: they are rounding, and unsettle the solvers.
pub const LP_DROP: f64 = 1e-12;

/// An answer of a program is used if its residual (in the island's speed) is no larger. Smaller refuses good answers of
/// solvers that keep to 1e-8 themselves; larger lets vanishing contacts be told from the rest wrongly.
pub const LP_ACCEPT: f64 = 1e-4;

/// An answer that misses its own program by more than this is wrong.
pub const LP_VIOLATION: f64 = 1e-5;

/// Sweeps of relaxation before vanishing contacts are guessed a second time.
pub const LP_RELAXATION_SWEEPS: usize = 60;

/// Time (s) after which `microlp` gives up a program. Far beyond what the size gate lets through: a program that
/// reaches it makes the answer depend on the machine's speed.
pub const LP_TIME_LIMIT: f64 = 5.0;

/// The most contacts of a question of statics: about a second of linear programming.
pub const STATICS_CONTACTS: usize = 400;

/// Surfaces this close hold each other in a question of statics (m, for bodies of about 1 m). Lower: what was built to
/// rounding falls apart. Higher: what does not touch yet is taken for a support.
pub const STATICS_TOUCH: Real = 1e-4;

/// The step that a question of statics is posed over (s). Forces do not depend on it, and nothing moves.
pub const STATICS_STEP: Real = 0.01;

/// Edges of the pyramid that stands in for a friction cone in the first round.
pub const STATICS_EDGES: usize = 8;

/// Rounds of linear programs, each with more edges beside those that carried force. Each takes off three quarters of
/// the eight percent by which the first pyramids fall short of their cones.
pub const STATICS_ROUNDS: usize = 10;

/// Rounds end when one gains less than this part.
pub const STATICS_GAIN: f64 = 1e-7;

/// An edge carries force from this part of the mean body's weight.
pub const STATICS_CARRIES: f64 = 1e-9;

/// Cost of a unit of force against a unit of slack in a question of statics. Larger leaves slack in tall structures.
pub const STATICS_FORCE_COST: f64 = 1e-6;

/// Cost of a unit of slack against a unit of load: more than any mechanism's gain, less than unsettles the solvers.
pub const STATICS_SLACK_COST: f64 = 1e4;

/// The largest load looked for, in weights of the structure.
pub const STATICS_LOAD_MOST: f64 = 1e4;

/// An answer that misses its own program by more than this is not believed.
pub const STATICS_SLACK: f64 = 1e-6;

/// The largest turn (rad) of one Newton step for the direction in which a single contact slides.
pub const SLIDE_ANGLE_STEP: f64 = 0.7;

/// Newton steps for that direction before all directions are looked at.
pub const SLIDE_NEWTON_STEPS: usize = 12;

/// Directions looked at all round. Fewer can miss one of two answers that lie close together.
pub const SLIDE_SAMPLES: usize = 64;

/// Bisections of a bracketed direction: enough for every bit of it.
pub const SLIDE_BISECTIONS: usize = 60;

/// How far, of the velocities at hand, friction may be from opposing the slip. Smaller is below rounding for long rods.
pub const SLIDE_RESIDUAL: f64 = 1e-12;

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

/// The parts of [`TOUCH`] that count as touching on the way, in turn, while two bodies touch already, to see whether they will
/// meet elsewhere too (no unit). Smaller: what lies flat is caught by rounding. Larger, or fewer: the other end of a rod dips in.
pub const SWEEP_TOUCHES: [f64; 3] = [1.0, 0.25, 0.0625];

/// The parts of a body's thickness that are taken off it in turn after that (no unit). Smaller: bodies that slide fast are caught
/// by rounding. Larger, or fewer: the other end of a rod dips in deeper, or passes.
pub const SWEEP_CORES: [Real; 3] = [0.5, 0.75, 0.875];

/// How far apart the places may be where two bodies touched earlier in the step, as a multiple of [`TOUCH`], to take part in
/// their next impact (no unit). Lower: a rod that falls flat on a wall rattles from end to end. Higher: what has left takes part.
pub const SWEEP_MARK: f64 = 8.0;

/// The most impacts of a body on its way through a step. Lower: balls that rattle between walls stand still for parts of steps.
/// Higher: jammed bodies cost more.
pub const SWEEP_HITS: u32 = 16;

/// Approach slower than this part of the speed with which two bodies pass each other is rounding (no unit). Lower: bodies that
/// slide fast on the way through a step collide with what they slide on again and again. Higher: glancing hits are missed.
pub const SWEEP_NOISE: f64 = 1e-5;

// ---- Collision ------------------------------------------------------------------------------------------------

/// A hull thinner than this fraction of its length is flat (no unit). Lower: hulls whose faces cannot be told apart in
/// `f32`. Higher: thin plates are refused.
pub const FLAT_HULL: Real = 1e-5;

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

/// How much shallower two cuboids must be across their edges than across a face before the edges are taken, as a share of
/// the depth across the face. Smaller, boxes pressed deep into each other meet in a single point that jumps from edge to
/// edge, turn about it and are squeezed through; larger, crossed edges part along a face and further than they need.
pub const EDGE_OVER_FACE: crate::math::Real = 0.1;

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
pub const GJK_GAP: f64 = 3e-7;

/// Overlap, as a share of the smaller shape's size, above which more than the direction between the centres is
/// tried. Larger, the way out may be longer than the shortest by that much; smaller, every contact pays for the search.
pub const DEEP_OVERLAP: crate::math::Real = 0.02;

/// The same where the direction of the last step is known. It may be larger: that direction was the best when it was
/// found, and moves with the bodies.
pub const DEEP_OVERLAP_KEPT: crate::math::Real = 0.2;

/// Gain in separation, as a share of the smaller shape's size, below which a direction of overlap is good enough. Larger,
/// normals on rims are off by its root; smaller, steps are spent on rounding.
pub const MOVE_GAIN: crate::math::Real = 1e-5;

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

/// A normal that a pair kernel or a contact source gives must be longer than this (no unit). Lower: the direction of a normal
/// that is all rounding is believed. Higher: small normals that were never normalised are refused.
pub const KERNEL_NORMAL: Real = 1e-12;

/// What a contact source emits is the contact of the step before, and wakes no parked body, while each point lies no more than
/// this nearer, farther or elsewhere (m, for bodies of about 1 m). Lower: rounding far from the origin never lets bodies rest.
/// Higher: ground may sink away under a body unnoticed.
pub const SOURCE_MOVED: Real = 1e-4;

/// The same for the normal: by its difference (no unit).
pub const SOURCE_TURNED: Real = 1e-3;

// ---- The scalable solver --------------------------------------------------------------------------------------

/// Contact spring of the scalable solver: its frequency times the length of a substep. Stiffer sinks less; from 0.25 up
/// walls and pyramids shake, from 0.4 up they burst. Sink goes with its inverse square.
pub const CONTACT_STIFFNESS: Real = 0.2;

/// How much all the contacts of a body may stiffen it together, as a trace (see the solver's `stiffen`): contacts of a body
/// that collects less are stiffer than `CONTACT_STIFFNESS`, of one that collects more softer. Larger shakes walls.
pub const STIFFNESS_BUDGET: Real = 8.0;

/// The most and the least that the budget may scale a contact's stiffness by. With more than the most, towers of 60 rock
/// (at 2.0, measured); with less than the least, bodies in a crowd sink.
pub const MAX_STIFFENING: Real = 1.6;

/// See [`MAX_STIFFENING`].
pub const MIN_STIFFENING: Real = 0.5;

/// Damping ratio of the contact spring. From 1 to 4 alike; at 10 stiff stacks shake, below 1 they ring.
pub const CONTACT_DAMPING: Real = 2.0;

/// The fastest that a contact pushes overlapping bodies apart (m/s). Faster throws bodies that start inside each other;
/// slower leaves them overlapping for longer.
pub const MAX_PUSH_OUT: Real = 3.0;

/// Points this much above the deepest one count as touching while a new manifold carries nothing yet (m): they share its
/// friction. Larger moves the friction of a tilted face inwards, smaller makes it jump between points.
pub const TOUCHING: Real = 1e-3;

/// A new contact whose surfaces move past each other faster than this starts with dynamic friction, a slower one with
/// static friction (m/s). Larger lets moving bodies grip, smaller makes bodies placed by hand slip.
pub const SLIDING_SPEED: Real = 1e-2;

/// A body slower than this (m/s) whose velocity turns round between two substeps flutters: it goes on with the mean of
/// the two. Larger damps real vibration, smaller leaves wedged bodies buzzing in piles.
pub const FLUTTER_SPEED: Real = 0.3;

/// A body whose velocity changes by what its free fall would change it by, to this part (of the square), is flying and does
/// not flutter. Larger leaves some flutter; smaller takes energy from bodies at the top of their flight.
pub const FLUTTER_FALL: Real = 0.01;

/// As [`FLUTTER_SPEED`], for turning (rad/s).
pub const FLUTTER_SPIN: Real = 0.3;

/// A contact gets at a body that can only turn through a lever of at least this (m). Smaller makes bodies on hinges spin
/// wildly when touched near the axis; larger lets them be touched without answering.
pub const SHORTEST_LEVER: Real = 1e-3;

/// A 2 x 2 matrix whose determinant is below this part of its diagonal's product is taken as singular, and so is a turn
/// about an axis with this part of the trace. Larger makes friction of slender bodies slack; smaller lets rounding
/// through as huge masses.
pub const SINGULAR: Real = 1e-5;

/// How far the surfaces of a block may move before its kept rows are computed again (m). Larger saves work and lets
/// levers go stale; smaller recomputes what has hardly changed.
pub const ROWS_TRAVEL: Real = 5e-4;

/// Levels above the ground from which a wide island takes one substep more than the base number. Larger lets its top sink:
/// 3.4 mm with 20 rows of cubes of 1 m at 8 substeps, 2.7 mm at 9; smaller costs time on shallow heaps.
pub const DEEP_ISLAND: u32 = 17;

/// The height, in bodies, up to which a column stands at the base number of substeps: 40 cubes buckle at 8, and a margin
/// of 1.3 remains. Larger eats the margin; smaller costs time on tall columns.
pub const BUCKLING_DEPTH: f64 = 30.0;

/// The same for the mean height of a wall or a pyramid one body thick: 45 stand at 8 substeps.
pub const BUCKLING_HEIGHT: f64 = 34.0;

/// An island with at most this many bodies a level counts as a column of its whole depth. Larger takes walls and piles
/// for columns; smaller misses columns of two or three side by side.
pub const SLENDER_WIDTH: u32 = 3;

/// A run of this many bodies, each on one that carries one, is gone over twice a visit, which stills its rocking. Larger
/// leaves low towers rocking; smaller costs time on small heaps.
pub const TALL_CHAIN: u32 = 16;

/// A body this many times as heavy as one it stands on is gone over twice a visit. Larger lets stacks under heavy loads
/// drift; smaller costs time on heaps of mixed sizes.
pub const HEAVY_RATIO: Real = 10.0;

/// An island is through with a step once no substep changes a velocity by more than this (m/s, rad/s). Larger saves
/// substeps and leaves noise that keeps islands from proving that they rest; smaller is not reached for rounding.
pub const STEADY: Real = 2e-5;

/// The same where nothing is ever parked, so that nobody asks for that proof. Larger saves substeps and lets settled
/// stacks creep (at 2e-3, measured); smaller takes a third more substeps on stacks at rest.
pub const STEADY_AWAKE: Real = 3e-4;

// ---- Joints ---------------------------------------------------------------------------------------------------

/// What is added to the diagonal of the matrix of joints, as a fraction of it.
///
/// Joints that say the same thing twice (a closed chain) share the load by it. Smaller, and rounding decides how they share
/// it, with forces beyond measure; larger, and a heavy weight on a light chain takes more substeps to be held.
pub const JOINT_SLACK: Real = 256.0 * Real::EPSILON;

/// The same for the friction of an axis that has a motor. Smaller: until one of them is at its bound, both pull against each
/// other by huge forces; larger: friction is late by some passes.
pub const JOINT_YIELD: Real = 0.05;

/// The least that a spring of a joint gives way within a substep, over what the bodies give way themselves. No unit.
///
/// Larger damps springs; smaller divides by zero where there is no damping.
pub const JOINT_GIVE: Real = 1e-12;

/// The fastest that a joint that is apart is drawn together (m/s; rad/s for angles).
///
/// What a joint misses within a substep is far below; what a game puts apart, or a limit that is set on the wrong side of a
/// joint, comes together at this speed. Faster, and it goes through what lies between.
pub const JOINT_PUSH: Real = 20.0;

/// Couplings a joint that a tree of joints may have to be solved at once, on average.
///
/// A chain has one, a body with six arms three. More take closed chains; a net of a hundred by a hundred would fill the
/// matrix. Those are swept joint by joint.
pub const JOINT_FILL: usize = 12;

/// Substeps of an island of joints without contacts that nothing else speaks against.
///
/// A pendulum of a metre keeps its period to 1e-5 with four substeps of a sixtieth of a second; its error falls with the square.
pub const JOINT_SUBSTEPS: u32 = 4;

/// The turn (rad) that a body may swing by in a substep on the pull of its joints: see the solver's plan of islands with joints.
///
/// Above 2 the swing explodes; well below, it is slow by a twenty-fourth of the square.
pub const JOINT_SWING: Real = 0.5;

/// The turn of a step (rad) up to which the gyroscopic term of a body on joints is taken by the midpoint rule.
///
/// Beyond, it is that of a splitting into exact rotations, which costs five times as much and never explodes.
pub const JOINT_PRECESSION: Real = 0.5;

/// The most that joints are expected to turn the velocity of a spinning body by in a step (rad): see
/// [`Midway`](crate::joint::Midway).
///
/// Larger, and the gyroscopic term follows blows that are over; smaller, and tops on joints creep as they precess.
pub const JOINT_TWIST: Real = 0.5;

/// Times that the joints of a tree are brought together within a pass, by [`Accuracy`](crate::Accuracy): `Game`, `Exact`. With
/// bounds (limits, motors) once more.
///
/// Each leaves about the turn in a substep squared of what the one before left.
pub const JOINT_ROUNDS: [u32; 2] = [1, 3];

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

/// The same for a mesh, a height field or a compound under a shape with flat faces. Lower: bodies at rest on terrain are
/// collided again and again. Higher: they meet the next triangle late.
pub const RECYCLE_PATH_COMPOSITE: Real = 1e-3;

/// The path that two bodies may move before the separations that the solver carries on are computed from their poses again (m,
/// for bodies of about 1 m). Lower: it is done in every step of a settled pile. Higher: the normal that the solver reads
/// when it computes its rows anew ([`ROWS_TRAVEL`]) lags behind.
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

/// Gaps up to this count as closed in the impacts stage (m, for bodies of about 1 m). Lower: rounding of positions delays
/// impacts. Higher: bodies bounce before they meet.
pub const IMPACT_TOUCH: Real = if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 };

/// Approach slower than this part of the fastest body in a cluster is rounding and no impact. Lower: contacts in weightless
/// worlds use up their impacts on rounding. Higher: slow impacts beside fast ones are swallowed.
pub const IMPACT_NOISE: f64 = if size_of::<Real>() == 4 { 1e-6 } else { 1e-12 };

/// The height of a bounce that counts as rest with `Accuracy::Game` where the settings name none (m, for bodies of about
/// 1 m). Lower: piles spend their time on the last tiny impacts. Higher: visible bounces are swallowed.
pub const RESTING_TOLERANCE_GAME: Real = 1e-4;

/// The same with `Accuracy::Exact`. Lower: cascades in piles grow by orders of magnitude. Higher: the time at which a
/// bouncing ball comes to rest is early by more than a thousandth.
pub const RESTING_TOLERANCE_EXACT: Real = 2.5e-7;

/// Islands of up to this many points take plastic collisions one by one too, with the impact law; larger ones all at once in
/// the resting solver, which loses no less energy.
pub const PLASTIC_POINTS: usize = 8;

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

// ---- Queries --------------------------------------------------------------------------------------------------

/// A ray that passes a body's bounding sphere by more than this much of its squared radius misses the body (no unit). Lower:
/// rounding loses hits at the very rim. Higher: more shapes are tried for nothing.
pub const RAY_SPHERE_SLACK: Real = 1.01;

/// A moving shape that comes this near to a surface touches it: as a part of the shape's own size (no unit). Lower: rounding of
/// the poses decides. Higher: shapes stop visibly before what they meet.
pub const CAST_TOUCH: Real = if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 };

/// The most advances of a moving shape. A way that ends on a surface takes some five; a graze halves what is left with each.
pub const CAST_ADVANCES: u32 = 64;

// ---- Control --------------------------------------------------------------------------------------------------

/// Planes whose normals' cosine is above one by less than this are the same, and sets of planes whose determinant is below it
/// have no common corner (no unit). Lower: corners are made of rounding. Higher: the walls of a narrow wedge are taken for one.
pub const SAME_PLANE: Real = 1e-5;

/// A motion that breaks a plane by no more than this part of its size keeps to it (no unit). Lower: rounding refuses the
/// corners it has just computed. Higher: motion creeps into walls.
pub const PLANE_SLACK: f64 = 1e-6;

/// How far the cosine of a slope may be below that of the steepest one (no unit). Lower: rounding decides about a slope of
/// just the limit. Higher: the limit is exceeded by a part of a degree.
pub const SLOPE_SLACK: Real = 1e-4;

/// The most surfaces that a character meets in one step. Lower: it stops short in narrow corners. Higher: nothing, they are
/// hardly ever met.
pub const CHARACTER_BENDS: u32 = 8;

/// How far off, in skins, a character looks for what comes towards it. Lower: fast walls enter it for a step before they push.
/// Higher: more is looked at.
pub const CHARACTER_APPROACH: Real = 100.0;

/// Passes over the wheels of a vehicle. Lower: tyres creep that share a load. Higher: time.
pub const TRACTION_PASSES: u32 = 40;

/// The passes before those, over the springs alone. Fewer: wheels that share an axle squeeze it by the friction that balanced
/// springs which had not met yet.
pub const TRACTION_LOADS: u32 = 16;

/// A suspension that is pressed beyond its travel is stiffer by this factor (no unit). Lower: the chassis strikes the ground.
/// Higher: it is thrown up.
pub const STRUT_STOP: Real = 10.0;

/// The least cosine between a suspension and the normal of the ground (no unit). Lower: a wheel that meets a wall pushes without
/// bound. Higher: it is too soft on steep ground.
pub const STRUT_COSINE: Real = 0.1;

// ---- Particles ------------------------------------------------------------------------------------------------

/// Particles closer than this part of the sum of their radii touch, and so does one this close to a wall, by its radius (no
/// unit). Lower: a particle at rest on a wall loses its contact to rounding. Higher: they stop before they are seen to meet.
pub const PARTICLE_TOUCH: Real = 1e-3;

/// The size of a grid cell, as a multiple of the largest diameter (no unit). At least `1 + PARTICLE_TOUCH`, or contacts are
/// missed; larger tries more pairs.
pub const PARTICLE_CELL: f64 = 1.01;

/// The number of the last grid cell along each axis. What lies farther off counts as in that cell: nothing is missed, but
/// many particles out there are slow. Higher: the cells' numbers leave 63 bits.
pub const PARTICLE_CELLS: f64 = 1_048_575.0;

/// The least number of particles of a slab, the piece of work of one thread. Lower: threads wait for each other. Higher: too
/// few slabs for many threads. It orders the impacts, so that another value gives other bits.
pub const PARTICLE_SLAB: usize = 1024;

/// A particle that flies farther than this part of its radius in half a step is swept against colliders (no unit). Above 1, it
/// might pass through a thin wall unseen; lower costs a ray for more particles.
pub const PARTICLE_SWEEP: Real = 0.9;

// ---- Scene files ----------------------------------------------------------------------------------------------

/// How far a given inertia matrix may be from symmetric, as a part of its largest entry (no unit). Lower: matrices written
/// in `f32` are refused. Higher: a transposed or mistyped entry goes unnoticed.
pub const INERTIA_ASYMMETRY: f64 = 1e-6;

/// Two edges whose directions' sine is below this count as parallel when the depth of two overlapping boxes is measured (no
/// unit). Lower: a direction made of rounding errors. Higher: the edges of nearly parallel boxes are passed over, and
/// their depth comes out too large by about this part of their size.
pub const PARALLEL_EDGES: f64 = 1e-9;
