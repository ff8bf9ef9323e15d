//! The clock of reports. No result depends on it.

use std::time::Duration;

/// A function that returns the time since some fixed moment: the platform's, unless the game gave
/// one.
#[derive(Clone, Copy)]
pub(crate) struct Clock(fn() -> Duration);

impl Clock {
    /// A clock of the game.
    pub fn new(now: fn() -> Duration) -> Self {
        Self(now)
    }

    /// The time now.
    pub fn now(self) -> Duration {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self(platform)
    }
}

/// Time since the first call.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn platform() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// WebAssembly alone has no clock: what it would measure takes no time.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn platform() -> Duration {
    Duration::ZERO
}
