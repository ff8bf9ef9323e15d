//! Prints the hashes of nineteen scenes on each SIMD level of this processor, or on those that the
//! arguments name, compares them with `tests/data/hashes.json`, and times the solver. Exits with one if any hash
//! differs.

#[path = "../../../tests/support/bridge.rs"]
mod bridge;
#[path = "../../../tests/support/drum.rs"]
mod drum;
#[path = "../../../tests/support/ragdoll.rs"]
mod ragdoll;
#[path = "../../../tests/support/hashes.rs"]
mod scenes;
#[path = "../../../tests/support/state_hash.rs"]
mod state_hash;
mod timing;

use dolmen::solver::SimdLevel;
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

const TABLE: &str = include_str!("../../../tests/data/hashes.json");

fn main() -> ExitCode {
    let table: BTreeMap<&str, BTreeMap<&str, &str>> = serde_json::from_str(TABLE).expect("a table of hashes");
    let table = &table[scenes::SCALAR];
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |level: &SimdLevel| asked.is_empty() || asked.iter().any(|name| name == level.name());
    let mut all_equal = true;
    for &level in SimdLevel::available().iter().filter(|level| is_asked(level)) {
        let clock = Instant::now();
        let now = scenes::scenes(scenes::Way { level, threads: None }, |_| true);
        let equal = now.iter().filter(|(name, hash)| table.get(**name) == Some(&hash.as_str())).count();
        let (arch, os) = (std::env::consts::ARCH, std::env::consts::OS);
        let seconds = clock.elapsed().as_secs_f64();
        println!("{arch} {os} {} {}: {equal} of {} equal, {seconds:.0} s", scenes::SCALAR, level.name(), table.len());
        if let Some(ns) = timing::solve(level) {
            println!("  {ns:.1} ns per manifold and substep");
        }
        for (name, hash) in &now {
            let is_equal = table.get(name) == Some(&hash.as_str());
            println!("  {} {hash:<32} {name}", if is_equal { ' ' } else { '!' });
        }
        all_equal &= equal == table.len() && now.len() == table.len();
    }
    if all_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
