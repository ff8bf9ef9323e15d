//! The linear programs of Baber 2006, section 3.4, with elastic equalities: with redundant contacts
//! rounding alone makes `M f = -b` infeasible, and solvers then report so, or fail.
//!
//! All are scaled: `S = diag(M_ii^-1/2)`, `M' = S M S`, `beta = max |S b|`, `b' = S b / beta`, `f =
//! beta S f'`, as the solvers' tolerances are absolute.

use super::{LinearProgram, Relation};
use crate::resting::problem::Problem;
use crate::tolerances::{LINEAR_PROGRAMS, ROUNDING};

/// The program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form<'a> {
    /// Forces that hold every body still, with the least total slack: all contacts press and none
    /// moves.
    Equilibrium,
    /// Forces without acceleration of the gaps, with the least total slack: no contact vanishes.
    Elastic,
    /// The least total force that keeps every gap from closing: the thesis's approximation, whose
    /// opening gaps show the vanishing contacts.
    MinimumForce,
    /// Contacts marked here vanish, and carry nothing; the gaps of all others stay closed.
    Restricted(&'a [bool]),
}

/// The frictionless contact problem in scaled units.
#[derive(Clone, Debug)]
pub struct ScaledProblem<'a> {
    problem: &'a Problem,
    /// Rows of `M'`: (contact, value).
    influence: Vec<Vec<(usize, f64)>>,
    /// `b'`.
    offsets: Vec<f64>,
    /// `S_i`.
    scales: Vec<f64>,
    /// The cost of a unit of scaled force: `S_i` over their mean, so that costs are proportional to
    /// forces.
    weights: Vec<f64>,
    /// `beta`.
    unit: f64,
}

impl<'a> ScaledProblem<'a> {
    /// Scales the normal parts of a problem.
    pub fn of(problem: &'a Problem) -> Self {
        Self::new(problem, |i| problem.offsets[i].x)
    }

    /// Scales the normal parts of a problem with these `b_i`.
    pub(in crate::resting) fn new(problem: &'a Problem, offsets: impl Fn(usize) -> f64) -> Self {
        let n = problem.contact_count();
        let bodies = problem.body_count();
        let mut at_body: Vec<Vec<usize>> = vec![Vec::new(); bodies];
        for (i, row) in problem.jacobians.iter().enumerate() {
            for body in [row.first, row.second] {
                if (body as usize) < bodies {
                    at_body[body as usize].push(i);
                }
            }
        }
        let scales: Vec<f64> =
            problem.grams.iter().map(|gram| gram.x_axis.x.max(f64::MIN_POSITIVE).sqrt().recip()).collect();
        let mean = scales.iter().sum::<f64>() / n.max(1) as f64;
        let unit = (0..n).fold(0.0_f64, |most, i| most.max((scales[i] * offsets(i)).abs()));
        let unit = if unit > 0.0 { unit } else { 1.0 };
        let mut near = Vec::new();
        let influence = (0..n)
            .map(|i| {
                near.clear();
                let row = &problem.jacobians[i];
                for body in [row.first, row.second] {
                    if let Some(list) = at_body.get(body as usize) {
                        near.extend_from_slice(list);
                    }
                }
                near.sort_unstable();
                near.dedup();
                near.iter()
                    .map(|&j| (j, scales[i] * scales[j] * problem.influence(i, j)))
                    .filter(|&(j, value)| j == i || value.abs() >= ROUNDING.relative)
                    .collect()
            })
            .collect();
        let offsets = (0..n).map(|i| scales[i] * offsets(i) / unit).collect();
        let weights = scales.iter().map(|s| s / mean).collect();
        Self { problem, influence, offsets, scales, weights, unit }
    }

    /// The scaled acceleration of each gap under scaled forces: `M' f' + b'`.
    pub fn gaps(&self, scaled: &[f64]) -> Vec<f64> {
        self.influence
            .iter()
            .zip(&self.offsets)
            .map(|(row, b)| row.iter().map(|&(j, value)| value * scaled[j]).sum::<f64>() + b)
            .collect()
    }

    /// Forces (or impulses) in the problem's units.
    pub fn unscale(&self, scaled: &[f64]) -> Vec<f64> {
        scaled.iter().zip(&self.scales).map(|(f, s)| self.unit * s * f).collect()
    }

    /// Projected Gauss-Seidel on the scaled problem from zero.
    pub(super) fn relaxed(&self, sweeps: usize) -> Vec<f64> {
        let mut forces = vec![0.0; self.offsets.len()];
        for _ in 0..sweeps {
            for (i, row) in self.influence.iter().enumerate() {
                let gap: f64 = row.iter().map(|&(j, value)| value * forces[j]).sum::<f64>() + self.offsets[i];
                forces[i] = (forces[i] - gap).max(0.0);
            }
        }
        forces
    }

    /// Writes the program of this form. Its first unknowns are the scaled forces.
    pub fn program(&self, form: Form) -> LinearProgram {
        let mut program = LinearProgram::default();
        let n = self.offsets.len();
        let cost = if form == Form::MinimumForce { 1.0 } else { LINEAR_PROGRAMS.force_cost };
        for weight in &self.weights {
            program.add_unknown(cost * weight);
        }
        match form {
            Form::Equilibrium => self.add_equilibrium(&mut program),
            Form::Elastic => {
                for i in 0..n {
                    let gap = program.add_unknown(1.0);
                    let mut entries = self.influence[i].clone();
                    entries.push((gap, -1.0));
                    program.add_row(entries, Relation::Equal, -self.offsets[i]);
                }
            }
            Form::MinimumForce => {
                for i in 0..n {
                    program.add_row(self.influence[i].clone(), Relation::AtLeast, -self.offsets[i]);
                }
            }
            Form::Restricted(vanishing) => {
                for i in (0..n).filter(|&i| !vanishing[i]) {
                    let (more, less) = (program.add_unknown(1.0), program.add_unknown(1.0));
                    let mut entries: Vec<_> =
                        self.influence[i].iter().copied().filter(|&(j, _)| !vanishing[j]).collect();
                    entries.extend([(more, 1.0), (less, -1.0)]);
                    program.add_row(entries, Relation::Equal, -self.offsets[i]);
                }
            }
        }
        program
    }

    /// Six rows for each body: the contacts' impulses cancel its free motion, up to a slack.
    fn add_equilibrium(&self, program: &mut LinearProgram) {
        let problem = self.problem;
        let mut rows: Vec<Vec<(usize, f64)>> = vec![Vec::new(); 6 * problem.body_count()];
        for (i, row) in problem.jacobians.iter().enumerate() {
            for (body, normal) in [(row.first, &row.on_first[0]), (row.second, &row.on_second[0])] {
                for k in 0..6 {
                    let value = normal[k] * self.scales[i];
                    if (body as usize) < problem.body_count() && value.abs() >= ROUNDING.relative {
                        rows[6 * body as usize + k].push((i, value));
                    }
                }
            }
        }
        for (body, scales) in problem.scales.iter().enumerate() {
            let of = &problem.bodies[body];
            let (linear, angular) = problem.free_motion(of);
            let turning = of.principal_axes.transpose() * angular;
            let free = [linear.x, linear.y, linear.z, turning.x, turning.y, turning.z];
            for k in (0..6).filter(|&k| scales[k] > 0.0) {
                let (more, less) = (program.add_unknown(1.0), program.add_unknown(1.0));
                let mut entries = std::mem::take(&mut rows[6 * body + k]);
                entries.extend([(more, 1.0), (less, -1.0)]);
                program.add_row(entries, Relation::Equal, -free[k] / scales[k] / self.unit);
            }
        }
    }
}
