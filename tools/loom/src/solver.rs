//! The scheduler of phases on a large island of two subdomains and a bundle, whose stages note in each body state that
//! they have been there.

#[path = "../../../src/solver/phase_scheduler.rs"]
#[allow(missing_docs, unreachable_pub, dead_code)]
mod phase_scheduler;

/// SIMD levels: none.
mod simd {
    #[derive(Clone, Copy, Debug)]
    pub(super) struct SimdLevel;
}

/// What the scheduler reads of a layout.
mod layout {
    use std::ops::Range;

    pub(super) struct Layout {
        pub(super) groups: Vec<Group>,
        /// By item: the states that it moves.
        pub(super) items: Vec<Range<usize>>,
    }

    pub(super) struct Group {
        pub(super) substeps: u32,
        pub(super) phases: [Range<usize>; 4],
    }

    impl Group {
        pub(super) fn items(&self) -> Range<usize> {
            self.phases[0].start..self.phases[3].end
        }

        pub(super) fn has_remainder(&self) -> bool {
            !self.phases[3].is_empty()
        }

        pub(super) fn is_large(&self) -> bool {
            self.items().len() > 1
        }
    }
}

/// Stages that note where they have been.
mod stages {
    use super::layout::{Group, Layout};
    use super::simd::SimdLevel;
    use crate::math::Real;
    use loom::cell::UnsafeCell;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) enum ItemStage {
        Prepare,
        RelaxSolve(bool),
        Solve(bool),
        SolveDriftRelax(bool),
        Relax,
        Drift,
        Finish(Real),
        Store,
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub(super) struct GroupOutcome {
        pub(super) substeps: u32,
        pub(super) residual: Real,
    }

    /// By state: the items that moved it, and their stages.
    pub(super) type History = Vec<Vec<(usize, ItemStage)>>;

    pub(super) struct StageContext<'a> {
        pub(super) layout: &'a Layout,
        pub(super) dt: Real,
        pub(super) stop: Real,
        /// By item: its changes of velocity (m/s).
        changes: &'a [Real],
        states: Vec<UnsafeCell<Vec<(usize, ItemStage)>>>,
        /// By item: how often it was stored.
        stored: Vec<UnsafeCell<usize>>,
    }

    // SAFETY: each state is written by the thread that claimed its item; the model checks that.
    unsafe impl Sync for StageContext<'_> {}

    impl<'a> StageContext<'a> {
        pub(super) fn new(layout: &'a Layout, changes: &'a [Real]) -> Self {
            let states = layout.items.iter().map(|states| states.end).max().unwrap_or(0);
            let states = (0..states).map(|_| UnsafeCell::new(Vec::new())).collect();
            let stored = layout.items.iter().map(|_| UnsafeCell::new(0)).collect();
            Self { layout, dt: 1.0, stop: 0.5, changes, states, stored }
        }

        fn note(&self, item: usize, stage: ItemStage) {
            for state in self.layout.items[item].clone() {
                // SAFETY: as above.
                self.states[state].with_mut(|history| unsafe { (*history).push((item, stage)) });
            }
        }

        pub(super) unsafe fn bundle(&self, _: SimdLevel, group: usize) -> GroupOutcome {
            let Group { substeps, phases } = &self.layout.groups[group];
            self.note(phases[0].start, ItemStage::Solve(true));
            GroupOutcome { substeps: *substeps, residual: self.changes[phases[0].start] }
        }

        pub(super) unsafe fn stage(&self, _: SimdLevel, item: usize, _: &Group, stage: ItemStage) -> Real {
            if stage != ItemStage::Store {
                self.note(item, stage);
                return self.changes[item];
            }
            // What it stores is its own; states are only read.
            self.layout.items[item].clone().for_each(|state| self.states[state].with(|_| {}));
            // SAFETY: as above.
            self.stored[item].with_mut(|stored| unsafe { *stored += 1 });
            0.0
        }

        pub(super) fn history(&self) -> History {
            for item in self.layout.groups.iter().filter(|group| group.is_large()).flat_map(Group::items) {
                // SAFETY: no other thread is at work any more; the model checks that.
                assert_eq!(self.stored[item].with(|stored| unsafe { *stored }), 1, "item {item}");
            }
            // SAFETY: as above.
            self.states.iter().map(|state| state.with(|history| unsafe { (*history).clone() })).collect()
        }
    }
}

use crate::math::Real;
use crate::parallel::{WorkerPool, set_patience};
use layout::{Group, Layout};
use phase_scheduler::{PhaseScheduler, WorkLists};
use stages::{GroupOutcome, History, ItemStage, StageContext};

/// Interiors of two subdomains, the boundary between them, the outer boundary of each, and a bundle.
fn layout(substeps: u32) -> Layout {
    let large = Group { substeps, phases: [0..2, 2..3, 3..5, 5..5] };
    let bundle = Group { substeps: 4, phases: [5..6, 6..6, 6..6, 6..6] };
    Layout { groups: vec![large, bundle], items: vec![0..1, 1..2, 0..2, 0..1, 1..2, 2..3] }
}

/// The history of each state and the outcomes of a step on some threads.
fn step(layout: &Layout, changes: &[Real], threads: usize) -> (History, Vec<GroupOutcome>) {
    let (mut lists, mut outcomes) = (WorkLists::default(), Vec::new());
    lists.rebuild(layout);
    let context = StageContext::new(layout, changes);
    PhaseScheduler::new(&context, simd::SimdLevel, &mut lists, threads).run(&WorkerPool);
    lists.results(layout, &mut outcomes);
    (context.history(), outcomes)
}

/// Checks that each state has the history of one thread on two, whose helper is patient for some turns, in all orders
/// with so many preemptions.
fn check(layout: fn() -> Layout, changes: &'static [Real], (patience, preemptions): (u32, usize)) {
    set_patience(patience);
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.max_branches = 20_000;
    model.check(move || {
        let layout = layout();
        assert_eq!(step(&layout, changes, 2), step(&layout, changes, 1));
    });
}

#[test]
fn a_helper_of_several_phases_finds_what_the_leader_left() {
    // Two items that move the same state, phase after phase.
    let layout = || {
        let group = Group { substeps: 1, phases: [0..1, 1..2, 2..2, 2..2] };
        Layout { groups: vec![group], items: vec![0..1; 2] }
    };
    check(layout, &[1.0; 2], (2, 1));
}

#[test]
fn phases_follow_each_other_on_any_thread() {
    check(|| layout(1), &[1.0; 6], (1, 2));
}

#[test]
fn a_subdomain_at_rest_is_skipped_on_any_thread() {
    const CHANGES: [Real; 6] = [0.0, 1.0, 0.0, 0.0, 1.0, 1.0];
    loom::model(|| {
        let (history, _) = step(&layout(3), &CHANGES, 1);
        let solves =
            |state: usize| history[state].iter().filter(|(_, stage)| matches!(stage, ItemStage::RelaxSolve(_)));
        assert_eq!([solves(0).count(), solves(1).count()], [2, 3], "{history:?}");
        assert!(history[0].contains(&(3, ItemStage::Drift)), "{history:?}");
    });
    check(|| layout(3), &CHANGES, (1, 2));
}

#[test]
fn an_island_at_rest_halts_on_any_thread() {
    loom::model(|| {
        let (_, outcomes) = step(&layout(5), &[0.0; 6], 1);
        assert_eq!(outcomes[0].substeps, 2);
    });
    check(|| layout(5), &[0.0; 6], (1, 2));
}
