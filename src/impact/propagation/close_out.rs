//! What is left when the work of a cluster comes to its bound.

use super::queue::Event;
use super::{Around, Cluster, ClusterContact, Limits, Part, Patch};
use crate::tolerances::CLOSE_OUT_SWEEPS;

/// Buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct CloseOut {
    /// The impulse along the normal of each contact so far (N s).
    pushes: Vec<f64>,
    /// Contacts to press on in this sweep.
    active: Vec<u32>,
    /// Bodies that this sweep has pushed.
    pushed: Vec<u32>,
}

impl Cluster {
    /// From the moment of `event` on, no contact may approach faster than its gap takes until the step's end. Impulses along
    /// the normals from zero, by Gauss and Seidel's sweeps, first over what waits in the queue, then over what those
    /// impulses disturb: each lowers the kinetic energy, so that stopping early can only lose some. Returns how many
    /// contacts waited.
    pub(super) fn close_out(&mut self, event: Event, limits: &Limits, around: &mut impl Around) -> u32 {
        let t = event.moment();
        let mut work = std::mem::take(&mut self.close_out);
        work.pushes.clear();
        work.pushes.resize(self.contacts.len(), 0.0);
        work.active.clear();
        work.active.push(event.contact);
        while let Some(event) = self.queue.pop() {
            work.active.push(event.contact);
        }
        let left = work.active.len() as u32;
        for _ in 0..CLOSE_OUT_SWEEPS {
            work.active.sort_unstable();
            work.active.dedup();
            work.pushed.clear();
            for &contact in &work.active {
                self.hold_bodies(contact, around);
                if self.press(contact as usize, t, limits, &mut work.pushes[contact as usize]) {
                    let ClusterContact { a, b, .. } = self.contacts[contact as usize];
                    for body in [a, b] {
                        match self.bodies[body as usize].held.linkage() {
                            Some(linkage) => work.pushed.extend(self.linkages[linkage as usize].bodies()),
                            None => work.pushed.push(body),
                        }
                    }
                }
            }
            work.pushed.sort_unstable();
            work.pushed.dedup();
            work.active.clear();
            for &body in &work.pushed {
                let part = self.parts[body as usize];
                if part != Part::UNEXPANDED {
                    let patches = self.around[part.range()].iter().map(|&patch| &self.patches[patch as usize]);
                    work.active.extend(patches.flat_map(Patch::contacts));
                }
            }
            if work.active.is_empty() {
                break;
            }
        }
        self.close_out = work;
        left
    }

    /// Corrects the impulse of one contact; whether it changed.
    fn press(&mut self, contact: usize, t: f64, limits: &Limits, push: &mut f64) -> bool {
        let now = self.rows[contact].at(&self.bodies, t);
        let left = limits.horizon - t;
        let room = if now.gap <= limits.touch { 0.0 } else { now.gap / left };
        let closing = now.rate + room;
        if *push == 0.0 && closing >= 0.0 {
            return false;
        }
        if *push == 0.0 {
            self.turn_to(contact, t);
        }
        let c = self.contacts[contact];
        let yielding = self.coupling(&c, &c);
        if yielding <= 0.0 {
            return false;
        }
        let new = (*push - closing / yielding).max(0.0);
        let change = new - *push;
        *push = new;
        if change == 0.0 {
            return false;
        }
        let impulse = c.normal * change;
        self.give(contact, impulse, t);
        self.contacts[contact].impulse += impulse;
        true
    }
}
