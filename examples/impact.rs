//! The impact law on the command line.

use clap::Parser;
use dolmen::impact::frictional::TIGHT_TOLERANCE;
use dolmen::impact::frictional::{Ending, Impact, solve, trace};
use dolmen::impact::planar::{self, DMat2, DVec2, PlanarImpact};
use dolmen::math::{DMat3, DVec3};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// The impact law: Stronge's energetic restitution with Coulomb friction (Baber 2011).
///
/// With a file: solves every case of it and prints one JSON object per case and line. The file contains an object with a
/// list `cases`, or a list; a case has `K` (9 numbers, row by row, or 4 in the plane), `mu`, `e` and `u0`.
///
/// Without: prints the trajectory of one impact as CSV: impulse and relative velocity, from first contact to the end.
/// In space the normal is +z, in the plane +y; the velocity's normal part must be negative. Example:
/// --k 20,-23,4,-23,31,-7,4,-7,4 --u 630,-780,-0.22 --mu 0.3 --e 0.5
#[derive(Parser)]
struct Options {
    /// A file of cases, in JSON.
    #[arg(required_unless_present = "k", conflicts_with_all = ["k", "u", "mu", "e"])]
    file: Option<String>,

    /// The collision matrix: 9 numbers in space, 4 in the plane, with commas between.
    #[arg(long, value_name = "K11,K12,…", value_delimiter = ',', allow_hyphen_values = true, requires_all = ["u", "mu", "e"])]
    k: Vec<f64>,

    /// The relative velocity before: 3 numbers, or 2.
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', allow_hyphen_values = true, requires = "k")]
    u: Vec<f64>,

    /// Coefficient of friction.
    #[arg(long, requires = "k")]
    mu: Option<f64>,

    /// Coefficient of restitution.
    #[arg(long, requires = "k")]
    e: Option<f64>,

    /// Relative error of an integration step; smaller is finer. The engine takes 3e-9. Impacts in the plane have a
    /// closed form and need none.
    #[arg(long, value_name = "T", default_value_t = TIGHT_TOLERANCE)]
    tolerance: f64,

    /// Points for each integration step of the trajectory.
    #[arg(long, value_name = "N", default_value_t = 16)]
    parts: u32,
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

fn run(options: &Options) -> Result<String, String> {
    let Options { file, k, u, mu, e, tolerance, parts } = options;
    if !(*tolerance > 0.0 && tolerance.is_finite()) {
        return Err("the tolerance must be positive".into());
    }
    match (file, mu, e) {
        (Some(file), ..) => solve_file(file, *tolerance),
        (None, Some(mu), Some(e)) => Case::new(k, u, *mu, *e)?.trajectory(*tolerance, *parts),
        (None, ..) => Err("--k needs --u, --mu and --e".into()),
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
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
