//! Where helpers from a pool come in to work that one thread leads.
//!
//! A helper is a job in the pool. If the pool is busy it comes late or never, and the work goes on without. The leader never
//! enters the pool itself, so nothing else that waits there can hold it up; and it waits only for helpers that are at work.
//! A helper that has come stays from one piece of work to the next while the step lasts: to be called takes a tenth of a
//! millisecond, as long as some stages.

use super::wait;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Offers of its core after which a helper without work leaves a step: a millisecond or more.
const OFFERS_TO_A_STEP: u32 = 4096;

/// Spins for which it waits for the next step where there is none: some 50 microseconds.
const LINGERS: u32 = 1024;

/// Where helpers come in.
#[derive(Default)]
pub(super) struct Gate(OnceLock<Arc<Inner>>);

#[derive(Default)]
struct Inner {
    /// The work at hand, or null.
    work: AtomicPtr<()>,
    /// Counts the works, and the steps that begin or end.
    turn: AtomicU32,
    /// Helpers at work.
    inside: AtomicUsize,
    /// Helpers that were called and have not left.
    present: AtomicUsize,
    /// Whether helpers without work wait for more.
    open: AtomicBool,
}

/// What helpers are to do, each with a number from 1 on.
struct Work<'a> {
    help: &'a (dyn Fn(u32) + Sync),
    helpers: u32,
    joined: AtomicU32,
    failed: AtomicBool,
}

/// Takes the work away and waits for those inside, also when the leader panics.
struct Closing<'a>(&'a Inner);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.work.store(null_mut(), Ordering::SeqCst);
        let (mut spins, mut offers) = (0, 0);
        while self.0.inside.load(Ordering::SeqCst) > 0 {
            wait(&mut spins, &mut offers);
        }
    }
}

impl Gate {
    /// Lets helpers that are without work wait for more from now on, or sends them away.
    pub fn open(&self, open: bool) {
        if let Some(inner) = self.0.get() {
            inner.open.store(open, Ordering::Relaxed);
            inner.turn.fetch_add(1, Ordering::Release);
        }
    }

    /// Calls helpers until there are so many. No more are called than may still come, so a busy pool does not fill with calls.
    pub fn call(&self, helpers: usize, pool: Option<&rayon::ThreadPool>) {
        let inner = self.inner();
        while inner.present.load(Ordering::Relaxed) < helpers {
            inner.present.fetch_add(1, Ordering::Relaxed);
            let inner = Arc::clone(inner);
            match pool {
                Some(pool) => pool.spawn(move || inner.stay()),
                None => rayon::spawn(move || inner.stay()),
            }
        }
    }

    /// Made when it is needed: who works alone allocates nothing.
    fn inner(&self) -> &Arc<Inner> {
        self.0.get_or_init(Arc::default)
    }

    /// Calls `lead` on this thread, and `help` on those of up to `helpers` others that come before it is through.
    ///
    /// # Panics
    /// If a helper panicked.
    pub fn lead(&self, helpers: usize, help: &(dyn Fn(u32) + Sync), lead: impl FnOnce()) {
        let inner = self.inner();
        let helpers = helpers as u32;
        let work = Work { help, helpers, joined: AtomicU32::new(0), failed: AtomicBool::new(false) };
        inner.work.store(std::ptr::from_ref(&work).cast_mut().cast(), Ordering::SeqCst);
        inner.turn.fetch_add(1, Ordering::Release);
        let closing = Closing(inner);
        lead();
        drop(closing);
        assert!(!work.failed.load(Ordering::Relaxed), "a helper panicked");
    }
}

impl Inner {
    /// A helper comes in, and stays while there is work or may be soon.
    fn stay(&self) {
        let (mut seen, mut spins, mut offers) = (None, 0, 0);
        loop {
            let turn = Some(self.turn.load(Ordering::Acquire));
            if turn != seen {
                (seen, spins, offers) = (turn, 0, 0);
                self.help();
            }
            let is_done = if self.open.load(Ordering::Relaxed) { offers >= OFFERS_TO_A_STEP } else { spins >= LINGERS };
            if is_done {
                break;
            }
            wait(&mut spins, &mut offers);
        }
        self.present.fetch_sub(1, Ordering::Relaxed);
    }

    /// Helps with the work at hand, if there still is some.
    fn help(&self) {
        self.inside.fetch_add(1, Ordering::SeqCst);
        let work = self.work.load(Ordering::SeqCst).cast::<Work>();
        if !work.is_null() {
            // SAFETY: the leader put the work there, and before it goes away takes it down and waits until nobody is
            // inside. We went in before we looked, so either it sees us, or we see that it is gone.
            let work = unsafe { &*work };
            let me = work.joined.fetch_add(1, Ordering::Relaxed) + 1;
            if me <= work.helpers && catch_unwind(AssertUnwindSafe(|| (work.help)(me))).is_err() {
                work.failed.store(true, Ordering::Relaxed);
            }
        }
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }
}
