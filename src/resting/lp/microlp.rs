//! The backend `microlp`: the maintained fork of `minilp`.

use super::{LinearProgram, LinearSolver, LpFailure, Relation};
use microlp::{ComparisonOp, Error, OptimizationDirection, Problem};
use std::time::Duration;

/// Time limit of `microlp` (s), far beyond what `MAX_LP_CONTACTS` lets through: if reached, results
/// depend on the machine.
const LP_TIME_LIMIT: f64 = 5.0;

/// `microlp` 0.7. Checks its own answers and does not panic; slower on some programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Microlp;

impl LinearSolver for Microlp {
    fn minimise(&self, program: &LinearProgram) -> Result<Vec<f64>, LpFailure> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        problem.set_time_limit(Duration::from_secs_f64(LP_TIME_LIMIT));
        let unknowns: Vec<_> = program.costs.iter().map(|&cost| problem.add_var(cost, (0.0, f64::INFINITY))).collect();
        for row in &program.rows {
            let relation = match row.relation {
                Relation::Equal => ComparisonOp::Eq,
                Relation::AtLeast => ComparisonOp::Ge,
            };
            let entries: Vec<_> = row.entries.iter().map(|&(unknown, value)| (unknowns[unknown], value)).collect();
            problem.add_constraint(entries, relation, row.right);
        }
        let outcome = problem.solve().map_err(|error| match error {
            Error::Infeasible => LpFailure::Infeasible,
            Error::Unbounded => LpFailure::Unbounded,
            _ => LpFailure::Numerical,
        })?;
        let solution = outcome.into_solution().map_err(|_| LpFailure::Numerical)?;
        Ok(unknowns.iter().map(|&unknown| solution.var_value(unknown)).collect())
    }
}
