//! One island solved: which law to use, static and dynamic friction, jams, and what is handed back.

use super::block::Vec6;
use super::certificate::{Equilibrium, equilibrium_of};
use super::cone::{project, tangential};
use super::gauss_seidel;
use super::newton::{Ending, Newton};
use super::pivoting::Pivoting;
use super::problem::Problem;
use super::residual::View;
use super::sparse::Pattern;
use crate::math::DVec3;
use crate::tolerances::*;

/// Which law finds the contact forces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Law {
    /// The linear programs of the thesis with their vanishing contacts; frictionless islands within the size gate.
    /// Where they do not apply or do not answer, proximal pivoting and Newton's method take over.
    LinearProgram,
    /// Newton's method in body space.
    Newton,
    /// A fixed number of warm Gauss-Seidel sweeps.
    Iterative,
    /// Whichever fits the island.
    #[default]
    Auto,
}

/// What the search for an island's impulses did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
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
    /// [holds](Equilibrium::holds) and the search converged.
    pub equilibrium: Equilibrium,
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
    /// The contacts whose required speeds nothing could satisfy, and were given up.
    pub jammed: &'w [u32],
    /// How the search went.
    pub report: Report,
}

/// The buffers of [`solve`], kept from step to step. With the same contact graph as in the last call, Newton's method
/// allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    pattern: Pattern,
    newton: Newton,
    pivoting: Pivoting,
    offsets: Vec<DVec3>,
    biases: Vec<DVec3>,
    friction: Vec<f64>,
    local: Vec<DVec3>,
    image: Vec<Vec6>,
    impulses: Vec<DVec3>,
    velocities: Vec<DVec3>,
    angular_velocities: Vec<DVec3>,
    sticking: Vec<bool>,
    jammed: Vec<u32>,
}

impl Workspace {
    /// Empty buffers.
    pub fn new() -> Self {
        Self::default()
    }
}

/// Finds the impulses of an island, to a residual below `tolerance` (of [`Problem::speed`]; 1e-9 for islands at rest
/// under exact laws, 1e-4 for games).
///
/// The search starts from the contacts' last impulses. An answer that is not within the tolerance is the best that was
/// found: its impulses are inside their cones and add no energy.
pub fn solve<'w>(work: &'w mut Workspace, problem: &Problem, law: Law, tolerance: f64) -> Solution<'w> {
    work.load(problem);
    let mut ending = work.search(problem, law, tolerance);
    ending = work.give_up_jams(problem, law, tolerance, ending);
    for _ in 0..FRICTION_TRIES {
        if !work.let_slip(problem, tolerance) {
            break;
        }
        let again = work.search(problem, law, tolerance);
        ending = Ending {
            residual: again.residual,
            iterations: ending.iterations + again.iterations,
            factorisations: ending.factorisations + again.factorisations,
            jammed: ending.jammed,
        };
    }
    let converged = ending.residual < tolerance;
    if !converged {
        work.take_no_energy(problem);
    }
    work.hand_back(problem, tolerance);
    let report = Report {
        residual: ending.residual,
        converged,
        iterations: ending.iterations,
        factorisations: ending.factorisations,
        equilibrium: equilibrium_of(problem, &work.local, &work.image),
    };
    Solution {
        impulses: &work.impulses,
        velocities: &work.velocities,
        angular_velocities: &work.angular_velocities,
        sticking: &work.sticking,
        jammed: &work.jammed,
        report,
    }
}

impl Workspace {
    fn load(&mut self, problem: &Problem) {
        self.offsets.clone_from(&problem.offsets);
        self.biases.clear();
        self.biases.extend(problem.cold.iter().map(|c| c.bias));
        self.friction.clear();
        self.friction
            .extend(problem.cold.iter().map(|c| if c.sticking { c.static_friction } else { c.dynamic_friction }));
        self.local.clear();
        self.local.extend(problem.cold.iter().zip(&self.friction).map(|(c, &mu)| project(c.last, mu)));
        self.image.clear();
        self.image.resize(problem.bodies.len() + 1, [0.0; 6]);
        self.jammed.clear();
        self.pattern.update(problem.bodies.len(), problem.rows.iter().map(|row| (row.first, row.second)));
    }

    fn search(&mut self, problem: &Problem, law: Law, tolerance: f64) -> Ending {
        let view = View {
            rows: &problem.rows,
            offsets: &self.offsets,
            compliance: &problem.compliance,
            friction: &self.friction,
            speed: problem.speed,
            bodies: problem.bodies.len(),
        };
        view.response(&self.local, &mut self.image);
        let residual = view.residual(&self.local, &self.image);
        if residual < tolerance {
            return Ending { residual, ..Ending::default() };
        }
        match law {
            Law::Iterative => {
                gauss_seidel::sweep(&view, &problem.grams, &mut self.local, &mut self.image, ITERATIVE_SWEEPS);
                view.response(&self.local, &mut self.image);
                let residual = view.residual(&self.local, &self.image);
                Ending { residual, iterations: ITERATIVE_SWEEPS, ..Ending::default() }
            }
            _ => {
                if problem.frictionless && law != Law::Newton {
                    let end = self.pivoting.solve(&view, &self.pattern, &mut self.local, tolerance);
                    if end.residual < tolerance {
                        return Ending {
                            residual: end.residual,
                            iterations: end.iterations,
                            factorisations: end.factorisations,
                            jammed: false,
                        };
                    }
                }
                let biases = &self.biases;
                self.newton.solve(
                    &view,
                    &self.pattern,
                    &problem.grams,
                    |i| biases[i],
                    &mut self.local,
                    tolerance,
                    NEWTON_ITERATIONS,
                )
            }
        }
    }

    /// Answers a jam: gives up the push-out of its contacts, and if that is not enough every required speed of theirs.
    fn give_up_jams(&mut self, problem: &Problem, law: Law, tolerance: f64, mut ending: Ending) -> Ending {
        for all in [false, true] {
            if !ending.jammed {
                break;
            }
            for &i in self.newton.jammed() {
                let i = i as usize;
                let given_up = if all { self.biases[i] } else { DVec3::new(problem.cold[i].push_out, 0.0, 0.0) };
                self.biases[i] -= given_up;
                self.offsets[i] -= given_up;
                if !self.jammed.contains(&(i as u32)) {
                    self.jammed.push(i as u32);
                }
            }
            self.jammed.sort_unstable();
            let again = self.search(problem, law, tolerance);
            ending = Ending {
                iterations: ending.iterations + again.iterations,
                factorisations: ending.factorisations + again.factorisations,
                ..again
            };
        }
        ending
    }

    /// Contacts that were held by static friction and slide all the same go over to dynamic friction, and never back
    /// within a step. True if there were any.
    fn let_slip(&mut self, problem: &Problem, tolerance: f64) -> bool {
        let (mut any, mut current) = (false, false);
        for (i, cold) in problem.cold.iter().enumerate() {
            let mu = self.friction[i];
            if mu <= cold.dynamic_friction {
                continue;
            }
            let j = self.local[i];
            if j.x > 0.0 && tangential(j) >= mu * j.x * (1.0 - CONE_ROUNDING) {
                // The image is brought up to date once, at the first contact that needs it.
                if !current {
                    problem.response(&self.local, &mut self.image);
                    current = true;
                }
                let u = problem.rows[i].apply(&self.image) + self.offsets[i];
                if tangential(u) > SLIP_OF_TOLERANCE * tolerance * problem.speed {
                    self.friction[i] = cold.dynamic_friction;
                    any = true;
                }
            }
        }
        if any {
            for (j, &mu) in self.local.iter_mut().zip(&self.friction) {
                *j = project(*j, mu);
            }
        }
        any
    }

    /// Scales impulses that would add energy back to those that would not. Exact ones never do: they work against the
    /// velocities they find and those they leave.
    fn take_no_energy(&mut self, problem: &Problem) {
        problem.response(&self.local, &mut self.image);
        let (mut found, mut left) = (0.0, 0.0);
        for (i, row) in problem.rows.iter().enumerate() {
            found += self.local[i].dot(self.offsets[i]);
            left += self.local[i].dot(row.apply(&self.image) + self.offsets[i]);
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
        problem.response(&self.local, &mut self.image);
        self.impulses.clear();
        self.impulses.extend(self.local.iter().zip(&problem.cold).map(|(j, c)| c.axes * *j));
        self.velocities.clear();
        self.angular_velocities.clear();
        for (i, body) in problem.bodies.iter().enumerate() {
            let (linear, angular) = problem.unscale(i, &self.image[i]);
            let (velocity, spin) = problem.free_motion(body);
            self.velocities.push(velocity + linear);
            self.angular_velocities.push(spin + angular);
        }
        self.sticking.clear();
        for (i, row) in problem.rows.iter().enumerate() {
            let slip = tangential(row.apply(&self.image) + self.offsets[i]);
            let pressed = self.local[i].x > 0.0;
            self.sticking.push(pressed && slip <= SLIP_OF_TOLERANCE * tolerance * problem.speed);
        }
    }
}
