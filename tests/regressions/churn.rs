//! "Despawned bodies leak."

use crate::allocations::bytes;
use crate::{DT, alone};
use dolmen::prelude::*;
use dolmen::query::{Filter, Ray};
use hecs::{Entity, World};
use std::collections::HashSet;

/// Evenly spread numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % sides
    }

    fn within(&mut self, reach: Real) -> Real {
        (self.below(20_001) as Real / 10_000.0 - 1.0) * reach
    }
}

const ALIVE: usize = 120;
const CHURN: usize = 100_000;

#[test]
#[cfg_attr(feature = "f64", ignore = "what stays behind does not depend on the scalar, and the run takes a minute")]
fn a_hundred_thousand_bodies_come_and_go_and_leave_nothing_behind() {
    // Islands of all sizes appear and disappear, and so do their buffers: memory varies by a third
    // between steps, and by a tenth between the means of quarters.
    let runs =
        std::thread::scope(|scope| [9, 10, 11].map(|seed| scope.spawn(move || churn(seed))).map(|run| run.join()));
    let mut means = [0; 4];
    for run in runs {
        let run = run.unwrap();
        println!("{run:?} KB in the mean of each quarter of {CHURN} bodies");
        means = [0, 1, 2, 3].map(|k| means[k] + run[k]);
    }
    let grown = means[3] as f64 / means[1] as f64;
    assert!(grown < 1.1, "memory has grown by a factor of {grown}");
}

/// Mean memory use (KB) in each quarter of a run with random spawns and despawns.
fn churn(seed: u64) -> [usize; 4] {
    let (mut world, mut physics, mut dice) = (World::new(), alone(), Dice(seed));
    let shapes = [
        Collider::cuboid(0.3, 0.3, 0.3),
        Collider::ball(0.3),
        Collider::capsule(0.2, 0.2),
        Collider::cylinder(0.3, 0.3),
    ];
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    world.spawn(Body::fixed(Collider::cuboid(4.0, 0.2, 4.0)).at(0.0, 0.5, 0.0).sensor());
    let (mut bodies, mut gone): (Vec<Entity>, HashSet<Entity>) = Default::default();
    let (mut spawned, mut counts) = (0, [0; 3]);
    let mut quarters = [(0, 0); 4];
    while spawned < CHURN {
        gone.clear();
        for _ in 0..16 + dice.below(16) {
            let at =
                Vec3::new(dice.within(3.0), 0.5 + dice.within(0.4) + dice.below(3) as Real * 0.7, dice.within(3.0));
            let body = Body::dynamic(shapes[dice.below(4)].clone()).position(at);
            bodies.push(world.spawn(body));
            spawned += 1;
        }
        while bodies.len() > ALIVE {
            let body = bodies.swap_remove(dice.below(bodies.len()));
            world.despawn(body).unwrap();
            gone.insert(body);
        }
        if dice.below(3) == 0 {
            let pair = [dice.below(bodies.len() - 1), bodies.len() - 1].map(|k| bodies[k]);
            world.spawn((Joint::distance(pair[0], pair[1], 0.0, 3.0), JointState::default()));
        }
        physics.step(&mut world, DT).unwrap();
        counts[0] += physics.state().counts.joints;
        for event in physics.events() {
            let known = |e: &Entity| world.contains(*e) || gone.contains(e) || matches!(event, Event::JointLost { .. });
            assert!(event.entities().iter().all(known), "a stale entity in {event:?}");
            counts[1] += 1;
        }
        let query = physics.query();
        for _ in 0..4 {
            let ray = Ray::new(Vec3::new(dice.within(3.0), 9.0, dice.within(3.0)), -Vec3::Y, 20.0).unwrap();
            for hit in query.ray_all(&ray, &Filter::default()) {
                assert!(world.contains(hit.entity) && world.contains(hit.collider), "a stale entity was hit");
                counts[2] += 1;
            }
        }
        let quarter = &mut quarters[(spawned * 4 / CHURN).min(3)];
        *quarter = (quarter.0 + bytes() / 1024, quarter.1 + 1);
    }
    assert!(
        counts[0] > 2_000 && counts[1] > 100_000 && counts[2] > 10_000,
        "joints, events and hits were seen: {counts:?}"
    );
    let state = physics.state();
    let (slots, pairs) = (state.bodies.slots(), state.contacts.pairs.len());
    assert!(slots < ALIVE + 64 && state.joints.slots() < ALIVE, "{slots} slots, {} of joints", state.joints.slots());
    assert!(pairs < 40 * ALIVE, "{pairs} pairs");
    quarters.map(|(total, steps)| total / steps)
}
