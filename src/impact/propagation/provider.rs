//! Source of the contacts and joints that impacts bring into a cluster.

use super::body::{ClusterBody, LinkState};
use super::gap_function::ClusterContact;
use crate::impact::linkage::Linkage;

/// Provides the contacts and the linkage of a body, once for each body, when an impact reaches it.
pub trait ContactProvider {
    /// Adds the contacts of a body that the cluster does not have yet, and the bodies at their
    /// other ends.
    fn add_contacts(&mut self, bodies: &mut Vec<ClusterBody>, contacts: &mut Vec<ClusterContact>, body: u32);

    /// Resolves the linkage of a body in the state [`LinkState::Unknown`]: adds a linkage and its
    /// bodies.
    fn add_linkage(&mut self, bodies: &mut Vec<ClusterBody>, linkages: &mut Vec<Linkage>, body: u32);
}

/// A cluster that is complete from the start.
impl ContactProvider for () {
    fn add_contacts(&mut self, _: &mut Vec<ClusterBody>, _: &mut Vec<ClusterContact>, _: u32) {}

    fn add_linkage(&mut self, bodies: &mut Vec<ClusterBody>, _: &mut Vec<Linkage>, body: u32) {
        bodies[body as usize].link = LinkState::Free;
    }
}
