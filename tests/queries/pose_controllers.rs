//! Pose controllers: no overshoot, any stiffness, bounded force, constant loads.

use dolmen::StepError;
use dolmen::control::{PoseController, step_pose_controllers};
use dolmen::prelude::*;
use hecs::{Entity, World};

fn run(world: &mut World, physics: &mut Physics, dt: Real, seconds: Real, mut look: impl FnMut(&World)) {
    for _ in 0..(seconds / dt).round() as usize {
        step_pose_controllers(world, physics, dt).unwrap();
        physics.step(world, dt).unwrap();
        look(world);
    }
}

fn at(world: &World, entity: Entity) -> Vec3 {
    world.get::<&Position>(entity).unwrap().0
}

fn weightless() -> (World, Physics) {
    (World::new(), Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() }))
}

#[test]
fn a_critically_damped_controller_arrives_without_overshoot_at_any_stiffness_and_step() {
    for frequency in [0.5, 3.0, 160.0, 1e5] {
        for dt in [1.0 / 240.0, 1.0 / 30.0, 0.1] {
            let (mut world, mut physics) = weightless();
            let goal = PoseController {
                orientation: Some(Quat::from_rotation_y(2.0)),
                frequency,
                integral: 0.0,
                ..PoseController::position(Vec3::X, Real::INFINITY)
            };
            let body = Body::dynamic(Collider::cuboid(0.5, 0.1, 0.2)).center_of_mass(Vec3::new(0.1, 0.0, 0.0));
            let body = world.spawn(body.with(goal));
            let mut most: Real = 0.0;
            run(&mut world, &mut physics, dt, 6.0, |world| most = most.max(at(world, body).x));
            let turn = world.get::<&Orientation>(body).unwrap().0;
            let off = turn.angle_between(Quat::from_rotation_y(2.0));
            assert!(
                (at(&world, body) - Vec3::X).length() < 2e-3 && off < 3e-3,
                "{frequency} {dt}: {} {off}",
                at(&world, body)
            );
            // The origin goes about the centre of mass, and a step is late by itself.
            assert!(most < 1.02, "{frequency} {dt}: {most}");
        }
    }
}

#[test]
fn the_integral_part_takes_the_weight_and_whatever_is_put_on_top() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let tray = Body::dynamic(Collider::cuboid(1.0, 0.1, 1.0)).mass(5.0).locked(LockedAxes::ROTATION);
    let tray = world.spawn(tray.with(PoseController::position(Vec3::Y * 2.0, 1000.0)).with(SleepControl::Never));
    run(&mut world, &mut physics, 1.0 / 60.0, 4.0, |_| ());
    assert!((at(&world, tray).y - 2.0).abs() < 1e-3, "{}", at(&world, tray));
    world.spawn(Body::dynamic(Collider::cuboid(0.2, 0.2, 0.2)).at(0.3, 2.35, 0.0).mass(10.0));
    run(&mut world, &mut physics, 1.0 / 60.0, 4.0, |_| ());
    assert!((at(&world, tray).y - 2.0).abs() < 1e-3, "{}", at(&world, tray));
}

#[test]
fn force_and_torque_stay_within_their_bounds_and_nothing_winds_up() {
    let (mut world, mut physics) = weightless();
    let (mass, force, torque, dt) = (4.0, 20.0, 3.0, 1.0 / 60.0);
    let goal = PoseController {
        orientation: Some(Quat::from_rotation_z(3.0)),
        max_torque: torque,
        ..PoseController::position(Vec3::X * 10.0, force)
    };
    let body = world.spawn(Body::dynamic(Collider::ball(0.5)).mass(mass).with(goal));
    let inertia = 0.4 * mass * 0.25;
    let (mut last, mut most) = ([Vec3::ZERO; 2], [0.0 as Real; 3]);
    run(&mut world, &mut physics, dt, 12.0, |world| {
        let now = [world.get::<&LinearVelocity>(body).unwrap().0, world.get::<&AngularVelocity>(body).unwrap().0];
        most[0] = most[0].max((now[0] - last[0]).length() * mass / dt);
        most[1] = most[1].max((now[1] - last[1]).length() * inertia / dt);
        most[2] = most[2].max(at(world, body).x);
        last = now;
    });
    assert!(most[0] < force * 1.001 && most[1] < torque * 1.001 && most[0] > 0.9 * force, "{most:?}");
    assert!((at(&world, body).x - 10.0).abs() < 0.05, "{}", at(&world, body));
    // A wall in the way for a minute: what was not possible is not made up for.
    let wall = world.spawn(Body::fixed(Collider::cuboid(0.1, 5.0, 5.0)).at(9.0, 0.0, 0.0));
    world.get::<&mut Position>(body).unwrap().0 = Vec3::X * 5.0;
    run(&mut world, &mut physics, dt, 60.0, |_| ());
    let gathered = world.get::<&PoseController>(body).unwrap().accumulated[0].length() * mass;
    assert!(gathered < 1.5 * force, "{gathered} N");
    world.despawn(wall).unwrap();
    run(&mut world, &mut physics, dt, 15.0, |_| ());
    assert!((at(&world, body).x - 10.0).abs() < 0.1, "{}", at(&world, body));
}

#[test]
fn impossible_controllers_are_errors_that_name_the_value() {
    let nan = Real::NAN;
    let base = PoseController::position(Vec3::X, 1.0);
    let cases = [
        (PoseController { position: Some(Vec3::X * nan), ..base }, "position"),
        (PoseController { orientation: Some(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)), ..base }, "orientation"),
        (PoseController { frequency: -1.0, ..base }, "frequency"),
        (PoseController { damping_ratio: nan, ..base }, "damping_ratio"),
        (PoseController { integral: Real::INFINITY, ..base }, "integral"),
        (PoseController { max_force: -2.0, ..base }, "max_force"),
        (PoseController { max_torque: nan, ..base }, "max_torque"),
        (PoseController { accumulated: [Vec3::X * nan; 2], ..base }, "accumulated"),
    ];
    for (controller, field) in cases {
        let (mut world, mut physics) = weightless();
        let body = world.spawn(Body::dynamic(Collider::ball(0.5)).with(controller));
        physics.step(&mut world, 0.01).unwrap();
        let error = step_pose_controllers(&mut world, &physics, 0.01).unwrap_err();
        assert!(error.entity() == Some(body) && error.to_string().contains(field), "{error}");
    }
    let (mut world, mut physics) = weightless();
    world.spawn(Body::kinematic(Collider::ball(0.5)).with(base));
    physics.step(&mut world, 0.01).unwrap();
    let error = step_pose_controllers(&mut world, &physics, 0.01).unwrap_err();
    assert!(matches!(&error, StepError::Component { component: "PoseController", .. }), "{error}");
}
