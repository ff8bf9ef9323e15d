//! Frames of a game: due steps, slow motion, pause, and the poses to draw.

use crate::bits;
use crate::game::{floor, position, velocity};
use dolmen::control::{Character, CharacterState, PoseController};
use dolmen::prelude::*;
use dolmen::{RenderPoses, StepError};
use hecs::{Entity, World};

fn drawn(world: &World, entity: Entity) -> RenderPose {
    *world.get::<&RenderPose>(entity).unwrap()
}

fn flying() -> (World, Physics, Entity) {
    let mut world = World::new();
    let body = Body::dynamic(Collider::cuboid(0.5, 0.2, 0.3)).linear_velocity(Vec3::X * 3.0);
    let body = body.angular_velocity(Vec3::Y * 2.0).gravity_scale(0.0).center_of_mass(Vec3::X * 0.2);
    let body = world.spawn(body.with(RenderPose::default()));
    (world, Physics::default(), body)
}

#[test]
fn frames_of_any_length_take_the_steps_of_a_fixed_clock() {
    let (mut world, mut physics, body) = flying();
    let (mut copy, mut by_hand, other) = flying();
    let mut steps = 0;
    for frame in [0.004, 0.03, 0.0, 0.016, 0.05, -1.0, 0.0167, Real::NAN, 0.001] {
        let frame = physics.advance(&mut world, frame).unwrap();
        assert!((0.0..1.0).contains(&frame.alpha) && frame.dropped == 0.0);
        assert_eq!(frame.report.is_some(), frame.steps > 0);
        steps += frame.steps;
    }
    assert_eq!(steps, 7);
    for _ in 0..steps {
        by_hand.step(&mut copy, 1.0 / 60.0).unwrap();
    }
    assert_eq!(bits(&world, &[body]), bits(&copy, &[other]));
    let long = physics.advance(&mut world, 1.0).unwrap();
    assert!(long.steps == 4 && long.dropped > 0.9, "{long:?}");
}

#[test]
fn poses_between_steps_are_smooth_and_lie_on_the_path() {
    let fps = 144.0;
    for mode in [RenderPoses::Interpolated, RenderPoses::Extrapolated] {
        let (mut world, mut physics, body) = flying();
        physics.time.poses = mode;
        let mut last = None;
        for frame in 0..200 {
            physics.advance(&mut world, 1.0 / fps).unwrap();
            let pose = drawn(&world, body);
            let center = pose.position + pose.orientation * Vec3::X * 0.2;
            if let Some(last) = last.filter(|_| frame > 5) {
                let speed = (center - last) as Vec3 * fps;
                assert!((speed - Vec3::X * 3.0).length() < 2e-2, "{mode:?} {frame}: {speed}");
            }
            last = Some(center);
            let late = match mode {
                RenderPoses::Interpolated => 1.0 / 60.0,
                RenderPoses::Extrapolated => 0.0,
            };
            let time = ((frame + 1) as Real / fps - late).max(0.0);
            let expected = Vec3::X * (0.2 + 3.0 * time);
            if frame < 5 {
                continue; // The first step tells where the centre of mass is.
            }
            assert!((center - expected).length() < 1e-3, "{mode:?} {frame}: {center} and {expected}");
            let turned = pose.orientation.angle_between(Quat::from_rotation_y(2.0 * time));
            assert!(turned < 2e-3, "{mode:?} {frame}: {turned}");
        }
    }
}

#[test]
fn slow_motion_takes_the_same_steps_later_and_a_pause_takes_none() {
    let (mut world, mut physics, body) = flying();
    let (mut slow, mut slowed, other) = flying();
    slowed.time.scale = 0.25;
    for _ in 0..60 {
        physics.advance(&mut world, 1.0 / 60.0).unwrap();
    }
    let steps: u32 = (0..240).map(|_| slowed.advance(&mut slow, 1.0 / 60.0).unwrap().steps).sum();
    assert_eq!(steps, 60);
    assert_eq!(bits(&world, &[body]), bits(&slow, &[other]));
    physics.time.paused = true;
    let before = bits(&world, &[body]);
    assert_eq!((0..60).map(|_| physics.advance(&mut world, 0.1).unwrap().steps).sum::<u32>(), 0);
    assert_eq!(bits(&world, &[body]), before);
    physics.step(&mut world, 1.0 / 60.0).unwrap();
    assert_ne!(bits(&world, &[body]), before);
}

#[test]
fn a_teleport_shows_at_once() {
    let (mut world, mut physics, body) = flying();
    for _ in 0..30 {
        physics.advance(&mut world, 1.0 / 75.0).unwrap();
    }
    world.get::<&mut Position>(body).unwrap().0 = Vec3::Y * 50.0;
    for _ in 0..5 {
        physics.advance(&mut world, 0.003).unwrap();
        assert!((drawn(&world, body).position.y - 50.0).abs() < 0.1, "{}", drawn(&world, body).position);
    }
}

#[test]
fn characters_and_controllers_are_stepped_with_the_bodies() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    floor(&mut world);
    let hero = world.spawn(Body::kinematic(Collider::capsule(0.5, 0.3)).at(0.0, 0.81, 0.0));
    world.insert(hero, (Character { walk: Vec3::X * 2.0, ..Character::default() }, CharacterState::default())).unwrap();
    let held = PoseController::position(Vec3::Y * 3.0, 1e5);
    let held = world.spawn(Body::dynamic(Collider::ball(0.2)).at(3.0, 2.0, 3.0).with(held));
    let mut beats = 0;
    for _ in 0..300 {
        let beat = |world: &mut World, _: &mut Physics| {
            beats += 1;
            assert!(world.contains(hero));
            Ok(())
        };
        physics.advance_with(&mut world, 1.0 / 100.0, beat).unwrap();
    }
    assert!((179..=180).contains(&beats), "{beats}");
    assert!((velocity(&world, hero).x - 2.0).abs() < 1e-3 && position(&world, hero).x > 5.5);
    assert!((position(&world, held) - Vec3::Y * 3.0).length() < 0.01, "{}", position(&world, held));
}

#[test]
fn impossible_times_are_errors_and_a_refused_step_loses_the_rest_of_the_frame() {
    let (mut world, mut physics, body) = flying();
    for (setting, change) in [
        ("time.step", (|time| time.step = 0.0) as fn(&mut GameTime)),
        ("time.step", |time| time.step = Real::NAN),
        ("time.scale", |time| time.scale = -1.0),
        ("time.scale", |time| time.scale = Real::INFINITY),
    ] {
        let before = physics.time;
        change(&mut physics.time);
        let error = physics.advance(&mut world, 0.1).unwrap_err();
        assert!(matches!(error, StepError::Setting { setting: named, .. } if named == setting), "{error}");
        physics.time = before;
    }
    world.insert_one(body, Mass(-1.0)).unwrap();
    assert!(physics.advance(&mut world, 0.06).is_err());
    world.insert_one(body, Mass(1.0)).unwrap();
    assert_eq!(physics.advance(&mut world, 0.001).unwrap().steps, 0);
}
