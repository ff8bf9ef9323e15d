use super::*;
use crate::math::{DMat3, DVec3};

const LIMITS: Limits = Limits {
    horizon: 1e-3,
    threshold: 1e-9,
    touch: 1e-9,
    per_contact: 50,
    visits: u64::MAX,
    simultaneous: SimultaneousRule::Sequential,
};

/// Balls of 1 kg and radius 0.5 in a row along x, with the given velocities and gaps of `gap`.
fn row(velocities: &[f64], gap: f64, restitution: f64) -> Cluster {
    let mut cluster = Cluster::default();
    for &v in velocities {
        cluster.bodies.push(ClusterBody {
            velocity: DVec3::X * v,
            inverse_mass: DVec3::ONE,
            inverse_inertia: DMat3::from_diagonal(DVec3::splat(10.0)),
            ..ClusterBody::FIXED
        });
    }
    for i in 1..velocities.len() as u32 {
        let contact = ClusterContact::new([i - 1, i], [DVec3::X * 0.5, DVec3::X * -0.5], DVec3::X, gap);
        cluster.contacts.push(ClusterContact { key: u64::from(i), balls: Some([0.5; 2]), restitution, ..contact });
    }
    cluster
}

fn velocities(cluster: &Cluster) -> Vec<f64> {
    cluster.bodies.iter().map(|b| b.velocity.x).collect()
}

fn kinetic(cluster: &Cluster) -> f64 {
    cluster.bodies.iter().map(|b| 0.5 * b.velocity.length_squared()).sum()
}

#[test]
fn newtons_cradle_passes_on_as_many_as_come_in() {
    for gap in [0.0, 1e-12, 1e-9, 1e-6, 1e-4] {
        for k in 1..5 {
            let incoming: Vec<f64> = (0..5).map(|i| f64::from(u8::from(i < k))).collect();
            let mut cradle = row(&incoming, gap, 1.0);
            let done = cradle.run(&LIMITS);
            for (v, out) in velocities(&cradle).iter().zip(incoming.iter().rev()) {
                assert!((v - out).abs() < 1e-14, "{k} in, gap {gap}: {:?}", velocities(&cradle));
            }
            assert_eq!((done.impacts, done.unfinished), ([4, 6, 6, 4][k - 1], 0));
        }
    }
}

#[test]
fn touching_balls_collide_at_once_in_the_simultaneous_model() {
    let mut balls = row(&[1.0, 0.0, 0.0], 0.0, 1.0);
    balls.run(&Limits { simultaneous: SimultaneousRule::Simultaneous, ..LIMITS });
    for (v, expected) in velocities(&balls).iter().zip([-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
        assert!((v - expected).abs() < 1e-14, "{:?}", velocities(&balls));
    }
}

#[test]
fn ties_in_a_batch_keep_a_symmetric_break_symmetric() {
    // A ball runs into two that touch each other and stand abreast.
    let break_shot = |simultaneous| {
        let half = 30f64.to_radians();
        let mut cluster = row(&[2.0, 0.0, 0.0], 0.0, 0.9);
        cluster.contacts.clear();
        for (i, side) in [(1, 1.0), (2, -1.0)] {
            let n = DVec3::new(half.cos(), side * half.sin(), 0.0);
            let contact = ClusterContact::new([0, i], [n * 0.5, n * -0.5], n, 0.0);
            cluster.contacts.push(ClusterContact { key: u64::from(i), restitution: 0.9, ..contact });
        }
        cluster.run(&Limits { simultaneous, ..LIMITS });
        (cluster.bodies[0].velocity.y, (cluster.bodies[1].velocity.y + cluster.bodies[2].velocity.y).abs())
    };
    let (cue, pair) = break_shot(SimultaneousRule::Batch);
    assert!(cue.abs() < 1e-15 && pair < 1e-15, "{cue} {pair}");
    assert!(break_shot(SimultaneousRule::Sequential).0.abs() > 0.1, "one after the other it is not");
}

#[test]
fn what_the_budget_leaves_is_closed_out_without_energy_and_counted() {
    let incoming: Vec<f64> = (0..40).map(|i| if i % 3 == 0 { 3.0 } else { -f64::from(i) * 0.1 }).collect();
    for visits in [0, 1, 20, 70] {
        let mut balls = row(&incoming, 1e-6, 0.8);
        let (energy, momentum) = (kinetic(&balls), velocities(&balls).iter().sum::<f64>());
        let done = balls.run(&Limits { visits, ..LIMITS });
        assert!(u64::from(done.impacts) <= visits && done.visits < visits + 8 && done.unfinished > 0);
        assert!(kinetic(&balls) <= energy, "{visits}: {} of {energy}", kinetic(&balls));
        assert!((velocities(&balls).iter().sum::<f64>() - momentum).abs() < 1e-12);
    }
}

#[test]
fn a_ball_bounces_at_the_moment_it_meets_the_floor() {
    let (h, g, height) = (0.01, 9.81, 0.02);
    let mut cluster = row(&[0.0], 0.0, 0.0);
    cluster.bodies[0].velocity = DVec3::NEG_Y * 3.0;
    cluster.bodies[0].acceleration = DVec3::NEG_Y * g;
    cluster.bodies.push(ClusterBody::FIXED);
    let contact = ClusterContact::new([1, 0], [DVec3::ZERO, DVec3::NEG_Y * 0.5], DVec3::Y, height);
    cluster.contacts.push(ClusterContact { restitution: 1.0, ..contact });
    let done = cluster.run(&Limits { horizon: h, ..LIMITS });
    assert_eq!(done.impacts, 1);
    let ball = cluster.bodies[0];
    let end = height + ball.displacement.y + ball.velocity.y * h - 0.5 * g * h * h;
    let speed = ball.velocity.y - g * h;
    let before = 0.5 * 9.0 + g * height;
    assert!((0.5 * speed * speed + g * end - before).abs() < 1e-14);
    let fall = (-3.0 + (9.0f64 + 2.0 * g * height).sqrt()) / g;
    let exact = (9.0f64 + 2.0 * g * height).sqrt() * (h - fall) - 0.5 * g * (h - fall) * (h - fall);
    assert!((end - exact).abs() < 1e-15, "{end} {exact}");
}

#[test]
fn balls_that_graze_collide_along_the_normal_of_the_moment() {
    // One ball passes another by 0.6 of the sum of the radii; one of them falls.
    for pull in [0.0, -9.81] {
        let mut cluster = row(&[30.0, 0.0], 0.0, 1.0);
        cluster.bodies[1].acceleration = DVec3::Y * pull;
        let between = DVec3::new(1.0, 0.6, 0.0);
        let contact = &mut cluster.contacts[0];
        contact.normal = between.normalize();
        contact.gap = between.length() - 1.0;
        let done = cluster.run(&Limits { horizon: 0.02, ..LIMITS });
        assert_eq!(done.impacts, 1);
        let n = cluster.contacts[0].normal;
        let expected = if pull == 0.0 { DVec3::new(0.8, 0.6, 0.0) } else { n };
        assert!((n - expected).length() < 1e-14, "{n}");
        if pull < 0.0 {
            let t = (1.0 - n.x) / 30.0;
            assert!((n.y - (0.6 + 0.5 * pull * t * t)).abs() < 1e-12, "{n}");
        }
    }
}

#[test]
fn a_separation_is_extrapolated_by_no_more_than_twice_the_arm_however_fast_a_body_turns() {
    let mut bounded = 0;
    for rate in [1.0, 100.0, 1e4, 1e5] {
        let mut cluster = Cluster::default();
        cluster.bodies.push(ClusterBody::FIXED);
        cluster.bodies.push(ClusterBody {
            angular_velocity: DVec3::Z * rate,
            inverse_mass: DVec3::ONE,
            inverse_inertia: DMat3::from_diagonal(DVec3::splat(1e3)),
            ..ClusterBody::FIXED
        });
        // The corner under the body's left end sinks, and is struck half-way through the step.
        let arm = DVec3::new(-0.5, -0.01, 0.0);
        let gap = 0.5 * rate * 0.5 * LIMITS.horizon;
        cluster.contacts.push(ClusterContact::new([0, 1], [DVec3::ZERO, arm], DVec3::Y, gap));
        assert_eq!(cluster.run(&LIMITS).impacts, 1, "{rate} rad/s");
        let body = &cluster.bodies[1];
        let (shift, linear) = (cluster.gap_shift(0) - body.displacement.y, arm.cross(DVec3::Y).dot(body.rotation_sum));
        if body.rotation_sum.length() <= 2.0 {
            assert!((shift - linear).abs() < 1e-15, "{rate} rad/s: {shift:e} for {linear:e} m");
        } else {
            assert!(linear.abs() > 2.0 * arm.length(), "{rate} rad/s: the bound has nothing to do");
            assert!(shift.abs() <= 2.0 * arm.length(), "{rate} rad/s: {shift} m");
        }
        bounded += u32::from(body.rotation_sum.length() > 2.0);
    }
    assert_eq!(bounded, 2);
}
