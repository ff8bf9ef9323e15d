//! Figures of the last steps, for plots.

use dolmen::StepReport;
use dolmen::prelude::*;
use std::collections::VecDeque;

/// Steps that are plotted.
pub const STEPS: usize = 240;
/// Names and units of the figures.
pub const NAMES: [(&str, &str); 3] = [("step", "ms"), ("energy", "J"), ("deepest", "mm")];

/// Time of a step (ms), energy (J) and greatest penetration (mm), from the oldest step on.
#[derive(Default)]
pub struct History {
    rows: VecDeque<(u64, [f32; NAMES.len()])>,
}

impl History {
    /// Adds the figures after a step. Those of steps that it replaces go.
    pub fn reached(&mut self, step: u64, physics: &Physics, report: &StepReport) {
        while self.rows.back().is_some_and(|(last, _)| *last >= step) {
            self.rows.pop_back();
        }
        if self.rows.len() == STEPS {
            self.rows.pop_front();
        }
        let deepest = physics.contacts().fold(0.0, |most: Real, contact| most.max(-contact.separation));
        let ms = report.times.total().as_secs_f64() * 1e3;
        self.rows.push_back((step, [ms as f32, physics.energy() as f32, 1e3 * deepest]));
    }

    /// A figure over the steps.
    pub fn values(&self, figure: usize) -> impl Iterator<Item = f32> + '_ {
        self.rows.iter().map(move |(_, row)| row[figure])
    }

    /// Least and greatest value of a figure; `None` without steps.
    pub fn range(&self, figure: usize) -> Option<(f32, f32)> {
        self.values(figure).fold(None, |range, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((value.min(low), value.max(high)))
        })
    }
}
