//! One step of sliding as a Taylor series.
//!
//! With `dp_z = |u_t| ds` sliding obeys `u_t' = |u_t| k - mu M u_t`, which stays smooth while
//! `|u_t|` goes to zero and is the same at every speed. Along the direction of sliding, `u_t = r
//! (X, Y)` with `X(0) = 1` and `Y(0) = 0`, and `|u_t| = r (X + D)`, where `D (2 X + D) = Y^2`
//! avoids a square root and cancellation near a ray. Each coefficient of order `m` follows from
//! lower orders alone, so the three chains run in parallel in the processor.

use super::polynomial::{ORDER, Polynomial};
use super::problem::Scaled;
use crate::math::DVec3;

/// `1 / m`, and zero for `m = 0`.
pub(super) const RECIPROCAL: [f64; ORDER + 2] = {
    let mut table = [0.0; ORDER + 2];
    let mut m = 1;
    while m < ORDER + 2 {
        table[m] = 1.0 / m as f64;
        m += 1;
    }
    table
};

/// The equations of sliding in the frame of its current direction `c`.
pub(super) struct Local {
    /// The sliding speed.
    pub speed: f64,
    /// The direction of sliding.
    pub cx: f64,
    pub cy: f64,
    /// `k` along `c` and across it.
    pub along: f64,
    pub across: f64,
    /// `mu c.M d` and `mu d.M d`, with `d` across `c`.
    pub shear: f64,
    pub cross: f64,
    /// `d|u_t|/dp_z`.
    pub growth: f64,
    /// The rate of turning, `|u_t| dtheta/dp_z`.
    pub turning: f64,
    /// Its derivative by the angle: negative where rays attract.
    pub turning_slope: f64,
    /// `du_z/dp_z`.
    pub slope: f64,
}

impl Local {
    #[inline(always)]
    pub fn new(problem: &Scaled, velocity: DVec3, speed: f64) -> Self {
        let mu = problem.friction;
        let (cx, cy) = (velocity.x / speed, velocity.y / speed);
        let (mx, my) = problem.tangential(cx, cy);
        let along = cx * problem.kx + cy * problem.ky;
        let across = cx * problem.ky - cy * problem.kx;
        let drag = mu * (cx * mx + cy * my);
        let shear = mu * (cx * my - cy * mx);
        let cross = mu * (problem.k11 + problem.k22) - drag;
        Self {
            speed,
            cx,
            cy,
            along,
            across,
            shear,
            cross,
            growth: along - drag,
            turning: across - shear,
            turning_slope: drag - cross - along,
            slope: problem.kz - mu * along,
        }
    }
}

/// The coefficients of one step.
pub(super) struct Series {
    /// The velocity along and across the direction of sliding, over the sliding speed.
    pub x: [f64; ORDER],
    pub y: [f64; ORDER],
    /// The sliding speed over its first value is `x + d`.
    pub d: [f64; ORDER],
}

/// The orders are unrolled by hand: the compiler does not unroll the short inner sums of a loop,
/// which doubles the time of an impact.
macro_rules! for_each_order {
    ($function:ident($($argument:expr),*)) => {
        for_each_order!(@ $function($($argument),*) 1 2 3 4 5 6 7 8 9 10 11);
        const { assert!(ORDER == 12) };
    };
    (@ $function:ident $arguments:tt $($m:literal)*) => { $( for_each_order!(@@ $function $arguments $m); )* };
    (@@ $function:ident($($argument:expr),*) $m:literal) => { $function::<$m>($($argument),*) };
}

/// Adds the coefficients of order `M`.
#[inline(always)]
fn add_order<const M: usize>(series: &mut Series, e: &mut [f64; ORDER], local: &Local) {
    let Series { x, y, d } = series;
    let n = M - 1;
    x[M] = (local.growth * x[n] - local.shear * y[n] + local.along * d[n]) * RECIPROCAL[M];
    y[M] = (local.turning * x[n] - local.cross * y[n] + local.across * d[n]) * RECIPROCAL[M];
    let mut sum = 0.0;
    for j in 1..M.div_ceil(2) {
        sum += y[j] * y[M - j];
    }
    if M.is_multiple_of(2) {
        sum += 0.5 * (y[M / 2] * y[M / 2]);
    }
    for j in 2..M {
        sum -= d[j] * e[M - j];
    }
    d[M] = sum;
    e[M] = x[M] + 0.5 * d[M];
}

impl Series {
    #[inline(always)]
    pub fn new(local: &Local) -> Self {
        let mut series = Self { x: [0.0; ORDER], y: [0.0; ORDER], d: [0.0; ORDER] };
        // x + d / 2
        let mut e = [0.0; ORDER];
        series.x[0] = 1.0;
        e[0] = 1.0;
        for_each_order!(add_order(&mut series, &mut e, local));
        series
    }

    /// The longest step whose first neglected term stays below `tolerance`.
    ///
    /// The last three coefficients are used, for a single one may be small by chance and allow too
    /// long a step. At the limit of convergence each term is about a quarter of the one before. The
    /// roots need an accuracy of a few per cent only, so they are computed on the exponent.
    #[inline(always)]
    pub fn longest_step(&self, tolerance: f64) -> f64 {
        let mut step = f64::INFINITY;
        const SLACK: [f64; 3] = [4.0, 16.0, 64.0];
        for q in 1..=3 {
            let m = ORDER - q;
            let size = self.x[m].abs() + self.y[m].abs() + self.d[m].abs();
            step = step.min(rough_root(tolerance * SLACK[q - 1] / size.max(f64::MIN_POSITIVE), m as u64));
        }
        step
    }

    /// The integrals of x, y and d from 0 to `s`.
    #[inline(always)]
    pub fn integrals(&self, s: f64) -> [f64; 3] {
        // Even and odd orders are summed separately: two short dependency chains instead of a long
        // one.
        let square = s * s;
        let integral = |c: &[f64; ORDER]| {
            let (mut even, mut odd) = (0.0, 0.0);
            for m in (0..ORDER).rev() {
                let term = c[m] * RECIPROCAL[m + 1];
                if m % 2 == 0 {
                    even = even * square + term;
                } else {
                    odd = odd * square + term;
                }
            }
            s * (even + s * odd)
        };
        [integral(&self.x), integral(&self.y), integral(&self.d)]
    }

    /// The sliding speed at `s`, over its first value.
    #[inline(always)]
    pub fn speed(&self, s: f64) -> f64 {
        (0..ORDER).rev().fold(0.0, |sum, m| sum * s + (self.x[m] + self.d[m]))
    }

    /// `u_z` along the step.
    #[inline(always)]
    pub fn normal_velocity(&self, problem: &Scaled, local: &Local, uz: f64) -> Polynomial {
        let mut z = [0.0; ORDER + 1];
        z[0] = uz;
        let across = problem.friction * local.across;
        for m in 0..ORDER {
            let rate = local.slope * self.x[m] - across * self.y[m] + problem.kz * self.d[m];
            z[m + 1] = local.speed * rate * RECIPROCAL[m + 1];
        }
        z
    }
}

/// `x^(1/n)` to a few per cent, for positive normal `x`: the bits of a double are nearly its
/// logarithm.
#[inline]
fn rough_root(x: f64, n: u64) -> f64 {
    const ONE: i64 = 1.0f64.to_bits() as i64;
    f64::from_bits(((x.to_bits() as i64 - ONE) / n as i64 + ONE) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rough_roots_are_right_to_a_few_per_cent() {
        for (x, n) in [(1e-8, 11), (3.0, 9), (1e300, 10), (1e-300, 10), (1.0, 11)] {
            let exact = f64::powf(x, 1.0 / n as f64);
            assert!((rough_root(x, n) / exact - 1.0).abs() < 0.07, "{x}^(1/{n})");
        }
    }
}
