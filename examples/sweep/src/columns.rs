//! Columns of the table.

/// Figures of a run, behind its name and error.
pub const FIGURES: [&str; 13] = [
    "steps",
    "energy_start",
    "energy_end",
    "energy_max",
    "kinetic",
    "penetration_mean",
    "penetration_worst",
    "drift",
    "not_finite",
    "points",
    "asleep",
    "impacts",
    "hash",
];

/// Figures that differ from run to run.
pub const TIMES: [&str; 2] = ["ms_total", "ms_median"];

/// The header: the scene, the parameters, the digest of the input, the error, the figures.
pub fn header(parameters: &[String], times: bool) -> Vec<String> {
    let first = ["scene"].into_iter().map(str::to_owned);
    let rest = ["input", "error"].into_iter().chain(FIGURES).chain(TIMES.into_iter().filter(|_| times));
    first.chain(parameters.iter().cloned()).chain(rest.map(str::to_owned)).collect()
}
