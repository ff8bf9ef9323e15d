//! Infeasible biases: no impulses satisfy them, as with a vice that closes on a body or a wedge
//! driven inside its friction angle.
//!
//! There is no solution only if some direction `d` in the cones moves no body, `J^T d = 0`, and
//! works against the biases, `bias . d < 0` (a ray, by Farkas' lemma). The proximal iteration at a
//! fixed softness then adds the same `d` in each iteration, so two iterations show it.

use super::workspace::Newton;
use crate::math::DVec3;
use crate::resting::block::dot;
use crate::resting::residual::View;
use crate::resting::sparse::Pattern;
use crate::tolerances::{DIRECT_NEWTON, INFEASIBLE_SOFTNESS};

impl Newton {
    /// Tests for infeasible biases from `impulses`, which are not changed.
    pub(super) fn find_infeasibility(
        &mut self,
        view: &View,
        pattern: &Pattern,
        biases: &impl Fn(usize) -> DVec3,
        impulses: &[DVec3],
        tolerance: f64,
    ) -> bool {
        let mut probe = std::mem::take(&mut self.probe);
        probe.contacts.clear();
        probe.impulses.clear();
        probe.impulses.extend_from_slice(impulses);
        view.response(&probe.impulses, &mut self.delta_v);
        let mut agreed = 0;
        for _ in 0..DIRECT_NEWTON.stagnation_iterations {
            let residual = view.residual(&probe.impulses, &self.delta_v);
            if residual < tolerance || !residual.is_finite() {
                break;
            }
            let end = self.cone_stage(view, pattern, &probe.impulses, INFEASIBLE_SOFTNESS, tolerance, residual);
            for (old, new) in probe.impulses.iter_mut().zip(&self.proposal) {
                // The direction is stored in place of the old impulses, which are restored just
                // below.
                *old = *new - *old;
            }
            let grows = end.finished && self.is_infeasible_ray(view, biases, &probe.impulses);
            agreed = if grows { agreed + 1 } else { 0 };
            if agreed == 2 {
                let most = view
                    .compliance
                    .iter()
                    .zip(&probe.impulses)
                    .fold(0.0_f64, |most, (g, d)| most.max(g.sqrt() * d.length()));
                let share = |i: usize| {
                    view.compliance[i].sqrt() * probe.impulses[i].length() > DIRECT_NEWTON.infeasible_ray * most
                };
                probe.contacts.extend((0..probe.impulses.len()).filter(|&i| share(i)).map(|i| i as u32));
                break;
            }
            probe.impulses.copy_from_slice(&self.proposal);
            view.response(&probe.impulses, &mut self.delta_v);
        }
        let found = !probe.contacts.is_empty();
        self.probe = probe;
        view.response(impulses, &mut self.delta_v);
        found
    }

    /// True if `direction` moves no body and works against the biases. Each part is measured by its
    /// largest possible value.
    fn is_infeasible_ray(&mut self, view: &View, biases: &impl Fn(usize) -> DVec3, direction: &[DVec3]) -> bool {
        view.response(direction, &mut self.trial);
        let motion = self.trial[..view.bodies].iter().map(|v| dot(v, v)).sum::<f64>().sqrt();
        let (mut most, mut work, mut total) = (0.0, 0.0, 0.0);
        for (i, d) in direction.iter().enumerate() {
            most += view.compliance[i] * d.length_squared();
            work += biases(i).dot(*d);
            total += d.length();
        }
        motion < DIRECT_NEWTON.infeasible_ray * most.sqrt() && work < -DIRECT_NEWTON.infeasible_ray * view.speed * total
    }
}
