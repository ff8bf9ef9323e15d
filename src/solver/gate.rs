//! Where helpers from rayon's pool come in to a step.
//!
//! A helper is a job in the current pool. If the pool is busy it comes late or never, and the step goes on without. The
//! leader never enters the pool itself, so nothing else that waits there can hold the step up.

use super::team::{CLOSED, Team, wait};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Where helpers from rayon's pool come in.
#[derive(Default)]
pub(super) struct Gate(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// The team at work, or null.
    team: AtomicPtr<()>,
    /// Helpers inside.
    inside: AtomicUsize,
    /// Helpers called that have not come yet.
    called: AtomicUsize,
}

impl Clone for Gate {
    /// A gate of its own: helpers of one solver do not help another.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// Closes the gate and waits for those inside, also when the leader panics.
struct Closing<'a, 'b>(&'a Inner, &'a Team<'b>);

impl Drop for Closing<'_, '_> {
    fn drop(&mut self) {
        self.1.epoch.store(CLOSED, Ordering::Release);
        self.0.team.store(null_mut(), Ordering::SeqCst);
        while self.0.inside.load(Ordering::SeqCst) > 0 {
            std::hint::spin_loop();
        }
    }
}

impl Gate {
    /// Leads the team on this thread and calls for up to `helpers` from the current pool.
    ///
    /// A helper that comes too late finds the gate closed, or another step to help with. No more are called than may
    /// still come, so a busy pool does not fill with calls.
    pub fn lead(&self, team: &Team, helpers: usize) {
        let inner = &*self.0;
        inner.team.store(std::ptr::from_ref(team).cast_mut().cast(), Ordering::SeqCst);
        let _closing = Closing(inner, team);
        while inner.called.load(Ordering::Relaxed) < helpers {
            inner.called.fetch_add(1, Ordering::Relaxed);
            let inner = Arc::clone(&self.0);
            rayon::spawn(move || inner.enter());
        }
        team.lead();
    }
}

impl Inner {
    /// A helper comes in.
    fn enter(&self) {
        self.called.fetch_sub(1, Ordering::Relaxed);
        self.inside.fetch_add(1, Ordering::SeqCst);
        let team = self.team.load(Ordering::SeqCst).cast::<Team>();
        if !team.is_null() {
            // SAFETY: the leader put the team there, and before it goes away takes it down and waits until nobody is
            // inside. We went in before we looked, so either it sees us, or we see that it is gone.
            unsafe { &*team }.help();
        }
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Offers of its core after which a helper leaves for good: the leader is doing something long.
const OFFERS: u32 = 256;

impl Team<'_> {
    /// Helps until the step is over.
    pub fn help(&self) {
        let me = self.joined.fetch_add(1, Ordering::Relaxed);
        if me >= self.crew {
            return;
        }
        let (mut seen, mut spins, mut offers) = (0, 0, 0);
        while offers < OFFERS {
            let epoch = self.epoch.load(Ordering::Acquire);
            if epoch == CLOSED {
                return;
            }
            if epoch != seen {
                (seen, spins, offers) = (epoch, 0, 0);
                let work = std::panic::AssertUnwindSafe(|| self.work(epoch, me));
                if std::panic::catch_unwind(work).is_err() {
                    self.failed.store(true, Ordering::Relaxed);
                    return;
                }
            }
            wait(&mut spins, &mut offers);
        }
    }
}
