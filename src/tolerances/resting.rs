//! Tolerances of the direct solver of resting contacts, of the choice between it and the
//! substepping solver, and of statics.

use crate::math::Real;

/// Largest deviation of the squared length of a contact normal from 1. Larger: normals scale
/// forces. Smaller: normals rounded to `f32` are refused.
pub const UNIT_NORMAL: f64 = 1e-5;

/// Softness of the first proximal step (no unit: a part of each contact's own compliance). Larger:
/// more outer iterations on tall stacks. Smaller: more Newton steps on loose heaps.
pub const PROX_START: f64 = 1e-3;

/// Least softness of a proximal step (no unit). The condition number of its matrix is about one
/// over this: smaller loses digits.
pub const PROX_FLOOR: f64 = 1e-7;

/// Largest softness after a failed cone stage (no unit). Larger: slower progress. Smaller:
/// repeated failures.
pub const PROX_MOST: f64 = 0.1;

/// Largest softness after a failed Alart-Curnier stage (no unit): ten times that of the first
/// step.
pub const PROX_AFTER_FINISH: f64 = 1e-2;

/// Softness of the infeasibility test (no unit): ten times that of the first step, so that the
/// iterates follow an infeasible ray at once.
pub const PROX_JAM: f64 = 1e-2;

/// Softness of the supports in load propagation (no unit: a part of their own compliance). Larger:
/// more rounds. Smaller: lost digits.
pub const CARRY_SOFTNESS: f64 = 1e-4;

/// Rounds of load propagation per body. Each reduces the error by [`CARRY_SOFTNESS`], so four
/// reach the rounding of `f64`.
pub const CARRY_ROUNDS: usize = 4;

/// Most outer iterations of the search that keeps sticking contacts. More: time at every onset of
/// sliding. Fewer: shared loads start to slide needlessly.
pub const HELD_ITERATIONS: usize = 6;

/// Residual (of the island's speed) below which the Alart-Curnier stage is tried. Larger: failed
/// attempts. Smaller: quadratic convergence begins later.
pub const FINISH_BELOW: f64 = 0.1;

/// Ratio of residuals below which an Alart-Curnier stage is accepted. Nearer to 1: stagnation is
/// accepted.
pub const FINISH_GAIN: f64 = 0.8;

/// Growth of the residual up to which a converged Alart-Curnier stage is accepted: slow progress
/// along nearly redundant contacts.
pub const CRAWL_LOSS: f64 = 2.0;

/// Most such slow stages in a row. More: time lost in stagnation. Fewer: restarts just before a
/// contact opens.
pub const CRAWLS: usize = 12;

/// Residual (of the island's speed) below which a failed Alart-Curnier stage is repeated with a
/// softer step instead of a restart.
pub const SOFTEN_BELOW: f64 = 1e-3;

/// Most softer repetitions in a row.
pub const SOFTENINGS: usize = 2;

/// Growth of the residual at which a cone stage counts as failed. Smaller: detours that lead to
/// the solution are cut off.
pub const CONE_LOSS: f64 = 5.0;

/// Ratio of residuals above which progress is slow, and the step is extrapolated.
pub const STRIDE_ABOVE: f64 = 0.5;

/// Growth of the residual up to which extrapolation goes on. The residual is flat along a nearly
/// free direction until a contact opens there.
pub const STRIDE_LOSS: f64 = 1.001;

/// Longest extrapolation, in lengths of the proximal step. It is doubled up to here.
pub const STRIDE_MOST: f64 = 1e6;

/// Most Newton steps of a cone stage. Fewer: stages with many opening contacts are cut off. More:
/// seldom of use.
pub const CONE_NEWTON_STEPS: usize = 20;

/// Most Newton steps of an Alart-Curnier stage. It converges quadratically or not at all.
pub const FINISH_NEWTON_STEPS: usize = 8;

/// Most halvings of an Alart-Curnier step whose gradient does not decrease.
pub const FINISH_HALVINGS: usize = 6;

/// Gauss-Seidel sweeps of a restart after a failed stage. Fewer: the next stage fails again. More:
/// time.
pub const KICK_SWEEPS: usize = 60;

/// A stage ends when its gradient has fallen to this part of its start, or of the residual.
/// Larger: inexact steps. Smaller: Newton steps without effect on the outer iteration.
pub const INNER_OF_OUTER: f64 = 0.05;

/// A stage ends at this part of the tolerance asked for. Larger: the outer iteration does not
/// reach the tolerance.
pub const INNER_OF_TOLERANCE: f64 = 0.01;

/// Part of its initial slope at which a line search ends. Smaller: more evaluations. Larger: more
/// Newton steps.
pub const LINE_SEARCH_FRACTION: f64 = 0.1;

/// Most evaluations of a line search (Illinois method). Not reached in practice.
pub const LINE_SEARCH_EVALUATIONS: usize = 30;

/// Relative change of the weights up to which a factorisation is used again. Larger: Newton's
/// method becomes inexact.
pub const WEIGHT_CHANGE: f64 = 1e-9;

/// Most outer iterations of Newton's method. Beyond it the best impulses found are used.
pub const NEWTON_ITERATIONS: usize = 200;

/// Outer iterations in which a well-posed island converges; then infeasibility is tested. Fewer:
/// time on hard but feasible islands. More: unbounded forces grow.
pub const JAM_FIRST_LOOK: usize = 6;

/// Most cone stages of an infeasibility test.
pub const JAM_ITERATIONS: usize = 12;

/// An infeasible ray moves bodies by less than this part of what its impulses could. Feasible
/// wedges show 0.3 and more.
pub const JAM_MOTION: f64 = 1e-3;

/// An infeasible ray works against the biases by more than this part of the island's speed.
pub const JAM_BIAS: f64 = 1e-3;

/// A contact is part of an infeasible ray from this part of the largest share on.
pub const JAM_SHARE: f64 = 1e-3;

/// Relative rounding of solved impulses, for instance against the friction cone. Larger: pulling
/// forces pass. Smaller: good solutions are refused.
pub const CONE_ROUNDING: f64 = 1e-9;

/// Slip speed below which a contact sticks, in solver tolerances (of the island's speed). Smaller:
/// solver error counts as slip, and blocks on slopes go over to dynamic friction.
pub const SLIP_OF_TOLERANCE: f64 = 10.0;

/// Most repeated solves because contacts went from static to dynamic friction. What still sticks
/// then, sticks until the next step.
pub const FRICTION_TRIES: usize = 8;

/// Gauss-Seidel sweeps of the iterative method in a step. Fewer: stacks sink. More: time, as loose
/// heaps settle over the steps anyway.
pub const ITERATIVE_SWEEPS: usize = 100;

/// Sweeps over one level in shock propagation. Fewer: bodies on several points rock. More: time.
pub const SHOCK_SWEEPS: usize = 10;

/// Sweeps between two evaluations of the residual, each of which costs a third of a sweep.
pub const SWEEPS_BETWEEN_CHECKS: usize = 10;

/// Most contacts of a single body that is solved by sweeps: less than a microsecond.
pub const SINGLE_CONTACTS: usize = 3;

/// Most contacts that go to Newton's method without sweeps first, and most points of an island
/// that the direct solver takes in `Accuracy::Game`. Larger: steps of many milliseconds.
pub const EXACT_CONTACTS: usize = 400;

/// As [`EXACT_CONTACTS`] for sweeps on a moving island, where Newton's method starts far from its
/// solution.
pub const EXACT_MOVING_CONTACTS: usize = 100;

/// Most contact points of a moving island for the direct solver in `Accuracy::Exact`. Larger: tens
/// of milliseconds in every step.
pub const EXACT_MOVING_POINTS: usize = 200;

/// Most contact points of a moving island for the direct solver in `Accuracy::Game`. Larger: time.
/// Smaller: rolling and sliding follow springs.
pub const GAME_MOVING_POINTS: usize = 64;

/// Rotation of a body in a step (rad) from which on its island is solved again at the midpoint, in
/// `Accuracy::Exact`. Larger: error of half a step in tipping and spinning. Smaller: twice the
/// work for straight motion.
pub const HALFWAY_TURN_EXACT: f64 = 1e-5;

/// As [`HALFWAY_TURN_EXACT`] for `Accuracy::Game`.
pub const HALFWAY_TURN_GAME: f64 = 0.02;

/// Slip (m/s, for bodies of about 1 m) below which a body is carried along exactly by a kinematic
/// one. Larger: slow slip is lost. Smaller: solver error lets riders creep.
pub const RIDING_SLIP: f64 = 1e-4;

/// Relative displacement since collision (m, for bodies of about 1 m) from which on contact points
/// of a moving island are collided anew. Larger: bodies tip about a point they have left. Smaller:
/// time.
pub const FRESH_PATH: Real = 1e-4;

/// Largest change of a normal (no unit) for new contact points to replace the stored ones. Larger:
/// points of another contact are taken. Smaller: points lag behind turning bodies.
pub const FRESH_SWERVE: f64 = 0.05;

/// Rotation in a step (rad) below which the gyroscopic acceleration of the start serves for all of
/// the step. Larger: first-order error. Smaller: work for bodies at rest.
pub const SLOW_TURN: Real = if size_of::<Real>() == 4 { 1e-3 } else { 1e-5 };

/// Midpoint iterations. One is first order in the angle of a spin, two are second order, as the
/// step itself.
pub const HALFWAY_ROUNDS: u32 = 2;

/// Gap between turning surfaces (m, for bodies of about 1 m) up to which it is integration error.
/// Larger: slow landings end above the surface. Smaller: closing such gaps makes noise in the
/// velocities.
pub const HALFWAY_GAP: Real = 1e-5;

/// Part of such a gap closed in a step. Larger: noise. Smaller: gaps add up.
pub const HALFWAY_CLOSING: f64 = 0.1;

/// Largest rotation of a midpoint normal, in rotations of its bodies. Larger: normals of another
/// contact throw bodies about. Smaller: balls that roll on balls are first order.
pub const HALFWAY_SWERVE: f64 = 2.0;

/// Bisections for the time at which a loaded contact ends within the step. Fewer: the impulse of a
/// face that slides off an edge acts for too long. More: time.
pub const HALFWAY_LOOKS: u32 = 6;

/// Most contact points of all moving islands together for the direct solver in `Accuracy::Game`.
/// Above, all of them go to the substepping solver.
pub const GAME_MOVING_BUDGET: usize = 64;

/// An island moves if its fastest contact approaches faster than gravity makes in this many steps.
pub const MOVING_STEPS: f64 = 10.0;

/// Residual (of the island's speed) below which impulses are near the solution. Larger: unsolved
/// contacts pass for solved. Smaller: islands change solvers over invisible errors.
pub const SETTLING: f64 = 1e-3;

/// Ratio of residuals above which the sweeps of a large island make no progress (a stack), so that
/// Newton's method follows.
pub const STALLED: f64 = 0.5;

/// Most contacts for Newton's method after sweeps. The fill of its factors can grow with the
/// square of the bodies.
pub const NEWTON_CONTACTS: usize = 2000;

/// Speed (m/s at the farthest point, for bodies of about 1 m) below which an island is quiet and
/// Newton's method starts near its solution. Larger: collapsing heaps take milliseconds. Smaller:
/// settling stacks stay with substeps.
pub const QUIET_SPEED: Real = 0.1;

/// Most contact points of a quiet island for the direct solver in `Accuracy::Exact`. Larger: tens
/// of milliseconds at every change.
pub const EXACT_POINTS: usize = 1000;

/// Residual (of the island's speed) up to which the last impulses are kept in `Accuracy::Exact`.
/// Larger: tall towers drift by micrometres. Smaller: rounding starts searches.
pub const EXACT_KEEP: f64 = if size_of::<Real>() == 4 { 1e-6 } else { 1e-9 };

/// Residual at which a search ends in `Accuracy::Exact`.
pub const EXACT_REACH: f64 = if size_of::<Real>() == 4 { 1e-8 } else { 1e-10 };

/// As [`EXACT_KEEP`] for `Accuracy::Game`. Larger: a tower that is kept awake drifts by a
/// millimetre in a minute.
pub const GAME_KEEP: f64 = 1e-5;

/// Residual at which a search ends in `Accuracy::Game`. Nearer to [`GAME_KEEP`]: settled islands
/// are searched every few steps.
pub const GAME_REACH: f64 = 1e-7;

/// Speed (m/s, for bodies of about 1 m) below which a search ends in any case: rounding of the
/// scalar. Smaller: rounding opens gaps and unloads supports. Larger: rolling bodies slip.
pub const ROUNDED_SPEED: f64 = if size_of::<Real>() == 4 { 1e-7 } else { 0.0 };

/// Most outer iterations for moving islands, and for all in `Accuracy::Game`. More: slow steps.
/// Fewer: residuals above the tolerance.
pub const MOVING_ITERATIONS: usize = 40;

/// Residual (of the island's speed) above which the direct solver has failed and the substepping
/// solver takes the island.
pub const EXACT_FAILURE: f64 = 1e-3;

/// Largest impulse, in masses times speed of the island. Above, it is unbounded: with locked axes,
/// friction and normal can balance along a direction without freedom. Larger: bodies shoot off.
/// Smaller: flat arches are refused.
pub const JAMMED: f64 = 1e4;

/// Steps for which an island stays with the substepping solver after the direct solver failed.
/// Fewer: time on hard islands.
pub const EXACT_WAIT: u8 = 30;

/// Cost limit (contact points times matrices per step, about 0.5 us each) of a steady island in
/// `Accuracy::Game`; if exceeded twice, the substepping solver takes it. Larger: heaps take
/// milliseconds. Smaller: hard stacks sink on springs.
pub const GAME_TOIL: usize = 1000;

/// Cost at which the searches of a steady island are broken off in `Accuracy::Game`. Larger:
/// single steps take tens of milliseconds.
pub const GAME_TOIL_MOST: usize = 5_000;

/// As [`GAME_TOIL`] for a moving island, without a second try. A moving stack of three boxes costs
/// 216.
pub const GAME_MOVING_TOIL: usize = 256;

/// As [`GAME_TOIL_MOST`] for a moving island.
pub const GAME_MOVING_TOIL_MOST: usize = 1000;

/// Steps for which an over-budget island stays with the substepping solver. Fewer: hard islands
/// are tried again and again. More: what stands by now sinks on springs.
pub const TEDIOUS_WAIT: u8 = 120;

/// As [`TEDIOUS_WAIT`] for a moving island, unless it comes to rest before.
pub const TEDIOUS_MOVING_WAIT: u8 = 240;

/// Steps between two equilibrium proofs of an unchanged island in `Accuracy::Game` without sleep.
/// Over these the acceleration left makes at most [`REST_SPEED`](super::REST_SPEED). Fewer: time.
pub const HELD_STEPS: u32 = 64;

/// Speed (length units/s) below which a body of an island in equilibrium stands still. Smaller:
/// slow denormal numbers. Larger: lost motion.
pub const HELD_ROUNDING: f64 = 1e-9;

/// Workspaces of vanished islands kept for new ones, besides as many as are in use. Fewer:
/// allocations. More: memory.
pub const SPARE_SEARCHES: usize = 8;

/// Contact points from which on direct islands are shared between threads. Smaller: the hand-over
/// costs more than the solution.
pub const ROOM_FOR_HELP: usize = 200;

/// Part of an overlap corrected in a step of the direct solver (ERP, no unit). Larger: heaps
/// shift. Smaller: overlaps last.
pub const PUSH_OUT: f64 = 0.2;

/// Mean square distance of a patch's load from its centre, as a part of the patch's size squared,
/// below which it bears no torque. Larger: narrow patches forget their torque. Smaller: rounding
/// becomes huge forces.
pub const PATCH_SPREAD: f64 = 1e-12;

/// Softness of the contacts that separate overlaps (no unit: a part of their own compliance).
/// Larger: slow separation of tall stacks. Smaller: bodies slide along nearly parallel faces.
pub const PUSH_OUT_SOFTNESS: f64 = 1e-2;

/// Stiffness of joints against contacts in the separation of overlaps (no unit). Larger: lost
/// digits. Smaller: more rounds for long chains.
pub const TIE_STIFFNESS: f64 = 1e4;

/// Residual of that problem (of the island's speed). Larger: more rounds. Smaller: rounding.
pub const SOFT_TOLERANCE: f64 = 1e-6;

/// Compliance of redundant rows of a joint in sweeps, as a part of their own. Larger: slow sweeps.
/// Smaller: rounding decides how they share a load.
pub const TIE_SHARING: f64 = 1e-9;

/// Least gravity (m/s^2, for bodies of about 1 m) that forces are measured by. Larger: islands in
/// weak gravity sleep while they fall. Smaller: rounding keeps weightless islands awake.
pub const WEIGHTLESS: f64 = 0.1;

/// Acceleration (in g) that contact impulses may leave in a body at equilibrium, in
/// `Accuracy::Exact`. A ladder 0.003 % beyond its limit fails. Smaller: rounding of normals
/// prevents sleep.
pub const CERTIFICATE_EXACT: f64 = 1e-5;

/// As [`CERTIFICATE_EXACT`] for `Accuracy::Game`, where shapes are known to `f32`.
pub const CERTIFICATE_GAME: f64 = 1e-4;

/// Softness of the first proximal step of block pivoting (no unit). Larger: more steps. Smaller:
/// cycling on big heaps.
pub const PIVOT_SOFTNESS: f64 = 1e-3;

/// Least softness of these steps.
pub const PIVOT_SOFTNESS_LEAST: f64 = 1e-7;

/// Ratio of residuals above which the next step of pivoting is ten times stiffer.
pub const PIVOT_GAIN: f64 = 0.1;

/// Growth of the residual over its best at which pivoting is given up.
pub const PIVOT_LOSS: f64 = 1e3;

/// Most softer repetitions after no set was found.
pub const PIVOT_FAILURES: usize = 1;

/// Most proximal steps of pivoting.
pub const PIVOT_ITERATIONS: usize = 60;

/// Most sets tried in a proximal step. Beyond it Newton's method takes over.
pub const PIVOT_STEPS: usize = 40;

/// Block exchanges without progress before single exchanges (Murty), which cannot cycle.
pub const PIVOT_PATIENCE: usize = 5;

/// Most contacts of a frictionless island for linear programs: about four milliseconds, growing
/// with the cube.
pub const LP_CONTACTS: usize = 96;

/// Cost of a unit of force against a unit of slack in elastic programs. Larger: slack instead of
/// stacked forces. Below 1e-8, the solvers' own tolerance, it has no effect.
pub const LP_FORCE_COST: f64 = 1e-3;

/// Scaled coefficients below this are rounding and are left out of the programs.
pub const LP_DROP: f64 = 1e-12;

/// Residual (of the island's speed) up to which a solution of a program is used. Larger: wrong
/// vanishing contacts. Smaller: good solutions are refused.
pub const LP_ACCEPT: f64 = 1e-4;

/// Violation of its own program at which a solution is wrong.
pub const LP_VIOLATION: f64 = 1e-5;

/// Sweeps before vanishing contacts are guessed a second time.
pub const LP_RELAXATION_SWEEPS: usize = 60;

/// Time limit of `microlp` (s), far beyond what [`LP_CONTACTS`] lets through: if reached, results
/// depend on the machine.
pub const LP_TIME_LIMIT: f64 = 5.0;

/// Most contacts and joint rows of a question of statics: about a second.
pub const STATICS_CONTACTS: usize = 400;

/// Gap (m, for bodies of about 1 m) up to which surfaces support each other in statics. Larger:
/// distant surfaces carry. Smaller: rounding opens structures.
pub const STATICS_TOUCH: Real = 1e-4;

/// Step of a question of statics (s). Forces do not depend on it.
pub const STATICS_STEP: Real = 0.01;

/// Edges of the first friction pyramids. Refinement makes the result independent of them.
pub const STATICS_EDGES: usize = 8;

/// Most rounds of refinement. Each removes three quarters of the 8 % by which the first pyramids
/// fall short.
pub const STATICS_ROUNDS: usize = 10;

/// Relative gain below which refinement ends.
pub const STATICS_GAIN: f64 = 1e-7;

/// Force (in mean weights of a body) from which on an edge is refined.
pub const STATICS_CARRIES: f64 = 1e-9;

/// Cost of a unit of force against a unit of slack in statics. Larger: slack in tall structures.
pub const STATICS_FORCE_COST: f64 = 1e-6;

/// Cost of a unit of slack against a unit of load. Larger: unstable programs. Smaller: mechanisms
/// gain from slack.
pub const STATICS_SLACK_COST: f64 = 1e4;

/// Largest load factor (in weights of the structure). Above, nothing breaks it.
pub const STATICS_LOAD_MOST: f64 = 1e4;

/// Violation of its own program at which a solution of statics is refused.
pub const STATICS_SLACK: f64 = 1e-6;

/// Largest Newton step (rad) for the direction in which a single contact slides.
pub const SLIDE_ANGLE_STEP: f64 = 0.7;

/// Most such steps before all directions are scanned.
pub const SLIDE_NEWTON_STEPS: usize = 12;

/// Directions scanned. Fewer: one of two close solutions may be missed.
pub const SLIDE_SAMPLES: usize = 64;

/// Bisections of a bracketed direction: every bit of it.
pub const SLIDE_BISECTIONS: usize = 60;

/// Relative rounding of `f64` sums: friction opposes slip to this part of the velocities. Smaller:
/// below rounding for long rods.
pub const SLIDE_RESIDUAL: f64 = 1e-12;
