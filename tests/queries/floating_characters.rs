//! Floating characters against closed forms.

use dolmen::control::{FloatingCharacter, step_floating_characters};
use dolmen::prelude::*;
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;
const G: Real = 9.81;

fn hero(world: &mut World, at: Vec3, mass: Real) -> Entity {
    let body = Body::dynamic(Collider::capsule(0.4, 0.3)).mass(mass).locked(LockedAxes::ROTATION).position(at);
    world.spawn(body.with(FloatingCharacter::default()))
}

fn on_a_plain() -> (World, Physics, Entity) {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let hero = hero(&mut world, Vec3::Y * 1.1, 80.0);
    run(&mut world, &mut physics, 120, DT);
    (world, physics, hero)
}

fn run(world: &mut World, physics: &mut Physics, steps: usize, dt: Real) {
    for _ in 0..steps {
        step_floating_characters(world, physics, dt).unwrap();
        physics.step(world, dt).unwrap();
    }
}

fn at(world: &World, entity: Entity) -> Vec3 {
    world.get::<&Position>(entity).unwrap().0
}

fn velocity(world: &World, entity: Entity) -> Vec3 {
    world.get::<&LinearVelocity>(entity).unwrap().0
}

fn input(world: &World, hero: Entity, change: impl FnOnce(&mut FloatingCharacter)) {
    change(&mut world.get::<&mut FloatingCharacter>(hero).unwrap());
}

fn ground(world: &World, hero: Entity) -> Option<Entity> {
    world.get::<&FloatingCharacter>(hero).unwrap().ground.map(|ground| ground.entity)
}

#[test]
fn it_floats_at_its_height_whatever_its_mass_its_spring_and_the_step() {
    for (mass, frequency, dt) in [(80.0, 5.0, DT), (0.5, 2.0, 0.005), (5000.0, 1e4, DT), (80.0, 5.0, 0.05)] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let hero = hero(&mut world, Vec3::Y * 1.05, mass);
        input(&world, hero, |character| character.frequency = frequency);
        run(&mut world, &mut physics, (4.0 / dt) as usize, dt);
        let height = at(&world, hero);
        assert!((height - Vec3::Y).length() < 2e-3, "{mass} kg, {frequency} Hz, {dt} s: {height}");
        // A fall is caught without touching the ground.
        world.get::<&mut Position>(hero).unwrap().0.y = 2.0;
        let mut lowest: Real = 9.0;
        for _ in 0..(2.0 / dt) as usize {
            run(&mut world, &mut physics, 1, dt);
            lowest = lowest.min(at(&world, hero).y);
        }
        assert!(lowest > 0.7 || dt > DT || frequency < 5.0, "{mass} kg, {frequency} Hz, {dt} s: {lowest}");
        let height = at(&world, hero);
        assert!((height - Vec3::Y).length() < 5e-3, "{mass} kg, {frequency} Hz, {dt} s: {height} after a fall");
    }
}

#[test]
fn it_walks_at_its_speed_with_its_acceleration() {
    let (mut world, mut physics, hero) = on_a_plain();
    input(&world, hero, |character| (character.walk, character.acceleration) = (Vec3::new(3.0, 7.0, 0.0), 6.0));
    run(&mut world, &mut physics, 15, DT);
    assert!((velocity(&world, hero).x - 1.5).abs() < 1e-3, "{}", velocity(&world, hero));
    run(&mut world, &mut physics, 60, DT);
    assert!((velocity(&world, hero) - Vec3::X * 3.0).length() < 1e-3, "{}", velocity(&world, hero));
}

#[test]
fn a_jump_rises_by_the_square_of_its_speed_over_two_g() {
    let (mut world, mut physics, hero) = on_a_plain();
    input(&world, hero, |character| character.jump = 5.0);
    let mut highest: Real = 0.0;
    for _ in 0..60 {
        run(&mut world, &mut physics, 1, DT);
        highest = highest.max(at(&world, hero).y);
    }
    let closed = 1.0 + 25.0 / (2.0 * G);
    assert!((highest - closed).abs() < 0.05, "{highest} for {closed}");
    input(&world, hero, |character| assert_eq!(character.jump, 0.0));
    // In the air a jump is used up.
    world.get::<&mut Position>(hero).unwrap().0.y = 9.0;
    input(&world, hero, |character| character.jump = 5.0);
    run(&mut world, &mut physics, 2, DT);
    assert!(velocity(&world, hero).y <= 0.0 && ground(&world, hero).is_none());
}

#[test]
fn steps_pass_below_and_steep_slopes_do_not_carry() {
    let (mut world, mut physics, hero) = on_a_plain();
    for step in 0..6 {
        let height = 0.1 * (step + 1) as Real;
        world.spawn(Body::fixed(Collider::cuboid(0.2, height, 2.0)).at(1.0 + 0.4 * step as Real, 0.0, 0.0));
    }
    input(&world, hero, |character| character.walk = Vec3::X * 1.5);
    run(&mut world, &mut physics, 110, DT);
    assert!(at(&world, hero).y > 1.35, "{}", at(&world, hero));

    for (slope, holds) in [(0.6, true), (1.0, false)] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let normal = Quat::from_rotation_z(slope) * Vec3::Y;
        world.spawn(Body::fixed(Collider::half_space(normal)).material(Material::new(0.0, 0.0)));
        let hero = self::hero(&mut world, Vec3::Y * 1.1, 80.0);
        run(&mut world, &mut physics, 60, DT);
        let before = at(&world, hero);
        run(&mut world, &mut physics, 120, DT);
        let way = at(&world, hero).distance(before);
        assert!(if holds { way < 2e-3 } else { way > 1.0 }, "{slope}: {way}");
    }
}

#[test]
fn what_it_stands_on_bears_its_weight_and_carries_it() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let raft = Body::dynamic(Collider::cuboid(2.0, 0.1, 2.0)).mass(100.0).at(0.0, 0.1, 0.0).force_threshold(1.0);
    let raft = world.spawn(raft);
    let hero = hero(&mut world, Vec3::Y * 1.2, 80.0);
    run(&mut world, &mut physics, 240, DT);
    assert_eq!(ground(&world, hero), Some(raft));
    let load = world.get::<&ExternalForce>(raft).unwrap().0;
    assert!((load - Vec3::NEG_Y * 80.0 * G).length() < 1.0, "{load}");

    let lift = world.spawn(Body::kinematic(Collider::cuboid(2.0, 0.1, 2.0)).at(20.0, 0.0, 0.0));
    world.get::<&mut Position>(hero).unwrap().0 = Vec3::new(20.0, 1.1, 0.0);
    run(&mut world, &mut physics, 30, DT);
    for step in 1..=60 {
        let along = step as Real * 0.03;
        world.insert_one(lift, KinematicTarget::at(Vec3::new(20.0 + along, 0.5 * along, 0.0))).unwrap();
        run(&mut world, &mut physics, 1, DT);
    }
    let between = at(&world, hero) - at(&world, lift);
    assert!(between.x.abs() < 0.1 && (between.y - 1.1).abs() < 0.01, "{between}");
}

#[test]
fn it_is_pushed_like_any_body_and_stands_up_again() {
    let (mut world, mut physics, hero) = on_a_plain();
    let ball = Body::dynamic(Collider::ball(0.3)).mass(80.0).at(-1.5, 1.0, 0.0).linear_velocity(Vec3::X * 10.0);
    world.spawn(ball);
    run(&mut world, &mut physics, 20, DT);
    assert!(at(&world, hero).x > 0.05, "{}", at(&world, hero));
    run(&mut world, &mut physics, 120, DT);
    assert!(velocity(&world, hero).length() < 1e-2 && (at(&world, hero).y - 1.0).abs() < 5e-3);
}

#[test]
fn impossible_ones_are_errors_that_name_the_value() {
    let (mut world, physics, hero) = on_a_plain();
    type Change = fn(&mut FloatingCharacter);
    let bad: [(&str, Change); 5] = [
        ("walk", |c| c.walk.x = Real::NAN),
        ("up", |c| c.up = Vec3::ZERO),
        ("foot", |c| c.foot = 2.0),
        ("height", |c| c.height = 0.0),
        ("frequency", |c| c.frequency = -1.0),
    ];
    for (name, change) in bad {
        input(&world, hero, |character| *character = FloatingCharacter::default());
        input(&world, hero, change);
        let error = step_floating_characters(&mut world, &physics, DT).unwrap_err();
        assert!(
            matches!(&error, StepError::Component { entity, problem, .. }
            if *entity == hero && problem.contains(name)),
            "{error}"
        );
    }
}
