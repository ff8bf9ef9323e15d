//! The impact law on the command line.
//!
//! ```text
//! impact CASES.json [--tolerance T]
//!     one JSON object per case and line: u_final, p, phases, ended_by, energy_change
//! impact --k K11,K12,… --u X,Y,Z --mu MU --e E [--tolerance T] [--parts N]
//!     the trajectory of one impact as CSV
//! ```
//!
//! `K` of 9 numbers, row by row, is an impact in space whose normal is +z; of 4 numbers one in the
//! plane whose normal is +y. A file contains an object with a list `cases`, or a list; a case has
//! `K`, `mu`, `e` and `u0`.

use dolmen::impact::frictional::TIGHT_TOLERANCE;
use dolmen::impact::frictional::{Ending, Impact, solve, trace};
use dolmen::impact::planar::{self, DMat2, DVec2, PlanarImpact};
use dolmen::math::{DMat3, DVec3};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

const HELP: &str = "\
The impact law: Stronge's energetic restitution with Coulomb friction (Baber 2011).

usage: impact CASES.json [--tolerance T]
       impact --k K --u U --mu MU --e E [--tolerance T] [--parts N]

The first form solves every case of a file and prints one JSON object per case and line. The file contains an object
with a list `cases`, or a list; a case has `K` (9 numbers, row by row, or 4 in the plane), `mu`, `e` and `u0`.

The second form prints the trajectory of one impact as CSV: impulse and relative velocity, from first contact to the
end. K and U are numbers with commas between, as in --k 20,-23,4,-23,31,-7,4,-7,4 --u 630,-780,-0.22

  --tolerance T   the error of a step, as a fraction; smaller is finer (default 1e-13; the engine uses
                  3e-9). Impacts in the plane have a closed form and need none.
  --parts N       points for each step of the trajectory (default 16)
  --help          this text

In space the normal is +z, in the plane +y; the velocity's normal part must be negative. Errors exit with status 2.
";

/// The task of the command line.
enum Command {
    Help,
    Cases { path: String, tolerance: f64 },
    Trajectory { case: Case, tolerance: f64, parts: u32 },
}

/// An impact in space or in the plane.
enum Case {
    Space(Impact),
    Plane(PlanarImpact),
}

impl Case {
    fn new(k: &[f64], velocity: &[f64], friction: f64, restitution: f64) -> Result<Self, String> {
        match (k.len(), velocity.len()) {
            (9, 3) => Ok(Self::Space(Impact {
                // Only the symmetric part counts, so that the order of rows and columns does not
                // matter.
                k: DMat3::from_cols_slice(k),
                velocity: DVec3::from_slice(velocity),
                friction,
                restitution,
            })),
            (4, 2) => Ok(Self::Plane(PlanarImpact {
                k: DMat2::from_cols_slice(k),
                velocity: DVec2::from_slice(velocity),
                friction,
                restitution,
            })),
            (9, n) => Err(format!("K has 9 numbers, so the velocity needs 3, not {n}")),
            (4, n) => Err(format!("K has 4 numbers, so the velocity needs 2, not {n}")),
            (n, _) => Err(format!("K needs 9 numbers (space) or 4 (plane), not {n}")),
        }
    }

    fn from_json(case: &Value) -> Result<Self, String> {
        let field = |key: &str| case.get(key).ok_or_else(|| format!("`{key}` is missing"));
        let number = |key: &str| field(key)?.as_f64().ok_or_else(|| format!("`{key}` is not a number"));
        let list = |key: &str| -> Result<Vec<f64>, String> {
            let wrong = || format!("`{key}` is not a list of numbers");
            field(key)?.as_array().ok_or_else(wrong)?.iter().map(|x| x.as_f64().ok_or_else(wrong)).collect()
        };
        Self::new(&list("K")?, &list("u0")?, number("mu")?, number("e")?)
    }

    /// The answer as a JSON object.
    fn solve(&self, tolerance: f64) -> Result<Value, String> {
        let answer = |velocity: &[f64], impulse: &[f64], phases: u32, ended_by: Ending, energy_change: f64| {
            json!({
                "u_final": velocity,
                "p": impulse,
                "phases": phases,
                "ended_by": ending(ended_by),
                "energy_change": energy_change,
            })
        };
        match self {
            Self::Space(impact) => {
                let o = solve(impact, tolerance).map_err(|e| e.to_string())?;
                Ok(answer(&o.velocity.to_array(), &o.impulse.to_array(), o.phases, o.ended_by, o.energy_change))
            }
            // A planar impact has exactly one compression phase.
            Self::Plane(impact) => {
                let o = planar::solve(impact).map_err(|e| e.to_string())?;
                Ok(answer(&o.velocity.to_array(), &o.impulse.to_array(), 1, o.ended_by, o.energy_change))
            }
        }
    }

    /// The trajectory as CSV.
    fn trajectory(&self, tolerance: f64, parts: u32) -> Result<String, String> {
        let (impact, header) = match self {
            Self::Space(impact) => (*impact, "p_x,p_y,p_z,u_x,u_y,u_z\n"),
            Self::Plane(planar) => (in_space(planar), "p_x,p_y,u_x,u_y\n"),
        };
        let (_, moments) = trace(&impact, tolerance, parts).map_err(|e| e.to_string())?;
        let mut csv = String::from(header);
        for moment in moments {
            let (p, u) = (moment.impulse, moment.velocity);
            csv += &match self {
                Self::Space(_) => format!("{},{},{},{},{},{}\n", p.x, p.y, p.z, u.x, u.y, u.z),
                Self::Plane(_) => format!("{},{},{},{}\n", p.x, p.z, u.x, u.z),
            };
        }
        Ok(csv)
    }
}

/// A planar impact in the plane x z of space.
fn in_space(planar: &PlanarImpact) -> Impact {
    let [k11, k12, k21, k22] = planar.k.to_cols_array();
    Impact {
        k: DMat3::from_cols_array(&[k11, 0.0, k12, 0.0, k11, 0.0, k21, 0.0, k22]),
        velocity: DVec3::new(planar.velocity.x, 0.0, planar.velocity.y),
        friction: planar.friction,
        restitution: planar.restitution,
    }
}

fn ending(ending: Ending) -> &'static str {
    match ending {
        Ending::Sliding => "sliding",
        Ending::StableSticking => "stable_stick",
        Ending::UnstableSticking => "unstable_stick",
    }
}

fn parse(arguments: impl Iterator<Item = String>) -> Result<Command, String> {
    let (mut k, mut u, mut mu, mut e) = (None, None, None, None);
    let (mut path, mut tolerance, mut parts) = (None, TIGHT_TOLERANCE, 16);
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        let mut next = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| format!("`{text}` is not a number"));
        let list = |text: &str| text.split(',').map(number).collect::<Result<Vec<f64>, String>>();
        match argument.as_str() {
            "--help" | "-h" => return Ok(Command::Help),
            "--k" => k = Some(list(&next()?)?),
            "--u" => u = Some(list(&next()?)?),
            "--mu" => mu = Some(number(&next()?)?),
            "--e" => e = Some(number(&next()?)?),
            "--tolerance" => tolerance = number(&next()?)?,
            "--parts" => {
                let text = next()?;
                parts = text.parse().map_err(|_| format!("`{text}` is not a count"))?;
            }
            option if option.starts_with('-') => return Err(format!("unknown option {option}")),
            _ if path.is_some() => return Err(format!("one file at a time, not also {argument}")),
            _ => path = Some(argument),
        }
    }
    if !(tolerance > 0.0 && tolerance.is_finite()) {
        return Err("the tolerance must be positive".into());
    }
    match (path, k, u, mu, e) {
        (Some(path), None, None, None, None) => Ok(Command::Cases { path, tolerance }),
        (Some(_), ..) => Err("give a file of cases or --k, --u, --mu and --e, not both".into()),
        (None, Some(k), Some(u), Some(mu), Some(e)) => {
            Ok(Command::Trajectory { case: Case::new(&k, &u, mu, e)?, tolerance, parts })
        }
        _ => Err("give a file of cases, or all of --k, --u, --mu and --e (--help explains)".into()),
    }
}

/// Solves every case of a file, a line for each.
fn solve_file(path: &str, tolerance: f64) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let value: Value = serde_json::from_str(&text).map_err(|e| format!("{path}: {e}"))?;
    let cases = value
        .as_array()
        .or_else(|| value.get("cases")?.as_array())
        .ok_or_else(|| format!("{path}: neither a list nor an object with a list `cases`"))?;
    let mut lines = String::new();
    for (i, case) in cases.iter().enumerate() {
        let answer = Case::from_json(case).and_then(|case| case.solve(tolerance));
        lines += &answer.map_err(|e| format!("{path}: case {i}: {e}"))?.to_string();
        lines.push('\n');
    }
    Ok(lines)
}

fn run() -> Result<String, String> {
    match parse(std::env::args().skip(1))? {
        Command::Help => Ok(HELP.into()),
        Command::Cases { path, tolerance } => solve_file(&path, tolerance),
        Command::Trajectory { case, tolerance, parts } => case.trajectory(tolerance, parts),
    }
}

fn main() -> ExitCode {
    match run() {
        // A closed pipe (`head`) is not an error.
        Ok(text) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("impact: {message}");
            ExitCode::from(2)
        }
    }
}
