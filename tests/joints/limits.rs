//! Limits stop bodies, and add no energy.

use crate::stage::*;
use dolmen::math::Real;
use dolmen::prelude::*;
use hecs::Entity;
use proptest::prelude::*;

fn limited(least: Real, most: Real) -> JointAxis {
    JointAxis { limits: Some([least, most]), ..JointAxis::default() }
}

fn kinetic_energy(stage: &Bench) -> Real {
    stage.physics.state().kinetic_energy() as Real
}

/// Steady motion changes in no substep: the early exit must not skip the limit ahead.
#[test]
fn a_slider_on_its_steady_way_is_stopped_by_its_limit_wherever_in_a_step_it_gets_there() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for speed in [0.3, 1.5, 9.0] as [Real; 3] {
            for arm in [0.0, 2.5] as [Real; 2] {
                for start in 0..10 {
                    let mut stage = Bench::new(1.0 / 60.0, accuracy).weightless();
                    let body = stage.world.spawn(bob(2.0, 0.2).linear_velocity(Vec3::X * speed));
                    let mut slider = Joint::prismatic(None, body).placed(&stage.world, Vec3::Y * arm, Vec3::X).unwrap();
                    let limit = 0.4 + 0.013 * start as Real * speed;
                    slider.kind = JointKind::Prismatic(limited(-1.0, limit));
                    let joint = stage.join(slider);
                    let mut furthest: Real = 0.0;
                    for _ in 0..(60.0 * (limit / speed + 0.2)) as usize {
                        stage.step();
                        furthest = furthest.max(stage.state(joint).position.x);
                    }
                    let case = format!("{accuracy:?}, {speed} m/s, arm {arm}, limit {limit}");
                    // It may be stopped a substep early, but not late.
                    let reached = furthest < limit + 1e-4 * speed && furthest > limit - speed / 240.0;
                    assert!(reached, "{case}: went to {furthest}");
                    // On the long arm joints are more compliant: a fiftieth of the energy may be
                    // left.
                    assert!(stage.velocity(body).length() < 0.14 * speed, "{case}: left at {}", stage.velocity(body));
                }
            }
        }
    }
}

#[test]
fn a_joint_that_leaves_every_axis_free_does_nothing() {
    let mut stage = Bench::game().weightless();
    let ends = [0.0, 1.0].map(|x| {
        stage.world.spawn(bob(1.0, 0.2).at(x, 0.0, 0.0).linear_velocity(Vec3::Y * x).angular_velocity(Vec3::Z))
    });
    let free: [JointFreedom; 6] = std::array::from_fn(|_| JointFreedom::FREE);
    let joint =
        stage.join(Joint::generic(ends[0], ends[1], free).placed(&stage.world, Vec3::X * 0.5, Vec3::X).unwrap());
    // A joint beside it holds all the same.
    let pinned = stage.world.spawn(bob(1.0, 0.2).at(2.0, 0.0, 0.0));
    let pin = Joint::spherical(ends[1], pinned).placed(&stage.world, Vec3::X * 1.5, Vec3::X).unwrap();
    stage.join(pin);
    stage.run(1.0);
    assert_eq!(stage.velocity(ends[0]), Vec3::ZERO);
    assert!((stage.velocity(ends[1]) + stage.velocity(pinned) - Vec3::Y).length() < 1e-5);
    assert_eq!((stage.state(joint).force, stage.state(joint).torque), (Vec3::ZERO, Vec3::ZERO));
    assert!((stage.position(ends[1]).distance(stage.position(pinned)) - 1.0).abs() < 1e-3);
}

/// A joint of a random graph: its bodies, kind, axis, and limits as fractions of the widest.
type RandomJoint = (usize, usize, u8, [Real; 3], [[Real; 2]; 6]);
/// A body: position, mass, velocities.
type Link = ([Real; 3], Real, [Real; 3], [Real; 3]);

fn vector(size: Real) -> impl Strategy<Value = [Real; 3]> {
    prop::array::uniform3(-size..size)
}

/// The joint of a link; free axes are limited.
fn joint(stage: &Bench, links: &[Entity], (a, b, kind, axis, limits): &RandomJoint) -> Option<Joint> {
    let (a, b) = (a % (links.len() + 1), b % links.len());
    if a == b {
        return None;
    }
    let (first, second) = (links.get(a).copied(), links[b]);
    let at = first.map_or(Vec3::ZERO, |first| stage.position(first));
    let axis = Vec3::from(*axis).try_normalize()?;
    let of = |k: usize, widest: Real| limited(-limits[k][0] * widest, limits[k][1] * widest);
    let mut joint = match kind % 3 {
        0 => Joint::revolute(first, second),
        1 => Joint::prismatic(first, second),
        _ => {
            let free = |k: usize| (kind >> (k + 2)) & 1 == 1;
            let widest = |k: usize| if k < 3 { 0.75 } else { 1.2 };
            Joint::generic(
                first,
                second,
                std::array::from_fn(
                    |k| if free(k) { JointFreedom::Free(of(k, widest(k))) } else { JointFreedom::Locked },
                ),
            )
        }
    };
    match &mut joint.kind {
        JointKind::Revolute(axis) => *axis = of(0, 1.5),
        JointKind::Prismatic(axis) => *axis = of(1, 0.75),
        _ => {}
    }
    Some(joint.placed(&stage.world, (at + stage.position(second)) * 0.5, axis).expect("both are there"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 0, ..ProptestConfig::default() })]

    /// Trees and rings of joints that strike their limits again and again, with arms much longer
    /// than the bodies are wide.
    #[test]
    fn tangles_of_limited_joints_gain_no_energy(
        links in prop::collection::vec((vector(3.0), 20.0..500.0 as Real, vector(3.0), vector(6.0)), 3..12),
        random_joints in prop::collection::vec((any::<usize>(), any::<usize>(), any::<u8>(), vector(1.0), prop::array::uniform6(prop::array::uniform2(0.02..1.0 as Real))), 2..11),
        exact in any::<bool>(),
    ) {
        let mut stage = Bench::new(1.0 / 60.0, if exact { Accuracy::Exact } else { Accuracy::Game }).weightless();
        let (mut bodies, mut start) = (Vec::new(), 0.0);
        for &(at, mass, velocity, spin) in &links as &Vec<Link> {
            let (at, velocity, spin, radius) = (Vec3::from(at), Vec3::from(velocity), Vec3::from(spin), 0.4);
            let body = bob(mass, radius).position(at).linear_velocity(velocity).angular_velocity(spin);
            bodies.push(stage.world.spawn(body));
            start += 0.5 * mass * (velocity.length_squared() + 0.4 * radius * radius * spin.length_squared());
        }
        for random_joint in &random_joints {
            if let Some(joint) = joint(&stage, &bodies, random_joint) {
                stage.join(joint);
            }
        }
        let mut least = start;
        for step in 0..200 {
            stage.step();
            let now = kinetic_energy(&stage);
            prop_assert!(now - least < 0.1 * start, "{start} J at first, {least} J at least, {now} J after step {step}");
            least = least.min(now);
        }
    }
}
