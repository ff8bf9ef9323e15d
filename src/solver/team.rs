//! Running a step on several threads, without ever waiting for one that has not come.
//!
//! The caller's thread leads. It publishes one phase after another; whoever is there claims items and works on them. The
//! leader waits only for items that somebody has claimed, so a pool that is busy with other things, or has one thread,
//! costs nothing but the help. Which thread takes an item does not change what comes out: items of a phase share no line
//! that any of them writes, and a bundle is one item.

use super::lanes::Path;
use super::layout::Layout;
use super::run::{Outcome, Shared, Stage};
use crate::math::Real;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// The epoch that tells helpers to leave.
const CLOSED: u32 = u32::MAX;
/// The phase lists of [`Roster`]: the four phases of large islands, all their items, and the bundles.
const ALL: usize = 4;
const BUNDLES: usize = 5;
/// Spins before a waiting thread offers its core to others.
const SPINS: u32 = 4096;
/// Offers after which a helper leaves for good: the leader is doing something long.
const OFFERS: u32 = 256;

/// An item and its group.
#[derive(Clone, Copy, Debug)]
struct Entry {
    item: u32,
    group: u32,
}

/// What there is to do in a step, and the marks that workers leave on it. Keeps its buffers.
#[derive(Default)]
pub(super) struct Roster {
    lists: [Vec<Entry>; 6],
    /// The most substeps of a large island.
    substeps: u32,
    /// By item: the epoch it was last claimed in; the greatest change it made in the last substep, as bits of f64.
    claims: Vec<AtomicU32>,
    changes: Vec<AtomicU64>,
    /// By group: the substeps it took, 0 while it runs.
    halted: Vec<AtomicU32>,
}

impl Clone for Roster {
    /// Nothing in it outlives a step.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Roster {
    /// Fits the roster to a layout.
    pub fn enrol(&mut self, layout: &Layout) {
        for list in &mut self.lists {
            list.clear();
        }
        self.substeps = 0;
        for (g, group) in layout.groups.iter().enumerate() {
            let entry = |item: usize| Entry { item: item as u32, group: g as u32 };
            if !group.is_large() {
                self.lists[BUNDLES].extend(group.items().map(entry));
                continue;
            }
            self.substeps = self.substeps.max(group.plan.substeps);
            for (list, phase) in self.lists.iter_mut().zip(&group.phases) {
                list.extend(phase.clone().map(entry));
            }
            self.lists[ALL].extend(group.items().map(entry));
        }
        self.claims.resize_with(layout.items.len(), AtomicU32::default);
        self.changes.resize_with(layout.items.len(), AtomicU64::default);
        self.halted.resize_with(layout.groups.len(), AtomicU32::default);
    }

    /// Wipes the marks of the last step.
    fn wipe(&mut self) {
        for claim in &mut self.claims {
            *claim.get_mut() = 0;
        }
        for halted in &mut self.halted {
            *halted.get_mut() = 0;
        }
    }

    /// Units of work that threads can share: the most items of a phase.
    pub fn breadth(&self) -> usize {
        self.lists.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// What the last step came to, by group.
    pub fn outcomes(&self, layout: &Layout, out: &mut Vec<Outcome>) {
        out.clear();
        out.extend(layout.groups.iter().zip(&self.halted).map(|(group, halted)| Outcome {
            substeps: halted.load(Ordering::Relaxed),
            residual: self.change(group.items()),
        }));
    }

    /// The greatest change that these items made in the last substep.
    fn change(&self, items: std::ops::Range<usize>) -> Real {
        let changes = self.changes[items].iter();
        changes.map(|bits| f64::from_bits(bits.load(Ordering::Relaxed)) as Real).fold(0.0, Real::max)
    }
}

/// What an epoch stands for.
#[derive(Clone, Copy, Debug)]
enum Work {
    Prepare,
    Solve { first: bool },
    Relax,
    Drift,
    Close,
    Bundle,
}

/// One step under way.
pub(super) struct Team<'a> {
    shared: &'a Shared<'a>,
    path: Path,
    roster: &'a Roster,
    crew: u32,
    /// The phase under way, counted from 1.
    epoch: AtomicU32,
    /// Items of the phase that are done.
    done: AtomicU32,
    joined: AtomicU32,
    failed: AtomicBool,
}

/// Counts an item as done, also when its work panics.
struct Done<'a>(&'a AtomicU32);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

impl<'a> Team<'a> {
    /// A team of up to `crew` threads, the leader among them.
    pub fn new(shared: &'a Shared<'a>, path: Path, roster: &'a mut Roster, crew: usize) -> Self {
        roster.wipe();
        Self {
            shared,
            path,
            roster,
            crew: crew as u32,
            epoch: AtomicU32::new(0),
            done: AtomicU32::new(0),
            joined: AtomicU32::new(1),
            failed: AtomicBool::new(false),
        }
    }

    /// Leads the step from beginning to end on this thread.
    pub fn lead(&self) {
        let roster = self.roster;
        for phase in 0..4 {
            self.publish(phase + 1);
        }
        for substep in 0..roster.substeps {
            for pass in 0..8 {
                self.publish(5 + 8 * substep + pass);
            }
            if self.halt(substep + 1) {
                break;
            }
        }
        let end = 5 + 8 * roster.substeps;
        for last in 0..3 {
            self.publish(end + last);
        }
        self.epoch.store(CLOSED, Ordering::Release);
        assert!(!self.failed.load(Ordering::Relaxed), "a helper of the solver panicked");
    }

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

    /// Opens a phase, works on it, and waits for those who claimed the rest.
    fn publish(&self, epoch: u32) {
        let (_, list) = self.decode(epoch);
        let items = self.roster.lists[list].len() as u32;
        if items == 0 {
            return;
        }
        self.done.store(0, Ordering::Relaxed);
        self.epoch.store(epoch, Ordering::Release);
        self.work(epoch, 0);
        let (mut spins, mut offers) = (0, 0);
        while self.done.load(Ordering::Acquire) < items {
            wait(&mut spins, &mut offers);
        }
    }

    /// What an epoch stands for, and the list it works on.
    fn decode(&self, epoch: u32) -> (Work, usize) {
        let end = 5 + 8 * self.roster.substeps;
        match epoch {
            1..5 => (Work::Prepare, epoch as usize - 1),
            _ if epoch == end => (Work::Drift, ALL),
            _ if epoch == end + 1 => (Work::Close, ALL),
            _ if epoch > end => (Work::Bundle, BUNDLES),
            _ => {
                let (substep, pass) = ((epoch - 5) / 8, (epoch as usize - 5) % 8);
                (if pass < 4 { Work::Solve { first: substep == 0 } } else { Work::Relax }, pass % 4)
            }
        }
    }

    /// Claims items of a phase and works on them until none is left. Each worker begins at its own place, so that it
    /// meets the same items phase after phase.
    fn work(&self, epoch: u32, me: u32) {
        let (work, list) = self.decode(epoch);
        let list = &self.roster.lists[list];
        let first = list.len() * me as usize / self.crew as usize;
        for entry in list[first..].iter().chain(&list[..first]) {
            let claim = &self.roster.claims[entry.item as usize];
            let seen = claim.load(Ordering::Relaxed);
            if seen >= epoch || claim.compare_exchange(seen, epoch, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                continue;
            }
            let _done = Done(&self.done);
            // SAFETY: the claim is ours alone, and it can only be had while this phase is open: the leader opens the
            // next one when every item of this one is done.
            unsafe { self.run(*entry, work) };
        }
    }

    /// Works on one item.
    ///
    /// # Safety
    /// The item must be claimed in the phase under way.
    unsafe fn run(&self, entry: Entry, work: Work) {
        let (item, g) = (entry.item as usize, entry.group as usize);
        let plan = self.shared.layout.groups[g].plan;
        let halted = self.roster.halted[g].load(Ordering::Relaxed);
        let change = &self.roster.changes[item];
        let stage = match work {
            Work::Prepare => Stage::Prepare,
            Work::Solve { .. } | Work::Relax if halted > 0 => return,
            Work::Solve { first } => Stage::Solve(first),
            Work::Relax => Stage::Relax,
            Work::Drift if halted == plan.substeps => return,
            Work::Drift => Stage::Drift((plan.substeps - halted) as Real * self.shared.dt / plan.substeps as Real),
            Work::Close => Stage::Close,
            Work::Bundle => {
                // SAFETY: a bundle is one item, and it is claimed.
                let outcome = unsafe { self.shared.bundle(self.path, g) };
                self.roster.halted[g].store(outcome.substeps, Ordering::Relaxed);
                change.store(f64::from(outcome.residual).to_bits(), Ordering::Relaxed);
                return;
            }
        };
        // SAFETY: the item is claimed, and earlier phases are over.
        let made = f64::from(unsafe { self.shared.stage(self.path, item, plan, stage) });
        match work {
            Work::Solve { .. } => change.store(made.to_bits(), Ordering::Relaxed),
            Work::Relax => {
                let most = made.max(f64::from_bits(change.load(Ordering::Relaxed)));
                change.store(most.to_bits(), Ordering::Relaxed);
            }
            _ => {}
        }
    }

    /// Halts the large islands that have had their substeps or do not change any more; whether all have halted.
    fn halt(&self, substeps: u32) -> bool {
        let mut all = true;
        for (group, halted) in self.shared.layout.groups.iter().zip(&self.roster.halted) {
            if !group.is_large() || halted.load(Ordering::Relaxed) > 0 {
                continue;
            }
            let steady = substeps > 1 && self.roster.change(group.items()) < self.shared.stop;
            if steady || substeps == group.plan.substeps {
                halted.store(substeps, Ordering::Relaxed);
            } else {
                all = false;
            }
        }
        all
    }
}

/// One turn of waiting: a spin, or after many an offer of the core to others.
fn wait(spins: &mut u32, offers: &mut u32) {
    if *spins < SPINS {
        *spins += 1;
        std::hint::spin_loop();
    } else {
        *offers += 1;
        std::thread::yield_now();
    }
}

#[cfg(feature = "parallel")]
pub(super) use gate::Gate;

#[cfg(feature = "parallel")]
mod gate {
    use super::{CLOSED, Team};
    use std::ptr::null_mut;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

    /// Where helpers from rayon's pool come in.
    #[derive(Default)]
    pub struct Gate(Arc<Inner>);

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
}
