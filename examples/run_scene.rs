//! Steps a scene file and prints the result as JSON.

use clap::Parser;
use dolmen::prelude::*;
use dolmen::recording::{RecordError, Recorder, Recording};
use dolmen::scene::{Scene, Simulation, read};
use indicatif::ProgressBar;
use std::io::{Read, Write, stdin, stdout};
use std::process::ExitCode;

/// Steps a scene and prints the result as one JSON object.
///
/// The format is documented in the module `dolmen::scene`, the result in `dolmen::scene::result`. Progress goes to
/// standard error if that is a terminal.
///
/// Exit status: 0, the scene was stepped, or the recording replayed with the same bits; 1, a step failed on the way, a
/// replay differed, or the result could not be written; 2, bad arguments, a bad scene or a bad recording, and nothing
/// was simulated.
#[derive(Parser)]
struct Options {
    /// A scene file, or - for standard input; with --replay a recording.
    file: String,

    /// Number of steps, instead of those the scene asks for.
    #[arg(long, value_name = "N", conflicts_with = "replay")]
    steps: Option<u64>,

    /// Number of threads, instead of those the scene asks for.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    threads: Option<u32>,

    /// Writes a recording of the steps, also of those before one that fails.
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    record: Option<String>,

    /// Replays the recording, and compares the state after each step.
    #[arg(long)]
    replay: bool,
}

impl Options {
    fn threads(&self) -> Option<usize> {
        self.threads.map(|threads| threads as usize)
    }
}

/// Why there is no result.
enum Failure {
    /// Nothing was simulated.
    Input(String),
    Run(String),
}

fn main() -> ExitCode {
    let options = Options::parse();
    let outcome = if options.replay { replay(&options) } else { run(&options) };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Run(problem)) => fail(&problem, 1),
        Err(Failure::Input(problem)) => fail(&problem, 2),
    }
}

fn fail(problem: &str, status: u8) -> ExitCode {
    eprintln!("{problem}");
    ExitCode::from(status)
}

fn run(options: &Options) -> Result<(), Failure> {
    let scene = scene(options).map_err(Failure::Input)?;
    let mut simulation = Simulation::new(&scene).map_err(|e| Failure::Input(format!("{}: {e}", options.file)))?;
    let progress = ProgressBar::new(scene.steps).with_message("stepping");
    let mut recorder = None;
    let mut outcome = Ok(());
    while simulation.steps() < scene.steps && outcome.is_ok() {
        progress.set_position(simulation.steps());
        outcome = step(&mut simulation, options.record.is_some().then_some(&mut recorder)).map_err(|error| {
            let place = match &error {
                RecordError::Step(error) => simulation.path_of(error).map(|path| format!("{path}: ")),
                _ => None,
            };
            let place = place.unwrap_or_default();
            match simulation.steps() {
                0 => Failure::Input(format!("{}: {place}{error}", options.file)),
                taken => Failure::Run(format!("{}: after {taken} steps: {place}{error}", options.file)),
            }
        });
    }
    progress.finish_and_clear();
    if let (Some(path), Some(recorder)) = (&options.record, &recorder) {
        let bytes = recorder.recording().to_bytes();
        std::fs::write(path, bytes).map_err(|e| Failure::Run(format!("{path}: {e}")))?;
    }
    outcome?;
    let result = serde_json::to_string(&simulation.result()).map_err(|e| Failure::Run(e.to_string()))?;
    write(&result)
}

/// Takes a step, and records it if there is a place for a recorder.
fn step(simulation: &mut Simulation, recorder: Option<&mut Option<Recorder>>) -> Result<(), RecordError> {
    let Some(recorder) = recorder else { return Ok(simulation.step()?) };
    simulation.step_with(|physics, world, dt| {
        let recorder = match recorder {
            Some(recorder) => recorder,
            None => recorder.insert(Recorder::new(world, physics)?),
        };
        recorder.step(physics, world, dt)
    })
}

/// Replays a recording.
fn replay(options: &Options) -> Result<(), Failure> {
    let named = |e: &dyn std::fmt::Display| format!("{}: {e}", options.file);
    let bytes = std::fs::read(&options.file).map_err(|e| Failure::Input(named(&e)))?;
    let recording = Recording::from_bytes(&bytes).map_err(|e| Failure::Input(named(&e)))?;
    let physics = Physics::new(Settings { threads: options.threads(), ..Settings::default() });
    let mut replay = recording.replay(physics).map_err(|e| Failure::Input(named(&e)))?;
    let progress = ProgressBar::new(recording.steps() as u64).with_message("replaying");
    loop {
        progress.set_position(replay.steps() as u64);
        if !replay.step().map_err(|e| Failure::Run(named(&e)))? {
            break;
        }
    }
    progress.finish_and_clear();
    let hash = recording.hashes().last().unwrap_or_default();
    let (steps, seconds) = (recording.steps(), recording.seconds());
    write(&serde_json::json!({ "steps": steps, "seconds": seconds, "hash": format!("{hash:016x}") }).to_string())
}

/// The scene of the file, with the options of the command line.
fn scene(options: &Options) -> Result<Scene, String> {
    let text = match options.file.as_str() {
        "-" => {
            let mut text = String::new();
            stdin().read_to_string(&mut text).map(|_| text)
        }
        path => std::fs::read_to_string(path),
    };
    let text = text.map_err(|e| format!("{}: {e}", options.file))?;
    let mut scene = read(&text).map_err(|e| format!("{}: {e}", options.file))?;
    scene.steps = options.steps.unwrap_or(scene.steps);
    scene.settings.threads = options.threads().or(scene.settings.threads);
    Ok(scene)
}

fn write(text: &str) -> Result<(), Failure> {
    writeln!(stdout(), "{text}").map_err(|e| Failure::Run(format!("standard output: {e}")))
}
