//! Fixed steps from variable frame times.

/// Converts frame times into whole steps of the simulation. Time beyond `max_steps` is dropped and
/// reported, so slow steps and long frames cannot amplify each other.
///
/// ```
/// use dolmen::motion::FixedStep;
/// let mut clock = FixedStep::new(1.0 / 60.0, 4);
/// let frame = clock.advance(0.040);
/// assert_eq!(frame.steps, 2);
/// assert!((frame.alpha - 0.4).abs() < 1e-9 && frame.dropped == 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedStep {
    step: f64,
    max_steps: u32,
    left: f64,
}

/// The steps of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameSteps {
    /// Number of steps to take.
    pub steps: u32,
    /// Position of the frame between the last step and the next one, from 0 to below 1: draw bodies
    /// at this fraction between the last but one step and the last
    /// ([`interpolate`](super::interpolate)).
    pub alpha: f64,
    /// Time (s) beyond the limit of one frame, which will not be simulated.
    pub dropped: f64,
}

impl FixedStep {
    /// Steps of `step` seconds, at most `max_steps` of them in one frame.
    ///
    /// # Panics
    /// If `step` is not positive and finite.
    pub fn new(step: f64, max_steps: u32) -> Self {
        assert!(step > 0.0 && step.is_finite(), "the step is {step} s, but has to be positive and finite");
        Self { step, max_steps, left: 0.0 }
    }

    /// The length of a step (s).
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Changes the length of a step and the most of them in a frame; the time that is left stays.
    pub(crate) fn change(&mut self, step: f64, max_steps: u32) {
        (self.step, self.max_steps) = (step, max_steps);
    }

    /// Advances by `frame_time` seconds. Negative and NaN times count as zero, for clocks may run
    /// backwards.
    pub fn advance(&mut self, frame_time: f64) -> FrameSteps {
        self.left += frame_time.max(0.0);
        let due = (self.left / self.step).floor();
        let steps = due.min(f64::from(self.max_steps));
        let surplus = due - steps;
        let dropped = if surplus > 0.0 { surplus * self.step } else { 0.0 };
        // If the quotient rounds up to an integer, the difference is negative.
        self.left = if self.left.is_finite() { (self.left - due * self.step).max(0.0) } else { 0.0 };
        FrameSteps { steps: steps as u32, alpha: (self.left / self.step).min(1.0 - f64::EPSILON), dropped }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use std::panic::catch_unwind;

    #[test]
    fn a_step_that_is_not_positive_and_finite_is_a_defect() {
        for step in [0.0, -0.0, -0.01, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            let text = catch_unwind(|| FixedStep::new(step, 4)).unwrap_err().downcast::<String>().unwrap();
            assert_eq!(*text, format!("the step is {step} s, but has to be positive and finite"));
        }
    }

    #[test]
    fn frames_as_long_as_a_step_give_one_step_each() {
        for step in [1.0 / 60.0, 1.0 / 240.0, 0.01, 0.3] {
            let mut clock = FixedStep::new(step, 8);
            for _ in 0..10_000 {
                let frame = clock.advance(step);
                assert_eq!((frame.steps, frame.alpha, frame.dropped), (1, 0.0, 0.0));
            }
        }
    }

    #[test]
    fn a_long_frame_is_cut_and_the_rest_reported() {
        let mut clock = FixedStep::new(0.01, 3);
        let frame = clock.advance(0.105);
        assert_eq!(frame.steps, 3);
        assert!((frame.dropped - 0.07).abs() < 1e-12 && (frame.alpha - 0.5).abs() < 1e-9);
        assert_eq!(clock.advance(0.0).steps, 0, "what was dropped does not come back");
        assert_eq!(clock.advance(f64::INFINITY).steps, 3);
        assert_eq!(clock.advance(f64::NAN).steps, 0);
        assert_eq!(clock.advance(-1.0).steps, 0);
    }

    proptest! {
        #[test]
        fn no_time_is_lost(frames in prop::collection::vec(0.0..0.2_f64, 1..200)) {
            let mut clock = FixedStep::new(1.0 / 60.0, 5);
            let (mut total, mut accounted) = (0.0, 0.0);
            for frame in frames {
                let got = clock.advance(frame);
                prop_assert!(got.steps <= 5 && (0.0..1.0).contains(&got.alpha));
                total += frame;
                accounted += f64::from(got.steps) * clock.step() + got.dropped;
                prop_assert!((total - accounted - got.alpha * clock.step()).abs() < 1e-10);
            }
        }
    }
}
