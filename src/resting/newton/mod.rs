//! Friction solved with the normals by Newton's method in body space.
//!
//! Three parts take turns, because each alone fails somewhere:
//! 1. **The cone stage** ([`prox`]): a proximal step on the problem with de Saxcé's shift `mu |u_t|` held back by one
//!    outer iteration. It is the gradient of a convex function of the bodies' velocities, so Newton's method with an exact
//!    line search cannot fail. It finds the neighbourhood of the answer, and may then circle there.
//! 2. **The finish** ([`finish`]): the same proximal step with the projection of Alart and Curnier, which needs no
//!    shift. Quadratic near the answer, lost far from it.
//! 3. **Kicks**: some Gauss-Seidel sweeps from the best point so far, whenever one of the other two made things worse.
//!
//! The unknowns are six per body instead of three per contact, so redundant contacts cost nothing and the matrix
//! `I + J^T (D / e) J` is positive definite however many there are. The `1 / e` is the stiffness of the proximal
//! step and not of the contact: it vanishes at the answer, which is the rigid one. Of the many forces of a redundant
//! structure the step keeps to those nearest to where it started, so forces stay the same from step to step.

mod finish;
mod held;
mod jam;
mod line_search;
mod prox;

use super::block::{Vec6, dot};
use super::block_cholesky::{Factor, Symmetry};
use super::cone::project;
use super::gauss_seidel;
use super::residual::View;
use super::sparse::Pattern;
use crate::math::{DMat3, DVec3};
use crate::tolerances::*;

/// How a search ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ending {
    /// The residual of the impulses left behind.
    pub residual: f64,
    /// Outer iterations done.
    pub iterations: usize,
    /// Factorisations done.
    pub factorisations: usize,
    /// No impulses can satisfy the biases: [`Newton::jammed`] names the contacts.
    pub jammed: bool,
}

/// Newton's method and its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    factor: Factor,
    /// The `D_i / e_i` that the factor was made of; empty when it holds none.
    factored: Vec<DMat3>,
    /// The bodies' state within a stage.
    x: Vec<Vec6>,
    /// `sum J^T j` of the impulses between stages.
    image: Vec<Vec6>,
    /// The gradient, and after a solve the step.
    gradient: Vec<Vec6>,
    step: Vec<Vec6>,
    trial: Vec<Vec6>,
    /// The points to be projected, the velocities' change along the step, and the weights.
    points: Vec<DVec3>,
    trial_points: Vec<DVec3>,
    along: Vec<DVec3>,
    weights: Vec<DMat3>,
    /// What the last stage proposes.
    proposal: Vec<DVec3>,
    best: Vec<DVec3>,
    /// Contacts whose shift is left out in the cone stage; empty but while some are held.
    held: Vec<bool>,
    jam: jam::Probe,
    factorisations: usize,
    /// The most of them in a search.
    matrices: usize,
}

/// What a stage did.
#[derive(Clone, Copy, Debug)]
struct StageEnd {
    steps: usize,
    finished: bool,
}

impl Newton {
    /// The contacts found jammed by the last search that said so.
    pub fn jammed(&self) -> &[u32] {
        &self.jam.contacts
    }

    /// Searches from `impulses` and leaves the best found there. `biases` are the parts of the offsets that no motion
    /// makes; with none against the contacts, jams are not looked for. It takes no more outer iterations than said, and factors no
    /// more matrices.
    #[expect(clippy::too_many_arguments, reason = "the workspace lends its parts one by one")]
    pub fn solve(
        &mut self,
        view: &View,
        pattern: &Pattern,
        grams: &[DMat3],
        biases: impl Fn(usize) -> DVec3,
        impulses: &mut [DVec3],
        tolerance: f64,
        (most, matrices): (usize, usize),
    ) -> Ending {
        self.prepare(view, matrices);
        let can_jam = (0..impulses.len()).any(|i| {
            let bias = biases(i);
            bias.x < 0.0 || bias.y != 0.0 || bias.z != 0.0
        });
        let (mut eps, mut floor) = (PROX_START, PROX_FLOOR);
        let (mut block, mut failures, mut crawled, mut softened) = (0_usize, 0_usize, 0_usize, 0_usize);
        let mut best = f64::INFINITY;
        let mut ending = Ending::default();
        view.response(impulses, &mut self.image);
        let mut now = view.residual(impulses, &self.image);
        for outer in 0..=most {
            if now < best {
                best = now;
                self.best.copy_from_slice(impulses);
            }
            ending.iterations = outer;
            if best < tolerance || outer == most || self.factorisations >= matrices {
                break;
            }
            if can_jam && outer == JAM_FIRST_LOOK && self.find_jam(view, pattern, &biases, impulses, tolerance) {
                ending.jammed = true;
                break;
            }
            if now < FINISH_BELOW && block == 0 {
                let end = self.finish(view, pattern, impulses, eps, tolerance, now);
                let new = self.judge(view);
                let crawls = end.finished && new < CRAWL_LOSS * now && crawled < CRAWLS;
                if new < FINISH_GAIN * now || crawls {
                    crawled = if crawls && new >= FINISH_GAIN * now { crawled + 1 } else { 0 };
                    if end.steps <= 1 && new > 0.01 * now {
                        eps = (0.1 * eps).max(PROX_FLOOR);
                    } else if new > 0.1 * now && end.steps <= 3 {
                        eps = (0.3 * eps).max(PROX_FLOOR);
                    }
                    now = self.take(view, impulses, new, now);
                } else if now < SOFTEN_BELOW && eps < PROX_START && softened < SOFTENINGS {
                    // Near the answer a softer finish often gets through where a stiff one cycles.
                    eps = (10.0 * eps).min(PROX_START);
                    softened += 1;
                    view.response(impulses, &mut self.image);
                } else {
                    eps = (3.0 * eps).min(PROX_AFTER_FINISH);
                    softened = 0;
                    failures += 1;
                    crawled = 0;
                    block = 1 + failures.min(2);
                    now = self.kick(view, grams, impulses);
                }
            } else {
                block = block.saturating_sub(1);
                let end = self.cone_stage(view, pattern, impulses, eps, tolerance, now);
                let new = self.judge(view);
                let lost = !new.is_finite() || new > CONE_LOSS * best.max(now) || (!end.finished && new >= best);
                if lost {
                    impulses.copy_from_slice(&self.best);
                    eps = (10.0 * eps).min(PROX_MOST);
                    floor = floor.max(0.1 * eps);
                    now = self.kick(view, grams, impulses);
                } else {
                    let slow = new > 0.3 * now && end.steps <= 1;
                    let stuck = new > 0.7 * now && new < 1.5 * now && end.steps <= 3;
                    if slow || stuck {
                        eps = (0.3 * eps).max(floor);
                        floor = (0.5 * floor).max(PROX_FLOOR);
                    }
                    now = self.take(view, impulses, new, now);
                }
            }
        }
        impulses.copy_from_slice(&self.best);
        ending.residual = best;
        if best >= tolerance && can_jam && !ending.jammed {
            ending.jammed = self.find_jam(view, pattern, &biases, impulses, tolerance);
        }
        ending.factorisations = self.factorisations;
        ending
    }

    /// Makes room for a search that factors at most so many `matrices`.
    fn prepare(&mut self, view: &View, matrices: usize) {
        self.factored.clear();
        self.held.clear();
        (self.factorisations, self.matrices) = (0, matrices);
        let (bodies, contacts) = (view.bodies + 1, view.rows.len());
        for list in [&mut self.x, &mut self.image, &mut self.gradient, &mut self.step, &mut self.trial] {
            list.clear();
            list.resize(bodies, [0.0; 6]);
        }
        for list in [&mut self.points, &mut self.trial_points, &mut self.along, &mut self.proposal, &mut self.best] {
            list.clear();
            list.resize(contacts, DVec3::ZERO);
        }
        self.weights.clear();
        self.weights.resize(contacts, DMat3::ZERO);
    }

    /// The residual of the proposal; leaves its image.
    fn judge(&mut self, view: &View) -> f64 {
        view.response(&self.proposal, &mut self.image);
        view.residual(&self.proposal, &self.image)
    }

    /// Takes the proposal, of residual `new`, and where it gained little goes on in its direction while that gains.
    ///
    /// Nearly redundant contacts leave directions along which the proximal step, however soft, crawls at an even
    /// pace: a jump of many steps costs one look at the residual. Returns the residual.
    fn take(&mut self, view: &View, impulses: &mut [DVec3], mut new: f64, old: f64) -> f64 {
        if new > STRIDE_ABOVE * old && new < STRIDE_LOSS * old {
            // The buffer of points is free between stages: it holds where the step came from.
            self.points.copy_from_slice(impulses);
            impulses.copy_from_slice(&self.proposal);
            let mut stride = 2.0;
            while stride < STRIDE_MOST {
                for i in 0..impulses.len() {
                    let far = self.points[i] + (self.proposal[i] - self.points[i]) * stride;
                    self.trial_points[i] = project(far, view.friction[i]);
                }
                view.response(&self.trial_points, &mut self.trial);
                let there = view.residual(&self.trial_points, &self.trial);
                if there.is_nan() || there >= STRIDE_LOSS * new {
                    break;
                }
                new = there;
                impulses.copy_from_slice(&self.trial_points);
                self.image.copy_from_slice(&self.trial);
                stride *= 2.0;
            }
        } else {
            impulses.copy_from_slice(&self.proposal);
        }
        new
    }

    /// Gauss-Seidel sweeps, and the residual they leave.
    fn kick(&mut self, view: &View, grams: &[DMat3], impulses: &mut [DVec3]) -> f64 {
        view.response(impulses, &mut self.image);
        gauss_seidel::sweep(view, grams, impulses, &mut self.image, KICK_SWEEPS);
        view.response(impulses, &mut self.image);
        view.residual(impulses, &self.image)
    }

    /// Factors `I + sum J^T W J` for the weights at hand, unless the factor of just those is still there. False if it has no factor, or
    /// if the search has had all its matrices.
    fn factor_weights(&mut self, view: &View, pattern: &Pattern, symmetry: Symmetry) -> bool {
        if self.factored.len() == self.weights.len()
            && self.factor.symmetry() == symmetry
            && self.factored.iter().zip(&self.weights).all(|(old, new)| same_weight(old, new))
        {
            return true;
        }
        if self.factorisations >= self.matrices {
            return false;
        }
        self.factor.reset(pattern, symmetry);
        for (i, row) in view.rows.iter().enumerate() {
            if self.weights[i] != DMat3::ZERO {
                self.factor.add(pattern, i, row, &self.weights[i]);
            }
        }
        self.factorisations += 1;
        if self.factor.factor(pattern) {
            self.factored.clear();
            self.factored.extend_from_slice(&self.weights);
            true
        } else {
            self.factored.clear();
            false
        }
    }

    /// The length of the gradient, in the scaled body space.
    fn gradient_length(&self) -> f64 {
        self.gradient.iter().map(|v| dot(v, v)).sum::<f64>().sqrt()
    }
}

/// The speed unit of a view in the scaled body space.
fn body_speed(view: &View) -> f64 {
    let most = view.compliance.iter().fold(0.0_f64, |a, &g| a.max(g));
    view.speed / most.sqrt()
}

/// Whether two weights are the same to rounding.
fn same_weight(a: &DMat3, b: &DMat3) -> bool {
    let close = |p: DVec3, q: DVec3, scale: f64| {
        let d = (p - q).abs();
        d.x <= scale && d.y <= scale && d.z <= scale
    };
    let size = a.x_axis.abs().max(a.y_axis.abs()).max(a.z_axis.abs()).max_element();
    let scale = WEIGHT_CHANGE * size;
    close(a.x_axis, b.x_axis, scale) && close(a.y_axis, b.y_axis, scale) && close(a.z_axis, b.z_axis, scale)
}
