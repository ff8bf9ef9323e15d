//! Long chains and heavy weights.

use crate::bridge;
use crate::stage::*;
use dolmen::math::Real;
use dolmen::prelude::*;
use hecs::Entity;

/// A chain of links of 0.2 m along x from the origin; returns the links.
pub fn chain(stage: &mut Bench, links: usize, mass: impl Fn(usize) -> Real) -> Vec<Entity> {
    let half = Vec3::X * 0.1;
    let mut out: Vec<Entity> = Vec::new();
    for k in 0..links {
        let link = stage.world.spawn(bob(mass(k), 0.08).at(0.2 * k as Real + 0.1, 0.0, 0.0));
        let joint = match out.last() {
            Some(&last) => Joint::spherical(last, link).anchors(half, -half),
            None => Joint::spherical(None, link).anchors(Vec3::ZERO, -half),
        };
        stage.join(joint);
        out.push(link);
    }
    out
}

#[test]
fn a_chain_of_a_hundred_links_swings_and_hangs_without_stretching() {
    let mut stage = Bench::game();
    let links = chain(&mut stage, 100, |_| 1.0);
    let mut worst: f64 = 0.0;
    for _ in 0..900 {
        stage.step();
        worst = worst.max(stage.worst_gap());
    }
    println!("chain: gap {worst:e}");
    assert!(worst < 5e-4, "{worst}");
    assert!(stage.position(links[99]).length() < 20.0 * 1.001);
}

#[test]
fn in_exact_a_chain_of_a_hundred_links_stays_at_its_anchors() {
    let mut stage = Bench::new(1.0 / 60.0, Accuracy::Exact);
    chain(&mut stage, 100, |_| 1.0);
    let mut worst: f64 = 0.0;
    for _ in 0..120 {
        stage.step();
        worst = worst.max(stage.worst_gap());
    }
    println!("chain, exact: gap {worst:e}");
    // In `f32` positions up to 20 m away are rounded to a micrometre.
    let bar = if size_of::<Real>() == 8 { 1e-9 } else { 1e-5 };
    assert!(worst < bar, "{worst}");
}

#[test]
fn a_bridge_of_a_hundred_planks_carries_a_truck() {
    let mut stage = Bench::game();
    let truck = bridge::spawn(&mut stage.world, 100);
    let (mut worst, mut lowest): (f64, Real) = (0.0, Real::INFINITY);
    for _ in 0..600 {
        stage.step();
        worst = worst.max(stage.worst_gap());
        lowest = lowest.min(stage.position(truck).y);
    }
    println!("bridge: gap {worst:e}, truck at {}", stage.position(truck).y);
    assert!(stage.position(truck).is_finite() && worst > 0.0);
    assert!(worst < 1e-3 && lowest > -7.0, "{worst} {lowest}");
}

/// Builds a straight bridge of planks of 0.5 m with these masses (kg).
fn straight(stage: &mut Bench, planks: usize, mass: impl Fn(usize) -> Real) {
    let mut last = None;
    for k in 0..planks {
        let body = Body::dynamic(Collider::cuboid(0.24, 0.05, 1.5)).mass(mass(k));
        let plank = stage.world.spawn(body.at(0.5 * k as Real + 0.25, 0.0, 0.0));
        let joint = Joint::revolute(last, plank).axes(Vec3::Z, Vec3::Z);
        let from = last.map_or(Vec3::ZERO, |_| Vec3::X * 0.25);
        stage.join(joint.anchors(from, Vec3::X * -0.25));
        last = Some(plank);
    }
    let end = Vec3::X * (0.5 * planks as Real);
    stage.join(Joint::revolute(None, last).axes(Vec3::Z, Vec3::Z).anchors(end, Vec3::X * 0.25));
}

/// Nothing sags where joints are rigid: pulled straight, each joint bears more than the weight of
/// the bridge, and the more the stiffer it is.
#[test]
fn a_bridge_that_is_built_straight_gains_no_energy_and_comes_to_hang_still() {
    for (planks, settled) in [(5, 0.02), (20, 0.1), (50, 0.6)] {
        let mut stage = Bench::game();
        straight(&mut stage, planks, |_| 40.0);
        let (mut worst, mut most): (f64, f64) = (0.0, 0.0);
        for _ in 0..1200 {
            stage.step();
            worst = worst.max(stage.worst_gap());
            let state = stage.physics.state();
            most = most.max(state.kinetic_energy() + state.potential_energy());
        }
        let bodies: Vec<Entity> =
            stage.world.query::<(Entity, &LinearVelocity)>().iter().map(|(body, _)| body).collect();
        let speed = bodies.iter().map(|&body| stage.velocity(body).length()).fold(0.0, Real::max);
        println!("straight bridge of {planks}: gap {worst:e}, energy up to {most:.3}, {speed:.3} m/s at the end");
        assert!(worst > 0.0 && worst < 1e-4, "{planks}: {worst}");
        assert!(most < 1e-3 * 40.0 * planks as f64, "{planks}: {most}");
        assert!(speed < settled, "{planks}: {speed}");
    }
}

/// In `Exact` joints are nearly rigid, so that a straight bridge is as taut as possible, and its
/// geometric-stiffness frequency exceeds what substeps resolve: in `f64` a hundred planks diverged
/// within five steps.
#[test]
fn in_exact_straight_bridges_neither_gain_energy_nor_come_apart() {
    for (planks, heavy) in [(20, [20; 2]), (100, [100; 2]), (12, [1, 10]), (20, [7, 12])] {
        let mut stage = Bench::new(1.0 / 60.0, Accuracy::Exact);
        straight(&mut stage, planks, |k| if heavy.contains(&k) { 4000.0 } else { 40.0 });
        let (mut worst, mut most): (f64, f64) = (0.0, 0.0);
        for _ in 0..300 {
            stage.step();
            worst = worst.max(stage.worst_gap());
            let state = stage.physics.state();
            most = most.max(state.kinetic_energy() + state.potential_energy());
        }
        println!("straight bridge of {planks} in exact: gap {worst:e}, energy up to {most:.3}");
        assert!(worst > 0.0 && worst < if F64 { 1e-6 } else { 1e-5 }, "{planks} {heavy:?}: {worst}");
        assert!(most < 1e-3 * 40.0 * planks as f64, "{planks} {heavy:?}: {most}");
    }
}

/// Rods between centres of mass have no arm; their tension must count all the same.
#[test]
fn heavy_weights_on_rods_that_are_pulled_straight_gain_no_energy() {
    for weight in [5.0, 50.0, 500.0] as [Real; 3] {
        let mut stage = Bench::game();
        let mut spawn = |mass: Real, x: Real, z: Real| stage.world.spawn(bob(mass, 0.2).at(x, 0.0, z));
        let (light, heavy) =
            ([spawn(5.0, 0.0, 0.0), spawn(5.0, 0.5, 0.0)], [spawn(weight, 0.0, 0.7), spawn(weight, 0.5, 0.7)]);
        stage.join(Joint::distance(None, light[0], 0.5, 0.5).anchors(Vec3::X * -0.5, Vec3::ZERO));
        stage.join(Joint::distance(light[0], light[1], 0.5, 0.5));
        stage.join(Joint::distance(light[1], None, 1.0, 1.0).anchors(Vec3::ZERO, Vec3::X * 1.5));
        stage.join(Joint::distance(heavy[0], heavy[1], 0.5, 0.5));
        for k in 0..2 {
            stage.join(Joint::distance(light[k], heavy[k], 0.7, 0.7));
        }
        let (mut worst, mut most): (f64, f64) = (0.0, 0.0);
        for _ in 0..400 {
            stage.step();
            let state = stage.physics.state();
            most = most.max(state.kinetic_energy() + state.potential_energy());
            let apart = (stage.position(light[1]) - stage.position(light[0])).length();
            worst = worst.max(f64::from(apart - 0.5).abs());
        }
        println!("rods with {weight} kg: {worst:e} m longer, energy up to {most:.3} J");
        assert!(worst < 1e-3, "{weight}: {worst}");
        // A hundredth of the energy of the fall by half a metre.
        assert!(most < 0.01 * 0.5 * 9.81 * f64::from(2.0 * weight + 10.0), "{weight}: {most}");
    }
}

#[test]
fn crates_that_fall_on_a_bridge_do_not_tear_it() {
    let mut stage = Bench::game();
    bridge::spawn(&mut stage.world, 40);
    let crates: Vec<_> = (0..10)
        .map(|k| {
            let body = Body::dynamic(Collider::cuboid(0.4, 0.4, 0.4)).density(500.0);
            stage.world.spawn(body.at(
                3.0 + 1.5 * k as Real,
                2.0 + 0.7 * k as Real,
                if k % 2 == 0 { 0.3 } else { -0.3 },
            ))
        })
        .collect();
    let mut worst: f64 = 0.0;
    for _ in 0..400 {
        stage.step();
        worst = worst.max(stage.worst_gap());
    }
    println!("crates on a bridge: gap {worst:e}");
    assert!(worst > 0.0 && worst < 1e-3, "{worst}");
    assert!(crates.iter().all(|&body| stage.position(body).is_finite()));
}

/// The chain cracks like a whip, and its joint error depends on the last bits: the median of chains
/// whose balls differ by a gram counts.
#[test]
fn a_ball_of_a_thousand_times_the_weight_of_a_link_does_not_stretch_its_chain() {
    let mut worst: Vec<f64> = (0..9)
        .map(|grams| {
            let mut stage = Bench::game();
            chain(&mut stage, 21, |k| if k == 20 { 1000.0 + 1e-3 * grams as Real } else { 1.0 });
            (0..900).fold(0.0, |worst: f64, _| {
                stage.step();
                worst.max(stage.worst_gap())
            })
        })
        .collect();
    worst.sort_by(f64::total_cmp);
    println!("wrecking balls: gaps {worst:.5?}");
    assert!(worst[4] < 4.2e-3, "{worst:?}");
}

/// Nine such chains fall on a floor and on each other: poses are predicted with the last impulses,
/// and impulses that oscillate from substep to substep must not be amplified. Joint errors depend
/// on the last bits here too.
#[test]
fn wrecking_balls_that_fall_in_a_pile_hold_their_chains_and_gain_nothing() {
    let mut worst: Vec<f64> = Vec::new();
    for grams in 0..12 {
        let mut stage = Bench::game();
        stage.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).at(0.0, -2.0, 0.0));
        for k in 0..9 {
            let (y, z) = (0.5 * (k / 3) as Real, 0.45 * (k % 3) as Real);
            let bodies: Vec<Entity> = (0..21)
                .map(|link| {
                    let (mass, radius) = if link == 20 { (1000.0 + 1e-3 * grams as Real, 0.2) } else { (1.0, 0.05) };
                    let ball = Body::dynamic(Collider::ball(radius)).mass(mass).material(Material::new(0.6, 0.0));
                    stage.world.spawn(ball.at(0.1 + 0.2 * link as Real, y, z))
                })
                .collect();
            for pair in bodies.windows(2) {
                stage.join(Joint::spherical(pair[0], pair[1]).anchors(Vec3::X * 0.1, Vec3::X * -0.1));
            }
        }
        let (mut gap, mut most): (f64, f64) = (0.0, f64::MIN);
        stage.step();
        let first = stage.physics.energy();
        for _ in 0..300 {
            stage.step();
            gap = gap.max(stage.worst_gap());
            most = most.max(stage.physics.energy());
        }
        // Nine tonnes that fall by two metres have 1.8e5 J.
        assert!(most < first + 100.0, "{grams}: {first} {most}");
        worst.push(gap);
    }
    worst.sort_by(f64::total_cmp);
    println!("piles of wrecking balls: gaps {worst:.5?}");
    assert!(worst[6] < 1e-3, "{worst:?}");
}

/// A grid has more loops than the direct solver accepts: its joints are iterative.
#[test]
fn a_grid_of_balls_hangs_from_a_few_of_them() {
    let mut stage = Bench::game();
    const SIDE: usize = 24;
    let mut balls: Vec<Entity> = Vec::new();
    for column in 0..SIDE {
        for row in 0..SIDE {
            let held = row == 0 && (9..15).contains(&column);
            let place = Vec3::new(column as Real, 60.0 - row as Real, 0.0);
            let body = if held { Body::fixed(Collider::ball(0.4)) } else { Body::dynamic(Collider::ball(0.4)) };
            let here = stage.world.spawn(body.position(place));
            if row > 0 {
                let above = balls[balls.len() - 1];
                stage.join(Joint::spherical(above, here).anchors(Vec3::Y * -0.5, Vec3::Y * 0.5));
            }
            if column > 0 && !(held && column > 9) {
                let beside = balls[balls.len() - SIDE];
                stage.join(Joint::spherical(beside, here).anchors(Vec3::X * 0.5, Vec3::X * -0.5));
            }
            balls.push(here);
        }
    }
    // Kinetic and potential energy per ball, over its mass.
    let energy = |stage: &Bench| {
        let of = |&ball: &Entity| {
            let (v, w) = (stage.velocity(ball).length_squared(), stage.spin(ball).length_squared());
            let (v, w) = (f64::from(v), f64::from(w));
            [0.5 * v + 0.2 * 0.4 * 0.4 * w, 9.81 * f64::from(stage.position(ball).y)]
        };
        let sum = balls.iter().map(of).fold([0.0, 0.0], |[k, p], [a, b]| [k + a, p + b]);
        sum.map(|x| x / balls.len() as f64)
    };
    let [_, start] = energy(&stage);
    let (mut worst, mut most): (f64, f64) = (0.0, 0.0);
    for _ in 0..600 {
        stage.step();
        let gap = stage.worst_gap();
        assert!(gap.is_finite(), "a joint is nowhere");
        worst = worst.max(gap);
        let [kinetic, potential] = energy(&stage);
        most = most.max(kinetic + potential - start);
    }
    let [kinetic, _] = energy(&stage);
    println!("grid: energy over that of the start {most:e} J/kg, kinetic at the end {kinetic:e} J/kg");
    // It loses what the impulse decay takes, and gains nothing: a centimetre's fall is 0.1 J/kg.
    assert!(most < 0.01 && kinetic < 0.01, "{most} {kinetic}");
    let lowest = balls.iter().map(|&ball| stage.position(ball).y).fold(Real::INFINITY, Real::min);
    println!("grid: gap {worst:e}, at the end {:e}, lowest ball {lowest}", stage.worst_gap());
    assert!(worst < 0.01, "{worst}");
    // The sides swing down, but no lower than a thread from the anchors to the far corner is long.
    assert!(lowest > 60.0 - (SIDE + SIDE / 2) as Real, "{lowest}");
}
