//! One test for each row of the tables: its condition just met, and just missed.

use super::*;
use std::cell::Cell;

/// Answers of the probes, and how often they were asked.
#[derive(Clone, Default)]
struct Answers {
    rolling: bool,
    loaded: bool,
    rigid: bool,
    slender: bool,
    uneven: bool,
    carried: bool,
    asked: Cell<u32>,
}

impl Answers {
    fn answer(&self, answer: bool) -> bool {
        self.asked.set(self.asked.get() + 1);
        answer
    }
}

impl Probes for Answers {
    fn has_rolling_friction(&self) -> bool {
        self.answer(self.rolling)
    }
    fn bears_load(&self) -> bool {
        self.answer(self.loaded)
    }
    fn has_rigid_joints(&mut self) -> bool {
        self.answer(self.rigid)
    }
    fn is_slender(&self) -> bool {
        self.answer(self.slender)
    }
    fn is_uneven(&self) -> bool {
        self.answer(self.uneven)
    }
    fn is_carried(&self) -> bool {
        self.answer(self.carried)
    }
}

const GAME_STEP: StepFacts =
    StepFacts { method: RestingMethod::Auto, accuracy: Accuracy::Game, sleep: true, substeps: None, crowded: false };
const EXACT_STEP: StepFacts = StepFacts { accuracy: Accuracy::Exact, ..GAME_STEP };
const QUIET: IslandFacts = IslandFacts { points: 8, joints: 0, quiet: true, backing_off: false };
const MOVING: IslandFacts = IslandFacts { quiet: false, ..QUIET };
const JOINTED: IslandFacts = IslandFacts { joints: 3, ..QUIET };

fn plain() -> Answers {
    Answers { loaded: true, rigid: true, ..Answers::default() }
}

fn why_with(island: IslandFacts, step: StepFacts, mut answers: Answers) -> SolverReason {
    let assignment = assign(&island, &mut answers, &step);
    let direct = assignment.solver == IslandSolver::Direct;
    assert_eq!(assignment.direct.is_some(), direct);
    assert!(direct || assignment.solver == IslandSolver::substeps(island.joints > 0));
    assignment.reason
}

fn why(island: IslandFacts, step: StepFacts) -> SolverReason {
    why_with(island, step, plain())
}

fn plan(island: IslandFacts, step: StepFacts, carried: bool) -> DirectPlan {
    assign(&island, &mut Answers { carried, ..plain() }, &step).direct.expect("the direct solver")
}

#[test]
fn row_1_an_island_that_backs_off_stays_in_substeps_unless_small_and_uneven() {
    for (island, other) in [(QUIET, SolverReason::Quiet), (JOINTED, SolverReason::LoadedJoints)] {
        assert_eq!(why(IslandFacts { backing_off: true, ..island }, GAME_STEP), SolverReason::BackingOff);
        assert_eq!(why(island, GAME_STEP), other);
    }
    let uneven =
        |island| why_with(IslandFacts { backing_off: true, ..island }, GAME_STEP, Answers { uneven: true, ..plain() });
    assert_eq!(uneven(QUIET), SolverReason::Quiet);
    assert_eq!(uneven(MOVING), SolverReason::MovingSmall);
    assert_eq!(uneven(JOINTED), SolverReason::BackingOff);
    assert_eq!(uneven(IslandFacts { points: SEARCH_BUDGET.max_moving_points + 1, ..QUIET }), SolverReason::BackingOff);
}

#[test]
fn row_2_iterative_methods_take_no_direct_solver() {
    let with = |method| StepFacts { method, ..GAME_STEP };
    assert_eq!(why(QUIET, with(RestingMethod::Iterative)), SolverReason::Method);
    assert_eq!(why(JOINTED, with(RestingMethod::Iterative)), SolverReason::Method);
    assert_eq!(why(JOINTED, with(RestingMethod::ShockPropagation)), SolverReason::Method);
    assert_eq!(why(QUIET, with(RestingMethod::ShockPropagation)), SolverReason::Requested);
    assert_eq!(why(JOINTED, with(RestingMethod::Newton)), SolverReason::LoadedJoints);
}

#[test]
fn row_3_moving_joints_go_to_substeps() {
    for step in [GAME_STEP, EXACT_STEP] {
        assert_eq!(why(IslandFacts { quiet: false, ..JOINTED }, step), SolverReason::MovingJoints);
        assert_eq!(why(JOINTED, step), SolverReason::LoadedJoints);
    }
}

#[test]
fn row_4_without_sleep_joints_of_a_game_go_to_substeps() {
    assert_eq!(why(JOINTED, StepFacts { sleep: false, ..GAME_STEP }), SolverReason::SleepOff);
    assert_eq!(why(JOINTED, StepFacts { sleep: false, ..EXACT_STEP }), SolverReason::LoadedJoints);
    assert_eq!(why(QUIET, StepFacts { sleep: false, ..GAME_STEP }), SolverReason::Quiet);
}

#[test]
fn row_5_large_islands_go_to_substeps() {
    let newton = StepFacts { method: RestingMethod::Newton, ..GAME_STEP };
    let linear = StepFacts { method: RestingMethod::LinearProgram, ..EXACT_STEP };
    for (island, step, limit) in [
        (QUIET, GAME_STEP, GAME.max_points),
        (QUIET, EXACT_STEP, EXACT.max_points),
        (MOVING, EXACT_STEP, EXACT_MAX_MOVING_POINTS),
        (QUIET, newton, DIRECT_MAX_POINTS),
        (MOVING, linear, DIRECT_MAX_POINTS),
        (JOINTED, GAME_STEP, GAME.max_points - 6),
        (JOINTED, EXACT_STEP, EXACT.max_points - 6),
        (JOINTED, newton, GAME.max_points - 6),
    ] {
        assert_ne!(why(IslandFacts { points: limit, ..island }, step), SolverReason::TooLarge);
        assert_eq!(why(IslandFacts { points: limit + 1, ..island }, step), SolverReason::TooLarge);
    }
    let shock = StepFacts { method: RestingMethod::ShockPropagation, ..GAME_STEP };
    assert_eq!(why(IslandFacts { points: 100_000, ..MOVING }, shock), SolverReason::Requested);
    assert!(may_check_equilibrium(DIRECT_MAX_POINTS) && !may_check_equilibrium(DIRECT_MAX_POINTS + 1));
}

#[test]
fn rows_6_and_7_joints_need_load_and_rigid_rows() {
    assert_eq!(why_with(JOINTED, GAME_STEP, Answers { loaded: false, ..plain() }), SolverReason::Unloaded);
    assert_eq!(why_with(JOINTED, GAME_STEP, Answers { rigid: false, ..plain() }), SolverReason::SoftJoints);
    assert_eq!(why_with(JOINTED, GAME_STEP, plain()), SolverReason::LoadedJoints);
    assert_eq!(why_with(QUIET, GAME_STEP, Answers::default()), SolverReason::Quiet);
}

#[test]
fn rows_8_and_13_to_15_moving_islands_of_a_game_have_to_be_small_or_hard() {
    let crowded = StepFacts { crowded: true, ..GAME_STEP };
    let full = IslandFacts { points: SEARCH_BUDGET.max_moving_points, ..MOVING };
    let larger = IslandFacts { points: SEARCH_BUDGET.max_moving_points + 1, ..MOVING };
    assert_eq!(why(full, GAME_STEP), SolverReason::MovingSmall);
    assert_eq!(why(full, crowded), SolverReason::Crowded);
    assert_eq!(why(larger, GAME_STEP), SolverReason::MovingLarge);
    assert_eq!(why(larger, crowded), SolverReason::MovingLarge);
    assert_eq!(why(larger, EXACT_STEP), SolverReason::MovingExact);
    for (island, step) in [(full, crowded), (larger, GAME_STEP)] {
        assert_eq!(why_with(island, step, Answers { slender: true, ..plain() }), SolverReason::MovingSlender);
    }
    let quiet = IslandFacts { quiet: true, ..larger };
    assert_eq!(why(quiet, crowded), SolverReason::Quiet);
}

#[test]
fn a_step_is_crowded_by_its_small_moving_islands() {
    assert_eq!(QUIET.moving_points(), 0);
    assert_eq!(
        IslandFacts { points: SEARCH_BUDGET.max_moving_points, ..MOVING }.moving_points(),
        SEARCH_BUDGET.max_moving_points
    );
    assert_eq!(IslandFacts { points: SEARCH_BUDGET.max_moving_points + 1, ..MOVING }.moving_points(), 0);
    let settings = Settings::default();
    assert!(!StepFacts::new(&settings, SEARCH_BUDGET.max_moving_points).crowded);
    assert!(StepFacts::new(&settings, SEARCH_BUDGET.max_moving_points + 1).crowded);
}

#[test]
fn row_9_rolling_friction_is_for_substeps() {
    let rolling = || Answers { rolling: true, ..plain() };
    for island in [QUIET, MOVING, JOINTED] {
        assert_eq!(why_with(island, GAME_STEP, rolling()), SolverReason::RollingFriction);
        assert_eq!(why_with(island, EXACT_STEP, rolling()), SolverReason::RollingFriction);
    }
    let shock = StepFacts { method: RestingMethod::ShockPropagation, ..GAME_STEP };
    assert_eq!(why_with(QUIET, shock, rolling()), SolverReason::RollingFriction);
}

#[test]
fn rows_10_to_12_say_why_the_direct_solver_takes_an_island() {
    assert_eq!(why(JOINTED, GAME_STEP), SolverReason::LoadedJoints);
    assert_eq!(why(QUIET, StepFacts { method: RestingMethod::Newton, ..GAME_STEP }), SolverReason::Requested);
    assert_eq!(why(MOVING, StepFacts { method: RestingMethod::Newton, ..GAME_STEP }), SolverReason::Requested);
    assert_eq!(why(QUIET, GAME_STEP), SolverReason::Quiet);
}

#[test]
fn costly_facts_are_asked_for_by_the_rows_that_need_them_only() {
    let asked = |island: IslandFacts, step: StepFacts| {
        let mut answers = plain();
        assign(&island, &mut answers, &step);
        answers.asked.get()
    };
    let large = IslandFacts { points: DIRECT_MAX_POINTS + 1, ..QUIET };
    // Whether it is uneven.
    assert_eq!(asked(IslandFacts { backing_off: true, ..QUIET }, GAME_STEP), 1);
    assert_eq!(asked(IslandFacts { backing_off: true, ..large }, GAME_STEP), 0);
    assert_eq!(asked(large, GAME_STEP), 0);
    // Rolling friction.
    assert_eq!(asked(QUIET, GAME_STEP), 1);
    // Rolling friction, and whether it is carried.
    assert_eq!(asked(MOVING, GAME_STEP), 2);
    // Load, rigid rows, rolling friction.
    assert_eq!(asked(JOINTED, GAME_STEP), 3);
}

#[test]
fn limits_follow_accuracy_and_motion() {
    let of = |island, step| {
        let limits = plan(island, step, false).limits;
        (limits.search.accept, limits.search.target, limits.search.iterations, limits.equilibrium)
    };
    assert_eq!(of(QUIET, EXACT_STEP), (EXACT.accept, EXACT_TARGET, DIRECT_NEWTON.iterations, EXACT.certificate));
    assert_eq!(
        of(MOVING, EXACT_STEP),
        (EXACT.accept, EXACT_TARGET, SEARCH_BUDGET.moving_iterations, EXACT.certificate)
    );
    for island in [QUIET, MOVING] {
        assert_eq!(
            of(island, GAME_STEP),
            (GAME.accept, GAME_TARGET, SEARCH_BUDGET.moving_iterations, GAME.certificate)
        );
    }
}

#[test]
fn the_midpoint_is_for_what_moves_or_hangs() {
    let of = |island, step| plan(island, step, false).midpoint_angle;
    assert_eq!([of(QUIET, GAME_STEP), of(QUIET, EXACT_STEP)], [f64::INFINITY; 2]);
    assert_eq!([of(MOVING, GAME_STEP), of(MOVING, EXACT_STEP)], [DIRECT.midpoint_angle; 2]);
    let carried = [GAME_STEP, EXACT_STEP].map(|step| plan(MOVING, step, true).midpoint_angle);
    assert_eq!(carried, [DIRECT.quiet_rotation, DIRECT.midpoint_angle]);
    assert_eq!([of(JOINTED, GAME_STEP), of(JOINTED, EXACT_STEP)], [JOINT_MIDPOINT_ANGLE; 2]);
}

#[test]
fn budgets_are_for_games_that_leave_the_method_open() {
    let of = |island, step, carried| {
        let CostBudget { soft, hard, .. } = plan(island, step, carried).budget;
        (soft, hard)
    };
    assert_eq!(of(QUIET, GAME_STEP, false), (SEARCH_BUDGET.cost, COST_HARD_LIMIT));
    assert_eq!(of(MOVING, GAME_STEP, true), (SEARCH_BUDGET.cost, COST_HARD_LIMIT));
    assert_eq!(of(MOVING, GAME_STEP, false), (MOVING_COST, SEARCH_BUDGET.cost));
    let newton = StepFacts { method: RestingMethod::Newton, ..GAME_STEP };
    let enforced = |step| plan(QUIET, step, false).budget.enforced;
    assert_eq!([GAME_STEP, newton, EXACT_STEP].map(enforced), [true, false, false]);
    let budget = plan(QUIET, GAME_STEP, false).budget;
    assert_eq!(budget.factorisations_left(0, 10), COST_HARD_LIMIT / 10);
    assert_eq!(budget.factorisations_left(COST_HARD_LIMIT + 1, 10), 0);
    assert_eq!(budget.factorisations_left(0, 0), COST_HARD_LIMIT);
    assert_eq!(plan(QUIET, EXACT_STEP, false).budget.factorisations_left(usize::MAX, 10), usize::MAX);
}

#[test]
fn equilibria_are_cached_where_nothing_sleeps() {
    let cached = |step| plan(QUIET, step, false).caches_equilibrium;
    assert!(cached(StepFacts { sleep: false, ..GAME_STEP }));
    assert!(!cached(GAME_STEP));
    assert!(!cached(StepFacts { sleep: false, ..EXACT_STEP }));
    assert!(!cached(StepFacts { sleep: false, method: RestingMethod::Newton, ..GAME_STEP }));
    for island in [0, 7, 1 << 20] {
        let due = (0..3 * EQUILIBRIUM_RECHECK_STEPS).filter(|&step| recheck_is_due(step, island)).count();
        assert_eq!(due, 3);
    }
}

fn solved(cost: usize, was_over_budget: bool) -> SolveFacts {
    SolveFacts { assembled: true, residual: 0.0, cost, points: 0, was_over_budget }
}

#[test]
fn failed_solves_are_rejected() {
    let shock = StepFacts { method: RestingMethod::ShockPropagation, ..GAME_STEP };
    let rejected = |step, solve| plan(QUIET, step, false).review(&solve) == Review::Rejected(Backoff::FAILED);
    let with = |residual| SolveFacts { residual, ..solved(0, false) };
    assert!(rejected(GAME_STEP, SolveFacts { assembled: false, ..solved(0, false) }));
    assert!(rejected(GAME_STEP, with(f64::NAN)) && rejected(shock, with(f64::NAN)));
    assert!(
        rejected(GAME_STEP, with(1.001 * DIRECT.near_residual)) && !rejected(GAME_STEP, with(DIRECT.near_residual))
    );
    assert!(!rejected(shock, with(1.0)));
}

#[test]
fn a_steady_island_may_be_over_budget_once_and_a_moving_one_never() {
    let review = |island, cost, before| plan(island, GAME_STEP, false).review(&solved(cost, before));
    let (steady, moving) =
        (Review::Kept(Some(Backoff::over_budget(true))), Review::Kept(Some(Backoff::over_budget(false))));
    assert_eq!(review(QUIET, SEARCH_BUDGET.cost + 1, false), Review::Kept(None));
    assert_eq!(review(QUIET, SEARCH_BUDGET.cost + 1, true), steady);
    assert_eq!(review(QUIET, SEARCH_BUDGET.cost, true), Review::Kept(None));
    // A search that was cut off leaves no answer to start from.
    assert_eq!(review(QUIET, COST_HARD_LIMIT, false), steady);
    assert_eq!(review(QUIET, COST_HARD_LIMIT - 1, false), Review::Kept(None));
    assert_eq!(review(MOVING, MOVING_COST + 1, false), moving);
    assert_eq!(review(MOVING, MOVING_COST, false), Review::Kept(None));
    assert_eq!(plan(MOVING, EXACT_STEP, false).review(&solved(usize::MAX - 1, true)), Review::Kept(None));
}

#[test]
fn back_offs_run_for_their_steps() {
    let steps = |backoff: Backoff, quiet: bool| {
        std::iter::successors(Some(backoff.counted_down()), |b| Some(b.counted_down()))
            .take_while(|b| b.holds(quiet))
            .count()
    };
    assert_eq!([true, false].map(|quiet| steps(Backoff::FAILED, quiet)), [usize::from(FAILURE_BACKOFF_STEPS) - 1; 2]);
    assert_eq!(
        [true, false].map(|quiet| steps(Backoff::over_budget(true), quiet)),
        [usize::from(SEARCH_BUDGET.backoff_steps) - 1; 2]
    );
    let moving = Backoff::over_budget(false);
    assert_eq!([true, false].map(|quiet| steps(moving, quiet)), [0, usize::from(MOVING_BACKOFF_STEPS) - 1]);
    assert_eq!(steps(Backoff::default(), false), 0);
}

#[test]
fn substeps_follow_the_setting_then_the_accuracy() {
    use IslandSolver::{Joints, Substepping};
    let given = StepFacts { substeps: Some(5), ..EXACT_STEP };
    assert_eq!(substep_limits(Substepping, &EXACT_STEP), (Some(EXACT_SUBSTEPS), 0.0));
    assert_eq!(substep_limits(Joints, &EXACT_STEP), (None, 0.0));
    assert_eq!(substep_limits(Substepping, &given), (Some(5), 0.0));
    assert_eq!(substep_limits(Joints, &given), (Some(5), 0.0));
    assert_eq!(substep_limits(Substepping, &GAME_STEP), (None, SUBSTEPPING.converged_dv));
    assert_eq!(substep_limits(Joints, &StepFacts { sleep: false, ..GAME_STEP }), (None, CONVERGED_DV_AWAKE));
}

#[test]
fn quiet_islands_are_taken_over_up_to_the_points_of_the_largest() {
    let half = IslandFacts { points: GAME.max_points / 2, ..QUIET };
    let mut takeovers = Takeovers::default();
    assert!(takeovers.admit(&half, &GAME_STEP) && takeovers.admit(&half, &GAME_STEP));
    assert!(!takeovers.admit(&QUIET, &GAME_STEP));
    for (island, step) in
        [(MOVING, GAME_STEP), (QUIET, EXACT_STEP), (QUIET, StepFacts { method: RestingMethod::Newton, ..GAME_STEP })]
    {
        assert!(takeovers.admit(&island, &step), "no budget");
    }
    assert!(Takeovers::default().admit(&IslandFacts { points: GAME.max_points, ..QUIET }, &GAME_STEP));
}
