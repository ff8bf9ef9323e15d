//! Linear programs, with checked solvers.
//!
//! Both backends implement [`LinearSolver`]. `minilp` can panic, or return a wrong answer as `Ok`.
//! So every caller checks the answer, a panic is caught here, and a program beyond the size limit
//! is not tried: the size is the only reliable limit on time.

mod forms;
#[cfg(feature = "microlp")]
mod microlp;
mod minilp;
mod vanishing;

pub use forms::{Form, ScaledProblem};
pub use vanishing::LpCounts;
pub(super) use vanishing::Vanishing;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

/// Relation of a row to its right-hand side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Equal.
    Equal,
    /// At least.
    AtLeast,
}

/// Minimise `costs . x` over `x >= 0` under the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinearProgram {
    /// The cost of each unknown.
    pub costs: Vec<f64>,
    /// The rows.
    pub rows: Vec<LpRow>,
}

/// One row of a [`LinearProgram`].
#[derive(Clone, Debug, PartialEq)]
pub struct LpRow {
    /// The unknowns of the row, each once, and their coefficients.
    pub entries: Vec<(usize, f64)>,
    /// Relation of their sum to the right-hand side.
    pub relation: Relation,
    /// The right-hand side.
    pub right: f64,
}

impl LinearProgram {
    /// Adds an unknown and returns its index.
    pub fn add_unknown(&mut self, cost: f64) -> usize {
        self.costs.push(cost);
        self.costs.len() - 1
    }

    /// Adds a row.
    pub fn add_row(&mut self, entries: Vec<(usize, f64)>, relation: Relation, right: f64) {
        self.rows.push(LpRow { entries, relation, right });
    }

    /// The largest violation of a row or sign.
    pub fn violation(&self, values: &[f64]) -> f64 {
        let sign = values.iter().fold(0.0_f64, |most, &v| most.max(-v));
        self.rows.iter().fold(sign, |most, row| {
            let miss = row.entries.iter().map(|&(i, a)| a * values[i]).sum::<f64>() - row.right;
            most.max(if row.relation == Relation::Equal { miss.abs() } else { -miss })
        })
    }
}

/// Reasons for a missing answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LpFailure {
    /// Infeasible, according to the solver. It may be wrong.
    Infeasible,
    /// Unbounded, according to the solver. It may be wrong.
    Unbounded,
    /// The solver gave up, ran out of time, or returned NaN.
    Numerical,
    /// The solver panicked.
    Panicked,
}

/// A solver of linear programs. Its results need to be checked.
pub trait LinearSolver {
    /// Minimises the program.
    ///
    /// # Errors
    /// If the solver has no answer.
    fn minimise(&self, program: &LinearProgram) -> Result<Vec<f64>, LpFailure>;
}

pub use self::minilp::Minilp;

#[cfg(feature = "microlp")]
pub use self::microlp::Microlp;

/// The solver of this build: `minilp`, or its fork `microlp` with the feature of that name.
#[cfg(not(feature = "microlp"))]
pub type DefaultSolver = Minilp;
/// The solver of this build: `minilp`, or its fork `microlp` with the feature of that name.
#[cfg(feature = "microlp")]
pub type DefaultSolver = Microlp;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Minimises, turning a panic of the solver into [`LpFailure::Panicked`] and NaN in the answer into
/// [`LpFailure::Numerical`].
///
/// The first call wraps the process's panic hook, so that a panic caught here prints nothing; all
/// others go to the previous hook. Has no effect in programs built with `panic = "abort"`.
///
/// # Errors
/// The failure of the solver, or its panic.
pub fn minimise_safely(solver: &dyn LinearSolver, program: &LinearProgram) -> Result<Vec<f64>, LpFailure> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let earlier = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                earlier(info);
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(|| solver.minimise(program)));
    QUIET.set(false);
    match result {
        Ok(Ok(values)) if values.len() == program.costs.len() && values.iter().all(|v| v.is_finite()) => Ok(values),
        Ok(Ok(_)) => Err(LpFailure::Numerical),
        Ok(Err(failure)) => Err(failure),
        Err(_) => Err(LpFailure::Panicked),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Panicking;
    impl LinearSolver for Panicking {
        fn minimise(&self, _: &LinearProgram) -> Result<Vec<f64>, LpFailure> {
            panic!("as minilp does on a singular basis");
        }
    }

    struct Absurd;
    impl LinearSolver for Absurd {
        fn minimise(&self, _: &LinearProgram) -> Result<Vec<f64>, LpFailure> {
            Ok(vec![f64::NAN, 1.0])
        }
    }

    fn program() -> LinearProgram {
        let mut program = LinearProgram::default();
        let (x, y) = (program.add_unknown(1.0), program.add_unknown(3.0));
        program.add_row(vec![(x, 1.0), (y, 1.0)], Relation::AtLeast, 2.0);
        program.add_row(vec![(x, 1.0), (y, -1.0)], Relation::Equal, 0.5);
        program
    }

    #[test]
    fn a_panic_and_an_absurd_answer_are_failures() {
        assert_eq!(minimise_safely(&Panicking, &program()), Err(LpFailure::Panicked));
        assert_eq!(minimise_safely(&Absurd, &program()), Err(LpFailure::Numerical));
    }

    #[test]
    fn every_backend_finds_the_corner() {
        let solvers: &[&dyn LinearSolver] = &[
            &Minilp,
            #[cfg(feature = "microlp")]
            &Microlp,
        ];
        for solver in solvers {
            let values = minimise_safely(*solver, &program()).unwrap();
            assert!((values[0] - 1.25).abs() < 1e-9 && (values[1] - 0.75).abs() < 1e-9, "{values:?}");
            let mut impossible = program();
            impossible.add_row(vec![(0, 1.0)], Relation::Equal, -1.0);
            assert_eq!(minimise_safely(*solver, &impossible), Err(LpFailure::Infeasible));
        }
    }
}
