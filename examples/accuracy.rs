//! The accuracy scoreboard: errors of the engine in problems with published or closed-form answers.

// With the feature `f64`, conversions between the engine's scalar and `f64` are identities.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

#[path = "../tests/support/accuracy/mod.rs"]
mod accuracy;
#[path = "shared/convergence.rs"]
mod convergence;

use accuracy::{Check, EXACT, Problem, problems};
use clap::Parser;
use serde_json::json;
use std::process::ExitCode;

/// Prints the engine's errors in problems with known answers.
///
/// The accuracy is that of the build: `Game` with f32, `Exact` with `--features f64`.
///
/// Exit status: 0, every problem meets its bar; 1, some do not; 2, bad arguments.
#[derive(Parser)]
struct Options {
    /// One JSON object a line instead of a table.
    #[arg(long)]
    json: bool,

    /// Only these problems, as in A12,A13.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    only: Vec<String>,

    /// The error of the rotation integrators by step size, as CSV, instead of the problems.
    #[arg(long)]
    convergence: bool,
}

fn main() -> ExitCode {
    let Options { json, only, convergence } = Options::parse();
    if convergence {
        convergence::print();
        return ExitCode::SUCCESS;
    }
    let all = problems();
    if let Some(unknown) = only.iter().find(|id| all.iter().all(|p| p.id != **id)) {
        eprintln!("there is no problem {unknown}");
        return ExitCode::from(2);
    }
    let mut met = true;
    for problem in all.iter().filter(|p| only.is_empty() || only.iter().any(|id| id == p.id)) {
        let checks = problem.checks();
        met &= checks.iter().all(Check::met);
        if json { print_json(problem, &checks) } else { print_table(problem, &checks) }
    }
    if met { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn column() -> &'static str {
    if EXACT { "exact" } else { "game" }
}

fn print_json(problem: &Problem, checks: &[Check]) {
    let checks: Vec<_> = checks
        .iter()
        .map(|c| {
            json!({ "what": c.what, "measured": c.measured, "answer": c.answer, "error": c.error, "bar": c.bar,
                    "met": c.met() })
        })
        .collect();
    let Problem { id, title, source, .. } = problem;
    println!("{}", json!({ "id": id, "title": title, "source": source, "column": column(), "checks": checks }));
}

fn print_table(problem: &Problem, checks: &[Check]) {
    println!("{} {} ({}), {}", problem.id, problem.title, problem.source, column());
    for c in checks {
        let verdict = if c.met() { "met" } else { "MISSED" };
        let Check { what, measured, answer, error, bar } = c;
        println!("  {what:<60} {measured:>14.8e}  answer {answer:>14.8e}  error {error:.1e}  bar {bar:.1e}  {verdict}");
    }
}
