//! Which law finds an island's forces, and who takes over from whom.

use super::block::Vec6;
use super::carry::Carry;
use super::cone::ALL_OF_SPACE;
use super::gauss_seidel;
use super::island::{Effort, Report};
use super::lp::{DefaultSolver, LpCounts, Vanishing};
use super::newton::Newton;
use super::pivoting::Pivoting;
use super::problem::Problem;
use super::residual::View;
use super::sparse::Pattern;
use crate::math::DVec3;
use crate::tolerances::*;

/// Which law finds the contact forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Law {
    /// The linear programs of the thesis with their vanishing contacts; frictionless islands within the size gate.
    /// Where they do not apply or do not answer, proximal pivoting and Newton's method take over.
    LinearProgram,
    /// Newton's method in body space.
    Newton,
    /// A fixed number of warm Gauss-Seidel sweeps.
    Iterative,
    /// The same, and where they fall short shock propagation: level by level from the ground up, what is above gets still
    /// and what is below is held (Bender and Schmitt 2006, section 3.2). Stacks do not sink while their forces are being
    /// found; but a stack that ought to lean and fall may be held up, and blows do not go through it.
    ShockPropagation,
    /// Whichever fits the island: pivoting for frictionless ones, sweeps for single bodies and for large islands on the
    /// move, Newton's method for the rest. Linear programs are left to who asks for them: to give a cold island of 40
    /// contacts its first forces, they take seven times as long as pivoting takes for the whole answer.
    #[default]
    Auto,
}

/// The laws' buffers, and the pattern that they share.
#[derive(Clone, Debug, Default)]
pub(super) struct Laws {
    pattern: Pattern,
    carry: Carry,
    newton: Newton,
    pivoting: Pivoting,
    jammed: bool,
}

impl Laws {
    /// Readies the buffers for a problem.
    pub fn prepare(&mut self, problem: &Problem) {
        self.pattern.update(problem.bodies.len(), problem.rows.iter().map(|row| (row.first, row.second)));
        self.jammed = false;
    }

    /// The contacts that the last search found jammed.
    pub fn jammed(&self) -> &[u32] {
        if self.jammed { self.newton.jammed() } else { &[] }
    }

    /// Improves `impulses`, and adds to the report what was done.
    #[expect(clippy::too_many_arguments, reason = "the workspace lends its parts one by one")]
    pub fn search(
        &mut self,
        problem: &Problem,
        view: &View,
        biases: &[DVec3],
        impulses: &mut [DVec3],
        image: &mut Vec<Vec6>,
        law: Law,
        effort: Effort,
        report: &mut Report,
    ) {
        self.jammed = false;
        let (contacts, tolerance) = (impulses.len(), effort.reach);
        if law == Law::LinearProgram
            && problem.frictionless
            && self.by_program(problem, view, impulses, image, report)
            && report.residual < tolerance
        {
            return;
        }
        let carries = matches!(law, Law::Newton | Law::Auto) && !problem.is_tied();
        if carries && impulses.iter().all(|j| *j == DVec3::ZERO) {
            self.carry_loads(problem, view, impulses, image, report);
            if report.residual < tolerance {
                return;
            }
        }
        let single = contacts <= SINGLE_CONTACTS && problem.bodies.len() == 1;
        let moving = problem.speed > MOVING_STEPS * problem.gravity * problem.step;
        let large = contacts > if moving { EXACT_MOVING_CONTACTS } else { EXACT_CONTACTS };
        let sweeps = matches!(law, Law::Iterative | Law::ShockPropagation);
        if sweeps || (law == Law::Auto && (single || large)) {
            let before = report.residual;
            sweep_until(view, problem, impulses, image, effort, report);
            let settling = report.residual < SETTLING || report.residual > STALLED * before;
            let enough = large && (!settling || contacts > NEWTON_CONTACTS);
            if report.residual < tolerance || sweeps || enough {
                return;
            }
        }
        if problem.frictionless && law != Law::Newton {
            let end = self.pivoting.solve(view, &self.pattern, impulses, tolerance);
            report.residual = end.residual;
            report.iterations += end.iterations;
            report.factorisations += end.factorisations;
            if end.residual < tolerance {
                return;
            }
        }
        let bias = |i: usize| biases[i];
        let most = (effort.iterations, effort.factorisations.saturating_sub(report.factorisations));
        let end = self.newton.solve(view, &self.pattern, &problem.grams, bias, impulses, tolerance, most);
        report.residual = end.residual;
        report.iterations += end.iterations;
        report.factorisations += end.factorisations;
        self.jammed = end.jammed;
    }

    /// Looks for the impulses of an island that has none by carrying its loads down; kept if they are nearer to the laws than
    /// none are.
    fn carry_loads(
        &mut self,
        problem: &Problem,
        view: &View,
        impulses: &mut [DVec3],
        image: &mut [Vec6],
        report: &mut Report,
    ) {
        if self.carry.propose(problem, view, impulses, image) {
            // The running image has gathered rounding; the one that is judged is made anew.
            view.response(impulses, image);
            let residual = view.residual(impulses, image);
            if residual < report.residual {
                report.residual = residual;
                return;
            }
        }
        impulses.fill(DVec3::ZERO);
        image.fill([0.0; 6]);
    }

    /// Looks from `impulses` for an answer in which what `stuck` goes on sticking. False, with `impulses` as they were, if none was
    /// found.
    pub fn hold(
        &mut self,
        view: &View,
        stuck: impl Fn(usize) -> bool,
        impulses: &mut [DVec3],
        effort: Effort,
        report: &mut Report,
    ) -> bool {
        let matrices = effort.factorisations.saturating_sub(report.factorisations);
        let end = self.newton.hold(view, &self.pattern, stuck, impulses, effort.reach, matrices);
        report.factorisations += end.factorisations;
        if end.residual.is_nan() || end.residual >= effort.reach {
            return false;
        }
        report.residual = end.residual;
        report.iterations += end.iterations;
        true
    }

    /// The impulses of soft, frictionless contacts, or what some sweeps make of rigid ones.
    pub fn soften(
        &mut self,
        problem: &Problem,
        view: &View,
        softness: f64,
        impulses: &mut [DVec3],
        image: &mut [Vec6],
    ) {
        if !self.pivoting.soften(view, &self.pattern, softness, impulses) {
            view.response(impulses, image);
            gauss_seidel::sweep(view, &problem.grams, impulses, image, SWEEPS_BETWEEN_CHECKS);
        }
    }

    /// The same where something is tied: ties are [`TIE_STIFFNESS`] times as stiff. `compliance` is room.
    pub fn soften_tied(&mut self, view: &View, softness: f64, compliance: &mut Vec<f64>, impulses: &mut [DVec3]) {
        compliance.clear();
        compliance.extend(view.compliance.iter().zip(view.friction).map(|(&g, &mu)| {
            // Its own cone tells a tie from a contact, which has no friction here.
            if mu == ALL_OF_SPACE { g / TIE_STIFFNESS } else { g }
        }));
        self.newton.soften(&View { compliance, ..*view }, &self.pattern, softness, impulses);
    }

    /// The thesis's search. True if it proved some impulses.
    fn by_program(
        &mut self,
        problem: &Problem,
        view: &View,
        impulses: &mut [DVec3],
        image: &mut Vec<Vec6>,
        report: &mut Report,
    ) -> bool {
        let solver = DefaultSolver::default();
        let mut search = Vanishing { problem, view: *view, solver: &solver, counts: LpCounts::default(), image };
        let found = search.search(LP_CONTACTS);
        report.linear_programs.add(&search.counts);
        let Some(found) = found else { return false };
        impulses.copy_from_slice(&found);
        view.response(impulses, image);
        report.residual = view.residual(impulses, image);
        true
    }
}

/// Gauss-Seidel sweeps until the residual is below the tolerance, or as many as are allowed.
fn sweep_until(
    view: &View,
    problem: &Problem,
    impulses: &mut [DVec3],
    image: &mut [Vec6],
    effort: Effort,
    report: &mut Report,
) {
    view.response(impulses, image);
    for _ in 0..ITERATIVE_SWEEPS.min(effort.iterations) / SWEEPS_BETWEEN_CHECKS {
        gauss_seidel::sweep(view, &problem.grams, impulses, image, SWEEPS_BETWEEN_CHECKS);
        report.iterations += SWEEPS_BETWEEN_CHECKS;
        // The running image gathers rounding; the one that is judged is made anew.
        view.response(impulses, image);
        report.residual = view.residual(impulses, image);
        if report.residual < effort.reach {
            break;
        }
    }
}
