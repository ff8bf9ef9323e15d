//! Scheduler of the phases of a step over several threads, which never waits for a thread that has
//! not come.
//!
//! The calling thread leads. It opens one phase after another; every thread present claims items
//! and runs them. The leader waits only for claimed items, so a busy or single-threaded pool costs
//! nothing but its help (see [`crate::parallel::WorkerPool`]). The result does not depend on which
//! thread runs an item: items of a phase share no state that one of them writes, and a bundle is
//! one item.

use super::layout::{Group, Layout};
use super::simd::SimdLevel;
use super::stages::{GroupOutcome, ItemStage, StageContext};
use crate::math::Real;
use crate::parallel::atomic::{AtomicU32, AtomicU64, Ordering};
use crate::parallel::{MAX_YIELDS, WorkerPool, wait};

/// Epoch that tells helpers to leave.
const CLOSED: u32 = u32::MAX;
/// The lists of [`WorkLists`]: the four phases of large islands; odd boundaries of those with a
/// remainder; all their items; bundles.
const INTERIORS: usize = 0;
const EVEN: usize = 1;
const ODD: usize = 2;
const REMAINDER: usize = 3;
const ODD_AGAIN: usize = 4;
const ALL: usize = 5;
const BUNDLES: usize = 6;

/// Phases of a substep: forwards through interiors, even and odd boundaries to the remainder, and
/// back to the even ones. Interiors are relaxed when the next substep begins.
const SUBSTEP: [usize; 6] = [INTERIORS, EVEN, ODD, REMAINDER, ODD_AGAIN, EVEN];

/// Epoch of the first phase of the first substep; the four phases of preparation come before it,
/// from 1.
const FIRST: u32 = 5;

/// An item and its group.
#[derive(Clone, Copy, Debug)]
struct Entry {
    item: u32,
    group: u32,
}

/// Status of an item, in a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct ItemStatus {
    /// Epoch in which it was last claimed.
    claim: AtomicU32,
    /// Largest change of velocity in its last substep, as bits of f64.
    change: AtomicU64,
    /// Number of substeps for which it has been skipped, up to two: see
    /// [`PhaseScheduler::skip_converged`].
    skipped: AtomicU32,
}

/// A counter in a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct Counter(AtomicU32);

/// Work lists of a step, and the status of their items. Keeps its buffers.
#[derive(Default)]
pub(super) struct WorkLists {
    lists: [Vec<Entry>; 7],
    /// Greatest number of substeps of a large island.
    substeps: u32,
    /// By item.
    statuses: Vec<ItemStatus>,
    /// By group: the substeps after which it halted, 0 while it runs.
    halted: Vec<AtomicU32>,
}

impl Clone for WorkLists {
    /// Nothing in it outlives a step.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl WorkLists {
    /// Invalidates the lists.
    pub fn forget(&mut self) {
        self.halted.clear();
        self.statuses.clear();
    }

    /// True if the lists were built for a layout of this size.
    pub fn fits(&self, layout: &Layout) -> bool {
        self.halted.len() == layout.groups.len() && self.statuses.len() == layout.items.len()
    }

    /// Builds the lists of a layout.
    pub fn rebuild(&mut self, layout: &Layout) {
        for list in &mut self.lists {
            list.clear();
        }
        for (g, group) in layout.groups.iter().enumerate() {
            let entry = |item: usize| Entry { item: item as u32, group: g as u32 };
            if !group.is_large() {
                self.lists[BUNDLES].extend(group.items().map(entry));
                continue;
            }
            for (list, phase) in self.lists.iter_mut().zip(&group.phases) {
                list.extend(phase.clone().map(entry));
            }
            if group.has_remainder() {
                self.lists[ODD_AGAIN].extend(group.phases[ODD].clone().map(entry));
            }
            self.lists[ALL].extend(group.items().map(entry));
        }
        self.statuses.resize_with(layout.items.len(), ItemStatus::default);
        self.halted.resize_with(layout.groups.len(), AtomicU32::default);
    }

    /// Resets the status of all items and groups.
    fn reset(&mut self, layout: &Layout) {
        let large = layout.groups.iter().filter(|group| group.is_large());
        self.substeps = large.map(|group| group.substeps).max().unwrap_or(0);
        for status in &self.statuses {
            status.claim.store(0, Ordering::Relaxed);
            status.skipped.store(0, Ordering::Relaxed);
        }
        for halted in &self.halted {
            halted.store(0, Ordering::Relaxed);
        }
    }

    /// Greatest number of items of a phase, which bounds the useful threads.
    pub fn max_parallel_items(&self) -> usize {
        self.lists.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Results of the last step, by group.
    pub fn results(&self, layout: &Layout, out: &mut Vec<GroupOutcome>) {
        out.clear();
        out.extend(layout.groups.iter().zip(&self.halted).map(|(group, halted)| GroupOutcome {
            substeps: halted.load(Ordering::Relaxed),
            residual: self.change(group.items()),
        }));
    }

    /// Largest change of velocity of these items in the last substep.
    fn change(&self, items: std::ops::Range<usize>) -> Real {
        let statuses = self.statuses[items].iter();
        statuses.map(|status| from_bits(status.change.load(Ordering::Relaxed))).fold(0.0, Real::max)
    }
}

/// A scalar as the bits of an f64, whatever the scalar of the engine.
fn bits(x: Real) -> u64 {
    f64::from(x).to_bits()
}

/// The scalar that [`bits`] was given.
fn from_bits(bits: u64) -> Real {
    f64::from_bits(bits) as Real
}

/// Work of an epoch.
#[derive(Clone, Copy, Debug)]
enum PhaseWork {
    Prepare,
    /// A phase of [`SUBSTEP`], and whether the substep is the first.
    Sweep(usize, bool),
    End,
    Close,
    Bundle,
}

/// One step under way.
pub(super) struct PhaseScheduler<'a> {
    context: &'a StageContext<'a>,
    simd: SimdLevel,
    work_lists: &'a WorkLists,
    threads: u32,
    /// The open phase, counted from 1.
    epoch: Counter,
    /// Finished items of the phase.
    done: Counter,
}

/// Counts an item as finished, also when its work panics.
struct CountOnDrop<'a>(&'a AtomicU32);

impl Drop for CountOnDrop<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// Tells helpers that the step is over, also when the leader panics.
struct CloseOnDrop<'a>(&'a Counter);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.0.store(CLOSED, Ordering::Release);
    }
}

impl<'a> PhaseScheduler<'a> {
    /// A scheduler for up to `threads` threads, the leader among them.
    pub fn new(context: &'a StageContext<'a>, simd: SimdLevel, work_lists: &'a mut WorkLists, threads: usize) -> Self {
        work_lists.reset(context.layout);
        Self { context, simd, work_lists, threads: threads as u32, epoch: Counter::default(), done: Counter::default() }
    }

    /// Runs the step from beginning to end, led by this thread.
    pub fn run(&self, helpers: &WorkerPool) {
        helpers.run_with(self.threads as usize, &|me| self.help(me), || {
            let _closing = CloseOnDrop(&self.epoch);
            self.lead();
        });
    }

    /// Leads the step on this thread.
    fn lead(&self) {
        let work_lists = self.work_lists;
        for phase in 0..4 {
            self.run_phase(phase + 1);
        }
        for substep in 0..work_lists.substeps {
            for phase in 0..SUBSTEP.len() as u32 {
                self.run_phase(FIRST + SUBSTEP.len() as u32 * substep + phase);
            }
            if self.halt(substep + 1) {
                break;
            }
        }
        let end = FIRST + SUBSTEP.len() as u32 * work_lists.substeps;
        for last in 0..3 {
            self.run_phase(end + last);
        }
    }

    /// Helps until the step is over.
    fn help(&self, me: u32) {
        let (mut seen, mut spins, mut yields) = (0, 0, 0);
        while yields < MAX_YIELDS {
            let epoch = self.epoch.0.load(Ordering::Acquire);
            if epoch == CLOSED {
                return;
            }
            if epoch != seen {
                (seen, spins, yields) = (epoch, 0, 0);
                self.work(epoch, me);
            }
            wait(&mut spins, &mut yields);
        }
    }

    /// Opens a phase, works on it, and waits for the items claimed by others.
    fn run_phase(&self, epoch: u32) {
        let (_, list) = self.decode(epoch);
        let items = self.work_lists.lists[list].len() as u32;
        if items == 0 {
            return;
        }
        self.done.0.store(0, Ordering::Relaxed);
        self.epoch.0.store(epoch, Ordering::Release);
        self.work(epoch, 0);
        let (mut spins, mut yields) = (0, 0);
        while self.done.0.load(Ordering::Acquire) < items {
            wait(&mut spins, &mut yields);
        }
    }

    /// Work of an epoch, and its list.
    fn decode(&self, epoch: u32) -> (PhaseWork, usize) {
        let length = SUBSTEP.len() as u32;
        let end = FIRST + length * self.work_lists.substeps;
        match epoch {
            ..FIRST => (PhaseWork::Prepare, epoch as usize - 1),
            _ if epoch < end => {
                let (substep, phase) = ((epoch - FIRST) / length, ((epoch - FIRST) % length) as usize);
                (PhaseWork::Sweep(phase, substep == 0), SUBSTEP[phase])
            }
            _ if epoch == end => (PhaseWork::End, INTERIORS),
            _ if epoch == end + 1 => (PhaseWork::Close, ALL),
            _ => (PhaseWork::Bundle, BUNDLES),
        }
    }

    /// Claims and runs items of a phase until none is left. Each worker begins at its own position
    /// in the list, so that it gets the same items phase after phase.
    fn work(&self, epoch: u32, me: u32) {
        let (work, list) = self.decode(epoch);
        let list = &self.work_lists.lists[list];
        let first = list.len() * me as usize / self.threads as usize;
        for entry in list[first..].iter().chain(&list[..first]) {
            let claim = &self.work_lists.statuses[entry.item as usize].claim;
            let seen = claim.load(Ordering::Relaxed);
            if seen >= epoch || claim.compare_exchange(seen, epoch, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                continue;
            }
            let _count = CountOnDrop(&self.done.0);
            // SAFETY: the claim is exclusive, and possible only while this phase is open: the
            // leader opens the next one when every item of this one is finished.
            unsafe { self.run_item(*entry, work) };
        }
    }

    /// Runs one item.
    ///
    /// # Safety
    /// The item must be claimed in the open phase.
    unsafe fn run_item(&self, entry: Entry, work: PhaseWork) {
        let (item, g) = (entry.item as usize, entry.group as usize);
        let group = &self.context.layout.groups[g];
        let halted = self.work_lists.halted[g].load(Ordering::Relaxed);
        let ItemStatus { change, skipped, .. } = &self.work_lists.statuses[item];
        let skipped = skipped.load(Ordering::Relaxed);
        let stage = match work {
            PhaseWork::Prepare => ItemStage::Prepare,
            PhaseWork::Sweep(..) if halted > 0 => return,
            // The last solve of an interior is still to be relaxed.
            PhaseWork::Sweep(0, _) if skipped == 1 => ItemStage::Relax,
            PhaseWork::Sweep(2, _) if skipped > 0 && !group.has_remainder() => ItemStage::Drift,
            PhaseWork::Sweep(..) if skipped > 0 => return,
            PhaseWork::Sweep(0, first) => ItemStage::RelaxSolve(first),
            PhaseWork::Sweep(1, first) => ItemStage::Solve(first),
            PhaseWork::Sweep(2, first) if group.has_remainder() => ItemStage::Solve(first),
            PhaseWork::Sweep(2 | 3, first) => ItemStage::SolveDriftRelax(first),
            PhaseWork::Sweep(..) => ItemStage::Relax,
            PhaseWork::End => {
                ItemStage::Finish((group.substeps - halted) as Real * self.context.dt / group.substeps as Real)
            }
            PhaseWork::Close => ItemStage::Store,
            PhaseWork::Bundle => {
                // SAFETY: a bundle is one item, and it is claimed.
                let result = unsafe { self.context.bundle(self.simd, g) };
                self.work_lists.halted[g].store(result.substeps, Ordering::Relaxed);
                change.store(bits(result.residual), Ordering::Relaxed);
                return;
            }
        };
        // SAFETY: the item is claimed, and earlier phases are over.
        let change_now = unsafe { self.context.stage(self.simd, item, group, stage) };
        match stage {
            ItemStage::RelaxSolve(_) | ItemStage::Solve(_) | ItemStage::SolveDriftRelax(_) => {
                change.store(bits(change_now), Ordering::Relaxed)
            }
            ItemStage::Relax => {
                let most = change_now.max(from_bits(change.load(Ordering::Relaxed)));
                change.store(bits(most), Ordering::Relaxed);
            }
            _ => {}
        }
    }

    /// Halts the large islands that have run all substeps or have converged; returns whether all
    /// have halted.
    fn halt(&self, substeps: u32) -> bool {
        let mut all = true;
        for (group, halted) in self.context.layout.groups.iter().zip(&self.work_lists.halted) {
            if !group.is_large() || halted.load(Ordering::Relaxed) > 0 {
                continue;
            }
            let steady = substeps > 1 && self.work_lists.change(group.items()) < self.context.stop;
            if steady || substeps >= group.substeps {
                halted.store(substeps, Ordering::Relaxed);
            } else {
                all = false;
                if substeps > 1 {
                    self.skip_converged(group);
                }
            }
        }
        all
    }

    /// Selects the items of a large island that the next substep skips: interiors of converged
    /// subdomains, where neither interior nor boundaries changed by more than the stop value, and
    /// boundaries between two such subdomains. Their bodies still drift and their impulses persist,
    /// as in a halted island; they take part again as soon as a neighbour changes.
    fn skip_converged(&self, group: &Group) {
        let [interiors, even, odd, remainder] = &group.phases;
        let is_quiet = |item: usize| self.work_lists.change(item..item + 1) < self.context.stop;
        let all = remainder.clone().all(is_quiet);
        // The boundary before subdomain `k`: the first odd one before the first subdomain. There
        // may be none after the last.
        let interface = |k: usize| {
            let phase = if k % 2 == 1 { even } else { odd };
            Some(phase.start + k / 2).filter(|item| phase.contains(item))
        };
        let is_quiet_at = |k: usize| interface(k).is_none_or(is_quiet);
        let converged = |subdomain: usize| {
            all && is_quiet(interiors.start + subdomain) && is_quiet_at(subdomain) && is_quiet_at(subdomain + 1)
        };
        let set_skip = |item: usize, skip: bool| {
            let skipped = &self.work_lists.statuses[item].skipped;
            let before = skipped.load(Ordering::Relaxed);
            skipped.store(if skip { (before + 1).min(2) } else { 0 }, Ordering::Relaxed);
        };
        let count = interiors.len();
        let mut before = true;
        for subdomain in 0..=count {
            let here = subdomain == count || converged(subdomain);
            if subdomain < count {
                set_skip(interiors.start + subdomain, here);
            }
            if let Some(item) = interface(subdomain) {
                set_skip(item, before && here);
            }
            before = here;
        }
    }
}
