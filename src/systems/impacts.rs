//! Stage 7, **impacts**: collisions, by the propagation model.
//!
//! Of each island, the contacts that close faster than the resting threshold within the step begin a cluster that
//! [`impact::propagation`](crate::impact::propagation) takes through its impacts in the order of their moments; it grows with
//! the bodies that are hit. What goes slower, and plastic contacts of larger islands (which lose nothing by being solved all
//! at once, unless joints hold them), are left to the resting stage. Islands are independent of each other and run in parallel.

mod cluster;
mod linkages;
mod seeds;
mod turning;

use crate::ahead;
use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::components::ImpactLaw;
use crate::contact::{Contact, ContactGraph, Manifold, ManifoldPoint, Status};
use crate::event::Event;
use crate::impact::propagation::{Limits, Propagated, Together};
use crate::index::NONE;
use crate::islands::{Island, Islands};
use crate::joints::Joints;
use crate::math::{Real, Vec3, from_f64, to_f64};
use crate::parallel::{Apart, Helpers, LOOKED_AT};
use crate::settings::{Accuracy, ImpactModel, Settings};
use crate::systems::narrow_phase::world_point;
use crate::systems::state::State;
use crate::tolerances::{
    CLOSING_SLACK, IMPACT_BUDGET, IMPACT_SPIN, IMPACT_TOUCH, IMPACT_VISITS, IMPACTS_FOR_HELP,
    IMPACTS_PER_CONTACT_EXACT, IMPACTS_PER_CONTACT_GAME, IMPACTS_PER_CONTACT_SMALL, SMALL_ISLAND, TOUCH,
};
use cluster::Workspace;
pub(in crate::systems) use cluster::{matrix, single_law};
use seeds::Found;

/// Buffers kept between steps.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Impacts {
    /// The place of each slot among the bodies of all islands.
    #[cfg_attr(feature = "serialize", serde(skip))]
    place: Vec<u32>,
    /// Contacts of each of these bodies: a range of `of_body` for each.
    #[cfg_attr(feature = "serialize", serde(skip))]
    first: Vec<u32>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    of_body: Vec<u32>,
    /// The islands with impacts, in the first places; the others wait for later steps.
    #[cfg_attr(feature = "serialize", serde(skip))]
    work: Vec<Workspace>,
    /// Pairs whose separation was written here in the last step: what the solver carries on from it is not theirs.
    stale: Vec<u32>,
    /// What shares of the contacts came to: those that may collide by themselves, and pairs of balls that were straightened.
    #[cfg_attr(feature = "serialize", serde(skip))]
    found: Vec<Found>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    round: Vec<Vec<u32>>,
}

impl Impacts {
    /// Copies what outlives a step.
    pub(crate) fn copy_kept(&mut self, from: &Self) {
        self.stale.clone_from(&from.stale);
    }

    /// Pairs whose separation was written here in the last step.
    pub(crate) fn written(&self) -> &[u32] {
        &self.stale
    }
}

/// What the islands read.
struct Context<'a> {
    bodies: &'a Bodies,
    colliders: &'a Colliders,
    graph: &'a ContactGraph,
    islands: &'a Islands,
    joints: &'a Joints,
    place: &'a [u32],
    first: &'a [u32],
    of_body: &'a [u32],
    law: ImpactLaw,
    dt: Real,
    settings: &'a Settings,
    touch: Real,
    /// Gaps up to this count as closed (m).
    closed: Real,
    /// The acceleration of gravity (m/s²), and the speed below which approach under it is rest (m/s) in small islands.
    gravity: Real,
    threshold: Real,
}

/// Runs the stage.
pub fn run(state: &mut State) {
    let State { bodies, colliders, contacts, islands, joints, settings, dt, impacts, events, counts, helpers, .. } =
        state;
    joints.forget_blows();
    counts.impacts = 0;
    counts.impacts_left = 0;
    counts.linkages_cut = 0;
    for &slot in &islands.bodies {
        bodies.displacement[slot as usize] = Vec3::ZERO;
        bodies.rotation[slot as usize] = Vec3::ZERO;
    }
    let Impacts { place, first, of_body, work, stale, found, round } = impacts;
    for pair in stale.drain(..) {
        contacts.note(&[pair]);
        renew(contacts, pair);
    }
    let mut context = Context {
        bodies,
        colliders,
        graph: contacts,
        islands,
        joints,
        place: &[],
        first: &[],
        of_body: &[],
        law: settings.impact_law,
        dt: *dt,
        settings,
        touch: TOUCH * settings.length_unit,
        closed: IMPACT_TOUCH * settings.length_unit,
        gravity: settings.gravity.length(),
        threshold: settings.resting_speed_under(settings.gravity.length()),
    };
    let used = seeds::find(&context, helpers, found, work);
    if used == 0 {
        // Nothing collides any more: one island's room is kept for the next that does.
        work.truncate(1);
        straighten((bodies, colliders, helpers), contacts, (*dt, settings.resting_speed()), round, stale);
        return;
    }
    index(bodies.slots(), islands, &contacts.contacts, place, first, of_body);
    (context.place, context.first, context.of_body) = (place, first, of_body);
    let limits = Limits {
        horizon: f64::from(*dt),
        threshold: f64::from(context.threshold),
        touch: f64::from(context.closed),
        per_contact: IMPACTS_PER_CONTACT_SMALL,
        visits: u64::MAX,
        together: together(settings.impact_model),
    };
    // What the others could do while one is at the greatest of them.
    let seeds = || work[..used].iter().map(|workspace| workspace.seeds.len());
    let shared = seeds().sum::<usize>() - seeds().max().unwrap_or(0);
    helpers.for_each(&mut work[..used], shared >= IMPACTS_FOR_HELP, |workspace| {
        let points = islands.islands[workspace.island as usize].points as usize;
        let per_contact = match settings.accuracy {
            _ if points <= SMALL_ISLAND => IMPACTS_PER_CONTACT_SMALL,
            Accuracy::Game => IMPACTS_PER_CONTACT_GAME,
            Accuracy::Exact => IMPACTS_PER_CONTACT_EXACT,
        };
        let threshold = limits.threshold * f64::from(workspace.heap);
        let visits = IMPACT_VISITS * (IMPACT_BUDGET + points as u64);
        workspace.run(&context, &Limits { per_contact, visits, threshold, ..limits });
    });
    let written = stale.len();
    for workspace in &work[..used] {
        let Propagated { impacts, left, .. } = workspace.done;
        counts.impacts += impacts as usize;
        counts.impacts_left += left as usize;
        counts.linkages_cut += workspace.joined.cut;
        take_back(workspace, bodies, *dt);
        workspace.joined.report(&workspace.cluster.linkages, *dt, joints);
        report(workspace, bodies, contacts, events);
        settle(workspace, contacts, &limits, stale);
    }
    for &pair in &stale[written..] {
        contacts.note(&[pair]);
        renew(contacts, pair);
    }
    straighten((bodies, colliders, helpers), contacts, (*dt, settings.resting_speed()), round, stale);
}

/// What becomes of contacts that collide in the same moment.
pub(in crate::systems) fn together(model: ImpactModel) -> Together {
    match model {
        ImpactModel::Propagation => Together::Sequential,
        ImpactModel::Batch => Together::Batch,
        ImpactModel::Simultaneous => Together::Simultaneous,
    }
}

/// Makes the solver read a pair's manifold again, instead of carrying on what it has of it.
fn renew(contacts: &mut ContactGraph, pair: u32) {
    if let Some(record) = contacts.record_mut(pair as usize) {
        record.renew();
    }
}

/// Balls that pass each other are farther apart at the step's end than along the normal of its start: the resting stage,
/// which goes by that normal, is given the start that leads to the gap that they will have.
///
/// Where they part faster than `threshold` (m/s), an extrapolated overlap is none.
fn straighten(
    (bodies, colliders, helpers): (&Bodies, &Colliders, &Helpers),
    contacts: &mut ContactGraph,
    (dt, threshold): (Real, Real),
    books: &mut Vec<Vec<u32>>,
    stale: &mut Vec<u32>,
) {
    let ContactGraph { contacts: list, manifolds, records, status, pairs, .. } = contacts;
    let (list, status, pairs) = (&*list, &*status, &*pairs);
    let (manifolds, records) = (Apart::new(manifolds), Apart::new(records));
    let used = helpers.in_shares(list.len(), books, LOOKED_AT, &|share, stale: &mut Vec<u32>| {
        stale.clear();
        for i in share {
            if let Some(c) = list.get(i + ahead::ROUNDS).filter(|c| status[c.pair as usize].has(Status::ROUND)) {
                manifolds.call(c.manifold);
            }
            let c = list[i];
            if !status[c.pair as usize].has(Status::ROUND) {
                continue;
            }
            // SAFETY: each contact is in one share, and has a manifold of its own.
            let Some(manifold) = (unsafe { manifolds.get(c.manifold) }).filter(|manifold| manifold.count == 1) else {
                continue;
            };
            let (p, q) = (c.a as usize, c.b as usize);
            let left_by_impacts = bodies.displacement[q] - bodies.displacement[p];
            let separation = &mut manifold.points[0].separation;
            if left_by_impacts == Vec3::ZERO && *separation <= 0.0 {
                continue;
            }
            let Some([a, b]) = cluster::balls(bodies, colliders, (pairs, status), c.pair) else { continue };
            // SAFETY: what is not composite has one contact, and a record of its own.
            let Some(record) = (unsafe { records.get(c.record) }) else { continue };
            let pull = bodies.free_acceleration(q) - bodies.free_acceleration(p);
            let moved = (bodies.linear_velocity[q] - bodies.linear_velocity[p] + pull * (0.5 * dt)) * dt;
            let (normal, reach) = (to_f64(manifold.normal), a + b);
            let end = normal * (f64::from(*separation) + reach) + to_f64(left_by_impacts) + to_f64(moved);
            let gap = end.length() - reach;
            let along = to_f64(moved).dot(normal);
            let start = (gap - along) as Real;
            let (parts, closes) = (along > f64::from(threshold * dt), along < -f64::from(threshold * dt));
            *separation = if parts { start.max(separation.min(0.0)) } else { start };
            if closes && gap > 0.0 && record.material.restitution > 0.0 {
                *separation += slack(to_f64(pull).dot(normal), f64::from(dt)) as Real;
            }
            record.renew();
            stale.push(c.pair);
        }
    });
    stale.extend(books[..used].iter().flatten());
}

impl Context<'_> {
    /// How fast forces pull the surfaces of a contact together (m/s²).
    fn pull(&self, c: &Contact, normal: Vec3) -> Real {
        (self.bodies.free_acceleration(c.a as usize) - self.bodies.free_acceleration(c.b as usize)).dot(normal)
    }

    /// Slower approach is rest (m/s): that of a fall by the resting tolerance under gravity, or under the pull of stronger forces.
    /// `heap` is that of the island's [`Workspace`].
    fn threshold(&self, c: &Contact, normal: Vec3, heap: Real) -> Real {
        self.threshold_under(self.pull(c, normal), heap)
    }

    fn threshold_under(&self, pull: Real, heap: Real) -> Real {
        heap * if pull <= self.gravity { self.threshold } else { self.settings.resting_speed_under(pull) }
    }

    /// Slower approach without restitution is rest in an island (m/s), if that is more than of other approach.
    fn plastic_rest(&self, island: &Island) -> Real {
        let linked = !island.joint_range().is_empty();
        self.settings.plastic_speed(island.points as usize).filter(|_| linked).unwrap_or(0.0)
    }

    /// Whether some point closes faster than the threshold at the step's start, and than `rest` (m/s).
    fn closes(&self, c: &Contact, manifold: &Manifold, heap: Real, rest: Real) -> bool {
        let threshold = self.threshold(c, manifold.normal, heap).max(rest);
        manifold.points().iter().any(|p| self.rate(c, p, manifold.normal) < -threshold)
    }

    /// How fast the gap at a point changes at the step's start (m/s): negative where it closes.
    fn rate(&self, c: &Contact, p: &ManifoldPoint, normal: Vec3) -> Real {
        let (bodies, a, b) = (self.bodies, c.a as usize, c.b as usize);
        let on_a = bodies.velocity_at(a, bodies.orientation[a] * p.anchor_a);
        let on_b = bodies.velocity_at(b, bodies.orientation[b] * p.anchor_b);
        (on_b - on_a).dot(normal)
    }

    /// Whether some point may close faster than the threshold and `rest` (m/s) within the step.
    fn may_collide(&self, c: &Contact, manifold: &Manifold, heap: Real, rest: Real) -> bool {
        let (bodies, dt, closed) = (self.bodies, self.dt, self.closed);
        let (a, b) = (c.a as usize, c.b as usize);
        let together = self.pull(c, manifold.normal);
        let threshold = self.threshold_under(together, heap).max(rest);
        let pull = (-together).min(0.0) * dt;
        let along = (bodies.linear_velocity[b] - bodies.linear_velocity[a]).dot(manifold.normal);
        let turning = bodies.angular_velocity[a].length() * bodies.radius[a]
            + bodies.angular_velocity[b].length() * bodies.radius[b];
        if along + 2.0 * pull - turning >= -threshold {
            return false;
        }
        manifold.points().iter().any(|p| {
            let rate = self.rate(c, p, manifold.normal);
            // What is in the air may come to land as fast only in the next step: it must get there.
            let pulled = if p.separation > closed { 2.0 * pull } else { pull };
            rate + pulled < -threshold && p.separation + (rate + pull).min(0.0) * dt <= closed
        })
    }
}

/// Lists the contacts of each body of all islands, in the order of contacts.
fn index(
    slots: usize,
    islands: &Islands,
    contacts: &[Contact],
    place: &mut Vec<u32>,
    first: &mut Vec<u32>,
    of_body: &mut Vec<u32>,
) {
    place.resize(slots, NONE);
    place.fill(NONE);
    for (i, &slot) in islands.bodies.iter().enumerate() {
        place[slot as usize] = i as u32;
    }
    let place = &place[..];
    let ends = contacts.iter().enumerate().flat_map(|(number, c)| {
        let ends = [c.a, c.b].map(|slot| place[slot as usize]).into_iter().filter(|&at| at != NONE);
        ends.map(move |at| (at as usize, number as u32))
    });
    list_by_body(islands.bodies.len(), ends, first, of_body);
}

/// Lists what bodies have, a range of `of_body` for each, in the order in which it comes: pairs of a body's place and a number.
fn list_by_body(
    bodies: usize,
    pairs: impl Iterator<Item = (usize, u32)> + Clone,
    first: &mut Vec<u32>,
    of_body: &mut Vec<u32>,
) {
    first.clear();
    first.resize(bodies + 2, 0);
    for (at, _) in pairs.clone() {
        first[at + 2] += 1;
    }
    for i in 2..first.len() {
        first[i] += first[i - 1];
    }
    of_body.resize(first[first.len() - 1] as usize, 0);
    for (at, number) in pairs {
        let next = &mut first[at + 1];
        of_body[*next as usize] = number;
        *next += 1;
    }
    first.pop();
}

/// Velocities and displacements back into the working set.
///
/// What turns far and not as easily about any axis is not turned back to where it would have had to be at the step's start: with axes that
/// lie otherwise its velocity would have another energy and momentum than the impact left it. But what hits something that nothing moves is, for
/// its other end would turn through that; and what joints hold, for they follow where it turns back to.
fn take_back(workspace: &Workspace, bodies: &mut Bodies, dt: Real) {
    for ((body, &slot), &stopped) in workspace.cluster.bodies.iter().zip(&workspace.slots).zip(&workspace.stopped) {
        if slot != NONE {
            let slot = slot as usize;
            let fastest = to_f64(bodies.angular_velocity[slot]).length().max(body.angular_velocity.length());
            let far = fastest * f64::from(dt) > IMPACT_SPIN && !bodies.is_isotropic(slot);
            let far = far && !stopped && !bodies.jointed[slot] && !bodies.is_rotation_locked(slot);
            bodies.linear_velocity[slot] = from_f64(body.velocity);
            bodies.angular_velocity[slot] = from_f64(body.angular_velocity);
            bodies.displacement[slot] = from_f64(body.shift);
            bodies.rotation[slot] = if far { Vec3::ZERO } else { from_f64(body.rotation()) };
        }
    }
}

/// The impacts of an island in the order of its contacts, and behind those of each contact the end of its sequence.
fn report(workspace: &Workspace, bodies: &Bodies, graph: &ContactGraph, events: &mut Vec<Event>) {
    let sources = workspace.cluster.contacts.iter().zip(&workspace.sources);
    let mut hit: Vec<_> = sources.filter(|(c, _)| c.impacts > 0).collect();
    hit.sort_unstable_by_key(|(c, _)| c.key);
    for points in hit.chunk_by(|(_, (a, _)), (_, (b, _))| a == b) {
        let at = &graph.contacts[points[0].1.0 as usize];
        let pair = graph.pairs[at.pair as usize];
        let entities = [pair.a, pair.b].map(|slot| bodies.entity[slot as usize]);
        for (c, (_, point)) in points {
            let p = &graph.manifolds[at.manifold as usize].points[*point as usize];
            events.push(Event::Impact {
                entities,
                point: world_point(bodies, at.a as usize, at.b as usize, p),
                impulse: from_f64(c.impulse),
                speed: c.speed as Real,
            });
        }
        let after = points.iter().map(|(c, _)| c.settles).fold(0.0, f64::max);
        if after.is_finite() {
            events.push(Event::Settled { entities, after: after as Real });
        }
    }
}

/// Tells the resting stage where extrapolation puts the surfaces at the step's start: a body that stopped within the step
/// would else seem to be as far off as it was before. Where contacts part again, an extrapolated overlap is none; and what is
/// about to bounce is left to the next step's impacts (see [`CLOSING_SLACK`]). Balls are left to [`straighten`].
fn settle(workspace: &Workspace, graph: &mut ContactGraph, limits: &Limits, stale: &mut Vec<u32>) {
    let cluster = &workspace.cluster;
    for (i, &(contact, point)) in workspace.sources.iter().enumerate() {
        let c = &cluster.contacts[i];
        if c.balls.is_some() {
            continue;
        }
        let (shift, end) = (cluster.shift(i), cluster.gap(i, limits.horizon));
        let landing = end.rate * end.rate - 2.0 * end.acceleration.min(0.0) * end.gap;
        let bounces =
            c.restitution > 0.0 && end.gap > 0.0 && end.rate < 0.0 && landing > limits.threshold * limits.threshold;
        let clearance = if bounces { slack(end.acceleration, limits.horizon) } else { 0.0 };
        if shift == 0.0 && clearance == 0.0 {
            continue;
        }
        let Contact { manifold, pair, .. } = graph.contacts[contact as usize];
        stale.push(pair);
        let separation = &mut graph.manifolds[manifold as usize].points[point as usize].separation;
        let moved = *separation + shift as Real;
        // A hop that is over within the step ends on the surface, and so does what stopped on it.
        let rests = end.gap < -limits.touch && end.rate < 0.0
            || end.gap <= 2.0 * limits.touch && end.rate.abs() <= limits.threshold;
        *separation = if rests { moved } else { moved.max(separation.min(0.0)) } + clearance as Real;
    }
}

/// How far the resting solver may be ahead of the exact motion at the end of a step (m).
fn slack(acceleration: f64, dt: f64) -> f64 {
    CLOSING_SLACK * acceleration.abs() * dt * dt
}
