//! Runs targets over mutated inputs.

use crate::campaign::Dice;
use crate::mutate::mutate;
use crate::{seeds, targets};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a target, or all, and prints a table; returns the number of inputs that panic.
pub fn run(name: Option<&str>, from: u64, count: u64) -> usize {
    println!("| target | inputs | panics |\n|---|---|---|");
    let mut found = 0;
    for target in targets::ALL.iter().filter(|target| name.is_none_or(|name| name == target.name)) {
        let seeds = seeds::of(target.name);
        let mut panics = 0;
        for seed in from..from + count {
            let mut dice = Dice::new(seed);
            let input = mutate(&mut dice, &seeds[seed as usize % seeds.len()]);
            if catch_unwind(AssertUnwindSafe(|| (target.run)(&input))).is_err() {
                panics += 1;
                eprintln!("{} {seed}: panics{}", target.name, crate::campaign::panic_place());
            }
        }
        println!("| {} | {count} | {panics} |", target.name);
        found += panics;
    }
    found
}
