//! One impact on the way: both bodies at the moment, the propagation law, and the paths on which they go on.

use super::Scene;
use super::next::{Met, Next};
use super::way::{Way, turning_of};
use crate::bodies::{Bodies, Kind};
use crate::components::ImpactLaw;
use crate::contact::kernels::{LocalPoint, Manifolds, PairCache, collide};
use crate::event::Event;
use crate::impact::propagation::{Cluster, ClusterBody, ClusterContact, Limits, Together};
use crate::math::{DVec3, Pose, Real, Vec3, from_f64, to_f64};
use crate::motion::Path;
use crate::motion::rotation::{RotationLaw, Spin};
use crate::report::Counts;
use crate::systems::impacts::{matrix, single_law, together};
use crate::systems::state::State;
use crate::tolerances::{IMPACT_NOISE, IMPACTS_PER_CONTACT_SMALL, SWEEP_MARK};

/// A place where two colliders touched earlier in the step.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    colliders: [u32; 2],
    /// The points from both centres of mass, in the axes of their bodies (m).
    arms: [Vec3; 2],
    /// The normal in the axes of the first body.
    normal: Vec3,
}

/// Buffers to work in, and what is remembered of earlier impacts of the step.
pub(super) struct Room<'a> {
    pub cluster: &'a mut Cluster,
    pub manifolds: &'a mut Manifolds,
    pub marks: &'a mut Vec<Mark>,
}

/// Where what happens is written down.
pub(super) struct Book<'a> {
    pub events: &'a mut Vec<Event>,
    pub counts: &'a mut Counts,
}

/// How impacts on the way are resolved.
pub(super) struct Strike {
    law: ImpactLaw,
    together: Together,
    rotation: RotationLaw,
}

impl Strike {
    pub fn new(state: &State) -> Self {
        Self {
            law: state.settings.impact_law,
            together: together(state.settings.impact_model),
            rotation: state.settings.accuracy.rotation_law(),
        }
    }

    /// Resolves an impact; returns the paths of both bodies from it on.
    pub fn resolve(
        &self,
        scene: &Scene,
        next: &Next,
        ways: [Option<Way>; 2],
        paths: &[Path; 2],
        room: Room,
        book: &mut Book,
    ) -> [Path; 2] {
        let (bodies, t) = (scene.bodies, next.meeting.t);
        let slots = next.colliders.map(|c| scene.colliders.body[c as usize] as usize);
        let Room { cluster, manifolds, marks } = room;
        cluster.clear();
        for k in 0..2 {
            cluster.bodies.push(body_at(bodies, slots[k], ways[k].as_ref(), &paths[k], t));
        }
        self.add_contacts(scene, next, slots, paths, Room { cluster, manifolds, marks });
        let rate = |c: &ClusterContact, cluster: &Cluster| {
            let on = |k: usize| {
                let body = &cluster.bodies[k];
                body.velocity + body.angular_velocity.cross(c.arms[k])
            };
            (on(1) - on(0)).dot(c.normal)
        };
        let approach = cluster.contacts.iter().map(|c| -rate(c, cluster)).fold(0.0, f64::max);
        let threshold = scene.threshold(&paths[0], &paths[1], next.meeting.normal, t);
        if approach < threshold {
            // Too slow to bounce.
            cluster.contacts.iter_mut().for_each(|c| c.restitution = 0.0);
        }
        let fastest = cluster.bodies.iter().map(|b| b.velocity.length()).fold(0.0, f64::max);
        let done = cluster.run(&Limits {
            horizon: 0.0,
            threshold: IMPACT_NOISE * fastest,
            touch: f64::INFINITY,
            per_contact: IMPACTS_PER_CONTACT_SMALL,
            visits: u64::MAX,
            together: self.together,
        });
        book.counts.impacts += done.impacts as usize;
        book.counts.impacts_left += done.left as usize;
        report(scene, next, paths, cluster, book.events);
        let rests = cluster.contacts.iter().any(|c| rate(c, cluster) <= threshold);
        let normal = next.meeting.normal;
        std::array::from_fn(|k| {
            let slot = slots[k];
            let Some(way) = &ways[k] else { return paths[k] };
            let mut acceleration = if way.carried { DVec3::ZERO } else { to_f64(bodies.free_acceleration(slot)) };
            // What comes to rest on what nothing moves is held up by it.
            let away = if k == 1 { normal } else { -normal };
            if rests && cluster.bodies[1 - k].is_immovable() {
                acceleration -= away * acceleration.dot(away).min(0.0);
            }
            let orientation = paths[k].spin_at(t).orientation;
            let spin = Spin::new(orientation, from_f64(cluster.bodies[k].angular_velocity));
            Path {
                start: t,
                center: paths[k].center_at(t),
                velocity: cluster.bodies[k].velocity,
                acceleration,
                local_center: paths[k].local_center,
                turning: turning_of(bodies, slot, spin, self.rotation),
            }
        })
    }

    /// The points in which the two colliders touch.
    fn add_contacts(
        &self,
        scene: &Scene,
        next: &Next,
        slots: [usize; 2],
        paths: &[Path; 2],
        Room { cluster, manifolds, marks }: Room,
    ) {
        let (colliders, t) = (scene.colliders, next.meeting.t);
        let [a, b] = next.colliders.map(|c| c as usize);
        let material = colliders.material[a].with(&colliders.material[b]);
        let places = [0, 1].map(|k| paths[k].place(colliders.local[[a, b][k]].translation, t));
        let turned = [0, 1].map(|k| places[k].1 * colliders.local[[a, b][k]].rotation);
        let back = turned[0].inverse();
        let b_in_a = Pose::from_parts(back * from_f64(places[1].0 - places[0].0), back * turned[1]);
        let shape = |c: usize| colliders.geometry[c].as_ref().expect("a live collider has a shape");
        let near = (2.0 * scene.touch) as Real;
        let found = collide(shape(a), shape(b), &b_in_a, near, &mut PairCache::default(), manifolds);
        let [on_a, on_b] =
            [0, 1].map(|k| to_f64(paths[k].spin_at(t).orientation * colliders.surface_velocity[[a, b][k]]));
        let running = on_b - on_a;
        let mut push = |arms: [DVec3; 2], normal: DVec3| {
            let law = single_law(scene.bodies, slots[0], slots[1], from_f64(normal), &material, self.law);
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
        // Their middle, first among equals: an edge that meets a wall does so all along, and not with one end first.
        for manifold in found.iter().filter(|()| next.met == Met::Surfaces).flat_map(|()| manifolds.as_slice()) {
            let normal = to_f64(turned[0] * manifold.normal).normalize();
            let touching = || manifold.points().iter().filter(|p| p.separation <= near);
            let arms = |p: &LocalPoint| {
                [arm(&paths[0], &colliders.local[a], p.point_a, t), arm(&paths[1], &colliders.local[b], p.point_b, t)]
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
            let arms = [0, 1].map(|k| next.meeting.points[k] - paths[k].center_at(t));
            push(arms, next.meeting.normal);
        }
        let fresh = cluster.contacts.len();
        let spins = [0, 1].map(|k| paths[k].spin_at(t).orientation);
        let centers = [0, 1].map(|k| paths[k].center_at(t));
        for mark in marks.iter().filter(|mark| mark.colliders == next.colliders) {
            let arms = [0, 1].map(|k| to_f64(spins[k] * mark.arms[k]));
            let normal = to_f64(spins[0] * mark.normal).normalize();
            let apart = (centers[1] + arms[1] - centers[0] - arms[0]).length();
            if apart <= SWEEP_MARK * scene.touch {
                cluster.contacts.push(ClusterContact {
                    key: cluster.contacts.len() as u64,
                    gap: 0.0,
                    arms,
                    normal,
                    ..cluster.contacts[0]
                });
            }
        }
        marks.extend(cluster.contacts[..fresh].iter().map(|c| Mark {
            colliders: next.colliders,
            arms: [0, 1].map(|k| spins[k].inverse() * from_f64(c.arms[k])),
            normal: spins[0].inverse() * from_f64(c.normal),
        }));
    }
}

/// A point in a collider's axes as an arm from its body's centre of mass, world axes (m).
fn arm(path: &Path, pose: &Pose, point: Vec3, t: f64) -> DVec3 {
    to_f64(path.spin_at(t).orientation * (*pose * point - path.local_center))
}

/// A body at the moment `t`.
fn body_at(bodies: &Bodies, slot: usize, way: Option<&Way>, path: &Path, t: f64) -> ClusterBody {
    let Some(way) = way else { return ClusterBody::FIXED };
    let (velocity, angular_velocity) = if way.stopped { Default::default() } else { way.velocities(t) };
    let moving = ClusterBody { velocity, angular_velocity: to_f64(angular_velocity), ..ClusterBody::FIXED };
    if bodies.kind[slot] != Kind::Dynamic || way.stopped {
        return moving;
    }
    ClusterBody {
        inverse_mass: to_f64(bodies.inverse_mass[slot]),
        inverse_inertia: matrix(bodies.inverse_inertia_at(slot, path.spin_at(t).orientation)),
        ..moving
    }
}

fn report(scene: &Scene, next: &Next, paths: &[Path; 2], cluster: &Cluster, events: &mut Vec<Event>) {
    let [a, b] = next.colliders;
    for c in cluster.contacts.iter().filter(|c| c.impacts > 0) {
        let point = paths[1].center_at(next.meeting.t) + c.arms[1];
        let sign = if a < b { 1.0 } else { -1.0 };
        events.push(Event::Impact {
            entities: [a.min(b), a.max(b)].map(|slot| scene.bodies.entity[slot as usize]),
            point: from_f64(point),
            impulse: from_f64(c.impulse * sign),
            speed: c.speed as Real,
        });
    }
}
