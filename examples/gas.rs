//! Ten thousand balls with restitution 0.9 in a closed box: energy, impacts, and unresolved
//! contacts.

#[path = "../tests/support/gas.rs"]
mod gas;

use clap::Parser;
use gas::{Figures, Gas};
use std::time::Instant;

/// Steps a gas of balls with restitution 0.9 in a closed box at 240 Hz and prints once a second: its energy above the
/// floor, its greatest rise in one step relative to the start, impacts, contacts left at the bound on their number, and
/// the mean times of a step, of its impacts, and of one impact in the last second.
#[derive(Parser)]
struct Options {
    /// Number of balls along each edge of the box.
    #[arg(default_value_t = 22)]
    side: u32,

    /// Simulated time (s).
    #[arg(default_value_t = 20)]
    seconds: u32,
}

fn main() {
    let Options { side, seconds } = Options::parse();
    let mut gas = Gas::new(side, 1.0 / 240.0);
    println!("   s   energy (J)  rise/start    impacts     left  ms/step  of impacts  us/impact");
    for second in 1..=seconds {
        let (clock, before) = (Instant::now(), gas.figures);
        for _ in 0..240 {
            gas.step();
        }
        let ms = clock.elapsed().as_secs_f64() * 1e3 / 240.0;
        let f = gas.figures;
        let (rise, stage) = (f.worst_rise / f.start, (f.seconds - before.seconds) * 1e3 / 240.0);
        let impacts = f.impacts - before.impacts;
        let each = match impacts {
            0..1000 => "-".to_owned(),
            _ => format!("{:.2}", (f.seconds - before.seconds) * 1e6 / impacts as f64),
        };
        let Figures { end, impacts, left, .. } = f;
        println!("{second:>4} {end:>12.4e} {rise:>11.1e} {impacts:>10} {left:>8} {ms:>8.2} {stage:>11.2} {each:>10}");
    }
}
