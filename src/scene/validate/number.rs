//! Validation of numbers, vectors and quaternions.

use crate::math::Real;
use crate::scene::error::SceneError;
use crate::scene::format::{Quaternion, Row};
use std::fmt;

/// The rule for a number.
#[derive(Clone, Copy)]
pub(super) enum Must {
    BeFinite,
    BePositive,
    NotBeNegative,
    NotBeZero,
}

/// Checks a number as given and as rounded to the engine's scalar.
pub(super) fn number(path: &str, value: f64, must: Must) -> Result<(), SceneError> {
    let held = f64::from(value as Real);
    let (rule, holds): (_, fn(f64) -> bool) = match must {
        Must::BeFinite => ("finite", |_| true),
        Must::BePositive => ("positive", |x| x > 0.0),
        Must::NotBeNegative => ("at least 0", |x| x >= 0.0),
        Must::NotBeZero => ("other than 0", |x| x != 0.0),
    };
    if holds(held) && held.is_finite() {
        return Ok(());
    }
    let got = Shown(value);
    // A value that satisfies the rule as given is out of the scalar's range.
    let problem = if !value.is_finite() {
        format!("must be finite, got {got}")
    } else if !held.is_finite() {
        format!("must be finite in {}, got {got}", crate::scene::SCALAR)
    } else if holds(value) {
        format!("must be {rule} in {}, got {got}", crate::scene::SCALAR)
    } else {
        format!("must be {rule}, got {got}")
    };
    Err(SceneError::new(path, problem))
}

/// Checks every entry of a vector.
pub(super) fn vector<const N: usize>(path: &str, values: &Row<f64, N>, must: Must) -> Result<(), SceneError> {
    values
        .iter()
        .enumerate()
        .try_for_each(|(i, &value)| number(&format!("[{i}]"), value, must).map_err(|e| e.within(path)))
}

/// Checks a vector that is a direction.
pub(super) fn direction<const N: usize>(path: &str, values: &Row<f64, N>) -> Result<(), SceneError> {
    vector(path, values, Must::BeFinite)?;
    if values.iter().all(|&x| x == 0.0) {
        return Err(SceneError::new(path, "must not be zero: it has no direction"));
    }
    Ok(())
}

/// Checks a quaternion that is a rotation.
pub(super) fn rotation(path: &str, quaternion: &Quaternion) -> Result<(), SceneError> {
    vector(path, quaternion, Must::BeFinite)?;
    if quaternion.iter().all(|&x| x == 0.0) {
        return Err(SceneError::new(path, "must not be the zero quaternion: it is no rotation"));
    }
    Ok(())
}

/// Checks two numbers, the first at most the second.
pub(super) fn ordered(path: &str, pair: &Row<f64, 2>, must: Must) -> Result<(), SceneError> {
    vector(path, pair, must)?;
    let [least, most] = pair.0;
    if least > most {
        let problem = format!("the least must come first, got [{}, {}]", Shown(least), Shown(most));
        return Err(SceneError::new(path, problem));
    }
    Ok(())
}

/// Checks every entry of a vector against a range, rounded to the engine's scalar.
pub(super) fn between<const N: usize>(
    path: &str,
    values: &Row<f64, N>,
    [least, greatest]: [Real; 2],
) -> Result<(), SceneError> {
    vector(path, values, Must::BeFinite)?;
    match values.iter().position(|&x| !(least..=greatest).contains(&(x as Real))) {
        Some(i) => {
            let problem = format!("must be {least} to {greatest}, got {}", Shown(values[i]));
            Err(SceneError::new(format!("{path}[{i}]"), problem))
        }
        None => Ok(()),
    }
}

/// A number in its shortest form.
pub(super) struct Shown(pub(super) f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.0.abs();
        if size != 0.0 && size.is_finite() && !(1e-5..1e16).contains(&size) {
            write!(f, "{:e}", self.0)
        } else {
            write!(f, "{}", self.0)
        }
    }
}
