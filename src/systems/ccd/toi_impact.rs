//! Resolution of a CCD impact: both bodies at its moment, the propagation law, and the new
//! trajectories.

use super::input::CcdInput;
use super::swept_body::{SweptBody, turning_of};
use super::toi_event::{ToiEvent, ToiKind};
use crate::bodies::{Bodies, Kind};
use crate::components::ImpactLaw;
use crate::contact::kernels::{LocalPoint, Manifolds, PairCache, collide};
use crate::event::Event;
use crate::impact::propagation::{Cluster, ClusterBody, ClusterContact, Limits, SimultaneousRule};
use crate::math::{DVec3, Pose, Real, Vec3, bounded, from_f64, from_f64_bounded, to_f64};
use crate::motion::Trajectory;
use crate::motion::rotation::{RotationLaw, RotationState};
use crate::report::Counts;
use crate::state::State;
use crate::systems::impacts::{matrix, simultaneous_rule, single_law, visits_for};
use crate::tolerances::{CCD, IMPACTS};

/// A contact of two colliders earlier in the step.
#[derive(Clone, Copy)]
pub(super) struct PastContact {
    pub colliders: [u32; 2],
    /// Arms from both centres of mass, in the axes of their bodies (m).
    arms: [Vec3; 2],
    /// The normal in the axes of the first body.
    normal: Vec3,
}

/// Work buffers, and the earlier contacts of the step.
pub(super) struct Buffers<'a> {
    pub cluster: &'a mut Cluster,
    pub manifolds: &'a mut Manifolds,
    pub past_contacts: &'a mut Vec<PastContact>,
}

/// Output of events and counts.
pub(super) struct ImpactLog<'a> {
    pub events: &'a mut Vec<Event>,
    pub counts: &'a mut Counts,
}

/// Settings for the resolution of CCD impacts.
pub(super) struct ImpactResolver {
    law: ImpactLaw,
    together: SimultaneousRule,
    rotation: RotationLaw,
}

impl ImpactResolver {
    pub fn new(state: &State) -> Self {
        Self {
            law: state.settings.impact_law,
            together: simultaneous_rule(state.settings.impact_model),
            rotation: state.settings.accuracy.rotation_law(),
        }
    }

    /// Resolves an impact. Returns the trajectories of both bodies after it.
    pub fn resolve(
        &self,
        input: &CcdInput,
        event: &ToiEvent,
        swept_bodies: &[Option<SweptBody>; 2],
        trajectories: &[Trajectory; 2],
        buffers: Buffers,
        log: &mut ImpactLog,
    ) -> [Trajectory; 2] {
        let (bodies, t) = (input.bodies, event.toi.t);
        let slots = event.colliders.map(|c| input.colliders.body[c as usize] as usize);
        let Buffers { cluster, manifolds, past_contacts } = buffers;
        cluster.clear();
        for k in 0..2 {
            cluster.bodies.push(body_at(bodies, slots[k], swept_bodies[k].as_ref(), &trajectories[k], t));
        }
        self.add_contacts(input, event, slots, trajectories, Buffers { cluster, manifolds, past_contacts });
        let rate = |c: &ClusterContact, cluster: &Cluster| {
            let on = |k: usize| {
                let body = &cluster.bodies[k];
                body.velocity + body.angular_velocity.cross(c.arms[k])
            };
            (on(1) - on(0)).dot(c.normal)
        };
        let approach = cluster.contacts.iter().map(|c| -rate(c, cluster)).fold(0.0, f64::max);
        let threshold = input.threshold(&trajectories[0], &trajectories[1], event.toi.normal, t);
        if approach < threshold {
            // Too slow for a bounce.
            cluster.contacts.iter_mut().for_each(|c| c.restitution = 0.0);
        }
        let fastest = cluster.bodies.iter().map(|b| b.velocity.length()).fold(0.0, f64::max);
        let done = cluster.run(&Limits {
            horizon: 0.0,
            threshold: IMPACTS.noise * fastest,
            touch: f64::INFINITY,
            per_contact: IMPACTS.per_contact_small,
            visits: visits_for(cluster.contacts.len()),
            simultaneous: self.together,
        });
        log.counts.impacts += done.impacts as usize;
        log.counts.impacts_left += done.unfinished as usize;
        report(input, event, trajectories, cluster, log.events);
        let rests = cluster.contacts.iter().any(|c| rate(c, cluster) <= threshold);
        let normal = event.toi.normal;
        std::array::from_fn(|k| {
            let slot = slots[k];
            let Some(swept) = &swept_bodies[k] else { return trajectories[k].clone() };
            let mut acceleration = if swept.supported { DVec3::ZERO } else { to_f64(bodies.free_acceleration(slot)) };
            // A body that rests on an immovable one is supported by it.
            let away = if k == 1 { normal } else { -normal };
            if rests && cluster.bodies[1 - k].is_immovable() {
                acceleration -= away * acceleration.dot(away).min(0.0);
            }
            let orientation = trajectories[k].rotation_at(t).orientation;
            let spin = RotationState::new(orientation, from_f64(cluster.bodies[k].angular_velocity));
            Trajectory {
                start: t,
                center: trajectories[k].center_at(t),
                velocity: cluster.bodies[k].velocity,
                acceleration,
                local_center: trajectories[k].local_center,
                turning: turning_of(bodies, slot, spin, self.rotation, (swept.end - t) as Real),
            }
        })
    }

    /// Adds the contact points of the two colliders.
    fn add_contacts(
        &self,
        input: &CcdInput,
        event: &ToiEvent,
        slots: [usize; 2],
        trajectories: &[Trajectory; 2],
        Buffers { cluster, manifolds, past_contacts }: Buffers,
    ) {
        let (colliders, t) = (input.colliders, event.toi.t);
        let [a, b] = event.colliders.map(|c| c as usize);
        let material = colliders.material[a].with(&colliders.material[b]);
        let places = [0, 1].map(|k| trajectories[k].place(colliders.local[[a, b][k]].translation, t));
        let turned = [0, 1].map(|k| places[k].1 * colliders.local[[a, b][k]].rotation);
        let back = turned[0].inverse();
        let b_in_a = Pose::from_parts(back * from_f64(places[1].0 - places[0].0), back * turned[1]);
        let shape = |c: usize| colliders.geometry[c].as_ref().expect("a live collider has a shape");
        let near = (2.0 * input.touch) as Real;
        let found = collide(shape(a), shape(b), &b_in_a, near, &mut PairCache::default(), manifolds);
        let [on_a, on_b] =
            [0, 1].map(|k| to_f64(trajectories[k].rotation_at(t).orientation * colliders.surface_velocity[[a, b][k]]));
        let running = on_b - on_a;
        let mut push = |arms: [DVec3; 2], normal: DVec3| {
            let law = single_law(input.bodies, slots[0], slots[1], from_f64(normal), &material, self.law);
            cluster.contacts.push(ClusterContact {
                key: cluster.contacts.len() as u64,
                law,
                static_friction: f64::from(material.static_friction),
                friction: f64::from(material.dynamic_friction),
                restitution: f64::from(material.restitution),
                surface_velocity: running - normal * normal.dot(running),
                ..ClusterContact::new([0, 1], arms, normal, 0.0)
            });
        };
        let mut any = false;
        // The mean of the points comes first among equals: an edge that hits a wall touches along
        // its length, and not with one end first.
        for manifold in found.iter().filter(|()| event.kind == ToiKind::Surfaces).flat_map(|()| manifolds.as_slice()) {
            let normal = to_f64(turned[0] * manifold.normal).normalize();
            let touching = || manifold.points().iter().filter(|p| p.separation <= near);
            let arms = |p: &LocalPoint| {
                [
                    arm(&trajectories[0], &colliders.local[a], p.point_a, t),
                    arm(&trajectories[1], &colliders.local[b], p.point_b, t),
                ]
            };
            let count = touching().count();
            if count > 1 {
                let sum = touching().map(arms).fold([DVec3::ZERO; 2], |[p, q], [r, s]| [p + r, q + s]);
                push(sum.map(|sum| sum / count as f64), normal);
            }
            touching().for_each(|p| push(arms(p), normal));
            any |= count > 0;
        }
        if !any {
            let arms = [0, 1].map(|k| event.toi.points[k] - trajectories[k].center_at(t));
            push(arms, event.toi.normal);
        }
        let fresh = cluster.contacts.len();
        let spins = [0, 1].map(|k| trajectories[k].rotation_at(t).orientation);
        let centers = [0, 1].map(|k| trajectories[k].center_at(t));
        for past in past_contacts.iter().filter(|past| past.colliders == event.colliders) {
            let arms = [0, 1].map(|k| to_f64(spins[k] * past.arms[k]));
            let normal = to_f64(spins[0] * past.normal).normalize();
            let apart = (centers[1] + arms[1] - centers[0] - arms[0]).length();
            if apart <= CCD.same_contact * input.touch {
                cluster.contacts.push(ClusterContact {
                    key: cluster.contacts.len() as u64,
                    gap: 0.0,
                    arms,
                    normal,
                    ..cluster.contacts[0]
                });
            }
        }
        past_contacts.extend(cluster.contacts[..fresh].iter().map(|c| PastContact {
            colliders: event.colliders,
            arms: [0, 1].map(|k| spins[k].inverse() * from_f64(c.arms[k])),
            normal: spins[0].inverse() * from_f64(c.normal),
        }));
    }
}

/// A point in a collider's axes as an arm from its body's centre of mass, world axes (m).
fn arm(trajectory: &Trajectory, pose: &Pose, point: Vec3, t: f64) -> DVec3 {
    to_f64(trajectory.rotation_at(t).orientation * (*pose * point - trajectory.local_center))
}

/// A body at the moment `t`.
fn body_at(bodies: &Bodies, slot: usize, swept: Option<&SweptBody>, trajectory: &Trajectory, t: f64) -> ClusterBody {
    let Some(swept) = swept else { return ClusterBody::FIXED };
    let (velocity, angular_velocity) = if swept.stopped { Default::default() } else { swept.velocities(t) };
    let moving = ClusterBody { velocity, angular_velocity: to_f64(angular_velocity), ..ClusterBody::FIXED };
    if bodies.kind[slot] != Kind::Dynamic || swept.stopped {
        return moving;
    }
    ClusterBody {
        inverse_mass: to_f64(bodies.inverse_mass[slot]),
        inverse_inertia: matrix(bodies.inverse_inertia_at(slot, trajectory.rotation_at(t).orientation)),
        ..moving
    }
}

fn report(
    input: &CcdInput,
    event: &ToiEvent,
    trajectories: &[Trajectory; 2],
    cluster: &Cluster,
    events: &mut Vec<Event>,
) {
    let [a, b] = event.colliders;
    for c in cluster.contacts.iter().filter(|c| c.impacts > 0) {
        let point = trajectories[1].center_at(event.toi.t) + c.arms[1];
        let sign = if a < b { 1.0 } else { -1.0 };
        events.push(Event::Impact {
            entities: [a.min(b), a.max(b)].map(|slot| input.bodies.entity[slot as usize]),
            point: from_f64(point),
            impulse: from_f64_bounded(c.impulse * sign),
            speed: bounded(c.speed),
        });
    }
}
