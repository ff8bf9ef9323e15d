//! Newton's method in body space, for friction and normals together.
//!
//! Three parts alternate, because each alone fails for some islands:
//! 1. **The cone stage** ([`cone_stage`]): a proximal step with de Saxcé's shift `mu |u_t|` from
//!    the last outer iteration. It minimises a convex function of the bodies' velocities, so
//!    Newton's method with an exact line search cannot fail. It finds the neighbourhood of the
//!    solution, and may then cycle.
//! 2. **The Alart-Curnier stage** ([`alart_curnier`]): the same proximal step with the projection
//!    of Alart and Curnier, which needs no shift. Quadratic close to the solution, unreliable far
//!    from it.
//! 3. **Restarts**: Gauss-Seidel sweeps from the best point so far, after a stage that failed.
//!
//! There are six unknowns per body instead of three per contact, so redundant contacts cost nothing
//! and the matrix `I + J^T (D / e) J` is positive definite for any number of them. The `1 / e` is
//! the stiffness of the proximal step and not of the contact: it vanishes at the solution, which is
//! rigid. Of the many forces of a redundant structure the step keeps those nearest to its start, so
//! forces stay the same from step to step.

mod alart_curnier;
mod cone_stage;
mod infeasibility;
mod keep_sticking;
mod line_search;
mod workspace;

use super::cone::project;
use super::gauss_seidel;
use super::residual::View;
use super::sparse::Pattern;
use crate::math::{DMat3, DVec3};
use crate::tolerances::*;
pub(super) use workspace::{Newton, NewtonEnd};

/// Gauss-Seidel sweeps of a restart after a failed stage. Fewer: the next stage fails again. More:
/// time.
const RESTART_SWEEPS: usize = 60;

/// Longest extrapolation, in lengths of the proximal step. It is doubled up to here.
pub(super) const MAX_EXTRAPOLATION: f64 = 1e6;

/// Most softer repetitions in a row.
const MAX_SOFTER_RETRIES: usize = 2;

impl Newton {
    /// Searches from `impulses` and leaves the best found there. `biases` are the parts of the
    /// offsets independent of motion; without any against the contacts, infeasibility is not
    /// tested. `iterations` and `matrices` limit outer iterations and factorisations.
    #[expect(clippy::too_many_arguments, reason = "the workspace is borrowed part by part")]
    pub fn solve(
        &mut self,
        view: &View,
        pattern: &Pattern,
        grams: &[DMat3],
        biases: impl Fn(usize) -> DVec3,
        impulses: &mut [DVec3],
        tolerance: f64,
        (iterations, matrices): (usize, usize),
    ) -> NewtonEnd {
        self.prepare(view, matrices);
        let may_be_infeasible = (0..impulses.len()).any(|i| {
            let bias = biases(i);
            bias.x < 0.0 || bias.y != 0.0 || bias.z != 0.0
        });
        let (mut eps, mut floor) = (DIRECT_NEWTON.softness_start, DIRECT_NEWTON.softness_min);
        let (mut cone_stages, mut failures, mut slow_stages, mut softer_retries) = (0_usize, 0_usize, 0_usize, 0_usize);
        let mut best = f64::INFINITY;
        let mut ending = NewtonEnd::default();
        view.response(impulses, &mut self.delta_v);
        let mut now = view.residual(impulses, &self.delta_v);
        for outer in 0..=iterations {
            if now < best {
                best = now;
                self.best.copy_from_slice(impulses);
            }
            ending.iterations = outer;
            if best < tolerance || outer == iterations || self.factorisations >= matrices {
                break;
            }
            if may_be_infeasible
                && outer == DIRECT_NEWTON.usual_iterations
                && self.find_infeasibility(view, pattern, &biases, impulses, tolerance)
            {
                ending.infeasible = true;
                break;
            }
            if now < DIRECT_NEWTON.alart_curnier_below && cone_stages == 0 {
                let end = self.alart_curnier_stage(view, pattern, impulses, eps, tolerance, now);
                let new = self.evaluate_proposal(view);
                let is_slow = end.finished
                    && new < STAGNATION_REDUCTION * now
                    && slow_stages < DIRECT_NEWTON.stagnation_iterations;
                if new < DIRECT_NEWTON.accepted_reduction * now || is_slow {
                    slow_stages =
                        if is_slow && new >= DIRECT_NEWTON.accepted_reduction * now { slow_stages + 1 } else { 0 };
                    if end.steps <= 1 && new > 0.01 * now {
                        eps = (0.1 * eps).max(DIRECT_NEWTON.softness_min);
                    } else if new > 0.1 * now && end.steps <= 3 {
                        eps = (0.3 * eps).max(DIRECT_NEWTON.softness_min);
                    }
                    now = self.accept_proposal(view, impulses, new, now);
                } else if now < DIRECT.near_residual
                    && eps < DIRECT_NEWTON.softness_start
                    && softer_retries < MAX_SOFTER_RETRIES
                {
                    // Close to the solution a softer stage often succeeds after a stiff one cycles.
                    eps = (10.0 * eps).min(DIRECT_NEWTON.softness_start);
                    softer_retries += 1;
                    view.response(impulses, &mut self.delta_v);
                } else {
                    eps = (3.0 * eps).min(SOFTNESS_AFTER_ALART_CURNIER);
                    softer_retries = 0;
                    failures += 1;
                    slow_stages = 0;
                    cone_stages = 1 + failures.min(2);
                    now = self.restart(view, grams, impulses);
                }
            } else {
                cone_stages = cone_stages.saturating_sub(1);
                let end = self.cone_stage(view, pattern, impulses, eps, tolerance, now);
                let new = self.evaluate_proposal(view);
                let lost = !new.is_finite()
                    || new > DIRECT_NEWTON.failed_growth * best.max(now)
                    || (!end.finished && new >= best);
                if lost {
                    impulses.copy_from_slice(&self.best);
                    eps = (10.0 * eps).min(DIRECT_NEWTON.softness_max);
                    floor = floor.max(0.1 * eps);
                    now = self.restart(view, grams, impulses);
                } else {
                    let slow = new > 0.3 * now && end.steps <= 1;
                    let stagnates = new > 0.7 * now && new < 1.5 * now && end.steps <= 3;
                    if slow || stagnates {
                        eps = (0.3 * eps).max(floor);
                        floor = (0.5 * floor).max(DIRECT_NEWTON.softness_min);
                    }
                    now = self.accept_proposal(view, impulses, new, now);
                }
            }
        }
        impulses.copy_from_slice(&self.best);
        ending.residual = best;
        if best >= tolerance && may_be_infeasible && !ending.infeasible {
            ending.infeasible = self.find_infeasibility(view, pattern, &biases, impulses, tolerance);
        }
        ending.factorisations = self.factorisations;
        ending
    }

    /// Accepts the proposal, of residual `new`, and after slow progress extrapolates it while that
    /// helps.
    ///
    /// Along nearly redundant contacts the proximal step, however soft, progresses at an even pace:
    /// an extrapolation over many steps costs one residual. Returns the residual.
    fn accept_proposal(&mut self, view: &View, impulses: &mut [DVec3], mut new: f64, old: f64) -> f64 {
        if new > DIRECT_NEWTON.slow_reduction * old && new < DIRECT_NEWTON.flat_growth * old {
            // The buffer of points is free between stages: it holds the start of the step.
            self.points.copy_from_slice(impulses);
            impulses.copy_from_slice(&self.proposal);
            let mut factor = 2.0;
            while factor < MAX_EXTRAPOLATION {
                for i in 0..impulses.len() {
                    let far = self.points[i] + (self.proposal[i] - self.points[i]) * factor;
                    self.trial_points[i] = project(far, view.friction[i]);
                }
                view.response(&self.trial_points, &mut self.trial);
                let there = view.residual(&self.trial_points, &self.trial);
                if there.is_nan() || there >= DIRECT_NEWTON.flat_growth * new {
                    break;
                }
                new = there;
                impulses.copy_from_slice(&self.trial_points);
                self.delta_v.copy_from_slice(&self.trial);
                factor *= 2.0;
            }
        } else {
            impulses.copy_from_slice(&self.proposal);
        }
        new
    }

    /// Gauss-Seidel sweeps, and the residual they leave.
    fn restart(&mut self, view: &View, grams: &[DMat3], impulses: &mut [DVec3]) -> f64 {
        view.response(impulses, &mut self.delta_v);
        gauss_seidel::sweep(view, grams, impulses, &mut self.delta_v, RESTART_SWEEPS);
        view.response(impulses, &mut self.delta_v);
        view.residual(impulses, &self.delta_v)
    }
}
