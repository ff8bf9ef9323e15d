//! One island of the direct solver.
//!
//! Impulses are solved for at the level of velocities. Overlaps are removed by a second,
//! frictionless problem, whose velocities move the bodies in this step and are then dropped, so
//! that push-out adds no velocity.

use super::assemble::{QUARTER_TURN, Separations, SolveContext, Trajectory, set_biases};
use super::assign::{DirectPlan, Review, SolveFacts};
use super::body_step::BodyStep;
use super::equilibrium_cache::EquilibriumCache;
use super::joint_rows::{self, JointRows};
use super::midpoint::{self, Midpoint};
use super::passivity;
use super::platform::{carry_with_platforms, rotate_arms};
use crate::bodies::Bodies;
use crate::contact::{ContactGraph, MAX_POINTS};
use crate::event::Event;
use crate::islands::{Island, Islands};
use crate::joints::Joints;
use crate::math::{DVec3, Real, Vec3, from_f64, to_f64};
use crate::motion::rotation::compose_rotation_vectors;
use crate::persist::copy_fields;
use crate::report::Counts;
use crate::resting::patch_wrench::lump;
use crate::resting::{
    self, Body, FormulationLevel, Problem, Report, SolveLimits, WORLD, Workspace, resolve_overlaps, solve_with,
};
use crate::systems::driven::is_driven;
use crate::systems::joints::record_outcome;
use crate::tolerances::*;
use std::cell::RefCell;

/// Speed (m/s, for bodies of about 1 m) below which a search ends in any case: rounding of the
/// scalar. Smaller: rounding opens gaps and unloads supports. Larger: rolling bodies slip.
const SPEED_ROUNDING: f64 = if size_of::<Real>() == 4 { 1e-7 } else { 0.0 };

/// Midpoint iterations. One is first order in the angle of a spin, two are second order, as the
/// step itself.
const MIDPOINT_ITERATIONS: u32 = 2;

/// Maximum position corrections per step in the direct solver. Each leaves the square of an angular
/// error. Fewer: fast chains come apart; more: cost where joints contradict each other.
const POSITION_ITERATIONS: u32 = 8;

/// An island at the step's start, kept while it is solved at its midpoint.
#[derive(Default)]
struct Start {
    bodies: Vec<Body>,
    contacts: Vec<resting::Contact>,
}

/// Buffers of a solve. Its overlaps are resolved in those of its impulses.
#[derive(Default)]
struct Buffers {
    bodies: Vec<Body>,
    /// Separations of the contacts at the start.
    gaps: Separations,
    start: Start,
    problem: Problem,
    workspace: Workspace,
    joint_impulses: Vec<f64>,
    /// Kinematic body that carries each body.
    platforms: Vec<u32>,
}

thread_local! {
    /// Buffers for one island at a time; overwritten before each use.
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

/// An island of the direct solver, with what its solve leaves.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct DirectIsland {
    /// Its least slot.
    pub key: u32,
    /// Its number in the step.
    pub island: u32,
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub plan: DirectPlan,
    /// Whether its impulses hold it in equilibrium.
    pub in_equilibrium: bool,
    /// Whether it is skipped in this step: its cached equilibrium still holds.
    pub is_cached: bool,
    cache: EquilibriumCache,
    /// Cost of the searches of the step, in contact points of factored matrices.
    #[cfg_attr(feature = "serialize", serde(skip))]
    cost: usize,
    /// Whether the last step was above the soft budget.
    over_budget: bool,
    #[cfg_attr(feature = "serialize", serde(skip))]
    contacts: Vec<resting::Contact>,
    steps: Vec<BodyStep>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    impulses: Vec<DVec3>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    joint_rows: JointRows,
    #[cfg_attr(feature = "serialize", serde(skip))]
    sticking: Vec<bool>,
    report: Report,
    /// Whether the problem could be assembled and its impulses are bounded.
    assembled: bool,
}

impl DirectIsland {
    /// Copies the fields that outlive a step.
    pub fn copy_persistent(&mut self, from: &Self) {
        copy_fields!(self, from; key, island, in_equilibrium, is_cached, over_budget, steps, report, assembled);
        self.cache.copy_persistent(&from.cache);
    }

    /// Whether data read from a file is consistent.
    #[cfg(feature = "serialize")]
    pub fn is_sound(&self, slots: usize) -> bool {
        let cached = self.cache.bodies();
        (self.key as usize) < slots
            && (cached == 0 || cached == self.steps.len())
            && self.steps.iter().all(|step| step.velocity.is_finite() && step.angular_velocity.is_finite())
    }

    /// Drops the data of another island.
    pub fn forget(&mut self) {
        self.cache.clear();
        self.steps.clear();
        (self.in_equilibrium, self.over_budget) = (false, false);
    }

    /// Judges the solve of the step.
    pub fn review(&mut self) -> Review {
        let facts = SolveFacts {
            assembled: self.assembled,
            residual: self.report.residual,
            cost: self.cost,
            points: self.contacts.len(),
            was_over_budget: self.over_budget,
        };
        let review = self.plan.review(&facts);
        if let Review::Kept(_) = review {
            self.over_budget = self.cost > self.plan.budget.soft;
        }
        review
    }

    /// True if some impulse is out of proportion to the speed of the problem (m/s): see
    /// `DIRECT.unbounded_ratio`.
    fn has_unbounded_impulse(&self, context: &SolveContext, island: &Island, speed: f64) -> bool {
        // A body with all axes locked has a mass too.
        let masses = context.islands.bodies[island.body_range()].iter().map(|&slot| context.bodies.mass[slot as usize]);
        let most = DIRECT.unbounded_ratio * speed * masses.map(f64::from).sum::<f64>();
        self.impulses.iter().any(|j| j.length() > most)
    }

    /// Assembles and solves the island; writes to nothing else.
    pub fn solve(&mut self, context: &SolveContext, midpoint: &Midpoint) {
        let island = &context.islands.islands[self.island as usize];
        self.cost = 0;
        self.is_cached = self.cache.holds(context, self.key, island, &self.steps);
        if !self.is_cached {
            BUFFERS.with_borrow_mut(|buffers| self.solve_anew(context, midpoint, island, buffers));
        }
    }

    fn solve_anew(&mut self, context: &SolveContext, midpoint: &Midpoint, island: &Island, buffers: &mut Buffers) {
        let (h, unit) = (f64::from(context.dt), f64::from(context.settings.length_unit));
        let gravity = f64::from(context.settings.gravity.length()).max(DIRECT.min_gravity * unit);
        let plan = self.plan;
        self.cache.clear();
        self.in_equilibrium = false;
        context.bodies(island, &mut buffers.bodies);
        self.restore_unrounded(&mut buffers.bodies);
        context.contacts(island, &mut self.contacts, &mut buffers.gaps);
        if !plan.quiet {
            midpoint.refresh_points(context, island, &mut self.contacts);
        }
        // Stopped at the step's end, a hop has lifted its body by half of it: no more than may be gained.
        let hop = f64::from(context.settings.resting_speed()).min(ENERGY_GAIN * gravity * h);
        let trajectory =
            set_biases(&mut self.contacts, &buffers.gaps.forces, h, f64::from(IMPACTS.resolution) * unit, hop);
        rotate_arms(context, island, &mut self.contacts, 1.0);
        self.assembled = self.joint_rows.assemble_at_start(context, island) && self.build(buffers, h, gravity);
        if !self.assembled {
            return;
        }
        let mut limits = plan.limits.search;
        limits.target = limits.target.max(SPEED_ROUNDING * unit / buffers.problem.speed()).min(limits.accept);
        self.search(buffers, limits, trajectory, h);
        let turn = midpoint::rotation(&self.steps);
        if turn > plan.midpoint_angle {
            buffers.start.bodies.clone_from(&buffers.bodies);
            buffers.start.contacts.clone_from(&self.contacts);
            // The midpoint takes the rotation of the arms into account itself.
            rotate_arms(context, island, &mut buffers.start.contacts, -1.0);
            self.assembled = (0..MIDPOINT_ITERATIONS).all(|_| {
                self.advance_to_midpoint(context, midpoint, island, buffers);
                let built = self.build(buffers, h, gravity);
                if built {
                    self.search(buffers, limits, trajectory, h);
                }
                built
            });
            if !self.assembled {
                return;
            }
        }
        if self.has_unbounded_impulse(context, island, buffers.problem.speed()) {
            self.assembled = false;
            return;
        }
        self.mark_pushed(&buffers.bodies, h);
        // Beyond a quarter turn, a rod that loses its speed stays in a thin wall.
        let is_slow = |body: &Body| body.angular_velocity.length() * h < QUARTER_TURN;
        let projects = turn > plan.midpoint_angle && buffers.start.bodies.iter().all(is_slow);
        if projects && self.joint_rows.is_empty() && !may_gain(context, island) {
            self.project(context, island, &buffers.start.bodies);
        }
        self.joint_rows.record(&buffers.joint_impulses, context.dt);
        let solution = (&self.impulses[..], &self.sticking[..]);
        carry_with_platforms(context, island, &mut self.steps, solution, &mut buffers.platforms);
        let fastest = self.push_out(context, buffers, h, unit);
        self.in_equilibrium = self.report.converged
            && self.report.equilibrium.holds(plan.limits.equilibrium)
            && fastest <= f64::from(SLEEP.speed) * unit;
        if self.in_equilibrium {
            self.cache.store(context, island, plan.caches_equilibrium, &mut self.steps);
        }
    }

    /// Builds the problem of the step. Returns false if it has no solution.
    fn build(&self, buffers: &mut Buffers, h: f64, gravity: f64) -> bool {
        let level = FormulationLevel::Velocity { step: h };
        let constraints = &self.joint_rows.constraints;
        buffers.problem.build_with_joints(level, gravity, &buffers.bodies, &self.contacts, constraints).is_ok()
    }

    /// Searches for the impulses of the problem, and moves the bodies accordingly.
    fn search(&mut self, buffers: &mut Buffers, mut limits: SolveLimits, trajectory: Trajectory, h: f64) {
        limits.factorisations = self.plan.budget.factorisations_left(self.cost, self.contacts.len());
        let solution = solve_with(&mut buffers.workspace, &buffers.problem, self.plan.method, limits);
        self.report = solution.report;
        self.cost += self.report.factorisations * self.contacts.len();
        self.impulses.clear();
        self.impulses.extend_from_slice(solution.impulses);
        self.sticking.clear();
        self.sticking.extend_from_slice(solution.sticking);
        buffers.joint_impulses.clear();
        buffers.joint_impulses.extend_from_slice(solution.joint_impulses);
        self.steps.clear();
        let velocities = solution.velocities.iter().zip(solution.angular_velocities);
        for (body, (&velocity, &angular_velocity)) in buffers.bodies.iter().zip(velocities) {
            let (linear, angular) = match trajectory {
                Trajectory::Parabola => {
                    (0.5 * (body.velocity + velocity), 0.5 * (body.angular_velocity + angular_velocity))
                }
                Trajectory::Straight => (velocity, angular_velocity),
            };
            let (displacement, rotation) = (linear * h, angular * h);
            self.steps.push(BodyStep {
                velocity,
                angular_velocity,
                displacement,
                rotation,
                pushed: false,
                lift: DVec3::ZERO,
            });
        }
    }

    /// Takes the island from the step's start to the midpoint of the last solution, warm-started
    /// from its impulses.
    fn advance_to_midpoint(
        &mut self,
        context: &SolveContext,
        midpoint: &Midpoint,
        island: &Island,
        buffers: &mut Buffers,
    ) {
        buffers.bodies.clone_from(&buffers.start.bodies);
        self.contacts.clone_from(&buffers.start.contacts);
        let contacts = (&mut self.contacts[..], &buffers.gaps.forces[..], &self.impulses[..]);
        midpoint.advance(context, island, &self.steps, &mut buffers.bodies, contacts);
        for (contact, j) in self.contacts.iter_mut().zip(&self.impulses) {
            contact.impulse = *j;
        }
        self.joint_rows.advance_to_midpoint(context, &self.steps, &buffers.joint_impulses);
    }

    /// Marks the bodies that contacts and joints push. The others fly, also where impulses that are
    /// rounding keep a contact closed at the step's end.
    fn mark_pushed(&mut self, start: &[Body], h: f64) {
        let changes = |body: &Body, step: &BodyStep| {
            let energy = |velocities| passivity::kinetic_energy(body, &body.principal_axes, velocities);
            let before = [body.velocity, body.angular_velocity];
            let faster = [body.acceleration, body.angular_acceleration].map(|faster| faster * h);
            let after = [step.velocity, step.angular_velocity];
            let change = std::array::from_fn(|k| after[k] - before[k] - faster[k]);
            let rounding = f64::from(ROUNDING.velocity);
            energy(change) > rounding * rounding * (energy(before) + energy(faster))
        };
        for (contact, _) in self.contacts.iter().zip(&self.impulses).filter(|(_, j)| **j != DVec3::ZERO) {
            for body in [contact.first, contact.second] {
                if let (Some(step), Some(body)) = (self.steps.get_mut(body as usize), start.get(body as usize)) {
                    step.pushed = step.pushed || changes(body, step);
                }
            }
        }
        self.joint_rows.mark_pushed(&mut self.steps);
        for (step, body) in self.steps.iter_mut().zip(start).filter(|(step, _)| !step.pushed) {
            step.displacement = 0.5 * (body.velocity + step.velocity) * h;
        }
    }

    /// Takes back the energy that the errors of a step have added: see [`passivity`].
    fn project(&mut self, context: &SolveContext, island: &Island, start: &[Body]) {
        let torques = context.islands.bodies[island.body_range()].iter();
        let torques = torques.map(|&slot| to_f64(context.bodies.torque[slot as usize]));
        let holds = |contact: &resting::Contact| contact.first == WORLD || contact.second == WORLD;
        let held = self.contacts.iter().zip(&self.impulses).any(|(contact, j)| holds(contact) && *j != DVec3::ZERO);
        passivity::project(start, torques, held, &mut self.steps);
    }

    /// Restores the `f64` velocities of the last step where they only were rounded since. In `f32`,
    /// rounding alone would open and close contacts that share a load.
    fn restore_unrounded(&self, bodies: &mut [Body]) {
        for (body, last) in bodies.iter_mut().zip(&self.steps) {
            let same = |now: DVec3, then: DVec3| to_f64(from_f64(then)) == now;
            if last.pushed && same(body.velocity, last.velocity) && same(body.angular_velocity, last.angular_velocity) {
                (body.velocity, body.angular_velocity) = (last.velocity, last.angular_velocity);
            }
        }
    }

    /// Removes overlaps and joint errors; returns the speed of the fastest such motion (m/s).
    fn push_out(&mut self, context: &SolveContext, buffers: &mut Buffers, h: f64, unit: f64) -> f64 {
        let closed = JOINTS.direct_error * unit;
        let error = self.joint_rows.closing_constraints(context, &self.steps, h);
        let Separations { forces, overlaps } = &buffers.gaps;
        if forces.iter().chain(overlaps).all(|gap| *gap >= 0.0) && error <= closed {
            return 0.0;
        }
        for body in &mut buffers.bodies {
            // The pseudo-motion starts at rest and without forces.
            (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            (body.acceleration, body.angular_acceleration) = (DVec3::ZERO, DVec3::ZERO);
        }
        // With other axes, the velocity of a body that turns far would have another energy.
        let left_to_ccd = self.contacts.iter().zip(&buffers.gaps.overlaps).filter(|(_, overlap)| **overlap < 0.0);
        let turning: Vec<u32> = left_to_ccd.flat_map(|(contact, _)| [contact.first, contact.second]).collect();
        for &number in &turning {
            if let Some(body) = buffers.bodies.get_mut(number as usize) {
                body.inverse_inertia = DVec3::ZERO;
            }
        }
        let most = f64::from(context.settings.max_push_out());
        self.set_push_out_biases(buffers, h, most);
        let mut fastest = 0.0_f64;
        for _ in 0..POSITION_ITERATIONS {
            let has_joints = !self.joint_rows.is_empty();
            let (level, closing) = (FormulationLevel::Velocity { step: h }, &self.joint_rows.closing);
            if buffers.problem.build_with_joints(level, 0.0, &buffers.bodies, &self.contacts, closing).is_err() {
                return f64::INFINITY;
            }
            let (velocities, angular_velocities) =
                resolve_overlaps(&mut buffers.workspace, &buffers.problem, POSITION_SOFTNESS);
            let motions = velocities.iter().zip(angular_velocities);
            // The speeds of overlaps that lie in a row add up from body to body.
            let top = velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
            let part = if top > most && !has_joints { most / top } else { 1.0 };
            for (number, (step, (&velocity, &angular))) in (0..).zip(self.steps.iter_mut().zip(motions)) {
                let (velocity, angular) = (velocity * part, angular * part);
                if !step.pushed && turning.contains(&number) {
                    step.lift += velocity * h;
                    continue;
                }
                step.displacement += velocity * h;
                step.rotation =
                    if has_joints { compose(step.rotation, angular * h) } else { step.rotation + angular * h };
                step.pushed |= velocity != DVec3::ZERO || angular != DVec3::ZERO;
                fastest = fastest.max(velocity.length());
            }
            if !has_joints || self.joint_rows.closing_constraints(context, &self.steps, h) <= closed {
                break;
            }
            // Further rounds are for the joints: contacts keep what this one has gained.
            let bodies = &buffers.bodies;
            for c in &mut self.contacts {
                let speed = |body: u32| match bodies.get(body as usize) {
                    Some(of) => {
                        velocities[body as usize] + angular_velocities[body as usize].cross(c.point - of.position)
                    }
                    None => DVec3::ZERO,
                };
                c.bias += (speed(c.second) - speed(c.first)).dot(c.normal);
            }
        }
        fastest
    }

    /// Makes the contacts frictionless, with biases that part overlaps, no faster than `most` (m/s),
    /// and let no others meet. Where a body turns by radians, other points are there at the end: an
    /// overlap that is left to continuous collision detection is only kept from growing.
    fn set_push_out_biases(&mut self, buffers: &Buffers, h: f64, most: f64) {
        let Separations { forces, overlaps } = &buffers.gaps;
        for ((c, gap), overlap) in self.contacts.iter_mut().zip(forces).zip(overlaps) {
            let travel = |body: u32, turns: f64| {
                self.steps.get(body as usize).map_or(DVec3::ZERO, |step| {
                    let arm = c.point - buffers.bodies[body as usize].position;
                    step.displacement + step.rotation.cross(arm) * turns
                })
            };
            let opening =
                |turns| (travel(c.second, turns) - travel(c.first, turns) + c.surface_velocity * h).dot(c.normal);
            let end = gap + opening(1.0);
            c.bias = if *overlap < 0.0 {
                (opening(0.0) / h).clamp(-most, 0.0)
            } else if *gap < 0.0 && end < 0.0 {
                -(-end * DIRECT.erp / h).min(most)
            } else {
                end.max(0.0) / h
            };
            (c.static_friction, c.dynamic_friction) = (0.0, 0.0);
            (c.surface_velocity, c.impulse) = (DVec3::ZERO, DVec3::ZERO);
        }
    }

    /// Adds the work of the island to the report.
    pub fn count(&self, counts: &mut Counts) {
        if self.is_cached {
            counts.cached_islands += 1;
            return;
        }
        counts.direct_solves += usize::from(self.report.iterations > 0);
        counts.lp_solves += self.report.linear_programs.programs as usize;
    }

    /// Writes velocities, motion and impulses of the island to the working set.
    pub fn apply(
        &self,
        islands: &Islands,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        (joints, events): (&mut Joints, &mut Vec<Event>),
        pushed: &mut [bool],
    ) {
        let island = &islands.islands[self.island as usize];
        if self.is_cached {
            for &slot in &islands.bodies[island.body_range()] {
                pushed[slot as usize] = true;
            }
            return;
        }
        for (joint, wrench, forces) in self.joint_rows.outcomes() {
            let outcome = joint_rows::outcome(joints, joint, wrench);
            record_outcome(joints, joint, outcome, forces.iter().copied(), events);
        }
        for (step, &slot) in self.steps.iter().zip(&islands.bodies[island.body_range()]) {
            let slot = slot as usize;
            if step.pushed {
                pushed[slot] = true;
                bodies.linear_velocity[slot] = from_f64(step.velocity);
                bodies.angular_velocity[slot] = from_f64(step.angular_velocity);
                bodies.displacement[slot] += from_f64(step.displacement);
                bodies.rotation[slot] = compose_rotation_vectors(bodies.rotation[slot], from_f64(step.rotation));
            } else {
                bodies.displacement[slot] += from_f64(step.lift);
            }
        }
        store_impulses(island, graph, &self.contacts, &self.impulses, &self.sticking);
    }
}

/// True if the island touches a surface that moves by itself, and so may do work on it, or has
/// bodies with locked axes, whose inertia is another in each orientation.
fn may_gain(context: &SolveContext, island: &Island) -> bool {
    let SolveContext { bodies, graph, islands, .. } = *context;
    let mut slots = islands.bodies[island.body_range()].iter();
    let mut contacts = graph.contacts[island.contact_range()].iter();
    slots.any(|&slot| bodies.inputs[slot as usize].locked.is_some()) || contacts.any(|c| is_driven(bodies, graph, c))
}

/// Composes two rotation vectors.
fn compose(first: DVec3, then: DVec3) -> DVec3 {
    to_f64(compose_rotation_vectors(from_f64(first), from_f64(then)))
}

/// Writes the impulses of an island's contact points to their manifolds.
pub(super) fn store_impulses(
    island: &Island,
    graph: &mut ContactGraph,
    contacts: &[resting::Contact],
    impulses: &[DVec3],
    sticking: &[bool],
) {
    let mut next = 0;
    for c in &graph.contacts[island.contact_range()] {
        let manifold = &mut graph.manifolds[c.manifold as usize];
        let count = manifold.count as usize;
        let Some(normal) = contacts.get(next).map(|contact| contact.normal) else { continue };
        let impulses = &impulses[next..next + count];
        let mut points = [DVec3::ZERO; MAX_POINTS];
        for (point, contact) in points.iter_mut().zip(&contacts[next..next + count]) {
            *point = contact.point;
        }
        let friction = lump(normal, &points[..count], impulses);
        manifold.friction_impulse = from_f64(friction.force);
        manifold.twist_impulse = friction.twist as Real;
        manifold.rolling_impulse = Vec3::ZERO;
        manifold.sliding = false;
        for (k, j) in impulses.iter().enumerate() {
            let presses = j.dot(normal).max(0.0);
            manifold.points[k].normal_impulse = presses as Real;
            manifold.sliding |= presses > 0.0 && !sticking[next + k];
        }
        next += count;
    }
}
