//! A run of a scene: its world, its steps, its memory, and what a player does to it.

use crate::edits::{Edit, Frozen};
use crate::hand;
use crate::history::History;
use crate::rows::Row;
use crate::rules::Rule;
use crate::timeline::Timeline;
use dolmen::prelude::*;
use dolmen::query::{Filter, Ray};
use dolmen::recording::{Recording, Replay, ReplayError};
use dolmen::scene::{self, Scene, SceneError};
use dolmen::{StepError, StepReport};
use hecs::{Entity, World};
use std::time::Duration;

/// Radius (m), density (kg/m³) and speed (m/s) of a ball that is shot.
const BALL: (Real, Real, Real) = (0.3, 4000.0, 25.0);
/// Gain of energy from which an event tells of it, as a part of what there was.
const GAIN: Real = 1e-3;
/// Farthest that a body is taken hold of (m).
const REACH: Real = 1e4;

/// A scene in its world, and its memory.
pub struct Run {
    /// Empty if a recording is replayed, and then not stepped.
    world: World,
    physics: Physics,
    replay: Option<(&'static Recording, Replay<'static>)>,
    pub dt: Real,
    timeline: Timeline,
    /// Steps taken from the start to here.
    pub step: u64,
    /// The report of the last step.
    pub report: StepReport,
    /// The time of all steps so far, replayed ones included, and their number.
    pub spent: (Duration, u32),
    /// What the player holds.
    pub grip: Option<Grip>,
    /// The body that was clicked last.
    pub selected: Option<Entity>,
    pub history: History,
}

/// A body that is held at a point of it.
#[derive(Clone, Copy, Debug)]
pub struct Grip {
    pub body: Entity,
    /// The point in the body's axes (m).
    pub local: Vec3,
    /// Where the point should be (m, world).
    pub target: Vec3,
    /// The force of the last step (N, world).
    pub force: Vec3,
}

impl Run {
    /// The scene at its start.
    ///
    /// # Errors
    /// Those of [`scene::build`].
    pub fn new(scene: &Scene, threads: Option<usize>, clock: Option<fn() -> Duration>) -> Result<Self, SceneError> {
        let mut world = World::new();
        let built = scene::build(scene, &mut world)?;
        let mut physics = Physics::new(Settings { threads: threads.or(built.settings.threads), ..built.settings });
        if let Some(clock) = clock {
            physics.set_clock(clock);
        }
        let mut timeline = Timeline::default();
        timeline.reached(0, &physics, &world);
        let (report, spent) = (StepReport::default(), (Duration::ZERO, 0));
        Ok(Self {
            world,
            physics,
            replay: None,
            dt: built.dt,
            timeline,
            step: 0,
            report,
            spent,
            grip: None,
            selected: None,
            history: History::default(),
        })
    }

    /// A recording at its start. It stays in memory to the program's end.
    ///
    /// # Errors
    /// Those of [`Recording::replay`].
    pub fn of_recording(recording: Recording, threads: Option<usize>) -> Result<Self, ReplayError> {
        let settings = Settings { threads, ..Settings::default() };
        let recording: &'static Recording = Box::leak(Box::new(recording));
        let replay = recording.replay(Physics::new(settings))?;
        let dt = (recording.seconds() / recording.steps().max(1) as f64) as Real;
        Ok(Self {
            world: World::new(),
            physics: Physics::default(),
            replay: Some((recording, replay)),
            dt,
            timeline: Timeline::default(),
            step: 0,
            report: StepReport::default(),
            spent: (Duration::ZERO, 0),
            grip: None,
            selected: None,
            history: History::default(),
        })
    }

    /// The world that is seen.
    pub fn world(&self) -> &World {
        self.replay.as_ref().map_or(&self.world, |(_, replay)| replay.world())
    }

    /// Its physics.
    pub fn physics(&self) -> &Physics {
        self.replay.as_ref().map_or(&self.physics, |(_, replay)| replay.physics())
    }

    /// The steps that can be reached without new ones.
    pub fn range(&self) -> (u64, u64) {
        self.replay.as_ref().map_or_else(|| self.timeline.range(), |(recording, _)| (0, recording.steps() as u64))
    }

    /// True if a recording is replayed: it takes no edits.
    pub fn is_replay(&self) -> bool {
        self.replay.is_some()
    }

    /// Takes a step, with the edits that are remembered for it. At the end of a recording nothing happens.
    ///
    /// # Errors
    /// A sentence: a step that is refused, or a replay that differs.
    pub fn advance(&mut self) -> Result<(), String> {
        if let Some((_, replay)) = &mut self.replay {
            if replay.step().map_err(|error| error.to_string())? {
                self.report = replay.report().clone();
                self.spent = (self.spent.0 + self.report.times.total(), self.spent.1 + 1);
                self.step += 1;
                self.history.reached(self.step, replay.physics(), &self.report);
            }
            return Ok(());
        }
        self.advance_world().map_err(|error| error.to_string())
    }

    fn advance_world(&mut self) -> Result<(), StepError> {
        self.timeline.replay(self.step, &mut self.physics, &mut self.world);
        self.pull();
        self.report = self.physics.step(&mut self.world, self.dt)?;
        self.spent = (self.spent.0 + self.report.times.total(), self.spent.1 + 1);
        self.step += 1;
        self.timeline.reached(self.step, &self.physics, &self.world);
        self.history.reached(self.step, &self.physics, &self.report);
        Ok(())
    }

    /// Goes to a step of the timeline, or to the nearest that it reaches. What is held is let go.
    ///
    /// # Errors
    /// Those of [`advance`](Self::advance).
    pub fn seek(&mut self, step: u64) -> Result<(), String> {
        self.grip = None;
        let (first, last) = self.range();
        let step = step.clamp(first, last);
        match &mut self.replay {
            // A recording goes back to its start.
            Some((recording, replay)) if step < self.step => {
                let settings = Settings { threads: Some(replay.physics().threads()), ..Settings::default() };
                *replay = recording.replay(Physics::new(settings)).map_err(|error| error.to_string())?;
                self.step = 0;
            }
            Some(_) => {}
            None => self.step = self.timeline.approach(self.step, step, &mut self.physics, &mut self.world),
        }
        while self.step < step {
            self.advance()?;
        }
        Ok(())
    }

    /// Shoots a ball along a ray.
    pub fn shoot(&mut self, ray: &Ray) {
        let (radius, density, speed) = BALL;
        let ball = Body::dynamic(Collider::ball(radius)).density(density).ccd();
        let ball = ball.position(ray.at(2.0 * radius)).linear_velocity(ray.direction() * speed);
        self.edit(Edit::spawn(&self.world, Row::new(ball)));
    }

    /// Deletes the dynamic body that a ray meets first, if it meets one.
    pub fn delete(&mut self, ray: &Ray) -> Option<Entity> {
        let (body, _) = self.pick(ray).filter(|_| !self.is_replay())?;
        _ = self.grip.take_if(|grip| grip.body == body);
        self.edit(Edit::despawn(&self.world, body));
        Some(body)
    }

    /// Freezes the dynamic body that a ray meets first, or lets a frozen one go on.
    pub fn freeze(&mut self, ray: &Ray) -> Option<Entity> {
        if self.is_replay() {
            return None;
        }
        let hit = self.physics.query().ray(ray, &Filter::default())?;
        let is_frozen = self.world.get::<&Frozen>(hit.entity).is_ok();
        let body = if is_frozen { hit.entity } else { self.pick(ray)?.0 };
        _ = self.grip.take_if(|grip| grip.body == body);
        self.edit(Edit::freeze(&self.world, body)?);
        Some(body)
    }

    /// Sets a slider.
    pub fn set(&mut self, rule: Rule, value: Real) {
        if !self.is_replay() && rule.value(&self.physics, &self.world) != value {
            self.edit(Edit::set(&self.physics, &self.world, rule, value));
        }
    }

    /// Keeps an account of the energy of each step from now on, or none. It moves no bit; a recording is replayed as
    /// it was made.
    pub fn keep_energy(&mut self, keep: bool) {
        self.physics.settings.energy_tolerance = keep.then_some(GAIN);
        self.report.energy = self.report.energy.filter(|_| keep);
    }

    /// Takes hold of the dynamic body that a ray meets first, if it meets one.
    pub fn grab(&mut self, ray: &Ray) -> Option<Grip> {
        let (body, target) = self.pick(ray)?;
        self.selected = Some(body);
        if self.is_replay() {
            return None;
        }
        let slot = self.slot(body)?;
        let local = self.physics.state().bodies.pose(slot).inverse_transform_point(target);
        self.grip = Some(Grip { body, local, target, force: Vec3::ZERO });
        self.grip
    }

    /// The dynamic body that a ray meets first, and where.
    pub fn pick(&self, ray: &Ray) -> Option<(Entity, Vec3)> {
        let hit = self.physics().query().ray(ray, &Filter::default())?;
        let is_dynamic = self.world().get::<&RigidBody>(hit.entity).is_ok_and(|kind| *kind == RigidBody::Dynamic);
        is_dynamic.then_some((hit.entity, hit.point))
    }

    /// A ray from a point (m) along a direction.
    pub fn ray(origin: Vec3, direction: Vec3) -> Option<Ray> {
        Ray::new(origin, direction, REACH).ok()
    }

    /// The point of the held body (m, world).
    pub fn held_point(&self) -> Option<Vec3> {
        let grip = self.grip.as_ref()?;
        Some(self.physics().state().bodies.pose(self.slot(grip.body)?).transform_point(grip.local))
    }

    /// Makes an edit. A recording takes none.
    fn edit(&mut self, edit: Edit) {
        if self.is_replay() {
            return;
        }
        self.timeline.edit(self.step, edit, &mut self.physics, &mut self.world);
    }

    /// The slot of a body.
    pub fn slot(&self, body: Entity) -> Option<usize> {
        Some(self.world().get::<&BodySlot>(body).ok()?.get()? as usize)
    }

    /// The impulse of the spring in the hand, as an edit of this step.
    fn pull(&mut self) {
        let Some(mut grip) = self.grip.take() else { return };
        let Some(slot) = self.slot(grip.body) else { return };
        let bodies = &self.physics.state().bodies;
        let point = bodies.pose(slot).transform_point(grip.local);
        let arm = point - bodies.center[slot];
        // Gravity of the coming step is borne too.
        let velocity = bodies.velocity_at(slot, arm) + bodies.acceleration[slot] * self.dt;
        let response = hand::response(bodies, slot, arm);
        let impulse = hand::spring_impulse(point - grip.target, velocity, response, bodies.mass[slot], self.dt);
        let pushed = ExternalImpulse::at_point(impulse, point, bodies.center[slot]);
        self.edit(Edit::push(&self.world, grip.body, pushed));
        grip.force = impulse / self.dt;
        self.grip = Some(grip);
    }
}
