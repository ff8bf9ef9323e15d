//! Bound on the speed that push-out leaves in the islands of the substepping solver.
//!
//! A contact parts its bodies at the push-out speed at most, but bodies born in one place have a
//! contact with each other, so that these speeds add up from body to body, and the relaxation does
//! not take all of them back. In an island where they did, a body with an overlap deeper than
//! push-out can end within the step moves no faster than push-out, and keeps no more speed than it
//! had, or than another body had towards it.

use super::solver_bodies::solver_body;
use crate::bodies::Bodies;
use crate::contact::{Contact, ContactGraph, ManifoldPoint};
use crate::islands::Island;
use crate::math::{Real, Vec3, turn};
use crate::solver::{BodyMotion, SolverBody};
use crate::tolerances::ROUNDING;

/// A step as push-out sees it.
pub(super) struct PushOut<'a> {
    pub bodies: &'a Bodies,
    pub contacts: &'a ContactGraph,
    /// Greatest speed of push-out (m/s).
    pub speed: Real,
    pub dt: Real,
}

/// The limits that its contacts set to a body.
#[derive(Clone, Copy, Default)]
pub(super) struct Allowance {
    /// True if some overlap is deeper than push-out can end within the step.
    deep: bool,
    /// Greatest speed at which a surface came towards the body (m/s).
    met: Real,
}

impl PushOut<'_> {
    /// Slows the bodies of an island that push-out made too fast; `members` are its slots, and
    /// `solved` the bodies and motions of the solver. `allowances` is a buffer by slot.
    pub fn limit(
        &self,
        island: &Island,
        members: &[u32],
        (before, motions): (&[SolverBody], &mut [BodyMotion]),
        allowances: &mut Vec<Allowance>,
    ) {
        let gains = |&slot: &u32| {
            let (body, motion) = (&before[slot as usize + 1], &motions[slot as usize + 1]);
            let after = self.speed_after(motion, body.radius);
            after > self.speed && after > self.speed_before(body) * (1.0 + ROUNDING.velocity)
        };
        if !members.iter().any(gains) {
            return;
        }
        allowances.resize(self.bodies.slots(), Allowance::default());
        for &slot in members {
            allowances[slot as usize] = Allowance::default();
        }
        let contacts = &self.contacts.contacts[island.contact_range()];
        let mut any_deep = false;
        for c in contacts {
            if self.overlaps_deeply(c) {
                any_deep = true;
                (allowances[c.a as usize].deep, allowances[c.b as usize].deep) = (true, true);
            }
        }
        if !any_deep {
            return;
        }
        for c in contacts {
            if allowances[c.a as usize].deep || allowances[c.b as usize].deep {
                for (slot, met) in [c.a, c.b].into_iter().zip(self.meeting_speeds(c, before)) {
                    let most = &mut allowances[slot as usize].met;
                    *most = most.max(met);
                }
            }
        }
        for &slot in members {
            let (body, motion, allowance) =
                (&before[slot as usize + 1], &mut motions[slot as usize + 1], allowances[slot as usize]);
            if allowance.deep {
                self.slow(motion, body.radius, allowance.met.max(self.speed_before(body)));
            }
        }
    }

    /// The arms of a contact point in the world (m).
    fn arms(&self, c: &Contact, p: &ManifoldPoint) -> [Vec3; 2] {
        let orientation = &self.bodies.orientation;
        [(c.a, p.anchor_a), (c.b, p.anchor_b)].map(|(slot, anchor)| turn::rotate(orientation[slot as usize], anchor))
    }

    /// True if the bodies of a contact overlap at the step's start by more than push-out can end in
    /// it.
    fn overlaps_deeply(&self, c: &Contact) -> bool {
        let manifold = &self.contacts.manifolds[c.manifold as usize];
        let [from, to] = [c.a, c.b].map(|slot| self.bodies.center[slot as usize]);
        manifold.points().iter().any(|p| {
            let [arm_a, arm_b] = self.arms(c, p);
            (to + arm_b - from - arm_a).dot(manifold.normal) < -self.speed * self.dt
        })
    }

    /// The speed at which the surface of each body of a contact comes towards the other, seen by the
    /// other (m/s).
    fn meeting_speeds(&self, c: &Contact, before: &[SolverBody]) -> [Real; 2] {
        let manifold = &self.contacts.manifolds[c.manifold as usize];
        let runs = self.contacts.records[c.record as usize].surface_velocity.length();
        let [a, b] = [c.a, c.b].map(|slot| &before[solver_body(self.bodies, slot) as usize]);
        // The spin of dynamic bodies does not count, since push-out could feed on what it made.
        let carries = |body: &SolverBody, arm: Vec3| {
            let turns = if body.inverse_mass > 0.0 { Vec3::ZERO } else { body.angular_velocity.cross(arm) };
            (body.linear_velocity + turns).dot(manifold.normal)
        };
        manifold.points().iter().fold([runs; 2], |met, p| {
            let [arm_a, arm_b] = self.arms(c, p);
            [met[0].max(-carries(b, arm_b)), met[1].max(carries(a, arm_a))]
        })
    }

    /// Greatest speed of a body, along or about its centre, before the step or without contacts
    /// (m/s).
    fn speed_before(&self, body: &SolverBody) -> Real {
        let (v, w) = (body.linear_velocity, body.angular_velocity);
        let (faster, turns) = (v + body.linear_acceleration * self.dt, w + body.angular_acceleration * self.dt);
        v.length().max(faster.length()).max(body.radius * w.length().max(turns.length()))
    }

    /// Greatest speed of a body, along or about its centre, in or after the step (m/s).
    fn speed_after(&self, motion: &BodyMotion, radius: Real) -> Real {
        let along = motion.linear_velocity.length_squared().max(self.per_step(motion.displacement.length_squared()));
        let about = motion.angular_velocity.length_squared().max(self.per_step(motion.rotation.length_squared()));
        along.max(about * radius * radius).sqrt()
    }

    /// Square of the mean speed of a motion over the step.
    fn per_step(&self, squared: Real) -> Real {
        squared / (self.dt * self.dt)
    }

    /// Bounds the speeds that a body keeps, along and about its centre, to `most` (m/s), and its
    /// motion in the step to that of push-out, if that is more.
    fn slow(&self, motion: &mut BodyMotion, radius: Real, most: Real) {
        let way = most.max(self.speed) * self.dt;
        motion.linear_velocity = motion.linear_velocity.clamp_length_max(most);
        motion.displacement = motion.displacement.clamp_length_max(way);
        if radius > 0.0 {
            motion.angular_velocity = motion.angular_velocity.clamp_length_max(most / radius);
            motion.rotation = motion.rotation.clamp_length_max(way / radius);
        }
    }
}
