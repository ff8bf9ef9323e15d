//! What the examples have in common: their arguments, and a line of progress on a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// The arguments of a command line, taken one by one.
pub struct Arguments {
    rest: std::vec::IntoIter<String>,
}

impl Arguments {
    /// Those of this process.
    pub fn new() -> Self {
        Self { rest: std::env::args().skip(1).collect::<Vec<_>>().into_iter() }
    }

    /// The next one; `--option=value` counts as two.
    pub fn next(&mut self) -> Option<String> {
        let argument = self.rest.next()?;
        match argument.split_once('=') {
            Some((option, value)) if option.starts_with("--") => {
                let rest: Vec<String> = std::iter::once(value.to_owned()).chain(self.rest.by_ref()).collect();
                self.rest = rest.into_iter();
                Some(option.to_owned())
            }
            _ => Some(argument),
        }
    }

    /// The value of `option`, which was just taken.
    pub fn value(&mut self, option: &str) -> Result<String, String> {
        self.rest.next().ok_or_else(|| format!("{option} needs a value"))
    }

    /// The value of `option` as a number of at least `least`.
    pub fn number<T: FromStr + PartialOrd + std::fmt::Display>(&mut self, option: &str, least: T) -> Result<T, String> {
        let value = self.value(option)?;
        match value.parse() {
            Ok(number) if number >= least => Ok(number),
            _ => Err(format!("{option} must be a whole number of at least {least}, got {value:?}")),
        }
    }
}

/// A line on standard error that tells how far a run is. Silent where that is no terminal.
pub struct Progress {
    title: String,
    shown: bool,
    last: Instant,
}

impl Progress {
    /// How often the line is written.
    const PERIOD: Duration = Duration::from_millis(100);
    const WIDTH: usize = 30;

    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), shown: stderr().is_terminal(), last: Instant::now() }
    }

    /// So many of so many steps are done.
    pub fn show(&mut self, done: u64, all: u64) {
        if !self.shown || (self.last.elapsed() < Self::PERIOD && done != 0) {
            return;
        }
        self.last = Instant::now();
        let filled = (Self::WIDTH as u64 * done / all.max(1)) as usize;
        let bar = format!("{}{}", "#".repeat(filled), ".".repeat(Self::WIDTH - filled));
        // A terminal that has gone away is no reason to stop the run.
        let _ = write!(stderr(), "\r\x1b[K{} [{bar}] {done}/{all}", self.title);
        let _ = stderr().flush();
    }
}

impl Drop for Progress {
    /// Leaves an empty line for what comes next.
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(stderr(), "\r\x1b[K");
            let _ = stderr().flush();
        }
    }
}
