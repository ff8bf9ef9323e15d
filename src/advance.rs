//! A frame of a game: control, steps, and the poses to draw.

use crate::components::{AngularVelocity, BodySlot, Disabled, LinearVelocity, Orientation, Position};
use crate::control::fields::step_fields;
use crate::control::{step_characters, step_floating_characters, step_pose_controllers, step_vehicles};
use crate::error::StepError;
use crate::game_time::{RenderPose, RenderPoses};
use crate::math::{Pose, Quat, Real, Vec3, bits_differ, quat_bits_differ};
use crate::motion::center::pose_after;
use crate::motion::interpolate;
use crate::physics::Physics;
use crate::report::StepReport;
use hecs::World;

/// The result of [`Physics::advance`].
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// Number of steps taken.
    pub steps: u32,
    /// Position of the frame between the last step and the next one, from 0 to below 1.
    pub alpha: Real,
    /// Time beyond the most steps of a frame, which is not simulated (s).
    pub dropped: Real,
    /// The report of the last step, if there was one.
    pub report: Option<StepReport>,
}

impl Physics {
    /// Advances a game by the time of a frame (s): as many steps of [`GameTime::step`] as are due,
    /// each after fields, pose controllers, vehicles, floating characters and characters; then the [`RenderPose`]s.
    ///
    /// The order within a step is fixed, and the number of steps follows from the frame times alone:
    /// the same steps give the same bits. Events are those of the last step of the frame; for all of
    /// them see [`advance_with`](Self::advance_with).
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
    /// let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, 9.0, 0.0).with(RenderPose::default()));
    /// for _ in 0..50 {
    ///     // Frames of 144 a second.
    ///     physics.advance(&mut world, 1.0 / 144.0)?;
    ///     let drawn = world.get::<&RenderPose>(ball).unwrap().position;
    ///     assert!(drawn.y >= world.get::<&Position>(ball).unwrap().0.y);
    /// }
    /// physics.time.scale = 0.25; // slow motion
    /// assert_eq!(physics.advance(&mut world, 1.0 / 144.0)?.steps, 0);
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    ///
    /// # Errors
    /// [`StepError`] as [`step`](Self::step), the control systems and [`GameTime::validate`] give it.
    /// The steps before stay taken; the rest of the frame's time is lost.
    ///
    /// [`GameTime::step`]: crate::GameTime::step
    /// [`GameTime::validate`]: crate::GameTime::validate
    pub fn advance(&mut self, world: &mut World, frame_time: Real) -> Result<Frame, StepError> {
        self.advance_with(world, frame_time, |_, _| Ok(()))
    }

    /// [`advance`](Self::advance), with a system of the game that runs before each step, before all
    /// control. It sees the events of the step before.
    ///
    /// ```
    /// use dolmen::prelude::*;
    /// let (mut world, mut physics) = (hecs::World::new(), Physics::default());
    /// let mut steps = 0;
    /// let mut drum = |_: &mut hecs::World, physics: &mut Physics| {
    ///     steps += 1;
    ///     assert!(physics.events().is_empty());
    ///     Ok(())
    /// };
    /// assert_eq!(physics.advance_with(&mut world, 0.04, &mut drum)?.steps, 2);
    /// assert_eq!(steps, 2);
    /// # Ok::<(), dolmen::StepError>(())
    /// ```
    ///
    /// # Errors
    /// As [`advance`](Self::advance), and what the system returns.
    pub fn advance_with(
        &mut self,
        world: &mut World,
        frame_time: Real,
        mut before_step: impl FnMut(&mut World, &mut Self) -> Result<(), StepError>,
    ) -> Result<Frame, StepError> {
        self.time.validate()?;
        let due = self.time.frame(frame_time);
        let dt = self.time.step;
        let mut report = None;
        for _ in 0..due.steps {
            before_step(world, self)?;
            self.control(world, dt)?;
            record_poses(world, |_, now| [now, now]);
            report = Some(self.step(world, dt)?);
            record_poses(world, |before, now| [before, now]);
        }
        let alpha = due.alpha as Real;
        write_poses(world, self, alpha);
        Ok(Frame { steps: due.steps, alpha, dropped: due.dropped as Real, report })
    }

    /// A single step of `dt` (s) as [`advance`](Self::advance) takes it: fields, pose controllers,
    /// vehicles, floating characters and characters, then [`step`](Self::step). The clock of the game
    /// does not see it: for replays and rollbacks.
    ///
    /// # Errors
    /// As [`advance`](Self::advance).
    pub fn step_with_control(&mut self, world: &mut World, dt: Real) -> Result<StepReport, StepError> {
        self.control(world, dt)?;
        self.step(world, dt)
    }

    fn control(&self, world: &mut World, dt: Real) -> Result<(), StepError> {
        step_fields(world, self, dt)?;
        step_pose_controllers(world, self, dt)?;
        step_vehicles(world, self, dt)?;
        step_floating_characters(world, self, dt)?;
        step_characters(world, self, dt)
    }
}

type Drawn<'a> = (&'a mut RenderPose, &'a Position, &'a Orientation);

/// A position and an orientation.
type Placed = (Vec3, Quat);

/// Keeps the poses before and after a step, from those kept so far and the present ones.
fn record_poses(world: &World, keep: impl Fn(Placed, Placed) -> [Placed; 2]) {
    for (drawn, position, orientation) in world.query::<Drawn>().without::<&Disabled>().iter() {
        let now = (position.0, orientation.0);
        drawn.steps = Some(keep(drawn.steps.map_or(now, |[before, _]| before), now));
    }
}

/// Writes the poses of a frame.
fn write_poses(world: &World, physics: &Physics, alpha: Real) {
    let (bodies, mode, dt) = (&physics.state().bodies, physics.time.poses, physics.time.step);
    let mut query = world.query::<(Drawn, Option<&BodySlot>, Option<&LinearVelocity>, Option<&AngularVelocity>)>();
    for ((drawn, position, orientation), slot, linear, angular) in query.iter() {
        let now = (position.0, orientation.0);
        let teleported = |last: Placed| bits_differ(last.0, now.0) || quat_bits_differ(last.1, now.1);
        // A teleport since the last step shows at once.
        let [from, to] = drawn.steps.filter(|[_, last]| !teleported(*last)).unwrap_or([now, now]);
        drawn.steps = Some([from, to]);
        let pose = |(position, orientation): Placed| Pose::from_parts(position, orientation);
        let local = slot.and_then(|slot| bodies.local_center.get(slot.get()? as usize)).copied().unwrap_or_default();
        let shown = match mode {
            RenderPoses::Interpolated => interpolate(&pose(from), &pose(to), local, alpha),
            RenderPoses::Extrapolated => {
                let velocities = [linear.map_or(Vec3::ZERO, |v| v.0), angular.map_or(Vec3::ZERO, |w| w.0)];
                pose_after(&pose(to), local, velocities, alpha * dt)
            }
        };
        (drawn.position, drawn.orientation) = (shown.translation, shown.rotation);
    }
}
