//! A line of progress on a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// A progress bar on standard error; silent if that is not a terminal.
pub struct Progress {
    title: String,
    shown: bool,
    last: Instant,
}

impl Progress {
    /// Least time between updates.
    const PERIOD: Duration = Duration::from_millis(100);
    const WIDTH: usize = 30;

    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), shown: stderr().is_terminal(), last: Instant::now() }
    }

    /// Shows the progress.
    pub fn show(&mut self, done: u64, all: u64) {
        if !self.shown || (self.last.elapsed() < Self::PERIOD && done != 0) {
            return;
        }
        self.last = Instant::now();
        let filled = (Self::WIDTH as u64 * done / all.max(1)) as usize;
        let bar = format!("{}{}", "#".repeat(filled), ".".repeat(Self::WIDTH - filled));
        // Errors of the terminal do not stop the run.
        let _ = write!(stderr(), "\r\x1b[K{} [{bar}] {done}/{all}", self.title);
        let _ = stderr().flush();
    }
}

impl Drop for Progress {
    /// Clears the line.
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(stderr(), "\r\x1b[K");
            let _ = stderr().flush();
        }
    }
}
