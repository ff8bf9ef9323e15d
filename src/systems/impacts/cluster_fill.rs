//! Fills a cluster with the contacts and bodies that impacts reach.

use super::context::Context;
use super::island_joints::IslandJoints;
use crate::bodies::{Bodies, Kind};
use crate::colliders::Colliders;
use crate::components::{ImpactLaw, LockedAxes, Material};
use crate::contact::kernels::Geometry;
use crate::contact::{Pair, Status};
use crate::ids::NONE;
use crate::impact::propagation::{ClusterBody, ClusterContact, LinkState, SingleLaw};
use crate::math::{DMat3, DVec3, Mat3, Real, Vec3, to_f64};

/// The bodies and contacts of the island that are in the cluster.
#[derive(Default)]
pub(super) struct Admitted {
    /// Cluster body of each body of the island, or [`NONE`].
    pub index: Vec<u32>,
    /// True if each contact of the island is included.
    pub contact: Vec<bool>,
    /// First body and contact of the island.
    pub first_body: u32,
    pub first_contact: u32,
}

/// Adds contacts and bodies of an island to its cluster.
pub(super) struct ClusterFill<'a> {
    pub context: &'a Context<'a>,
    pub rest_factor: Real,
    /// Resting threshold of contacts without restitution (m/s).
    pub plastic_rest: f64,
    pub slots: &'a mut Vec<u32>,
    pub sources: &'a mut Vec<(u32, u32)>,
    pub island_joints: &'a mut IslandJoints,
    pub admitted: &'a mut Admitted,
}

impl ClusterFill<'_> {
    /// Adds one contact with all its points.
    pub fn admit(&mut self, contact: u32, bodies: &mut Vec<ClusterBody>, contacts: &mut Vec<ClusterContact>) {
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
        let rest_speed = if material.restitution > 0.0 { 0.0 } else { self.plastic_rest };
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
                rest_speed,
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
            // Copies of a body that no impulse moves are independent: each contact gets its own.
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
            self.add_body(slot, bodies);
        }
        self.admitted.index[at]
    }

    /// Adds a movable body of the island.
    pub fn add_body(&mut self, slot: u32, bodies: &mut Vec<ClusterBody>) {
        let (set, s) = (self.context.bodies, slot as usize);
        let place = self.context.place[s];
        self.admitted.index[(place - self.admitted.first_body) as usize] = bodies.len() as u32;
        self.slots.push(slot);
        bodies.push(ClusterBody {
            velocity: to_f64(set.linear_velocity[s]),
            angular_velocity: to_f64(set.angular_velocity[s]),
            acceleration: self.acceleration(s, place as usize),
            inverse_mass: to_f64(set.inverse_mass[s]),
            inverse_inertia: matrix(set.inverse_inertia[s]),
            link: if set.jointed[s] && self.island_joints.any() { LinkState::Unknown } else { LinkState::Free },
            ..ClusterBody::FIXED
        });
    }

    /// The acceleration of a body until its next impact: zero if it lies on a supported body.
    fn acceleration(&self, slot: usize, place: usize) -> DVec3 {
        let Context { bodies, graph, of_body, first, touch, closed, .. } = *self.context;
        let free = bodies.acceleration[slot];
        let is_supported = of_body[first[place] as usize..first[place + 1] as usize].iter().any(|&contact| {
            let c = &graph.contacts[contact as usize];
            let (other, sign) = if c.a as usize == slot { (c.b as usize, -1.0) } else { (c.a as usize, 1.0) };
            let manifold = &graph.manifolds[c.manifold as usize];
            let threshold = self.context.threshold(c, manifold.normal, self.rest_factor);
            let carried = free.dot(manifold.normal) * sign < 0.0;
            let held = had_load(graph, c.manifold);
            // A body without a contact force in the last step may still be on one of its last hops.
            let touch = if held { touch } else { closed };
            carried
                && (held || !bodies.is_active(other))
                && manifold.points().iter().any(|p| {
                    let on = |s: usize, anchor: Vec3| bodies.velocity_at(s, bodies.orientation[s] * anchor);
                    let rate = (on(c.b as usize, p.anchor_b) - on(c.a as usize, p.anchor_a)).dot(manifold.normal);
                    p.separation <= touch && rate.abs() <= threshold
                })
        });
        if is_supported { DVec3::ZERO } else { to_f64(free) }
    }
}

/// The radii (m) of two colliders if both are balls about their bodies' centres of mass, without a
/// user-defined kernel or contact source.
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

/// True if a contact had a normal impulse in the last step.
fn had_load(graph: &crate::contact::ContactGraph, manifold: u32) -> bool {
    graph.manifolds[manifold as usize].points().iter().any(|p| p.normal_impulse > 0.0)
}

/// The law of a single impact between two bodies: that of their materials, else `law`.
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

/// The axis perpendicular to the plane to which both bodies are locked, if it contains the normal.
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
