//! Proximal block pivoting for the complementarity problem of a frictionless island.
//!
//! With a proximal term, `w = M f + b + e (f - f_last) >= 0`, `f >= 0`, `w f = 0` has one solution,
//! given by the set of pressing contacts. Guess a set, solve it, and move every wrong contact to
//! the other side (Júdice and Pires, "Basic-set algorithm for a generalized linear complementarity
//! problem", 1992); if that cycles, move only the last one (Murty), which cannot. Repeated proximal
//! steps remove the softness. The matrix is `M + e` on the set, factored in body space, so
//! redundant contacts do no harm.

use super::block::{Vec6, add_scaled};
use super::block_cholesky::{Factor, Symmetry};
use super::newton::MAX_EXTRAPOLATION;
use super::residual::View;
use super::sparse::Pattern;
use crate::math::DVec3;
use crate::tolerances::*;

/// Block exchanges without progress before single exchanges (Murty), which cannot cycle.
const PATIENCE: usize = 5;

/// Most proximal steps of pivoting.
const MAX_PROXIMAL_STEPS: usize = 60;

/// Most softer repetitions after no set was found.
const MAX_SOFTER_RETRIES: usize = 1;

/// End of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PivotingEnd {
    pub residual: f64,
    pub iterations: usize,
    pub factorisations: usize,
}

/// The search and its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Pivoting {
    factor: Factor,
    /// The set of pressing contacts, and that of the current factor.
    pressing: Vec<bool>,
    factored: Vec<bool>,
    factored_softness: f64,
    start: Vec<f64>,
    forces: Vec<f64>,
    best: Vec<f64>,
    target: Vec<f64>,
    x: Vec<Vec6>,
    gradient: Vec<Vec6>,
    step: Vec<Vec6>,
    vectors: Vec<DVec3>,
    factorisations: usize,
}

impl Pivoting {
    /// Searches from the normal parts of `impulses`, which also give the first set, and leaves the
    /// best found. At a cold start all contacts press: vanishing contacts are rare.
    pub fn solve(&mut self, view: &View, pattern: &Pattern, impulses: &mut [DVec3], tolerance: f64) -> PivotingEnd {
        self.begin(view, impulses);
        self.best.clone_from(&self.start);
        let (mut eps, mut least) = (DIRECT_NEWTON.softness_start, f64::INFINITY);
        let (mut last, mut failures) = (f64::INFINITY, 0);
        let mut end = PivotingEnd::default();
        for outer in 1..=MAX_PROXIMAL_STEPS {
            end.iterations = outer;
            let made = self.factorisations;
            if !self.find_set(view, pattern, eps) {
                failures += 1;
                if failures > MAX_SOFTER_RETRIES {
                    break;
                }
                // A softer step has an easier set.
                eps *= 10.0;
                self.start.copy_from_slice(&self.best);
                self.pressing.clear();
                self.pressing.extend(self.start.iter().map(|&f| f > 0.0));
                continue;
            }
            let residual = self.evaluate_proposal(view);
            if residual.is_nan() || residual >= PIVOT_FAILED_GROWTH * least {
                break;
            }
            if residual < least {
                least = residual;
                self.best.copy_from_slice(&self.forces);
            }
            if least < tolerance {
                break;
            }
            if residual > DIRECT_NEWTON.good_reduction * last {
                let extended = residual > DIRECT_NEWTON.slow_reduction * last && self.extrapolate(view, residual);
                let settled = self.factorisations == made && eps <= DIRECT_NEWTON.softness_min;
                if settled && !extended {
                    // The set is right, and the rest is rounding of a stiff step: a soft one
                    // removes it.
                    eps = DIRECT_NEWTON.softness_start;
                } else {
                    eps = (0.1 * eps).max(DIRECT_NEWTON.softness_min);
                }
            }
            last = residual;
            self.start.copy_from_slice(&self.forces);
        }
        for (j, &f) in impulses.iter_mut().zip(&self.best) {
            *j = DVec3::new(f, 0.0, 0.0);
        }
        end.residual = least;
        end.factorisations = self.factorisations;
        end
    }

    /// The forces of one-sided springs of this softness (in units of each contact's own
    /// compliance): one proximal step from zero. Unlike those of rigid contacts they are unique,
    /// and bounded for contradictory contacts. False if they were not found; the impulses are then
    /// unchanged.
    pub fn soften(&mut self, view: &View, pattern: &Pattern, softness: f64, impulses: &mut [DVec3]) -> bool {
        self.begin(view, impulses);
        let found = self.find_set(view, pattern, softness);
        if found {
            for (j, &f) in impulses.iter_mut().zip(&self.forces) {
                *j = DVec3::new(f, 0.0, 0.0);
            }
        }
        found
    }

    /// Prepares the buffers for a search from the normal parts of `impulses`.
    fn begin(&mut self, view: &View, impulses: &[DVec3]) {
        self.factorisations = 0;
        self.factored.clear();
        for list in [&mut self.x, &mut self.gradient, &mut self.step] {
            list.clear();
            list.resize(view.bodies + 1, [0.0; 6]);
        }
        self.start.clear();
        self.start.extend(impulses.iter().map(|j| j.x.max(0.0)));
        let cold = self.start.iter().all(|&f| f == 0.0);
        self.pressing.clear();
        self.pressing.extend(self.start.iter().map(|&f| cold || f > 0.0));
        self.forces.clear();
        self.forces.resize(view.jacobians.len(), 0.0);
    }

    /// Extrapolates the last step while the residual does not grow: proximal steps are slow along
    /// nearly redundant contacts. True if it did.
    fn extrapolate(&mut self, view: &View, residual: f64) -> bool {
        let (mut factor, mut extended) = (2.0, false);
        self.target.clone_from(&self.forces);
        while factor < MAX_EXTRAPOLATION {
            for (f, (to, from)) in self.forces.iter_mut().zip(self.target.iter().zip(&self.start)) {
                *f = (from + factor * (to - from)).max(0.0);
            }
            let there = self.evaluate_proposal(view);
            if there.is_nan() || there >= DIRECT_NEWTON.flat_growth * residual {
                break;
            }
            extended = true;
            factor *= 2.0;
        }
        factor *= 0.5;
        for (f, (to, from)) in self.forces.iter_mut().zip(self.target.iter().zip(&self.start)) {
            *f = if extended { (from + factor * (to - from)).max(0.0) } else { *to };
        }
        if extended {
            for (pressing, &f) in self.pressing.iter_mut().zip(&self.forces) {
                *pressing = f > 0.0;
            }
        }
        extended
    }

    /// Finds the set of one proximal step, and its forces. False if it was not found.
    fn find_set(&mut self, view: &View, pattern: &Pattern, eps: f64) -> bool {
        self.x.fill([0.0; 6]);
        for (row, &f) in view.jacobians.iter().zip(&self.start) {
            row.add_normal_transposed(f, &mut self.x);
        }
        let (mut fewest, mut patience) = (usize::MAX, PATIENCE);
        for _ in 0..SEARCH_BUDGET.moving_iterations {
            if !self.factor_set(view, pattern, eps) {
                return false;
            }
            // Twice: the second step removes the rounding of the first.
            for _ in 0..2 {
                self.newton_step(view, pattern, eps);
            }
            let mut wrong = 0;
            let mut last_wrong = 0;
            for i in 0..view.jacobians.len() {
                if self.is_wrong(i) {
                    wrong += 1;
                    last_wrong = i;
                }
            }
            if wrong == 0 {
                for (f, &pressing) in self.forces.iter_mut().zip(&self.pressing) {
                    *f = if pressing { f.max(0.0) } else { 0.0 };
                }
                return true;
            }
            if wrong < fewest {
                fewest = wrong;
                patience = PATIENCE;
            } else if patience > 0 {
                patience -= 1;
            } else {
                self.pressing[last_wrong] = !self.pressing[last_wrong];
                continue;
            }
            for i in 0..view.jacobians.len() {
                if self.is_wrong(i) {
                    self.pressing[i] = !self.pressing[i];
                }
            }
        }
        false
    }

    /// True for a pressing contact that pulls, or an open one that should press.
    fn is_wrong(&self, i: usize) -> bool {
        self.pressing[i] != (self.forces[i] > 0.0)
    }

    /// One Newton step for the bodies' state with a fixed set, and its forces: for a contact
    /// outside the set, the force it would have.
    fn newton_step(&mut self, view: &View, pattern: &Pattern, eps: f64) {
        self.gradient.copy_from_slice(&self.x);
        for (i, row) in view.jacobians.iter().enumerate() {
            if self.pressing[i] {
                let f = self.force(view, i, eps);
                row.add_normal_transposed(-f, &mut self.gradient);
            }
        }
        self.factor.solve(pattern, &self.gradient, &mut self.step);
        for (x, s) in self.x.iter_mut().zip(&self.step) {
            add_scaled(x, -1.0, s);
        }
        for i in 0..view.jacobians.len() {
            self.forces[i] = self.force(view, i, eps);
        }
    }

    #[inline(always)]
    fn force(&self, view: &View, i: usize, eps: f64) -> f64 {
        self.start[i] - (view.jacobians[i].apply_normal(&self.x) + view.offsets[i].x) / (eps * view.compliance[i])
    }

    fn factor_set(&mut self, view: &View, pattern: &Pattern, eps: f64) -> bool {
        if self.factored == self.pressing && self.factored_softness == eps {
            return true;
        }
        self.factor.reset(pattern, Symmetry::Symmetric);
        for (i, row) in view.jacobians.iter().enumerate() {
            if self.pressing[i] {
                self.factor.add_normal(pattern, i, row, 1.0 / (eps * view.compliance[i]));
            }
        }
        self.factorisations += 1;
        self.factored.clone_from(&self.pressing);
        self.factored_softness = eps;
        self.factor.factor(pattern)
    }

    fn evaluate_proposal(&mut self, view: &View) -> f64 {
        self.vectors.clear();
        self.vectors.extend(self.forces.iter().map(|&f| DVec3::new(f, 0.0, 0.0)));
        view.response(&self.vectors, &mut self.gradient);
        view.residual(&self.vectors, &self.gradient)
    }
}
