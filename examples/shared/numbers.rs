//! Arguments that are numbers.

use super::Arguments;
use std::str::FromStr;

impl Arguments {
    /// The value of `option` as a number of at least `least`.
    pub fn number<T: FromStr + PartialOrd + std::fmt::Display>(&mut self, option: &str, least: T) -> Result<T, String> {
        let value = self.value(option)?;
        match value.parse() {
            Ok(number) if number >= least => Ok(number),
            _ => Err(format!("{option} must be a whole number of at least {least}, got {value:?}")),
        }
    }
}
