//! The cluster of one island, filled from the working set as impacts reach its bodies.

use super::cluster_fill::{Admitted, ClusterFill};
use super::context::Context;
use super::island_joints::IslandJoints;
use crate::ids::NONE;
use crate::impact::linkage::Linkage;
use crate::impact::propagation::{Cluster, ClusterBody, ClusterContact, ContactProvider, Limits, PropagationStats};
use crate::math::{DVec3, Real};
use crate::tolerances::IMPACTS;

/// The workspace of one island.
#[derive(Default)]
pub(super) struct Workspace {
    pub island: u32,
    /// Contacts that start impacts.
    pub seeds: Vec<u32>,
    /// Factor of the resting threshold relative to small islands.
    pub rest_factor: Real,
    pub cluster: Cluster,
    /// Slot of each body of the cluster, or [`NONE`] if it is immovable.
    pub slots: Vec<u32>,
    /// Contact and point of each contact of the cluster.
    pub sources: Vec<(u32, u32)>,
    pub done: PropagationStats,
    /// By body of the cluster: whether it hit an immovable body.
    pub hit_immovable: Vec<bool>,
    /// The joints of the island, and the joint of each row of the cluster's linkages.
    pub island_joints: IslandJoints,
    admitted: Admitted,
}

impl Workspace {
    /// Work of moving kinematic bodies and running surfaces in the impacts (J).
    pub(super) fn work_of_drives(&self) -> f64 {
        let Cluster { contacts, bodies, .. } = &self.cluster;
        contacts.iter().filter(|c| c.impulse != DVec3::ZERO).map(|c| c.work_of_drives(bodies)).sum()
    }

    /// Runs the impacts of the island.
    pub(super) fn run(&mut self, context: &Context, limits: &Limits) {
        let Self { island, seeds, rest_factor, cluster, slots, sources, done, hit_immovable, island_joints, admitted } =
            self;
        let rest_factor = *rest_factor;
        let island = &context.islands.islands[*island as usize];
        island_joints.spare.append(&mut cluster.linkages);
        cluster.clear();
        slots.clear();
        sources.clear();
        admitted.first_body = island.bodies.0;
        admitted.first_contact = island.contacts.0;
        admitted.index.clear();
        admitted.index.resize(island.body_range().len(), NONE);
        admitted.contact.clear();
        admitted.contact.resize(island.contact_range().len(), false);
        // One body stands for all immovable ones.
        cluster.bodies.push(ClusterBody::FIXED);
        slots.push(NONE);
        island_joints.begin(context, island);
        let plastic_rest = f64::from(context.plastic_rest(island));
        let mut fill = ClusterFill { context, rest_factor, plastic_rest, slots, sources, island_joints, admitted };
        let mut slowest = limits.threshold;
        for &contact in seeds.iter() {
            let c = &context.graph.contacts[contact as usize];
            let manifold = &context.graph.manifolds[c.manifold as usize];
            slowest = slowest.max(f64::from(context.threshold(c, manifold.normal, rest_factor)));
            // The check holds only before the first impact: contacts reached later are added
            // without it.
            if context.may_touch_rotating(c, manifold) {
                fill.admit(contact, &mut cluster.bodies, &mut cluster.contacts);
            }
        }
        let fastest = cluster.bodies.iter().map(|b| b.velocity.length()).fold(0.0, f64::max);
        let limits = Limits { threshold: slowest.max(IMPACTS.noise * fastest), ..*limits };
        *done = cluster.run_with_provider(&limits, &mut fill);
        if done.unfinished > 0 {
            cluster.begin_unfinished_anew(&limits);
        }
        hit_immovable.clear();
        hit_immovable.resize(cluster.bodies.len(), false);
        for c in cluster.contacts.iter().filter(|c| c.impacts > 0) {
            let [a, b] = [c.a, c.b].map(|body| body as usize);
            hit_immovable[a] |= cluster.bodies[b].is_immovable();
            hit_immovable[b] |= cluster.bodies[a].is_immovable();
        }
    }
}

impl ContactProvider for ClusterFill<'_> {
    fn add_contacts(&mut self, bodies: &mut Vec<ClusterBody>, contacts: &mut Vec<ClusterContact>, body: u32) {
        let place = self.context.place[self.slots[body as usize] as usize] as usize;
        for i in self.context.first[place]..self.context.first[place + 1] {
            self.admit(self.context.of_body[i as usize], bodies, contacts);
        }
    }

    fn add_linkage(&mut self, bodies: &mut Vec<ClusterBody>, linkages: &mut Vec<Linkage>, body: u32) {
        self.add_linkage_of(self.slots[body as usize], bodies, linkages);
    }
}
