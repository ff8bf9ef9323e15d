//! Buffers of Newton's method, and the common parts of its stages.

use crate::math::{DMat3, DVec3};
use crate::resting::block::{Vec6, dot};
use crate::resting::block_cholesky::{Factor, Symmetry};
use crate::resting::residual::View;
use crate::resting::sparse::Pattern;
use crate::tolerances::ROUNDING;

/// End of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::resting) struct NewtonEnd {
    /// The residual of the resulting impulses.
    pub residual: f64,
    /// Outer iterations done.
    pub iterations: usize,
    /// Factorisations done.
    pub factorisations: usize,
    /// No impulses can satisfy the biases: [`Newton::infeasible`] names the contacts.
    pub infeasible: bool,
}

/// Newton's method and its buffers.
#[derive(Clone, Debug, Default)]
pub(in crate::resting) struct Newton {
    pub(super) factor: Factor,
    /// The `D_i / e_i` that the factor was made of; empty when it holds none.
    pub(super) factored: Vec<DMat3>,
    /// The bodies' state within a stage.
    pub(super) x: Vec<Vec6>,
    /// `sum J^T j` of the impulses between stages.
    pub(super) delta_v: Vec<Vec6>,
    /// The gradient, and after a solve the step.
    pub(super) gradient: Vec<Vec6>,
    pub(super) step: Vec<Vec6>,
    pub(super) trial: Vec<Vec6>,
    /// The points to be projected, the velocities' change along the step, and the weights.
    pub(super) points: Vec<DVec3>,
    pub(super) trial_points: Vec<DVec3>,
    pub(super) along: Vec<DVec3>,
    pub(super) weights: Vec<DMat3>,
    /// Impulses that the last stage proposes.
    pub(super) proposal: Vec<DVec3>,
    pub(super) best: Vec<DVec3>,
    /// Contacts without shift in the cone stage; empty unless sticking contacts are kept.
    pub(super) keeps_sticking: Vec<bool>,
    pub(super) probe: InfeasibilityProbe,
    pub(super) factorisations: usize,
    /// The limit of factorisations in a search.
    pub(super) matrices: usize,
}

/// End of a stage.
#[derive(Clone, Copy, Debug)]
pub(super) struct StageEnd {
    pub(super) steps: usize,
    pub(super) finished: bool,
}

/// Result of an infeasibility test, and its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct InfeasibilityProbe {
    /// The contacts of the infeasible ray.
    pub contacts: Vec<u32>,
    pub(super) impulses: Vec<DVec3>,
}

impl Newton {
    /// The contacts of the last infeasible ray found.
    pub fn infeasible(&self) -> &[u32] {
        &self.probe.contacts
    }

    /// Prepares a search that factors at most `matrices`.
    pub(super) fn prepare(&mut self, view: &View, matrices: usize) {
        self.factored.clear();
        self.keeps_sticking.clear();
        (self.factorisations, self.matrices) = (0, matrices);
        let (bodies, contacts) = (view.bodies + 1, view.jacobians.len());
        for list in [&mut self.x, &mut self.delta_v, &mut self.gradient, &mut self.step, &mut self.trial] {
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

    /// The residual of the proposal; leaves its `delta_v`.
    pub(super) fn evaluate_proposal(&mut self, view: &View) -> f64 {
        view.response(&self.proposal, &mut self.delta_v);
        view.residual(&self.proposal, &self.delta_v)
    }

    /// Factors `I + sum J^T W J` for the current weights, unless their factor is still there. False
    /// if a pivot fails, or the limit of factorisations is reached.
    pub(super) fn factor_weights(&mut self, view: &View, pattern: &Pattern, symmetry: Symmetry) -> bool {
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
        for (i, row) in view.jacobians.iter().enumerate() {
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
    pub(super) fn gradient_length(&self) -> f64 {
        self.gradient.iter().map(|v| dot(v, v)).sum::<f64>().sqrt()
    }
}

/// The speed unit of a view in the scaled body space.
pub(super) fn body_speed(view: &View) -> f64 {
    let most = view.compliance.iter().fold(0.0_f64, |a, &g| a.max(g));
    view.speed / most.sqrt()
}

/// True if two weights are the same to rounding.
fn same_weight(a: &DMat3, b: &DMat3) -> bool {
    let close = |p: DVec3, q: DVec3, scale: f64| {
        let d = (p - q).abs();
        d.x <= scale && d.y <= scale && d.z <= scale
    };
    let size = a.x_axis.abs().max(a.y_axis.abs()).max(a.z_axis.abs()).max_element();
    let scale = ROUNDING.solution * size;
    close(a.x_axis, b.x_axis, scale) && close(a.y_axis, b.y_axis, scale) && close(a.z_axis, b.z_axis, scale)
}
