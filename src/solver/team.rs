//! Running a step on several threads, without ever waiting for one that has not come.
//!
//! The caller's thread leads. It publishes one phase after another; whoever is there claims items and works on them. The
//! leader waits only for items that somebody has claimed, so a pool that is busy with other things, or has one thread,
//! costs nothing but the help (see [`crate::parallel::Helpers`]). Which thread takes an item does not change what comes out: items of a phase share no line
//! that any of them writes, and a bundle is one item.

use super::lanes::Path;
use super::layout::{Group, Layout};
use super::run::{Outcome, Shared, Stage};
use crate::math::Real;
use crate::parallel::{Helpers, OFFERS, wait};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The epoch that tells helpers to leave.
const CLOSED: u32 = u32::MAX;
/// The lists of [`Roster`]: the four phases of large islands; odd interfaces of those that have a rest; all their items;
/// bundles.
const INSIDES: usize = 0;
const EVEN: usize = 1;
const ODD: usize = 2;
const REST: usize = 3;
const ODD_AGAIN: usize = 4;
const ALL: usize = 5;
const BUNDLES: usize = 6;

/// Phases of a substep: there through insides, even and odd interfaces to the rest, and back to the even ones. The
/// insides are relaxed as the next substep begins.
const SUBSTEP: [usize; 6] = [INSIDES, EVEN, ODD, REST, ODD_AGAIN, EVEN];

/// The epoch of the first substep's first phase; before it come the four phases of preparation, from 1.
const FIRST: u32 = 5;

/// An item and its group.
#[derive(Clone, Copy, Debug)]
struct Entry {
    item: u32,
    group: u32,
}

/// What workers leave on an item, in a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct Mark {
    /// The epoch it was last claimed in.
    claim: AtomicU32,
    /// The greatest change it made in the last substep that it had, as bits of f64.
    change: AtomicU64,
    /// For how many substeps it has been passed by, up to two: see [`Team::pass_by`].
    passed: AtomicU32,
}

/// A counter in a cache line of its own.
#[derive(Default)]
#[repr(align(64))]
struct Counter(AtomicU32);

/// What there is to do in a step, and the marks that workers leave on it. Keeps its buffers.
#[derive(Default)]
pub(super) struct Roster {
    lists: [Vec<Entry>; 7],
    /// The most substeps of a large island.
    substeps: u32,
    /// By item.
    marks: Vec<Mark>,
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
    /// Fits nothing from now on.
    pub fn forget(&mut self) {
        self.halted.clear();
        self.marks.clear();
    }

    /// Whether the roster was ever fitted to a layout as large.
    pub fn fits(&self, layout: &Layout) -> bool {
        self.halted.len() == layout.groups.len() && self.marks.len() == layout.items.len()
    }

    /// Fits the roster to a layout.
    pub fn enrol(&mut self, layout: &Layout) {
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
            if group.has_rest() {
                self.lists[ODD_AGAIN].extend(group.phases[ODD].clone().map(entry));
            }
            self.lists[ALL].extend(group.items().map(entry));
        }
        self.marks.resize_with(layout.items.len(), Mark::default);
        self.halted.resize_with(layout.groups.len(), AtomicU32::default);
    }

    /// Wipes the marks of the last step.
    fn wipe(&mut self, layout: &Layout) {
        let large = layout.groups.iter().filter(|group| group.is_large());
        self.substeps = large.map(|group| group.substeps).max().unwrap_or(0);
        for mark in &mut self.marks {
            *mark.claim.get_mut() = 0;
            *mark.passed.get_mut() = 0;
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
        let marks = self.marks[items].iter();
        marks.map(|mark| from_bits(mark.change.load(Ordering::Relaxed))).fold(0.0, Real::max)
    }
}

/// A scalar as the bits of an f64, whatever the engine's scalar is.
fn bits(x: Real) -> u64 {
    f64::from(x).to_bits()
}

/// The scalar that [`bits`] was given.
fn from_bits(bits: u64) -> Real {
    f64::from_bits(bits) as Real
}

/// What an epoch stands for.
#[derive(Clone, Copy, Debug)]
enum Work {
    Prepare,
    /// A phase of [`SUBSTEP`], and whether the substep is the first.
    Sweep(usize, bool),
    End,
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
    epoch: Counter,
    /// Items of the phase that are done.
    done: Counter,
}

/// Counts an item as done, also when its work panics.
struct Done<'a>(&'a AtomicU32);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Release);
    }
}

/// Tells helpers that the step is over, also when the leader panics.
struct Closing<'a>(&'a Counter);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.0.store(CLOSED, Ordering::Release);
    }
}

impl<'a> Team<'a> {
    /// A team of up to `crew` threads, the leader among them.
    pub fn new(shared: &'a Shared<'a>, path: Path, roster: &'a mut Roster, crew: usize) -> Self {
        roster.wipe(shared.layout);
        Self { shared, path, roster, crew: crew as u32, epoch: Counter::default(), done: Counter::default() }
    }

    /// Runs the step from beginning to end, led by this thread.
    pub fn run(&self, helpers: &Helpers) {
        helpers.lead(self.crew as usize, &|me| self.help(me), || {
            let _closing = Closing(&self.epoch);
            self.lead();
        });
    }

    /// Leads the step on this thread.
    fn lead(&self) {
        let roster = self.roster;
        for phase in 0..4 {
            self.publish(phase + 1);
        }
        for substep in 0..roster.substeps {
            for phase in 0..SUBSTEP.len() as u32 {
                self.publish(FIRST + SUBSTEP.len() as u32 * substep + phase);
            }
            if self.halt(substep + 1) {
                break;
            }
        }
        let end = FIRST + SUBSTEP.len() as u32 * roster.substeps;
        for last in 0..3 {
            self.publish(end + last);
        }
    }

    /// Helps until the step is over.
    fn help(&self, me: u32) {
        let (mut seen, mut spins, mut offers) = (0, 0, 0);
        while offers < OFFERS {
            let epoch = self.epoch.0.load(Ordering::Acquire);
            if epoch == CLOSED {
                return;
            }
            if epoch != seen {
                (seen, spins, offers) = (epoch, 0, 0);
                self.work(epoch, me);
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
        self.done.0.store(0, Ordering::Relaxed);
        self.epoch.0.store(epoch, Ordering::Release);
        self.work(epoch, 0);
        let (mut spins, mut offers) = (0, 0);
        while self.done.0.load(Ordering::Acquire) < items {
            wait(&mut spins, &mut offers);
        }
    }

    /// What an epoch stands for, and the list it works on.
    fn decode(&self, epoch: u32) -> (Work, usize) {
        let length = SUBSTEP.len() as u32;
        let end = FIRST + length * self.roster.substeps;
        match epoch {
            ..FIRST => (Work::Prepare, epoch as usize - 1),
            _ if epoch < end => {
                let (substep, phase) = ((epoch - FIRST) / length, ((epoch - FIRST) % length) as usize);
                (Work::Sweep(phase, substep == 0), SUBSTEP[phase])
            }
            _ if epoch == end => (Work::End, INSIDES),
            _ if epoch == end + 1 => (Work::Close, ALL),
            _ => (Work::Bundle, BUNDLES),
        }
    }

    /// Claims items of a phase and works on them until none is left. Each worker begins at its own place, so that it
    /// meets the same items phase after phase.
    fn work(&self, epoch: u32, me: u32) {
        let (work, list) = self.decode(epoch);
        let list = &self.roster.lists[list];
        let first = list.len() * me as usize / self.crew as usize;
        for entry in list[first..].iter().chain(&list[..first]) {
            let claim = &self.roster.marks[entry.item as usize].claim;
            let seen = claim.load(Ordering::Relaxed);
            if seen >= epoch || claim.compare_exchange(seen, epoch, Ordering::Relaxed, Ordering::Relaxed).is_err() {
                continue;
            }
            let _done = Done(&self.done.0);
            // SAFETY: the claim is ours alone, and it can only be had while this phase is open: the leader opens the
            // next one when every item of this one is done.
            unsafe { self.serve(*entry, work) };
        }
    }

    /// Works on one item.
    ///
    /// # Safety
    /// The item must be claimed in the phase under way.
    unsafe fn serve(&self, entry: Entry, work: Work) {
        let (item, g) = (entry.item as usize, entry.group as usize);
        let group = &self.shared.layout.groups[g];
        let halted = self.roster.halted[g].load(Ordering::Relaxed);
        let Mark { change, passed, .. } = &self.roster.marks[item];
        let passed = passed.load(Ordering::Relaxed);
        let stage = match work {
            Work::Prepare => Stage::Prepare,
            Work::Sweep(..) if halted > 0 => return,
            // What an inside solved last is still to be relaxed.
            Work::Sweep(0, _) if passed == 1 => Stage::Relax,
            Work::Sweep(2, _) if passed > 0 && !group.has_rest() => Stage::Drift,
            Work::Sweep(..) if passed > 0 => return,
            Work::Sweep(0, first) => Stage::Begin(first),
            Work::Sweep(1, first) => Stage::Solve(first),
            Work::Sweep(2, first) if group.has_rest() => Stage::Solve(first),
            Work::Sweep(2 | 3, first) => Stage::Turn(first),
            Work::Sweep(..) => Stage::Relax,
            Work::End => Stage::End((group.substeps - halted) as Real * self.shared.dt / group.substeps as Real),
            Work::Close => Stage::Close,
            Work::Bundle => {
                // SAFETY: a bundle is one item, and it is claimed.
                let outcome = unsafe { self.shared.bundle(self.path, g) };
                self.roster.halted[g].store(outcome.substeps, Ordering::Relaxed);
                change.store(bits(outcome.residual), Ordering::Relaxed);
                return;
            }
        };
        // SAFETY: the item is claimed, and earlier phases are over.
        let made = unsafe { self.shared.stage(self.path, item, group, stage) };
        match stage {
            Stage::Begin(_) | Stage::Solve(_) | Stage::Turn(_) => change.store(bits(made), Ordering::Relaxed),
            Stage::Relax => {
                let most = made.max(from_bits(change.load(Ordering::Relaxed)));
                change.store(bits(most), Ordering::Relaxed);
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
            if steady || substeps >= group.substeps {
                halted.store(substeps, Ordering::Relaxed);
            } else {
                all = false;
                if substeps > 1 {
                    self.pass_by(group);
                }
            }
        }
        all
    }

    /// Says which items of a large island the next substep passes by: the insides of slabs in which nothing changed more than what
    /// halts an island, neither inside nor at their interfaces, and interfaces between two such slabs. Their bodies move on, and
    /// their impulses last, as in an island that has halted; as soon as something changes beside them they are back.
    fn pass_by(&self, group: &Group) {
        let [insides, even, odd, rest] = &group.phases;
        let quiet = |item: usize| self.roster.change(item..item + 1) < self.shared.stop;
        let all = rest.clone().all(quiet);
        // What lies before slab `k`: the first odd interface before the first slab. Behind the last there may be none.
        let interface = |k: usize| {
            let phase = if k % 2 == 1 { even } else { odd };
            Some(phase.start + k / 2).filter(|item| phase.contains(item))
        };
        let quiet_at = |k: usize| interface(k).is_none_or(quiet);
        let calm = |slab: usize| all && quiet(insides.start + slab) && quiet_at(slab) && quiet_at(slab + 1);
        let pass = |item: usize, passes: bool| {
            let passed = &self.roster.marks[item].passed;
            let before = passed.load(Ordering::Relaxed);
            passed.store(if passes { (before + 1).min(2) } else { 0 }, Ordering::Relaxed);
        };
        let slabs = insides.len();
        let mut before = true;
        for slab in 0..=slabs {
            let here = slab == slabs || calm(slab);
            if slab < slabs {
                pass(insides.start + slab, here);
            }
            if let Some(item) = interface(slab) {
                pass(item, before && here);
            }
            before = here;
        }
    }
}
