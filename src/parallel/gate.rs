//! Entry of pool threads ("helpers") into work that one thread leads.
//!
//! A helper is a job in the pool. If the pool is busy it comes late or never, and the work proceeds
//! without it. The leader never enters the pool, so no other job there can block it, and it waits
//! only for helpers at work. A helper stays from one piece of work to the next while the step
//! lasts: waking one takes a tenth of a millisecond, as long as some stages.

use super::sync::{Arc, AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering, ThreadPool, fence, spawn};
use super::wait::wait;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::OnceLock;

/// Yields after which a helper without work leaves a step: a millisecond or more.
const MAX_YIELDS_IN_STEP: u32 = 4096;

/// Spins of a helper between steps before it leaves: some 50 microseconds.
const MAX_SPINS_BETWEEN_STEPS: u32 = 1024;

/// Entry gate of the helpers.
#[derive(Default)]
pub(super) struct Gate(OnceLock<Arc<Inner>>);

#[derive(Default)]
struct Inner {
    /// The current work, or null.
    work: AtomicPtr<()>,
    /// Counter of works, and of steps that begin or end.
    epoch: AtomicU32,
    /// Helpers at work.
    inside: AtomicUsize,
    /// Helpers called that have not left.
    present: AtomicUsize,
    /// True if helpers without work wait for more.
    open: AtomicBool,
}

/// Work of the helpers, each with a number from 1.
struct Work<'a> {
    help: &'a (dyn Fn(u32) + Sync),
    helpers: u32,
    joined: AtomicU32,
    failed: AtomicBool,
}

/// Removes the work and waits for the helpers inside, also when the leader panics.
struct RemoveOnDrop<'a>(&'a Inner);

impl Drop for RemoveOnDrop<'_> {
    fn drop(&mut self) {
        self.0.work.store(null_mut(), Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let (mut spins, mut yields) = (0, 0);
        while self.0.inside.load(Ordering::Acquire) > 0 {
            wait(&mut spins, &mut yields);
        }
    }
}

impl Gate {
    /// Opens the gate: helpers without work wait for more. Or closes it: they leave.
    pub fn open(&self, open: bool) {
        if let Some(inner) = self.0.get() {
            inner.open.store(open, Ordering::Relaxed);
            inner.epoch.fetch_add(1, Ordering::Release);
        }
    }

    /// Calls helpers up to this number. Calls not yet answered count, so a busy pool does not fill
    /// with calls.
    pub fn call(&self, helpers: usize, pool: Option<&ThreadPool>) {
        let inner = self.inner();
        while inner.present.load(Ordering::Relaxed) < helpers {
            inner.present.fetch_add(1, Ordering::Relaxed);
            let inner = Arc::clone(inner);
            spawn(pool, move || inner.stay());
        }
    }

    /// Created on first use: a single-threaded user allocates nothing.
    fn inner(&self) -> &Arc<Inner> {
        self.0.get_or_init(Arc::default)
    }

    /// Calls `lead` on this thread, and `help` on up to `helpers` others that come before it ends.
    ///
    /// # Panics
    /// If a helper panicked, once `lead` has ended and all helpers are gone. A panic of `lead` goes on once they are.
    pub fn lead(&self, helpers: usize, help: &(dyn Fn(u32) + Sync), lead: impl FnOnce()) {
        let inner = self.inner();
        let helpers = helpers as u32;
        let work = Work { help, helpers, joined: AtomicU32::new(0), failed: AtomicBool::new(false) };
        inner.work.store(std::ptr::from_ref(&work).cast_mut().cast(), Ordering::Release);
        inner.epoch.fetch_add(1, Ordering::Release);
        let closing = RemoveOnDrop(inner);
        lead();
        drop(closing);
        assert!(!work.failed.load(Ordering::Relaxed), "a helper panicked");
    }
}

impl Inner {
    /// Loop of a helper: stays while there is work or may be soon.
    fn stay(&self) {
        let (mut seen, mut spins, mut yields) = (None, 0, 0);
        loop {
            let epoch = Some(self.epoch.load(Ordering::Acquire));
            if epoch != seen {
                (seen, spins, yields) = (epoch, 0, 0);
                self.help();
            }
            let is_done = if self.open.load(Ordering::Relaxed) {
                yields >= MAX_YIELDS_IN_STEP
            } else {
                spins >= MAX_SPINS_BETWEEN_STEPS
            };
            if is_done {
                break;
            }
            wait(&mut spins, &mut yields);
        }
        self.present.fetch_sub(1, Ordering::Relaxed);
    }

    /// Helps with the current work, if there is any.
    fn help(&self) {
        self.inside.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        let work = self.work.load(Ordering::Acquire).cast::<Work>();
        if !work.is_null() {
            // SAFETY: the leader published the work; before the work is dropped the leader removes
            // it and waits until no helper is inside. This helper entered before it looked, and a
            // fence is between on both sides: either the leader sees it, or it sees that the work
            // is gone.
            let work = unsafe { &*work };
            let me = work.joined.fetch_add(1, Ordering::Relaxed) + 1;
            if me <= work.helpers && catch_unwind(AssertUnwindSafe(|| (work.help)(me))).is_err() {
                work.failed.store(true, Ordering::Relaxed);
            }
        }
        self.inside.fetch_sub(1, Ordering::Release);
    }
}
