//! Kinematic bodies: pushing, carrying, and no effect from teleports.

use crate::game::{DT, cube, position, run};
use dolmen::prelude::*;
use dolmen::resting::RestingMethod;
use hecs::{Entity, World};

#[test]
fn a_platform_that_starts_to_move_carries_the_stack_asleep_on_it() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let slab = world.spawn(Body::kinematic(Collider::cuboid(2.0, 0.5, 2.0)).at(0.0, -0.5, 0.0));
    let stack: Vec<Entity> = (0..4).map(|i| world.spawn(Body::dynamic(cube()).at(0.0, 0.5 + i as Real, 0.0))).collect();
    run(&mut world, &mut physics, 180);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 4);
    for velocity in [Vec3::new(0.3, 0.0, 0.0), Vec3::new(0.3, 0.5, 0.0), Vec3::new(0.0, -0.5, 0.2)] {
        world.get::<&mut LinearVelocity>(slab).unwrap().0 = velocity;
        run(&mut world, &mut physics, 120);
        let base = position(&world, slab);
        for (i, &e) in stack.iter().enumerate() {
            let at = position(&world, e) - base;
            assert!((at.y - (1.0 + i as Real)).abs() < 1e-2, "{velocity}, {i}: {at}");
            assert!(at.x.abs() < 0.2 && at.z.abs() < 0.2, "{velocity}, {i}: {at}");
        }
    }
}

/// Steps a world in which a kinematic body, or the surface of a fixed one, starts to drive bodies.
/// Fails if the guard against gains of energy acts; returns the velocities of the bodies at the end.
fn driven_for(steps: usize, prepare: impl FnOnce(&mut World, &mut Physics) -> Vec<Entity>) -> Vec<Vec3> {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let bodies = prepare(&mut world, &mut physics);
    for step in 0..steps {
        let counts = physics.step(&mut world, DT).unwrap().counts;
        assert_eq!(counts.energy_gains, 0, "step {step}: {:?}", physics.events());
    }
    bodies.iter().map(|&body| world.get::<&LinearVelocity>(body).unwrap().0).collect()
}

#[test]
fn a_lift_takes_its_load_along_at_once_at_any_speed() {
    for speed in [0.1, 0.5, 2.0, 5.0] {
        for (shape, half) in [
            (cube(), 0.5),
            (Collider::ball(0.5), 0.5),
            (Collider::cylinder(0.5, 0.4), 0.5),
            (Collider::cuboid(0.4, 0.05, 0.3), 0.05),
        ] {
            for count in 1..4 {
                // Balls stand beside each other.
                let round = half == 0.5 && shape.0.as_ball().is_some();
                let place = |k: usize| {
                    if round {
                        Vec3::new(k as Real * 1.1 - 1.0, half, 0.0)
                    } else {
                        Vec3::Y * half * (1 + 2 * k) as Real
                    }
                };
                let velocities = driven_for(1, |world, physics| {
                    let slab = Body::kinematic(Collider::cuboid(2.0, 0.5, 2.0)).at(0.0, -0.5, 0.0);
                    let slab = world.spawn(slab);
                    let load =
                        (0..count).map(|k| world.spawn(Body::dynamic(shape.clone()).position(place(k)))).collect();
                    run(world, physics, 120);
                    world.get::<&mut LinearVelocity>(slab).unwrap().0 = Vec3::Y * speed;
                    load
                });
                for velocity in velocities {
                    // Impacts one after another may leave it rocking.
                    let rocks = (velocity - Vec3::Y * speed).length();
                    assert!(rocks < 0.2 * speed + 0.02, "{half}, {count}: {velocity} for {speed}");
                }
            }
        }
    }
}

#[test]
fn a_ball_hit_by_a_bat_leaves_it_by_the_law_of_restitution() {
    for speed in [0.5, 2.0, 8.0, 30.0] {
        for restitution in [0.0, 0.4, 1.0] {
            let velocities = driven_for(60, |world, physics| {
                physics.settings.gravity = Vec3::ZERO;
                let bounces = Material { restitution, ..Material::default() };
                let bat = Body::kinematic(Collider::cuboid(0.1, 1.0, 1.0)).at(-0.6 - 0.1 * speed, 0.0, 0.0);
                world.spawn(bat.linear_velocity(Vec3::X * speed).with(bounces));
                vec![world.spawn(Body::dynamic(Collider::ball(0.2)).with(bounces))]
            });
            let left = velocities[0].x / ((1.0 + restitution) * speed);
            assert!((left - 1.0).abs() < 1e-3, "{speed} m/s, {restitution}: {}", velocities[0]);
        }
    }
}

#[test]
fn a_hammer_on_a_driven_arm_strikes_as_if_it_were_part_of_the_arm() {
    for speed in [0.5, 2.0, 8.0] {
        for restitution in [0.0, 0.5, 1.0] {
            let velocities = driven_for(60, |world, physics| {
                physics.settings.gravity = Vec3::ZERO;
                let bounces = Material { restitution, ..Material::default() };
                let start = Vec3::NEG_X * (0.5 + 0.1 * speed);
                let arm = Body::kinematic(Collider::cuboid(0.1, 0.5, 0.1)).position(start + Vec3::Y);
                let arm = world.spawn(arm.linear_velocity(Vec3::X * speed));
                let head = Body::dynamic(Collider::ball(0.2)).position(start).linear_velocity(Vec3::X * speed);
                let head = world.spawn(head.with(bounces));
                world.spawn((Joint::fixed(arm, head).anchors(Vec3::NEG_Y, Vec3::ZERO), JointState::default()));
                vec![head, world.spawn(Body::dynamic(Collider::ball(0.2)).with(bounces))]
            });
            let [head, ball] = [0, 1].map(|k| velocities[k].x / speed);
            assert!((ball / (1.0 + restitution) - 1.0).abs() < 0.01, "{speed} m/s, {restitution}: {velocities:?}");
            assert!((head - 1.0).abs() < 0.01, "{speed} m/s, {restitution}: {velocities:?}");
        }
    }
}

#[test]
fn what_a_paddle_or_a_belt_strikes_gets_its_energy_from_it() {
    for rate in [1.0, 5.0] {
        // A paddle that turns sweeps cubes away.
        let swept = driven_for(90, |world, _| {
            world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
            let paddle = Body::kinematic(Collider::cuboid(2.0, 0.3, 0.1)).at(0.0, 0.5, 0.0);
            world.spawn(paddle.angular_velocity(Vec3::Y * rate));
            [1.0, 1.6]
                .into_iter()
                .map(|x| world.spawn(Body::dynamic(Collider::cuboid(0.2, 0.2, 0.2)).at(x, 0.2, -0.8)))
                .collect()
        });
        assert!(swept.iter().any(|v| v.length() > 0.1 * rate), "{swept:?}");
        // Cubes that fall onto a belt are carried.
        let carried = driven_for(120, |world, _| {
            let belt = Body::fixed(Collider::cuboid(50.0, 0.5, 2.0)).at(0.0, -0.5, 0.0);
            world.spawn(belt.with(SurfaceVelocity(Vec3::X * rate)));
            [0.5, 1.0, 2.0].into_iter().map(|y| world.spawn(Body::dynamic(cube()).at(1.5 * y, y, 0.0))).collect()
        });
        for velocity in carried {
            assert!((velocity - Vec3::X * rate).length() < 0.02 * rate, "{velocity} on a belt of {rate}");
        }
    }
}

#[test]
fn a_turntable_carries_bodies_round() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let table = Body::kinematic(Collider::cylinder(0.5, 3.0)).at(0.0, -0.5, 0.0).angular_velocity(Vec3::Y);
    world.spawn(table.material(Material::new(1.0, 0.0)));
    let brick = Body::dynamic(Collider::cuboid(0.2, 0.2, 0.2)).at(1.0, 0.2, 0.0).material(Material::new(1.0, 0.0));
    // Starts with the table's velocity.
    let brick = world.spawn(brick.linear_velocity(Vec3::new(0.0, 0.0, -1.0)).angular_velocity(Vec3::Y));
    run(&mut world, &mut physics, 377);
    let at = position(&world, brick);
    assert!((at - Vec3::new(1.0, 0.2, 0.0)).length() < 1e-3, "once round: {at}");
}

/// Position of a body in the axes of another.
fn relative(world: &World, base: Entity, body: Entity) -> Vec3 {
    let turned = world.get::<&Orientation>(base).unwrap().0;
    turned.inverse() * (position(world, body) - position(world, base))
}

#[test]
fn bodies_on_a_turntable_do_not_slip_in_a_hundred_turns() {
    let speed: Real = 1.5;
    let (mut world, mut physics) = (World::new(), Physics::default());
    let table = Body::kinematic(Collider::cylinder(0.5, 3.0)).at(0.0, -0.5, 0.0).angular_velocity(Vec3::Y * speed);
    let table = world.spawn(table.material(Material::new(0.5, 0.0)));
    // Single bricks, and a stack of three, all with the table's velocity at the start.
    let places =
        [(1.0, 0.1, 0.0), (0.0, 0.1, 1.2), (-0.7, 0.1, -0.7), (-0.7, 0.3, -0.7), (-0.7, 0.5, -0.7), (0.0, 0.1, 0.0)];
    let bricks = places.map(|(x, y, z)| {
        let at = Vec3::new(x, y, z);
        let brick = Body::dynamic(Collider::cuboid(0.2, 0.1, 0.2)).position(at).material(Material::new(0.5, 0.0));
        world.spawn(brick.linear_velocity((Vec3::Y * speed).cross(at)).angular_velocity(Vec3::Y * speed))
    });
    run(&mut world, &mut physics, 60);
    let start = bricks.map(|brick| relative(&world, table, brick));
    run(&mut world, &mut physics, (100.0 * std::f64::consts::TAU / f64::from(speed * DT)) as usize);
    let slips = [0, 1, 2, 3, 4, 5].map(|i| (relative(&world, table, bricks[i]) - start[i]).length());
    println!("slip on a turntable in 100 turns (m): {slips:?}");
    assert!(slips.iter().all(|slip| *slip < 1e-3), "{slips:?}");
}

/// Largest slip (m) of rings of bricks, three high, that turn with a table at `speed` (rad/s) for
/// so many turns.
fn slips_on_a_turntable(speed: Real, turns: usize) -> Vec<Real> {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.resting_method = RestingMethod::Iterative;
    let material = Material::new(0.7, 0.0);
    let table = Body::kinematic(Collider::cylinder(0.5, 3.0)).at(0.0, -0.5, 0.0).angular_velocity(Vec3::Y * speed);
    let table = world.spawn(table.material(material));
    let mut bricks = Vec::new();
    for (ring, count) in [(0.8, 8), (1.3, 16), (1.9, 26)] {
        for i in 0..3 * count {
            let (storey, at) = (i / count, i % count);
            let turn = Quat::from_rotation_y(std::f64::consts::TAU as Real * at as Real / count as Real);
            let at = turn * Vec3::new(ring, 0.1 + 0.2 * storey as Real, 0.0);
            let brick =
                Body::dynamic(Collider::cuboid(0.15, 0.1, 0.15)).position(at).orientation(turn).material(material);
            bricks.push(
                world.spawn(brick.linear_velocity((Vec3::Y * speed).cross(at)).angular_velocity(Vec3::Y * speed)),
            );
        }
    }
    run(&mut world, &mut physics, 60);
    let places = |world: &World| bricks.iter().map(|&brick| relative(world, table, brick)).collect::<Vec<_>>();
    let start = places(&world);
    run(&mut world, &mut physics, (turns as f64 * std::f64::consts::TAU / f64::from(speed * DT)) as usize);
    places(&world).iter().zip(&start).map(|(end, start)| (*end - *start).length()).collect()
}

#[test]
fn stacks_on_a_turntable_solved_with_soft_contacts_do_not_slip_while_friction_could_hold_them() {
    let (turns, reach, circle): (usize, Real, Real) = (4, 1.9, std::f64::consts::TAU as Real);
    for speed in [0.1, 0.3, 0.7, 1.5] {
        let slips = slips_on_a_turntable(speed, turns);
        let most = slips.iter().copied().fold(0.0, Real::max);
        println!("most slip of {} bricks in {turns} turns at {speed} rad/s (m): {most}", slips.len());
        assert!(most < 2e-4 * reach * circle * turns as Real, "{speed}: {most}");
    }
    // At 2.4 rad/s friction of 0.7 cannot hold the outermost ring: 1.1 g.
    let most = slips_on_a_turntable(2.4, 1).into_iter().fold(0.0, Real::max);
    assert!(most > 0.1, "{most}");
}

#[test]
fn bodies_on_a_platform_do_not_slip_while_friction_could_hold_them() {
    // Up to 0.4 g along a circle, with friction of 0.5; by velocities, and by targets.
    let (most, rate): (Real, Real) = (0.4 * 9.81, 2.0);
    for (by_target, law) in [
        (false, RestingMethod::Auto),
        (true, RestingMethod::Auto),
        (false, RestingMethod::Iterative),
        (true, RestingMethod::Iterative),
    ] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        physics.settings.resting_method = law;
        let slab = Body::kinematic(Collider::cuboid(2.0, 0.5, 2.0)).at(0.0, -0.5, 0.0);
        let slab = world.spawn(slab.material(Material::new(0.5, 0.0)));
        let stack = [0.1, 0.3, 0.5].map(|y| {
            let brick = Body::dynamic(Collider::cuboid(0.3, 0.1, 0.3)).at(0.2, y, -0.1);
            world.spawn(brick.material(Material::new(0.5, 0.0)))
        });
        run(&mut world, &mut physics, 30);
        let start = stack.map(|brick| relative(&world, slab, brick));
        for step in 0..1200 {
            let t = step as Real * DT;
            // The acceleration starts and ends smoothly.
            let size = most / (rate * rate) * (0.5 - 0.5 * (0.1 * std::f64::consts::PI as Real * t).cos());
            let place = |t: Real| Vec3::new((rate * t).sin(), 0.0, (rate * t).cos() - 1.0);
            let speed = Vec3::new((rate * t).cos(), 0.0, -(rate * t).sin()) * (rate * size);
            if by_target {
                let target = KinematicTarget::at(place(t) * size - Vec3::Y * 0.5);
                world.insert_one(slab, target).unwrap();
            } else {
                world.get::<&mut LinearVelocity>(slab).unwrap().0 = speed * 0.8;
            }
            physics.step(&mut world, DT).unwrap();
        }
        let slips = [0, 1, 2].map(|i| (relative(&world, slab, stack[i]) - start[i]).length());
        println!("slip on a platform, {law:?}, by target: {by_target} (m): {slips:?}");
        // Contact springs transmit friction to the upper levels one after the other, while the
        // platform accelerates in jumps.
        let bar = if law == RestingMethod::Iterative { 1e-2 } else { 1e-3 };
        assert!(slips.iter().all(|slip| *slip < bar), "{slips:?}");
    }
}

#[test]
fn a_lift_that_speeds_up_and_slows_down_carries_a_stack_without_slip() {
    // Up and down with up to 0.4 g.
    let (most, rate): (Real, Real) = (0.4 * 9.81, 3.0);
    for law in [RestingMethod::Auto, RestingMethod::Iterative] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        physics.settings.resting_method = law;
        let slab = world.spawn(Body::kinematic(Collider::cuboid(2.0, 0.5, 2.0)).at(0.0, -0.5, 0.0));
        let stack =
            [0.2, 0.6, 1.0].map(|y| world.spawn(Body::dynamic(Collider::cuboid(0.2, 0.2, 0.2)).at(0.1 * y, y, 0.05)));
        run(&mut world, &mut physics, 30);
        let start = stack.map(|brick| relative(&world, slab, brick));
        let mut worst: Real = 0.0;
        for step in 0..600 {
            let up = most / rate * (rate * step as Real * DT).sin();
            world.get::<&mut LinearVelocity>(slab).unwrap().0 = Vec3::Y * up;
            physics.step(&mut world, DT).unwrap();
            let slips = [0, 1, 2].map(|i| (relative(&world, slab, stack[i]) - start[i]).length());
            worst = slips.into_iter().fold(worst, Real::max);
        }
        println!("most slip on a lift, {law:?} (m): {worst}");
        // Contact springs yield by some millimetres, in proportion to the apparent weight.
        assert!(worst < if law == RestingMethod::Iterative { 1e-2 } else { 1e-3 }, "{law:?}: {worst}");
    }
}

#[test]
fn a_kinematic_wall_pushes_and_nothing_pushes_it() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let bricks: Vec<Entity> =
        (0..3).map(|i| world.spawn(Body::dynamic(cube()).at(1.2 + 1.1 * i as Real, 0.5, 0.0))).collect();
    let wall = world.spawn(Body::kinematic(Collider::cuboid(0.1, 1.0, 2.0)).at(0.0, 1.0, 0.0));
    run(&mut world, &mut physics, 120);
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 3);
    world.get::<&mut LinearVelocity>(wall).unwrap().0 = Vec3::X;
    run(&mut world, &mut physics, 180);
    assert!((position(&world, wall).x - 3.0).abs() < 1e-4);
    for (i, &e) in bricks.iter().enumerate() {
        let x = position(&world, e).x;
        assert!(x > 3.58 + i as Real && x < 4.0 + i as Real * 1.3, "{i}: {x}");
    }
}

#[test]
fn a_rising_half_space_lifts_bodies() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let ground = world.spawn(Body::kinematic(Collider::half_space(Vec3::Y)));
    let bricks: Vec<Entity> =
        (0..20).map(|i| world.spawn(Body::dynamic(cube()).at(2.0 * i as Real, 0.5, 0.0))).collect();
    run(&mut world, &mut physics, 120);
    world.get::<&mut LinearVelocity>(ground).unwrap().0 = Vec3::Y;
    run(&mut world, &mut physics, 60);
    for &e in &bricks {
        assert!((position(&world, e).y - 1.5).abs() < 2e-2, "{}", position(&world, e));
    }
}

#[test]
fn a_kinematic_body_moved_by_its_position_pushes_bodies() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let brick = world.spawn(Body::dynamic(cube()).at(1.2, 0.5, 0.0));
    let wall = world.spawn(Body::kinematic(Collider::cuboid(0.1, 1.0, 2.0)).at(0.0, 1.0, 0.0));
    run(&mut world, &mut physics, 120);
    for _ in 0..120 {
        world.get::<&mut Position>(wall).unwrap().0.x += 0.01;
        physics.step(&mut world, DT).unwrap();
    }
    assert!(position(&world, brick).x > 1.75, "{}", position(&world, brick));
}

#[test]
fn a_body_that_may_only_slide_along_x_is_pushed_along_x_alone() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.settings.gravity = Vec3::ZERO;
    let rail = LockedAxes::TRANSLATION_Y | LockedAxes::TRANSLATION_Z | LockedAxes::ROTATION;
    let cart = world.spawn(Body::dynamic(cube()).at(1.2, 0.0, 0.0).locked(rail));
    let wedge = Body::kinematic(Collider::cuboid(0.5, 2.0, 2.0)).orientation(Quat::from_rotation_z(0.4));
    world.spawn(wedge.at(-0.3, 0.0, 0.0).linear_velocity(Vec3::new(0.5, 0.0, 0.0)));
    run(&mut world, &mut physics, 120);
    let at = position(&world, cart);
    assert!(at.x > 1.4 && at.y == 0.0 && at.z == 0.0, "{at}");
    assert_eq!(world.get::<&Orientation>(cart).unwrap().0, Quat::IDENTITY);
}

#[test]
fn a_turntable_that_turns_too_fast_loses_its_bodies() {
    // Friction of 0.5 holds up to w² r = 0.5 g: w = 2.2 rad/s at 1 m.
    for (w, stays) in [(1.5, true), (2.6, false)] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let table = Body::kinematic(Collider::cylinder(0.5, 3.0)).at(0.0, -0.5, 0.0).angular_velocity(Vec3::Y * w);
        world.spawn(table);
        let brick = Body::dynamic(Collider::cuboid(0.2, 0.05, 0.2)).at(1.0, 0.05, 0.0);
        let brick = world.spawn(brick.linear_velocity(Vec3::NEG_Z * w).angular_velocity(Vec3::Y * w));
        run(&mut world, &mut physics, 120);
        let at = position(&world, brick);
        assert_eq!(at.x.hypot(at.z) < 1.05, stays, "{w} rad/s: {at}");
    }
}

#[test]
fn a_platform_that_follows_its_targets_is_there_and_carries_a_stack_round_and_up() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let slab = world.spawn(Body::kinematic(Collider::cuboid(2.0, 0.5, 2.0)).at(0.0, -0.5, 0.0));
    let place = Vec3::new(0.8, 0.0, 0.4);
    let boxes: Vec<Entity> = (0..3)
        .map(|i| {
            world.spawn(Body::dynamic(Collider::cuboid(0.25, 0.25, 0.25)).at(place.x, 0.25 + 0.5 * i as Real, place.z))
        })
        .collect();
    run(&mut world, &mut physics, 30);
    let steps = 360;
    let pose_at = |step: usize| {
        let t = step as Real * DT;
        // The motion starts and ends smoothly.
        let s = 0.5 - 0.5 * (std::f64::consts::PI as Real * t / 6.0).cos();
        (Vec3::new(2.0 * s, -0.5 + 1.5 * s, -s), Quat::from_rotation_y(2.5 * s))
    };
    for step in 1..=steps {
        let (at, turn) = pose_at(step);
        world.insert_one(slab, KinematicTarget::pose(at, turn)).unwrap();
        physics.step(&mut world, DT).unwrap();
        assert!((position(&world, slab) - at).length() < 1e-5);
        assert!(world.get::<&Orientation>(slab).unwrap().0.dot(turn).abs() > 1.0 - 1e-5);
    }
    let (at, turn) = pose_at(steps);
    for (i, &e) in boxes.iter().enumerate() {
        let own = turn.inverse() * (position(&world, e) - at);
        let start = place + Vec3::Y * (0.75 + 0.5 * i as Real);
        assert!((own - start).length() < 1e-2, "{i}: {own} for {start}");
    }
    // Its target does not move.
    physics.step(&mut world, DT).unwrap();
    physics.step(&mut world, DT).unwrap();
    assert_eq!(world.get::<&LinearVelocity>(slab).unwrap().0, Vec3::ZERO);
}

#[test]
fn a_target_that_is_no_place_is_refused_by_name() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let lift = world.spawn(Body::kinematic(cube()));
    world.insert_one(lift, KinematicTarget::at(Vec3::new(Real::NAN, 0.0, 0.0))).unwrap();
    let error = physics.step(&mut world, DT).unwrap_err().to_string();
    assert!(error.contains("KinematicTarget") && error.contains("NaN"), "{error}");
    assert_eq!(world.get::<&LinearVelocity>(lift).unwrap().0, Vec3::ZERO);
}
