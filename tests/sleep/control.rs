//! Sleep in the hands of the game: never, at once, and awake.

use dolmen::prelude::*;
use dolmen::{Activity, StepError};
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;

fn pillar(world: &mut World, x: Real, bricks: usize, control: SleepControl) -> Vec<Entity> {
    let brick = |k: usize| Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(x, k as Real + 0.5, 0.0);
    (0..bricks).map(|k| world.spawn(brick(k).with(control))).collect()
}

fn ground(world: &mut World) {
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
}

fn control(world: &World, entity: Entity) -> SleepControl {
    *world.get::<&SleepControl>(entity).unwrap()
}

#[test]
fn what_is_spawned_asleep_is_never_solved_and_wakes_when_it_is_hit() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    ground(&mut world);
    let castle = pillar(&mut world, 0.0, 10, SleepControl::Asleep);
    let places: Vec<_> = castle.iter().map(|&brick| world.get::<&Position>(brick).unwrap().0).collect();
    for _ in 0..20 {
        let report = physics.step(&mut world, DT).unwrap();
        assert_eq!((report.counts.asleep, report.counts.islands), (10, 0));
    }
    assert!(castle.iter().zip(&places).all(|(&brick, at)| world.get::<&Position>(brick).unwrap().0 == *at));
    assert!(castle.iter().all(|&brick| control(&world, brick) == SleepControl::Automatic));
    let ball = Body::dynamic(Collider::ball(0.3)).at(-3.0, 9.5, 0.0).linear_velocity(Vec3::X * 10.0);
    world.spawn(ball);
    let mut least = 10;
    for _ in 0..40 {
        least = least.min(physics.step(&mut world, DT).unwrap().counts.asleep);
    }
    assert_eq!(least, 0, "the whole pillar woke");
}

#[test]
fn one_request_puts_the_whole_island_to_sleep_and_one_wakes_it() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    ground(&mut world);
    let pillars = [0.0, 5.0].map(|x| pillar(&mut world, x, 3, SleepControl::Automatic));
    world.get::<&mut LinearVelocity>(pillars[0][2]).unwrap().0 = Vec3::X * 0.5;
    physics.step(&mut world, DT).unwrap();
    physics.put_to_sleep(&mut world, pillars[0][0]).unwrap();
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 3, "and not the other pillar");
    assert_eq!(physics.activity(&world, pillars[0][2]), Some(Activity::Asleep { bodies: 3 }));
    assert_eq!(world.get::<&LinearVelocity>(pillars[0][2]).unwrap().0, Vec3::ZERO);
    physics.wake(&mut world, pillars[0][1]).unwrap();
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 0);
    assert_eq!(control(&world, pillars[0][1]), SleepControl::Automatic);
}

#[test]
fn a_body_in_the_air_hangs_until_it_is_woken() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let ball = Body::dynamic(Collider::ball(0.5)).at(0.0, 9.0, 0.0).linear_velocity(Vec3::X);
    let ball = world.spawn(ball.with(SleepControl::Asleep));
    for _ in 0..30 {
        physics.step(&mut world, DT).unwrap();
    }
    assert_eq!(world.get::<&Position>(ball).unwrap().0, Vec3::Y * 9.0);
    physics.wake(&mut world, ball).unwrap();
    physics.step(&mut world, DT).unwrap();
    assert!((world.get::<&LinearVelocity>(ball).unwrap().0 - Vec3::Y * -9.81 * DT).length() < 1e-6);
}

#[test]
fn what_never_sleeps_keeps_its_island_awake_and_says_so() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    ground(&mut world);
    let pillar = pillar(&mut world, 0.0, 3, SleepControl::Automatic);
    world.insert_one(pillar[2], SleepControl::Never).unwrap();
    for _ in 0..120 {
        assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 0);
    }
    let kept = Activity::KeptAwake { body: pillar[2] };
    assert_eq!(physics.activity(&world, pillar[0]), Some(kept));
    assert!(kept.to_string().contains("never sleep"));
    // Requests do not get the better of it.
    for brick in [pillar[0], pillar[2]] {
        physics.put_to_sleep(&mut world, brick).unwrap();
        assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 0);
    }
    assert_eq!(control(&world, pillar[2]), SleepControl::Never);
    world.remove_one::<SleepControl>(pillar[2]).unwrap();
    for _ in 0..60 {
        physics.step(&mut world, DT).unwrap();
    }
    assert_eq!(physics.state().counts.asleep, 3);
}

#[test]
fn the_bits_after_a_request_depend_neither_on_threads_nor_on_a_restored_snapshot() {
    let run = |threads: usize, saved: bool| {
        let mut world = World::new();
        let mut physics = Physics::new(Settings { threads: Some(threads), ..Settings::default() });
        ground(&mut world);
        let bodies: Vec<_> =
            (0..6).flat_map(|k| pillar(&mut world, 1.01 * k as Real, 4, SleepControl::Asleep)).collect();
        world.spawn(Body::dynamic(Collider::ball(0.3)).at(-4.0, 2.0, 0.0).linear_velocity(Vec3::X * 20.0));
        for step in 0..60 {
            if step == 20 {
                physics.put_to_sleep(&mut world, bodies[9]).unwrap();
                if saved {
                    let snapshot = physics.save(&world);
                    physics.step(&mut world, DT).unwrap();
                    physics.restore(&mut world, &snapshot);
                    assert_eq!(control(&world, bodies[9]), SleepControl::Asleep);
                }
            }
            physics.step(&mut world, DT).unwrap();
        }
        bodies.iter().map(|&e| world.get::<&Position>(e).unwrap().0.to_array()).collect::<Vec<_>>()
    };
    let first = run(1, false);
    assert!(first == run(2, false) && first == run(3, true));
}

#[test]
fn a_request_for_no_body_is_an_error_and_without_sleep_it_is_ignored() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let thing = world.spawn(());
    for result in [physics.wake(&mut world, thing), physics.put_to_sleep(&mut world, thing)] {
        assert!(matches!(result, Err(StepError::Component { component: "RigidBody", .. })));
    }
    physics.settings.sleep = false;
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).with(SleepControl::Asleep));
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 0);
    assert!(world.get::<&LinearVelocity>(ball).unwrap().0.y < 0.0);
}

#[test]
fn what_keeps_a_body_up_is_asked_without_the_requests() {
    let (mut world, physics) = (World::new(), Physics::default());
    ground(&mut world);
    let pillar = pillar(&mut world, 0.0, 2, SleepControl::Asleep);
    assert!(physics.statics(&world, pillar[0]).unwrap().stability().unwrap().stands);
}
