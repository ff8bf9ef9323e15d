//! The account of energy: every joule is booked where it belongs, and no healthy scene gains any.

use dolmen::energy::EnergyBalance;
use dolmen::prelude::*;
use dolmen::scene::{Simulation, generators};
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;

fn counting() -> Physics {
    Physics::new(Settings { energy_tolerance: Some(0.01), sleep: false, ..Settings::default() })
}

/// The sums of the accounts of so many steps, and the kinetic energy after them (J).
fn book(world: &mut World, physics: &mut Physics, steps: usize) -> (EnergyBalance, f64) {
    let mut sum = EnergyBalance::default();
    for step in 0..steps {
        let balance = physics.step(world, DT).unwrap().energy.expect("an account");
        let closed = balance.before + balance.work() - balance.impacts - balance.damping - balance.friction;
        let scale = balance.before + balance.after + balance.work().abs() + 1e-9;
        assert!((closed + balance.gained - balance.removed - balance.after).abs() < 1e-9 * scale, "{step} {balance:?}");
        assert!((balance.after - physics.kinetic_energy()).abs() < 1e-5 * scale, "{step} {balance:?}");
        assert_eq!(balance.removed, 0.0, "{step} {balance:?}");
        sum += balance;
    }
    (sum, physics.kinetic_energy())
}

#[track_caller]
fn assert_near(got: f64, expected: f64, share: f64) {
    assert!((got - expected).abs() <= share * expected.abs(), "{got} instead of {expected}");
}

/// A floor, and a box of 2 kg on it.
fn on_floor(floor: Body, v: Vec3) -> World {
    let mut world = World::new();
    world.spawn(floor);
    world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.2, 0.5)).at(0.0, 0.2, 0.0).mass(2.0).linear_velocity(v));
    world
}

#[test]
fn friction_takes_what_a_sliding_box_had() {
    let mut world = on_floor(Body::fixed(Collider::cuboid(50.0, 1.0, 50.0)).at(0.0, -1.0, 0.0), Vec3::X * 3.0);
    let (sum, left) = book(&mut world, &mut counting(), 60);
    assert!(left < 1e-6);
    assert_near(sum.friction + sum.impacts, 9.0, 0.01);
}

#[test]
fn pushing_a_box_out_of_the_floor_does_the_work_of_lifting_it() {
    for depth in [1e-3, 1e-2, 5e-2] as [Real; 3] {
        let mut world = World::new();
        world.spawn(Body::fixed(Collider::cuboid(50.0, 1.0, 50.0)).at(0.0, -1.0, 0.0));
        world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.2, 0.5)).at(0.0, 0.2 - depth, 0.0).mass(2.0));
        let (sum, left) = book(&mut world, &mut counting(), 120);
        let lift = 2.0 * 9.81 * f64::from(depth);
        assert!(left < 1e-6 && sum.gained < 1e-9 * lift, "{depth}: {sum:?}");
        assert!(sum.push_out > 0.5 * lift && sum.push_out < 1.5 * lift, "{depth}: {} of {lift}", sum.push_out);
    }
}

/// A joint pulls its bodies together from any distance at metres per second, and next to none of
/// that stays with them.
#[test]
fn a_joint_made_between_bodies_far_apart_leaves_them_slow() {
    for apart in [0.1, 1.0, 5.0] as [Real; 3] {
        for ratio in [1.0, 100.0] as [Real; 2] {
            let mut world = World::new();
            let mut spawn = |x: Real, mass: Real| {
                world.spawn(Body::dynamic(Collider::cuboid(0.2, 0.1, 0.15)).at(x, 0.0, 0.0).mass(mass))
            };
            let ends = [spawn(0.0, 1.0), spawn(apart, ratio)];
            let anchors = [Vec3::new(0.2, 0.1, 0.0), Vec3::new(0.0, -0.1, 0.15)];
            let joint = Joint::spherical(ends[0], ends[1]).anchors(anchors[0], anchors[1]);
            world.spawn((joint, JointState::default()));
            let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
            let mut physics = Physics::new(settings);
            for _ in 0..60 {
                physics.step(&mut world, DT).unwrap();
            }
            let anchor = |end: usize| {
                let (at, turned) =
                    (world.get::<&Position>(ends[end]).unwrap().0, world.get::<&Orientation>(ends[end]).unwrap().0);
                at + turned * anchors[end]
            };
            let (gap, energy) = ((anchor(0) - anchor(1)).length(), physics.kinetic_energy());
            assert!(gap < 1e-3 && energy < 1.0, "{apart} m, {ratio}:1: {gap} m, {energy} J");
        }
    }
}

/// Joints at rest without gravity close what rounding opens, and that is no gain.
#[test]
fn what_rests_on_joints_without_gravity_is_not_said_to_gain() {
    let mut told = Vec::new();
    for distance in [0.3, 3.0, 30.0] as [Real; 3] {
        for seed in 0..8 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut between = |least: Real, most: Real| least + (most - least) * random.f64() as Real;
            let mut world = World::new();
            let mut last: Option<Entity> = None;
            for link in 0..6 {
                let at = Vec3::new(distance + 0.4 * link as Real, between(-0.1, 0.1), between(-0.1, 0.1));
                let turn =
                    Quat::from_scaled_axis(Vec3::new(between(-1.0, 1.0), between(-1.0, 1.0), between(-1.0, 1.0)));
                let body = Body::dynamic(Collider::cuboid(0.1, 0.05, 0.08)).at(at.x, at.y, at.z);
                let next = world.spawn(body.orientation(turn));
                let joint = match seed % 2 {
                    0 => Joint::revolute(last, next),
                    _ => Joint::spherical(last, next),
                };
                let joint = joint.placed(&world, at - Vec3::X * 0.2, Vec3::Y).unwrap();
                world.spawn((joint, JointState::default()));
                last = Some(next);
            }
            let mut physics = Physics::new(Settings { gravity: Vec3::ZERO, sleep: false, ..Settings::default() });
            for step in 0..120 {
                physics.step(&mut world, DT).unwrap();
                let gains = physics.events().iter().filter(|e| matches!(e, Event::EnergyGained { .. })).count();
                (gains > 0).then(|| told.push((distance, seed, step)));
            }
        }
    }
    assert!(told.is_empty(), "{told:?}");
}

/// Closing takes many steps, and its work is that of the edit in each of them.
#[test]
fn a_joint_that_an_edit_took_apart_may_lift_until_it_has_closed() {
    for apart in [0.1, 1.0, 5.0] as [Real; 3] {
        let mut world = World::new();
        let body = world.spawn(Body::dynamic(Collider::cuboid(0.2, 0.1, 0.15)));
        let hook = Joint::spherical(None, body).anchors(Vec3::Y * apart, Vec3::Y * 0.1);
        world.spawn((hook, JointState::default()));
        let mut physics = counting();
        for step in 0..120 {
            physics.step(&mut world, DT).unwrap();
            let account = physics.energy_account();
            let [island] = account.islands.as_slice() else { panic!("{} islands", account.islands.len()) };
            assert!(island.balance.gained < 1e-3 * island.scale, "{apart} m, step {step}: {:?}", island.balance);
            assert_eq!(island.balance.removed, 0.0, "{apart} m, step {step}");
        }
        let height = world.get::<&Position>(body).unwrap().0.y;
        assert!((height + 0.1 - apart).abs() < 1e-3, "{apart} m: {height}");
    }
}

#[test]
fn a_lift_and_a_belt_do_work() {
    let lift = Body::kinematic(Collider::cuboid(2.0, 0.5, 2.0)).at(0.0, -0.5, 0.0).linear_velocity(Vec3::Y * 0.5);
    let mut world = on_floor(lift, Vec3::Y * 0.5);
    let (sum, _) = book(&mut world, &mut counting(), 120);
    assert_near(sum.kinematic, 2.0 * 9.81, 0.02);
    assert_near(sum.gravity, -2.0 * 9.81, 0.02);

    let mut world = on_floor(Body::fixed(Collider::cuboid(50.0, 1.0, 50.0)).at(0.0, -1.0, 0.0), Vec3::ZERO);
    let floor = world.query::<(hecs::Entity, &RigidBody)>().iter().find(|(_, k)| **k == RigidBody::Static).unwrap().0;
    world.insert_one(floor, SurfaceVelocity(Vec3::X * 2.0)).unwrap();
    let (sum, kinetic) = book(&mut world, &mut counting(), 60);
    assert_near(kinetic, 4.0, 0.01);
    // The belt runs at its speed while the box catches up: half of its work is friction.
    assert_near(sum.kinematic, 8.0, 0.03);
    assert_near(sum.friction, 4.0, 0.06);
}

#[test]
fn motors_springs_forces_and_torques_do_work() {
    let mut world = World::new();
    let wheel = world.spawn(Body::dynamic(Collider::cylinder(0.1, 0.5)).mass(2.0));
    let motor = Joint::revolute(None, wheel).axes(Vec3::Y, Vec3::Y).motor(Motor::velocity(8.0, 3.0));
    world.spawn((motor, JointState::default()));
    let (sum, kinetic) = book(&mut world, &mut counting(), 60);
    assert!(kinetic > 5.0);
    assert_near(sum.joints, kinetic, 0.02);

    let mut world = World::new();
    let bob = world.spawn(Body::dynamic(Collider::ball(0.2)).at(1.5, 0.0, 0.0).mass(1.0));
    world.insert_one(bob, GravityScale(0.0)).unwrap();
    let spring = JointSpring::Si { stiffness: 20.0, damping: 0.0 };
    world.spawn((Joint::spring(None, bob, 1.0, spring), JointState::default()));
    let (sum, kinetic) = book(&mut world, &mut counting(), 20);
    assert!(kinetic > 1.0);
    assert_near(sum.joints, kinetic, 0.03);

    let mut world = World::new();
    let body = world.spawn(Body::dynamic(Collider::ball(0.5)).mass(2.0));
    world.insert(body, (GravityScale(0.0), ExternalForce(Vec3::X * 3.0), ExternalTorque(Vec3::Y * 0.2))).unwrap();
    let (sum, kinetic) = book(&mut world, &mut counting(), 60);
    assert_near(sum.forces, kinetic, 1e-3);
    assert_near(kinetic, 0.5 * 9.0 / 2.0 + 0.5 * 0.04 / 0.2, 1e-3);
}

#[test]
fn damping_and_impacts_take_energy() {
    let mut world = World::new();
    let body = world.spawn(Body::dynamic(Collider::ball(0.5)).mass(2.0).linear_velocity(Vec3::X * 4.0));
    world.insert(body, (GravityScale(0.0), Damping { linear: 1.0, angular: 0.0 })).unwrap();
    let (sum, kinetic) = book(&mut world, &mut counting(), 60);
    assert_near(sum.damping, 16.0 - kinetic, 1e-4);
    assert!(sum.friction.abs() < 1e-3);

    let mut world = World::new();
    let bouncy = Material::new(0.5, 0.5);
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(bouncy));
    let ball = Body::dynamic(Collider::ball(0.5)).at(0.0, 0.6, 0.0).mass(2.0).linear_velocity(Vec3::Y * -3.0);
    world.spawn(ball.material(bouncy));
    let (sum, _) = book(&mut world, &mut counting(), 6);
    // Booked at the extrapolated start of the step: the work of gravity up to the impact is missing.
    assert_near(sum.impacts, 0.75 * (9.0 + 2.0 * 9.81 * 0.1), 0.2);
}

#[test]
fn generated_scenes_gain_nothing() {
    for (name, size, steps) in [("pyramid", 8, 60), ("pile", 100, 150), ("funnel", 40, 120), ("breach", 4, 90)] {
        let mut simulation = Simulation::new(&generators::make(name, Some(size)).unwrap().scene).unwrap();
        simulation.physics().settings.energy_tolerance = Some(0.05);
        for step in 0..steps {
            simulation.step().unwrap();
            let gains: Vec<_> =
                simulation.physics().events().iter().filter(|e| matches!(e, Event::EnergyGained { .. })).collect();
            assert!(gains.is_empty(), "{name} {step}: {gains:?}");
        }
    }
}

/// The largest gain of an island in a step, relative to the scale of its account.
fn largest_gain(world: &mut World, steps: usize, (accuracy, dt): (Accuracy, Real)) -> f64 {
    let mut physics = Physics::new(Settings { accuracy, energy_guard: false, ..counting().settings });
    let mut gain = |_| {
        physics.step(world, dt).unwrap();
        let islands = &physics.energy_account().islands;
        islands.iter().map(|island| island.balance.gained / island.scale).fold(0.0, f64::max)
    };
    (0..steps).map(&mut gain).fold(0.0, f64::max)
}

/// A hop slower than a step of free fall ends within the step: the body lies on the floor at its end,
/// and not where half the speed of the hop would take it, unless that is low.
#[test]
fn a_hop_that_ends_within_the_step_hardly_lifts() {
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for (dt, up) in [(DT, 0.001), (DT, 0.03), (DT, 0.07), (2.0 * DT, 0.04)] {
            for shape in [Collider::ball(0.2), Collider::cuboid(0.2, 0.2, 0.2)] {
                let mut world = World::new();
                world.spawn(Body::fixed(Collider::cuboid(50.0, 1.0, 50.0)).at(0.0, -1.0, 0.0));
                world.spawn(Body::dynamic(shape).at(0.0, 0.2, 0.0).linear_velocity(Vec3::Y * up));
                let gain = largest_gain(&mut world, 30, (accuracy, dt));
                assert!(gain < 0.1, "{accuracy:?}, {up} m/s, {dt} s: {gain:e}");
            }
        }
    }
}
