//! Stage 10, **rest**: which islands hold still for good, and what wakes them.
//!
//! An island is parked when the impulses that its solver found hold every body in equilibrium, inside their cones, while no body
//! moves faster than a crawl. The exact laws prove it of the impulses of a single step. Those of the scalable solver swing
//! about their means; they hold a body in every step to a small fraction of gravity, and on the mean over all the steps for
//! which it has been still to as little as the exact laws ask for. (Its change of velocity over that time is what they leave of
//! its acceleration; and a mean of forces inside a cone is inside it.) Parked bodies have velocities of
//! exactly zero, keep their manifolds and impulses, and are left alone by every stage until something touches or changes
//! them; then the whole island wakes at once.

use crate::bodies::{Bodies, Kind};
use crate::contact::Contact;
use crate::event::Event;
use crate::index::NONE;
use crate::math::Real;
use crate::parallel::{Apart, WORKED_ON};
use crate::rest::{Place, Rest, Stillness, Sum};
use crate::settings::Accuracy;
use crate::systems::resting::{self, Hands};
use crate::systems::state::State;
use crate::tolerances::{
    CERTIFICATE_EXACT, CERTIFICATE_GAME, CERTIFY_STEPS, REST_RESIDUAL, REST_SPEED, REST_STEPS, SWING_PATIENCE,
    WEIGHTLESS,
};

/// Runs the stage.
pub fn run(state: &mut State) {
    let State { bodies, contacts, islands, joints, rest, resting, settings, dt, helpers, counts, .. } = state;
    rest.stillness.resize(bodies.slots(), Stillness::default());
    if !settings.rest {
        // Nobody asks. What moves by itself must be still anew once somebody does.
        (0..bodies.slots()).filter(|&slot| bodies.is_active(slot)).for_each(|slot| rest.stillness[slot].forget());
        (counts.parked_islands, counts.parked) = (rest.island_count(), rest.body_count());
        return;
    }
    rest.led.clear();
    rest.led.resize(bodies.slots(), false);
    for &joint in &joints.acting {
        let [a, b] = joints.bodies[joint as usize];
        for (body, other) in [(a, b), (b, a)] {
            if body != NONE && other != NONE {
                rest.led[body as usize] |= is_moving_platform(bodies, other as usize);
            }
        }
    }
    let unit = settings.length_unit;
    let near = REST_SPEED * unit * *dt * Real::from(CERTIFY_STEPS);
    let gravity = settings.gravity.length().max(WEIGHTLESS as Real * unit);
    let certificate = match settings.accuracy {
        Accuracy::Game => CERTIFICATE_GAME as Real,
        Accuracy::Exact => CERTIFICATE_EXACT as Real,
    };
    let platforms = (0..bodies.slots()).any(|slot| is_moving_platform(bodies, slot));
    let Rest { stillness, books, .. } = rest;
    let stillness = Apart::new(stillness);
    let look = |slot: usize, hands: Hands, sum: &mut Sum| {
        // SAFETY: a body is in one island, and in one share of it.
        let Some(stillness) = (unsafe { stillness.get(slot as u32) }) else { return };
        let radius = bodies.turning_radius(slot);
        let moving = bodies.linear_velocity[slot].length() + bodies.angular_velocity[slot].length() * radius;
        let velocities = [bodies.linear_velocity[slot], bodies.angular_velocity[slot]];
        if stillness.still == 0 {
            stillness.began = velocities;
        }
        let held = match hands {
            Hands::Exact { rests } => rests,
            Hands::Scalable | Hands::Joined => {
                let [linear, angular] = [0, 1].map(|k| (velocities[k] - stillness.began[k]).length());
                let time = Real::from(stillness.still) * *dt;
                sum.held_on_the_mean &= linear.max(angular * radius) <= certificate * gravity * time;
                resting.residual[slot] <= REST_RESIDUAL * gravity
            }
        };
        let is_slow = moving <= REST_SPEED * unit && !bodies.edited[slot];
        // What swings from step to step on the springs may be faster than it ever gets on.
        let place = Place::of(bodies, slot);
        let stays = || !bodies.edited[slot] && place.way_from(&stillness.stays, radius) <= near;
        if is_slow || stays() {
            stillness.slow = stillness.slow.saturating_add(if is_slow { SWING_PATIENCE } else { 1 });
        } else {
            (stillness.slow, stillness.stays) = (0, place);
        }
        sum.slowest = sum.slowest.min(stillness.slow);
        let still = held && is_slow;
        stillness.still = if still { stillness.still.saturating_add(1) } else { 0 };
        sum.least = sum.least.min(stillness.still);
    };
    let mut quiet = std::mem::take(&mut rest.quiet);
    quiet.clear();
    for (number, island) in islands.islands.iter().enumerate() {
        let (members, hands) = (&islands.bodies[island.body_range()], resting.hands[number]);
        let used = helpers.in_shares(members.len(), books, WORKED_ON, &|share, sum| {
            *sum = Sum::default();
            members[share].iter().for_each(|&slot| look(slot as usize, hands, sum));
        });
        quiet.push(books[1..used].iter().fold(books[0], Sum::and));
    }
    for (number, (island, sum)) in islands.islands.iter().zip(&quiet).enumerate() {
        let parks = sum.least >= REST_STEPS && sum.held_on_the_mean;
        let swings =
            sum.slowest >= CERTIFY_STEPS * SWING_PATIENCE && !matches!(resting.hands[number], Hands::Exact { .. });
        if !parks && !swings {
            continue;
        }
        // What a platform carries moves with it, however slowly.
        let members = &islands.bodies[island.body_range()];
        let carried = |c: &Contact| [c.a, c.b].into_iter().any(|slot| is_moving_platform(bodies, slot as usize));
        let led = members.iter().any(|&slot| rest.led[slot as usize])
            || platforms && contacts.contacts[island.contact_range()].iter().any(carried);
        if led {
            continue;
        }
        if parks {
            rest.park(bodies, members, *dt);
        } else {
            rest.swinging.push(number);
        }
    }
    rest.quiet = quiet;
    // A body that left its island must be still anew.
    for slot in 0..bodies.slots() {
        if bodies.kind[slot] == Kind::Dynamic && islands.of[slot] == NONE && bodies.parked[slot] == NONE {
            rest.stillness[slot].forget();
        }
    }
    park_swinging(state);
    let State { rest, counts, .. } = state;
    counts.parked_islands = rest.island_count();
    counts.parked = rest.body_count();
}

/// Parks islands that swing too slowly to be seen, if there are forces to hold them; asks the others again later.
fn park_swinging(state: &mut State) {
    for number in std::mem::take(&mut state.rest.swinging) {
        let rests = resting::certify(state, number);
        let State { bodies, islands, rest, dt, .. } = state;
        let members = &islands.bodies[islands.islands[number].body_range()];
        if rests {
            rest.park(bodies, members, *dt);
        } else {
            members.iter().for_each(|&slot| rest.stillness[slot as usize].slow = 0);
        }
    }
}

fn is_moving_platform(bodies: &Bodies, slot: usize) -> bool {
    bodies.kind[slot] == Kind::Kinematic && bodies.is_moving(slot)
}

/// Writes the events of parking and waking, in order of slots.
pub(crate) fn events(state: &mut State) {
    let State { bodies, rest, events, .. } = state;
    for (list, woken) in [(&mut rest.woken, true), (&mut rest.parked, false)] {
        list.sort_unstable();
        for &slot in list.iter().filter(|&&slot| bodies.kind[slot as usize] == Kind::Dynamic) {
            let entity = bodies.entity[slot as usize];
            events.push(if woken { Event::Woken { entity } } else { Event::Parked { entity } });
        }
        list.clear();
    }
}
