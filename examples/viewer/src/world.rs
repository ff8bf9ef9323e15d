//! A run of a scene: its world, its steps, its memory, and what a player does to it.

use crate::edits::{Edit, Frozen};
use crate::hand;
use crate::history::History;
use crate::rows::Row;
use crate::rules::Rule;
use crate::timeline::Timeline;
use dolmen::prelude::*;
use dolmen::query::{Filter, Ray};
use dolmen::scene::{self, Scene, SceneError};
use dolmen::{StepError, StepReport};
use hecs::{Entity, World};
use std::time::Duration;

/// Radius (m), density (kg/m³) and speed (m/s) of a ball that is shot.
const BALL: (Real, Real, Real) = (0.3, 4000.0, 25.0);
/// Farthest that a body is taken hold of (m).
const REACH: Real = 1e4;

/// A scene in its world, and its memory.
pub struct Run {
    pub world: World,
    pub physics: Physics,
    pub dt: Real,
    pub timeline: Timeline,
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

    /// Takes a step, with the edits that are remembered for it.
    ///
    /// # Errors
    /// Those of [`Physics::step`].
    pub fn advance(&mut self) -> Result<(), StepError> {
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
    /// Those of [`Physics::step`].
    pub fn seek(&mut self, step: u64) -> Result<(), StepError> {
        self.grip = None;
        let (first, last) = self.timeline.range();
        let step = step.clamp(first, last);
        self.step = self.timeline.approach(self.step, step, &mut self.physics, &mut self.world);
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
        let (body, _) = self.pick(ray)?;
        _ = self.grip.take_if(|grip| grip.body == body);
        self.edit(Edit::despawn(&self.world, body));
        Some(body)
    }

    /// Freezes the dynamic body that a ray meets first, or lets a frozen one go on.
    pub fn freeze(&mut self, ray: &Ray) -> Option<Entity> {
        let hit = self.physics.query().ray(ray, &Filter::default())?;
        let is_frozen = self.world.get::<&Frozen>(hit.entity).is_ok();
        let body = if is_frozen { hit.entity } else { self.pick(ray)?.0 };
        _ = self.grip.take_if(|grip| grip.body == body);
        self.edit(Edit::freeze(&self.world, body)?);
        Some(body)
    }

    /// Sets a slider.
    pub fn set(&mut self, rule: Rule, value: Real) {
        if rule.value(&self.physics, &self.world) != value {
            self.edit(Edit::set(&self.physics, &self.world, rule, value));
        }
    }

    /// Takes hold of the dynamic body that a ray meets first, if it meets one.
    pub fn grab(&mut self, ray: &Ray) -> Option<Grip> {
        let (body, target) = self.pick(ray)?;
        let slot = self.slot(body)?;
        let local = self.physics.state().bodies.pose(slot).inverse_transform_point(target);
        self.selected = Some(body);
        self.grip = Some(Grip { body, local, target, force: Vec3::ZERO });
        self.grip
    }

    /// The dynamic body that a ray meets first, and where.
    pub fn pick(&self, ray: &Ray) -> Option<(Entity, Vec3)> {
        let hit = self.physics.query().ray(ray, &Filter::default())?;
        let is_dynamic = self.world.get::<&RigidBody>(hit.entity).is_ok_and(|kind| *kind == RigidBody::Dynamic);
        is_dynamic.then_some((hit.entity, hit.point))
    }

    /// A ray from a point (m) along a direction.
    pub fn ray(origin: Vec3, direction: Vec3) -> Option<Ray> {
        Ray::new(origin, direction, REACH).ok()
    }

    /// The point of the held body (m, world).
    pub fn held_point(&self) -> Option<Vec3> {
        let grip = self.grip.as_ref()?;
        Some(self.physics.state().bodies.pose(self.slot(grip.body)?).transform_point(grip.local))
    }

    fn edit(&mut self, edit: Edit) {
        self.timeline.edit(self.step, edit, &mut self.physics, &mut self.world);
    }

    /// The slot of a body.
    pub fn slot(&self, body: Entity) -> Option<usize> {
        Some(self.world.get::<&BodySlot>(body).ok()?.get()? as usize)
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
