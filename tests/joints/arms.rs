//! Arms of several links driven by motors and springs at once, of any strength.

use crate::stage::*;
use dolmen::math::Real;
use dolmen::prelude::*;
use hecs::Entity;

const MASS: Real = 2.0;

/// A thin rod of a metre along x.
fn link(at: Vec3) -> Body {
    let across = MASS / 12.0;
    Body::free(MASS, Inertia { principal: Vec3::new(0.0025, across, across), frame: Quat::IDENTITY })
        .at(at.x, at.y, at.z)
}

/// Links end to end along x from a foot, and the joints between them, made by `joint` from the
/// bodies and their number.
fn arm(
    stage: &mut Bench,
    (foot, links): (Vec3, usize),
    joint: impl Fn(usize, Joint, Joint) -> Joint,
) -> (Vec<Entity>, Vec<Entity>) {
    let mut last = stage.world.spawn(Body::fixed(Collider::ball(0.1)).at(foot.x, foot.y, foot.z));
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for k in 0..links {
        let at = foot + Vec3::X * k as Real;
        let body = stage.world.spawn(link(at + Vec3::X * 0.5));
        let placed = |joint: Joint| joint.placed(&stage.world, at, Vec3::Z).unwrap();
        let joint = joint(k, placed(Joint::revolute(last, body)), placed(Joint::fixed(last, body)));
        joints.push(stage.join(joint));
        bodies.push(body);
        last = body;
    }
    (bodies, joints)
}

fn kinetic_energy(stage: &Bench, bodies: &[Entity]) -> Real {
    let of = |&body: &Entity| stage.velocity(body).length_squared() + stage.spin(body).length_squared() / 12.0;
    bodies.iter().map(of).sum::<Real>() * 0.5 * MASS
}

/// Angular momentum about the origin.
fn angular_momentum(stage: &Bench, bodies: &[Entity]) -> Vec3 {
    let of = |&body: &Entity| {
        let along = stage.orientation(body) * Vec3::X;
        let spin = stage.spin(body) - along * along.dot(stage.spin(body));
        stage.position(body).cross(stage.velocity(body)) * MASS + spin * (MASS / 12.0)
    };
    bodies.iter().map(of).sum()
}

/// Lets arms of so many links, on springs of a stiffness (N m/rad) and a damping ratio, wind up and
/// come to rest, all in one world.
fn wind_up(accuracy: Accuracy, arms: &[(usize, Real, Real)]) {
    let mut stage = Bench::new(1.0 / 60.0, accuracy);
    let target: Real = 0.5;
    let mut all = Vec::new();
    for &(links, stiffness, ratio) in arms {
        let inertia: Real = (0..links).map(|k| MASS * (k as Real + 0.5).powi(2)).sum();
        let damping = 2.0 * ratio * (stiffness * inertia).sqrt();
        let spring = JointSpring::Si { stiffness, damping };
        let motor = Motor::position(target, spring, Real::INFINITY);
        let foot = Vec3::Z * all.len() as Real;
        let (bodies, joints) = arm(&mut stage, (foot, links), |_, hinge, _| hinge.motor(motor));
        let name = format!("{accuracy:?}, {links} links, {stiffness} N m/rad, {ratio}");
        all.push((name, stiffness, bodies, joints));
    }
    let mut most = vec![0.0 as Real; all.len()];
    for _ in 0..1200 {
        stage.step();
        for ((name, _, bodies, _), most) in all.iter().zip(&mut most) {
            let energy = kinetic_energy(&stage, bodies);
            assert!(energy.is_finite(), "{name}");
            *most = most.max(energy);
        }
    }
    for ((name, stiffness, bodies, joints), most) in all.into_iter().zip(most) {
        let wound = 0.5 * stiffness * target * target * bodies.len() as Real;
        // A fall by three metres adds less than 400 J.
        assert!(most < 1.02 * wound + 400.0, "{name}: {most} J of {wound}");
        assert!(kinetic_energy(&stage, &bodies) < 1e-2, "{name} goes on");
        for (k, &joint) in joints.iter().enumerate() {
            let at = stage.position(bodies[k]) - stage.orientation(bodies[k]) * (Vec3::X * 0.5);
            let weight: Real = bodies[k..].iter().map(|&b| (stage.position(b) - at).x * MASS * G as Real).sum();
            let angle = target - weight / stiffness;
            let off = (stage.state(joint).angle.x - angle).abs();
            assert!(off < 1e-5 + (0.3 + 0.01 * weight.abs()) / stiffness, "{name}: joint {k} is off by {off}");
        }
    }
}

#[test]
fn arms_on_springs_of_any_stiffness_come_to_rest_where_these_bear_their_weight() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        // Islands of equal plans share a batch: arms of one stiffness run side by side, and the
        // extremes alone.
        for stiffness in [1e3, 1e5, 1e7, 1e9] {
            let sizes = [1, 3, 6].into_iter().flat_map(|links| [(links, stiffness, 0.2), (links, stiffness, 1.0)]);
            wind_up(accuracy, &sizes.collect::<Vec<_>>());
        }
        for alone in [(1, 1e3, 0.2), (1, 1e9, 0.2), (6, 1e3, 1.0), (6, 1e9, 0.2)] {
            wind_up(accuracy, &[alone]);
        }
    }
}

#[test]
fn a_motor_at_its_foot_turns_an_arm_of_welded_links_as_fast_as_its_torque_allows() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for (links, speeds) in [(2, [10.0, 50.0, 200.0] as [Real; 3]), (3, [10.0, 50.0, 100.0]), (6, [5.0, 10.0, 50.0])]
        {
            for speed in speeds {
                for torque in [1e3, 1e4, 1e6, Real::INFINITY] as [Real; 4] {
                    let mut stage = Bench::new(1.0 / 60.0, accuracy).weightless();
                    let motor = Motor::velocity(speed, torque);
                    let made = |k, hinge: Joint, weld| if k == 0 { hinge.motor(motor) } else { weld };
                    let (bodies, _) = arm(&mut stage, (Vec3::ZERO, links), made);
                    let (length, name) =
                        (links as Real, format!("{accuracy:?}, {links} links, {speed} rad/s, {torque} N m"));
                    let inertia = MASS * length * length * length / 3.0;
                    for step in 1..=90 {
                        stage.step();
                        let turned = (torque * step as Real * stage.dt).min(inertia * speed);
                        let momentum = angular_momentum(&stage, &bodies);
                        let off = (momentum - Vec3::Z * turned).length() / (inertia * speed);
                        assert!(off < 0.01, "{name}, step {step}: {momentum} instead of {turned}");
                    }
                    assert!(stage.worst_gap() < 2e-3, "{name}: {}", stage.worst_gap());
                }
            }
        }
    }
}

#[test]
fn limits_of_an_arm_that_a_motor_swings_about_hold() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for links in [2, 3, 6] {
            for torque in [1e4, 1e6, Real::INFINITY] as [Real; 3] {
                let (speed, bound): (Real, Real) = (10.0, 0.1);
                let mut stage = Bench::new(1.0 / 60.0, accuracy);
                let motor = Motor::velocity(speed, torque);
                let made = |k, hinge: Joint, _| if k == 0 { hinge.motor(motor) } else { hinge.limits(-bound, bound) };
                let (bodies, joints) = arm(&mut stage, (Vec3::ZERO, links), made);
                let name = format!("{accuracy:?}, {links} links, {torque} N m");
                for step in 0..120 {
                    stage.step();
                    for &joint in &joints[1..] {
                        let angle = stage.state(joint).angle.x;
                        assert!(angle.abs() < bound + 0.02, "{name}, step {step}: {angle}");
                    }
                    let tip = stage.spin(*bodies.last().unwrap()).length();
                    assert!(tip < 6.0 * speed, "{name}, step {step}: {tip}");
                }
            }
        }
    }
}

#[test]
fn a_rod_of_no_length_is_a_point_constraint() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        let mut stage = Bench::new(1.0 / 60.0, accuracy);
        let body = stage.world.spawn(link(Vec3::X * 0.5));
        stage.join(Joint::distance(None, body, 0.0, 0.0).anchors(Vec3::ZERO, Vec3::X * -0.5));
        for _ in 0..300 {
            stage.step();
            let end = stage.position(body) - stage.orientation(body) * (Vec3::X * 0.5);
            assert!(end.length() < 2e-4, "{accuracy:?}: {end}");
            let energy = kinetic_energy(&stage, &[body]) + MASS * G as Real * stage.position(body).y;
            assert!(energy.abs() < 0.05, "{accuracy:?}: {energy} J");
        }
    }
}
