//! Characters and vehicles obey the filters of the step: layers, filters and contact editors.

use crate::hooks::{Team, one_way, teams};
use crate::{DT, position};
use dolmen::control::{Character, CharacterState, ContactEditorMemory, Vehicle, Wheel, step_characters, step_vehicles};
use dolmen::prelude::*;
use hecs::{Entity, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn hero(world: &mut World, at: Vec3, walk: Vec3) -> Entity {
    let hero = world.spawn(Body::kinematic(Collider::capsule(0.5, 0.3)).position(at));
    world.insert(hero, (Character { walk, ..Character::default() }, CharacterState::default())).unwrap();
    hero
}

fn car(world: &mut World, at: Vec3) -> Entity {
    let car = world.spawn(Body::dynamic(Collider::cuboid(2.0, 0.3, 0.8)).mass(1200.0).position(at));
    world.insert_one(car, Vehicle::four_wheels(Wheel::default(), 2.6, 1.5, 0.0)).unwrap();
    car
}

fn run(world: &mut World, physics: &mut Physics, steps: usize) {
    for _ in 0..steps {
        step_characters(world, physics, DT).unwrap();
        step_vehicles(world, physics, DT).unwrap();
        physics.step(world, DT).unwrap();
    }
}

#[test]
fn a_character_walks_through_what_its_filter_or_its_layers_let_it_through_and_not_through_the_rest() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    teams(&mut physics);
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let wall = || Body::fixed(Collider::cuboid(0.2, 2.0, 20.0)).at(2.0, 2.0, 0.0);
    let wall = world.spawn(wall());
    world.insert(wall, (Team(1), CollisionLayers { layers: 0b10, mask: u32::MAX })).unwrap();
    let walkers = [0.0, 3.0, 6.0].map(|z| hero(&mut world, Vec3::new(0.0, 0.8, z), Vec3::X * 2.0));
    world.insert_one(walkers[0], Team(1)).unwrap();
    world.insert_one(walkers[1], CollisionLayers { layers: 1, mask: !0b10 }).unwrap();
    world.insert_one(walkers[2], Team(2)).unwrap();
    run(&mut world, &mut physics, 120);
    let at = walkers.map(|walker| position(&world, walker).x);
    assert!(at[0] > 3.5 && at[1] > 3.5, "{at:?}");
    assert!((at[2] - 1.5).abs() < 0.03, "{at:?}");
    assert!(walkers.iter().all(|&walker| (position(&world, walker).y - 0.8).abs() < 0.02), "all on the ground");
}

#[test]
fn a_character_jumps_up_through_a_one_way_platform_and_stands_on_it_until_it_opens() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let open = Arc::new(AtomicBool::new(false));
    one_way(&mut world, &mut physics, &open);
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let hero = hero(&mut world, Vec3::new(0.1, 0.81, 0.1), Vec3::ZERO);
    run(&mut world, &mut physics, 5);
    world.get::<&mut Character>(hero).unwrap().jump = 8.0;
    let mut highest: Real = 0.0;
    for _ in 0..120 {
        run(&mut world, &mut physics, 1);
        highest = highest.max(position(&world, hero).y);
    }
    assert!((highest - (0.8 + 64.0 / 19.62)).abs() < 0.1, "nothing held it up on its way: {highest}");
    assert!((position(&world, hero).y - 2.9).abs() < 0.02, "it landed: {}", position(&world, hero));
    assert_eq!(
        *world.get::<&ContactEditorMemory>(hero).unwrap(),
        ContactEditorMemory::default(),
        "nothing is left to remember"
    );
    open.store(true, Ordering::Relaxed);
    run(&mut world, &mut physics, 60);
    assert!((position(&world, hero).y - 0.8).abs() < 0.02, "it fell through: {}", position(&world, hero));
}

#[test]
fn a_belt_carries_a_character_and_a_braked_vehicle_whoever_says_that_it_runs() {
    struct Belt;
    let along = Vec3::X * 1.5;
    for edited in [false, true] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let belt = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        if edited {
            world.insert_one(belt, Belt).unwrap();
            physics.hooks.edit_contacts(move |world, contact| {
                let Some(side) = contact.entities.iter().position(|&e| world.satisfies::<&Belt>(e)) else { return };
                contact.surface_velocity = if side == 1 { along } else { -along };
            });
        } else {
            world.insert_one(belt, SurfaceVelocity(along)).unwrap();
        }
        let hero = hero(&mut world, Vec3::new(0.0, 0.81, 5.0), Vec3::ZERO);
        let car = car(&mut world, Vec3::Y * 0.7);
        world.get::<&mut Vehicle>(car).unwrap().brake = 20_000.0;
        run(&mut world, &mut physics, 180);
        let from = [hero, car].map(|entity| position(&world, entity).x);
        run(&mut world, &mut physics, 60);
        for (entity, from) in [hero, car].into_iter().zip(from) {
            let way = position(&world, entity).x - from;
            assert!((way - 1.5).abs() < 0.01, "edited {edited}: {way}");
        }
    }
}

#[test]
fn the_wheels_of_a_vehicle_do_not_stand_on_what_a_filter_lets_them_through() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    teams(&mut physics);
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    for (z, team) in [(0.0, 1), (10.0, 2)] {
        let bridge = world.spawn(Body::fixed(Collider::cuboid(4.0, 0.1, 2.0)).at(0.0, 3.0, z));
        world.insert_one(bridge, Team(team)).unwrap();
    }
    let cars = [0.0, 10.0].map(|z| car(&mut world, Vec3::new(0.0, 3.8, z)));
    for car in cars {
        world.insert_one(car, Team(1)).unwrap();
    }
    run(&mut world, &mut physics, 240);
    let at = cars.map(|car| position(&world, car).y);
    assert!(at[0] < 0.75 && at[0] > 0.4, "it fell through to the ground: {at:?}");
    assert!((at[1] - at[0] - 3.1).abs() < 0.01, "and this one stands on its bridge: {at:?}");
}
