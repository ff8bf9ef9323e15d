//! One island's cluster: filled from the working set as impacts reach its bodies.

use super::Context;
use super::linkages::Joined;
use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::components::{ImpactLaw, LockedAxes, Material};
use crate::contact::kernels::Geometry;
use crate::contact::{Pair, Status};
use crate::impact::linkage::Linkage;
use crate::impact::propagation::{Around, Cluster, ClusterBody, ClusterContact, Held, Limits, Propagated, SingleLaw};
use crate::index::NONE;
use crate::math::{DMat3, DVec3, Mat3, Real, Vec3, to_f64};
use crate::tolerances::IMPACT_NOISE;

/// The work of one island, and its buffers.
#[derive(Default)]
pub(super) struct Workspace {
    pub island: u32,
    /// Contacts that may collide by themselves.
    pub seeds: Vec<u32>,
    /// How many times faster approach may be than in small islands, and still be rest.
    pub heap: Real,
    pub cluster: Cluster,
    /// The slot of each body of the cluster, or [`NONE`] where nothing moves it.
    pub slots: Vec<u32>,
    /// The contact and point of each contact of the cluster.
    pub sources: Vec<(u32, u32)>,
    pub done: Propagated,
    /// By body of the cluster: whether it hit something that nothing moves.
    pub stopped: Vec<bool>,
    /// What joins the bodies of the island, and the joint of each row of the cluster's linkages.
    pub joined: Joined,
    admitted: Admitted,
}

/// Which bodies and contacts of the island are in the cluster.
#[derive(Default)]
pub(super) struct Admitted {
    /// The cluster's body of each body of the island, or [`NONE`].
    pub index: Vec<u32>,
    /// Whether each contact of the island is in.
    contact: Vec<bool>,
    /// Where the island's bodies and contacts begin.
    pub first_body: u32,
    first_contact: u32,
}

impl Workspace {
    /// Takes the island through its impacts.
    pub(super) fn run(&mut self, context: &Context, limits: &Limits) {
        let Self { island, seeds, heap, cluster, slots, sources, done, stopped, joined, admitted } = self;
        let heap = *heap;
        let island = &context.islands.islands[*island as usize];
        joined.spare.append(&mut cluster.linkages);
        cluster.clear();
        slots.clear();
        sources.clear();
        admitted.first_body = island.bodies.0;
        admitted.first_contact = island.contacts.0;
        admitted.index.clear();
        admitted.index.resize(island.body_range().len(), NONE);
        admitted.contact.clear();
        admitted.contact.resize(island.contact_range().len(), false);
        // All that nothing moves is one body.
        cluster.bodies.push(ClusterBody::FIXED);
        slots.push(NONE);
        joined.begin(context, island);
        let plastic_rest = f64::from(context.plastic_rest(island));
        let mut fill = Fill { context, heap, plastic_rest, slots, sources, joined, admitted };
        let mut slowest = limits.threshold;
        for &contact in seeds.iter() {
            let c = &context.graph.contacts[contact as usize];
            let manifold = &context.graph.manifolds[c.manifold as usize];
            slowest = slowest.max(f64::from(context.threshold(c, manifold.normal, heap)));
            // What something hits before may be anywhere: it is admitted without being asked.
            if context.comes_near(c, manifold) {
                fill.admit(contact, &mut cluster.bodies, &mut cluster.contacts);
            }
        }
        let fastest = cluster.bodies.iter().map(|b| b.velocity.length()).fold(0.0, f64::max);
        let limits = Limits { threshold: slowest.max(IMPACT_NOISE * fastest), ..*limits };
        *done = cluster.run_growing(&limits, &mut fill);
        stopped.clear();
        stopped.resize(cluster.bodies.len(), false);
        for c in cluster.contacts.iter().filter(|c| c.impacts > 0) {
            let [a, b] = [c.a, c.b].map(|body| body as usize);
            stopped[a] |= cluster.bodies[b].is_immovable();
            stopped[b] |= cluster.bodies[a].is_immovable();
        }
    }
}

pub(super) struct Fill<'a> {
    pub context: &'a Context<'a>,
    heap: Real,
    /// Slower approach without restitution is rest (m/s).
    plastic_rest: f64,
    slots: &'a mut Vec<u32>,
    sources: &'a mut Vec<(u32, u32)>,
    pub joined: &'a mut Joined,
    pub admitted: &'a mut Admitted,
}

impl Around for Fill<'_> {
    fn touch(&mut self, bodies: &mut Vec<ClusterBody>, contacts: &mut Vec<ClusterContact>, body: u32) {
        let place = self.context.place[self.slots[body as usize] as usize] as usize;
        for i in self.context.first[place]..self.context.first[place + 1] {
            self.admit(self.context.of_body[i as usize], bodies, contacts);
        }
    }

    fn hold(&mut self, bodies: &mut Vec<ClusterBody>, linkages: &mut Vec<Linkage>, body: u32) {
        self.bring_linked(self.slots[body as usize], bodies, linkages);
    }
}

impl Fill<'_> {
    /// Brings in one contact with all its points.
    fn admit(&mut self, contact: u32, bodies: &mut Vec<ClusterBody>, contacts: &mut Vec<ClusterContact>) {
        let inside = &mut self.admitted.contact[(contact - self.admitted.first_contact) as usize];
        if std::mem::replace(inside, true) {
            return;
        }
        let Context { graph, bodies: set, law, .. } = *self.context;
        let c = &graph.contacts[contact as usize];
        let manifold = &graph.manifolds[c.manifold as usize];
        let record = &graph.records[c.record as usize];
        let material = &record.material;
        let [a, b] = [c.a, c.b].map(|slot| self.body(slot, bodies));
        let normal = to_f64(manifold.normal).normalize();
        let law = single_law(set, c.a as usize, c.b as usize, manifold.normal, material, law);
        let running = to_f64(record.surface_velocity);
        let surface_velocity = running - normal * normal.dot(running);
        let rest = if material.restitution > 0.0 { 0.0 } else { self.plastic_rest };
        let balls = balls(set, self.context.colliders, (&graph.pairs, &graph.status), c.pair);
        for (point, p) in manifold.points().iter().enumerate() {
            let arms = [
                to_f64(set.orientation[c.a as usize] * p.anchor_a),
                to_f64(set.orientation[c.b as usize] * p.anchor_b),
            ];
            contacts.push(ClusterContact {
                key: u64::from(contact) * 4 + point as u64,
                balls,
                law,
                static_friction: f64::from(material.static_friction),
                friction: f64::from(material.dynamic_friction),
                restitution: f64::from(material.restitution),
                rest,
                surface_velocity,
                ..ClusterContact::new([a, b], arms, normal, f64::from(p.separation))
            });
            self.sources.push((contact, point as u32));
        }
    }

    fn body(&mut self, slot: u32, bodies: &mut Vec<ClusterBody>) -> u32 {
        let set = self.context.bodies;
        let s = slot as usize;
        if !set.is_active(s) {
            if set.linear_velocity[s] == Vec3::ZERO && set.angular_velocity[s] == Vec3::ZERO
                || set.kind[s] != Kind::Kinematic
            {
                return 0;
            }
            // Nothing that happens to one copy of a body that no impulse moves shows in another.
            self.slots.push(NONE);
            bodies.push(ClusterBody {
                velocity: to_f64(set.linear_velocity[s]),
                angular_velocity: to_f64(set.angular_velocity[s]),
                ..ClusterBody::FIXED
            });
            return bodies.len() as u32 - 1;
        }
        let at = (self.context.place[s] - self.admitted.first_body) as usize;
        if self.admitted.index[at] == NONE {
            self.newcomer(slot, bodies);
        }
        self.admitted.index[at]
    }

    /// Brings in a body of the island that moves.
    pub fn newcomer(&mut self, slot: u32, bodies: &mut Vec<ClusterBody>) {
        let (set, s) = (self.context.bodies, slot as usize);
        let place = self.context.place[s];
        self.admitted.index[(place - self.admitted.first_body) as usize] = bodies.len() as u32;
        self.slots.push(slot);
        bodies.push(ClusterBody {
            velocity: to_f64(set.linear_velocity[s]),
            angular_velocity: to_f64(set.angular_velocity[s]),
            acceleration: self.pull(s, place as usize),
            inverse_mass: to_f64(set.inverse_mass[s]),
            inverse_inertia: matrix(set.inverse_inertia[s]),
            held: if set.jointed[s] && self.joined.any() { Held::Perhaps } else { Held::Not },
            ..ClusterBody::FIXED
        });
    }

    /// The acceleration of a body until its next impact: none where it lies on something that does not fall either.
    fn pull(&self, slot: usize, place: usize) -> DVec3 {
        let Context { bodies, graph, of_body, first, touch, closed, .. } = *self.context;
        let free = bodies.acceleration[slot];
        let lies = of_body[first[place] as usize..first[place + 1] as usize].iter().any(|&contact| {
            let c = &graph.contacts[contact as usize];
            let (other, sign) = if c.a as usize == slot { (c.b as usize, -1.0) } else { (c.a as usize, 1.0) };
            let manifold = &graph.manifolds[c.manifold as usize];
            let threshold = self.context.threshold(c, manifold.normal, self.heap);
            let carried = free.dot(manifold.normal) * sign < 0.0;
            let held = carries(graph, c.manifold);
            // What nothing has held yet may be in the air, on one of its last hops.
            let touch = if held { touch } else { closed };
            carried
                && (held || !bodies.is_active(other))
                && manifold.points().iter().any(|p| {
                    let on = |s: usize, anchor: Vec3| bodies.velocity_at(s, bodies.orientation[s] * anchor);
                    let rate = (on(c.b as usize, p.anchor_b) - on(c.a as usize, p.anchor_a)).dot(manifold.normal);
                    p.separation <= touch && rate.abs() <= threshold
                })
        });
        if lies { DVec3::ZERO } else { to_f64(free) }
    }
}

/// The radii (m) of two colliders where both are balls about their bodies' centres of mass, and no kernel or source of the
/// game's own says otherwise.
pub(super) fn balls(
    bodies: &Bodies,
    colliders: &Colliders,
    (pairs, status): (&[Pair], &[Status]),
    pair: u32,
) -> Option<[f64; 2]> {
    if !status[pair as usize].is_simple() {
        return None;
    }
    let Pair { a, b, .. } = pairs[pair as usize];
    let radius = |slot: u32| match colliders.geometry[slot as usize] {
        Some(Geometry::Ball { radius })
            if colliders.local[slot as usize].translation
                == bodies.local_center[colliders.body[slot as usize] as usize] =>
        {
            Some(f64::from(radius))
        }
        _ => None,
    };
    Some([radius(a)?, radius(b)?])
}

/// Whether a contact carried anything in the last step.
fn carries(graph: &crate::contact::ContactGraph, manifold: u32) -> bool {
    graph.manifolds[manifold as usize].points().iter().any(|p| p.normal_impulse > 0.0)
}

/// The law of a single impact between two bodies; `law` where their surfaces ask for none.
pub(in crate::systems) fn single_law(
    bodies: &Bodies,
    a: usize,
    b: usize,
    normal: Vec3,
    material: &Material,
    law: ImpactLaw,
) -> SingleLaw {
    match material.impact_law.unwrap_or(law) {
        ImpactLaw::Newton => SingleLaw::Newton,
        ImpactLaw::Frictional => plane(bodies, a, b, normal).map_or(SingleLaw::Frictional, SingleLaw::Planar),
    }
}

/// The axis square to the plane that both bodies are locked to and the normal lies in.
fn plane(bodies: &Bodies, a: usize, b: usize, normal: Vec3) -> Option<u8> {
    let normal: [Real; 3] = normal.into();
    LockedAxes::PLANES
        .iter()
        .position(|&plane| {
            [a, b].into_iter().all(|s| {
                bodies.kind[s] != Kind::Dynamic || bodies.inputs[s].locked.is_some_and(|locked| locked.contains(plane))
            })
        })
        .filter(|&axis| normal[axis] == 0.0)
        .map(|axis| axis as u8)
}

pub(in crate::systems) fn matrix(m: Mat3) -> DMat3 {
    DMat3::from_cols(to_f64(m.x_axis), to_f64(m.y_axis), to_f64(m.z_axis))
}
