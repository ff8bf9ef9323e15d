//! Proximal block pivoting: the complementarity problem of a frictionless island.
//!
//! Softened by a proximal term, `w = M f + b + e (f - f_last) >= 0`, `f >= 0`, `w f = 0` has one answer, and it is a
//! question of which contacts press. Guess a set, solve it, and move every contact that came out wrong to the other side
//! (Júdice and Pires, "Basic-set algorithm for a generalized linear complementarity problem", 1992); where that goes
//! round in circles move only the last one (Murty), which cannot. Repeating the proximal step takes the softness out
//! again. The matrix is `M + e` on the set, factored in body space, so redundant contacts are welcome.

use super::block::{Vec6, add_scaled};
use super::block_cholesky::{Factor, Symmetry};
use super::residual::View;
use super::sparse::Pattern;
use crate::math::DVec3;
use crate::tolerances::*;

/// How a search ended.
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
    /// Which contacts press, and which did when the factor was made.
    pressing: Vec<bool>,
    factored: Vec<bool>,
    factored_softness: f64,
    start: Vec<f64>,
    forces: Vec<f64>,
    best: Vec<f64>,
    reach: Vec<f64>,
    x: Vec<Vec6>,
    gradient: Vec<Vec6>,
    step: Vec<Vec6>,
    vectors: Vec<DVec3>,
    factorisations: usize,
}

impl Pivoting {
    /// Searches from the normal parts of `impulses`, which also give the first guess of the set, and leaves the best found. At a
    /// cold start every contact is taken to press: contacts that vanish are rare.
    pub fn solve(&mut self, view: &View, pattern: &Pattern, impulses: &mut [DVec3], tolerance: f64) -> PivotingEnd {
        self.begin(view, impulses);
        self.best.clone_from(&self.start);
        let (mut eps, mut least) = (PIVOT_SOFTNESS, f64::INFINITY);
        let (mut last, mut failures) = (f64::INFINITY, 0);
        let mut end = PivotingEnd::default();
        for outer in 1..=PIVOT_ITERATIONS {
            end.iterations = outer;
            let made = self.factorisations;
            if !self.find_set(view, pattern, eps) {
                failures += 1;
                if failures > PIVOT_FAILURES {
                    break;
                }
                // A softer step asks less of the set.
                eps *= 10.0;
                self.start.copy_from_slice(&self.best);
                self.pressing.clear();
                self.pressing.extend(self.start.iter().map(|&f| f > 0.0));
                continue;
            }
            let residual = self.judge(view);
            if residual.is_nan() || residual >= PIVOT_LOSS * least {
                break;
            }
            if residual < least {
                least = residual;
                self.best.copy_from_slice(&self.forces);
            }
            if least < tolerance {
                break;
            }
            if residual > PIVOT_GAIN * last {
                let far = residual > STRIDE_ABOVE * last && self.stride(view, residual);
                let settled = self.factorisations == made && eps <= PIVOT_SOFTNESS_LEAST;
                if settled && !far {
                    // The set is right, and what is left is the rounding of a stiff step: a soft one takes it off.
                    eps = PIVOT_SOFTNESS;
                } else {
                    eps = (0.1 * eps).max(PIVOT_SOFTNESS_LEAST);
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

    /// The forces of springs of this softness (in units of each contact's own compliance), that push and never pull: one
    /// proximal step from nothing. Unlike those of rigid contacts they are unique, and bounded where contacts contradict
    /// each other. False if they were not found; the impulses are then as they were.
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

    /// Readies the buffers for a search from the normal parts of `impulses`.
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
        self.forces.resize(view.rows.len(), 0.0);
    }

    /// Goes on in the direction of the last step while the residual does not grow: nearly redundant contacts leave directions
    /// along which proximal steps crawl. True if it did.
    fn stride(&mut self, view: &View, residual: f64) -> bool {
        let (mut stride, mut gone) = (2.0, false);
        self.reach.clone_from(&self.forces);
        while stride < STRIDE_MOST {
            for (f, (to, from)) in self.forces.iter_mut().zip(self.reach.iter().zip(&self.start)) {
                *f = (from + stride * (to - from)).max(0.0);
            }
            let there = self.judge(view);
            if there.is_nan() || there >= STRIDE_LOSS * residual {
                break;
            }
            gone = true;
            stride *= 2.0;
        }
        stride *= 0.5;
        for (f, (to, from)) in self.forces.iter_mut().zip(self.reach.iter().zip(&self.start)) {
            *f = if gone { (from + stride * (to - from)).max(0.0) } else { *to };
        }
        if gone {
            for (pressing, &f) in self.pressing.iter_mut().zip(&self.forces) {
                *pressing = f > 0.0;
            }
        }
        gone
    }

    /// Finds the set of one proximal step, and its forces. False if it was not found.
    fn find_set(&mut self, view: &View, pattern: &Pattern, eps: f64) -> bool {
        self.x.fill([0.0; 6]);
        for (row, &f) in view.rows.iter().zip(&self.start) {
            row.add_normal_transposed(f, &mut self.x);
        }
        let (mut fewest, mut patience) = (usize::MAX, PIVOT_PATIENCE);
        for _ in 0..PIVOT_STEPS {
            if !self.factor_set(view, pattern, eps) {
                return false;
            }
            // Twice, as the second time takes off the rounding of the first.
            for _ in 0..2 {
                self.newton_step(view, pattern, eps);
            }
            let mut wrong = 0;
            let mut last_wrong = 0;
            for i in 0..view.rows.len() {
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
                patience = PIVOT_PATIENCE;
            } else if patience > 0 {
                patience -= 1;
            } else {
                self.pressing[last_wrong] = !self.pressing[last_wrong];
                continue;
            }
            for i in 0..view.rows.len() {
                if self.is_wrong(i) {
                    self.pressing[i] = !self.pressing[i];
                }
            }
        }
        false
    }

    /// Whether a contact that presses pulls, or one that does not should.
    fn is_wrong(&self, i: usize) -> bool {
        self.pressing[i] != (self.forces[i] > 0.0)
    }

    /// One Newton step for the bodies' state with the set held, and the forces that go with it: for a contact outside
    /// the set, the force it would have.
    fn newton_step(&mut self, view: &View, pattern: &Pattern, eps: f64) {
        self.gradient.copy_from_slice(&self.x);
        for (i, row) in view.rows.iter().enumerate() {
            if self.pressing[i] {
                let f = self.force(view, i, eps);
                row.add_normal_transposed(-f, &mut self.gradient);
            }
        }
        self.factor.solve(pattern, &self.gradient, &mut self.step);
        for (x, s) in self.x.iter_mut().zip(&self.step) {
            add_scaled(x, -1.0, s);
        }
        for i in 0..view.rows.len() {
            self.forces[i] = self.force(view, i, eps);
        }
    }

    #[inline(always)]
    fn force(&self, view: &View, i: usize, eps: f64) -> f64 {
        self.start[i] - (view.rows[i].apply_normal(&self.x) + view.offsets[i].x) / (eps * view.compliance[i])
    }

    fn factor_set(&mut self, view: &View, pattern: &Pattern, eps: f64) -> bool {
        if self.factored == self.pressing && self.factored_softness == eps {
            return true;
        }
        self.factor.reset(pattern, Symmetry::Symmetric);
        for (i, row) in view.rows.iter().enumerate() {
            if self.pressing[i] {
                self.factor.add_normal(pattern, i, row, 1.0 / (eps * view.compliance[i]));
            }
        }
        self.factorisations += 1;
        self.factored.clone_from(&self.pressing);
        self.factored_softness = eps;
        self.factor.factor(pattern)
    }

    fn judge(&mut self, view: &View) -> f64 {
        self.vectors.clear();
        self.vectors.extend(self.forces.iter().map(|&f| DVec3::new(f, 0.0, 0.0)));
        view.response(&self.vectors, &mut self.gradient);
        view.residual(&self.vectors, &self.gradient)
    }
}
