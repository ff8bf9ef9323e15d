//! Bodies that leave the range of numbers: they are reported and reset, without effect on others.

use crate::{DT, position, velocity};
use dolmen::prelude::*;
use hecs::{Entity, World};

/// Three crates on each other, and a ball aside.
fn scene() -> (World, [Entity; 3], Entity) {
    let mut world = World::new();
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let crates =
        [0, 1, 2].map(|i| world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 0.5 + i as Real, 0.0)));
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(9.0, 0.5, 0.0));
    (world, crates, ball)
}

fn out_of_range(physics: &Physics) -> Vec<Entity> {
    let named = |event: &Event| match *event {
        Event::OutOfRange { entity } => Some(entity),
        _ => None,
    };
    physics.events().iter().filter_map(named).collect()
}

fn stands(world: &World, crates: [Entity; 3]) -> bool {
    crates.iter().enumerate().all(|(i, &e)| (position(world, e) - Vec3::new(0.0, 0.5 + i as Real, 0.0)).length() < 0.01)
}

#[test]
fn what_a_system_of_the_game_makes_no_number_is_put_back_and_named() {
    for stage in [Stage::Gather, Stage::Islands, Stage::Solve, Stage::Motion, Stage::Sleep] {
        for bad in [Real::NAN, Real::INFINITY, 1e30] {
            let (mut world, crates, ball) = scene();
            let mut physics = Physics::new(Settings { sleep: false, ..Settings::default() });
            let mut steps = 0;
            physics.schedule.add_after(stage, move |_, state| {
                steps += 1;
                if steps == 20 {
                    let slot = (0..state.bodies.slots()).find(|&slot| state.bodies.entity[slot] == ball).unwrap();
                    state.bodies.linear_velocity[slot].x = bad;
                    state.bodies.dirty[slot] = true;
                }
            });
            let mut named = Vec::new();
            for _ in 0..60 {
                let report = physics.step(&mut world, DT).unwrap();
                assert_eq!(report.counts.out_of_range, out_of_range(&physics).len());
                named.extend(out_of_range(&physics));
            }
            assert_eq!(named, [ball], "after {stage:?}, {bad}");
            assert!((position(&world, ball) - Vec3::new(9.0, 0.5, 0.0)).length() < 0.01, "after {stage:?}, {bad}");
            assert!(stands(&world, crates), "after {stage:?}, {bad}");
        }
    }
}

#[test]
fn what_it_touched_stands_again() {
    // The whole stack leaves the range with its lowest crate, and stands again as before.
    let (mut world, crates, _) = scene();
    let mut physics = Physics::new(Settings { sleep: false, ..Settings::default() });
    let (lowest, mut steps) = (crates[0], 0);
    physics.schedule.add_after(Stage::Islands, move |_, state| {
        steps += 1;
        if steps == 20 {
            let slot = (0..state.bodies.slots()).find(|&slot| state.bodies.entity[slot] == lowest).unwrap();
            state.bodies.linear_velocity[slot] = Vec3::NAN;
        }
    });
    let mut named = Vec::new();
    for _ in 0..120 {
        physics.step(&mut world, DT).unwrap();
        named.extend(out_of_range(&physics));
    }
    assert!(named.contains(&lowest));
    assert!(stands(&world, crates));
    assert!(crates.iter().all(|&e| velocity(&world, e).length() < 1e-3));
}

#[test]
fn a_motor_without_measure_takes_no_world_with_it() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        let (mut world, crates, _) = scene();
        let wheel = world.spawn(Body::dynamic(Collider::cuboid(0.3, 0.3, 0.3)).at(5.0, 4.0, 0.0));
        let hinge = Joint::revolute(None, wheel).anchors(Vec3::new(5.0, 4.0, 0.0), Vec3::ZERO).axes(Vec3::Z, Vec3::Z);
        world.spawn((hinge.motor(Motor::velocity(1e20, Real::INFINITY)),));
        let mut physics = Physics::new(Settings { accuracy, ..Settings::default() });
        let mut named = Vec::new();
        for _ in 0..60 {
            physics.step(&mut world, DT).unwrap();
            named.extend(out_of_range(&physics));
            assert!(position(&world, wheel).is_finite());
        }
        assert!(named.contains(&wheel) && named.iter().all(|&e| e == wheel), "{accuracy:?}");
        assert!(stands(&world, crates), "{accuracy:?}");
    }
}

#[test]
fn places_and_speeds_out_of_range_are_errors() {
    let at = |component: &str, spoil: &dyn Fn(&mut World, Entity)| {
        let (mut world, _, ball) = scene();
        let mut physics = Physics::default();
        physics.step(&mut world, DT).unwrap();
        spoil(&mut world, ball);
        let error = physics.step(&mut world, DT).unwrap_err().to_string();
        assert!(error.contains(component) && error.contains(&format!("{ball:?}")), "{error}");
    };
    at("Position", &|world, ball| world.get::<&mut Position>(ball).unwrap().0.y = 1e20);
    at("LinearVelocity", &|world, ball| world.get::<&mut LinearVelocity>(ball).unwrap().0.y = -1e20);
    at("AngularVelocity", &|world, ball| world.get::<&mut AngularVelocity>(ball).unwrap().0.y = 1e20);
}

#[test]
fn masses_that_cannot_be_divided_by_are_errors() {
    let least = Real::MIN_POSITIVE;
    let cases: [(&str, Collider, Option<Mass>); 3] = [
        ("Mass", Collider::ball(0.5), Some(Mass(least * 1e-3))),
        ("Inertia", Collider::ball(1e-8), Some(Mass(least * 1e10))),
        // Shapes so small that their mass vanishes are refused themselves.
        ("Collider", Collider::ball(1e-12), None),
    ];
    for (component, collider, mass) in cases {
        let mut world = World::new();
        let ball = world.spawn(Body::dynamic(collider));
        if let Some(mass) = mass {
            world.insert_one(ball, mass).unwrap();
        }
        let error = Physics::default().step(&mut world, DT).unwrap_err().to_string();
        assert!(error.contains(component) && error.contains(&format!("{ball:?}")), "{error}");
    }
}
