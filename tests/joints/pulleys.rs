//! Pulleys against closed forms.

use crate::stage::*;
use dolmen::math::{Real, to_f64};
use dolmen::prelude::*;
use hecs::Entity;

/// A pulley with its two bodies.
struct Pulley {
    stage: Bench,
    bodies: [Entity; 2],
    joint: Entity,
    points: [Vec3; 2],
    ratio: Real,
}

/// Two bodies of these masses (kg) that hang 3 and 2 m below the points of a pulley, with a rope that is
/// longer by `slack` (m).
fn hung(accuracy: Accuracy, masses: [Real; 2], ratio: Real, slack: Real) -> Pulley {
    let mut stage = Bench::new(1.0 / 60.0, accuracy);
    let points = [Vec3::new(-1.0, 4.0, 0.0), Vec3::new(1.0, 4.0, 0.0)];
    let bodies = [0, 1].map(|k| {
        let place = points[k] - Vec3::Y * [3.0, 2.0][k];
        stage.world.spawn(bob(masses[k], 0.2).position(place))
    });
    let length = 3.0 + 2.0 * ratio + slack;
    let joint = stage.join(Joint::pulley(bodies[0], bodies[1], points, ratio, length));
    Pulley { stage, bodies, joint, points, ratio }
}

impl Pulley {
    /// Parts of the rope, from the points to the anchors (m).
    fn parts(&self) -> [Vec3; 2] {
        let spec = (*self.stage.world.get::<&Joint>(self.joint).unwrap()).clone();
        [0, 1].map(|k| {
            let turned = self.stage.orientation(self.bodies[k]) * spec.frames[k].anchor;
            self.stage.position(self.bodies[k]) + turned - self.points[k]
        })
    }

    /// Length that the pulley bounds (m).
    fn length(&self) -> f64 {
        let [first, second] = self.parts().map(|part| to_f64(part).length());
        first + f64::from(self.ratio) * second
    }

    /// Energy of both bodies (J), with the inertia of balls of 0.2 m.
    fn energy(&self) -> f64 {
        let of = |body: Entity| {
            let mass = f64::from(self.stage.world.get::<&Mass>(body).unwrap().0);
            let (v, w) = (to_f64(self.stage.velocity(body)), to_f64(self.stage.spin(body)));
            let height = f64::from(self.stage.position(body).y);
            mass * (0.5 * v.length_squared() + 0.5 * 0.016 * w.length_squared() + f64::from(G) * height)
        };
        self.bodies.into_iter().map(of).sum()
    }
}

/// With lengths `l1 + r l2` kept, `l2'' = g (m2 - r m1) / (m2 + r² m1)`, and the rope bears `m1 (g - l1'')`.
#[test]
fn a_pulley_accelerates_as_an_atwood_machine_by_its_ratio() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for (masses, ratio) in [([1.0, 3.0], 1.0), ([5.0, 4.0], 0.5), ([2.0, 10.0], 3.0)] as [([Real; 2], Real); 3] {
            let mut pulley = hung(accuracy, masses, ratio, 0.0);
            let length = pulley.length();
            pulley.stage.run(0.5);
            let [m1, m2] = masses;
            let second = G * (m2 - ratio * m1) / (m2 + ratio * ratio * m1);
            let first = -ratio * second;
            for (body, acceleration) in pulley.bodies.into_iter().zip([first, second]) {
                let rate = -pulley.stage.velocity(body).y;
                let expected = 0.5 * acceleration;
                assert!((rate - expected).abs() < 1e-3 * expected.abs(), "{masses:?} {ratio}: {rate} for {expected}");
            }
            assert!((pulley.length() - length).abs() < 1e-4, "{masses:?} {ratio}: {} of {length}", pulley.length());
            let state = pulley.stage.state(pulley.joint);
            let tension = m1 * (G - first);
            assert!((state.force.y - ratio * tension).abs() < 2e-3 * ratio * tension, "{} for {tension}", state.force);
            let [whole, y, z] = state.position.to_array();
            assert!((whole - (y + ratio * z)).abs() < 1e-5 && (f64::from(whole) - length).abs() < 1e-4, "{whole}");
        }
    }
}

#[test]
fn a_pulley_balances_by_its_ratio_and_falls_asleep() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        let mut pulley = hung(accuracy, [3.0, 7.5], 2.5, 0.0);
        pulley.stage.run(5.0);
        let sunk = [3.0, 2.0].into_iter().zip(pulley.parts()).map(|(was, part)| part.length() - was);
        assert!(sunk.clone().all(|sunk: Real| sunk.abs() < 1e-3), "{:?}", sunk.collect::<Vec<_>>());
        let force = pulley.stage.state(pulley.joint).force;
        assert!((force - Vec3::Y * (7.5 * G)).length() < 0.05, "{force}");
        pulley.stage.physics.settings.sleep = true;
        pulley.stage.run(10.0);
        assert_eq!(pulley.stage.physics.state().counts.asleep, 2);
    }
}

/// A link on a pin below the first body and one on a rod below the second, and a redundant pulley.
#[test]
fn a_pulley_bears_what_hangs_on_its_bodies() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for below in [2.0, 5.0] as [Real; 2] {
            let mut pulley = hung(accuracy, [1.0, 4.0], 2.0, 0.0);
            let [a, b] = pulley.bodies;
            let stage = &mut pulley.stage;
            let link = stage.world.spawn(bob(2.0, 0.2).at(-1.0, 0.0, 0.0));
            let load = stage.world.spawn(bob(below, 0.2).at(1.0, 1.0, 0.0));
            stage.join(Joint::spherical(a, link).anchors(Vec3::Y * -0.5, Vec3::Y * 0.5));
            stage.join(Joint::distance(b, load, 1.0, 1.0));
            stage.join(Joint::pulley(b, a, [pulley.points[1], pulley.points[0]], 0.5, 3.5));
            stage.run(0.5);
            let second = G * (4.0 + below - 2.0 * 3.0) / (4.0 + below + 4.0 * 3.0);
            for (body, acceleration) in [(a, -2.0 * second), (link, -2.0 * second), (b, second), (load, second)] {
                let (rate, expected) = (-stage.velocity(body).y, 0.5 * acceleration);
                assert!((rate - expected).abs() < 2e-3 * (1.0 + expected.abs()), "{below}: {rate} for {expected}");
            }
            assert!((pulley.length() - 7.0).abs() < 1e-3, "{}", pulley.length());
        }
    }
}

#[test]
fn a_slack_rope_bears_nothing_until_it_is_taut() {
    let mut pulley = hung(Accuracy::Game, [1.0, 3.0], 2.0, 1.5);
    // Both fall by a sixth of a metre before the third of the slack that each takes is gone.
    pulley.stage.run(0.2);
    assert_eq!(pulley.stage.state(pulley.joint).force, Vec3::ZERO);
    for body in pulley.bodies {
        let speed = pulley.stage.velocity(body).y + 0.2 * G;
        assert!(speed.abs() < 1e-4, "{speed}");
    }
    let most = 3.0 + 2.0 * 2.0 + 1.5;
    for _ in 0..120 {
        pulley.stage.step();
        assert!(pulley.length() < most + 2e-3, "{} of {most}", pulley.length());
    }
    assert!(pulley.stage.state(pulley.joint).force.y > 1.0);
}

#[test]
fn loads_that_swing_and_turn_on_a_pulley_gain_no_energy() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        let mut pulley = hung(accuracy, [2.0, 3.0], 1.5, 0.0);
        {
            let mut joint = pulley.stage.world.get::<&mut Joint>(pulley.joint).unwrap();
            (joint.frames[0].anchor, joint.frames[1].anchor) = (Vec3::new(0.1, 0.2, 0.0), Vec3::new(0.0, 0.2, -0.15));
        }
        let [a, b] = pulley.bodies;
        pulley.stage.world.get::<&mut LinearVelocity>(a).unwrap().0 = Vec3::new(1.5, 0.0, 0.5);
        pulley.stage.world.get::<&mut LinearVelocity>(b).unwrap().0 = Vec3::new(0.0, 0.0, 2.0);
        pulley.stage.step();
        let (start, mut most, mut longest) = (pulley.energy(), f64::NEG_INFINITY, 0.0_f64);
        for _ in 0..600 {
            pulley.stage.step();
            most = most.max(pulley.energy() - start);
            longest = longest.max(pulley.length());
        }
        assert!(most < 0.01 * 5.0 * 9.81, "a gain of {most} J");
        assert!(longest < 6.0 + 5e-3, "{longest} m");
    }
}

/// The first body is pulled up through its point, and the second stands at its own from the start.
#[test]
fn anchors_at_their_points_are_no_singularity() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        let mut pulley = hung(accuracy, [1.0, 20.0], 1.0, 0.0);
        let [_, heavy] = pulley.bodies;
        for _ in 0..300 {
            pulley.stage.step();
            assert!(pulley.length() < 5.0 + 0.05, "{}", pulley.length());
        }
        pulley.stage.world.get::<&mut Position>(heavy).unwrap().0 = pulley.points[1];
        pulley.stage.world.get::<&mut LinearVelocity>(heavy).unwrap().0 = Vec3::ZERO;
        pulley.stage.run(1.0);
        assert!(pulley.length() < 5.0 + 0.05, "{}", pulley.length());
        // A rope of no length but that of its points.
        let mut stage = Bench::new(1.0 / 60.0, accuracy);
        let bodies = [0, 1].map(|k| stage.world.spawn(bob(1.0, 0.2).at(k as Real, 1.0, 0.0)));
        let points = [Vec3::Y, Vec3::new(1.0, 1.0, 0.0)];
        let mut joint = Joint::pulley(bodies[0], bodies[1], points, 1.0, 1.0);
        let JointKind::Pulley { least, .. } = &mut joint.kind else { unreachable!("a pulley") };
        *least = 1.0;
        stage.join(joint);
        stage.run(2.0);
        assert!(bodies.into_iter().all(|body| stage.position(body).is_finite()));
    }
}

#[test]
fn a_kinematic_body_hoists_by_a_pulley_and_a_least_length_pushes() {
    let mut stage = Bench::game();
    let points = [Vec3::new(-1.0, 4.0, 0.0), Vec3::new(1.0, 4.0, 0.0)];
    let hand = stage.world.spawn(Body::kinematic(Collider::ball(0.1)).at(-1.0, 3.0, 0.0));
    let load = stage.world.spawn(bob(10.0, 0.2).at(1.0, 1.0, 0.0));
    stage.join(Joint::pulley(hand, load, points, 2.0, 7.0));
    stage.world.get::<&mut LinearVelocity>(hand).unwrap().0 = Vec3::NEG_Y;
    stage.physics.settings.energy_tolerance = Some(1e-3);
    let mut work = 0.0;
    for _ in 0..120 {
        stage.step();
        work += stage.physics.energy_account().sum().kinematic;
    }
    let height = stage.position(load).y;
    assert!((height - 2.0).abs() < 2e-3, "{height}");
    // A metre up; the jerk to half a metre a second takes twice the kinetic energy.
    let lifted = 10.0 * (f64::from(G) + 0.25);
    assert!((work - lifted).abs() < 1e-3 * lifted, "{work} J for {lifted}");
    // A load that is thrown up is stopped where the rope cannot be shorter.
    let mut pulley = hung(Accuracy::Game, [1.0, 1.0], 1.0, 0.0);
    if let JointKind::Pulley { least, .. } = &mut pulley.stage.world.get::<&mut Joint>(pulley.joint).unwrap().kind {
        *least = 4.5;
    }
    for body in pulley.bodies {
        pulley.stage.world.get::<&mut LinearVelocity>(body).unwrap().0 = Vec3::Y * 4.0;
    }
    for _ in 0..60 {
        pulley.stage.step();
        assert!((4.5 - 2e-3..5.0 + 2e-3).contains(&pulley.length()), "{}", pulley.length());
    }
}

#[test]
fn the_strength_of_a_pulley_is_that_of_its_second_body() {
    let mut pulley = hung(Accuracy::Game, [3.0, 7.5], 2.5, 0.0);
    pulley.stage.run(0.5);
    pulley.stage.world.get::<&mut Joint>(pulley.joint).unwrap().max_force = 7.5 * G + 1.0;
    pulley.stage.run(0.5);
    assert!(!pulley.stage.state(pulley.joint).broken);
    pulley.stage.world.get::<&mut Joint>(pulley.joint).unwrap().max_force = 7.5 * G - 1.0;
    pulley.stage.run(0.5);
    assert!(pulley.stage.state(pulley.joint).broken);
}

#[test]
fn impossible_pulleys_are_errors() {
    let good = [Vec3::X, Vec3::Y];
    for (points, ratio, bounds, says) in [
        (good, 0.0, [0.0, 1.0], "the ratio of a pulley"),
        (good, -1.0, [0.0, 1.0], "the ratio of a pulley"),
        (good, Real::NAN, [0.0, 1.0], "the ratio of a pulley"),
        (good, Real::INFINITY, [0.0, 1.0], "the ratio of a pulley"),
        (good, 1.0, [0.0, 0.0], "the greatest length"),
        (good, 1.0, [0.0, Real::NAN], "the greatest length"),
        (good, 1.0, [2.0, 1.0], "the greatest length"),
        (good, 1.0, [-1.0, 1.0], "the least length"),
        (good, 1.0, [Real::INFINITY; 2], "the least length"),
        ([Vec3::X, Vec3::splat(Real::NAN)], 1.0, [0.0, 1.0], "the second point"),
        ([Vec3::X * Real::INFINITY, Vec3::X], 1.0, [0.0, 1.0], "the first point"),
    ] {
        let mut stage = Bench::game();
        let body = stage.world.spawn(bob(1.0, 0.5));
        let [least, greatest] = bounds;
        let joint = stage.join(Joint::new(None, body, JointKind::Pulley { points, ratio, least, greatest }));
        let error = stage.physics.step(&mut stage.world, stage.dt).expect_err(says).to_string();
        assert!(error.contains(says) && error.contains(&format!("{joint:?}")), "{error}");
    }
}
