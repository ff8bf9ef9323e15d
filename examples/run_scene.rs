//! Steps a scene file and prints the result as JSON.

mod shared;

use dolmen::scene::{Scene, Simulation, read};
use shared::{Arguments, Progress};
use std::io::{Read, Write, stdin, stdout};
use std::process::ExitCode;

const HELP: &str = "\
Steps a scene and prints the result as one JSON object.

usage: run_scene [--steps N] [--threads N] FILE

  FILE          a scene file, or - for standard input
  --steps N     take N steps instead of those the scene asks for
  --threads N   use N threads instead of those the scene asks for
  --help        this text

The format is documented in the module dolmen::scene, the result in dolmen::scene::result. Progress goes to standard error if that is a terminal.

exit status   0  the scene was stepped
              1  a step failed on the way, or the result could not be written
              2  bad arguments or a bad scene; nothing was simulated";

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
}

fn main() -> ExitCode {
    let outcome = match task() {
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
    let (mut file, mut steps, mut threads) = (None, None, None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--steps" => steps = Some(arguments.number("--steps", 0)?),
            "--threads" => threads = Some(arguments.number("--threads", 1)?),
            option if option.starts_with('-') && option != "-" => return Err(format!("unknown option {option}")),
            _ if file.is_some() => return Err(format!("one scene at a time: what is {argument:?}?")),
            _ => file = Some(argument),
        }
    }
    let file = file.ok_or("no scene file is named")?;
    Ok(Some(Task { file, steps, threads }))
}

fn run(task: &Task) -> Result<(), Failure> {
    let scene = scene(task).map_err(Failure::Input)?;
    let mut simulation = Simulation::new(&scene).map_err(|e| Failure::Input(format!("{}: {e}", task.file)))?;
    let mut progress = Progress::new("stepping");
    while simulation.steps() < scene.steps {
        progress.show(simulation.steps(), scene.steps);
        simulation.step().map_err(|error| {
            let place = simulation.path_of(&error).map(|path| format!("{path}: ")).unwrap_or_default();
            match simulation.steps() {
                0 => Failure::Input(format!("{}: {place}{error}", task.file)),
                taken => Failure::Run(format!("{}: after {taken} steps: {place}{error}", task.file)),
            }
        })?;
    }
    drop(progress);
    let result = serde_json::to_string(&simulation.result()).map_err(|e| Failure::Run(e.to_string()))?;
    write(&result)
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
