//! The methods of the direct solver, and their order for an island.

use super::block::Vec6;
use super::cone::BILATERAL;
use super::gauss_seidel;
use super::load_propagation::LoadPropagation;
use super::lp::{DefaultSolver, LpCounts, Vanishing};
use super::newton::Newton;
use super::pivoting::Pivoting;
use super::problem::Problem;
use super::report::{Report, SolveLimits};
use super::residual::View;
use super::sparse::Pattern;
use crate::math::DVec3;
use crate::tolerances::*;

/// Most contacts of a frictionless island for linear programs: about four milliseconds, growing
/// with the cube.
const MAX_LP_CONTACTS: usize = 96;

/// Most contacts of a single body that is solved by sweeps: less than a microsecond.
const SINGLE_BODY_CONTACTS: usize = 3;

/// Method for the forces of resting contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum RestingMethod {
    /// The linear programs of the thesis with vanishing contacts (Baber 2006); for frictionless
    /// islands up to a size limit. If they do not apply or fail, pivoting and Newton's method
    /// follow.
    LinearProgram,
    /// Newton's method in body space.
    Newton,
    /// In a world: the substepping solver for all islands. In [`solve`](super::solve): a fixed
    /// number of warm-started Gauss-Seidel sweeps.
    Iterative,
    /// The same, followed by shock propagation if the sweeps fall short: level by level from the
    /// ground up, bodies above stop and bodies below are fixed (Bender and Schmitt 2006, section
    /// 3.2). Stacks do not sink while their forces are found; but a stack that should lean and fall
    /// may be held up, and shocks do not pass through it.
    ShockPropagation,
    /// By island: pivoting if frictionless, sweeps for single bodies and for large moving islands,
    /// Newton's method for the rest. Never linear programs: for a cold island of 40 contacts they
    /// are seven times slower than pivoting.
    #[default]
    Auto,
}

/// The methods' buffers, and the shared sparsity pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct DirectSolver {
    pattern: Pattern,
    load_propagation: LoadPropagation,
    newton: Newton,
    pivoting: Pivoting,
    infeasible: bool,
}

impl DirectSolver {
    /// Prepares the buffers for a problem.
    pub fn prepare(&mut self, problem: &Problem) {
        self.pattern.update(problem.bodies.len(), problem.jacobians.iter().map(|row| (row.first, row.second)));
        self.infeasible = false;
    }

    /// The contacts with infeasible biases in the last search.
    pub fn infeasible(&self) -> &[u32] {
        if self.infeasible { self.newton.infeasible() } else { &[] }
    }

    /// Improves `impulses`, and adds to the report.
    #[expect(clippy::too_many_arguments, reason = "the workspace is borrowed part by part")]
    pub fn search(
        &mut self,
        problem: &Problem,
        view: &View,
        biases: &[DVec3],
        impulses: &mut [DVec3],
        delta_v: &mut Vec<Vec6>,
        method: RestingMethod,
        limits: SolveLimits,
        report: &mut Report,
    ) {
        self.infeasible = false;
        let (contacts, tolerance) = (impulses.len(), limits.target);
        if method == RestingMethod::LinearProgram
            && problem.frictionless
            && self.solve_linear_programs(problem, view, impulses, delta_v, report)
            && report.residual < tolerance
        {
            return;
        }
        let propagates = matches!(method, RestingMethod::Newton | RestingMethod::Auto) && !problem.has_joints();
        if propagates && impulses.iter().all(|j| *j == DVec3::ZERO) {
            self.propagate_loads(problem, view, impulses, delta_v, report);
            if report.residual < tolerance {
                return;
            }
        }
        let single = contacts <= SINGLE_BODY_CONTACTS && problem.bodies.len() == 1;
        let moving = problem.speed > DIRECT.moving_steps * problem.gravity * problem.step;
        let large = contacts > if moving { NEWTON_MAX_MOVING_POINTS } else { GAME.max_points };
        let sweeps = matches!(method, RestingMethod::Iterative | RestingMethod::ShockPropagation);
        if sweeps || (method == RestingMethod::Auto && (single || large)) {
            let before = report.residual;
            sweep_until(view, problem, impulses, delta_v, limits, report);
            let settling =
                report.residual < DIRECT.near_residual || report.residual > DIRECT_NEWTON.slow_reduction * before;
            let enough = large && (!settling || contacts > DIRECT_MAX_POINTS);
            if report.residual < tolerance || sweeps || enough {
                return;
            }
        }
        if problem.frictionless && method != RestingMethod::Newton {
            let end = self.pivoting.solve(view, &self.pattern, impulses, tolerance);
            report.residual = end.residual;
            report.iterations += end.iterations;
            report.factorisations += end.factorisations;
            if end.residual < tolerance {
                return;
            }
        }
        let bias = |i: usize| biases[i];
        let limit = (limits.iterations, limits.factorisations.saturating_sub(report.factorisations));
        let end = self.newton.solve(view, &self.pattern, &problem.grams, bias, impulses, tolerance, limit);
        report.residual = end.residual;
        report.iterations += end.iterations;
        report.factorisations += end.factorisations;
        self.infeasible = end.infeasible;
    }

    /// First guess for an island without impulses, by load propagation; kept if its residual is
    /// lower.
    fn propagate_loads(
        &mut self,
        problem: &Problem,
        view: &View,
        impulses: &mut [DVec3],
        delta_v: &mut [Vec6],
        report: &mut Report,
    ) {
        if self.load_propagation.propose(problem, view, impulses, delta_v) {
            // The running `delta_v` has gathered rounding: the residual needs a new one.
            view.response(impulses, delta_v);
            let residual = view.residual(impulses, delta_v);
            if residual < report.residual {
                report.residual = residual;
                return;
            }
        }
        impulses.fill(DVec3::ZERO);
        delta_v.fill([0.0; 6]);
    }

    /// Searches from `impulses` for a solution in which the contacts that `stuck` still stick.
    /// False, with `impulses` unchanged, if none was found.
    pub fn keep_sticking(
        &mut self,
        view: &View,
        stuck: impl Fn(usize) -> bool,
        impulses: &mut [DVec3],
        limits: SolveLimits,
        report: &mut Report,
    ) -> bool {
        let matrices = limits.factorisations.saturating_sub(report.factorisations);
        let end = self.newton.keep_sticking(view, &self.pattern, stuck, impulses, limits.target, matrices);
        report.factorisations += end.factorisations;
        if end.residual.is_nan() || end.residual >= limits.target {
            return false;
        }
        report.residual = end.residual;
        report.iterations += end.iterations;
        true
    }

    /// The impulses of soft, frictionless contacts; failing that, some sweeps of rigid ones.
    pub fn soften(
        &mut self,
        problem: &Problem,
        view: &View,
        softness: f64,
        impulses: &mut [DVec3],
        delta_v: &mut [Vec6],
    ) {
        if !self.pivoting.soften(view, &self.pattern, softness, impulses) {
            view.response(impulses, delta_v);
            gauss_seidel::sweep(view, &problem.grams, impulses, delta_v, GAUSS_SEIDEL.sweeps_per_check);
        }
    }

    /// The same with joint constraints, which are `DIRECT_JOINT_STIFFNESS` times as stiff.
    /// `compliance` is a buffer.
    pub fn soften_with_joints(
        &mut self,
        view: &View,
        softness: f64,
        compliance: &mut Vec<f64>,
        impulses: &mut [DVec3],
    ) {
        compliance.clear();
        compliance.extend(view.compliance.iter().zip(view.friction).map(|(&g, &mu)| {
            // The cone tells a bilateral constraint from a contact, which has no friction here.
            if mu == BILATERAL { g / DIRECT_JOINT_STIFFNESS } else { g }
        }));
        self.newton.soften(&View { compliance, ..*view }, &self.pattern, softness, impulses);
    }

    /// The search by linear programs. True if it proved some impulses.
    fn solve_linear_programs(
        &mut self,
        problem: &Problem,
        view: &View,
        impulses: &mut [DVec3],
        delta_v: &mut Vec<Vec6>,
        report: &mut Report,
    ) -> bool {
        let solver = DefaultSolver::default();
        let mut search = Vanishing { problem, view: *view, solver: &solver, counts: LpCounts::default(), delta_v };
        let found = search.search(MAX_LP_CONTACTS);
        report.linear_programs.add(&search.counts);
        let Some(found) = found else { return false };
        impulses.copy_from_slice(&found);
        view.response(impulses, delta_v);
        report.residual = view.residual(impulses, delta_v);
        true
    }
}

/// Gauss-Seidel sweeps until the residual is below the target, or up to the limit.
fn sweep_until(
    view: &View,
    problem: &Problem,
    impulses: &mut [DVec3],
    delta_v: &mut [Vec6],
    limits: SolveLimits,
    report: &mut Report,
) {
    view.response(impulses, delta_v);
    for _ in 0..GAUSS_SEIDEL.sweeps.min(limits.iterations) / GAUSS_SEIDEL.sweeps_per_check {
        gauss_seidel::sweep(view, &problem.grams, impulses, delta_v, GAUSS_SEIDEL.sweeps_per_check);
        report.iterations += GAUSS_SEIDEL.sweeps_per_check;
        // The running `delta_v` gathers rounding: the residual needs a new one.
        view.response(impulses, delta_v);
        report.residual = view.residual(impulses, delta_v);
        if report.residual < limits.target {
            break;
        }
    }
}
