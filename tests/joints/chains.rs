//! Long chains and heavy weights.

use crate::bridge;
use crate::ragdoll;
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

#[test]
fn a_ball_of_a_thousand_times_the_weight_of_a_link_does_not_stretch_its_chain() {
    let mut stage = Bench::game();
    chain(&mut stage, 21, |k| if k == 20 { 1000.0 } else { 1.0 });
    let mut worst: f64 = 0.0;
    for _ in 0..900 {
        stage.step();
        worst = worst.max(stage.worst_gap());
    }
    println!("wrecking ball: gap {worst:e}");
    assert!(worst < 4.2e-3, "{worst}");
}

#[test]
fn ragdolls_hold_together_as_they_fall_and_at_rest() {
    let (mut falling, mut resting): (f64, f64) = (0.0, 0.0);
    for heap in 0..8 {
        let mut stage = Bench::game();
        stage.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let aside = 0.037 * heap as Real;
        for k in 0..4 {
            let x = (0.3 + aside) * (k % 2) as Real;
            let (y, z) = (1.0 + (2.0 + 0.3 * aside) * k as Real, (0.2 - aside) * k as Real);
            ragdoll::spawn(&mut stage.world, Vec3::new(x, y, z));
        }
        for step in 0..600 {
            stage.step();
            let apart = stage.worst_gap();
            falling = falling.max(apart);
            resting = if step >= 540 { resting.max(apart) } else { resting };
        }
    }
    println!("ragdolls: {falling:e} falling, {resting:e} at rest");
    assert!(falling < 15e-3 && resting < 1e-3, "{falling} {resting}");
}
