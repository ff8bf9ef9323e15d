//! A game on dolmen: walk, drive, lift, throw, float things on water, knock walls down, and rewind
//! ten seconds. README.md has the keys.

mod figures;
mod game;
mod input;
mod level;
mod pilot;
mod rewind;
mod scenery;
mod window;

use clap::Parser;
use game::Game;
use std::process::ExitCode;

/// A game on dolmen.
#[derive(Parser)]
struct Options {
    /// Plays itself for so many seconds of game time, without a window, and prints its frame times.
    #[arg(long, value_name = "SECONDS")]
    play: Option<u32>,

    /// Number of threads of a step.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Shows the pilot's game after so many seconds of it as a PNG file, and ends.
    #[arg(long, value_name = "FILE", requires = "at")]
    screenshot: Option<std::path::PathBuf>,

    /// Time of the screenshot (s).
    #[arg(long, value_name = "SECONDS")]
    at: Option<u32>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let game = Game::new(options.threads);
    let Some(seconds) = options.play else {
        window::open(game, options.screenshot.zip(options.at));
        return ExitCode::SUCCESS;
    };
    match pilot::play(game, seconds) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
