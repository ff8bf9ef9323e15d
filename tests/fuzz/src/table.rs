//! The table of a campaign.

use crate::campaign::FaultKind;
use crate::workers::Run;
use std::fmt::Write;

/// One row a mode, then the faults by kind with the first seeds of each.
pub fn of(runs: &[Run]) -> String {
    let mut text = String::from(
        "| mode | worlds | steps | body steps | edits | refused | out of range | passive island steps | \
         guard acted | largest gain | gains > 1e-3 | > 0.1 | deep: gains > 1e-3 | > 0.1 | largest | faults | hours |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for run in runs {
        let t = &run.tally;
        let hours = run.took.as_secs_f64() / 3600.0;
        _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.2e} | {} | {} | {} | {} | {:.2e} | {} | {hours:.2} |",
            run.mode.name(),
            t.worlds,
            t.steps,
            t.body_steps,
            t.edits,
            t.refused,
            t.out_of_range,
            t.islands,
            t.fired,
            t.gain,
            t.gains,
            t.guarded,
            t.deep_islands,
            t.deep_guarded,
            t.deep_gain,
            run.found.len(),
        );
    }
    for run in runs {
        _ = writeln!(text, "{}: the largest gain is that of seed {}", run.mode.name(), run.most_gain);
        for kind in FaultKind::ALL {
            let seeds: Vec<u64> = run.found.iter().filter(|(_, fault)| fault.kind == kind).map(|(&s, _)| s).collect();
            if !seeds.is_empty() {
                let first = &seeds[..seeds.len().min(20)];
                _ = writeln!(text, "{} {kind:?}: {} worlds, first seeds {first:?}", run.mode.name(), seeds.len());
            }
        }
    }
    text
}
