//! Linkages of bodies before their first impact.

use super::body::LinkState;
use super::cluster::Cluster;
use super::provider::ContactProvider;
use crate::impact::linkage::VelocityChange;

impl Cluster {
    /// Looks up the linkages of the bodies of `self.group`. Returns whether velocities have
    /// changed.
    pub(super) fn link_group(&mut self, provider: &mut impl ContactProvider) -> bool {
        let mut changed = false;
        for i in 0..self.group.len() {
            changed |= self.link_bodies(self.group[i], provider);
        }
        changed
    }

    /// Looks up the linkages of a contact's bodies, and projects the velocities of linkages that
    /// have had no impact onto their constraints. Returns whether there were any.
    pub(super) fn link_bodies(&mut self, contact: u32, provider: &mut impl ContactProvider) -> bool {
        let c = self.contacts[contact as usize];
        for body in [c.a, c.b] {
            if self.bodies[body as usize].link == LinkState::Unknown {
                provider.add_linkage(&mut self.bodies, &mut self.linkages, body);
                self.add_new();
            }
        }
        let [a, b] = [c.a, c.b].map(|body| self.bodies[body as usize].link.linkage());
        let is_unprojected = |&linkage: &u32| !self.linkages[linkage as usize].is_projected();
        let unprojected = [a, b.filter(|_| b != a)].map(|linkage| linkage.filter(is_unprojected));
        if unprojected == [None; 2] || self.is_unaffected_by_joints(&c) {
            return false;
        }
        for linkage in unprojected.into_iter().flatten() {
            self.project_linkage(linkage);
        }
        true
    }

    /// Replaces the velocities of a linkage by the nearest ones that satisfy its joints. No impact
    /// then gains energy from a constraint velocity left by rounding or by the last step.
    fn project_linkage(&mut self, linkage: u32) {
        let linkage = &mut self.linkages[linkage as usize];
        linkage.clear_changes();
        for index in 0..linkage.bodies().len() {
            let body = &self.bodies[linkage.bodies()[index] as usize];
            linkage.add_change(index as u32, VelocityChange { linear: body.velocity, angular: body.angular_velocity });
        }
        linkage.project_velocities();
        for (&body, allowed) in linkage.bodies().iter().zip(linkage.changes()) {
            let body = &mut self.bodies[body as usize];
            (body.velocity, body.angular_velocity) = (allowed.linear, allowed.angular);
        }
    }
}
