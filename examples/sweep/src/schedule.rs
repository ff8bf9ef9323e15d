//! Runs on all cores, one world a core.

use crate::plan::Run;
use crate::table::Table;
use crate::{Fault, figures};
use indicatif::{ParallelProgressIterator, ProgressBar, ProgressStyle};
use rayon::prelude::*;

/// Runs them, and appends the row of each as it ends.
pub fn run(runs: &[&Run], threads: Option<usize>, times: bool, table: &Table) -> Result<(), Fault> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build()?;
    let bar = ProgressBar::new(runs.len() as u64)
        .with_style(ProgressStyle::with_template("{bar:40} {pos}/{len} runs, {eta} left")?);
    // Panics are rows.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    // One run after the other, so that no core waits with a half of the runs.
    let ran = pool.install(|| {
        let each = runs.par_iter().with_max_len(1).progress_with(bar);
        each.try_for_each(|run| table.append(&figures::row(run, times)))
    });
    std::panic::set_hook(hook);
    ran
}
