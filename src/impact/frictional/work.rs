//! The work of the normal impulse along a step of sliding.

use super::polynomial::{ORDER, Polynomial, value};
use super::problem::Scaled;
use super::series::{Local, RECIPROCAL, Series};

/// The work `int u_z dp_z` since the beginning of a step.
///
/// The product of the truncated series of `u_z` and `dp_z` would lose digits: on a ray both are
/// exponentials, and the tail of their product is `2^12` times theirs. But on a ray `u_z` is linear
/// in `p_z`, and the work is `u_z0 p_z + h p_z^2 / 2` exactly. Only the contribution of turning is
/// a product of series: `u_z = u_z0 + h p_z + g` with `g' = mu |u_t| (k_along d - k_across y)`,
/// small where the tail is not.
pub(super) struct Work {
    /// `p_z` over the sliding speed.
    normal: Polynomial,
    /// `int g dp_z` over the square of the sliding speed.
    turned: Polynomial,
    speed: f64,
    first: f64,
    slope: f64,
}

/// Adds the product of the turning part of `u_z` with coefficient `J` of the sliding speed.
#[inline(always)]
fn add_product<const J: usize>(rate: &mut [f64; ORDER], speed: f64, turning: &[f64; ORDER]) {
    // The turning part begins with order two.
    for m in J + 2..ORDER {
        rate[m] += speed * turning[m - J];
    }
}

impl Work {
    /// For a step that begins with the normal velocity `uz`.
    #[inline(always)]
    pub fn new(problem: &Scaled, local: &Local, series: &Series, uz: f64) -> Self {
        let speed: [f64; ORDER] = std::array::from_fn(|m| series.x[m] + series.d[m]);
        let (along, across) = (problem.friction * local.along, problem.friction * local.across);
        let mut turning = [0.0; ORDER];
        let mut normal = [0.0; ORDER + 1];
        for m in 0..ORDER {
            normal[m + 1] = speed[m] * RECIPROCAL[m + 1];
        }
        for m in 2..ORDER {
            turning[m] = (along * series.d[m - 1] - across * series.y[m - 1]) * RECIPROCAL[m];
        }
        let mut rate = turning;
        macro_rules! add {
            ($($j:literal)*) => { $( add_product::<$j>(&mut rate, speed[$j], &turning); )* };
        }
        add!(1 2 3 4 5 6 7 8 9);
        const { assert!(ORDER == 12) };
        let mut turned = [0.0; ORDER + 1];
        for m in 2..ORDER {
            turned[m + 1] = rate[m] * RECIPROCAL[m + 1];
        }
        Self { normal, turned, speed: local.speed, first: uz, slope: local.slope }
    }

    /// The work from the beginning of the step to `s`.
    #[inline(always)]
    pub fn until(&self, s: f64) -> f64 {
        let normal = self.speed * value(&self.normal, s);
        normal * (self.first + 0.5 * self.slope * normal) + self.speed * self.speed * value(&self.turned, s)
    }
}
