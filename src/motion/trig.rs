//! Deterministic sine and cosine from additions and multiplications.
//!
//! The standard library's functions differ in their last bits between platforms and prevent
//! vectorisation. These give the same bits everywhere and have no branches.

use crate::math::Real;

#[cfg(not(feature = "f64"))]
mod constants {
    /// Adding and subtracting 1.5 * 2^23 rounds to an integer, which is in the low bits in between.
    pub const ROUND: f32 = 12_582_912.0;
    /// Half of pi in three parts; the first two are short, so that their products with a quadrant's
    /// number are exact.
    pub const HALF_PI: [f32; 3] = [1.570_312_5, 4.837_513e-4, 7.549_79e-8];
    /// Minimax coefficients on [-pi/4, pi/4] (Moshier, Cephes, `sinf.c`), from the highest.
    pub const SIN: [f32; 3] = [-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1];
    pub const COS: [f32; 3] = [2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2];
    pub const SIGN_SHIFT: u32 = 30;
}
#[cfg(feature = "f64")]
mod constants {
    /// Adding and subtracting 1.5 * 2^52 rounds to an integer, which is in the low bits in between.
    pub const ROUND: f64 = 6_755_399_441_055_744.0;
    /// Half of pi in three parts; the first two are short, so that their products with a quadrant's
    /// number are exact.
    pub const HALF_PI: [f64; 3] = [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];
    /// Minimax coefficients on [-pi/4, pi/4] (Sun, fdlibm, `k_sin.c` and `k_cos.c`), from the
    /// highest.
    pub const SIN: [f64; 6] = [
        1.589_690_995_211_55e-10,
        -2.505_076_025_340_686_3e-8,
        2.755_731_370_707_006_8e-6,
        -1.984_126_982_985_795e-4,
        8.333_333_333_322_49e-3,
        -1.666_666_666_666_663_2e-1,
    ];
    pub const COS: [f64; 6] = [
        -1.135_964_755_778_819_5e-11,
        2.087_572_321_298_175e-9,
        -2.755_731_435_139_066_3e-7,
        2.480_158_728_947_673e-5,
        -1.388_888_888_887_411e-3,
        4.166_666_666_666_66e-2,
    ];
    pub const SIGN_SHIFT: u32 = 62;
}
use constants::*;

/// Clamp of rotation angles (rad), a thousand turns in a step. Larger: the range reduction of sine
/// and cosine loses its accuracy in single precision.
const MAX_ANGLE: Real = 8192.0;

#[inline(always)]
fn polynomial<const N: usize>(z: Real, coefficients: &[Real; N]) -> Real {
    let mut sum = coefficients[0];
    for c in &coefficients[1..] {
        sum = sum * z + c;
    }
    sum
}

/// Up to this angle (rad, below a quarter of pi) [`small_sin_cos`] and [`sin_cos`] are the same to
/// the last bit.
pub(crate) const SMALL: Real = 0.75;

/// Sine over angle and cosine, from the square of an angle of at most a quarter of pi.
#[inline(always)]
pub(crate) fn small_sinc_cos(z: Real) -> (Real, Real) {
    (1.0 + z * polynomial(z, &SIN), 1.0 - (0.5 * z - z * z * polynomial(z, &COS)))
}

/// [`sin_cos`] of an angle of at most [`SMALL`].
#[inline(always)]
pub(crate) fn small_sin_cos(x: Real) -> (Real, Real) {
    let z = x * x;
    (x + x * (z * polynomial(z, &SIN)), 1.0 - (0.5 * z - z * z * polynomial(z, &COS)))
}

/// Sine and cosine of `x` radians, to about one unit in the last place. Angles are clamped to
/// `MAX_ANGLE`.
#[inline(always)]
pub(crate) fn sin_cos(x: Real) -> (Real, Real) {
    let x = if x > MAX_ANGLE { MAX_ANGLE } else { x };
    let x = if x < -MAX_ANGLE { -MAX_ANGLE } else { x };
    let shifted = x * crate::math::consts::FRAC_2_PI + ROUND;
    let quadrant = shifted.to_bits();
    let k = shifted - ROUND;
    let r = ((x - k * HALF_PI[0]) - k * HALF_PI[1]) - k * HALF_PI[2];
    let (sin, cos) = small_sin_cos(r);
    let odd = quadrant & 1 != 0;
    let (s, c) = (if odd { cos } else { sin }, if odd { sin } else { cos });
    let s_sign = (quadrant & 2) << SIGN_SHIFT;
    let c_sign = (quadrant.wrapping_add(1) & 2) << SIGN_SHIFT;
    (Real::from_bits(s.to_bits() ^ s_sign), Real::from_bits(c.to_bits() ^ c_sign))
}

/// Sine over angle and cosine of an angle, from its square.
#[inline(always)]
pub(crate) fn sinc_cos(z: Real) -> (Real, Real) {
    let x = z.sqrt();
    let (sin, cos) = sin_cos(x);
    let (near, far) = (small_sinc_cos(z), (sin / x, cos));
    let small = z <= SMALL * SMALL;
    (if small { near.0 } else { far.0 }, if small { near.1 } else { far.1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_are_right_to_two_units_in_the_last_place() {
        let n = 200_000;
        for i in -n..=n {
            // Dense around zero, up to about sixty turns.
            let x = (f64::from(i) / f64::from(n)).powi(3) as Real * 400.0;
            let (sin, cos) = sin_cos(x);
            let (s, c) = f64::from(x).sin_cos();
            let error = (f64::from(sin) - s).abs().max((f64::from(cos) - c).abs());
            assert!(error <= 2.0 * f64::from(Real::EPSILON) * 0.5, "{x}: {error:.2e}");
        }
    }

    #[test]
    fn small_angles_keep_their_relative_accuracy() {
        for exponent in 1..30 {
            let x = (0.7 as Real).powi(exponent);
            let sin = f64::from(sin_cos(x).0);
            assert!((sin / f64::from(x).sin() - 1.0).abs() <= 1.5 * f64::from(Real::EPSILON), "{x}");
        }
    }

    #[test]
    fn the_short_forms_are_the_same_bits() {
        for i in -1000..=1000 {
            let x = SMALL * i as Real / 1000.0;
            assert_eq!(sin_cos(x), small_sin_cos(x));
            assert_eq!(sinc_cos(x * x), small_sinc_cos(x * x));
            let (sinc, cos) = sinc_cos((4.0 * x + 4.0).powi(2));
            let (sin, c) = sin_cos(4.0 * x + 4.0);
            assert!((sinc * (4.0 * x + 4.0) - sin).abs() < 1e-6 && (cos - c).abs() < 1e-6);
        }
    }

    #[test]
    fn any_angle_gives_a_point_of_the_circle() {
        for x in [1e3, -8e3, 1e9, -1e30, Real::MAX] {
            let (sin, cos) = sin_cos(x);
            assert!((sin * sin + cos * cos - 1.0).abs() < 4.0 * Real::EPSILON, "{x}");
        }
        assert!(sin_cos(Real::NAN).0.is_nan());
    }
}
