//! One island solved by the exact laws of rest.
//!
//! Impulses and velocities at the level of velocities; depth is undone by a second, frictionless problem whose velocities
//! move the bodies in this step and are then forgotten: push-out never becomes motion.

use super::halfway::{self, Halfway};
use super::held::Proof;
use super::knots::{self, Knots};
use super::moved::Moved;
use super::posing::{Context, Path, ask};
use super::riding::{ride, turn_arms};
use crate::bodies::Bodies;
use crate::contact::{ContactGraph, MAX_POINTS};
use crate::event::Event;
use crate::islands::{Island, Islands};
use crate::joints::Joints;
use crate::kept::copy_fields;
use crate::math::{DVec3, Real, from_f64, to_f64};
use crate::motion::rotation::one_after_another;
use crate::report::Counts;
use crate::resting::patch::gather;
use crate::resting::{self, Body, Effort, Law, Level, Problem, Report, Workspace, push_apart, solve_with};
use crate::settings::{Accuracy, Settings};
use crate::systems::joints::note;
use crate::tolerances::*;
use std::cell::RefCell;

/// An island at the step's start, while it is solved half-way.
#[derive(Default)]
struct Start {
    bodies: Vec<Body>,
    contacts: Vec<resting::Contact>,
}

thread_local! {
    /// Room for one island at a time. What is in it never shows in a result.
    static START: RefCell<Start> = RefCell::default();
}

/// An island in the hands of the exact laws, with the buffers of its search.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Work {
    /// Its least slot.
    pub name: u32,
    pub island: u32,
    pub quiet: bool,
    /// Whether it is quiet, or moves only because it is carried: then one step is like the last.
    #[cfg_attr(feature = "serialize", serde(skip))]
    pub steady: bool,
    /// Whether its own impulses hold it at rest.
    pub rests: bool,
    /// Whether it is left as it is in this step, because it was proved at rest and nothing has changed since.
    pub held: bool,
    proof: Proof,
    /// What the searches of the step took, as contact points in factored matrices.
    #[cfg_attr(feature = "serialize", serde(skip))]
    toil: usize,
    /// Whether those of the last step took too much for a game.
    tedious: bool,
    #[cfg_attr(feature = "serialize", serde(skip))]
    bodies: Vec<Body>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    contacts: Vec<resting::Contact>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    gaps: Vec<f64>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    problem: Problem,
    #[cfg_attr(feature = "serialize", serde(skip))]
    space: Workspace,
    #[cfg_attr(feature = "serialize", serde(skip))]
    push: Problem,
    #[cfg_attr(feature = "serialize", serde(skip))]
    push_space: Workspace,
    moved: Vec<Moved>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    impulses: Vec<DVec3>,
    /// Its joints, and the strengths of their ties.
    #[cfg_attr(feature = "serialize", serde(skip))]
    knots: Knots,
    #[cfg_attr(feature = "serialize", serde(skip))]
    strengths: Vec<f64>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    sticking: Vec<bool>,
    /// The kinematic body that each body rides on.
    #[cfg_attr(feature = "serialize", serde(skip))]
    carriers: Vec<u32>,
    report: Report,
    posed: bool,
}

impl Work {
    /// Copies what outlives a step.
    pub fn copy_kept(&mut self, from: &Self) {
        copy_fields!(self, from; name, island, quiet, rests, held, tedious, moved, report, posed);
        self.proof.copy_kept(&from.proof);
    }

    /// Whether it can be gone on with.
    #[cfg(feature = "serialize")]
    pub fn is_sound(&self, slots: usize) -> bool {
        let proved = self.proof.bodies();
        (self.name as usize) < slots
            && (proved == 0 || proved == self.moved.len())
            && self.moved.iter().all(|moved| moved.velocity.is_finite() && moved.spin.is_finite())
    }

    /// Forgets what another island has left.
    pub fn forget(&mut self) {
        self.proof.drop();
        self.moved.clear();
        (self.rests, self.tedious) = (false, false);
    }

    /// Whether its searches take longer than a game has time for. That of an island which comes anew may, once, while it is steady:
    /// the next one begins from its answer, if there is one.
    pub fn tires(&mut self) -> bool {
        let (most, whole) = toil(self.steady);
        let again = std::mem::replace(&mut self.tedious, self.toil > most);
        let broken_off = self.toil + self.contacts.len().max(1) > whole;
        self.tedious && (again || !self.steady || broken_off)
    }

    /// Whether impulses are out of all proportion: see [`JAMMED`].
    fn is_jammed(&self, context: &Context, island: &Island) -> bool {
        // What may not move along any axis has a mass all the same.
        let masses = context.islands.bodies[island.body_range()].iter().map(|&slot| context.bodies.mass[slot as usize]);
        let most = JAMMED * self.problem.speed() * masses.map(f64::from).sum::<f64>();
        self.impulses.iter().any(|j| j.length() > most)
    }

    /// Poses and solves the island; nothing outside is changed.
    pub fn run(&mut self, context: &Context, halfway: &Halfway) {
        let island = &context.islands.islands[self.island as usize];
        let (h, unit) = (f64::from(context.dt), f64::from(context.settings.length_unit));
        let gravity = f64::from(context.settings.gravity.length()).max(WEIGHTLESS * unit);
        self.toil = 0;
        self.held = self.proof.stands(context, self.name, island, &self.moved);
        if self.held {
            return;
        }
        self.proof.drop();
        self.rests = false;
        context.bodies(island, &mut self.bodies);
        self.recall();
        context.contacts(island, &mut self.contacts, &mut self.gaps);
        if !self.quiet {
            halfway.freshen(context, island, &mut self.contacts);
        }
        let hop = f64::from(context.settings.resting_speed());
        let path = ask(&mut self.contacts, &self.gaps, h, f64::from(IMPACT_TOUCH) * unit, hop);
        turn_arms(context, island, &mut self.contacts, 1.0);
        self.posed = self.knots.begin(context, island) && self.build(h, gravity);
        if !self.posed {
            return;
        }
        let (mut effort, bar) = effort(context.settings.accuracy, self.quiet);
        effort.reach = effort.reach.max(ROUNDED_SPEED * unit / self.problem.speed()).min(effort.keep);
        self.solve(context.settings, effort, path, h);
        // What hangs would swing up by itself on forces of the step's start.
        let hangs = !self.knots.is_empty();
        let (may_turn, least) =
            (!self.quiet || hangs, if hangs { HALFWAY_TURN_TIED } else { least_turn(context.settings.accuracy) });
        if may_turn && halfway::turn(&self.moved) > least {
            let solved = START.with_borrow_mut(|start| {
                start.bodies.clone_from(&self.bodies);
                start.contacts.clone_from(&self.contacts);
                // Half-way, arms turn by themselves.
                turn_arms(context, island, &mut start.contacts, -1.0);
                (0..HALFWAY_ROUNDS).all(|_| {
                    self.go_halfway(context, halfway, island, start);
                    let built = self.build(h, gravity);
                    if built {
                        self.solve(context.settings, effort, path, h);
                    }
                    built
                })
            });
            self.posed = solved;
            if !self.posed {
                return;
            }
        }
        if self.is_jammed(context, island) {
            self.posed = false;
            return;
        }
        for (contact, j) in self.contacts.iter().zip(&self.impulses) {
            if *j != DVec3::ZERO {
                for body in [contact.first, contact.second] {
                    if let Some(moved) = self.moved.get_mut(body as usize) {
                        moved.pushed = true;
                    }
                }
            }
        }
        self.knots.push(&mut self.moved);
        self.knots.settle(&self.strengths, context.dt);
        ride(context, island, &mut self.moved, (&self.impulses, &self.sticking), &mut self.carriers);
        let fastest = self.push_out(context, h, unit);
        self.rests =
            self.report.converged && self.report.equilibrium.holds(bar) && fastest <= f64::from(REST_SPEED) * unit;
        if self.rests {
            self.proof.keep(context, island, &mut self.moved);
        }
    }

    /// Poses the problem of the step. False if it is impossible.
    fn build(&mut self, h: f64, gravity: f64) -> bool {
        let level = Level::Velocity { step: h };
        self.problem.build_tied(level, gravity, &self.bodies, &self.contacts, &self.knots.ties).is_ok()
    }

    /// Solves the problem as it is posed, and moves the bodies accordingly.
    fn solve(&mut self, settings: &Settings, mut effort: Effort, path: Path, h: f64) {
        let law = match settings.resting_law {
            Law::Iterative => Law::Auto,
            law => law,
        };
        if is_hurried(settings) {
            effort.factorisations = toil(self.steady).1.saturating_sub(self.toil) / self.contacts.len().max(1);
        }
        let solution = solve_with(&mut self.space, &self.problem, law, effort);
        self.report = solution.report;
        self.toil += self.report.factorisations * self.contacts.len();
        self.impulses.clear();
        self.impulses.extend_from_slice(solution.impulses);
        self.sticking.clear();
        self.sticking.extend_from_slice(solution.sticking);
        self.strengths.clear();
        self.strengths.extend_from_slice(solution.ties);
        self.moved.clear();
        for ((body, &velocity), &spin) in self.bodies.iter().zip(solution.velocities).zip(solution.angular_velocities) {
            let (along, about) = match path {
                Path::Parabola => (0.5 * (body.velocity + velocity), 0.5 * (body.angular_velocity + spin)),
                Path::Straight => (velocity, spin),
            };
            let (displacement, rotation) = (along * h, about * h);
            self.moved.push(Moved { velocity, spin, displacement, rotation, pushed: false });
        }
    }

    /// Takes the island from the step's start half-way to where the last answer leads, with that answer's impulses.
    fn go_halfway(&mut self, context: &Context, halfway: &Halfway, island: &Island, start: &Start) {
        self.bodies.clone_from(&start.bodies);
        self.contacts.clone_from(&start.contacts);
        let contacts = (&mut self.contacts[..], &self.gaps[..], &self.impulses[..]);
        halfway.advance(context, island, &self.moved, &mut self.bodies, contacts);
        for (contact, j) in self.contacts.iter_mut().zip(&self.impulses) {
            contact.impulse = *j;
        }
        self.knots.go_halfway(context, &self.moved, &self.strengths);
    }

    /// Goes on with the velocities of the last step as they were before rounding, where nobody has changed them since. In
    /// `f32`, rounding alone would open and close contacts that share a load.
    fn recall(&mut self) {
        for (body, last) in self.bodies.iter_mut().zip(&self.moved) {
            let same = |now: DVec3, then: DVec3| to_f64(from_f64(then)) == now;
            if last.pushed && same(body.velocity, last.velocity) && same(body.angular_velocity, last.spin) {
                (body.velocity, body.angular_velocity) = (last.velocity, last.spin);
            }
        }
    }

    /// Moves what overlaps apart, and brings joints together; returns the fastest such motion (m/s).
    fn push_out(&mut self, context: &Context, h: f64, unit: f64) -> f64 {
        let closed = JOINT_CLOSED * unit;
        let apart = self.knots.close(context, &self.moved, h);
        if self.gaps.iter().all(|gap| *gap >= 0.0) && apart <= closed {
            return 0.0;
        }
        for body in &mut self.bodies {
            // The pseudo-motion starts from rest, and nothing pulls at it.
            (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            (body.acceleration, body.angular_acceleration) = (DVec3::ZERO, DVec3::ZERO);
        }
        self.ask_apart(h, unit);
        let mut fastest = 0.0_f64;
        for _ in 0..CLOSING_ROUNDS {
            let tied = !self.knots.is_empty();
            let level = Level::Velocity { step: h };
            if self.push.build_tied(level, 0.0, &self.bodies, &self.contacts, &self.knots.closing).is_err() {
                return f64::INFINITY;
            }
            let (velocities, spins) = push_apart(&mut self.push_space, &self.push, PUSH_OUT_SOFTNESS);
            for (moved, (&velocity, &spin)) in self.moved.iter_mut().zip(velocities.iter().zip(spins)) {
                moved.displacement += velocity * h;
                moved.rotation = if tied { turned(moved.rotation, spin * h) } else { moved.rotation + spin * h };
                moved.pushed |= velocity != DVec3::ZERO || spin != DVec3::ZERO;
                fastest = fastest.max(velocity.length());
            }
            if !tied || self.knots.close(context, &self.moved, h) <= closed {
                break;
            }
            // What is left is for the joints.
            let bodies = &self.bodies;
            for c in &mut self.contacts {
                let speed = |body: u32| match bodies.get(body as usize) {
                    Some(of) => velocities[body as usize] + spins[body as usize].cross(c.point - of.position),
                    None => DVec3::ZERO,
                };
                c.bias += (speed(c.second) - speed(c.first)).dot(c.normal);
            }
        }
        fastest
    }

    /// Has contacts ask that what overlaps be pushed apart, and nothing else meet.
    fn ask_apart(&mut self, h: f64, unit: f64) {
        for (c, gap) in self.contacts.iter_mut().zip(&self.gaps) {
            let travel = |body: u32| {
                self.moved.get(body as usize).map_or(DVec3::ZERO, |moved| {
                    moved.displacement + moved.rotation.cross(c.point - self.bodies[body as usize].position)
                })
            };
            let end = gap + (travel(c.second) - travel(c.first) + c.surface_velocity * h).dot(c.normal);
            c.bias = if *gap < 0.0 && end < 0.0 {
                -(-end * PUSH_OUT / h).min(f64::from(MAX_PUSH_OUT) * unit)
            } else {
                end.max(0.0) / h
            };
            (c.static_friction, c.dynamic_friction) = (0.0, 0.0);
            (c.surface_velocity, c.impulse) = (DVec3::ZERO, DVec3::ZERO);
        }
    }
}

/// One rotation vector after another.
fn turned(first: DVec3, then: DVec3) -> DVec3 {
    to_f64(one_after_another(from_f64(first), from_f64(then)))
}

/// The angle (rad) from which on an island that turns is solved half-way.
fn least_turn(accuracy: Accuracy) -> f64 {
    match accuracy {
        Accuracy::Exact => HALFWAY_TURN_EXACT,
        Accuracy::Game => HALFWAY_TURN_GAME,
    }
}

/// Whether searches that take long are broken off: where a game asks for nothing else.
pub(super) fn is_hurried(settings: &Settings) -> bool {
    settings.accuracy == Accuracy::Game && settings.resting_law == Law::Auto
}

/// The toil in a step from which on an island tires, and that at which its searches are broken off.
fn toil(steady: bool) -> (usize, usize) {
    if steady { (GAME_TOIL, GAME_TOIL_MOST) } else { (GAME_MOVING_TOIL, GAME_MOVING_TOIL_MOST) }
}

/// How hard an island is tried, and how far from equilibrium (in g) it may be at rest.
pub(super) fn effort(accuracy: Accuracy, quiet: bool) -> (Effort, f64) {
    match accuracy {
        Accuracy::Exact => {
            let iterations = if quiet { NEWTON_ITERATIONS } else { MOVING_ITERATIONS };
            (Effort { keep: EXACT_KEEP, reach: EXACT_REACH, iterations, factorisations: usize::MAX }, CERTIFICATE_EXACT)
        }
        Accuracy::Game => {
            let iterations = MOVING_ITERATIONS;
            (Effort { keep: GAME_KEEP, reach: GAME_REACH, iterations, factorisations: usize::MAX }, CERTIFICATE_GAME)
        }
    }
}

/// Whether the scalable solver must take an island after all.
pub(super) fn failed(work: &Work, law: Law) -> bool {
    // Whoever asks for sweeps takes what they come to.
    let bar = if law == Law::ShockPropagation { f64::INFINITY } else { EXACT_FAILURE };
    !work.posed || work.report.residual.is_nan() || work.report.residual > bar
}

/// Adds what an island cost to the report.
pub(super) fn count(work: &Work, counts: &mut Counts) {
    if work.held {
        counts.held_islands += 1;
        return;
    }
    counts.pivot_solves += usize::from(work.report.iterations > 0);
    counts.lp_solves += work.report.linear_programs.programs as usize;
}

/// The island's velocities, motion and impulses into the working set.
pub(super) fn apply(
    work: &Work,
    islands: &Islands,
    bodies: &mut Bodies,
    graph: &mut ContactGraph,
    (joints, events): (&mut Joints, &mut Vec<Event>),
    pushed: &mut [bool],
) {
    let island = &islands.islands[work.island as usize];
    if work.held {
        for &slot in &islands.bodies[island.body_range()] {
            pushed[slot as usize] = true;
        }
        return;
    }
    for (joint, did, rows) in work.knots.outcomes() {
        let did = knots::outcome(joints, joint, did);
        note(joints, joint, did, rows.iter().copied(), events);
    }
    for (moved, &slot) in work.moved.iter().zip(&islands.bodies[island.body_range()]) {
        let slot = slot as usize;
        if moved.pushed {
            pushed[slot] = true;
            bodies.linear_velocity[slot] = from_f64(moved.velocity);
            bodies.angular_velocity[slot] = from_f64(moved.spin);
            bodies.displacement[slot] += from_f64(moved.displacement);
            bodies.rotation[slot] = one_after_another(bodies.rotation[slot], from_f64(moved.rotation));
        }
    }
    let (impulses, sticking) = (&work.impulses, &work.sticking);
    keep_impulses(island, graph, &work.contacts, impulses, sticking);
}

/// Writes the impulses of an island's contact points to their manifolds.
pub(super) fn keep_impulses(
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
        let friction = gather(normal, &points[..count], impulses);
        manifold.friction_impulse = from_f64(friction.force);
        manifold.twist_impulse = friction.twist as Real;
        manifold.rolling_impulse = crate::math::Vec3::ZERO;
        manifold.sliding = false;
        for (k, j) in impulses.iter().enumerate() {
            let presses = j.dot(normal).max(0.0);
            manifold.points[k].normal_impulse = presses as Real;
            manifold.sliding |= presses > 0.0 && !sticking[next + k];
        }
        next += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn searched(steady: bool, toil: usize) -> Work {
        Work { steady, toil, ..Work::default() }
    }

    #[test]
    fn a_steady_island_may_be_hard_once_and_a_moving_one_never() {
        let mut steady = searched(true, GAME_TOIL + 1);
        assert!(!steady.tires());
        assert!(steady.tires());
        steady.toil = GAME_TOIL;
        assert!(!steady.tires());
        steady.toil += 1;
        assert!(!steady.tires(), "an easy step between two hard ones");
        steady.forget();
        assert!(!steady.tires(), "another island in the same buffers");
        assert!(searched(true, GAME_TOIL_MOST).tires(), "what was broken off has no answer to begin from");
        assert!(searched(false, GAME_MOVING_TOIL + 1).tires());
        assert!(!searched(false, GAME_MOVING_TOIL).tires());
    }
}
