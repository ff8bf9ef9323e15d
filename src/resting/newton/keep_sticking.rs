//! Search for a solution in which sticking contacts still stick.
//!
//! If a load can be distributed in several ways, a contact may be at its friction limit in one and
//! well inside it in another. Both are solutions, and the search finds the one next to its start: a
//! contact may slide needlessly. Without de Saxcé's shift at the contacts that stuck, the problem
//! of the cone stage is convex, and at its minimum no contact slides that can stick.

use super::workspace::{Newton, NewtonEnd};
use crate::math::DVec3;
use crate::resting::residual::View;
use crate::resting::sparse::Pattern;
use crate::tolerances::DIRECT_NEWTON;

impl Newton {
    /// Searches from `impulses` for a solution in which the contacts that `stuck` do not slide,
    /// factoring at most `matrices`. The resulting `impulses` are valid only if the residual is
    /// below the tolerance.
    pub fn keep_sticking(
        &mut self,
        view: &View,
        pattern: &Pattern,
        stuck: impl Fn(usize) -> bool,
        impulses: &mut [DVec3],
        tolerance: f64,
        matrices: usize,
    ) -> NewtonEnd {
        self.prepare(view, matrices);
        self.keeps_sticking.extend((0..impulses.len()).map(stuck));
        view.response(impulses, &mut self.delta_v);
        let mut now = view.residual(impulses, &self.delta_v);
        let mut eps = DIRECT_NEWTON.softness_start;
        let mut ending = NewtonEnd { residual: now, ..NewtonEnd::default() };
        while now >= tolerance && ending.iterations < DIRECT_NEWTON.usual_iterations && self.factorisations < matrices {
            ending.iterations += 1;
            let end = self.cone_stage(view, pattern, impulses, eps, tolerance, now);
            ending.residual = self.evaluate_proposal(view);
            impulses.copy_from_slice(&self.proposal);
            if ending.residual > 0.3 * now && end.steps <= 3 {
                eps = (0.3 * eps).max(DIRECT_NEWTON.softness_min);
            }
            now = ending.residual;
        }
        self.keeps_sticking.clear();
        ending.factorisations = self.factorisations;
        ending
    }
}
