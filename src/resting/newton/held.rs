//! What stuck goes on sticking, if it can.
//!
//! Where a load is shared in more ways than one, a contact may be at its friction limit in one of them and well inside it in
//! another. Both are answers, and the search finds that next to where it starts: a contact comes to slide although it need
//! not. With de Saxcé's shift left out at those that stuck, the problem of the cone stage is convex, and at its least no
//! contact slides that can be kept from it.

use super::{Ending, Newton};
use crate::math::DVec3;
use crate::resting::residual::View;
use crate::resting::sparse::Pattern;
use crate::tolerances::{HELD_ITERATIONS, PROX_FLOOR, PROX_START};

impl Newton {
    /// Searches from `impulses` for an answer in which the contacts that `stuck` stay where they are, factoring at most so many
    /// `matrices`. What is left in `impulses` is none unless the residual is below the tolerance.
    pub fn hold(
        &mut self,
        view: &View,
        pattern: &Pattern,
        stuck: impl Fn(usize) -> bool,
        impulses: &mut [DVec3],
        tolerance: f64,
        matrices: usize,
    ) -> Ending {
        self.prepare(view, matrices);
        self.held.extend((0..impulses.len()).map(stuck));
        view.response(impulses, &mut self.image);
        let mut now = view.residual(impulses, &self.image);
        let mut eps = PROX_START;
        let mut ending = Ending { residual: now, ..Ending::default() };
        while now >= tolerance && ending.iterations < HELD_ITERATIONS && self.factorisations < matrices {
            ending.iterations += 1;
            let end = self.cone_stage(view, pattern, impulses, eps, tolerance, now);
            ending.residual = self.judge(view);
            impulses.copy_from_slice(&self.proposal);
            if ending.residual > 0.3 * now && end.steps <= 3 {
                eps = (0.3 * eps).max(PROX_FLOOR);
            }
            now = ending.residual;
        }
        self.held.clear();
        ending.factorisations = self.factorisations;
        ending
    }
}
