//! The decision table of the stage: which solver takes an island, with which limits and budget.
//!
//! All functions here are pure: plain data in, plain data out. The other files of the folder gather
//! the facts ([`facts`](super::facts)) and carry out the decisions. Facts that take a walk over the
//! island's contacts, bodies or joints are asked for through [`Probes`], and only by the rows that
//! need them.
//!
//! # Solver
//!
//! Rows are tried from the top; the first whose condition holds decides.
//!
//! | # | islands | condition | solver | [`SolverReason`] |
//! |---|---|---|---|---|
//! | 1 | joints | its [`Backoff`] runs | substeps | `BackingOff` |
//! | 1 | no joints | its [`Backoff`] runs, large or not uneven | substeps | `BackingOff` |
//! | 2 | all | method `Iterative` | substeps | `Method` |
//! | 2 | joints | method `ShockPropagation` | substeps | `Method` |
//! | 3 | joints | moving | substeps | `MovingJoints` |
//! | 4 | joints | `Game`, sleep off | substeps | `SleepOff` |
//! | 5 | all | points + 2 x joints above the [limit](#size-limit) | substeps | `TooLarge` |
//! | 6 | joints | no contact bears load | substeps | `Unloaded` |
//! | 7 | joints | some joint is not rigid | substeps | `SoftJoints` |
//! | 8 | no joints | `Auto`, `Game`, large, not slender | substeps | `MovingLarge` |
//! | 8 | no joints | `Auto`, `Game`, crowded, not slender | substeps | `Crowded` |
//! | 9 | all | some contact of one or two points has rolling friction | substeps | `RollingFriction` |
//! | 10 | joints | | direct | `LoadedJoints` |
//! | 11 | no joints | method is not `Auto` | direct | `Requested` |
//! | 12 | no joints | quiet | direct | `Quiet` |
//! | 13 | no joints | `Exact` | direct | `MovingExact` |
//! | 14 | no joints | neither large nor crowded | direct | `MovingSmall` |
//! | 15 | no joints | slender | direct | `MovingSlender` |
//!
//! * substeps: [`IslandSolver::Joints`] with joints, else [`IslandSolver::Substepping`].
//! * quiet: all bodies are slower than [`quiet_speed`]; moving: the opposite.
//! * large: moving, with more than `SEARCH_BUDGET.max_moving_points` points (row 1: moving or not).
//! * crowded: moving, in a step whose moving islands that are not large have more than
//!   `SEARCH_BUDGET.max_moving_points` points together.
//! * slender: a tower, which buckles on springs. Uneven: a heavy body touches a light one.
//! * rigid joints: equalities, and limits out of reach; no motor, spring or friction.
//!
//! Why: the substepping solver scales light masses under load, but not within the few steps in which
//! something heavy lands on them, so a small island with both is tried again in every step (1).
//! Substeps follow moving joints better than one step does (3). A direct solve costs as much as many
//! steps of the joint solver, so in `Game` it has to pay by sleep (4). Without load, joint groups are
//! solved directly in the substeps anyway (6). Only the substepping solver has rolling friction (9);
//! a body on three points or more does not roll.
//!
//! # Size limit
//!
//! | islands | method | accuracy | most points + 2 x joints |
//! |---|---|---|---|
//! | joints | all | `Exact` | `EXACT.max_points` |
//! | joints | all | `Game` | `GAME.max_points` |
//! | no joints | `ShockPropagation` | all | no limit |
//! | no joints | `Newton`, `LinearProgram` | all | `DIRECT_MAX_POINTS` |
//! | no joints, quiet | `Auto` | `Exact` | `EXACT.max_points` |
//! | no joints, moving | `Auto` | `Exact` | `EXACT_MAX_MOVING_POINTS` |
//! | no joints | `Auto` | `Game` | `GAME.max_points` |
//!
//! The sleep stage has the equilibrium of an island in substeps checked by `Newton` if it has at
//! most `DIRECT_MAX_POINTS` points and joints: [`may_check_equilibrium`].
//!
//! # Takeovers
//!
//! In `Auto` and `Game`, a quiet island that substeps have held so far is taken over by the direct
//! solver in a step in which such islands have at most `GAME.max_points` points together
//! ([`Takeovers`]): the first searches are the long ones. The others wait in substeps
//! ([`SolverReason::Waiting`]).
//!
//! # Plan of a direct solve
//!
//! Steady: quiet, or moving only with a platform or a driven surface.
//!
//! | item | condition | value |
//! |---|---|---|
//! | residual accepted, target | `Exact` | `EXACT.accept`, `EXACT_TARGET` |
//! | | `Game` | `GAME.accept`, `GAME_TARGET` |
//! | iterations | `Exact`, quiet | `DIRECT_NEWTON.iterations` |
//! | | else | `SEARCH_BUDGET.moving_iterations` |
//! | acceleration in equilibrium (g) | `Exact` | `EXACT.certificate` |
//! | | `Game` | `GAME.certificate` |
//! | rotation for a midpoint solve (rad) | joints | `JOINT_MIDPOINT_ANGLE` |
//! | | no joints, moving | `DIRECT.midpoint_angle` |
//! | | no joints, moving with a platform or a driven surface, `Game` | `DIRECT.quiet_rotation` |
//! | | no joints, quiet | none: never |
//! | cost budget, soft and hard | steady | `SEARCH_BUDGET.cost`, `COST_HARD_LIMIT` |
//! | | not steady | `MOVING_COST`, `SEARCH_BUDGET.cost` |
//! | | | enforced in `Game` with `Auto` |
//! | equilibrium cached | `Game`, `Auto`, sleep off | `EQUILIBRIUM_RECHECK_STEPS` steps: [`recheck_is_due`] |
//!
//! # After a direct solve
//!
//! | # | condition | result | back-off |
//! |---|---|---|---|
//! | 1 | the problem could not be assembled | rejected | `FAILURE_BACKOFF_STEPS` |
//! | 1 | residual NaN, or above `DIRECT.near_residual` | rejected | `FAILURE_BACKOFF_STEPS` |
//! | 2 | over the soft budget, steady, and so one step before | kept | `SEARCH_BUDGET.backoff_steps` |
//! | 2 | over the soft budget, steady, cut off by the hard one | kept | `SEARCH_BUDGET.backoff_steps` |
//! | 3 | over the soft budget, not steady | kept | `MOVING_BACKOFF_STEPS` while moving |
//! | 4 | else | kept | none |
//!
//! A rejected island is solved in substeps. `ShockPropagation` has no bar for the residual. A
//! steady island may exceed its budget once, because the next search starts from the answer.
//!
//! # Substeps
//!
//! | solver | condition | substeps |
//! |---|---|---|
//! | both | [`Settings::substeps`] given | these |
//! | substepping | `Exact` | `EXACT_SUBSTEPS` |
//! | substepping | `Game` | by the height of stacks: `IslandAnalysis::plan` in `solver::layout` |
//! | joints | | by joint loads: `joint_rules`, `substep_plan` in `solver::joint_islands` |
//!
//! Substeps end early below a change of velocity of `SUBSTEPPING.converged_dv` (`Game`) or
//! `CONVERGED_DV_AWAKE` (`Game`, sleep off), and never in `Exact`.

use crate::math::Real;
use crate::resting::{RestingMethod, SolveLimits};
use crate::settings::{Accuracy, Settings};
use crate::solver_reason::SolverReason;
use crate::tolerances::*;

/// Steps between two equilibrium proofs of an unchanged island in `Accuracy::Game` without sleep.
/// Over these the acceleration left makes at most `SLEEP.speed`(super::SLEEP.speed). Fewer: time.
const EQUILIBRIUM_RECHECK_STEPS: u32 = 64;

/// Solver of an island in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IslandSolver {
    /// Substepping solver of contacts.
    Substepping,
    /// Substepping solver of islands with joints.
    Joints,
    /// Direct `f64` solver.
    Direct,
}

impl IslandSolver {
    /// The substepping solver for an island with or without joints.
    pub const fn substeps(has_joints: bool) -> Self {
        if has_joints { Self::Joints } else { Self::Substepping }
    }

    /// Its name in debug drawing.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Substepping => "substeps",
            Self::Joints => "joints",
            Self::Direct => "direct",
        }
    }
}

/// Facts of a step that are the same for all its islands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StepFacts {
    pub method: RestingMethod,
    pub accuracy: Accuracy,
    /// True if islands may be put to sleep.
    pub sleep: bool,
    /// Substeps of the settings, if given.
    pub substeps: Option<u32>,
    /// True if the moving islands have more points together than the direct solver has time for.
    pub crowded: bool,
}

impl StepFacts {
    /// Facts of a step whose islands have so many [`moving_points`] together.
    pub fn new(settings: &Settings, moving_points: usize) -> Self {
        Self {
            method: settings.resting_method,
            accuracy: settings.accuracy,
            sleep: settings.sleep,
            substeps: settings.substeps,
            crowded: moving_points > SEARCH_BUDGET.max_moving_points,
        }
    }

    /// True if the costs of direct solves are bounded.
    fn has_budget(&self) -> bool {
        self.accuracy == Accuracy::Game && self.method == RestingMethod::Auto
    }
}

/// Facts of an island that are at hand in every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IslandFacts {
    /// Contact points.
    pub points: usize,
    pub joints: usize,
    /// True if all bodies are slower than [`quiet_speed`].
    pub quiet: bool,
    /// True if its back-off runs.
    pub backing_off: bool,
}

impl IslandFacts {
    /// Points that the island adds to the load of the step: see [`StepFacts::crowded`].
    pub fn moving_points(&self) -> usize {
        if !self.quiet && self.points <= SEARCH_BUDGET.max_moving_points { self.points } else { 0 }
    }

    fn has_joints(&self) -> bool {
        self.joints > 0
    }
}

/// Facts of an island that are costly to find.
pub(super) trait Probes {
    /// True if rolling friction acts: on some contact of one or two points.
    fn has_rolling_friction(&self) -> bool;
    /// True if some contact had a normal impulse in the last step.
    fn bears_load(&self) -> bool;
    /// True if all joints are equalities, or limits out of reach, slow enough for one step.
    fn has_rigid_joints(&mut self) -> bool;
    /// True if the island is tall along gravity, with few bodies to a level.
    fn is_slender(&self) -> bool;
    /// True if two bodies in contact differ much in mass.
    fn is_uneven(&self) -> bool;
    /// True if the island touches a moving kinematic body or a driven surface.
    fn is_carried(&self) -> bool;
}

/// Decision for an island.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Assignment {
    pub solver: IslandSolver,
    pub reason: SolverReason,
    /// Plan of the direct solver, if it is assigned.
    pub direct: Option<DirectPlan>,
}

/// Assigns an island to a solver: the first table of the [module](self).
pub(super) fn assign(island: &IslandFacts, probes: &mut impl Probes, step: &StepFacts) -> Assignment {
    let reason = reason(island, probes, step);
    if !reason.is_direct() {
        return Assignment { solver: IslandSolver::substeps(island.has_joints()), reason, direct: None };
    }
    let steady = island.quiet || probes.is_carried();
    let direct = Some(DirectPlan::new(island, steady, step));
    Assignment { solver: IslandSolver::Direct, reason, direct }
}

fn reason(island: &IslandFacts, probes: &mut impl Probes, step: &StepFacts) -> SolverReason {
    let has_joints = island.has_joints();
    let iterative = match step.method {
        RestingMethod::Iterative => true,
        RestingMethod::ShockPropagation => has_joints,
        RestingMethod::LinearProgram | RestingMethod::Newton | RestingMethod::Auto => false,
    };
    let is_small = island.points <= SEARCH_BUDGET.max_moving_points;
    if island.backing_off && (has_joints || !is_small || !probes.is_uneven()) {
        return SolverReason::BackingOff;
    }
    if iterative {
        return SolverReason::Method;
    }
    if has_joints && !island.quiet {
        return SolverReason::MovingJoints;
    }
    if has_joints && step.accuracy == Accuracy::Game && !step.sleep {
        return SolverReason::SleepOff;
    }
    if island.points + 2 * island.joints > size_limit(island, step) {
        return SolverReason::TooLarge;
    }
    let direct = if has_joints {
        if !probes.bears_load() {
            return SolverReason::Unloaded;
        }
        if !probes.has_rigid_joints() {
            return SolverReason::SoftJoints;
        }
        SolverReason::LoadedJoints
    } else if step.method != RestingMethod::Auto {
        SolverReason::Requested
    } else if island.quiet {
        SolverReason::Quiet
    } else if step.accuracy == Accuracy::Exact {
        SolverReason::MovingExact
    } else if is_small && !step.crowded {
        SolverReason::MovingSmall
    } else if probes.is_slender() {
        SolverReason::MovingSlender
    } else if is_small {
        return SolverReason::Crowded;
    } else {
        return SolverReason::MovingLarge;
    };
    if probes.has_rolling_friction() { SolverReason::RollingFriction } else { direct }
}

/// Points of the islands that the direct solver takes over from substeps in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Takeovers {
    points: usize,
}

impl Takeovers {
    /// True if an island that was not solved directly in the last step, and bears load, is taken
    /// over in this step.
    pub fn admit(&mut self, island: &IslandFacts, step: &StepFacts) -> bool {
        if !(island.quiet && step.has_budget()) {
            return true;
        }
        let admits = self.points + island.points <= GAME.max_points;
        if admits {
            self.points += island.points;
        }
        admits
    }
}

/// Most points plus twice the joints of an island for the direct solver.
fn size_limit(island: &IslandFacts, step: &StepFacts) -> usize {
    if island.has_joints() {
        return match step.accuracy {
            Accuracy::Exact => EXACT.max_points,
            Accuracy::Game => GAME.max_points,
        };
    }
    match (step.method, step.accuracy) {
        (RestingMethod::Iterative, _) => 0,
        (RestingMethod::ShockPropagation, _) => usize::MAX,
        (RestingMethod::Newton | RestingMethod::LinearProgram, _) => DIRECT_MAX_POINTS,
        (RestingMethod::Auto, Accuracy::Exact) => {
            if island.quiet {
                EXACT.max_points
            } else {
                EXACT_MAX_MOVING_POINTS
            }
        }
        (RestingMethod::Auto, Accuracy::Game) => GAME.max_points,
    }
}

/// Speed (m/s) up to which the bodies of an island with or without joints count as quiet.
pub(super) fn quiet_speed(length_unit: Real, has_joints: bool) -> Real {
    let speed = if has_joints { DIRECT.quiet_joint_speed } else { DIRECT.quiet_speed };
    speed * length_unit
}

/// Plan of the direct solver for an island.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DirectPlan {
    pub method: RestingMethod,
    /// True if its bodies are slow: see [`IslandFacts::quiet`].
    pub quiet: bool,
    pub limits: DirectLimits,
    pub budget: CostBudget,
    /// Rotation in the step (rad) above which the island is solved again at its midpoint.
    pub midpoint_angle: f64,
    /// True if an equilibrium that was found stands for the next steps.
    pub caches_equilibrium: bool,
}

impl Default for DirectPlan {
    /// A plan for buffers that no island uses.
    fn default() -> Self {
        Self {
            method: RestingMethod::Auto,
            quiet: false,
            limits: DirectLimits::new(Accuracy::Game, false),
            budget: CostBudget::new(false, true),
            midpoint_angle: f64::INFINITY,
            caches_equilibrium: false,
        }
    }
}

impl DirectPlan {
    fn new(island: &IslandFacts, steady: bool, step: &StepFacts) -> Self {
        // Forces of the step's start would add energy to a pendulum, and to a body that rocks.
        // What a paddle drives gains energy in `Game` with the smaller angle, for a reason not yet known.
        let midpoint_angle = match (island.has_joints(), island.quiet) {
            (true, _) => JOINT_MIDPOINT_ANGLE,
            (false, true) => f64::INFINITY,
            (false, false) if steady && step.accuracy == Accuracy::Game => DIRECT.quiet_rotation,
            (false, false) => DIRECT.midpoint_angle,
        };
        Self {
            method: step.method,
            quiet: island.quiet,
            limits: DirectLimits::new(step.accuracy, island.quiet),
            budget: CostBudget::new(steady, step.has_budget()),
            midpoint_angle,
            caches_equilibrium: step.has_budget() && !step.sleep,
        }
    }

    /// Judges a direct solve: the third table of the [module](self).
    pub fn review(&self, solve: &SolveFacts) -> Review {
        let bar = if self.method == RestingMethod::ShockPropagation { f64::INFINITY } else { DIRECT.near_residual };
        if !solve.assembled || solve.residual.is_nan() || solve.residual > bar {
            return Review::Rejected(Backoff::FAILED);
        }
        let CostBudget { soft, hard, steady, enforced } = self.budget;
        let cut_off = solve.cost + solve.points.max(1) > hard;
        let backs_off = solve.cost > soft && (solve.was_over_budget || !steady || cut_off);
        Review::Kept((enforced && backs_off).then(|| Backoff::over_budget(steady)))
    }
}

/// Tolerances of a direct solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DirectLimits {
    pub search: SolveLimits,
    /// Largest acceleration (g) of a body in equilibrium.
    pub equilibrium: f64,
}

impl DirectLimits {
    pub fn new(accuracy: Accuracy, quiet: bool) -> Self {
        let (accept, target, iterations, equilibrium) = match accuracy {
            Accuracy::Exact if quiet => (EXACT.accept, EXACT_TARGET, DIRECT_NEWTON.iterations, EXACT.certificate),
            Accuracy::Exact => (EXACT.accept, EXACT_TARGET, SEARCH_BUDGET.moving_iterations, EXACT.certificate),
            Accuracy::Game => (GAME.accept, GAME_TARGET, SEARCH_BUDGET.moving_iterations, GAME.certificate),
        };
        Self { search: SolveLimits { accept, target, iterations, factorisations: usize::MAX }, equilibrium }
    }
}

/// Budget of the direct solves of an island in a step. The unit of cost is a contact point in a
/// factored matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CostBudget {
    /// Cost above which the island backs off.
    pub soft: usize,
    /// Cost at which a search ends with the best impulses so far.
    pub hard: usize,
    /// True if the next step is like this one: then an island may be over budget once.
    pub steady: bool,
    /// True if there is a budget at all.
    pub enforced: bool,
}

impl CostBudget {
    fn new(steady: bool, enforced: bool) -> Self {
        let (soft, hard) =
            if steady { (SEARCH_BUDGET.cost, COST_HARD_LIMIT) } else { (MOVING_COST, SEARCH_BUDGET.cost) };
        Self { soft, hard, steady, enforced }
    }

    /// Factorisations that are left for an island of so many points after a cost.
    pub fn factorisations_left(&self, cost: usize, points: usize) -> usize {
        if self.enforced { self.hard.saturating_sub(cost) / points.max(1) } else { usize::MAX }
    }
}

/// Facts of a direct solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SolveFacts {
    /// True if the problem could be assembled and its impulses are bounded.
    pub assembled: bool,
    pub residual: f64,
    /// Cost of all searches of the step.
    pub cost: usize,
    pub points: usize,
    /// True if the step before was above the soft budget.
    pub was_over_budget: bool,
}

/// Verdict on a direct solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Review {
    /// The result counts; with a back-off, the next steps go to the substepping solver.
    Kept(Option<Backoff>),
    /// The substepping solver takes the island in this step too.
    Rejected(Backoff),
}

/// Steps for which an island stays away from the direct solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Backoff {
    /// In any state.
    always: u8,
    /// While it moves.
    moving: u8,
}

impl Backoff {
    const FAILED: Self = Self { always: FAILURE_BACKOFF_STEPS, moving: 0 };

    /// An island that was not steady is tried again once it is quiet: its search starts elsewhere
    /// then.
    const fn over_budget(steady: bool) -> Self {
        if steady {
            Self { always: SEARCH_BUDGET.backoff_steps, moving: 0 }
        } else {
            Self { always: 0, moving: MOVING_BACKOFF_STEPS }
        }
    }

    /// The back-off one step later.
    pub fn counted_down(self) -> Self {
        Self { always: self.always.saturating_sub(1), moving: self.moving.saturating_sub(1) }
    }

    /// True if it keeps an island from the direct solver.
    pub fn holds(self, quiet: bool) -> bool {
        self.always > 0 || !quiet && self.moving > 0
    }
}

/// True if a cached equilibrium is checked anew in a step. Each island has a phase of its own, so
/// that no step checks all of them.
pub(super) fn recheck_is_due(step: u32, island: u32) -> bool {
    // Multiples of the golden ratio spread names with a common stride.
    let phase = island.wrapping_mul(0x9e37_79b9) >> 16;
    step.wrapping_add(phase).is_multiple_of(EQUILIBRIUM_RECHECK_STEPS)
}

/// True if the sleep stage may ask the direct solver for the equilibrium of an island that was
/// solved in substeps.
pub(super) fn may_check_equilibrium(points_and_joints: usize) -> bool {
    points_and_joints <= DIRECT_MAX_POINTS
}

/// Substeps (`None`: by the island) and change of velocity (m/s) that ends them early, for a
/// substepping solver.
pub(super) fn substep_limits(solver: IslandSolver, step: &StepFacts) -> (Option<u32>, Real) {
    let usual = match (solver, step.accuracy) {
        (IslandSolver::Substepping, Accuracy::Exact) => Some(EXACT_SUBSTEPS),
        _ => None,
    };
    let stop = match (step.accuracy, step.sleep) {
        (Accuracy::Exact, _) => 0.0,
        (Accuracy::Game, true) => SUBSTEPPING.converged_dv,
        (Accuracy::Game, false) => CONVERGED_DV_AWAKE,
    };
    (step.substeps.or(usual), stop)
}

#[cfg(test)]
#[path = "assign_tests.rs"]
mod tests;
