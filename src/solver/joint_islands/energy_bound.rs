//! Bound on the energy of islands whose substeps diverge.
//!
//! Contacts keep the rows of the step's start, joints follow the bodies. Where they contradict each
//! other, or links whirl by radians in a step, each drives the other, and velocities can grow by a
//! factor in each substep until they are no numbers. What nothing drives has a bound: accelerations
//! `a` do work at the rate `sum m a v`, so by the inequality of Cauchy and Schwarz the root of the
//! energy grows by at most `sqrt(sum m a² / 2) dt`, and contacts that push bodies out of overlaps
//! with speeds up to `p` add at most `sqrt(sum m p² / 2)` to it.
//!
//! An island that ends its step beyond the bound is solved again. In this second solve its velocities
//! are scaled to the bound after each substep that passes it, with its linear momentum kept where no
//! immovable body holds it, and its contacts begin anew. Rotation counts with the least moment that the
//! inertia allows, so that no body is slowed for the direction in which it turns.

use super::island_batch::{BatchContext, IslandBatch};
use crate::ids::NONE;
use crate::math::{DMat3, DVec3, Real, Vec3, from_f64, to_f64};
use crate::motion::energy::{MovingBody, slow_down, translational};
use crate::solver::body::{BodyState, SolverBody};
use std::ops::Range;

/// An island that the last solve left beyond its bound.
pub(super) struct DivergedIsland {
    /// Its movable bodies, by state.
    states: Vec<u32>,
    /// Its contacts in the batch.
    contacts: Range<u32>,
    /// Greatest kinetic energy (J).
    bound: f64,
    /// True if an immovable body holds it.
    held: bool,
}

impl IslandBatch {
    /// Lists the islands that the last solve left beyond their bounds; returns whether there are any.
    pub(super) fn find_diverged(&mut self, context: &BatchContext) -> bool {
        // An island beyond its bound has a body that is beyond its own.
        let beyond = |(&body, state): (&u32, &BodyState)| {
            let body = &context.bodies[body as usize];
            let [linear, angular] = velocities(state).map(Vec3::length_squared);
            let gained = body.linear_acceleration.length() * context.dt + context.push_out_speed;
            let most = body.linear_velocity.length() + gained;
            let speed_squared = linear + angular * body.radius * body.radius;
            body.movable() && (speed_squared > most * most || speed_squared.is_nan())
        };
        if !self.bodies.iter().zip(&self.states).any(beyond) {
            return false;
        }
        let mut states: Vec<(u32, u32)> = self.bodies.iter().copied().zip(0..).collect();
        states.sort_unstable();
        let mut first = [0; 2];
        for &[contacts, groups] in &self.island_ends {
            let island = self.diverged_island(context, &states, first[0]..contacts, first[1]..groups);
            self.diverged.extend(island);
            first = [contacts, groups];
        }
        !self.diverged.is_empty()
    }

    /// The island with these contacts and groups, if it is beyond its bound and nothing drives it.
    /// `state_of` lists the bodies of the batch, sorted, with their states.
    fn diverged_island(
        &self,
        context: &BatchContext,
        state_of: &[(u32, u32)],
        contacts: Range<u32>,
        groups: Range<u32>,
    ) -> Option<DivergedIsland> {
        let BatchContext { bodies, graph, joints, rows, dt, .. } = *context;
        let of_contacts = || {
            let own = &self.contacts[contacts.start as usize..contacts.end as usize];
            own.iter().map(|&contact| &context.contacts[contact as usize])
        };
        let of_groups = || {
            let own = &self.island_groups[groups.start as usize..groups.end as usize];
            own.iter().map(|&group| &graph.groups[group as usize])
        };
        let mut members: Vec<u32> = of_contacts().flat_map(|contact| [contact.a, contact.b]).collect();
        members.extend(of_groups().flat_map(|group| graph.bodies(group)));
        members.sort_unstable();
        members.dedup();
        let immovable = || members.iter().map(|&body| &bodies[body as usize]).filter(|body| !body.movable());
        let is_driven = immovable().any(|b| b.linear_velocity != Vec3::ZERO || b.angular_velocity != Vec3::ZERO)
            || of_contacts().any(|contact| contact.surface_velocity != Vec3::ZERO)
            || of_groups()
                .flat_map(|group| graph.joints(group))
                .any(|&joint| rows[joints[joint as usize].row_range()].iter().any(|row| row.kind.is_drive()));
        if is_driven {
            return None;
        }
        let held = immovable().next().is_some();
        let push_out_speed = f64::from(context.push_out_speed);
        let (mut before, mut work, mut push) = (0.0, 0.0, 0.0);
        for body in members.iter().map(|&body| &bodies[body as usize]).filter(|body| body.movable()) {
            let mass = mass(body);
            let [linear, angular] = [body.linear_velocity, body.angular_velocity];
            before += kinetic(body, linear, angular);
            work += kinetic(body, body.linear_acceleration, body.angular_acceleration);
            push += 0.5 * mass * push_out_speed * push_out_speed;
        }
        let root = before.sqrt() + work.sqrt() * f64::from(dt) + push.sqrt();
        let states = members.iter().filter(|&&body| bodies[body as usize].movable()).map(|body| {
            let at = state_of.binary_search_by_key(body, |&(body, _)| body).expect("a body of the batch");
            state_of[at].1
        });
        let island = DivergedIsland { states: states.collect(), contacts, bound: root * root, held };
        let energy = energy(&self.moving(context, &island));
        (energy > island.bound || energy.is_nan()).then_some(island)
    }

    /// The bodies of an island, with their least moments of inertia.
    fn moving(&self, context: &BatchContext, island: &DivergedIsland) -> Vec<MovingBody> {
        let of = |&state: &u32| {
            let (body, state) = (&context.bodies[self.bodies[state as usize] as usize], &self.states[state as usize]);
            let [linear, angular] = velocities(state).map(to_f64);
            MovingBody {
                mass: mass(body),
                inertia: DMat3::from_diagonal(DVec3::splat(least_moment(body))),
                center: to_f64(body.position) + to_f64(Vec3::from_slice(&state.displacement.0[..3])),
                velocity: linear,
                angular_velocity: angular,
            }
        };
        island.states.iter().map(of).collect()
    }

    /// Scales the velocities of diverged islands to their bounds.
    pub(super) fn bound_diverged(&mut self, context: &BatchContext) {
        for index in 0..self.diverged.len() {
            let island = &self.diverged[index];
            let mut moving = self.moving(context, island);
            let kinetic = energy(&moving);
            if kinetic <= island.bound {
                continue;
            }
            slow_down(&mut moving, island.held, kinetic, island.bound);
            for (body, &state) in moving.iter().zip(&island.states) {
                let row = &mut self.states[state as usize].velocity.0;
                row[..3].copy_from_slice(&from_f64(body.velocity).to_array());
                row[4..7].copy_from_slice(&from_f64(body.angular_velocity).to_array());
            }
            let own = island.contacts.clone();
            for (block, lanes) in self.blocks.iter_mut().zip(&self.lanes) {
                for (lane, _) in lanes.iter().enumerate().filter(|(_, here)| **here != NONE && own.contains(here)) {
                    block.clear_impulses(lane);
                }
            }
        }
    }
}

/// Velocity (m/s) and angular velocity (rad/s) of a state.
fn velocities(state: &BodyState) -> [Vec3; 2] {
    [0, 4].map(|k| Vec3::from_slice(&state.velocity.0[k..k + 3]))
}

/// Mass (kg); 0 for a body that only turns.
fn mass(body: &SolverBody) -> f64 {
    if body.inverse_mass > 0.0 { f64::from(body.inverse_mass).recip() } else { 0.0 }
}

/// A moment of inertia that no axis is below (kg m²); 0 for a body that does not turn.
fn least_moment(body: &SolverBody) -> f64 {
    let trace: Real = body.inverse_inertia[..3].iter().sum();
    if trace > 0.0 { f64::from(trace).recip() } else { 0.0 }
}

/// Kinetic energy (J) of a body with these velocities at the start of the step.
fn kinetic(body: &SolverBody, linear: Vec3, angular: Vec3) -> f64 {
    let [xx, yy, zz, xy, xz, yz] = body.inverse_inertia.map(f64::from);
    let inverse = DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz));
    let spin = to_f64(angular);
    let inertia = inverse.inverse();
    let rotation = 0.5 * spin.dot(inertia * spin);
    // A body with a locked axis has a singular inverse: its spin has the most that its size allows.
    let radius = f64::from(body.radius);
    let most = 0.5 * mass(body) * radius * radius * spin.length_squared();
    translational(mass(body), to_f64(linear)) + if rotation.is_finite() { rotation } else { most }
}

/// Kinetic energy of bodies (J).
fn energy(bodies: &[MovingBody]) -> f64 {
    bodies.iter().map(MovingBody::kinetic).sum()
}
