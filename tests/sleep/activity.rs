//! What keeps a body awake, step by step.

use dolmen::Activity;
use dolmen::prelude::*;
use hecs::World;

const DT: Real = 1.0 / 60.0;

fn crate_at(y: Real) -> Body {
    Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, y, 0.0)
}

#[test]
fn a_crate_falls_moves_settles_and_sleeps() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let floor = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let crate_ = world.spawn(crate_at(1.0));
    assert_eq!(physics.activity(&world, crate_), None, "no step has seen it");
    let mut seen = Vec::new();
    for _ in 0..120 {
        physics.step(&mut world, DT).unwrap();
        let now = physics.activity(&world, crate_).unwrap();
        let kind = match now {
            Activity::Moving { body, speed } => {
                assert!(body == crate_ && speed > 1e-3);
                "moving"
            }
            Activity::Settling { steps, of } => {
                assert!((1..=of).contains(&steps));
                "settling"
            }
            Activity::Free => "free",
            Activity::Unbalanced { bodies } => {
                assert_eq!(bodies, 1);
                "unbalanced"
            }
            Activity::Asleep { bodies } => {
                assert_eq!(bodies, 1);
                "asleep"
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(kind == "asleep", physics.solver_of(&world, crate_).is_none() && kind != "free");
        if seen.last() != Some(&kind) {
            seen.push(kind);
        }
    }
    assert_eq!((seen.first(), seen.last()), (Some(&"free"), Some(&"asleep")), "{seen:?}");
    assert!(seen.contains(&"settling"), "{seen:?}");
    assert_eq!(physics.activity(&world, floor), Some(Activity::NotDynamic));
}

#[test]
fn settings_and_platforms_keep_bodies_awake() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::kinematic(Collider::cuboid(2.0, 0.5, 2.0)).linear_velocity(Vec3::X * 0.1));
    let (lower, upper) = (world.spawn(crate_at(1.0)), world.spawn(crate_at(2.0)));
    for _ in 0..120 {
        physics.step(&mut world, DT).unwrap();
    }
    for body in [lower, upper] {
        assert_eq!(physics.activity(&world, body), Some(Activity::Driven { body: lower }));
    }
    physics.settings.sleep = false;
    physics.step(&mut world, DT).unwrap();
    assert_eq!(physics.activity(&world, upper), Some(Activity::SleepIsOff));
}

#[test]
fn each_answer_is_a_sentence() {
    let body = World::new().reserve_entity();
    for (activity, text) in [
        (Activity::Asleep { bodies: 3 }, "asleep: the forces of its island hold all 3 bodies in equilibrium"),
        (Activity::Free, "awake: nothing touches it"),
        (Activity::Moving { body, speed: 0.5 }, "moves at 0.500 m/s"),
        (Activity::Settling { steps: 2, of: 10 }, "at rest for 2 of 10 steps"),
    ] {
        assert!(activity.to_string().contains(text), "{activity}");
    }
}
