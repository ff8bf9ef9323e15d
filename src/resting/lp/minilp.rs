//! The backend `minilp`: a dual simplex method in pure Rust, no longer maintained.

use super::{LinearProgram, LinearSolver, LpFailure, Relation};
use minilp::{ComparisonOp, Error, OptimizationDirection, Problem};

/// `minilp` 0.2. Fast on small programs; can panic or return a wrong answer on nearly dependent
/// rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Minilp;

impl LinearSolver for Minilp {
    fn minimise(&self, program: &LinearProgram) -> Result<Vec<f64>, LpFailure> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let unknowns: Vec<_> = program.costs.iter().map(|&cost| problem.add_var(cost, (0.0, f64::INFINITY))).collect();
        for row in &program.rows {
            let relation = match row.relation {
                Relation::Equal => ComparisonOp::Eq,
                Relation::AtLeast => ComparisonOp::Ge,
            };
            let entries: Vec<_> = row.entries.iter().map(|&(unknown, value)| (unknowns[unknown], value)).collect();
            problem.add_constraint(entries, relation, row.right);
        }
        let solution = problem.solve().map_err(|error| match error {
            Error::Infeasible => LpFailure::Infeasible,
            Error::Unbounded => LpFailure::Unbounded,
        })?;
        Ok(unknowns.iter().map(|&unknown| solution[unknown]).collect())
    }
}
