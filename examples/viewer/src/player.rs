//! The program without its window: commands, time, and what they make of the world.

use crate::camera::{Camera, Mode};
use crate::rules::Rule;
use crate::scenes::{self, Entry, Loaded};
use crate::world::Run;
use dolmen::debug::Show;
use dolmen::glam::Vec3;
use dolmen::prelude::{Position, RigidBody};
use dolmen::query::Ray;
use dolmen::scene::Scene;
use hecs::World;
use std::time::Duration;

/// The most steps of a frame: a slow machine shows slow motion instead of standing still.
const MOST_STEPS: u32 = 4;
/// Slowest and fastest speeds, as powers of two.
const SPEEDS: (i32, i32) = (-5, 2);
/// Steps of a leap on the timeline.
const LEAP: u64 = 60;
/// Part of the distance to the focus that flight covers in a second.
const FLIGHT: f32 = 1.0;

/// Radius of what is looked at, in standard deviations of the places of bodies.
const SPREAD: f32 = 1.7;
/// What is seen around them (m).
const MARGIN: f32 = 2.0;
/// Rate at which the camera follows them (1/s).
const FOLLOWING: f32 = 2.0;

/// What a key, a click or an option asks for. Places are in the picture, from -1 to 1 to the right
/// and up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    Pause,
    /// One step, and a pause.
    Step,
    /// One step back, and a pause.
    StepBack,
    Leap,
    LeapBack,
    ToStart,
    ToEnd,
    /// To a step of the timeline.
    Seek(u64),
    Slower,
    Faster,
    Restart,
    NextScene,
    PreviousScene,
    /// A scene of the list.
    Open(usize),
    Shoot([f32; 2]),
    Delete([f32; 2]),
    /// Freezes a body, or lets it go on.
    Freeze([f32; 2]),
    /// A slider, from 0 at its left end to 1.
    Slide(Rule, f32),
    Grab([f32; 2]),
    /// The held point goes there, in the plane in which it was taken.
    Drag([f32; 2]),
    LetGo,
    /// Yaw and pitch (rad).
    Turn(f32, f32),
    /// Along the axes of the camera, in parts of its distance.
    Shift(Vec3),
    Zoom(f32),
    /// Flight for a time (s) in a direction, in the axes of the camera.
    Fly(Vec3, f32),
    ToggleCamera,
    ToggleHelp,
    /// Keeps an account of energy, or none.
    ToggleEnergy,
    /// A flag of debug drawing, by its number.
    Overlay(usize),
}

impl Command {
    /// True if the player now looks where he wants to.
    fn is_by_hand(self) -> bool {
        use Command::*;
        matches!(self, Turn(..) | Shift(_) | Zoom(_) | Fly(..) | ToggleCamera | Grab(_))
    }
}

/// The run, the camera, and how time goes.
pub struct Player {
    pub scenes: Vec<Entry>,
    /// The scene that is open.
    pub open: usize,
    pub run: Run,
    pub camera: Camera,
    pub playing: bool,
    /// Power of two by which time goes faster.
    pub speed: i32,
    pub help: bool,
    /// True if each step keeps an account of energy.
    pub energy: bool,
    /// What is drawn as lines over the picture.
    pub show: Show,
    /// Width by height of the picture.
    pub aspect: f32,
    /// What went wrong last.
    pub problem: Option<String>,
    /// What is open, if it is no recording: for a restart.
    scene: Option<Scene>,
    threads: Option<usize>,
    clock: Option<fn() -> Duration>,
    /// Time that is not yet stepped (s).
    due: f64,
    /// True while the camera follows the bodies: until the player moves it.
    follows: bool,
    /// Distance of the grip from the eye along the look (m).
    depth: f32,
}

impl Player {
    /// The first scene of the list, or the one asked for, at its start.
    ///
    /// # Errors
    /// A sentence about the scene.
    pub fn new(asked: Option<&str>, threads: Option<usize>, clock: Option<fn() -> Duration>) -> Result<Self, String> {
        let scenes = scenes::list(asked);
        let open = scenes.iter().position(|entry| Some(entry.name.as_str()) == asked).unwrap_or(0);
        let loaded = scenes::load(&scenes[open].name)?;
        let (run, scene) = begin(loaded, threads, clock).map_err(|e| format!("{}: {e}", scenes[open].name))?;
        let camera = camera_for(run.world());
        Ok(Self {
            scenes,
            open,
            run,
            camera,
            playing: true,
            speed: 0,
            help: true,
            energy: false,
            show: Show::NONE,
            aspect: 16.0 / 9.0,
            problem: None,
            scene,
            threads,
            clock,
            due: 0.0,
            follows: true,
            depth: 0.0,
        })
    }

    /// Does what a command says.
    pub fn obey(&mut self, command: Command) {
        self.follows &= !command.is_by_hand();
        let now = self.run.step;
        let (first, last) = self.run.range();
        match command {
            Command::Pause => self.playing = !self.playing,
            Command::Step => {
                self.playing = false;
                self.steps(1);
            }
            Command::StepBack => self.seek(now.saturating_sub(1)),
            Command::Leap => self.seek(now + LEAP),
            Command::LeapBack => self.seek(now.saturating_sub(LEAP)),
            Command::ToStart => self.seek(first),
            Command::ToEnd => self.seek(last),
            Command::Seek(step) => self.seek(step),
            Command::Slower => self.speed = (self.speed - 1).max(SPEEDS.0),
            Command::Faster => self.speed = (self.speed + 1).min(SPEEDS.1),
            Command::Restart => self.restart(),
            Command::NextScene => self.open((self.open + 1) % self.scenes.len()),
            Command::PreviousScene => self.open((self.open + self.scenes.len() - 1) % self.scenes.len()),
            Command::Open(scene) => self.open(scene),
            Command::Shoot(place) => _ = self.ray(place).map(|ray| self.run.shoot(&ray)),
            Command::Delete(place) => _ = self.ray(place).and_then(|ray| self.run.delete(&ray)),
            Command::Freeze(place) => _ = self.ray(place).and_then(|ray| self.run.freeze(&ray)),
            Command::Slide(rule, part) => {
                let (_, [least, most]) = rule.range();
                self.run.set(rule, least + (most - least) * part);
            }
            Command::Grab(place) => {
                if let Some(grip) = self.ray(place).and_then(|ray| self.run.grab(&ray)) {
                    self.depth = (grip.target - self.camera.eye()).dot(self.camera.forward());
                }
            }
            Command::Drag(place) => {
                let direction = self.camera.direction(place, self.aspect);
                let along = self.depth / direction.dot(self.camera.forward());
                let target = self.camera.eye() + direction * along;
                if let Some(grip) = &mut self.run.grip {
                    grip.target = target;
                }
            }
            Command::LetGo => self.run.grip = None,
            Command::Turn(yaw, pitch) => self.camera.turn(yaw, pitch),
            Command::Shift(by) => self.camera.shift(by),
            Command::Zoom(factor) => self.camera.zoom(factor),
            Command::Fly(along, seconds) => {
                self.camera.mode = Mode::Fly;
                self.camera.shift(along * (FLIGHT * seconds));
            }
            Command::ToggleCamera => self.camera.toggle(),
            Command::ToggleHelp => self.help = !self.help,
            Command::ToggleEnergy => {
                self.energy = !self.energy;
                self.run.keep_energy(self.energy);
            }
            Command::Overlay(number) => {
                if let Some((_, flag)) = Show::FLAGS.get(number) {
                    *flag(&mut self.show) ^= true;
                }
            }
        }
    }

    /// True if a flag of debug drawing, by its number, is on.
    pub fn shows(&self, flag: usize) -> bool {
        Show::FLAGS.get(flag).is_some_and(|(_, of)| *of(&mut { self.show }))
    }

    /// Shows a flag of debug drawing by its name.
    ///
    /// # Errors
    /// A sentence with the names that there are.
    pub fn show(&mut self, name: &str) -> Result<(), String> {
        let names = || Show::FLAGS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let found = Show::FLAGS.iter().find(|(own, _)| *own == name);
        let (_, flag) = found.ok_or_else(|| format!("{name}: nothing to show has this name, but {}", names()))?;
        *flag(&mut self.show) = true;
        Ok(())
    }

    /// Lets time go on (s): as many steps as are due at the speed.
    pub fn pass(&mut self, seconds: f64) {
        if !self.playing {
            self.due = 0.0;
            return;
        }
        let dt = f64::from(self.run.dt);
        let factor = f64::from(self.speed).exp2();
        self.due += seconds * factor;
        let most = MOST_STEPS * factor.max(1.0) as u32;
        let steps = ((self.due / dt + 1e-3) as u32).min(most);
        self.due = (self.due - f64::from(steps) * dt).clamp(0.0, dt);
        self.steps(steps);
        self.follow(1.0 - (-FOLLOWING * seconds as f32).exp());
    }

    /// Takes steps up to one, and pauses there.
    pub fn run_to(&mut self, step: u64) {
        self.playing = false;
        self.steps(step.saturating_sub(self.run.step) as u32);
        self.follow(1.0);
    }

    /// The ray through a place in the picture.
    pub fn ray(&self, place: [f32; 2]) -> Option<Ray> {
        Run::ray(self.camera.eye(), self.camera.direction(place, self.aspect))
    }

    /// True if there is a body at a place in the picture that can be dragged.
    pub fn is_body_at(&self, place: [f32; 2]) -> bool {
        self.ray(place).is_some_and(|ray| self.run.pick(&ray).is_some())
    }

    /// Moves the camera a part of the way to where it sees the bodies.
    fn follow(&mut self, part: f32) {
        if let Some((centre, radius)) = crowd(self.run.world()).filter(|_| self.follows) {
            self.camera.approach(centre, radius, part);
        }
    }

    fn steps(&mut self, count: u32) {
        for _ in 0..count {
            if let Err(error) = self.run.advance() {
                self.problem = Some(error);
                self.playing = false;
                return;
            }
        }
    }

    fn seek(&mut self, step: u64) {
        self.playing = false;
        if let Err(error) = self.run.seek(step) {
            self.problem = Some(error);
        }
    }

    fn restart(&mut self) {
        let begun = match &self.scene {
            Some(scene) => {
                Run::new(scene, self.threads, self.clock).map_err(|e| e.to_string()).map(|run| self.run = run)
            }
            None => self.run.seek(0),
        };
        self.run.keep_energy(self.energy);
        (self.due, self.problem) = (0.0, begun.err());
    }

    fn open(&mut self, scene: usize) {
        let Some(entry) = self.scenes.get(scene) else { return };
        let begun = scenes::load(&entry.name).and_then(|loaded| begin(loaded, self.threads, self.clock));
        self.show_run(scene, begun);
    }

    /// Opens a file that was dropped on the window, in front of the list.
    pub fn open_file(&mut self, name: &str, bytes: &[u8]) {
        match scenes::of_file(name, bytes).and_then(|loaded| begin(loaded, self.threads, self.clock)) {
            Ok(begun) => {
                self.scenes.insert(0, Entry { name: name.to_owned(), about: "as dropped" });
                self.show_run(0, Ok(begun));
            }
            Err(error) => self.problem = Some(error),
        }
    }

    fn show_run(&mut self, scene: usize, begun: Result<(Run, Option<Scene>), String>) {
        match begun {
            Ok((run, of)) => {
                (self.run, self.scene) = (run, of);
                self.run.keep_energy(self.energy);
                (self.open, self.follows, self.due, self.problem) = (scene, true, 0.0, None);
                self.camera = camera_for(self.run.world());
            }
            Err(error) => self.problem = Some(error),
        }
    }
}

/// A run at its start, with its scene if it is no recording.
fn begin(
    loaded: Loaded,
    threads: Option<usize>,
    clock: Option<fn() -> Duration>,
) -> Result<(Run, Option<Scene>), String> {
    match loaded {
        Loaded::Scene(scene) => Ok((Run::new(&scene, threads, clock).map_err(|e| e.to_string())?, Some(*scene))),
        Loaded::Recording(recording) => Ok((Run::of_recording(*recording, threads).map_err(|e| e.to_string())?, None)),
    }
}

/// The camera that sees the bodies of a world.
fn camera_for(world: &World) -> Camera {
    let (centre, radius) = crowd(world).unwrap_or((Vec3::ZERO, 10.0));
    Camera::framing(centre, radius)
}

/// A ball that most of the bodies that can move are in: its centre and radius (m). `None` without
/// bodies.
fn crowd(world: &World) -> Option<(Vec3, f32)> {
    let mut query = world.query::<(&Position, &RigidBody)>();
    let places: Vec<Vec3> =
        query.iter().filter(|(_, kind)| **kind == RigidBody::Dynamic).map(|(position, _)| position.0).collect();
    let count = places.len() as f32;
    let centre = places.iter().sum::<Vec3>() / count;
    let spread = (places.iter().map(|place| place.distance_squared(centre)).sum::<f32>() / count).sqrt();
    centre.is_finite().then_some((centre, SPREAD * spread + MARGIN))
}
