//! Waiting for another thread.

/// Spins before a waiting thread yields its core.
const MAX_SPINS: u32 = 4096;

/// Yields after which a helper without work leaves: the leader is busy with something long.
pub(crate) const MAX_YIELDS: u32 = 256;

/// One iteration of waiting: a spin, or after many a yield.
pub(crate) fn wait(spins: &mut u32, yields: &mut u32) {
    if *spins < MAX_SPINS {
        *spins += 1;
        std::hint::spin_loop();
    } else {
        *yields += 1;
        std::thread::yield_now();
    }
}
