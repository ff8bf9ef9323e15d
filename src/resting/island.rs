//! Solution of one island, with the treatment of slip and of infeasible biases.

use super::block::Vec6;
use super::certificate::equilibrium_of;
use super::cone::{project, tangential};
use super::methods::{DirectSolver, RestingMethod};
use super::problem::Problem;
use super::report::{Report, SolveLimits};
use super::residual::View;
use super::shock_propagation::ShockPropagation;
use crate::math::DVec3;
use crate::tolerances::*;

/// An island's impulses and their effect, borrowed from the [`Workspace`].
#[derive(Clone, Copy, Debug)]
pub struct Solution<'w> {
    /// The impulse of each contact on its second body, world axes (N s; forces in N at the
    /// acceleration level).
    pub impulses: &'w [DVec3],
    /// The velocity of each body's centre at the end of the step (m/s; its acceleration at the
    /// acceleration level).
    pub velocities: &'w [DVec3],
    /// The angular velocity of each body at the end of the step, world axes (rad/s; or its angular
    /// acceleration).
    pub angular_velocities: &'w [DVec3],
    /// For each contact, true if it presses and does not slide: input of the next step's contact.
    pub sticking: &'w [bool],
    /// The strength of each joint constraint as an impulse (N s, or N m s).
    pub joint_impulses: &'w [f64],
    /// The contacts whose required speeds are infeasible and were given up; blocks of joint
    /// constraints are numbered after the contacts.
    pub infeasible: &'w [u32],
    /// The course of the search.
    pub report: Report,
}

/// The buffers of [`solve`], kept from step to step. With the same contact graph as in the last
/// call, and no linear program asked for, nothing is allocated.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    solver: DirectSolver,
    shock: ShockPropagation,
    terms: Terms,
    local: Vec<DVec3>,
    /// Impulses that may replace these.
    candidate: Vec<DVec3>,
    /// Compliances of joint constraints for the separation of overlaps.
    compliance: Vec<f64>,
    delta_v: Vec<Vec6>,
    impulses: Vec<DVec3>,
    velocities: Vec<DVec3>,
    angular_velocities: Vec<DVec3>,
    sticking: Vec<bool>,
    joint_impulses: Vec<f64>,
    infeasible: Vec<u32>,
}

impl Workspace {
    /// Empty buffers.
    pub fn new() -> Self {
        Self::default()
    }
}

/// The terms of a problem that a retry may change.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    pub offsets: Vec<DVec3>,
    pub biases: Vec<DVec3>,
    pub friction: Vec<f64>,
}

impl Terms {
    pub fn view<'a>(&'a self, problem: &'a Problem) -> View<'a> {
        View {
            jacobians: &problem.jacobians,
            offsets: &self.offsets,
            compliance: &problem.compliance,
            friction: &self.friction,
            speed: problem.speed,
            bodies: problem.bodies.len(),
        }
    }
}

/// Finds the impulses of an island, to a residual below `tolerance` (of [`Problem::speed`]; 1e-9
/// for islands at rest in `Accuracy::Exact`, 1e-4 for games).
///
/// The search starts from the contacts' last impulses. If it does not reach the tolerance, it
/// returns the best impulses found: they are inside their cones and add no energy.
///
/// ```
/// use dolmen::math::DVec3;
/// use dolmen::resting::{
///     Body, Contact, FormulationLevel, Problem, RestingMethod, WORLD, Workspace, solve,
/// };
///
/// let gravity = DVec3::new(0.0, 0.0, -9.81);
/// let ball = Body::at_rest(DVec3::Z, 2.0, DVec3::splat(0.8), gravity);
/// let contact = Contact::new(WORLD, 0, DVec3::ZERO, DVec3::Z, 0.5);
/// let mut problem = Problem::new();
/// problem.build(FormulationLevel::Velocity { step: 0.01 }, 9.81, &[ball], &[contact])?;
/// let mut work = Workspace::new();
/// let solution = solve(&mut work, &problem, RestingMethod::Auto, 1e-10);
/// assert!((solution.impulses[0].z - 2.0 * 9.81 * 0.01).abs() < 1e-9);
/// assert!(solution.report.converged && solution.report.equilibrium.holds(1e-9));
/// # Ok::<(), dolmen::resting::ProblemError>(())
/// ```
pub fn solve<'w>(work: &'w mut Workspace, problem: &Problem, method: RestingMethod, tolerance: f64) -> Solution<'w> {
    solve_with(work, problem, method, SolveLimits::within(tolerance))
}

/// As [`solve`], with all limits of the search.
pub fn solve_with<'w>(
    work: &'w mut Workspace,
    problem: &Problem,
    method: RestingMethod,
    limits: SolveLimits,
) -> Solution<'w> {
    let tolerance = limits.accept;
    work.load(problem);
    let mut report = Report::default();
    work.search(problem, method, limits, &mut report);
    work.relax_infeasible_biases(problem, method, limits, &mut report);
    if matches!(method, RestingMethod::Newton | RestingMethod::Auto)
        && report.iterations > 0
        && report.residual < tolerance
    {
        work.keep_sticking(problem, limits, &mut report);
    }
    for _ in 0..DIRECT_NEWTON.attempts {
        if !work.release_to_dynamic_friction(problem, tolerance) {
            break;
        }
        work.search(problem, method, limits, &mut report);
    }
    report.converged = report.residual < tolerance;
    if !report.converged {
        work.limit_energy(problem);
    }
    if report.iterations > 0 {
        // Otherwise `delta_v` is that of the last residual.
        work.terms.view(problem).response(&work.local, &mut work.delta_v);
    }
    report.equilibrium = equilibrium_of(problem, &work.local, &work.delta_v);
    if method == RestingMethod::ShockPropagation && !report.converged {
        let view = work.terms.view(problem);
        work.shock.propagate(&view, &problem.grams, &work.local, &mut work.delta_v);
    }
    work.write_results(problem, tolerance);
    Solution {
        impulses: &work.impulses,
        velocities: &work.velocities,
        angular_velocities: &work.angular_velocities,
        sticking: &work.sticking,
        joint_impulses: &work.joint_impulses,
        infeasible: &work.infeasible,
        report,
    }
}

/// Separates overlapping bodies: returns the velocities and angular velocities (m/s, rad/s, world
/// axes) under soft contacts. `problem` is frictionless, its bodies stand still, and the biases of
/// its contacts are minus the speeds at which they should open. Joint constraints close their joint
/// errors, and are nearly rigid.
///
/// Rigid contacts are unsuitable: between nearly parallel faces they slide a body for metres to
/// lift it by a micrometre, and contradictory contacts have no solution. `softness`, in units of a
/// contact's own compliance, bounds both, and makes the solution unique.
pub fn resolve_overlaps<'w>(work: &'w mut Workspace, problem: &Problem, softness: f64) -> (&'w [DVec3], &'w [DVec3]) {
    work.load(problem);
    let view = work.terms.view(problem);
    if problem.has_joints() {
        work.solver.soften_with_joints(&view, softness, &mut work.compliance, &mut work.local);
    } else {
        work.solver.soften(problem, &view, softness, &mut work.local, &mut work.delta_v);
    }
    view.response(&work.local, &mut work.delta_v);
    work.write_results(problem, 1.0);
    (&work.velocities, &work.angular_velocities)
}

impl Workspace {
    fn load(&mut self, problem: &Problem) {
        self.terms.offsets.clone_from(&problem.offsets);
        self.terms.biases.clear();
        self.terms.biases.extend(problem.row_data.iter().map(|c| c.bias));
        self.terms.friction.clear();
        self.terms
            .friction
            .extend(problem.row_data.iter().map(|c| if c.sticking { c.static_friction } else { c.dynamic_friction }));
        self.warm_start(problem);
        self.delta_v.clear();
        self.delta_v.resize(problem.bodies.len() + 1, [0.0; 6]);
        self.infeasible.clear();
        self.solver.prepare(problem);
    }

    /// Starts from the last step's impulses.
    fn warm_start(&mut self, problem: &Problem) {
        self.local.clear();
        self.local.extend(problem.row_data.iter().zip(&self.terms.friction).map(|(c, &mu)| project(c.last, mu)));
    }

    fn search(&mut self, problem: &Problem, method: RestingMethod, limits: SolveLimits, report: &mut Report) {
        let view = self.terms.view(problem);
        view.response(&self.local, &mut self.delta_v);
        report.residual = view.residual(&self.local, &self.delta_v);
        // NaN counts as not converged.
        if report.residual.is_nan() || report.residual >= limits.accept {
            let biases = &self.terms.biases;
            self.solver.search(problem, &view, biases, &mut self.local, &mut self.delta_v, method, limits, report);
        }
    }

    /// Relaxes infeasible biases: first the separation of overlaps, then every required speed of
    /// these contacts.
    fn relax_infeasible_biases(
        &mut self,
        problem: &Problem,
        method: RestingMethod,
        limits: SolveLimits,
        report: &mut Report,
    ) {
        for everything in [false, true] {
            if self.solver.infeasible().is_empty() {
                break;
            }
            for &i in self.solver.infeasible() {
                let at = i as usize;
                let bias = self.terms.biases[at];
                let relaxed = if everything { bias } else { DVec3::new(problem.row_data[at].push_out, 0.0, 0.0) };
                self.terms.biases[at] -= relaxed;
                self.terms.offsets[at] -= relaxed;
                if !self.infeasible.contains(&i) {
                    self.infeasible.push(i);
                }
            }
            self.infeasible.sort_unstable();
            // The search has built up unbounded squeezes, and would keep them.
            self.warm_start(problem);
            self.search(problem, method, limits, report);
        }
    }

    /// If contacts slide that stuck in the last step, searches for a solution in which they stick:
    /// of several, it is preferred.
    fn keep_sticking(&mut self, problem: &Problem, limits: SolveLimits, report: &mut Report) {
        let stuck = |i: usize| problem.row_data[i].sticking;
        if !(0..self.local.len()).any(|i| stuck(i) && self.is_at_friction_limit(i)) {
            return;
        }
        let view = self.terms.view(problem);
        view.response(&self.local, &mut self.delta_v);
        let least = DIRECT.slip_of_tolerance * limits.accept * problem.speed;
        let slips = |i: usize| tangential(problem.jacobians[i].apply(&self.delta_v) + self.terms.offsets[i]) > least;
        if !(0..self.local.len()).any(|i| stuck(i) && self.is_at_friction_limit(i) && slips(i)) {
            return;
        }
        self.candidate.clear();
        self.candidate.extend(problem.row_data.iter().zip(&self.terms.friction).map(|(c, &mu)| project(c.last, mu)));
        if self.solver.keep_sticking(&view, stuck, &mut self.candidate, limits, report) {
            std::mem::swap(&mut self.local, &mut self.candidate);
        }
    }

    /// True if a contact presses, and its friction is at the limit.
    fn is_at_friction_limit(&self, i: usize) -> bool {
        let (mu, j) = (self.terms.friction[i], self.local[i]);
        j.x > 0.0 && tangential(j) >= mu * j.x * (1.0 - ROUNDING.solution)
    }

    /// Contacts under static friction that slide go over to dynamic friction, for the rest of the
    /// step. True if there were any.
    fn release_to_dynamic_friction(&mut self, problem: &Problem, tolerance: f64) -> bool {
        let (mut any, mut current) = (false, false);
        for (i, data) in problem.row_data.iter().enumerate() {
            if self.terms.friction[i] <= data.dynamic_friction || !self.is_at_friction_limit(i) {
                continue;
            }
            if !current {
                self.terms.view(problem).response(&self.local, &mut self.delta_v);
                current = true;
            }
            let u = problem.jacobians[i].apply(&self.delta_v) + self.terms.offsets[i];
            if tangential(u) > DIRECT.slip_of_tolerance * tolerance * problem.speed {
                self.terms.friction[i] = data.dynamic_friction;
                any = true;
            }
        }
        if any {
            for (j, &mu) in self.local.iter_mut().zip(&self.terms.friction) {
                *j = project(*j, mu);
            }
        }
        any
    }

    /// Scales impulses that would add energy. Exact impulses never do: they work against the
    /// velocities before and after.
    fn limit_energy(&mut self, problem: &Problem) {
        self.terms.view(problem).response(&self.local, &mut self.delta_v);
        let (mut before, mut after) = (0.0, 0.0);
        for (i, row) in problem.jacobians.iter().enumerate() {
            before += self.local[i].dot(self.terms.offsets[i]);
            after += self.local[i].dot(row.apply(&self.delta_v) + self.terms.offsets[i]);
        }
        if before + after > 0.0 {
            // With every impulse times s, the energy is s before + s² (after - before) / 2, which
            // is least here.
            let scale = if after > before { (-before / (after - before)).clamp(0.0, 1.0) } else { 0.0 };
            for j in &mut self.local {
                *j *= scale;
            }
        }
    }

    fn write_results(&mut self, problem: &Problem, tolerance: f64) {
        self.impulses.clear();
        let contacts = problem.contact_count();
        self.impulses.extend(self.local[..contacts].iter().zip(&problem.row_data).map(|(j, data)| data.axes * *j));
        self.joint_impulses.clear();
        self.joint_impulses.extend(problem.constraints.iter().map(|slot| slot.strength(&self.local)));
        self.velocities.clear();
        self.angular_velocities.clear();
        for (i, body) in problem.bodies.iter().enumerate() {
            let (linear, angular) = problem.unscale(i, &self.delta_v[i]);
            let (velocity, spin) = problem.free_motion(body);
            self.velocities.push(velocity + linear);
            self.angular_velocities.push(spin + angular);
        }
        self.sticking.clear();
        for (i, row) in problem.jacobians[..contacts].iter().enumerate() {
            let slip = tangential(row.apply(&self.delta_v) + self.terms.offsets[i]);
            let pressed = self.local[i].x > 0.0;
            self.sticking.push(pressed && slip <= DIRECT.slip_of_tolerance * tolerance * problem.speed);
        }
    }
}
