//! The propagation model: several collisions one after the other, each a frictional impact (Baber 2006, section 3.4), in
//! the order of the moments at which they happen.
//!
//! A body in flight is described by its **extrapolated start**: the velocity and the displacement that, carried on from the
//! step's start under constant acceleration, give its true motion from its last impact on. An impact at the moment `t` that
//! changes the velocity by `dv` changes the extrapolated velocity by `dv` and the extrapolated displacement by `-dv t`, and
//! that is exact. So every body has a clock of its own without being advanced, and what did not take part is not touched.
//!
//! Events wait in a queue by moment, then by approach, deepest first, then by the contact's key. After each impact only the
//! contacts of its two bodies are looked at again. A contact enters if it approaches faster than the resting threshold.

use super::collision_matrix::{Lever, collision_matrix, contact_frame, in_contact_frame};
use super::frictional::{self, Impact};
use crate::math::{DMat3, DVec3};
use crate::tolerances::IMPACT_TOLERANCE;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A body of a [`Cluster`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterBody {
    /// Extrapolated velocity of the centre of mass at the step's start (m/s).
    pub velocity: DVec3,
    /// Angular velocity (rad/s).
    pub angular_velocity: DVec3,
    /// Constant acceleration (m/s²); zero for what is supported.
    pub acceleration: DVec3,
    /// Inverse mass along each axis (1/kg).
    pub inverse_mass: DVec3,
    /// Inverse inertia about the centre of mass, world axes (1/(kg m²)).
    pub inverse_inertia: DMat3,
    /// Extrapolated displacement (m) that impacts within the step have left.
    pub shift: DVec3,
    /// The same of the rotation vector (rad).
    pub turn: DVec3,
}

impl ClusterBody {
    /// What nothing moves.
    pub const FIXED: Self = Self {
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        acceleration: DVec3::ZERO,
        inverse_mass: DVec3::ZERO,
        inverse_inertia: DMat3::ZERO,
        shift: DVec3::ZERO,
        turn: DVec3::ZERO,
    };

    fn point_velocity(&self, arm: DVec3, t: f64) -> DVec3 {
        self.velocity + self.acceleration * t + self.angular_velocity.cross(arm)
    }

    fn point_shift(&self, arm: DVec3) -> DVec3 {
        self.shift + self.turn.cross(arm)
    }

    fn response(&self, arm: DVec3) -> DMat3 {
        let lever = Lever { inverse_mass: 0.0, inverse_inertia: self.inverse_inertia, arm };
        collision_matrix(&lever, &Lever::IMMOVABLE) + DMat3::from_diagonal(self.inverse_mass)
    }

    fn push(&mut self, impulse: DVec3, arm: DVec3, t: f64) {
        let dv = self.inverse_mass * impulse;
        let dw = self.inverse_inertia * arm.cross(impulse);
        self.velocity += dv;
        self.angular_velocity += dw;
        self.shift -= dv * t;
        self.turn -= dw * t;
    }
}

/// A contact of a [`Cluster`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterContact {
    /// Index of the first body.
    pub a: u32,
    /// Index of the second body.
    pub b: u32,
    /// Arms from the centres of mass to the contact (m).
    pub arms: [DVec3; 2],
    /// Unit normal from the first body to the second.
    pub normal: DVec3,
    /// Gap at the step's start (m).
    pub gap: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
    /// Total impulse on the second body so far (N s).
    pub impulse: DVec3,
    /// Approach speed of the first impact (m/s).
    pub speed: f64,
    /// Impacts so far.
    pub impacts: u32,
}

impl ClusterContact {
    fn relative(&self, bodies: &[ClusterBody], t: f64) -> DVec3 {
        bodies[self.b as usize].point_velocity(self.arms[1], t)
            - bodies[self.a as usize].point_velocity(self.arms[0], t)
    }

    /// The first moment from `now` on, before `horizon`, at which the contact closes faster than `threshold`, and how fast.
    fn next_event(
        &self,
        bodies: &[ClusterBody],
        now: f64,
        horizon: f64,
        threshold: f64,
        touch: f64,
    ) -> Option<(f64, f64)> {
        let (a, b) = (&bodies[self.a as usize], &bodies[self.b as usize]);
        let acceleration = (b.acceleration - a.acceleration).dot(self.normal);
        let start = self.relative(bodies, 0.0).dot(self.normal);
        let gap = self.gap + (b.point_shift(self.arms[1]) - a.point_shift(self.arms[0])).dot(self.normal);
        let rate = start + acceleration * now;
        let gap_now = gap + now * (start + 0.5 * acceleration * now);
        if gap_now <= touch && rate < 0.0 {
            return (rate < -threshold).then_some((now, -rate));
        }
        let wait = closing_time(gap_now.max(0.0), rate, acceleration)?;
        let (t, speed) = (now + wait, -(rate + acceleration * wait));
        (t <= horizon && speed > threshold).then_some((t, speed))
    }
}

/// The first positive time at which a gap that changes at `rate` under constant `acceleration` closes.
///
/// A contact that touches and separates while it is pulled back closes again after a hop.
fn closing_time(gap: f64, rate: f64, acceleration: f64) -> Option<f64> {
    let discriminant = rate * rate - 2.0 * acceleration * gap;
    if discriminant < 0.0 {
        return None;
    }
    let root = discriminant.sqrt();
    let t = if rate < 0.0 {
        // The cancellation-free form of the nearer root.
        2.0 * gap / (-rate + root)
    } else if acceleration < 0.0 {
        (rate + root) / -acceleration
    } else {
        return None;
    };
    (t > 0.0 || rate < 0.0).then_some(t)
}

/// A problem: bodies and the contacts between them. Buffers are kept for the next one.
#[derive(Clone, Debug, Default)]
pub struct Cluster {
    /// The bodies.
    pub bodies: Vec<ClusterBody>,
    /// The contacts, in the order of their keys.
    pub contacts: Vec<ClusterContact>,
    heap: BinaryHeap<Event>,
    /// The newest event of each contact: older ones in the queue are void.
    version: Vec<u32>,
    /// Contacts of each body: a range of `of_body` for each body.
    first: Vec<u32>,
    of_body: Vec<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Event {
    t: f64,
    speed: f64,
    contact: u32,
    version: u32,
}

impl Eq for Event {}

impl Ord for Event {
    /// The greatest is the next: earliest, then fastest, then least key.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .t
            .total_cmp(&self.t)
            .then(self.speed.total_cmp(&other.speed))
            .then(other.contact.cmp(&self.contact))
            .then(other.version.cmp(&self.version))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Bounds and thresholds of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The step (s).
    pub horizon: f64,
    /// Slower approach is rest (m/s).
    pub threshold: f64,
    /// Gaps up to this are touching (m).
    pub touch: f64,
    /// The most impacts of one contact; what still approaches then is left to the resting solver.
    pub per_contact: u32,
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Propagated {
    /// Impacts solved.
    pub impacts: u32,
    /// Contacts that reached the bound while they still approached.
    pub left: u32,
}

impl Cluster {
    /// Empties the problem, keeping its buffers.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.contacts.clear();
    }

    /// Runs all impacts within the step.
    pub fn run(&mut self, limits: &Limits) -> Propagated {
        self.index();
        self.heap.clear();
        self.version.clear();
        self.version.resize(self.contacts.len(), 0);
        let mut done = Propagated::default();
        for contact in 0..self.contacts.len() {
            self.enqueue(contact, 0.0, limits);
        }
        while let Some(event) = self.heap.pop() {
            let contact = event.contact as usize;
            if event.version != self.version[contact] {
                continue;
            }
            if self.contacts[contact].impacts >= limits.per_contact {
                done.left += 1;
                continue;
            }
            if !self.collide(contact, event) {
                continue;
            }
            done.impacts += 1;
            let ClusterContact { a, b, .. } = self.contacts[contact];
            for body in [a, b] {
                let body = body as usize;
                if self.bodies[body].inverse_mass == DVec3::ZERO && self.bodies[body].inverse_inertia == DMat3::ZERO {
                    continue;
                }
                for i in self.first[body]..self.first[body + 1] {
                    self.enqueue(self.of_body[i as usize] as usize, event.t, limits);
                }
            }
        }
        done
    }

    /// Lists the contacts of each body.
    fn index(&mut self) {
        self.first.clear();
        self.first.resize(self.bodies.len() + 2, 0);
        for c in &self.contacts {
            self.first[c.a as usize + 2] += 1;
            self.first[c.b as usize + 2] += 1;
        }
        for body in 2..self.first.len() {
            self.first[body] += self.first[body - 1];
        }
        self.of_body.clear();
        self.of_body.resize(2 * self.contacts.len(), 0);
        for (contact, c) in self.contacts.iter().enumerate() {
            for body in [c.a, c.b] {
                let at = &mut self.first[body as usize + 1];
                self.of_body[*at as usize] = contact as u32;
                *at += 1;
            }
        }
        self.first.pop();
    }

    fn enqueue(&mut self, contact: usize, now: f64, limits: &Limits) {
        self.version[contact] += 1;
        let next = self.contacts[contact].next_event(&self.bodies, now, limits.horizon, limits.threshold, limits.touch);
        if let Some((t, speed)) = next {
            self.heap.push(Event { t, speed, contact: contact as u32, version: self.version[contact] });
        }
    }

    /// Applies one impact. An impact that the law refuses, because both bodies are immovable along the normal, is none.
    fn collide(&mut self, contact: usize, event: Event) -> bool {
        let c = self.contacts[contact];
        let frame = contact_frame(c.normal);
        let k = self.bodies[c.a as usize].response(c.arms[0]) + self.bodies[c.b as usize].response(c.arms[1]);
        let impact = Impact {
            k: in_contact_frame(k, frame),
            velocity: frame.transpose() * c.relative(&self.bodies, event.t),
            friction: c.friction,
            restitution: c.restitution,
        };
        let Ok(outcome) = frictional::solve(&impact, IMPACT_TOLERANCE) else { return false };
        let impulse = frame * outcome.impulse;
        self.bodies[c.a as usize].push(-impulse, c.arms[0], event.t);
        self.bodies[c.b as usize].push(impulse, c.arms[1], event.t);
        let c = &mut self.contacts[contact];
        if c.impacts == 0 {
            c.speed = event.speed;
        }
        c.impulse += impulse;
        c.impacts += 1;
        true
    }
}
