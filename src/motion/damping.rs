//! Damping and limits of velocity. Both are off by default.

use crate::math::{Real, Vec3};

/// Damping over a given time: the exact solution of `dv/dt = -c v`, independent of the step.
///
/// Rotational damping scales time: a damping torque `-c L` keeps the direction of the angular
/// momentum and slows all components alike, so the body turns as a free one does in `h * mean`
/// seconds, and its angular velocity is multiplied by [`left`](Self::left).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decay {
    /// `1 - e^(-x)` with `x = c h`: the part of the velocity that is lost.
    pub lost: Real,
    /// `(1 - e^(-x)) / x`: the mean of the remaining velocity over the time.
    pub mean: Real,
    /// `(1 - mean) / x`: replaces the 1/2 of `a h²/2`.
    pub double_mean: Real,
}

impl Decay {
    /// No damping.
    pub const NONE: Self = Self { lost: 0.0, mean: 1.0, double_mean: 0.5 };

    /// Damping at `rate` (1/s) for `h` seconds. Rates below zero count as zero: damping never adds
    /// energy.
    ///
    /// ```
    /// use dolmen::motion::damping::Decay;
    /// let half = Decay::over(std::f64::consts::LN_2 as _, 1.0);
    /// assert!((half.left() - 0.5).abs() < 1e-6);
    /// ```
    pub fn over(rate: Real, h: Real) -> Self {
        let x = f64::from(rate) * f64::from(h);
        if x.is_nan() || x <= 0.0 {
            return Self::NONE;
        }
        // Halved until it is at most one, where the series converges fast without cancellation.
        let mut small = x.min(1000.0);
        let mut halvings = 0;
        while small > 1.0 {
            small *= 0.5;
            halvings += 1;
        }
        let series = double_mean_series(small);
        let (lost, mean, double_mean) = if halvings == 0 {
            let mean = 1.0 - x * series;
            (x * mean, mean, series)
        } else {
            let left = (0..halvings).fold(1.0 - small * (1.0 - small * series), |left, _| left * left);
            let mean = (1.0 - left) / x;
            (1.0 - left, mean, (1.0 - mean) / x)
        };
        Self { lost: lost as Real, mean: mean as Real, double_mean: double_mean as Real }
    }

    /// `e^(-x)`: velocity after over velocity before.
    #[inline]
    pub fn left(&self) -> Real {
        1.0 - self.lost
    }
}

/// `Σ (-x)^n / (n+2)!` for `0 <= x <= 1`, to the last digits of `f64`.
fn double_mean_series(x: f64) -> f64 {
    // Horner's scheme from the first term below 1e-17: 1/2 (1 - x/3 (1 - x/4 (1 - ...))).
    0.5 * (3..=19).rev().fold(1.0, |inner, n| 1.0 - x / f64::from(n) * inner)
}

/// `velocity` clamped to the length `limit` (both m/s, or both rad/s); its direction is kept.
#[inline]
pub fn limit(velocity: Vec3, limit: Real) -> Vec3 {
    let speed = velocity.length();
    if speed > limit { velocity * (limit / speed) } else { velocity }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decay_is_the_exponential_and_its_means() {
        for x in [1e-12, 1e-4, 0.3, 0.999, 1.001, 7.5, 40.0] {
            let decay = Decay::over(x as Real, 1.0);
            let x = f64::from(x as Real);
            let lost = -(-x).exp_m1();
            let mean = lost / x;
            let double = if x < 1e-2 { 0.5 - x / 6.0 + x * x / 24.0 - x * x * x / 120.0 } else { (1.0 - mean) / x };
            let bar = 1e-9_f64.max(f64::from(Real::EPSILON));
            assert!((f64::from(decay.lost) / lost - 1.0).abs() < bar, "{x}");
            assert!((f64::from(decay.mean) / mean - 1.0).abs() < bar, "{x}");
            assert!((f64::from(decay.double_mean) / double - 1.0).abs() < bar, "{x}");
        }
        assert_eq!(Decay::over(-1.0, 1.0), Decay::NONE);
        assert_eq!(Decay::over(Real::INFINITY, 1.0).left(), 0.0);
    }

    #[test]
    fn a_limit_shortens_and_does_not_turn() {
        let v = Vec3::new(3.0, 0.0, 4.0);
        assert_eq!(limit(v, 5.0), v);
        assert!((limit(v, 1.0) - Vec3::new(0.6, 0.0, 0.8)).length() < 1e-6);
        assert_eq!(limit(Vec3::ZERO, 0.0), Vec3::ZERO);
    }
}
