//! Steps a scene file and prints the result as JSON.

mod shared;

use dolmen::prelude::*;
use dolmen::recording::{RecordError, Recorder, Recording};
use dolmen::scene::{Scene, Simulation, read};
use shared::{Arguments, Progress};
use std::io::{Read, Write, stdin, stdout};
use std::process::ExitCode;

const HELP: &str = "\
Steps a scene and prints the result as one JSON object.

usage: run_scene [--steps N] [--threads N] [--record FILE] FILE
       run_scene [--threads N] --replay FILE

  FILE          a scene file, or - for standard input
  --steps N     take N steps instead of those the scene asks for
  --threads N   use N threads instead of those the scene asks for
  --record FILE write a recording of the steps to FILE, also of those before one that fails
  --replay FILE replay a recording, and compare the state after each step
  --help        this text

The format is documented in the module dolmen::scene, the result in dolmen::scene::result. Progress goes to standard error if that is a terminal.

exit status   0  the scene was stepped, or the recording replayed with the same bits
              1  a step failed on the way, a replay differed, or the result could not be written
              2  bad arguments, a bad scene or a bad recording; nothing was simulated";

/// Why there is no result.
enum Failure {
    /// Nothing was simulated.
    Input(String),
    Run(String),
}

/// The task of the command line.
struct Task {
    file: String,
    steps: Option<u64>,
    threads: Option<usize>,
    record: Option<String>,
    /// The file is a recording.
    replay: bool,
}

fn main() -> ExitCode {
    let outcome = match task() {
        Ok(Some(task)) if task.replay => replay(&task),
        Ok(Some(task)) => run(&task),
        Ok(None) => write(HELP),
        Err(problem) => Err(Failure::Input(format!("{problem} (--help tells more)"))),
    };
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

/// The task; `None` for help.
fn task() -> Result<Option<Task>, String> {
    let mut arguments = Arguments::new();
    let (mut file, mut steps, mut threads, mut record, mut replay) = (None, None, None, None, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--steps" => steps = Some(arguments.number("--steps", 0)?),
            "--threads" => threads = Some(arguments.number("--threads", 1)?),
            "--record" => record = Some(arguments.next().ok_or("--record needs a file")?),
            "--replay" => replay = true,
            option if option.starts_with('-') && option != "-" => return Err(format!("unknown option {option}")),
            _ if file.is_some() => return Err(format!("one file at a time: what is {argument:?}?")),
            _ => file = Some(argument),
        }
    }
    let file = file.ok_or("no file is named")?;
    if replay && (steps.is_some() || record.is_some()) {
        return Err("a replay takes neither --steps nor --record".into());
    }
    Ok(Some(Task { file, steps, threads, record, replay }))
}

fn run(task: &Task) -> Result<(), Failure> {
    let scene = scene(task).map_err(Failure::Input)?;
    let mut simulation = Simulation::new(&scene).map_err(|e| Failure::Input(format!("{}: {e}", task.file)))?;
    let mut progress = Progress::new("stepping");
    let mut recorder = None;
    let mut outcome = Ok(());
    while simulation.steps() < scene.steps && outcome.is_ok() {
        progress.show(simulation.steps(), scene.steps);
        outcome = step(&mut simulation, task.record.is_some().then_some(&mut recorder)).map_err(|error| {
            let place = match &error {
                RecordError::Step(error) => simulation.path_of(error).map(|path| format!("{path}: ")),
                _ => None,
            };
            let place = place.unwrap_or_default();
            match simulation.steps() {
                0 => Failure::Input(format!("{}: {place}{error}", task.file)),
                taken => Failure::Run(format!("{}: after {taken} steps: {place}{error}", task.file)),
            }
        });
    }
    drop(progress);
    if let (Some(path), Some(recorder)) = (&task.record, &recorder) {
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
fn replay(task: &Task) -> Result<(), Failure> {
    let named = |e: &dyn std::fmt::Display| format!("{}: {e}", task.file);
    let bytes = std::fs::read(&task.file).map_err(|e| Failure::Input(named(&e)))?;
    let recording = Recording::from_bytes(&bytes).map_err(|e| Failure::Input(named(&e)))?;
    let physics = Physics::new(Settings { threads: task.threads, ..Settings::default() });
    let mut replay = recording.replay(physics).map_err(|e| Failure::Input(named(&e)))?;
    let mut progress = Progress::new("replaying");
    loop {
        progress.show(replay.steps() as u64, recording.steps() as u64);
        if !replay.step().map_err(|e| Failure::Run(named(&e)))? {
            break;
        }
    }
    drop(progress);
    let hash = recording.hashes().last().unwrap_or_default();
    let (steps, seconds) = (recording.steps(), recording.seconds());
    write(&serde_json::json!({ "steps": steps, "seconds": seconds, "hash": format!("{hash:016x}") }).to_string())
}

/// The scene of the file, with the options of the command line.
fn scene(task: &Task) -> Result<Scene, String> {
    let text = match task.file.as_str() {
        "-" => {
            let mut text = String::new();
            stdin().read_to_string(&mut text).map(|_| text)
        }
        path => std::fs::read_to_string(path),
    };
    let text = text.map_err(|e| format!("{}: {e}", task.file))?;
    let mut scene = read(&text).map_err(|e| format!("{}: {e}", task.file))?;
    scene.steps = task.steps.unwrap_or(scene.steps);
    scene.settings.threads = task.threads.or(scene.settings.threads);
    Ok(scene)
}

fn write(text: &str) -> Result<(), Failure> {
    writeln!(stdout(), "{text}").map_err(|e| Failure::Run(format!("standard output: {e}")))
}
