//! Flight of the centre of mass under constant acceleration: exact, whatever the step.

use super::{CompensatedSum, damping::Decay};
use crate::math::{Real, Vec3};

/// The displacement `v h + a h²/2` (m) and the change of velocity `a h` (m/s) of a body with
/// initial `velocity` (m/s) in `h` seconds of constant `acceleration` (m/s²).
///
/// Many short flights give the same result as one long one (Baber 2006, section 3.3, "Simulating
/// Motion when in Free Fall").
///
/// ```
/// use dolmen::{math::Vec3, motion::ballistic::fly};
/// let (fallen, faster) = fly(Vec3::new(3.0, 2.0, 0.0), Vec3::new(0.0, -8.0, 0.0), 0.5);
/// assert_eq!((fallen, faster), (Vec3::new(1.5, 0.0, 0.0), Vec3::new(0.0, -4.0, 0.0)));
/// ```
#[inline]
pub fn fly(velocity: Vec3, acceleration: Vec3, h: Real) -> (Vec3, Vec3) {
    (velocity * h + acceleration * (0.5 * h * h), acceleration * h)
}

/// [`fly`] with linear damping: the exact solution of `dv/dt = a - c v` over the time of `decay`.
///
/// Without damping it is [`fly`].
#[inline]
pub fn fly_damped(velocity: Vec3, acceleration: Vec3, h: Real, decay: Decay) -> (Vec3, Vec3) {
    let displacement = velocity * (h * decay.mean) + acceleration * (h * h * decay.double_mean);
    (displacement, acceleration * (h * decay.mean) - velocity * decay.lost)
}

/// The state of a centre of mass in free flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flight {
    /// The centre of mass (m, world axes).
    pub center: CompensatedSum,
    /// Its velocity (m/s, world axes).
    pub velocity: CompensatedSum,
}

impl Flight {
    /// A body from user values.
    pub fn new(center: Vec3, velocity: Vec3) -> Self {
        Self { center: CompensatedSum::new(center), velocity: CompensatedSum::new(velocity) }
    }

    /// The state after `h` seconds of constant `acceleration` (m/s²) and damping.
    #[inline]
    pub fn step(self, acceleration: Vec3, h: Real, decay: Decay) -> Self {
        let (displacement, change) = fly_damped(self.velocity.value, acceleration, h, decay);
        Self { center: self.center.plus(displacement), velocity: self.velocity.plus(change) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: Flight, acceleration: Vec3, rate: Real, h: Real, steps: u32) -> Flight {
        let decay = Decay::over(rate, h);
        (0..steps).fold(start, |flight, _| flight.step(acceleration, h, decay))
    }

    #[test]
    fn many_flights_are_one_with_and_without_damping() {
        let start = Flight::new(Vec3::ZERO, Vec3::new(5.0, 0.0, -1.0));
        for rate in [0.0, 0.8] {
            let many = run(start, Vec3::new(0.0, -9.8, 1.0), rate, 0.015625, 128);
            let one = run(start, Vec3::new(0.0, -9.8, 1.0), rate, 2.0, 1);
            assert!((many.center.value - one.center.value).length() < 4e-6, "{many:?} {one:?}");
            assert!((many.velocity.value - one.velocity.value).length() < 4e-6, "{many:?} {one:?}");
        }
    }

    #[test]
    fn a_damped_fall_ends_at_its_terminal_speed() {
        let fallen = run(Flight::new(Vec3::ZERO, Vec3::ZERO), Vec3::new(0.0, -9.8, 0.0), 0.5, 1000.0, 1);
        assert!((fallen.velocity.value.y + 19.6).abs() < 1e-5);
    }

    #[test]
    fn no_damping_is_free_flight() {
        let (v, a) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 5.0, 6.0));
        assert_eq!(fly_damped(v, a, 0.25, Decay::NONE), fly(v, a, 0.25));
        assert_eq!(Decay::over(0.0, 0.25), Decay::NONE);
    }
}
