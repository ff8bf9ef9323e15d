//! Stage 5, **impacts**: collisions, by the propagation model.
//!
//! Of each island, the contacts that close faster than the resting threshold within the step make a cluster that
//! [`impact::propagation`](crate::impact::propagation) takes through its impacts in the order of their moments. What goes
//! slower, what is left at the bound, and plastic contacts of larger islands (which lose nothing by being solved all at once)
//! are left to the resting stage.

use crate::bodies::{Bodies, NONE};
use crate::contact::Contact;
use crate::event::Event;
use crate::impact::propagation::{Cluster, ClusterBody, ClusterContact, Limits};
use crate::islands::Island;
use crate::math::{DMat3, DVec3, Mat3, Real, from_f64, to_f64};
use crate::state::State;
use crate::systems::narrow_phase::world_point;
use crate::tolerances::{IMPACTS_PER_CONTACT, PLASTIC_POINTS, TOUCH};

/// Buffers kept between steps.
#[derive(Default)]
pub(crate) struct Impacts {
    cluster: Cluster,
    /// The slot of each body of the cluster.
    slots: Vec<u32>,
    /// The cluster's body of each slot, or [`NONE`].
    index: Vec<u32>,
    /// The contact and point of each contact of the cluster.
    sources: Vec<(u32, u32)>,
}

/// Runs the stage.
pub fn run(state: &mut State) {
    let State { bodies, contacts, islands, settings, dt, impacts, events, counts, .. } = state;
    counts.impacts = 0;
    counts.impacts_left = 0;
    for &slot in &islands.bodies {
        bodies.displacement[slot as usize] = crate::math::Vec3::ZERO;
        bodies.rotation[slot as usize] = crate::math::Vec3::ZERO;
    }
    impacts.index.resize(bodies.slots(), NONE);
    let gravity = settings.gravity.length();
    let limits = Limits {
        horizon: f64::from(*dt),
        threshold: f64::from((2.0 * gravity * settings.resting_tolerance).sqrt()),
        touch: f64::from(TOUCH * settings.length_unit),
        per_contact: IMPACTS_PER_CONTACT,
    };
    for island in &islands.islands {
        let list = &contacts.contacts[island.contact_range()];
        if !may_collide(bodies, list, contacts, island, *dt, limits.threshold as Real) {
            continue;
        }
        impacts.fill(bodies, list, contacts, island.contacts.0, &limits);
        let done = impacts.cluster.run(&limits);
        counts.impacts += done.impacts as usize;
        counts.impacts_left += done.left as usize;
        impacts.take_back(bodies);
        impacts.report(bodies, contacts, events);
    }
}

type Graph = crate::contact::ContactGraph;

/// Whether any contact of the island closes fast enough within the step to be an impact.
fn may_collide(bodies: &Bodies, list: &[Contact], graph: &Graph, island: &Island, dt: Real, threshold: Real) -> bool {
    let points: usize = list.iter().map(|c| graph.manifolds[c.manifold as usize].count as usize).sum();
    let plastic_too = points <= PLASTIC_POINTS && island.contacts.1 > island.contacts.0;
    list.iter().any(|c| {
        if !plastic_too && graph.records[c.pair as usize].material.restitution == 0.0 {
            return false;
        }
        let (a, b) = (c.a as usize, c.b as usize);
        let manifold = &graph.manifolds[c.manifold as usize];
        let pull = (bodies.free_acceleration(b) - bodies.free_acceleration(a)).dot(manifold.normal).min(0.0) * dt;
        manifold.points().iter().any(|p| {
            let on_a = bodies.velocity_at(a, bodies.orientation[a] * p.anchor_a);
            let on_b = bodies.velocity_at(b, bodies.orientation[b] * p.anchor_b);
            let rate = (on_b - on_a).dot(manifold.normal);
            rate.min(rate + pull) < -threshold && p.separation + (rate + pull) * dt <= 0.0
        })
    })
}

impl Impacts {
    /// The island as a problem of its own, in `f64`.
    fn fill(&mut self, bodies: &Bodies, list: &[Contact], graph: &Graph, first: u32, limits: &Limits) {
        self.cluster.clear();
        self.slots.clear();
        self.sources.clear();
        for (number, c) in list.iter().enumerate() {
            let manifold = &graph.manifolds[c.manifold as usize];
            let material = &graph.records[c.pair as usize].material;
            let [a, b] = [c.a, c.b].map(|slot| self.admit(bodies, slot));
            for (point, p) in manifold.points().iter().enumerate() {
                self.cluster.contacts.push(ClusterContact {
                    a,
                    b,
                    arms: [
                        to_f64(bodies.orientation[c.a as usize] * p.anchor_a),
                        to_f64(bodies.orientation[c.b as usize] * p.anchor_b),
                    ],
                    normal: to_f64(manifold.normal).normalize(),
                    gap: f64::from(p.separation),
                    friction: f64::from(material.dynamic_friction),
                    restitution: f64::from(material.restitution),
                    impulse: DVec3::ZERO,
                    speed: 0.0,
                    impacts: 0,
                });
                self.sources.push((first + number as u32, point as u32));
            }
        }
        self.support(limits);
    }

    /// A body that already lies on something does not fall between impacts.
    fn support(&mut self, limits: &Limits) {
        let Cluster { bodies, contacts, .. } = &mut self.cluster;
        for c in contacts.iter().filter(|c| c.gap <= limits.touch) {
            let (a, b) = (c.a as usize, c.b as usize);
            let velocity = |body: &ClusterBody, arm: DVec3| body.velocity + body.angular_velocity.cross(arm);
            let rate = (velocity(&bodies[b], c.arms[1]) - velocity(&bodies[a], c.arms[0])).dot(c.normal);
            if rate.abs() > limits.threshold {
                continue;
            }
            if bodies[b].acceleration.dot(c.normal) < 0.0 {
                bodies[b].acceleration = DVec3::ZERO;
            }
            if bodies[a].acceleration.dot(c.normal) > 0.0 {
                bodies[a].acceleration = DVec3::ZERO;
            }
        }
    }

    fn admit(&mut self, bodies: &Bodies, slot: u32) -> u32 {
        let s = slot as usize;
        if self.index[s] != NONE {
            return self.index[s];
        }
        let active = bodies.is_active(s);
        self.index[s] = self.slots.len() as u32;
        self.slots.push(slot);
        self.cluster.bodies.push(ClusterBody {
            velocity: to_f64(bodies.linear_velocity[s]),
            angular_velocity: to_f64(bodies.angular_velocity[s]),
            acceleration: to_f64(bodies.free_acceleration(s)),
            inverse_mass: if active { to_f64(bodies.inverse_mass[s]) } else { DVec3::ZERO },
            inverse_inertia: if active { matrix(bodies.inverse_inertia[s]) } else { DMat3::ZERO },
            ..ClusterBody::FIXED
        });
        self.index[s]
    }

    /// Velocities and displacements back into the working set.
    fn take_back(&mut self, bodies: &mut Bodies) {
        for (body, &slot) in self.cluster.bodies.iter().zip(&self.slots) {
            let slot = slot as usize;
            self.index[slot] = NONE;
            if bodies.is_active(slot) {
                bodies.linear_velocity[slot] = from_f64(body.velocity);
                bodies.angular_velocity[slot] = from_f64(body.angular_velocity);
                bodies.displacement[slot] = from_f64(body.shift);
                bodies.rotation[slot] = from_f64(body.turn);
            }
        }
    }

    fn report(&self, bodies: &Bodies, graph: &Graph, events: &mut Vec<Event>) {
        for (c, &(contact, point)) in self.cluster.contacts.iter().zip(&self.sources).filter(|(c, _)| c.impacts > 0) {
            let at = &graph.contacts[contact as usize];
            let pair = graph.pairs[at.pair as usize];
            let p = &graph.manifolds[at.manifold as usize].points[point as usize];
            events.push(Event::Impact {
                entities: [pair.a, pair.b].map(|slot| bodies.entity[slot as usize]),
                point: world_point(bodies, at.a as usize, at.b as usize, p),
                impulse: from_f64(c.impulse),
                speed: c.speed as Real,
            });
        }
    }
}

fn matrix(m: Mat3) -> DMat3 {
    DMat3::from_cols(to_f64(m.x_axis), to_f64(m.y_axis), to_f64(m.z_axis))
}
