//! The gate through which helpers come into work that one thread leads (`src/parallel/gate.rs`), and the scheduler of
//! the solver's phases (`src/solver/phase_scheduler.rs`), in every order in which their threads may run and their
//! memory may be seen: `cargo test -p dolmen-loom --release`.

#[cfg(test)]
#[path = "../../../src/parallel/gate.rs"]
#[allow(missing_docs, unreachable_pub)]
mod gate;

#[cfg(test)]
mod parallel;
#[cfg(test)]
mod solver;

/// The scalar.
#[cfg(test)]
mod math {
    pub(crate) type Real = f32;
}

/// Atomics and threads of the model.
#[cfg(test)]
mod sync {
    pub(super) use loom::sync::Arc;
    pub(super) use loom::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering, fence};

    /// Each job is a thread.
    pub(super) struct ThreadPool;

    pub(super) fn spawn(_: Option<&ThreadPool>, job: impl FnOnce() + 'static) {
        loom::thread::spawn(job);
    }
}

/// Waiting: the others run, and a helper's patience ends at once, since each turn of waiting is one
/// more branch of the model.
#[cfg(test)]
mod wait {
    pub(super) fn wait(spins: &mut u32, yields: &mut u32) {
        *spins = u32::MAX;
        *yields = u32::MAX;
        loom::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::gate::Gate;
    use loom::cell::UnsafeCell;
    use loom::sync::atomic::{AtomicU32, Ordering};
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// A place of the leader's stack, which helpers write.
    struct Place(UnsafeCell<u32>);

    // SAFETY: each place is written by the thread that claimed it; the model checks that.
    unsafe impl Sync for Place {}

    impl Place {
        fn write(&self, value: u32) {
            // SAFETY: as above.
            self.0.with_mut(|place| unsafe { *place += value });
        }

        fn read(&self) -> u32 {
            // SAFETY: as above.
            self.0.with(|place| unsafe { *place })
        }
    }

    /// Adds 1 to each of two places, shared among all who come.
    fn share(gate: &Gate, helpers: usize) {
        let places = [(); 2].map(|()| Place(UnsafeCell::new(0)));
        let taken = AtomicU32::new(0);
        let work = || {
            while let Some(place) = places.get(taken.fetch_add(1, Ordering::Relaxed) as usize) {
                place.write(1);
            }
        };
        let help = |me: u32| {
            assert!((1..=helpers as u32).contains(&me));
            work();
        };
        gate.lead(helpers, &help, work);
        // The leader reads what helpers wrote: they are gone.
        assert_eq!(places.map(|place| place.read()), [1; 2]);
    }

    #[test]
    fn every_place_is_written_once_and_helpers_are_gone_when_the_work_ends() {
        loom::model(|| {
            let gate = Gate::default();
            gate.call(1, None);
            share(&gate, 1);
        });
    }

    #[test]
    fn two_helpers_share_with_the_leader() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(1);
        model.check(|| {
            let gate = Gate::default();
            gate.call(2, None);
            share(&gate, 2);
        });
    }

    #[test]
    fn a_step_opens_works_and_closes() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let gate = Gate::default();
            gate.call(1, None);
            gate.open(true);
            share(&gate, 1);
            gate.call(1, None);
            share(&gate, 1);
            gate.open(false);
        });
    }

    #[test]
    fn the_leaders_panic_waits_for_the_helpers() {
        loom::model(|| {
            let gate = Gate::default();
            gate.call(1, None);
            let place = Place(UnsafeCell::new(0));
            let lead =
                AssertUnwindSafe(|| gate.lead(1, &|_| place.write(1), || std::panic::resume_unwind(Box::new(()))));
            assert!(catch_unwind(lead).is_err());
            assert!(place.read() < 2);
        });
    }
}
