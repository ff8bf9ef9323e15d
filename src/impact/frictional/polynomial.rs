//! Polynomials of a fixed order: their values, derivatives and roots.

/// Number of coefficients of each series: orders 0 to `ORDER - 1`.
///
/// Fewer need more steps at the default tolerance; more cost more than the saved steps.
pub(super) const ORDER: usize = 12;

/// A polynomial in `s`, lowest order first.
pub(super) type Polynomial = [f64; ORDER + 1];

/// The value of a polynomial.
///
/// Even and odd orders are summed separately: two short dependency chains instead of a long one.
#[inline(always)]
pub(super) fn value(coefficients: &[f64; ORDER + 1], s: f64) -> f64 {
    let square = s * s;
    let (mut even, mut odd) = (coefficients[ORDER], 0.0);
    for m in (0..ORDER).rev() {
        if m % 2 == 0 {
            even = even * square + coefficients[m];
        } else {
            odd = odd * square + coefficients[m];
        }
    }
    even + s * odd
}

/// The value and the derivative of a polynomial.
#[inline(always)]
pub(super) fn value_and_derivative(coefficients: &[f64; ORDER + 1], s: f64) -> (f64, f64) {
    let square = s * s;
    let (mut even, mut odd) = (coefficients[ORDER], 0.0);
    let (mut even_slope, mut odd_slope) = (0.0, 0.0);
    for m in (0..ORDER).rev() {
        if m % 2 == 0 {
            even_slope = even_slope * square + even;
            even = even * square + coefficients[m];
        } else {
            odd_slope = odd_slope * square + odd;
            odd = odd * square + coefficients[m];
        }
    }
    // d/ds (E(s^2) + s O(s^2)) = 2 s E' + O + 2 s^2 O'.
    (even + s * odd, odd + 2.0 * s * (even_slope + s * odd_slope))
}

/// The root of a function between two points, negative at the first and positive at the last if it
/// is `rising`, the other way round if not: Newton's method from `guess`, kept inside the bracket
/// by bisection. The function gives its value and its derivative.
#[inline(always)]
pub(super) fn root_between(
    function: impl Fn(f64) -> (f64, f64),
    rising: bool,
    mut low: f64,
    mut high: f64,
    guess: f64,
) -> f64 {
    let ends = (low, high);
    let mut x = if guess > low && guess < high { guess } else { 0.5 * (low + high) };
    // Bisection alone would need 60 iterations for a double; Newton ends after three or four.
    for _ in 0..64 {
        let (y, slope) = function(x);
        if (y < 0.0) == rising {
            low = x;
        } else {
            high = x;
        }
        let newton = x - y / slope;
        let margin = (x - ends.0).min(ends.1 - x);
        if (newton - x).abs() <= ROOT_STEP * margin && newton >= low && newton <= high {
            return newton;
        }
        x = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
    }
    x
}

/// A Newton step below this fraction of the distance to the nearer end of the bracket is the last:
/// the next would be its square, below rounding. Not a fraction of the bracket, for an impact may
/// end in a small part of a step, where the work grows as a square.
const ROOT_STEP: f64 = 1e-8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_found_even_where_newton_alone_would_leave() {
        // x^3 - 2x + 2 makes Newton alternate between 0 and 1.
        let mut cubic = [0.0; ORDER + 1];
        (cubic[0], cubic[1], cubic[3]) = (2.0, -2.0, 1.0);
        let root = root_between(|x| value_and_derivative(&cubic, x), true, -3.0, 1.0, 0.0);
        assert!((root + 1.769_292_354_238_631_4).abs() < 1e-14);
    }

    #[test]
    fn value_and_derivative_agree_with_the_sum_of_powers() {
        let coefficients: Polynomial = std::array::from_fn(|m| 1.0 / (1.0 + m as f64) - 0.3);
        let s = -0.7;
        let sum: f64 = coefficients.iter().enumerate().map(|(m, c)| c * f64::powi(s, m as i32)).sum();
        let slope: f64 =
            coefficients.iter().enumerate().skip(1).map(|(m, c)| m as f64 * c * f64::powi(s, m as i32 - 1)).sum();
        let (value_there, slope_there) = value_and_derivative(&coefficients, s);
        assert!((value_there - sum).abs() < 1e-15 && (slope_there - slope).abs() < 1e-14);
        assert!((value(&coefficients, s) - sum).abs() < 1e-15);
    }
}
