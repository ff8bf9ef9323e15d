//! Stage 7, **impacts**: collisions by the propagation model.
//!
//! The seeds of an island are the contacts that close faster than the resting threshold within the
//! step. They start a cluster that [`impact::propagation`](crate::impact::propagation) takes
//! through its impacts in the order of their moments, and that grows with the bodies that are hit.
//! Slower contacts, and plastic contacts of larger islands without joints (which lose no less
//! energy if solved all at once), are left to the solve stage. Islands are independent and run in
//! parallel.

mod cluster;
mod cluster_fill;
mod context;
mod index;
mod island_joints;
mod linkages;
mod rotation_check;
mod seeds;

use crate::bodies::Bodies;
use crate::colliders::Colliders;
use crate::contact::{Contact, ContactGraph, Status};
use crate::event::Event;
use crate::ids::NONE;
use crate::impact::propagation::{Limits, PropagationStats, SimultaneousRule};
use crate::math::{DVec3, Quat, Real, Vec3, bounded, from_f64, from_f64_bounded, to_f64};
use crate::motion::rotation::integrate_orientation;
use crate::parallel::{DisjointSlice, MIN_CHUNK_LIGHT, WorkerPool};
use crate::prefetch;
use crate::settings::{Accuracy, ImpactModel};
use crate::state::State;
use crate::systems::narrow_phase::world_point;
use crate::tolerances::{CONTACT, EXACT, GAME, IMPACTS, MOTION};

/// Work per contact point on the impacts of an island in a step, in contact updates (see
/// [`Limits::visits`](crate::impact::propagation::Limits::visits)). Larger: only cost in jams.
/// Smaller: cascades through piles are cut short.
const VISITS_PER_POINT: u64 = 64;

/// Contact points added to every island for [`VISITS_PER_POINT`]. Larger: only cost, if many small
/// islands jam. Smaller: small islands are cut short.
const SPARE_POINTS: u64 = 64;
use cluster::Workspace;
use cluster_fill::balls;
pub(in crate::systems) use cluster_fill::{matrix, single_law};
use context::Context;
use index::index;
use seeds::Found;

/// Seeds of impacts outside the largest island from which the islands are distributed to threads.
/// Fewer cost more to distribute than to solve.
const MIN_PARALLEL_CLUSTERS: usize = 32;

/// Buffers kept between steps.
#[derive(Default)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Impacts {
    /// The index of each slot among the bodies of all islands.
    #[cfg_attr(feature = "serialize", serde(skip))]
    place: Vec<u32>,
    /// Contacts of each of these bodies: a range of `of_body` for each.
    #[cfg_attr(feature = "serialize", serde(skip))]
    first: Vec<u32>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    of_body: Vec<u32>,
    /// The workspaces of islands with impacts; those behind are reused in later steps.
    #[cfg_attr(feature = "serialize", serde(skip))]
    work: Vec<Workspace>,
    /// Pairs whose separation this stage changed in the last step: the solver must not continue
    /// from it.
    edited: Vec<u32>,
    /// Pairs around the contacts that impacts left approaching in the last step, sorted. The solver
    /// stopped them, and an impulse that stops an impact is no force that lasts: repeated as the
    /// first guess of the next step it throws what is light and squeezed.
    left: Vec<u32>,
    /// Islands with impacts, and the work (J) of moving kinematic bodies and running surfaces in them.
    #[cfg_attr(feature = "serialize", serde(skip))]
    driven: Vec<(u32, f64)>,
    /// Results of shares of the contacts: the seeds, and pairs of balls with corrected separations.
    #[cfg_attr(feature = "serialize", serde(skip))]
    found: Vec<Found>,
    #[cfg_attr(feature = "serialize", serde(skip))]
    edited_balls: Vec<Vec<u32>>,
}

impl Impacts {
    /// Copies the data that persists between steps.
    pub(crate) fn copy_persistent(&mut self, from: &Self) {
        self.edited.clone_from(&from.edited);
        self.left.clone_from(&from.left);
    }

    /// Work (J) of moving kinematic bodies and running surfaces in the impacts of this step, by island,
    /// in order.
    pub(crate) fn work_of_drives(&self) -> &[(u32, f64)] {
        &self.driven
    }

    /// Pairs whose separation this stage changed in the last step.
    pub(crate) fn written(&self) -> &[u32] {
        &self.edited
    }
}

/// Runs the stage.
pub(crate) fn run(state: &mut State, impacts: &mut Impacts) {
    let State { bodies, colliders, contacts, islands, joints, settings, dt, events, counts, helpers, .. } = state;
    joints.clear_impact_loads();
    counts.impacts = 0;
    counts.impacts_left = 0;
    counts.linkages_cut = 0;
    for &slot in &islands.bodies {
        bodies.displacement[slot as usize] = Vec3::ZERO;
        bodies.rotation[slot as usize] = Vec3::ZERO;
        bodies.turned[slot as usize] = false;
    }
    let Impacts { place, first, of_body, work, edited, left, driven, found, edited_balls } = impacts;
    driven.clear();
    forget_impacts(contacts, left);
    for pair in edited.drain(..) {
        contacts.status[pair as usize].set(Status::EXTRAPOLATED, false);
        contacts.mark_changed(&[pair]);
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
        touch: CONTACT.touch * settings.length_unit,
        closed: IMPACTS.resolution * settings.length_unit,
        gravity: settings.gravity.length(),
        threshold: settings.resting_speed_under(settings.gravity.length()),
    };
    let used = seeds::find(&context, helpers, found, work);
    if used == 0 {
        // No impacts: keep the buffers of one island.
        work.truncate(1);
        correct_ball_separations(
            (bodies, colliders, helpers),
            contacts,
            (*dt, settings.resting_speed()),
            edited_balls,
            edited,
        );
        return;
    }
    index(bodies.slots(), islands, &contacts.contacts, place, first, of_body);
    (context.place, context.first, context.of_body) = (place, first, of_body);
    let limits = Limits {
        horizon: f64::from(*dt),
        threshold: f64::from(context.threshold),
        touch: f64::from(context.closed),
        per_contact: IMPACTS.per_contact_small,
        visits: visits_for(0),
        simultaneous: simultaneous_rule(settings.impact_model),
    };
    // The seeds outside the largest island, which keeps one thread busy.
    let seeds = || work[..used].iter().map(|workspace| workspace.seeds.len());
    let shared = seeds().sum::<usize>() - seeds().max().unwrap_or(0);
    helpers.for_each(&mut work[..used], shared >= MIN_PARALLEL_CLUSTERS, |workspace| {
        let points = islands.islands[workspace.island as usize].points as usize;
        let per_contact = most_impacts(settings.accuracy, points);
        let threshold = limits.threshold * f64::from(workspace.rest_factor);
        workspace.run(&context, &Limits { per_contact, visits: visits_for(points), threshold, ..limits });
    });
    let written = edited.len();
    for workspace in &mut work[..used] {
        let PropagationStats { impacts, unfinished, .. } = workspace.done;
        counts.impacts += impacts as usize;
        counts.impacts_left += unfinished as usize;
        counts.linkages_cut += workspace.island_joints.cut;
        write_back(workspace, bodies, *dt);
        workspace.island_joints.report(&workspace.cluster.linkages, *dt, joints);
        report(workspace, bodies, contacts, events);
        driven.push((workspace.island, workspace.work_of_drives()));
        write_separations(workspace, &bodies.jointed, contacts, &limits, edited);
        if unfinished > 0 {
            let points = islands.islands[workspace.island as usize].points as usize;
            list_left(workspace, contacts, most_impacts(settings.accuracy, points), left);
        }
    }
    left.sort_unstable();
    left.dedup();
    for &pair in &edited[written..] {
        contacts.mark_changed(&[pair]);
        renew(contacts, pair);
    }
    correct_ball_separations(
        (bodies, colliders, helpers),
        contacts,
        (*dt, settings.resting_speed()),
        edited_balls,
        edited,
    );
}

/// The work allowed on the impacts of an island, or of a pair of bodies, with this number of contact
/// points: see [`Limits::visits`].
pub(in crate::systems) fn visits_for(points: usize) -> u64 {
    VISITS_PER_POINT * (SPARE_POINTS + points as u64)
}

/// The bound on the impacts of a contact in an island of so many points.
fn most_impacts(accuracy: Accuracy, points: usize) -> u32 {
    match accuracy {
        _ if points <= IMPACTS.small_island => IMPACTS.per_contact_small,
        Accuracy::Game => GAME.impacts_per_contact,
        Accuracy::Exact => EXACT.impacts_per_contact,
    }
}

/// Lists the pairs of the bodies of contacts that reached the bound on their impacts; of all bodies
/// if the search ended before any did.
fn list_left(workspace: &Workspace, graph: &ContactGraph, most: u32, left: &mut Vec<u32>) {
    let contacts = &workspace.cluster.contacts;
    let movable = |body: u32| workspace.slots[body as usize] != NONE;
    let any = contacts.iter().any(|c| c.impacts >= most);
    let is_left = |body: u32| {
        movable(body) && (!any || contacts.iter().any(|c| c.impacts >= most && (c.a == body || c.b == body)))
    };
    let listed: Vec<bool> = (0..workspace.slots.len() as u32).map(is_left).collect();
    let around =
        contacts.iter().zip(&workspace.sources).filter(|(c, _)| [c.a, c.b].iter().any(|&b| listed[b as usize]));
    left.extend(around.map(|(_, &(contact, _))| graph.contacts[contact as usize].pair));
}

/// Clears the impulses that stopped impacts in the last step.
fn forget_impacts(contacts: &mut ContactGraph, left: &mut Vec<u32>) {
    if left.is_empty() {
        return;
    }
    for k in 0..contacts.contacts.len() {
        let Contact { pair, manifold, .. } = contacts.contacts[k];
        if left.binary_search(&pair).is_ok() {
            contacts.manifolds[manifold as usize].clear_impulses();
            contacts.mark_changed(&[pair]);
            renew(contacts, pair);
        }
    }
    left.clear();
}

/// The rule for contacts that collide at the same moment.
pub(in crate::systems) fn simultaneous_rule(model: ImpactModel) -> SimultaneousRule {
    match model {
        ImpactModel::Propagation => SimultaneousRule::Sequential,
        ImpactModel::Batch => SimultaneousRule::Batch,
        ImpactModel::Simultaneous => SimultaneousRule::Simultaneous,
    }
}

/// Makes the solver read a pair's manifold again instead of continuing from its own copy.
fn renew(contacts: &mut ContactGraph, pair: u32) {
    if let Some(record) = contacts.record_mut(pair as usize) {
        record.bump_revision();
    }
}

/// Corrects the separations of passing balls, which are farther apart at the step's end than along
/// the normal of its start: the solve stage, which uses that normal, gets the initial separation
/// that leads to the true final gap.
///
/// If they separate faster than `threshold` (m/s), an extrapolated overlap counts as none.
fn correct_ball_separations(
    (bodies, colliders, helpers): (&Bodies, &Colliders, &WorkerPool),
    contacts: &mut ContactGraph,
    (dt, threshold): (Real, Real),
    books: &mut Vec<Vec<u32>>,
    edited: &mut Vec<u32>,
) {
    let ContactGraph { contacts: list, manifolds, records, status, pairs, .. } = contacts;
    let (list, status, pairs) = (&*list, &*status, &*pairs);
    let (manifolds, records) = (DisjointSlice::new(manifolds), DisjointSlice::new(records));
    let used = helpers.for_each_chunk_with(list.len(), books, MIN_CHUNK_LIGHT, &|share, edited: &mut Vec<u32>| {
        edited.clear();
        for i in share {
            if let Some(c) = list.get(i + prefetch::DISTANCE).filter(|c| status[c.pair as usize].has(Status::ROUND)) {
                manifolds.prefetch(c.manifold);
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
            let Some([a, b]) = balls(bodies, colliders, (pairs, status), c.pair) else { continue };
            // SAFETY: a pair that is not composite has one contact, and a record of its own.
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
                *separation += bounce_clearance(to_f64(pull).dot(normal), f64::from(dt)) as Real;
            }
            record.bump_revision();
            edited.push(c.pair);
        }
    });
    edited.extend(books[..used].iter().flatten());
}

/// Writes velocities and displacements back to the working set.
///
/// Bodies with anisotropic inertia that rotate far are not rotated back to their extrapolated
/// start, nor are their gaps: with other axes their velocity would have another energy than after
/// the impact. Exceptions are bodies that hit immovable ones, whose other end would turn through
/// them: their velocity turns with their axes. Jointed bodies keep theirs, for joints follow the
/// rotation.
fn write_back(workspace: &mut Workspace, bodies: &mut Bodies, dt: Real) {
    let Workspace { cluster, slots, hit_immovable, .. } = workspace;
    for ((body, &slot), &hit_immovable) in cluster.bodies.iter_mut().zip(&*slots).zip(&*hit_immovable) {
        if slot != NONE {
            let slot = slot as usize;
            let fastest = to_f64(bodies.angular_velocity[slot]).length().max(body.angular_velocity.length());
            let far = fastest * f64::from(dt) > MOTION.linear_rotation && !bodies.is_isotropic(slot);
            let far = far && !bodies.jointed[slot] && !bodies.is_rotation_locked(slot);
            let (spin, rotation) = (from_f64(body.angular_velocity), from_f64(body.rotation()));
            bodies.linear_velocity[slot] = from_f64(body.velocity);
            bodies.displacement[slot] = from_f64(body.displacement);
            bodies.turned[slot] = far && hit_immovable;
            (bodies.angular_velocity[slot], bodies.rotation[slot]) = match (far, hit_immovable) {
                (false, _) => (spin, rotation),
                (true, false) => {
                    (body.rotation_sum, body.rotation_correction) = (DVec3::ZERO, DVec3::ZERO);
                    (spin, Vec3::ZERO)
                }
                (true, true) => (integrate_orientation(Quat::IDENTITY, rotation) * spin, rotation),
            };
        }
    }
}

/// Reports the impacts of an island in the order of its contacts, and after those of each contact
/// the end of its bounce sequence.
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
                impulse: from_f64_bounded(c.impulse),
                speed: bounded(c.speed),
            });
        }
        let after = points.iter().map(|(c, _)| c.bounces_end).fold(0.0, f64::max);
        if after.is_finite() {
            events.push(Event::BouncingEnded { entities, after: bounded(after) });
        }
    }
}

/// Writes the extrapolated separations at the step's start for the solve stage: a body that came to
/// a stop within the step would otherwise seem as far off as before. If contacts separate again, an
/// extrapolated overlap counts as none; a contact that is about to bounce is left to the next
/// step's impacts (see [`bounce_clearance`]). Balls are left to [`correct_ball_separations`].
///
/// Overlaps of a pair that open by themselves within the step are marked as extrapolated, unless
/// joints act on the bodies too, or one of its points stays deeper than touching: push-out is that
/// of all points of a contact, or of none.
fn write_separations(
    workspace: &Workspace,
    jointed: &[bool],
    graph: &mut ContactGraph,
    limits: &Limits,
    edited: &mut Vec<u32>,
) {
    let cluster = &workspace.cluster;
    let is_free = |body: u32| workspace.slots.get(body as usize).is_none_or(|&s| s == NONE || !jointed[s as usize]);
    // The separation at the end, as far as a contact opens.
    let left_over =
        |i: usize, separation: Real| f64::from(separation) + cluster.gap(i, 0.0).rate.max(0.0) * limits.horizon;
    let mut any_opens = false;
    for (i, &(contact, point)) in workspace.sources.iter().enumerate() {
        let c = &cluster.contacts[i];
        if c.balls.is_some() {
            continue;
        }
        let (shift, end) = (cluster.gap_shift(i), cluster.gap(i, limits.horizon));
        let landing = end.rate * end.rate - 2.0 * end.acceleration.min(0.0) * end.gap;
        let bounces =
            c.restitution > 0.0 && end.gap > 0.0 && end.rate < 0.0 && landing > limits.threshold * limits.threshold;
        let clearance = if bounces { bounce_clearance(end.acceleration, limits.horizon) } else { 0.0 };
        if shift == 0.0 && clearance == 0.0 {
            continue;
        }
        let Contact { manifold, pair, .. } = graph.contacts[contact as usize];
        edited.push(pair);
        let separation = &mut graph.manifolds[manifold as usize].points[point as usize].separation;
        let moved = *separation + shift as Real;
        // A hop that ends within the step ends on the surface, and so does a body that came to a
        // stop there.
        let rests = end.gap < -limits.touch && end.rate < 0.0
            || end.gap <= 2.0 * limits.touch && end.rate.abs() <= limits.threshold;
        let overlap = separation.min(0.0);
        *separation = if rests { moved } else { moved.max(overlap) } + clearance as Real;
        if *separation < overlap && is_free(c.a) && is_free(c.b) && left_over(i, *separation) >= 0.0 {
            graph.status[pair as usize].set(Status::EXTRAPOLATED, true);
            any_opens = true;
        }
    }
    if !any_opens {
        return;
    }
    for (i, &(contact, point)) in workspace.sources.iter().enumerate() {
        let Contact { manifold, pair, .. } = graph.contacts[contact as usize];
        let separation = graph.manifolds[manifold as usize].points[point as usize].separation;
        if left_over(i, separation) < -limits.touch {
            graph.status[pair as usize].set(Status::EXTRAPOLATED, false);
        }
    }
}

/// Separation (m) added to a contact that is about to bounce in the next step, so that the solver does
/// not stop it plastically: `a h²/2`, by which one substep of symplectic Euler leads the parabola.
fn bounce_clearance(acceleration: f64, dt: f64) -> f64 {
    0.5 * acceleration.abs() * dt * dt
}
