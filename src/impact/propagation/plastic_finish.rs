//! Plastic end of a run whose work budget is used up.

use super::cluster::{Adjacency, Cluster, Limits};
use super::gap_function::ClusterContact;
use super::manifold_points::ManifoldPoints;
use super::provider::ContactProvider;
use super::queue::Event;

/// Gauss-Seidel sweeps over the remaining approach of an island whose work is used up. More: only
/// cost. Fewer: more approach is left to the solver. Any number only loses energy.
const PLASTIC_SWEEPS: u32 = 8;

impl Cluster {
    /// From the moment of `event` on, no contact may approach faster than its gap allows until the
    /// step's end. Projected Gauss-Seidel sweeps over normal impulses that start from zero, first
    /// over the queued contacts, then over those that the impulses disturb. Each sweep lowers the
    /// kinetic energy, so early termination only loses energy. Returns the number of queued
    /// contacts.
    pub(super) fn finish_plastic(&mut self, event: Event, limits: &Limits, provider: &mut impl ContactProvider) -> u32 {
        let t = event.moment();
        let mut work = std::mem::take(&mut self.plastic_finish);
        work.impulses.clear();
        work.impulses.resize(self.contacts.len(), 0.0);
        work.active.clear();
        work.active.push(event.contact);
        while let Some(event) = self.queue.pop() {
            work.active.push(event.contact);
        }
        let left = work.active.len() as u32;
        for _ in 0..PLASTIC_SWEEPS {
            work.active.sort_unstable();
            work.active.dedup();
            work.changed.clear();
            for &contact in &work.active {
                self.link_bodies(contact, provider);
                if self.correct_plastic(contact as usize, t, limits, &mut work.impulses[contact as usize]) {
                    let ClusterContact { a, b, .. } = self.contacts[contact as usize];
                    for body in [a, b] {
                        match self.bodies[body as usize].link.linkage() {
                            Some(linkage) => work.changed.extend(self.linkages[linkage as usize].bodies()),
                            None => work.changed.push(body),
                        }
                    }
                }
            }
            work.changed.sort_unstable();
            work.changed.dedup();
            work.active.clear();
            for &body in &work.changed {
                let adjacency = self.adjacency[body as usize];
                if adjacency != Adjacency::UNEXPANDED {
                    let manifolds =
                        self.adjacent[adjacency.range()].iter().map(|&manifold| &self.manifolds[manifold as usize]);
                    work.active.extend(manifolds.flat_map(ManifoldPoints::contacts));
                }
            }
            if work.active.is_empty() {
                break;
            }
        }
        self.plastic_finish = work;
        left
    }

    /// Corrects the normal impulse of one contact. Returns whether it changed.
    fn correct_plastic(&mut self, contact: usize, t: f64, limits: &Limits, normal_impulse: &mut f64) -> bool {
        let now = self.gap_functions[contact].gap_at(&self.bodies, t);
        let left = limits.horizon - t;
        let room = if now.gap <= limits.touch { 0.0 } else { now.gap / left };
        let closing = now.rate + room;
        if *normal_impulse == 0.0 && closing >= 0.0 {
            return false;
        }
        if *normal_impulse == 0.0 {
            self.update_ball_normal(contact, t);
        }
        let c = self.contacts[contact];
        let response = self.normal_response(&c);
        if response <= 0.0 {
            return false;
        }
        let new = (*normal_impulse - closing / response).max(0.0);
        let change = new - *normal_impulse;
        *normal_impulse = new;
        if change == 0.0 {
            return false;
        }
        let impulse = c.normal * change;
        self.apply_impulse(contact, impulse, t);
        self.contacts[contact].impulse += impulse;
        true
    }
}
