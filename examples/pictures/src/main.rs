//! The pictures and plots of dolmen's pages, by one command, without a graphics processor.
//!
//! Pictures are cast with the library's own rays (`dolmen::query`).

#[path = "../../viewer/src/camera.rs"]
#[allow(dead_code, reason = "a still picture neither turns nor flies")]
mod camera;
mod cast;
mod catalogue;
#[path = "../../shared/convergence.rs"]
mod convergence;
#[path = "../../debug_drawing/drawing.rs"]
mod drawing;
mod files;
mod letters;
mod model;
mod overlay;
mod plots;
mod scenes;
#[path = "../../../tests/support/bridge.rs"]
mod support_bridge;
#[path = "../../../tests/support/drum.rs"]
mod support_drum;
#[path = "../../../tests/support/structures.rs"]
#[allow(dead_code, reason = "tests ask for more")]
mod support_structures;

use catalogue::{CATALOGUE, Entry, Work};
use clap::Parser;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What goes wrong, as a sentence.
pub type Fault = Box<dyn std::error::Error>;

/// Makes the pictures and plots of dolmen's pages.
#[derive(Parser)]
struct Options {
    /// Only these; all of them without a name.
    names: Vec<String>,

    /// Prints the names with what they show, and makes nothing.
    #[arg(long)]
    list: bool,

    /// The folder that they are written to.
    #[arg(long, value_name = "DIR", default_value_os_t = folder())]
    out: PathBuf,
}

/// The folder of the repository's pictures.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures")
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Fault> {
    if options.list {
        CATALOGUE.iter().for_each(|entry| println!("{:16}{}", entry.name, entry.about));
        return Ok(());
    }
    let unknown = options.names.iter().find(|name| CATALOGUE.iter().all(|entry| entry.name != **name));
    if let Some(unknown) = unknown {
        return Err(format!("there is no picture {unknown} (--list names them)").into());
    }
    let asked = |entry: &&Entry| options.names.is_empty() || options.names.iter().any(|name| name == entry.name);
    for entry in CATALOGUE.iter().filter(asked) {
        let file = options.out.join(entry.file());
        let work = (entry.make)(catalogue::FULL).map_err(|problem| format!("{}: {problem}", entry.name))?;
        match work {
            Work::Still(image) => files::write_still(&file, &image)?,
            Work::Moving(frames) => files::write_moving(&file, &frames)?,
            Work::Lines(canvas) => canvas.write(&file)?,
            Work::Plot(svg) => std::fs::write(&file, svg)?,
        }
        println!("{:16}{:>5} kB", entry.name, std::fs::metadata(&file)?.len() / 1000);
    }
    Ok(())
}
