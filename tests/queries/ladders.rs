//! Characters on ladders.

use dolmen::control::{Character, CharacterState, Ladder, step_characters};
use dolmen::prelude::*;
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;
/// Height of the character's origin above its lowest point (m).
const FOOT: Real = 0.8;

/// A character on a floor at x = 0, before a ladder of 4 m whose surface is at x = 0.35.
fn before_a_ladder(sensor: bool) -> (World, Physics, [Entity; 2]) {
    let (mut world, physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let ladder = world.spawn(Body::kinematic(Collider::cuboid(0.1, 2.0, 0.3)).at(0.45, 2.0, 0.0).with(Ladder));
    if sensor {
        world.insert_one(ladder, Sensor).unwrap();
    }
    let hero = Body::kinematic(Collider::capsule(0.5, 0.3)).at(0.0, FOOT + 0.005, 0.0);
    let hero = world.spawn(hero.with(Character::default()).with(CharacterState::default()));
    (world, physics, [hero, ladder])
}

fn run(world: &mut World, physics: &mut Physics, hero: Entity, steps: usize, input: impl Fn(&mut Character)) {
    for _ in 0..steps {
        input(&mut world.get::<&mut Character>(hero).unwrap());
        step_characters(world, physics, DT).unwrap();
        physics.step(world, DT).unwrap();
    }
}

fn at(world: &World, entity: Entity) -> Vec3 {
    world.get::<&Position>(entity).unwrap().0
}

fn state(world: &World, hero: Entity) -> CharacterState {
    *world.get::<&CharacterState>(hero).unwrap()
}

fn walk(climb: Real) -> impl Fn(&mut Character) {
    move |character| (character.walk, character.climb) = (Vec3::X, climb)
}

#[test]
fn a_character_climbs_at_its_speed_hangs_and_comes_down() {
    for sensor in [false, true] {
        let (mut world, mut physics, [hero, ladder]) = before_a_ladder(sensor);
        run(&mut world, &mut physics, hero, 2, walk(0.0));
        assert_eq!(state(&world, hero).ladder, None, "without climbing, nobody takes hold");
        run(&mut world, &mut physics, hero, 60, walk(0.0));
        world.get::<&mut Position>(hero).unwrap().0 = Vec3::new(0.0, FOOT + 0.005, 0.0);
        run(&mut world, &mut physics, hero, 10, walk(0.0));
        let up = |character: &mut Character| (character.walk, character.climb) = (Vec3::ZERO, 1.5);
        // It walks on until the ladder is there.
        while state(&world, hero).ladder.is_none() {
            run(&mut world, &mut physics, hero, 1, walk(1.5));
        }
        assert_eq!(state(&world, hero).ladder, Some(ladder));
        let start = at(&world, hero).y;
        run(&mut world, &mut physics, hero, 60, up);
        assert!((at(&world, hero).y - start - 1.5).abs() < 1e-3, "sensor {sensor}: {}", at(&world, hero));
        let hang = |character: &mut Character| (character.walk, character.climb) = (Vec3::ZERO, 0.0);
        let high = at(&world, hero);
        run(&mut world, &mut physics, hero, 60, hang);
        assert!(at(&world, hero).distance(high) < 1e-4 && state(&world, hero).velocity.length() < 1e-3);
        let down = |character: &mut Character| (character.walk, character.climb) = (Vec3::ZERO, -2.0);
        run(&mut world, &mut physics, hero, 90, down);
        let state = state(&world, hero);
        assert!(state.ladder.is_none() && state.ground.is_some(), "{state:?}");
        assert!((at(&world, hero).y - FOOT).abs() < 0.01);
    }
}

#[test]
fn a_ladder_ends_on_the_ledge_above() {
    let (mut world, mut physics, [hero, _]) = before_a_ladder(false);
    world.spawn(Body::fixed(Collider::cuboid(20.0, 2.0, 1.0)).at(20.56, 2.0, 0.0));
    run(&mut world, &mut physics, hero, 400, walk(1.5));
    let state = state(&world, hero);
    assert!(state.ground.is_some() && state.ladder.is_none() && at(&world, hero).y > 4.0, "{}", at(&world, hero));
}

#[test]
fn a_jump_leaves_the_ladder() {
    let (mut world, mut physics, [hero, _]) = before_a_ladder(false);
    run(&mut world, &mut physics, hero, 60, walk(1.5));
    let start = at(&world, hero);
    run(&mut world, &mut physics, hero, 1, |character| {
        *character = Character { walk: Vec3::NEG_X * 2.0, climb: 0.0, jump: 3.0, ..*character };
    });
    assert_eq!(state(&world, hero).ladder, None);
    run(&mut world, &mut physics, hero, 20, |character| character.walk = Vec3::NEG_X * 2.0);
    let now = at(&world, hero);
    assert!(now.x < start.x - 0.4 && state(&world, hero).ladder.is_none(), "{now}");
    // Jumps are used up where there is nothing to leave.
    run(&mut world, &mut physics, hero, 1, |character| character.jump = 3.0);
    assert!(state(&world, hero).velocity.y < 0.0);
}

#[test]
fn moving_ladders_carry_and_dynamic_ones_bear_the_weight() {
    let (mut world, mut physics, [hero, ladder]) = before_a_ladder(false);
    run(&mut world, &mut physics, hero, 60, walk(1.5));
    let hang = |character: &mut Character| (character.walk, character.climb) = (Vec3::ZERO, 0.0);
    run(&mut world, &mut physics, hero, 2, hang);
    let between = at(&world, hero) - at(&world, ladder);
    let mut moved = at(&world, ladder);
    for _ in 0..60 {
        moved += Vec3::new(0.0, 0.01, 0.02);
        world.insert_one(ladder, KinematicTarget::at(moved)).unwrap();
        run(&mut world, &mut physics, hero, 1, hang);
    }
    assert!((at(&world, hero) - at(&world, ladder) - between).length() < 0.01, "{}", at(&world, hero));

    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let rope = Body::dynamic(Collider::capsule(2.0, 0.1))
        .mass(20.0)
        .at(0.45, 4.0, 0.0)
        .locked(LockedAxes::ROTATION | LockedAxes::TRANSLATION);
    let rope = world.spawn(rope.with(Ladder));
    let hero = Body::kinematic(Collider::capsule(0.5, 0.3)).at(0.045, 3.0, 0.0);
    let hero = world.spawn(hero.with(Character::default()).with(CharacterState::default()));
    physics.step(&mut world, DT).unwrap();
    run(&mut world, &mut physics, hero, 30, |character| {
        (character.walk, character.climb) = (Vec3::X, if character.climb == 0.0 { 0.001 } else { 0.0 });
    });
    let load = world.get::<&ExternalForce>(rope).unwrap().0;
    assert!((load.y + 80.0 * 9.81).abs() < 1.0, "{load}");
}

#[test]
fn an_impossible_climb_is_an_error() {
    let (mut world, mut physics, [hero, _]) = before_a_ladder(false);
    physics.step(&mut world, DT).unwrap();
    world.get::<&mut Character>(hero).unwrap().climb = Real::NAN;
    let error = step_characters(&mut world, &physics, DT).unwrap_err();
    assert!(error.to_string().contains("climb must be finite"), "{error}");
}
