//! Jams: biases that no impulses can satisfy, as a vice that closes on a body or a wedge driven inside its friction angle.
//!
//! There is no answer only if some direction `d` in the cones moves no body, `J^T d = 0`, and works against the
//! biases, `bias . d < 0`. The proximal iteration at a fixed softness then adds the same `d` in each iteration without
//! end, so two iterations show it.

use super::Newton;
use crate::math::DVec3;
use crate::resting::block::dot;
use crate::resting::residual::View;
use crate::resting::sparse::Pattern;
use crate::tolerances::{JAM_BIAS, JAM_ITERATIONS, JAM_MOTION, JAM_SHARE, PROX_JAM};

/// What a look for a jam found, and its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Probe {
    /// The contacts that carry the direction without end.
    pub contacts: Vec<u32>,
    impulses: Vec<DVec3>,
}

impl Newton {
    /// Looks for a jam from `impulses`, which are not changed.
    pub(super) fn find_jam(
        &mut self,
        view: &View,
        pattern: &Pattern,
        biases: &impl Fn(usize) -> DVec3,
        impulses: &[DVec3],
        tolerance: f64,
    ) -> bool {
        let mut probe = std::mem::take(&mut self.jam);
        probe.contacts.clear();
        probe.impulses.clear();
        probe.impulses.extend_from_slice(impulses);
        view.response(&probe.impulses, &mut self.image);
        let mut agreed = 0;
        for _ in 0..JAM_ITERATIONS {
            let residual = view.residual(&probe.impulses, &self.image);
            if residual < tolerance || !residual.is_finite() {
                break;
            }
            let end = self.cone_stage(view, pattern, &probe.impulses, PROX_JAM, tolerance, residual);
            for (old, new) in probe.impulses.iter_mut().zip(&self.proposal) {
                // The direction goes where the old impulses were; they are restored just below.
                *old = *new - *old;
            }
            let grows = end.finished && self.is_direction_of_jam(view, biases, &probe.impulses);
            agreed = if grows { agreed + 1 } else { 0 };
            if agreed == 2 {
                let most = view
                    .compliance
                    .iter()
                    .zip(&probe.impulses)
                    .fold(0.0_f64, |most, (g, d)| most.max(g.sqrt() * d.length()));
                let share = |i: usize| view.compliance[i].sqrt() * probe.impulses[i].length() > JAM_SHARE * most;
                probe.contacts.extend((0..probe.impulses.len()).filter(|&i| share(i)).map(|i| i as u32));
                break;
            }
            probe.impulses.copy_from_slice(&self.proposal);
            view.response(&probe.impulses, &mut self.image);
        }
        let found = !probe.contacts.is_empty();
        self.jam = probe;
        view.response(impulses, &mut self.image);
        found
    }

    /// Whether `direction` moves no body and works against the biases. Each part is measured by the most it could be.
    fn is_direction_of_jam(&mut self, view: &View, biases: &impl Fn(usize) -> DVec3, direction: &[DVec3]) -> bool {
        view.response(direction, &mut self.trial);
        let motion = self.trial[..view.bodies].iter().map(|v| dot(v, v)).sum::<f64>().sqrt();
        let (mut most, mut work, mut total) = (0.0, 0.0, 0.0);
        for (i, d) in direction.iter().enumerate() {
            most += view.compliance[i] * d.length_squared();
            work += biases(i).dot(*d);
            total += d.length();
        }
        motion < JAM_MOTION * most.sqrt() && work < -JAM_BIAS * view.speed * total
    }
}
