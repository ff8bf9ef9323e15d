//! The table of a run.

use dolmen::Counts;
use dolmen::prelude::*;
use std::fmt;
use std::time::Duration;

pub const HEAD: &str =
    "| minute | resident (kB) | median (ms) | worst (ms) | bodies | awake | joints | pairs | drift (m) |
|---|---|---|---|---|---|---|---|---|";

/// The row of a minute of game time.
pub struct Minute {
    pub minute: usize,
    /// Resident memory (kB), where the system tells it.
    pub resident: Option<u64>,
    /// Times of a step.
    pub median: Duration,
    pub worst: Duration,
    /// Counts of the last step.
    pub counts: Counts,
    /// The largest distance of a parked body from its place after the first minute (m).
    pub drift: Real,
}

impl fmt::Display for Minute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let counts = &self.counts;
        let resident = self.resident.map_or("-".into(), |size| size.to_string());
        write!(f, "| {} | {resident} | {:.3} | {:.3} ", self.minute, ms(self.median), ms(self.worst))?;
        let awake = counts.dynamic - counts.asleep;
        write!(f, "| {} | {awake} | {} | {} | {:.2e} |", counts.dynamic, counts.joints, counts.pairs, self.drift)
    }
}

/// Resident memory of this process (kB), as Linux tells it.
pub fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
