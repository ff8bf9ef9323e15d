//! The substepping solver against closed forms and invariants, in a small world of its own.

use crate::support::{Rigid, Touch, World, friction, scenes};
use dolmen::math::{Quat, Real, Vec3};
use dolmen::solver::Surface;

const G: Real = 9.81;

/// Largest sideways displacement of a body, and sink of the last one (m).
fn drift_and_sink(world: &World, start: &World) -> (Real, Real) {
    let sideways = |(now, then): (&Rigid, &Rigid)| (now.position - then.position).with_y(0.0).length();
    let drift = world.bodies.iter().zip(&start.bodies).map(sideways).fold(0.0, Real::max);
    let (now, then) = (world.bodies.last().unwrap(), start.bodies.last().unwrap());
    (drift, then.position.y - now.position.y)
}

/// Normal impulses of a pair in the last step (N s).
fn load(world: &World, pair: usize) -> Real {
    world.pool[pair].points().iter().map(|p| p.normal_impulse).sum()
}

#[test]
fn a_box_on_the_ground_rests_and_its_contact_carries_its_weight() {
    let mut world = scenes::tower(1);
    world.run(120);
    let body = &world.bodies[1];
    assert!(body.velocity.length() < 1e-5 && body.spin.length() < 1e-5);
    let weight = 1000.0 * G / 60.0;
    assert!((load(&world, 0) - weight).abs() < 1e-3 * weight);
    assert!(world.pool[0].friction_impulse.length() < 1e-4 * weight);
    assert!(world.residual() < 1e-3 * G);
}

#[test]
fn every_contact_of_a_tower_carries_what_stands_on_it() {
    let mut world = scenes::tower(10);
    world.keep = true;
    world.run(400);
    for pair in 0..10 {
        let weight = 1000.0 * G / 60.0 * (10 - pair) as Real;
        assert!((load(&world, pair) - weight).abs() < 2e-3 * weight, "{pair}: {} {weight}", load(&world, pair));
    }
}

#[test]
fn a_tower_of_20_stands_for_20_seconds_and_sinks_less_than_a_centimetre() {
    let start = scenes::tower(20);
    let mut world = start.clone();
    world.keep = true;
    world.run(1200);
    let (drift, sink) = drift_and_sink(&world, &start);
    assert!(drift < 1e-3 && sink < 0.010, "drift {drift}, sink {sink}");
    assert_eq!(world.solver.islands()[0].planned, 8);
    assert!(world.residual() < 1e-3 * G, "{}", world.residual());
}

#[test]
fn a_tower_of_40_gets_more_substeps_and_stands_for_a_minute() {
    let start = scenes::tower(40);
    let mut world = start.clone();
    world.keep = true;
    world.run(3600);
    let (drift, sink) = drift_and_sink(&world, &start);
    assert!(world.solver.islands()[0].planned > 8);
    assert!(drift < 1e-3 && sink < 0.020, "drift {drift}, sink {sink}");
}

#[test]
fn towers_of_60_and_100_stand_too() {
    for height in [60, 100] {
        let start = scenes::tower(height);
        let mut world = start.clone();
        world.keep = true;
        world.run(600);
        let (drift, sink) = drift_and_sink(&world, &start);
        assert!(drift < 1e-3 && sink < 0.010, "{height}: drift {drift}, sink {sink}");
    }
}

#[test]
fn a_pyramid_of_20_rows_stands_and_comes_to_rest() {
    // Sink goes with the inverse square of the substeps. Rapier and Box3D sink 29 mm here.
    for (substeps, most) in [(8, 0.0037), (9, 0.0030)] {
        let start = scenes::pyramid(20);
        let mut world = start.clone();
        world.keep = true;
        world.parameters.stop = 0.0;
        world.parameters.substeps = Some(substeps);
        world.run(1200);
        let (drift, sink) = drift_and_sink(&world, &start);
        assert!(drift < 5e-3 && sink < most, "{substeps}: drift {drift}, sink {sink}");
        assert!(world.residual() < 1e-3 * G, "{}", world.residual());
    }
}

#[test]
fn a_large_pyramid_is_divided_into_subdomains_and_stands() {
    let start = scenes::pyramid(40);
    let mut world = start.clone();
    world.keep = true;
    world.run(600);
    let (drift, sink) = drift_and_sink(&world, &start);
    assert!(drift < 0.02 && sink < 0.015, "drift {drift}, sink {sink}");
    assert_eq!(world.solver.islands().len(), 1);
}

#[test]
fn what_shakes_at_one_end_of_a_pyramid_does_not_move_the_other_and_the_ground_carries_all() {
    let mut world = scenes::pyramid(40);
    world.keep = true;
    // As with sleep disabled: converged subdomains are skipped.
    world.parameters.stop = 6e-4;
    world.run(300);
    let start = world.clone();
    let grounded: Vec<usize> = (0..world.pairs.len()).filter(|&pair| world.pairs[pair].a == 0).collect();
    let weight = 1000.0 * G / 60.0 * (world.bodies.len() - 1) as Real;
    for step in 0..120 {
        let kick = if step % 2 == 0 { 0.05 } else { -0.05 };
        world.bodies[1].velocity.z += kick;
        world.run(1);
        assert_eq!(
            world.solver.islands()[0].substeps,
            world.solver.islands()[0].planned,
            "step {step}: all substeps are run"
        );
        let carried: Real = grounded.iter().map(|&pair| load(&world, pair)).sum();
        assert!((carried - weight).abs() < 5e-3 * weight, "step {step}: {carried} for {weight}");
    }
    for (now, then) in world.bodies.iter().zip(&start.bodies).filter(|(_, then)| then.position.x > 10.0) {
        let moved = (now.position - then.position).length();
        assert!(moved < 1e-3, "{moved} at {}", then.position);
    }
}

#[test]
fn a_beam_across_all_subdomains_lies_still() {
    let start = scenes::beam(800);
    let mut world = start.clone();
    world.run(120);
    let sunk = start.bodies[1].position - world.bodies[1].position;
    assert!(sunk.length() < 1e-3, "{sunk}");
    let weight = 9.81 / 60.0 * 880_000.0;
    let carried: Real = (0..800).map(|k| load(&world, 2 * k + 1)).sum();
    assert!((carried - weight).abs() < 2e-3 * weight, "{carried} {weight}");
}

#[test]
fn a_wall_stands_and_stays_quiet() {
    let start = scenes::wall(20);
    let mut world = start.clone();
    world.keep = true;
    world.run(600);
    let (drift, _) = drift_and_sink(&world, &start);
    assert!(drift < 2e-3, "drift {drift}");
    assert!(world.residual() < 1e-2 * G, "{}", world.residual());
}

#[test]
fn a_box_below_the_angle_of_friction_does_not_creep() {
    // Accuracy problem A9: 30 degrees, mu 0.6.
    let mut world = scenes::slope((30.0 as Real).to_radians(), friction(0.6), scenes::HALF, Vec3::ZERO);
    world.run(60);
    let settled = world.bodies[1].position;
    world.run(1200);
    let crept = (world.bodies[1].position - settled).length();
    assert!(crept < 1e-5, "{crept}");
}

#[test]
fn a_box_above_the_angle_of_friction_accelerates_as_newton_says() {
    let angle = (35.0 as Real).to_radians();
    let mut world = scenes::slope(angle, friction(0.5), Vec3::new(0.5, 0.1, 0.5), Vec3::ZERO);
    world.run(60);
    let (v0, x0) = (world.bodies[1].velocity.x, world.bodies[1].position.x);
    world.run(120);
    let a = G * (angle.sin() - 0.5 * angle.cos());
    let (v, x) = (world.bodies[1].velocity.x - v0, world.bodies[1].position.x - x0);
    assert!((v - a * 2.0).abs() < 1e-3 * a * 2.0, "{v} {}", a * 2.0);
    // Substeps advance a body at the velocity of their end: half a substep ahead.
    let expected = v0 * 2.0 + 0.5 * a * 4.0;
    assert!((x - expected).abs() < 1e-3 * expected, "{x} {expected}");
}

#[test]
fn a_sliding_box_stops_where_coulomb_says() {
    let surface = Surface { static_friction: 0.7, dynamic_friction: 0.5, rolling_friction: 0.0 };
    let mut world = scenes::slope(0.0, surface, Vec3::new(0.5, 0.1, 0.5), Vec3::new(3.0, 0.0, 0.0));
    world.run(120);
    let expected = 9.0 / (2.0 * 0.5 * G);
    let x = world.bodies[1].position.x;
    assert!((x - expected).abs() < 1e-2 * expected, "{x} {expected}");
    assert!(world.bodies[1].velocity.length() < 1e-4);
}

#[test]
fn static_friction_holds_what_rests_and_dynamic_friction_what_slides() {
    // tan 25 degrees = 0.466 lies between the two coefficients.
    let angle = (25.0 as Real).to_radians();
    let surface = Surface { static_friction: 0.5, dynamic_friction: 0.3, rolling_friction: 0.0 };
    let half = Vec3::new(0.5, 0.1, 0.5);
    let mut still = scenes::slope(angle, surface, half, Vec3::ZERO);
    still.run(300);
    assert!(still.bodies[1].velocity.length() < 1e-4 && still.bodies[1].position.x.abs() < 1e-3);
    let mut pushed = scenes::slope(angle, surface, half, Vec3::new(0.5, 0.0, 0.0));
    pushed.run(120);
    let v = 0.5 + G * (angle.sin() - 0.3 * angle.cos()) * 2.0;
    assert!((pushed.bodies[1].velocity.x - v).abs() < 5e-3 * v, "{} {v}", pushed.bodies[1].velocity.x);
}

#[test]
fn friction_opposes_slip_whatever_the_shape_of_the_box() {
    // A long bar pushed askew: any other friction cone or metric would bend its path or turn it.
    let push = Vec3::new(2.0, 0.0, 3.0);
    let mut world = scenes::slope(0.0, friction(0.4), Vec3::new(1.5, 0.05, 0.2), push);
    world.run(30);
    let body = &world.bodies[1];
    let v = body.velocity;
    let expected = push.length() - 0.4 * G * 0.5;
    assert!((v.with_y(0.0).length() - expected).abs() < 5e-3 * expected, "{v}");
    assert!((v.x / v.z - 2.0 / 3.0).abs() < 2e-3, "{v}");
    assert!(body.spin.length() < 1e-2, "{}", body.spin);
}

#[test]
fn a_spinning_box_is_slowed_by_its_four_corners() {
    let half = Vec3::new(0.5, 0.1, 0.5);
    let mut world = scenes::slope(0.0, friction(0.3), half, Vec3::ZERO);
    world.bodies[1].spin = Vec3::new(0.0, 10.0, 0.0);
    world.run(30);
    // Each corner carries a quarter of the weight at r = 1/sqrt 2; I = m (1 + 1) / 12.
    let slowing = 0.3 * G * (0.5 as Real).sqrt() * 6.0;
    let expected = 10.0 - slowing * 0.5;
    let spin = world.bodies[1].spin;
    assert!((spin.y - expected).abs() < 1e-2 * expected, "{spin} {expected}");
    assert!(world.bodies[1].velocity.length() < 1e-2);
    world.run(120);
    assert!(world.bodies[1].spin.length() < 1e-4);
}

#[test]
fn point_friction_slows_the_spin_of_a_ball_evenly_and_slow_spins_in_proportion() {
    // Radius over that of the body, and time constant (s) of friction about the normal at one
    // point.
    const RADIUS: Real = 1e-3;
    const TIME: Real = 0.05;
    let mut world = scenes::ball(friction(0.5));
    world.bodies[1].spin = Vec3::new(0.0, 10.0, 0.0);
    world.run(120);
    // m 2/5 R^2 a = -mu N (RADIUS R).
    let slowing = 0.5 * G * RADIUS / (0.4 * 0.5);
    let lost = 10.0 - world.bodies[1].spin.y;
    assert!((lost - 2.0 * slowing).abs() < 0.02 * lost, "{lost} {slowing}");
    let slow = 0.8 * slowing * TIME;
    world.bodies[1].spin = Vec3::new(0.0, slow, 0.0);
    // Two steps: slower spins are below what substeps resolve.
    world.run(2);
    let left = world.bodies[1].spin.y / slow;
    let expected = (-2.0 / 60.0 / TIME).exp();
    assert!((left - expected).abs() < 0.03 * expected, "{left} {expected}");
}

#[test]
fn a_sliding_ball_rolls_at_five_sevenths() {
    let mut world = scenes::ball(friction(0.2));
    world.bodies[1].velocity = Vec3::new(3.0, 0.0, 4.0);
    // Slipping ends after 2 v / (7 mu g).
    let slipping = 2.0 * 5.0 / (7.0 * 0.2 * G);
    world.run((slipping * 60.0) as usize + 6);
    let (v, w) = (world.bodies[1].velocity, world.bodies[1].spin);
    assert!((v - Vec3::new(3.0, 0.0, 4.0) * (5.0 / 7.0)).length() < 2e-3 * 5.0, "{v}");
    assert!((v + Vec3::new(0.0, 0.5, 0.0).cross(w)).length() < 1e-3, "{v} {w}");
    let rolling = world.bodies[1].velocity;
    world.run(300);
    assert!((world.bodies[1].velocity - rolling).length() < 1e-4, "rolling takes no work");
}

#[test]
fn rolling_friction_slows_a_ball_evenly_to_a_stop() {
    let (mu, arm) = (0.5, 0.02);
    let mut world = scenes::ball(Surface { static_friction: mu, dynamic_friction: mu, rolling_friction: arm });
    world.bodies[1].velocity = Vec3::new(1.0, 0.0, 0.0);
    world.bodies[1].spin = Vec3::new(0.0, 0.0, -2.0);
    world.run(60);
    // m (1 + 2/5) a = -arm N / R.
    let expected = 1.0 - 5.0 / 7.0 * arm * G / 0.5;
    let v = world.bodies[1].velocity;
    assert!((v.x - expected).abs() < 5e-3, "{v} {expected}");
    world.run(240);
    assert!(world.bodies[1].velocity.length() < 1e-5 && world.bodies[1].spin.length() < 1e-5);
}

#[test]
fn free_bodies_that_collide_keep_momentum_and_angular_momentum() {
    let mut world = World::new();
    world.gravity = Vec3::ZERO;
    let a = world.add(Rigid::ball(0.5, 2.0, Vec3::new(-1.0, 0.1, 0.2)));
    let b = world.add(Rigid::ball(0.5, 3.0, Vec3::new(1.0, -0.2, 0.0)));
    world.bodies[a].velocity = Vec3::new(3.0, 0.5, 0.0);
    world.bodies[b].velocity = Vec3::new(-2.0, 0.0, 0.3);
    world.bodies[a].spin = Vec3::new(1.0, 5.0, -2.0);
    world.pair(a, b, Touch::Balls { radii: [0.5; 2] }, friction(0.4));
    let sums = |world: &World| {
        let bodies = &world.bodies[1..];
        let linear: Vec3 = bodies.iter().map(Rigid::momentum).sum();
        let angular: Vec3 = bodies.iter().map(Rigid::angular_momentum).sum();
        (linear, angular, bodies.iter().map(Rigid::kinetic_energy).sum::<Real>())
    };
    let (linear, angular, energy) = sums(&world);
    world.run(30);
    let (linear_after, angular_after, energy_after) = sums(&world);
    assert!(world.bodies[a].velocity != Vec3::new(3.0, 0.5, 0.0), "they met");
    assert!((linear - linear_after).length() < 1e-5 * linear.length(), "{linear} {linear_after}");
    // Lever arms are those of the step's start, while the bodies move on within it.
    assert!((angular - angular_after).length() < 2e-2 * angular.length(), "{angular} {angular_after}");
    assert!(energy_after < energy);
}

#[test]
fn a_head_on_collision_is_plastic() {
    let mut world = World::new();
    world.gravity = Vec3::ZERO;
    let a = world.add(Rigid::ball(0.5, 1.0, Vec3::new(-1.0, 0.0, 0.0)));
    let b = world.add(Rigid::ball(0.5, 3.0, Vec3::new(1.0, 0.0, 0.0)));
    world.bodies[a].velocity = Vec3::new(4.0, 0.0, 0.0);
    world.pair(a, b, Touch::Balls { radii: [0.5; 2] }, friction(0.0));
    world.run(40);
    for body in [a, b] {
        let v = world.bodies[body].velocity;
        assert!((v - Vec3::X).length() < 1e-4, "{v}");
    }
    let gap = world.bodies[b].position.x - world.bodies[a].position.x - 1.0;
    assert!(gap.abs() < 1e-3, "the gap is closed and no more: {gap}");
}

#[test]
fn a_heavy_box_on_ten_light_ones_stands() {
    for (ratio, sink_most) in [(10.0, 0.008), (100.0, 0.060)] {
        let mut masses = vec![1000.0; 10];
        masses.push(1000.0 * ratio);
        let mut start = World::new();
        scenes::tower_at(&mut start, 0.0, &masses);
        let mut world = start.clone();
        world.keep = true;
        world.run(600);
        let (drift, sink) = drift_and_sink(&world, &start);
        assert!(drift < 0.02 && sink < sink_most, "{ratio}: drift {drift}, sink {sink}");
    }
}

#[test]
fn heavy_and_light_boxes_in_turn_stand() {
    for (ratio, pairs, drift_most, sink_most) in [
        (10.0, 5, 0.001, 0.010),
        (100.0, 1, 0.001, 0.010),
        (100.0, 5, 0.010, 0.040),
        (200.0, 5, 0.030, 0.040),
        (400.0, 3, 0.060, 0.040),
        (1000.0, 1, 0.010, 0.010),
    ] {
        let mut start = World::new();
        scenes::tower_at(&mut start, 0.0, &[1.0, ratio].repeat(pairs));
        let mut world = start.clone();
        world.keep = true;
        world.run(600);
        let (drift, sink) = drift_and_sink(&world, &start);
        println!("{pairs} of {ratio} : 1: drift {drift:.4}, sink {sink:.4} m");
        assert!(drift < drift_most && sink < sink_most, "{pairs} of {ratio} : 1: drift {drift}, sink {sink}");
        // The scaled masses have the weight of the true ones.
        let weight = (1.0 + ratio) * pairs as Real * G / 60.0;
        assert!((load(&world, 0) - weight).abs() < 1e-3 * weight, "{} {weight}", load(&world, 0));
    }
}

#[test]
fn a_light_box_between_heavy_ones_in_flight_keeps_its_momentum() {
    let mut world = World::new();
    world.gravity = Vec3::ZERO;
    let masses = [1000.0, 1.0, 1000.0];
    let bodies = [0, 1, 2].map(|k| world.add(Rigid::cuboid(scenes::HALF, masses[k], Vec3::Y * (k as Real + 0.5))));
    for k in [0, 1] {
        world.stack(bodies[k], bodies[k + 1], [-0.5; 2], [0.5; 2], (k + 1) as Real, friction(0.6));
    }
    world.bodies[bodies[2]].velocity = Vec3::new(0.0, -5.0, 0.0);
    let momentum = |world: &World| world.bodies[1..].iter().map(Rigid::momentum).sum::<Vec3>();
    let before = momentum(&world);
    world.run(60);
    let after = momentum(&world);
    assert!((after - before).length() < 1e-4 * before.length(), "{before} {after}");
    assert!(world.pool.iter().all(|m| m.mass_scaling == 0));
}

/// A box on a kinematic slab that moves at `velocity`.
fn carried(velocity: Vec3) -> World {
    let mut world = World::new();
    let slab = world.add(Rigid::cuboid(Vec3::new(50.0, 0.5, 50.0), 0.0, Vec3::new(0.0, -0.5, 0.0)));
    world.bodies[slab].velocity = velocity;
    let me = world.add(Rigid::cuboid(Vec3::new(0.5, 0.1, 0.5), 10.0, Vec3::new(0.0, 0.1, 0.0)));
    world.stack(slab, me, [-0.5, -0.5], [0.5, 0.5], 0.0, friction(0.3));
    world
}

#[test]
fn a_conveyor_drags_a_box_up_to_its_speed() {
    let mut world = carried(Vec3::new(2.0, 0.0, 0.0));
    world.run(30);
    let (slab, v) = (world.bodies[1].velocity, world.bodies[2].velocity);
    assert_eq!(slab, Vec3::new(2.0, 0.0, 0.0), "nothing changes a kinematic body");
    assert!((v.x - 0.3 * G * 0.5).abs() < 1e-2, "{v}");
    world.run(120);
    assert!((world.bodies[2].velocity - slab).length() < 1e-4);
}

#[test]
fn a_lift_carries_a_box_up_and_down() {
    for speed in [1.0, -1.0] {
        let mut world = carried(Vec3::new(0.0, speed, 0.0));
        world.bodies[2].velocity = Vec3::new(0.0, speed, 0.0);
        world.run(120);
        let height = world.bodies[2].position.y - world.bodies[1].position.y;
        assert!((height - 0.6).abs() < 1e-3, "{height}");
        assert!((world.bodies[2].velocity.y - speed).abs() < 1e-4);
    }
}

#[test]
fn a_turntable_carries_a_box_round() {
    let mut world = carried(Vec3::ZERO);
    world.bodies[1].spin = Vec3::new(0.0, 1.0, 0.0);
    world.bodies[2].position.x = 1.0;
    world.bodies[2].velocity = Vec3::new(0.0, 0.0, -1.0);
    world.bodies[2].spin = Vec3::new(0.0, 1.0, 0.0);
    world.run(60);
    let body = &world.bodies[2];
    // Friction supplies the centripetal force: 1 m/s² of the 2.9 that it could.
    assert!((body.position.with_y(0.0).length() - 1.0).abs() < 0.02, "{}", body.position);
    assert!((body.spin.y - 1.0).abs() < 1e-2, "{}", body.spin);
    let turned = (-body.position.z).atan2(body.position.x);
    assert!((turned - 1.0).abs() < 0.02, "{turned}");
}

#[test]
fn a_gap_that_would_close_within_the_step_closes_exactly() {
    let mut world = scenes::tower(1);
    world.bodies[1].position.y += 0.03;
    world.bodies[1].velocity.y = -3.0;
    world.run(3);
    let height = world.bodies[1].position.y;
    assert!((height - 0.5).abs() < 1e-3, "{height}");
    assert!(world.bodies[1].velocity.length() < 2e-3, "no bounce: {}", world.bodies[1].velocity);
}

#[test]
fn a_gap_that_stays_open_does_not_slow_a_fall() {
    let mut world = scenes::tower(1);
    world.bodies[1].position.y += 0.019;
    world.step();
    assert_eq!(world.contacts.len(), 1);
    assert!((world.bodies[1].velocity.y + G / 60.0).abs() < 1e-5);
}

#[test]
fn a_box_that_starts_in_the_ground_comes_out_and_stays_on_it() {
    let mut world = scenes::tower(1);
    world.bodies[1].position.y -= 0.3;
    let mut fastest: Real = 0.0;
    for _ in 0..120 {
        world.step();
        fastest = fastest.max(world.bodies[1].velocity.y);
    }
    assert!(fastest < 1.5, "relaxation takes most of the push-out velocity away: {fastest}");
    assert!((world.bodies[1].position.y - 0.5).abs() < 1e-3);
    assert!(world.bodies[1].velocity.length() < 1e-3);
}

#[test]
fn a_body_that_touches_nothing_falls_exactly() {
    let mut world = World::new();
    let me = world.add(Rigid::ball(0.5, 1.0, Vec3::ZERO));
    world.bodies[me].velocity = Vec3::new(1.0, 4.0, 0.0);
    world.bodies[me].spin = Vec3::Y;
    world.run(60);
    let body = &world.bodies[me];
    assert!((body.position - Vec3::new(1.0, 4.0 - 0.5 * G, 0.0)).length() < 1e-4, "{}", body.position);
    assert!(body.orientation.angle_between(Quat::from_rotation_y(1.0)) < 1e-3);
}
