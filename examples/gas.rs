//! Ten thousand lossy balls thrown about in a closed box: energy, impacts, and what the bound left.

#[path = "../tests/support/gas.rs"]
mod gas;

use gas::Gas;
use std::process::ExitCode;
use std::time::Instant;

const HELP: &str = "\
Steps a gas of balls with restitution 0.9 in a closed box at 240 Hz and prints its energy and impacts once a second.

usage: gas [SIDE] [SECONDS]

  SIDE      balls along each edge of the box (default 22: 10648 balls)
  SECONDS   how long (default 20)";

fn main() -> ExitCode {
    let mut numbers = [22, 20];
    for (number, argument) in numbers.iter_mut().zip(std::env::args().skip(1)) {
        let Ok(value) = argument.parse() else {
            println!("{HELP}");
            return ExitCode::from(if argument == "--help" { 0 } else { 2 });
        };
        *number = value;
    }
    let [side, seconds] = numbers;
    let mut gas = Gas::new(side, 1.0 / 240.0);
    println!("   s   energy (J)     rise/start   impacts   left   ms/step");
    for second in 1..=seconds {
        let clock = Instant::now();
        for _ in 0..240 {
            gas.step();
        }
        let ms = clock.elapsed().as_secs_f64() * 1e3 / 240.0;
        let f = gas.figures;
        println!("{second:>4} {:>12.4e} {:>12.1e} {:>9} {:>6} {ms:>9.2}", f.end, f.worst_rise, f.impacts, f.left);
    }
    ExitCode::SUCCESS
}
