//! Tolerances of the laws of rest.

use crate::math::Real;

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

/// Softness of the supports that hold a body while loads are carried down, in units of their own compliance. Larger: more rounds
/// are needed. Smaller: the forces lose digits.
pub const CARRY_SOFTNESS: f64 = 1e-4;

/// Rounds of holding a body on its supports; each takes off the softness. Fewer leave a tower above the tolerance of exact
/// laws; more gain nothing beyond rounding.
pub const CARRY_ROUNDS: usize = 4;

/// Outer iterations of the search for an answer in which what stuck goes on sticking. More: time, wherever things begin to
/// slide. Fewer: bodies that share a load begin to slide although they need not.
pub const HELD_ITERATIONS: usize = 6;

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

/// How fast what sticks to a kinematic body may move against it at the step's end and still be carried along with it (m/s, for
/// bodies of about 1 m). Larger: slow slip is taken for none. Smaller: what the solution is off by lets riders creep.
pub const RIDING_SLIP: f64 = 1e-4;

/// How far bodies of a moving island may have moved against each other since they were collided before the exact laws look for
/// their contact points anew (m, for bodies of about 1 m). Larger: what slides over an edge tips about a place that it has left.
/// Smaller: only cost.
pub const FRESH_PATH: Real = 1e-4;

/// The most that the normal found there may differ from the one that is kept (no unit): as bodies turn until they are collided anew.
/// Larger: points of another contact are taken for this one's. Smaller: points lag behind where bodies turn as they slide.
pub const FRESH_SWERVE: f64 = 0.05;

/// A body that turns by less in a step (rad) has the acceleration of the step's start in all of it. Larger: the gyroscopic term is behind by half
/// as much of itself. Smaller: bodies at rest are turned for nothing.
pub const SLOW_TURN: Real = if size_of::<Real>() == 4 { 1e-3 } else { 1e-5 };

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

/// How often the moment is halved at which a contact that carries ends within the step. Fewer: the impulse of a face that slides
/// off an edge acts for too long. More: only cost.
pub const HALFWAY_LOOKS: u32 = 6;

/// With `Accuracy::Game`, moving islands go to the exact laws while they have this many points together, and when there are
/// more of them all to the scalable solver. More: a world of loose bodies spends its time here.
pub const GAME_MOVING_BUDGET: usize = 64;

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

/// A search ends below this speed (m/s, for bodies of about 1 m) in any case: nearer, it takes the rounding of the scalar for
/// gaps that open, and of many supports of a body all but three lose their load. Higher: what rolls slips.
pub const ROUNDED_SPEED: f64 = if size_of::<Real>() == 4 { 1e-7 } else { 0.0 };

/// Outer iterations of Newton's method for islands that move, and for all with `Accuracy::Game`. More: single steps take
/// longer. Fewer: more islands end with residuals above their tolerance.
pub const MOVING_ITERATIONS: usize = 40;

/// An island whose exact impulses miss by more than this (of its speed) goes to the scalable solver. Lower: islands change
/// hands over errors that nobody sees. Higher: contacts that are not yet solved are taken for solved.
pub const EXACT_FAILURE: f64 = 1e-3;

/// An impulse of the exact laws that is so many times what would bring all bodies of its island to the speed at hand (no unit) is none:
/// the scalable solver takes the island. Between bodies that are locked to a plane, friction can hold out against the normal along the axis
/// that neither moves along, without bound; in the next step, where the normal has turned, such impulses shoot them off.
///
/// Larger lets worse of these through; smaller takes flat arches and wedges for them.
pub const JAMMED: f64 = 1e4;

/// Steps for which an island stays with the scalable solver after the exact laws failed on it. Fewer: time is lost on hard
/// islands in every step.
pub const EXACT_WAIT: u8 = 30;

/// With `Accuracy::Game`, an island that is quiet or carried along, whose searches of a step factor matrices of more contact points than this (in all) goes to
/// the scalable solver when the next step's take as long. A point in a matrix takes about half a microsecond. Lower:
/// stacks that are hard to solve sink on springs. Higher: heaps of rubble take milliseconds in every step.
pub const GAME_TOIL: usize = 1000;

/// At this many, with `Accuracy::Game`, the searches of a step for such an island are broken off. Fewer: what could be solved falls to
/// springs. More: single steps take tens of milliseconds.
pub const GAME_TOIL_MOST: usize = 5_000;

/// As [`GAME_TOIL`], for an island on the move, which goes at once. A stack of three boxes takes 216 while it moves. Lower: what rolls
/// and slides side by side is left to springs. Higher: what flies about after a blow takes as long again as the rest of its step.
pub const GAME_MOVING_TOIL: usize = 256;

/// As [`GAME_TOIL_MOST`], for an island on the move.
pub const GAME_MOVING_TOIL_MOST: usize = 1000;

/// Steps for which an island that is quiet or carried stays there. Fewer: hard islands are tried again and again. More: what has come to stand since sinks on
/// springs meanwhile.
pub const TEDIOUS_WAIT: u8 = 120;

/// Steps for which an island on the move stays there unless it comes to stand. Fewer: what rolls and slides is tried again and again.
/// More: what has come to be easy is left to springs.
pub const TEDIOUS_MOVING_WAIT: u8 = 240;

/// Where nothing is parked, an island that was proved at rest and has not changed since is asked again once in this many
/// steps, with `Accuracy::Game`. More: what is left of its acceleration, at most [`CERTIFICATE_GAME`], waits for longer; over
/// these steps it comes to no more than [`REST_SPEED`](super::REST_SPEED).
/// Fewer: a world of stacks at rest pays for the same proof again and again.
pub const HELD_STEPS: u32 = 64;

/// What moves more slowly than this (length units per second) when its island is left as it is stands still: that is rounding. Lower: its
/// parts are so small that processors take a hundred times as long over them. Higher: motion that was there is lost.
pub const HELD_ROUNDING: f64 = 1e-9;

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

/// How much stiffer ties are than contacts when bodies are pushed apart. Less: what long chains miss is left for further rounds.
/// More: the matrix loses digits.
pub const TIE_STIFFNESS: f64 = 1e4;

/// How well such springs are solved, as a part of the island's speed. Larger: more rounds are needed. Smaller: rounding.
pub const SOFT_TOLERANCE: f64 = 1e-6;

/// What the rows of a tie that say the same thing twice give way by when they are swept, as a part of their own compliance.
/// Smaller: rounding decides how they share a load. Larger: sweeps are slower.
pub const TIE_SHARING: f64 = 1e-9;

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
