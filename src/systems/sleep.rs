//! Stage 10, **sleep**: puts islands at rest to sleep.
//!
//! Sleep is proved by an equilibrium and not timed. An island falls asleep when the impulses that
//! its solver found, inside their friction cones, hold every body in equilibrium while no body
//! moves faster than `SLEEP.speed`. The direct solver proves it with the impulses of a single step.
//! Those of the substepping solver oscillate about their means, and hold a body on the mean over
//! all steps for which it has been slow. (The body's change of velocity over that time measures the
//! acceleration that the mean force leaves, and a mean of forces inside a cone is inside it. A body
//! that was much faster when it became slow is measured anew once it is calm.) The forces of the
//! step in which an island falls asleep, which are kept, must nearly balance too.
//!
//! Sleeping bodies have velocities of exactly zero, keep their manifolds and impulses, and are
//! skipped by every stage until something touches or changes them. Then the whole island wakes at
//! once.

use crate::bodies::{Bodies, Kind};
use crate::contact::{Contact, ContactGraph};
use crate::event::Event;
use crate::ids::NONE;
use crate::islands::Island;
use crate::joints::Joints;
use crate::math::{Real, Vec3};
use crate::parallel::{DisjointSlice, MIN_CHUNK_ARITHMETIC};
use crate::settings::Accuracy;
use crate::sleep::{CenterPose, SetStillness, SleepState, Stillness};
use crate::state::State;
use crate::systems::solve::{self, IslandSolver, Solved};
use crate::tolerances::{DIRECT, EQUILIBRIUM_CHECK_STEPS, EXACT, GAME, SLEEP};

/// Count of slow steps after which an equilibrium is first asked for: see `Stillness::slow_steps`.
const FIRST_CHECK: u16 = EQUILIBRIUM_CHECK_STEPS * SLEEP.in_place_patience;

/// Runs the stage.
pub(crate) fn run(state: &mut State, solved: &Solved) {
    let State { bodies, contacts, islands, joints, sleep, settings, dt, helpers, counts, active_set, .. } = state;
    let active = || active_set.bodies.iter().map(|&slot| slot as usize);
    sleep.stillness.resize(bodies.slots(), Stillness::default());
    if !settings.sleep {
        // No sleep: the count of still steps starts anew once the setting is on again.
        active().filter(|&slot| bodies.is_active(slot)).for_each(|slot| sleep.stillness[slot].reset());
        (counts.asleep_islands, counts.asleep) = (sleep.island_count(), sleep.body_count());
        return;
    }
    sleep.driven.clear();
    sleep.driven.resize(bodies.slots(), false);
    for &joint in &joints.acting {
        let [a, b] = joints.bodies[joint as usize];
        for (body, other) in [(a, b), (b, a)] {
            if body != NONE && other != NONE {
                sleep.driven[body as usize] |= bodies.is_moving_kinematic(other as usize);
            }
        }
    }
    let unit = settings.length_unit;
    let near = SLEEP.speed * unit * *dt * Real::from(EQUILIBRIUM_CHECK_STEPS);
    let gravity = settings.gravity.length().max(DIRECT.min_gravity as Real * unit);
    let certificate = match settings.accuracy {
        Accuracy::Game => GAME.certificate as Real,
        Accuracy::Exact => EXACT.certificate as Real,
    };
    let platforms = active().any(|slot| bodies.is_moving_kinematic(slot));
    let SleepState { stillness, chunk_stillness, .. } = sleep;
    let stillness = DisjointSlice::new(stillness);
    let update = |slot: usize, proved: Option<bool>, sum: &mut SetStillness| {
        // SAFETY: a body is in one island, and in one chunk of it.
        let Some(stillness) = (unsafe { stillness.get(slot as u32) }) else { return };
        let radius = bodies.turning_radius(slot);
        let speed = |[linear, angular]: [Vec3; 2]| linear.length() + angular.length() * radius;
        let velocities = [bodies.linear_velocity[slot], bodies.angular_velocity[slot]];
        let moving = speed(velocities);
        if proved.is_none() && stillness.still_steps > 0 {
            let [linear, angular] = [0, 1].map(|k| (velocities[k] - stillness.start_velocities[k]).length());
            let time = Real::from(stillness.still_steps) * *dt;
            let in_equilibrium = linear.max(angular * radius) <= certificate * gravity * time;
            sum.mean_in_equilibrium &= in_equilibrium;
            if !in_equilibrium && moving < SLEEP.calmed * speed(stillness.start_velocities) {
                stillness.still_steps = 0;
            }
        }
        let is_slow = moving <= SLEEP.speed * unit && !bodies.edited[slot];
        // Only slow velocities are looked at later. Others may be no numbers yet.
        if stillness.still_steps == 0 && is_slow {
            stillness.start_velocities = velocities;
        }
        // A body that oscillates on the solver's springs may be fast without getting anywhere.
        let pose = CenterPose::of(bodies, slot);
        let stays_in_place = || !bodies.edited[slot] && pose.displacement_bound(&stillness.slow_pose, radius) <= near;
        if is_slow || stays_in_place() {
            stillness.slow_steps =
                stillness.slow_steps.saturating_add(if is_slow { SLEEP.in_place_patience } else { 1 });
        } else {
            (stillness.slow_steps, stillness.slow_pose, stillness.check_interval) = (0, pose, 0);
        }
        sum.slow_steps = sum.slow_steps.min(stillness.slow_steps);
        sum.check_interval = sum.check_interval.max(stillness.check_interval);
        let still = is_slow && proved.unwrap_or(true);
        stillness.still_steps = if still { stillness.still_steps.saturating_add(1) } else { 0 };
        sum.still_steps = sum.still_steps.min(stillness.still_steps);
    };
    let mut island_stillness = std::mem::take(&mut sleep.island_stillness);
    island_stillness.clear();
    for (number, island) in islands.islands.iter().enumerate() {
        let members = &islands.bodies[island.body_range()];
        let direct = solved.solvers[number] == IslandSolver::Direct;
        let proved = direct.then_some(solved.in_equilibrium[number]);
        let used = helpers.for_each_chunk_with(members.len(), chunk_stillness, MIN_CHUNK_ARITHMETIC, &|share, sum| {
            *sum = SetStillness::default();
            members[share].iter().for_each(|&slot| update(slot as usize, proved, sum));
        });
        island_stillness.push(chunk_stillness[1..used].iter().fold(chunk_stillness[0], SetStillness::merge));
    }
    let mut loads = std::mem::take(&mut sleep.loads);
    loads.resize(bodies.slots(), 0.0);
    for (number, (island, sum)) in islands.islands.iter().zip(&island_stillness).enumerate() {
        let members = &islands.bodies[island.body_range()];
        let direct = solved.solvers[number] == IslandSolver::Direct;
        let falls_asleep = sum.still_steps >= SLEEP.steps
            && sum.mean_in_equilibrium
            && (direct
                || last_forces_balance(
                    (bodies, contacts, joints),
                    (island, members),
                    &solved.residual,
                    gravity,
                    *dt,
                    &mut loads,
                ));
        let asks = sum.slow_steps >= sum.check_interval.max(FIRST_CHECK) && !direct;
        if !falls_asleep && !asks {
            continue;
        }
        // A body carried by a moving platform must not sleep, however slow it is.
        let carried = |c: &Contact| [c.a, c.b].into_iter().any(|slot| bodies.is_moving_kinematic(slot as usize));
        let driven = members.iter().any(|&slot| sleep.driven[slot as usize])
            || platforms && contacts.contacts[island.contact_range()].iter().any(carried);
        let kept_awake = || members.iter().any(|&slot| bodies.never_sleeps(slot as usize));
        if driven || kept_awake() {
            continue;
        }
        if falls_asleep {
            sleep.put_to_sleep(bodies, members, *dt);
        } else {
            sleep.to_certify.push(number);
        }
    }
    (sleep.island_stillness, sleep.loads) = (island_stillness, loads);
    // The count starts anew for a body without an island.
    for slot in active().filter(|&slot| bodies.is_active(slot) && islands.island_of[slot] == NONE) {
        sleep.stillness[slot].reset();
    }
    certify_slow_islands(state);
    let State { sleep, counts, .. } = state;
    counts.asleep_islands = sleep.island_count();
    counts.asleep = sleep.body_count();
}

/// True if the forces of the last step leave each body of an island nearly in balance: beside its
/// weight, or beside the largest force on it. `loads` is a buffer by slot.
fn last_forces_balance(
    (bodies, contacts, joints): (&Bodies, &ContactGraph, &Joints),
    (island, members): (&Island, &[u32]),
    residual: &[Real],
    gravity: Real,
    dt: Real,
    loads: &mut [Real],
) -> bool {
    let members = || members.iter().map(|&slot| slot as usize);
    if members().all(|slot| residual[slot] <= SLEEP.residual * gravity) {
        return true;
    }
    members().for_each(|slot| loads[slot] = 0.0);
    let mut add = |slot: u32, load: Real| {
        if let Some(most) = loads.get_mut(slot as usize) {
            *most = most.max(load);
        }
    };
    for contact in &contacts.contacts[island.contact_range()] {
        let load = contacts.manifolds[contact.manifold as usize].normal_impulse() as Real / dt;
        add(contact.a, load);
        add(contact.b, load);
    }
    for &joint in &joints.acting[island.joint_range()] {
        let load = joints.outcome[joint as usize].force.length();
        joints.bodies[joint as usize].into_iter().for_each(|slot| add(slot, load));
    }
    members().all(|slot| {
        let borne = loads[slot] * bodies.inverse_mass[slot].max_element();
        residual[slot] <= SLEEP.residual * gravity.max(borne)
    })
}

/// Asks the direct solver for an equilibrium of slow islands: those that have one fall asleep, the
/// others are asked again after twice as many steps, so that a heap that has none does not cost one
/// search after another. A step asks for one island, and for more of them up to the size that the
/// solver takes in every step; the rest wait for the next step.
fn certify_slow_islands(state: &mut State) {
    let mut asked = 0;
    for number in std::mem::take(&mut state.sleep.to_certify) {
        let size = solve::certificate_size(state, number);
        if asked > 0 && asked + size > GAME.max_points {
            continue;
        }
        asked += size;
        let in_equilibrium = solve::certify(state, number);
        let State { bodies, islands, sleep, dt, .. } = state;
        let members = &islands.bodies[islands.islands[number].body_range()];
        if in_equilibrium {
            sleep.put_to_sleep(bodies, members, *dt);
        } else {
            let interval = sleep.island_stillness[number].check_interval.max(FIRST_CHECK).saturating_mul(2);
            for &slot in members {
                let stillness = &mut sleep.stillness[slot as usize];
                (stillness.slow_steps, stillness.check_interval) = (0, interval);
            }
        }
    }
}

/// Writes the events of waking and falling asleep, in order of slots.
pub(crate) fn events(state: &mut State) {
    let State { bodies, sleep, events, .. } = state;
    for (list, woken) in [(&mut sleep.woken, true), (&mut sleep.fell_asleep, false)] {
        list.sort_unstable();
        for &slot in list.iter().filter(|&&slot| bodies.kind[slot as usize] == Kind::Dynamic) {
            let entity = bodies.entity[slot as usize];
            events.push(if woken { Event::WokeUp { entity } } else { Event::FellAsleep { entity } });
        }
        list.clear();
    }
}
