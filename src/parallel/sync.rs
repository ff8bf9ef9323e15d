//! What the gate is made of: atomics, and jobs of a pool. `tools/loom` has the same names with a
//! model's, and goes through all orders in which threads may run.

pub(super) use rayon::ThreadPool;
pub(super) use std::sync::Arc;
pub(super) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering, fence};

/// Starts a job in a pool, or in the global one.
pub(super) fn spawn(pool: Option<&ThreadPool>, job: impl FnOnce() + Send + 'static) {
    match pool {
        Some(pool) => pool.spawn(job),
        None => rayon::spawn(job),
    }
}
