//! Ragdolls that fall on each other.

use crate::ragdoll;
use crate::stage::*;
use dolmen::math::Real;
use dolmen::prelude::*;
use std::collections::HashMap;

/// Reported friction stays below this multiple of the friction limit: the load changes after the
/// last friction pass.
const MAX_REPORTED_FRICTION: Real = 1.1;

/// 48 ragdolls in four columns above a floor, slightly different in each pile.
fn pile_of_48(pile: usize, friction: Real) -> Bench {
    let mut stage = Bench::game();
    stage.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(Material::new(friction, 0.0)));
    let aside = 0.013 * pile as Real;
    for k in 0..48 {
        let (x, z) = ((1.1 + aside) * (k % 2) as Real, (1.0 - aside) * (k / 2 % 2) as Real);
        let bodies = ragdoll::spawn(&mut stage.world, Vec3::new(x, 0.5 + 2.2 * (k / 4) as Real, z));
        for body in bodies {
            stage.world.insert_one(body, Material::new(friction, 0.0)).unwrap();
        }
    }
    stage
}

#[test]
fn ragdolls_hold_together_as_they_fall_and_at_rest() {
    let (mut falling, mut resting): (f64, f64) = (0.0, 0.0);
    for pile in 0..8 {
        let mut stage = Bench::game();
        stage.world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let aside = 0.037 * pile as Real;
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

/// Eight piles of 48, dropped from so high that limbs are driven past each other: forces keep to
/// the friction cone in every step, and no limb stays wedged with its joints pressed apart.
#[test]
fn friction_of_ragdolls_keeps_to_the_cone_and_no_limb_stays_wedged() {
    let friction = 0.6;
    let (mut beyond, mut resting): (f64, Vec<f64>) = (0.0, Vec::new());
    for pile in 0..4 {
        let mut stage = pile_of_48(pile, friction);
        let mut last: f64 = 0.0;
        for step in 0..420 {
            stage.step();
            let normals: HashMap<_, _> = stage.physics.contacts().map(|c| (c.entities, c.normal)).collect();
            for pair in stage.physics.pair_forces() {
                let normal = normals[&pair.entities];
                let pressed = pair.force.dot(normal);
                let rubbed = (pair.force - normal * pressed).length();
                beyond = beyond.max(
                    f64::from(rubbed - friction * MAX_REPORTED_FRICTION * pressed)
                        / f64::from(pair.force.length() + 1.0),
                );
            }
            last = if step >= 400 { last.max(stage.worst_gap()) } else { 0.0 };
        }
        resting.push(last);
    }
    println!("piles of ragdolls: {beyond:.1e} of a force out of the cone, joints apart by {resting:.5?} m at rest");
    assert!(beyond < 1e-3, "{beyond}");
    assert!(resting.iter().all(|gap| *gap < 1e-3), "{resting:?}");
}

/// Largest violation of a joint limit (rad).
fn beyond(stage: &Bench) -> f64 {
    let mut worst: f64 = 0.0;
    for (joint, state) in stage.world.query::<(&Joint, &JointState)>().iter() {
        let mut over = |angle: Real, axis: &JointAxis| {
            let [least, most] = axis.limits.expect("all have limits");
            worst = worst.max((angle - most).max(least - angle).into());
        };
        match &joint.kind {
            JointKind::Revolute(axis) => over(state.angle.x, axis),
            JointKind::Generic(axes) => {
                for (axis, angle) in axes[3..].iter().zip(state.angle.to_array()) {
                    if let JointFreedom::Free(axis) = axis {
                        over(angle, axis);
                    }
                }
            }
            _ => {}
        }
    }
    worst
}

/// With limits at all joints, and with friction beside them: elbows under heavy bodies hold
/// together, limits are kept, and wedged limbs do not raise each other's load, which would show in
/// the number of substeps.
#[test]
fn ragdolls_with_limits_and_friction_keep_them_as_they_fall_and_take_few_substeps_at_rest() {
    for friction in [0.0, 5.0] {
        let (mut gap, mut over, mut most): (f64, f64, usize) = (0.0, 0.0, 0);
        for pile in 0..2 {
            let mut stage = pile_of_48(pile, 0.6);
            ragdoll::limit(&mut stage.world, friction);
            for step in 0..420 {
                stage.step();
                (gap, over) = (gap.max(stage.worst_gap()), over.max(beyond(&stage)));
                if step >= 360 {
                    most = most.max(stage.physics.state().counts.substeps);
                }
            }
        }
        println!("ragdolls with friction {friction}: {gap:.4} m apart, {over:.3} rad beyond, {most} substeps at rest");
        assert!(gap < 15e-3 && over < 0.15 && most <= 16, "{friction}: {gap} {over} {most}");
    }
}
