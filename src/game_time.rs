//! Time of a game: fixed steps from frame times, its scale, and poses to draw.

use crate::error::StepError;
use crate::math::{Quat, Real, Vec3};
use crate::motion::{FixedStep, FrameSteps};
use crate::ranges::MAX_TIME_STEP;

/// How [`Physics::advance`](crate::Physics::advance) turns frame times into steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameTime {
    /// Length of a step (s). Default 1/60.
    pub step: Real,
    /// Most steps in one frame; time beyond is dropped, so that slow steps and long frames cannot
    /// amplify each other. Default 4.
    pub max_steps: u32,
    /// Factor on frame times: below 1 is slow motion, of steps of the same length. Default 1.
    pub scale: Real,
    /// True if no time passes. [`Physics::step`](crate::Physics::step) still takes single steps.
    pub paused: bool,
    /// The poses of [`RenderPose`]. Default [`RenderPoses::Interpolated`].
    pub poses: RenderPoses,
    clock: FixedStep,
}

/// The poses that are drawn between two steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RenderPoses {
    /// Between the last two steps: smooth, and up to a step late.
    #[default]
    Interpolated,
    /// Ahead of the last step, by its velocities: not late, and wrong for a moment after impacts.
    Extrapolated,
}

impl Default for GameTime {
    fn default() -> Self {
        let (step, max_steps) = (1.0 / 60.0, 4);
        let clock = FixedStep::new(f64::from(step), max_steps);
        Self { step, max_steps, scale: 1.0, paused: false, poses: RenderPoses::Interpolated, clock }
    }
}

impl GameTime {
    /// Checks every field.
    ///
    /// # Errors
    /// [`StepError::Setting`] with the field's name and value.
    pub fn validate(&self) -> Result<(), StepError> {
        let bad = |setting, problem| Err(StepError::Setting { setting, problem });
        if !(self.step > 0.0 && self.step <= MAX_TIME_STEP) {
            return bad("time.step", format!("must be positive and at most {MAX_TIME_STEP} s, got {}", self.step));
        }
        if !(self.scale >= 0.0 && self.scale.is_finite()) {
            return bad("time.scale", format!("must be at least 0 and finite, got {}", self.scale));
        }
        Ok(())
    }

    /// The steps of a frame (s).
    pub(crate) fn frame(&mut self, frame_time: Real) -> FrameSteps {
        self.clock.change(f64::from(self.step), self.max_steps);
        let time = if self.paused { 0.0 } else { f64::from(frame_time) * f64::from(self.scale) };
        self.clock.advance(time)
    }
}

/// The pose of a body to draw, between two steps: written by
/// [`Physics::advance`](crate::Physics::advance) for entities that have it.
///
/// | | size in `f32` / `f64` | alignment |
/// |---|---|---|
/// | `RenderPose` | 96 / 160 | 16 / 8 |
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct RenderPose {
    /// Position of the body's origin (m).
    pub position: Vec3,
    /// Orientation of the body's axes.
    pub orientation: Quat,
    /// The poses after the last step but one and after the last one.
    pub(crate) steps: Option<[(Vec3, Quat); 2]>,
}
