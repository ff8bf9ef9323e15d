//! One island solved: what is asked for, what is handed back, and what to do about slipping and jams.

use super::block::Vec6;
use super::certificate::{Equilibrium, equilibrium_of};
use super::cone::{project, tangential};
use super::laws::{Law, Laws};
use super::lp::LpCounts;
use super::problem::Problem;
use super::residual::View;
use super::shock::Shock;
use crate::math::DVec3;
use crate::tolerances::*;

/// What the search for an island's impulses did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// How far the impulses are from the laws of rest, in the island's speed ([`Problem::speed`]); see
    /// [`crate::resting`].
    pub residual: f64,
    /// Whether that is within the tolerance asked for.
    pub converged: bool,
    /// Outer iterations of Newton's method, proximal steps of pivoting, or Gauss-Seidel sweeps.
    pub iterations: usize,
    /// Matrices factored.
    pub factorisations: usize,
    /// How far the bodies are from equilibrium under these impulses. An island may rest if it
    /// [holds](Equilibrium::holds), the search converged, and its bodies are slow.
    pub equilibrium: Equilibrium,
    /// What became of the linear programs, if any were tried.
    pub linear_programs: LpCounts,
}

/// An island's impulses and what they do, lent from the [`Workspace`].
#[derive(Clone, Copy, Debug)]
pub struct Solution<'w> {
    /// The impulse of each contact on its second body, world axes (N s; forces in N at the acceleration level).
    pub impulses: &'w [DVec3],
    /// The velocity of each body's centre at the end of the step (m/s; its acceleration at the acceleration level).
    pub velocities: &'w [DVec3],
    /// The angular velocity of each body at the end of the step, world axes (rad/s; or its angular acceleration).
    pub angular_velocities: &'w [DVec3],
    /// For each contact, whether it presses and does not slide: what the next step's contact wants to know.
    pub sticking: &'w [bool],
    /// The strength of each tie as an impulse (N s, or N m s).
    pub ties: &'w [f64],
    /// The contacts whose required speeds nothing could satisfy, and were given up; ties among them are counted on from the
    /// contacts, by their groups.
    pub jammed: &'w [u32],
    /// How the search went.
    pub report: Report,
}

/// The buffers of [`solve`], kept from step to step. With the same contact graph as in the last call, and no linear
/// program asked for, nothing is allocated.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    laws: Laws,
    shock: Shock,
    tables: Tables,
    local: Vec<DVec3>,
    /// Impulses that may take their place.
    other: Vec<DVec3>,
    /// What a tie weighs when bodies are pushed apart.
    compliance: Vec<f64>,
    image: Vec<Vec6>,
    impulses: Vec<DVec3>,
    velocities: Vec<DVec3>,
    angular_velocities: Vec<DVec3>,
    sticking: Vec<bool>,
    ties: Vec<f64>,
    jammed: Vec<u32>,
}

impl Workspace {
    /// Empty buffers.
    pub fn new() -> Self {
        Self::default()
    }
}

/// How good an island's impulses must be, and how long they may be looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Impulses with a residual below this (of [`Problem::speed`]) are kept as they are: a settled island is one look.
    pub keep: f64,
    /// A search ends below this. Lower than `keep`, a searched island then stays within `keep` for many steps.
    pub reach: f64,
    /// The most outer iterations of Newton's method, and the most sweeps.
    pub iterations: usize,
    /// The most matrices to factor: once they are, the best that was found is the answer.
    pub factorisations: usize,
}

impl Effort {
    /// One tolerance to keep and to reach, and as many iterations as help at all.
    pub const fn within(tolerance: f64) -> Self {
        Self { keep: tolerance, reach: tolerance, iterations: NEWTON_ITERATIONS, factorisations: usize::MAX }
    }
}

/// The parts of a problem that a second try may change.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub offsets: Vec<DVec3>,
    pub biases: Vec<DVec3>,
    pub friction: Vec<f64>,
}

impl Tables {
    pub fn view<'a>(&'a self, problem: &'a Problem) -> View<'a> {
        View {
            rows: &problem.rows,
            offsets: &self.offsets,
            compliance: &problem.compliance,
            friction: &self.friction,
            speed: problem.speed,
            bodies: problem.bodies.len(),
        }
    }
}

/// Finds the impulses of an island, to a residual below `tolerance` (of [`Problem::speed`]; 1e-9 for islands at rest
/// under exact laws, 1e-4 for games).
///
/// The search starts from the contacts' last impulses. An answer that is not within the tolerance is the best that was
/// found: its impulses are inside their cones and add no energy.
///
/// ```
/// use dolmen::math::DVec3;
/// use dolmen::resting::{Body, Contact, Law, Level, Problem, WORLD, Workspace, solve};
///
/// let gravity = DVec3::new(0.0, 0.0, -9.81);
/// let ball = Body::at_rest(DVec3::Z, 2.0, DVec3::splat(0.8), gravity);
/// let contact = Contact::new(WORLD, 0, DVec3::ZERO, DVec3::Z, 0.5);
/// let mut problem = Problem::new();
/// problem.build(Level::Velocity { step: 0.01 }, 9.81, &[ball], &[contact])?;
/// let mut work = Workspace::new();
/// let solution = solve(&mut work, &problem, Law::Auto, 1e-10);
/// assert!((solution.impulses[0].z - 2.0 * 9.81 * 0.01).abs() < 1e-9);
/// assert!(solution.report.converged && solution.report.equilibrium.holds(1e-9));
/// # Ok::<(), dolmen::resting::ProblemError>(())
/// ```
pub fn solve<'w>(work: &'w mut Workspace, problem: &Problem, law: Law, tolerance: f64) -> Solution<'w> {
    solve_with(work, problem, law, Effort::within(tolerance))
}

/// As [`solve`], with all that there is to say about the effort.
pub fn solve_with<'w>(work: &'w mut Workspace, problem: &Problem, law: Law, effort: Effort) -> Solution<'w> {
    let tolerance = effort.keep;
    work.load(problem);
    let mut report = Report::default();
    work.search(problem, law, effort, &mut report);
    work.give_up_jams(problem, law, effort, &mut report);
    if matches!(law, Law::Newton | Law::Auto) && report.iterations > 0 && report.residual < tolerance {
        work.keep_sticking(problem, effort, &mut report);
    }
    for _ in 0..FRICTION_TRIES {
        if !work.let_slip(problem, tolerance) {
            break;
        }
        work.search(problem, law, effort, &mut report);
    }
    report.converged = report.residual < tolerance;
    if !report.converged {
        work.take_no_energy(problem);
    }
    if report.iterations > 0 {
        // Otherwise the image is that of the last look at the residual.
        work.tables.view(problem).response(&work.local, &mut work.image);
    }
    report.equilibrium = equilibrium_of(problem, &work.local, &work.image);
    if law == Law::ShockPropagation && !report.converged {
        let view = work.tables.view(problem);
        work.shock.propagate(&view, &problem.grams, &work.local, &mut work.image);
    }
    work.hand_back(problem, tolerance);
    Solution {
        impulses: &work.impulses,
        velocities: &work.velocities,
        angular_velocities: &work.angular_velocities,
        sticking: &work.sticking,
        ties: &work.ties,
        jammed: &work.jammed,
        report,
    }
}

/// Moves overlapping bodies apart: the velocities and angular velocities (m/s, rad/s, world axes) that soft contacts give
/// them. `problem` is frictionless, its bodies stand still, and the biases of its contacts are minus the speeds at which they
/// should open. What is tied is brought together by what its ties miss, and hardly gives way.
///
/// Rigid contacts would not do: where faces are not quite parallel, they slide a body for metres to lift it by a micrometre,
/// and where they contradict each other there is no answer. `softness`, in units of a contact's own compliance, bounds both,
/// and makes the answer unique.
pub fn push_apart<'w>(work: &'w mut Workspace, problem: &Problem, softness: f64) -> (&'w [DVec3], &'w [DVec3]) {
    work.load(problem);
    let view = work.tables.view(problem);
    if problem.is_tied() {
        work.laws.soften_tied(&view, softness, &mut work.compliance, &mut work.local);
    } else {
        work.laws.soften(problem, &view, softness, &mut work.local, &mut work.image);
    }
    view.response(&work.local, &mut work.image);
    work.hand_back(problem, 1.0);
    (&work.velocities, &work.angular_velocities)
}

impl Workspace {
    fn load(&mut self, problem: &Problem) {
        self.tables.offsets.clone_from(&problem.offsets);
        self.tables.biases.clear();
        self.tables.biases.extend(problem.cold.iter().map(|c| c.bias));
        self.tables.friction.clear();
        self.tables
            .friction
            .extend(problem.cold.iter().map(|c| if c.sticking { c.static_friction } else { c.dynamic_friction }));
        self.start(problem);
        self.image.clear();
        self.image.resize(problem.bodies.len() + 1, [0.0; 6]);
        self.jammed.clear();
        self.laws.prepare(problem);
    }

    /// Goes back to the last step's impulses.
    fn start(&mut self, problem: &Problem) {
        self.local.clear();
        self.local.extend(problem.cold.iter().zip(&self.tables.friction).map(|(c, &mu)| project(c.last, mu)));
    }

    fn search(&mut self, problem: &Problem, law: Law, effort: Effort, report: &mut Report) {
        let view = self.tables.view(problem);
        view.response(&self.local, &mut self.image);
        report.residual = view.residual(&self.local, &self.image);
        // A residual that is not a number is none.
        if report.residual.is_nan() || report.residual >= effort.keep {
            let biases = &self.tables.biases;
            self.laws.search(problem, &view, biases, &mut self.local, &mut self.image, law, effort, report);
        }
    }

    /// Answers a jam: gives up the push-out of its contacts, and if that is not enough every required speed of theirs.
    fn give_up_jams(&mut self, problem: &Problem, law: Law, effort: Effort, report: &mut Report) {
        for everything in [false, true] {
            if self.laws.jammed().is_empty() {
                break;
            }
            for &i in self.laws.jammed() {
                let at = i as usize;
                let bias = self.tables.biases[at];
                let given_up = if everything { bias } else { DVec3::new(problem.cold[at].push_out, 0.0, 0.0) };
                self.tables.biases[at] -= given_up;
                self.tables.offsets[at] -= given_up;
                if !self.jammed.contains(&i) {
                    self.jammed.push(i);
                }
            }
            self.jammed.sort_unstable();
            // The search ran up squeezes without end, and would keep them.
            self.start(problem);
            self.search(problem, law, effort, report);
        }
    }

    /// Where contacts slide that stuck in the last step, looks for an answer in which they do not: of several, it comes first.
    fn keep_sticking(&mut self, problem: &Problem, effort: Effort, report: &mut Report) {
        let stuck = |i: usize| problem.cold[i].sticking;
        if !(0..self.local.len()).any(|i| stuck(i) && self.is_at_its_limit(i)) {
            return;
        }
        let view = self.tables.view(problem);
        view.response(&self.local, &mut self.image);
        let least = SLIP_OF_TOLERANCE * effort.keep * problem.speed;
        let slips = |i: usize| tangential(problem.rows[i].apply(&self.image) + self.tables.offsets[i]) > least;
        if !(0..self.local.len()).any(|i| stuck(i) && self.is_at_its_limit(i) && slips(i)) {
            return;
        }
        self.other.clear();
        self.other.extend(problem.cold.iter().zip(&self.tables.friction).map(|(c, &mu)| project(c.last, mu)));
        if self.laws.hold(&view, stuck, &mut self.other, effort, report) {
            std::mem::swap(&mut self.local, &mut self.other);
        }
    }

    /// Whether a contact presses, and its friction is all that it can have.
    fn is_at_its_limit(&self, i: usize) -> bool {
        let (mu, j) = (self.tables.friction[i], self.local[i]);
        j.x > 0.0 && tangential(j) >= mu * j.x * (1.0 - CONE_ROUNDING)
    }

    /// Contacts that were held by static friction and slide all the same go over to dynamic friction, and never back
    /// within a step. True if there were any.
    fn let_slip(&mut self, problem: &Problem, tolerance: f64) -> bool {
        let (mut any, mut current) = (false, false);
        for (i, cold) in problem.cold.iter().enumerate() {
            if self.tables.friction[i] <= cold.dynamic_friction || !self.is_at_its_limit(i) {
                continue;
            }
            if !current {
                self.tables.view(problem).response(&self.local, &mut self.image);
                current = true;
            }
            let u = problem.rows[i].apply(&self.image) + self.tables.offsets[i];
            if tangential(u) > SLIP_OF_TOLERANCE * tolerance * problem.speed {
                self.tables.friction[i] = cold.dynamic_friction;
                any = true;
            }
        }
        if any {
            for (j, &mu) in self.local.iter_mut().zip(&self.tables.friction) {
                *j = project(*j, mu);
            }
        }
        any
    }

    /// Scales impulses that would add energy back to those that would not. Exact ones never do: they work against the
    /// velocities they find and those they leave.
    fn take_no_energy(&mut self, problem: &Problem) {
        self.tables.view(problem).response(&self.local, &mut self.image);
        let (mut found, mut left) = (0.0, 0.0);
        for (i, row) in problem.rows.iter().enumerate() {
            found += self.local[i].dot(self.tables.offsets[i]);
            left += self.local[i].dot(row.apply(&self.image) + self.tables.offsets[i]);
        }
        if found + left > 0.0 {
            // With every impulse times s, the energy is s found + s² (left - found) / 2, which is least here.
            let scale = if left > found { (-found / (left - found)).clamp(0.0, 1.0) } else { 0.0 };
            for j in &mut self.local {
                *j *= scale;
            }
        }
    }

    fn hand_back(&mut self, problem: &Problem, tolerance: f64) {
        self.impulses.clear();
        let contacts = problem.contact_count();
        self.impulses.extend(self.local[..contacts].iter().zip(&problem.cold).map(|(j, c)| c.axes * *j));
        self.ties.clear();
        self.ties.extend(problem.ties.iter().map(|tie| tie.strength(&self.local)));
        self.velocities.clear();
        self.angular_velocities.clear();
        for (i, body) in problem.bodies.iter().enumerate() {
            let (linear, angular) = problem.unscale(i, &self.image[i]);
            let (velocity, spin) = problem.free_motion(body);
            self.velocities.push(velocity + linear);
            self.angular_velocities.push(spin + angular);
        }
        self.sticking.clear();
        for (i, row) in problem.rows[..contacts].iter().enumerate() {
            let slip = tangential(row.apply(&self.image) + self.tables.offsets[i]);
            let pressed = self.local[i].x > 0.0;
            self.sticking.push(pressed && slip <= SLIP_OF_TOLERANCE * tolerance * problem.speed);
        }
    }
}
