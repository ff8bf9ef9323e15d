//! A cluster: bodies, contacts and linkages, with the data of their events.

use super::body::ClusterBody;
use super::gap_function::{ClusterContact, Gap, GapFunction};
use super::manifold_points::ManifoldPoints;
use super::provider::ContactProvider;
use super::queue::Queue;
use crate::impact::linkage::{Linkage, VelocityChange};
use crate::math::DMat3;
use std::ops::Range;

/// Bodies and the contacts between them. The buffers are reused.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// The bodies.
    pub bodies: Vec<ClusterBody>,
    /// The contacts.
    pub contacts: Vec<ClusterContact>,
    /// Groups of jointed bodies.
    pub linkages: Vec<Linkage>,
    /// Velocity changes of the impulse under evaluation, by body.
    pub(super) changes: Vec<(u32, VelocityChange)>,
    pub(super) gap_functions: Vec<GapFunction>,
    pub(super) manifolds: Vec<ManifoldPoints>,
    pub(super) queue: Queue,
    /// Linked lists of manifolds by body: the last manifold of each body, and for each manifold the
    /// previous one of either of its bodies.
    pub(super) last_manifold: Vec<u32>,
    pub(super) previous_manifold: Vec<[u32; 2]>,
    /// Manifolds of the expanded bodies, concatenated, and the range of each body.
    pub(super) adjacent: Vec<u32>,
    pub(super) adjacency: Vec<Adjacency>,
    /// Contacts that collide at once.
    pub(super) group: Vec<u32>,
    /// The collision matrix of each contact, computed at its first impact.
    pub(super) responses: Vec<ContactResponse>,
    pub(super) plastic_finish: PlasticFinish,
}

/// The end of a list.
pub(super) const END: u32 = u32::MAX;

/// The manifolds of a body in [`Cluster::adjacent`], and the number of their contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Adjacency {
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) contacts: u32,
}

impl Adjacency {
    /// An immovable body.
    pub const NONE: Self = Self { first: 0, end: 0, contacts: 0 };

    /// A body whose contacts have not been added yet.
    pub const UNEXPANDED: Self = Self { first: END, end: END, contacts: 0 };

    pub fn range(self) -> Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// Buffers of the plastic end.
#[derive(Clone, Debug, Default)]
pub(super) struct PlasticFinish {
    /// Accumulated normal impulse of each contact (N s).
    pub(super) impulses: Vec<f64>,
    /// Contacts of this sweep.
    pub(super) active: Vec<u32>,
    /// Bodies that this sweep has changed.
    pub(super) changed: Vec<u32>,
}

/// The collision matrix of a contact, cached from its first impact on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum ContactResponse {
    /// Not computed yet.
    #[default]
    Unknown,
    /// The collision matrix in the contact's frame is constant: the normal is fixed, or both bodies
    /// are balls with isotropic inertia.
    Constant(DMat3),
    /// Constant, and the joints of its bodies do not react.
    WithoutJoints(DMat3),
    /// To be computed for each impact: balls with anisotropic inertia.
    PerImpact,
}

/// The rule for contacts that close at the same moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SimultaneousRule {
    /// One after the other, by their keys.
    #[default]
    Sequential,
    /// Contacts of equal approach at once, by Poisson's law along their normals: symmetric impacts
    /// stay symmetric.
    Batch,
    /// All touching contacts at once, by Newton's simultaneous law along their normals (Baber 2006,
    /// end of section 3.4).
    Simultaneous,
}

/// Bounds and thresholds of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Length of the step (s).
    pub horizon: f64,
    /// Slower approach is no impact (m/s).
    pub threshold: f64,
    /// Gaps up to this are touching (m).
    pub touch: f64,
    /// Maximum number of impacts of one contact with restitution.
    pub per_contact: u32,
    /// Maximum work: each impact counts one, and so does each contact that it updates.
    pub visits: u64,
    /// Rule for contacts that close at the same moment.
    pub simultaneous: SimultaneousRule,
}

/// Statistics of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PropagationStats {
    /// Impacts solved.
    pub impacts: u32,
    /// Contacts that reached their bound, or still approached when the budget was used up: they
    /// went on plastically.
    pub unfinished: u32,
    /// Number of contact updates.
    pub visits: u64,
}

impl Cluster {
    /// Removes all bodies, contacts and linkages; keeps the buffers.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.contacts.clear();
        self.linkages.clear();
    }

    /// The change of a contact's gap at the step's start by extrapolation (m), a result of impacts
    /// within the step; not for balls.
    pub fn gap_shift(&self, contact: usize) -> f64 {
        self.gap_functions[contact].bounded_change(&self.bodies, 0.0)
    }

    /// The gap of a contact at the moment `t`, valid from its last impact on. Rotation, however far,
    /// moves no point of a body by more than twice its arm.
    pub fn gap(&self, contact: usize, t: f64) -> Gap {
        self.gap_functions[contact].bounded_gap_at(&self.bodies, t)
    }

    /// Lets the bodies of contacts that still approach, and would overlap at the end, begin at their
    /// last impacts ([`ClusterBody::begin_at_last_impact`]).
    pub(crate) fn begin_unfinished_anew(&mut self, limits: &Limits) {
        let mut unfinished = vec![false; self.bodies.len()];
        for (contact, c) in self.contacts.iter().enumerate() {
            let [a, b] = [c.a, c.b].map(|body| body as usize);
            let last = self.bodies[a].last_impact.max(self.bodies[b].last_impact);
            let approaches = self.gap(contact, last).rate < -self.gap_functions[contact].rest_speed;
            if approaches && self.gap(contact, limits.horizon).gap < -limits.touch {
                (unfinished[a], unfinished[b]) = (true, true);
            }
        }
        for (body, _) in self.bodies.iter_mut().zip(unfinished).filter(|(body, is)| *is && !body.is_immovable()) {
            body.begin_at_last_impact();
        }
    }

    pub(super) fn reset(&mut self) {
        self.queue.clear();
        self.gap_functions.clear();
        self.manifolds.clear();
        self.previous_manifold.clear();
        self.last_manifold.clear();
        self.adjacent.clear();
        self.adjacency.clear();
        self.responses.clear();
        self.add_new();
    }

    /// Adds new bodies and contacts to the index.
    pub(super) fn add_new(&mut self) {
        self.last_manifold.resize(self.bodies.len(), END);
        self.adjacency.resize(self.bodies.len(), Adjacency::UNEXPANDED);
        self.queue.resize(self.contacts.len());
        self.responses.resize(self.contacts.len(), ContactResponse::default());
        let linked = self.manifolds.len();
        for contact in self.gap_functions.len()..self.contacts.len() {
            let c = &self.contacts[contact];
            self.gap_functions.push(GapFunction::new(c));
            if self.manifolds[linked..].last_mut().is_some_and(|manifold| manifold.try_push(c)) {
                continue;
            }
            let mut before = [END; 2];
            for (before, body) in before.iter_mut().zip([c.a, c.b]) {
                *before = std::mem::replace(&mut self.last_manifold[body as usize], self.manifolds.len() as u32);
            }
            self.previous_manifold.push(before);
            self.manifolds.push(ManifoldPoints::new(contact, c));
        }
    }

    /// Adds the contacts of a body, once. Immovable bodies add none, for no impulse moves them.
    pub(super) fn expand(&mut self, body: u32, provider: &mut impl ContactProvider) -> Adjacency {
        let at = body as usize;
        if self.bodies[at].is_immovable() {
            return Adjacency::NONE;
        }
        if self.adjacency[at] == Adjacency::UNEXPANDED {
            provider.add_contacts(&mut self.bodies, &mut self.contacts, body);
            self.add_new();
            let first = self.adjacent.len() as u32;
            let mut contacts = 0;
            let mut next = self.last_manifold[at];
            while next != END {
                let manifold = &self.manifolds[next as usize];
                self.adjacent.push(next);
                contacts += manifold.count() as u32;
                next = self.previous_manifold[next as usize][usize::from(manifold.b == body)];
            }
            self.adjacency[at] = Adjacency { first, end: self.adjacent.len() as u32, contacts };
        }
        self.adjacency[at]
    }
}
