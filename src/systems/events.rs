//! Stage 12, **events**: contacts that began and ended, and contact forces above a threshold, in
//! order of pairs and slots.

use crate::active_set::ActiveSet;
use crate::contact::{Manifold, Status};
use crate::event::Event;
use crate::ids::NONE;
use crate::math::{DVec3, from_f64_bounded, to_f64};
use crate::parallel::MIN_CHUNK_LIGHT;
use crate::state::State;
use crate::systems::contact_sources::{self, SourcePairs};
use crate::systems::narrow_phase::world_point;
use crate::systems::sleep;

/// Runs the stage.
pub(crate) fn run(state: &mut State, sources: &mut SourcePairs) {
    let State { bodies, contacts, events, counts, active_set, helpers, .. } = state;
    let (graph, ActiveSet { pairs, unreported, .. }) = (&*contacts, active_set);
    let pairs = &*pairs;
    let used =
        helpers.for_each_chunk_with(pairs.len(), unreported, MIN_CHUNK_LIGHT, &|share, unreported: &mut Vec<u32>| {
            unreported.clear();
            unreported.extend(pairs[share].iter().filter(|&&number| {
                let status = graph.status[number as usize];
                let reported = status.has(Status::NOT_COLLIDED) == status.has(Status::REPORTED_NOT_COLLIDED)
                    && status.has(Status::TOUCHING) == status.has(Status::REPORTED_TOUCHING);
                !reported && graph.pairs[number as usize].a != NONE && !status.has(Status::SOURCE)
            }));
        });
    for &number in unreported[..used].iter().flatten() {
        let status = &mut contacts.status[number as usize];
        let pair = &contacts.pairs[number as usize];
        let entities = || [pair.a, pair.b].map(|slot| bodies.entity[slot as usize]);
        if status.has(Status::NOT_COLLIDED) != status.has(Status::REPORTED_NOT_COLLIDED) {
            let entities = entities();
            status.set(Status::REPORTED_NOT_COLLIDED, status.has(Status::NOT_COLLIDED));
            if status.has(Status::REPORTED_NOT_COLLIDED) {
                contacts.not_collided += 1;
                events.push(Event::NotCollided { entities });
            } else {
                contacts.not_collided -= 1;
            }
        }
        let touches = status.has(Status::TOUCHING);
        if touches == status.has(Status::REPORTED_TOUCHING) {
            continue;
        }
        status.set(Status::REPORTED_TOUCHING, touches);
        let entities = entities();
        events.push(match (status.has(Status::SENSOR), touches) {
            (false, true) => Event::ContactBegan { entities },
            (false, false) => Event::ContactEnded { entities },
            (true, true) => Event::SensorEntered { entities },
            (true, false) => Event::SensorLeft { entities },
        });
    }
    counts.not_collided = contacts.not_collided;
    contact_sources::events(state, sources);
    forces(state);
    sleep::events(state);
}

/// Reports contacts whose force reaches the threshold of one of their colliders.
fn forces(state: &mut State) {
    let State { bodies, colliders, contacts, events, dt, .. } = state;
    if !colliders.any_threshold {
        return;
    }
    // Impacts of this step, by pair of entities: they count among the forces.
    let mut struck: Vec<_> = events
        .iter()
        .filter_map(|event| match *event {
            Event::Impact { entities, impulse, point, .. } => Some((entities, impulse, point)),
            _ => None,
        })
        .collect();
    struck.sort_by_key(|(entities, ..)| *entities);
    let mut list = contacts.contacts.as_slice();
    while let Some(first) = list.first() {
        let count = list.iter().take_while(|c| c.pair == first.pair).count();
        let (of_pair, behind) = list.split_at(count);
        list = behind;
        let pair = contacts.pairs[first.pair as usize];
        let least = [pair.a, pair.b].map(|slot| colliders.force_threshold[slot as usize]);
        let least = least[0].min(least[1]);
        if !least.is_finite() {
            continue;
        }
        let entities = [pair.a, pair.b].map(|slot| bodies.entity[slot as usize]);
        let (mut impulse, mut weighted, mut weight) = (DVec3::ZERO, DVec3::ZERO, 0.0_f64);
        for c in of_pair {
            let manifold: &Manifold = &contacts.manifolds[c.manifold as usize];
            impulse += to_f64(manifold.friction_impulse);
            for p in manifold.points() {
                let share = f64::from(p.normal_impulse);
                impulse += to_f64(manifold.normal) * share;
                weighted += to_f64(world_point(bodies, c.a as usize, c.b as usize, p)) * share;
                weight += share;
            }
        }
        let from = struck.partition_point(|(e, ..)| *e < entities);
        for (_, hit, point) in struck[from..].iter().take_while(|(e, ..)| *e == entities) {
            let (hit, point) = (to_f64(*hit), to_f64(*point));
            impulse += hit;
            weighted += point * hit.length();
            weight += hit.length();
        }
        let force = impulse / f64::from(*dt);
        if weight > 0.0 && force.length() >= f64::from(least) {
            let [force, point] = [force, weighted / weight].map(from_f64_bounded);
            events.push(Event::ContactForce { entities, force, point });
        }
    }
}
