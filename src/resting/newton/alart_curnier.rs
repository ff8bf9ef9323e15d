//! The Alart-Curnier stage: a proximal step with their projection, whose zeros obey Coulomb's law
//! without a shift.
//!
//! The matrix is not symmetric for slipping contacts, and there is no function to descend. Close to
//! the solution none is needed; far from it the cone stage is used.

use super::workspace::{Newton, StageEnd, body_speed};
use crate::math::{DMat3, DVec3};
use crate::resting::block::add_scaled;
use crate::resting::block_cholesky::Symmetry;
use crate::resting::cone::{project_disc, project_disc_with_derivative};
use crate::resting::residual::View;
use crate::resting::sparse::Pattern;
use crate::tolerances::DIRECT_NEWTON;

/// Most halvings of an Alart-Curnier step whose gradient does not decrease.
const MAX_HALVINGS: usize = 6;

impl Newton {
    /// Runs the stage from `impulses`, whose `delta_v` must be current, and leaves a proposal.
    pub(super) fn alart_curnier_stage(
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
            let u = row.apply(&self.x) + view.offsets[i];
            self.points[i] = impulses[i] - u / (eps * view.compliance[i]);
        }
        let mut end = StageEnd { steps: 0, finished: false };
        self.disc_gradient(view);
        let mut length = self.gradient_length();
        let goal = (DIRECT_NEWTON.inner_reduction * length.min(residual * unit))
            .max(DIRECT_NEWTON.inner_of_tolerance * tolerance * unit);
        while end.steps < DIRECT_NEWTON.attempts {
            if length <= goal {
                end.finished = true;
                break;
            }
            end.steps += 1;
            let symmetry = self.weigh_discs(view, eps);
            if !self.factor_weights(view, pattern, symmetry) {
                break;
            }
            self.factor.solve(pattern, &self.gradient, &mut self.step);
            for (i, row) in view.jacobians.iter().enumerate() {
                self.along[i] = row.apply(&self.step);
            }
            self.trial.copy_from_slice(&self.x);
            self.trial_points.copy_from_slice(&self.points);
            let mut a = 1.0;
            let mut shorter = f64::NAN;
            for _ in 0..=MAX_HALVINGS {
                for (x, (from, s)) in self.x.iter_mut().zip(self.trial.iter().zip(&self.step)) {
                    *x = *from;
                    add_scaled(x, -a, s);
                }
                for i in 0..view.jacobians.len() {
                    self.points[i] = self.trial_points[i] + self.along[i] * (a / (eps * view.compliance[i]));
                }
                self.disc_gradient(view);
                shorter = self.gradient_length();
                if shorter < length {
                    break;
                }
                a *= 0.5;
            }
            if shorter.is_nan() || shorter >= length {
                self.x.copy_from_slice(&self.trial);
                self.points.copy_from_slice(&self.trial_points);
                break;
            }
            length = shorter;
        }
        for i in 0..view.jacobians.len() {
            self.proposal[i] = project_disc(self.points[i], view.friction[i]);
        }
        end
    }

    /// `x - sum J^T lambda` into the gradient.
    fn disc_gradient(&mut self, view: &View) {
        self.gradient.copy_from_slice(&self.x);
        for (i, row) in view.jacobians.iter().enumerate() {
            let p = project_disc(self.points[i], view.friction[i]);
            if p != DVec3::ZERO {
                row.add_transposed(-p, &mut self.gradient);
            }
        }
    }

    /// The weights of the current points. General only if a contact slips, as Cholesky is cheaper
    /// than LU.
    fn weigh_discs(&mut self, view: &View, eps: f64) -> Symmetry {
        let mut symmetry = Symmetry::Symmetric;
        for i in 0..view.jacobians.len() {
            let (_, d) = project_disc_with_derivative(self.points[i], view.friction[i]);
            if d.x_axis.y != 0.0 || d.x_axis.z != 0.0 {
                symmetry = Symmetry::General;
            }
            self.weights[i] = if d == DMat3::ZERO { d } else { d * (1.0 / (eps * view.compliance[i])) };
        }
        symmetry
    }
}
