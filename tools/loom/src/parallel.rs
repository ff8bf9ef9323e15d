//! The threads of a step, with a model's atomics.

use std::cell::Cell;

/// Atomics of the model.
pub(crate) mod atomic {
    pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};
}

/// Yields after which a helper without work leaves.
pub(crate) const MAX_YIELDS: u32 = 2;

thread_local! {
    /// Yields of a turn of waiting: each turn is one more branch of the model.
    static HASTE: Cell<u32> = const { Cell::new(1) };
}

/// Lets helpers leave after so many turns of waiting: one or two.
pub(crate) fn set_patience(turns: u32) {
    HASTE.set(MAX_YIELDS / turns);
}

/// Waiting: the others run.
pub(crate) fn wait(_: &mut u32, yields: &mut u32) {
    *yields += HASTE.get();
    loom::thread::yield_now();
}

/// The leader and one helper, who is there from the start.
pub(crate) struct WorkerPool;

impl WorkerPool {
    pub(crate) fn run_with(&self, threads: usize, help: &(dyn Fn(u32) + Sync), lead: impl FnOnce()) {
        if threads < 2 {
            return lead();
        }
        // SAFETY: the helper is gone before the borrow ends; where the leader panics, so does the model.
        let help: &'static (dyn Fn(u32) + Sync) = unsafe { std::mem::transmute(help) };
        let helper = loom::thread::spawn(move || help(1));
        lead();
        helper.join().expect("the helper did not panic");
    }
}
