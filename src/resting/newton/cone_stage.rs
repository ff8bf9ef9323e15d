//! The cone stage: one proximal step on the convex problem with de Saxcé's shift fixed.
//!
//! With `e_i = eps g_i`, `s_i = mu |u_t|` from the last outer iteration and `z_i = j_i - (u_i + s_i
//! n) / e_i`, the stage finds the zero of `F(x) = x - sum J_i^T P(z_i)`, the gradient of the convex
//! `|x|^2 / 2 + sum e_i |P(z_i)|^2 / 2`, whose Hessian is `I + sum J_i^T (D_i / e_i) J_i`.

use super::line_search::find_step;
use super::workspace::{Newton, StageEnd, body_speed};
use crate::math::{DMat3, DVec3};
use crate::resting::block::{add_scaled, dot};
use crate::resting::block_cholesky::Symmetry;
use crate::resting::cone::{project, project_with_derivative, shift};
use crate::resting::residual::View;
use crate::resting::sparse::Pattern;
use crate::tolerances::{DIRECT_NEWTON, LINEAR_PROGRAMS};

/// Most Newton steps of a cone stage. Fewer: stages with many opening contacts are cut off. More:
/// seldom of use.
const CONE_NEWTON_STEPS: usize = 20;

impl Newton {
    /// Runs the stage from `impulses`, whose `delta_v` must be current, and leaves a proposal.
    pub(super) fn cone_stage(
        &mut self,
        view: &View,
        pattern: &Pattern,
        impulses: &[DVec3],
        eps: f64,
        tolerance: f64,
        residual: f64,
    ) -> StageEnd {
        let unit = body_speed(view);
        self.x.copy_from_slice(&self.delta_v);
        for (i, row) in view.jacobians.iter().enumerate() {
            let mut u = row.apply(&self.x) + view.offsets[i];
            if !self.keeps_sticking.get(i).is_some_and(|keeps| *keeps) {
                u.x += shift(u, view.friction[i]);
            }
            self.points[i] = impulses[i] - u / (eps * view.compliance[i]);
        }
        let mut goal = 0.0;
        let mut end = StageEnd { steps: 0, finished: false };
        loop {
            self.cone_gradient(view, eps);
            let length = self.gradient_length();
            if end.steps == 0 {
                goal = (DIRECT_NEWTON.inner_reduction * length.min(residual * unit))
                    .max(DIRECT_NEWTON.inner_of_tolerance * tolerance * unit);
            }
            if length <= goal {
                end.finished = true;
                break;
            }
            if end.steps == CONE_NEWTON_STEPS || !length.is_finite() {
                break;
            }
            end.steps += 1;
            if !self.factor_weights(view, pattern, Symmetry::Symmetric) {
                break;
            }
            self.factor.solve(pattern, &self.gradient, &mut self.step);
            for (i, row) in view.jacobians.iter().enumerate() {
                self.along[i] = row.apply(&self.step);
            }
            let (mut linear, mut quadratic) = (0.0, 0.0);
            for (x, s) in self.x.iter().zip(&self.step) {
                linear += dot(x, s);
                quadratic += dot(s, s);
            }
            let slope = |a: f64| {
                let mut sum = linear - a * quadratic;
                for i in 0..view.jacobians.len() {
                    let z = self.points[i] + self.along[i] * (a / (eps * view.compliance[i]));
                    sum -= project(z, view.friction[i]).dot(self.along[i]);
                }
                sum
            };
            let at_start: f64 = self.gradient.iter().zip(&self.step).map(|(g, s)| dot(g, s)).sum();
            let a = find_step(slope, at_start);
            for (x, s) in self.x.iter_mut().zip(&self.step) {
                add_scaled(x, -a, s);
            }
            for i in 0..view.jacobians.len() {
                self.points[i] += self.along[i] * (a / (eps * view.compliance[i]));
            }
        }
        for i in 0..view.jacobians.len() {
            self.proposal[i] = project(self.points[i], view.friction[i]);
        }
        end
    }

    /// The impulses of springs of this softness, in units of the compliances: one proximal step
    /// from zero.
    pub fn soften(&mut self, view: &View, pattern: &Pattern, softness: f64, impulses: &mut [DVec3]) {
        self.prepare(view, usize::MAX);
        impulses.fill(DVec3::ZERO);
        self.cone_stage(view, pattern, impulses, softness, LINEAR_PROGRAMS.violation, 0.0);
        impulses.copy_from_slice(&self.proposal);
    }

    /// `F(x)` into the gradient, and the weights `D_i / e_i`.
    fn cone_gradient(&mut self, view: &View, eps: f64) {
        self.gradient.copy_from_slice(&self.x);
        for (i, row) in view.jacobians.iter().enumerate() {
            let (p, d) = project_with_derivative(self.points[i], view.friction[i]);
            self.weights[i] = if d == DMat3::ZERO { d } else { d * (1.0 / (eps * view.compliance[i])) };
            if p != DVec3::ZERO {
                row.add_transposed(-p, &mut self.gradient);
            }
        }
    }
}
