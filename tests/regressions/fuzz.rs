//! A part of the fuzz campaign with fixed seeds, and the worst worlds that it has found: see
//! `tests/README.md`.

use crate::campaign::{Mode, Plan, Tally, plan, run};

/// Runs the worlds of these seeds, with fewer steps.
fn worlds(mode: Mode, seeds: std::ops::Range<u64>, steps: usize) -> Tally {
    let mut sum = Tally::default();
    for seed in seeds {
        let mut plan = plan(mode, seed);
        plan.steps = plan.steps.min(steps);
        let (tally, fault) = run(&plan, None);
        sum += tally;
        assert!(fault.is_none(), "{} {seed}: {}", mode.name(), fault.unwrap());
    }
    sum
}

#[test]
fn sane_worlds_keep_every_invariant() {
    let tally = worlds(Mode::Sane, 0..150, 60);
    assert!(tally.body_steps > 50_000 && tally.edits > 300 && tally.refused == 0, "{tally:?}");
}

#[test]
fn extreme_worlds_keep_every_invariant() {
    let tally = worlds(Mode::Extreme, 0..100, 25);
    assert!(tally.body_steps > 10_000 && tally.edits > 300, "{tally:?}");
}

#[test]
fn hostile_values_are_refused_and_change_nothing() {
    let tally = worlds(Mode::Hostile, 0..100, 25);
    assert!(tally.body_steps > 10_000 && tally.refused > 50, "{tally:?}");
}
