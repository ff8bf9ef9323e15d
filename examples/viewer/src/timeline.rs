//! The memory of a run: snapshots every so often, and all edits since the oldest of them. Any step
//! between is reached by a snapshot and the steps after it, with the same bits as the first time.

use crate::edits::Edit;
use dolmen::Snapshot;
use dolmen::prelude::*;
use hecs::World;
use std::collections::VecDeque;

/// Steps between two snapshots.
const SPACING: u64 = 30;
/// The most snapshots: a minute at 60 steps a second.
const MOST: usize = 120;

/// Snapshots and edits of a run.
#[derive(Default)]
pub struct Timeline {
    marks: VecDeque<Mark>,
    edits: Vec<(u64, Edit)>,
    /// The number of edits that the world has seen.
    applied: usize,
    /// The latest step that was reached since the last edit.
    last: u64,
}

/// A snapshot, taken before the edits of its step.
struct Mark {
    step: u64,
    snapshot: Snapshot,
}

impl Timeline {
    /// The steps that can be reached: from the oldest snapshot to the latest step.
    pub fn range(&self) -> (u64, u64) {
        (self.marks.front().map_or(0, |mark| mark.step), self.last)
    }

    /// Remembers a step that was just reached, before its edits.
    pub fn reached(&mut self, step: u64, physics: &Physics, world: &World) {
        self.last = self.last.max(step);
        if !step.is_multiple_of(SPACING) || self.marks.back().is_some_and(|mark| mark.step >= step) {
            return;
        }
        let mut snapshot = Snapshot::default();
        if self.marks.len() == MOST {
            snapshot = self.marks.pop_front().map(|oldest| oldest.snapshot).unwrap_or_default();
            let oldest = self.range().0;
            let forgotten = self.edits.partition_point(|(step, _)| *step < oldest);
            self.edits.drain(..forgotten);
            self.applied -= forgotten;
        }
        physics.save_into(world, &mut snapshot);
        self.marks.push_back(Mark { step, snapshot });
    }

    /// Carries out a new edit at the present step. What was ahead is forgotten.
    pub fn edit(&mut self, step: u64, edit: Edit, physics: &mut Physics, world: &mut World) {
        self.edits.truncate(self.applied);
        let ahead = self.marks.partition_point(|mark| mark.step <= step);
        self.marks.truncate(ahead);
        self.last = step;
        edit.apply(physics, world);
        self.edits.push((step, edit));
        self.applied += 1;
    }

    /// Carries out the remembered edits of a step that are still ahead.
    pub fn replay(&mut self, step: u64, physics: &mut Physics, world: &mut World) {
        while let Some((_, edit)) = self.edits.get(self.applied).filter(|(at, _)| *at <= step) {
            edit.apply(physics, world);
            self.applied += 1;
        }
    }

    /// Goes from a step to one from which `target` is reached by stepping: back to a snapshot, or
    /// forward to one that saves steps. Returns the step.
    pub fn approach(&mut self, now: u64, target: u64, physics: &mut Physics, world: &mut World) -> u64 {
        let Some(mark) = self.marks.iter().rev().find(|mark| mark.step <= target) else { return now };
        if now <= target && mark.step <= now {
            return now;
        }
        let first = self.edits.partition_point(|(step, _)| *step < mark.step);
        while self.applied > first {
            self.applied -= 1;
            self.edits[self.applied].1.undo(physics, world);
        }
        while self.applied < first {
            self.edits[self.applied].1.apply(physics, world);
            self.applied += 1;
        }
        physics.restore(world, &mark.snapshot);
        mark.step
    }
}
