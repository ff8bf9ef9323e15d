//! Tolerances of the direct solver of resting contacts, of the choice between it and the
//! substepping solver, and of statics.

use super::{EXACT, GAME, INPUT};
use crate::math::Real;

/// Tolerances of rounding, shared by all stages.
pub(crate) struct Rounding {
    /// Relative excess of a principal moment over the sum of the other two that is accepted.
    /// Larger: impossible bodies gain rotational energy. Smaller: flat bodies in single precision
    /// are rejected.
    pub single: f64,
    /// Relative rounding of solved impulses, for instance against the friction cone. Larger:
    /// pulling forces pass. Smaller: good solutions are refused.
    pub solution: f64,
    /// Relative rounding of `f64` sums: friction opposes slip to this part of the velocities.
    /// Smaller: below rounding for long rods.
    pub relative: f64,
    /// Relative change of a velocity, beside that of free flight, above which the solver's velocity
    /// replaces the exact law of flight. Larger: weak forces are lost. Smaller: rounding of the
    /// substeps counts as a force.
    pub velocity: Real,
}

/// The values.
pub(crate) const ROUNDING: Rounding =
    Rounding { single: 1e-6, solution: 1e-9, relative: 1e-12, velocity: 64.0 * Real::EPSILON };

/// Tolerances of Newton's method of the direct solver.
pub(crate) struct DirectNewton {
    /// Softness of the first proximal step (no unit: a part of each contact's own compliance).
    /// Larger: more outer iterations on tall stacks. Smaller: more Newton steps on loose heaps.
    pub softness_start: f64,
    /// Least softness of a proximal step (no unit). The condition number of its matrix is about one
    /// over this: smaller loses digits.
    pub softness_min: f64,
    /// Largest softness after a failed cone stage (no unit). Larger: slower progress. Smaller:
    /// repeated failures.
    pub softness_max: f64,
    /// Residual (of the island's speed) below which the Alart-Curnier stage is tried. Larger:
    /// failed attempts. Smaller: quadratic convergence begins later.
    pub alart_curnier_below: f64,
    /// Ratio of residuals below which an Alart-Curnier stage is accepted. Nearer to 1: stagnation
    /// is accepted.
    pub accepted_reduction: f64,
    /// Growth of the residual at which a cone stage counts as failed. Smaller: detours that lead to
    /// the solution are cut off.
    pub failed_growth: f64,
    /// Ratio of residuals above which progress is slow, and the step is extrapolated.
    pub slow_reduction: f64,
    /// Growth of the residual up to which extrapolation goes on. The residual is flat along a
    /// nearly free direction until a contact opens there.
    pub flat_growth: f64,
    /// Most Newton steps of an Alart-Curnier stage. It converges quadratically or not at all.
    pub attempts: usize,
    /// A stage ends when its gradient has fallen to this part of its start, or of the residual.
    /// Larger: inexact steps. Smaller: Newton steps without effect on the outer iteration.
    pub inner_reduction: f64,
    /// A stage ends at this part of the tolerance asked for. Larger: the outer iteration does not
    /// reach the tolerance.
    pub inner_of_tolerance: f64,
    /// Part of its initial slope at which a line search ends. Smaller: more evaluations. Larger:
    /// more Newton steps.
    pub good_reduction: f64,
    /// Most outer iterations of Newton's method. Beyond it the best impulses found are used.
    pub iterations: usize,
    /// Outer iterations in which a well-posed island converges; then infeasibility is tested.
    /// Fewer: time on hard but feasible islands. More: unbounded forces grow.
    pub usual_iterations: usize,
    /// Most cone stages of an infeasibility test.
    pub stagnation_iterations: usize,
    /// An infeasible ray moves bodies by less than this part of what its impulses could. Feasible
    /// wedges show 0.3 and more.
    pub infeasible_ray: f64,
}

/// The values.
pub(crate) const DIRECT_NEWTON: DirectNewton = DirectNewton {
    softness_start: 1e-3,
    softness_min: 1e-7,
    softness_max: 0.1,
    alart_curnier_below: 0.1,
    accepted_reduction: 0.8,
    failed_growth: 5.0,
    slow_reduction: 0.5,
    flat_growth: 1.001,
    attempts: 8,
    inner_reduction: 0.05,
    inner_of_tolerance: 0.01,
    good_reduction: 0.1,
    iterations: 200,
    usual_iterations: 6,
    stagnation_iterations: 12,
    infeasible_ray: 1e-3,
};

/// Tolerances of the direct solver.
pub(crate) struct Direct {
    /// Slip speed below which a contact sticks, in solver tolerances (of the island's speed).
    /// Smaller: solver error counts as slip, and blocks on slopes go over to dynamic friction.
    pub slip_of_tolerance: f64,
    /// An island moves if its fastest contact approaches faster than gravity makes in this many
    /// steps.
    pub moving_steps: f64,
    /// Residual (of the island's speed) below which impulses are near the solution. Larger:
    /// unsolved contacts pass for solved. Smaller: islands change solvers over invisible errors.
    pub near_residual: f64,
    /// Speed (m/s at the farthest point, for bodies of about 1 m) below which an island is quiet
    /// and Newton's method starts near its solution. Larger: collapsing heaps take milliseconds.
    /// Smaller: settling stacks stay with substeps.
    pub quiet_speed: Real,
    /// The same for an island with joints, which substeps leave swinging. Smaller: loaded bridges
    /// never sleep.
    pub quiet_joint_speed: Real,
    /// Rotation in a step (rad) above which an island is not quiet, however slow. Larger: small
    /// bodies that roll are searched for an equilibrium; smaller: settling ones are not.
    pub quiet_rotation: f64,
    /// Rotation in a step (rad) above which an island without joints that is not quiet is solved
    /// again at the midpoint. Larger: forces lag by half a step, and a pencil that rocks on its end
    /// rises until it falls; smaller: rounding triggers it.
    pub midpoint_angle: f64,
    /// Largest impulse, in masses times speed of the island. Above, it is unbounded: with locked
    /// axes, friction and normal can balance along a direction without freedom. Larger: bodies
    /// shoot off. Smaller: flat arches are refused.
    pub unbounded_ratio: f64,
    /// Part of an overlap corrected in a step of the direct solver (ERP, no unit). Larger: heaps
    /// shift. Smaller: overlaps last.
    pub erp: f64,
    /// Least gravity (m/s^2, for bodies of about 1 m) that forces are measured by. Larger: islands
    /// in weak gravity sleep while they fall. Smaller: rounding keeps weightless islands awake.
    pub min_gravity: f64,
}

/// The values.
pub(crate) const DIRECT: Direct = Direct {
    slip_of_tolerance: 10.0,
    moving_steps: 10.0,
    near_residual: 1e-3,
    quiet_speed: 0.02,
    quiet_joint_speed: 0.1,
    quiet_rotation: 0.02,
    midpoint_angle: 1e-5,
    unbounded_ratio: 1e4,
    erp: 0.2,
    min_gravity: 0.1,
};

/// Tolerances of Gauss-Seidel sweeps of the direct solver.
pub(crate) struct GaussSeidel {
    /// Gauss-Seidel sweeps of the iterative method in a step. Fewer: stacks sink. More: time, as
    /// loose heaps settle over the steps anyway.
    pub sweeps: usize,
    /// Sweeps between two evaluations of the residual, each of which costs a third of a sweep.
    pub sweeps_per_check: usize,
}

/// The values.
pub(crate) const GAUSS_SEIDEL: GaussSeidel = GaussSeidel { sweeps: 100, sweeps_per_check: 10 };

/// Tolerances of the direct solver's budget.
pub(crate) struct SearchBudget {
    /// Most contact points of a moving island for the direct solver in `Accuracy::Game`. Larger:
    /// time. Smaller: rolling and sliding follow springs.
    pub max_moving_points: usize,
    /// Most outer iterations for moving islands, and for all in `Accuracy::Game`. More: slow steps.
    /// Fewer: residuals above the tolerance.
    pub moving_iterations: usize,
    /// Cost limit (contact points times matrices per step, about 0.5 us each) of a steady island in
    /// `Accuracy::Game`; if exceeded twice, the substepping solver takes it. Larger: heaps take
    /// milliseconds. Smaller: hard stacks sink on springs.
    pub cost: usize,
    /// Steps for which an over-budget island stays with the substepping solver. Fewer: hard islands
    /// are tried again and again. More: what stands by now sinks on springs.
    pub backoff_steps: u8,
}

/// The values.
pub(crate) const SEARCH_BUDGET: SearchBudget =
    SearchBudget { max_moving_points: 64, moving_iterations: 40, cost: 1000, backoff_steps: 120 };

/// Tolerances of the midpoint solve.
pub(crate) struct Midpoint {
    /// Slip (m/s, for bodies of about 1 m) below which a body is carried along exactly by a
    /// kinematic one. Larger: slow slip is lost. Smaller: solver error lets riders creep.
    pub platform_slip: f64,
    /// Largest change of a normal (no unit) for new contact points to replace the stored ones.
    /// Larger: points of another contact are taken. Smaller: points lag behind turning bodies.
    pub same_contact_normal: f64,
    /// Gap between turning surfaces (m, for bodies of about 1 m) up to which it is integration
    /// error. Larger: slow landings end above the surface. Smaller: closing such gaps makes noise
    /// in the velocities.
    pub gap: Real,
    /// Largest rotation of a midpoint normal, in rotations of its bodies. Larger: normals of
    /// another contact throw bodies about. Smaller: balls that roll on balls are first order.
    pub same_contact_turns: f64,
}

/// The values.
pub(crate) const MIDPOINT: Midpoint =
    Midpoint { platform_slip: 1e-4, same_contact_normal: 0.05, gap: 1e-5, same_contact_turns: 2.0 };

/// Tolerances of linear programs.
pub(crate) struct LinearPrograms {
    /// Cost of a unit of force against a unit of slack in elastic programs. Larger: slack instead
    /// of stacked forces. Below 1e-8, the solvers' own tolerance, it has no effect.
    pub force_cost: f64,
    /// Violation of its own program at which a solution is refused, and relative gain below which
    /// the refinement of statics ends. Larger: wrong solutions pass. Smaller: rounding refuses good
    /// ones.
    pub violation: f64,
}

/// The values.
pub(crate) const LINEAR_PROGRAMS: LinearPrograms = LinearPrograms { force_cost: 1e-3, violation: 1e-6 };

/// Largest deviation of the squared length of a contact normal from 1. Larger: normals scale
/// forces. Smaller: normals rounded to `f32` are refused.
pub(crate) const UNIT_NORMAL: Real = INPUT.unit_quaternion;

/// Largest softness after a failed Alart-Curnier stage (no unit): ten times that of the first
/// step.
pub(crate) const SOFTNESS_AFTER_ALART_CURNIER: f64 = 10.0 * DIRECT_NEWTON.softness_start;

/// Softness of the infeasibility test (no unit): ten times that of the first step, so that the
/// iterates follow an infeasible ray at once.
pub(crate) const INFEASIBLE_SOFTNESS: f64 = 10.0 * DIRECT_NEWTON.softness_start;

/// Softness of the supports in load propagation (no unit: a part of their own compliance). Larger:
/// more rounds. Smaller: lost digits.
pub(crate) const LOAD_GUESS_SOFTNESS: f64 = 0.1 * DIRECT_NEWTON.softness_start;

/// Growth of the residual up to which a converged Alart-Curnier stage is accepted: slow progress
/// along nearly redundant contacts.
pub(crate) const STAGNATION_REDUCTION: f64 = 1.0 / DIRECT_NEWTON.slow_reduction;

/// As `GAME.max_points` for sweeps on a moving island, where Newton's method starts far from its
/// solution.
pub(crate) const NEWTON_MAX_MOVING_POINTS: usize = GAME.max_points / 4;

/// Most contact points of a moving island for the direct solver in `Accuracy::Exact`. Larger: tens
/// of milliseconds in every step.
pub(crate) const EXACT_MAX_MOVING_POINTS: usize = EXACT.max_points / 5;

/// Rotation in a step (rad) below which the gyroscopic acceleration of the start serves for all of
/// the step. Larger: first-order error. Smaller: work for bodies at rest.
pub(crate) const SLOW_ROTATION: Real = if size_of::<Real>() == 4 { 1e-3 } else { 1e-5 };

/// Part of such a gap closed in a step. Larger: noise. Smaller: gaps add up.
pub(crate) const MIDPOINT_ERP: f64 = 0.5 * DIRECT.erp;

/// Most contacts for Newton's method after sweeps. The fill of its factors can grow with the
/// square of the bodies.
pub(crate) const DIRECT_MAX_POINTS: usize = 2 * EXACT.max_points;

/// Residual at which a search ends in `Accuracy::Exact`.
pub(crate) const EXACT_TARGET: f64 = if size_of::<Real>() == 4 { 0.01 * EXACT.accept } else { 0.1 * EXACT.accept };

/// Residual at which a search ends in `Accuracy::Game`. Nearer to `GAME.accept`: settled islands
/// are searched every few steps.
pub(crate) const GAME_TARGET: f64 = 0.01 * GAME.accept;

/// Steps for which an island stays with the substepping solver after the direct solver failed.
/// Fewer: time on hard islands.
pub(crate) const FAILURE_BACKOFF_STEPS: u8 = SEARCH_BUDGET.backoff_steps / 4;

/// Cost at which the searches of a steady island are broken off in `Accuracy::Game`. Larger:
/// single steps take tens of milliseconds.
pub(crate) const COST_HARD_LIMIT: usize = 5 * SEARCH_BUDGET.cost;

/// As `SEARCH_BUDGET.cost` for a moving island, without a second try. A moving stack of three boxes
/// costs
/// 216.
pub(crate) const MOVING_COST: usize = 4 * SEARCH_BUDGET.max_moving_points;

/// As `SEARCH_BUDGET.backoff_steps` for a moving island, unless it comes to rest before.
pub(crate) const MOVING_BACKOFF_STEPS: u8 = 2 * SEARCH_BUDGET.backoff_steps;

/// Softness of the contacts that separate overlaps (no unit: a part of their own compliance).
/// Larger: slow separation of tall stacks. Smaller: bodies slide along nearly parallel faces.
pub(crate) const POSITION_SOFTNESS: f64 = 10.0 * DIRECT_NEWTON.softness_start;

/// Stiffness of joints against contacts in the separation of overlaps (no unit). Larger: lost
/// digits. Smaller: more rounds for long chains.
pub(crate) const DIRECT_JOINT_STIFFNESS: f64 = POSITION_SOFTNESS / LINEAR_PROGRAMS.violation;

/// Growth of the residual over its best at which pivoting is given up.
pub(crate) const PIVOT_FAILED_GROWTH: f64 = 1.0 / DIRECT_NEWTON.softness_start;
