//! The accuracy scoreboard: errors of the engine in problems with published or closed-form answers.

// With the feature `f64`, conversions between the engine's scalar and `f64` are identities.
#![cfg_attr(feature = "f64", allow(clippy::useless_conversion, clippy::unnecessary_cast))]

#[path = "../tests/support/accuracy/mod.rs"]
mod accuracy;
#[path = "shared/arguments.rs"]
mod arguments;
#[path = "shared/convergence.rs"]
mod convergence;

use accuracy::{Check, EXACT, Problem, problems};
use arguments::Arguments;
use serde_json::json;
use std::process::ExitCode;

const HELP: &str = "\
Prints the engine's errors in problems with known answers.

usage: accuracy [--json] [--only A12,A13]
       accuracy --convergence

  --json        one JSON object a line instead of a table
  --only LIST   only these problems
  --convergence the error of the rotation integrators by step size, as CSV, instead of the problems
  --help        this text

The accuracy is that of the build: `Game` with f32, `Exact` with `--features f64`.

exit status   0  every problem meets its bar
              1  some do not
              2  bad arguments";

fn main() -> ExitCode {
    let mut arguments = Arguments::new();
    let (mut as_json, mut only) = (false, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => {
                println!("{HELP}");
                return ExitCode::SUCCESS;
            }
            "--json" => as_json = true,
            "--convergence" => {
                convergence::print();
                return ExitCode::SUCCESS;
            }
            "--only" => match arguments.value("--only") {
                Ok(list) => only = Some(list.split(',').map(str::to_owned).collect::<Vec<_>>()),
                Err(problem) => return refuse(&problem),
            },
            other => return refuse(&format!("unknown argument {other}")),
        }
    }
    let all = problems();
    if let Some(unknown) = only.iter().flatten().find(|id| all.iter().all(|p| p.id != **id)) {
        return refuse(&format!("there is no problem {unknown}"));
    }
    let mut met = true;
    for problem in all.iter().filter(|p| only.as_ref().is_none_or(|ids| ids.iter().any(|id| id == p.id))) {
        let checks = problem.checks();
        met &= checks.iter().all(Check::met);
        if as_json { print_json(problem, &checks) } else { print_table(problem, &checks) }
    }
    if met { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

fn refuse(problem: &str) -> ExitCode {
    eprintln!("{problem} (--help tells more)");
    ExitCode::from(2)
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
