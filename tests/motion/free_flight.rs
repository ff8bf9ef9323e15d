//! Free flight and rotation against published tops, invariants and orders of convergence.

use dolmen::math::{Quat, Real, Vec3};
use dolmen::motion::rotation::{
    LANES, PrincipalInertia, RotationLaw, RotationState, integrate_orientation, isotropic, rotate, runge_kutta, strang,
    strang_many,
};
use dolmen::motion::{CompensatedSum, ballistic::Flight, damping::Decay};
use proptest::prelude::*;
use serde_json::Value;

const DOUBLE: bool = size_of::<Real>() == 8;

/// The error bound for double or single precision.
fn bar(double: f64, single: f64) -> f64 {
    if DOUBLE { double } else { single }
}

struct Top {
    inertia: PrincipalInertia,
    start: RotationState,
    samples: Vec<(f64, Quat)>,
}

fn numbers<const N: usize>(value: &Value) -> [Real; N] {
    std::array::from_fn(|i| value[i].as_f64().unwrap() as Real)
}

fn top(name: &str) -> Top {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/free_top.json")).unwrap();
    let top = &serde_json::from_str::<Value>(&text).unwrap()["tops"][name];
    let samples = top["samples"].as_array().unwrap().iter().map(|sample| {
        let [w, x, y, z] = numbers(&sample["q_wxyz"]);
        (sample["t"].as_f64().unwrap(), Quat::from_xyzw(x, y, z, w))
    });
    Top {
        inertia: PrincipalInertia::aligned(Vec3::from_array(numbers(&top["I"]))),
        start: RotationState::new(Quat::IDENTITY, Vec3::from_array(numbers(&top["omega0_body"]))),
        samples: samples.collect(),
    }
}

/// The angle (rad) between two orientations, accurate for small ones.
fn angle(a: Quat, b: Quat) -> f64 {
    let c = a * b.inverse();
    2.0 * f64::from(Vec3::new(c.x, c.y, c.z).length()).atan2(f64::from(c.w.abs()))
}

fn relative(a: Vec3, b: Vec3) -> f64 {
    f64::from((a - b).length() / b.length())
}

/// Simulates a top in steps of `1 / rate` and returns the largest angle to its samples up to
/// `until` seconds.
fn worst_angle(top: &Top, law: RotationLaw, rate: f64, until: f64) -> f64 {
    let (mut spin, mut taken, mut worst) = (top.start, 0, 0.0_f64);
    for &(t, orientation) in top.samples.iter().filter(|(t, _)| *t <= until) {
        while taken < (t * rate).round() as u64 {
            spin = rotate(law, spin, &top.inertia, Vec3::ZERO, (1.0 / rate) as Real);
            taken += 1;
        }
        worst = worst.max(angle(spin.orientation, orientation));
    }
    worst
}

#[test]
fn a1_the_tumbling_box_keeps_its_momentum_and_its_parabola() {
    for law in [RotationLaw::Strang, RotationLaw::RungeKutta] {
        let top = top("gazebo_box_exactI");
        let before = top.start.momentum(&top.inertia);
        let h = 1e-3;
        let (gravity, v) = (Vec3::new(0.0, 0.0, -9.8), Vec3::new(-2.0, 2.0, 8.0));
        let (mut spin, mut flight) = (top.start, Flight::new(Vec3::ZERO, v));
        let mut worst = 0.0_f64;
        for _ in 0..10_000 {
            // The state is read and written between steps.
            let Flight { center, velocity } = flight;
            flight.center = CompensatedSum::read(center.value, center.remainder);
            flight.velocity = CompensatedSum::read(velocity.value, velocity.remainder);
            flight = flight.step(gravity, h, Decay::NONE);
            spin = rotate(law, spin, &top.inertia, Vec3::ZERO, h);
            worst = worst.max(relative(spin.momentum(&top.inertia), before));
        }
        let landed = Vec3::new(-20.0, 20.0, 80.0 - 490.0);
        let miss = f64::from((flight.center.value - landed).length());
        println!("A1 {law:?}: momentum {worst:.1e}, position {miss:.1e} m");
        assert!(worst <= bar(1e-15, 2e-7), "{law:?}: momentum {worst:e}");
        assert!(miss <= bar(1e-9, 1e-3), "{law:?}: position {miss:e} m");
    }
}

#[test]
fn a2_dzhanibekovs_nut_flips_when_it_should() {
    let top = top("dzhanibekov_123");
    let [cheap, accurate] =
        [RotationLaw::Strang, RotationLaw::RungeKutta].map(|law| worst_angle(&top, law, 60.0, 10.0).to_degrees());
    println!("A2: Strang {cheap:.2e} deg, Runge-Kutta {accurate:.2e} deg");
    assert!(cheap <= 2.0, "{cheap} deg");
    assert!(accurate <= bar(0.05, 2.0), "{accurate} deg");
}

#[test]
fn free_tops_are_where_the_reference_has_them() {
    // Rotation about the middle axis is unstable: each flip multiplies an error. In single
    // precision rounding errors of the orientation grow to degrees, and more steps do not help.
    for (name, until) in
        [("gazebo_box_exactI", 10.0), ("dzhanibekov_123", 10.0), ("principia_359", 10.0), ("phone_box", 5.0)]
    {
        let top = top(name);
        let rate = if DOUBLE { 1000.0 } else { 60.0 };
        let strang = worst_angle(&top, RotationLaw::Strang, rate, until);
        let runge_kutta = worst_angle(&top, RotationLaw::RungeKutta, rate, until);
        println!("{name}: Strang {strang:.1e}, Runge-Kutta {runge_kutta:.1e} rad");
        assert!(strang <= bar(5e-5, 0.1), "{name}: {strang:e} rad");
        assert!(runge_kutta <= bar(2e-9, 0.02), "{name}: {runge_kutta:e} rad");
    }
}

#[test]
fn a_symmetric_top_is_exact_in_one_step_of_any_length() {
    let top = top("axisym_1_1_2");
    for &(t, orientation) in &top.samples {
        let spin = strang(top.start, &top.inertia, Vec3::ZERO, t as Real);
        let error = angle(spin.orientation, orientation);
        assert!(error <= bar(1e-12, 5e-7) * (1.0 + 7.0 * t), "{t} s: {error:e} rad");
    }
}

/// The order of convergence of a law over half a second, from the errors at `steps` and at twice as
/// many.
fn order(
    law: impl Fn(RotationState, Vec3, Real) -> RotationState,
    start: RotationState,
    torque: Vec3,
    steps: u32,
    exact: Quat,
) -> f64 {
    let [coarse, fine] = [steps, 2 * steps].map(|n| {
        let spin = (0..n).fold(start, |spin, _| law(spin, torque, 0.5 / n as Real));
        angle(spin.orientation, exact)
    });
    (coarse / fine).log2()
}

fn tumbling() -> (PrincipalInertia, RotationState) {
    let frame = (Quat::from_rotation_x(0.4) * Quat::from_rotation_z(-1.1)).normalize();
    let inertia = PrincipalInertia::new(Vec3::new(3.0, 1.0, 2.2), frame);
    (inertia, RotationState::new(Quat::from_rotation_y(0.3), Vec3::new(2.0, 3.0, -4.0)))
}

#[test]
fn the_splitting_is_of_second_order_with_and_without_torque() {
    let (inertia, start) = tumbling();
    for torque in [Vec3::ZERO, Vec3::new(2.0, -5.0, 3.0)] {
        let exact = (0..128).fold(start, |spin, _| runge_kutta(spin, &inertia, torque, 0.5 / 128.0)).orientation;
        let order = order(|spin, torque, h| strang(spin, &inertia, torque, h), start, torque, 8, exact);
        assert!((order - 2.0).abs() < 0.05, "order {order}, torque {torque}");
    }
}

#[cfg(feature = "f64")]
#[test]
fn runge_kutta_is_of_fourth_order_with_and_without_torque() {
    let (inertia, start) = tumbling();
    for torque in [Vec3::ZERO, Vec3::new(2.0, -5.0, 3.0)] {
        let exact = (0..4000).fold(start, |spin, _| runge_kutta(spin, &inertia, torque, 0.5 / 4000.0)).orientation;
        let order = order(|spin, torque, h| runge_kutta(spin, &inertia, torque, h), start, torque, 32, exact);
        assert!((order - 4.0).abs() < 0.1, "order {order}, torque {torque}");
    }
}

#[cfg(feature = "f64")]
#[test]
fn an_isotropic_body_under_a_slanting_torque_is_of_fourth_order() {
    let inertia = PrincipalInertia::aligned(Vec3::splat(0.7));
    let (_, start) = tumbling();
    let torque = Vec3::new(5.0, -2.0, 3.0);
    let exact = (0..4000).fold(start, |spin, _| runge_kutta(spin, &inertia, torque, 0.5 / 4000.0)).orientation;
    let order = order(|spin, torque, h| isotropic(spin, 0.7, torque, h), start, torque, 8, exact);
    assert!((order - 4.0).abs() < 0.1, "order {order}");
}

#[test]
fn a_ball_keeps_its_spin_to_the_last_bit() {
    let (w, h) = (Vec3::new(1.0, -2.0, 0.5), 0.01);
    let spin = (0..1000).fold(RotationState::new(Quat::IDENTITY, w), |spin, _| isotropic(spin, 0.4, Vec3::ZERO, h));
    assert_eq!(spin.velocity, w);
    let error = angle(spin.orientation, integrate_orientation(Quat::IDENTITY, w * 10.0));
    assert!(error <= bar(1e-12, 2e-5), "{error:e}");
}

#[test]
fn momentum_does_not_drift_over_ten_thousand_steps_that_a_game_reads() {
    let (inertia, start) = tumbling();
    let elongated = PrincipalInertia::new(Vec3::new(14.0, 0.68, 13.4), inertia.frame());
    for inertia in [inertia, elongated] {
        let before = start.momentum(&inertia);
        for law in [strang, runge_kutta] {
            let spin = (0..10_000).fold(start, |spin, _| law(spin, &inertia, Vec3::ZERO, 1.0 / 60.0));
            let drift = relative(spin.momentum(&inertia), before);
            assert!(drift <= bar(1e-15, 2e-7), "{drift:e}");
        }
    }
}

#[test]
fn a_body_that_the_game_stops_stays_stopped() {
    let (inertia, start) = tumbling();
    let fast = RotationState { velocity: start.velocity * 1000.0, ..start };
    let spin = (0..50).fold(fast, |spin, _| strang(spin, &inertia, Vec3::ZERO, 1e-4));
    assert_ne!(spin.residual, Vec3::ZERO, "rounding leaves something");
    let stopped = strang(RotationState { velocity: Vec3::ZERO, ..spin }, &inertia, Vec3::ZERO, 0.01);
    assert_eq!(stopped.velocity, Vec3::ZERO);
}

#[test]
fn a_body_too_fast_to_follow_keeps_momentum_energy_and_its_unit_quaternion() {
    let (inertia, start) = tumbling();
    let fast = RotationState { velocity: start.velocity * 1000.0, ..start };
    for law in [strang, runge_kutta] {
        let spin = (0..100).fold(fast, |spin, _| law(spin, &inertia, Vec3::ZERO, 1.0 / 60.0));
        assert!(relative(spin.momentum(&inertia), fast.momentum(&inertia)) <= bar(1e-14, 1e-6));
        assert!((spin.orientation.length() - 1.0).abs() <= 4.0 * Real::EPSILON);
        let energy = spin.energy(&inertia) / fast.energy(&inertia);
        // The momentum bounds it for any orientation, to a factor of I_max / I_min.
        assert!((1.0 / 3.0..3.0).contains(&energy), "{energy}");
    }
}

#[test]
fn damped_rotation_is_free_rotation_in_slower_time() {
    let (inertia, start) = tumbling();
    let (rate, h) = (0.5, 1e-3);
    let decay = Decay::over(rate, h);
    let spin =
        (0..2000).fold(start, |spin, _| runge_kutta(spin, &inertia, Vec3::ZERO, h * decay.mean).scaled(decay.left()));
    let expected = start.momentum(&inertia) * (-1.0 as Real).exp();
    assert!(relative(spin.momentum(&inertia), expected) <= bar(1e-12, 2e-4));
    let whole = Decay::over(rate, 2.0);
    let n = 2000;
    let free = (0..n).fold(start, |spin, _| runge_kutta(spin, &inertia, Vec3::ZERO, 2.0 * whole.mean / n as Real));
    assert!(angle(spin.orientation, free.orientation) <= bar(1e-9, 1e-3));
}

fn real3(range: std::ops::Range<f64>) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(range).prop_map(|v| Vec3::new(v[0] as Real, v[1] as Real, v[2] as Real))
}

prop_compose! {
    /// Any body: moments of a box from thin to long, any frame, any state.
    fn any_body()(
        half in real3(0.05..2.0), density in 0.1..100.0_f64, turns in prop::array::uniform2(real3(-3.0..3.0)),
        velocity in real3(-20.0..20.0), torque in real3(-50.0..50.0),
    ) -> (PrincipalInertia, RotationState, Vec3) {
        let s = half * half;
        let principal = Vec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * density as Real;
        let [frame, orientation] = turns.map(|turn| integrate_orientation(Quat::IDENTITY, turn));
        (PrincipalInertia::new(principal, frame), RotationState::new(orientation, velocity), torque)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn momentum_grows_by_the_torque_and_nothing_else((inertia, start, torque) in any_body(), h in 1e-4..0.05_f64) {
        let h = h as Real;
        for law in [strang, runge_kutta] {
            let mut spin = start;
            for _ in 0..10 {
                spin = law(spin, &inertia, torque, h);
            }
            let expected = start.momentum(&inertia) + torque * (10.0 * h);
            let size = inertia.principal().max_element() * start.velocity.length() + torque.length() * h * 10.0;
            prop_assert!(f64::from((spin.momentum(&inertia) - expected).length()) <= bar(1e-14, 2e-6) * f64::from(size));
        }
    }

    #[test]
    fn a_step_back_undoes_a_step((inertia, start, torque) in any_body(), h in 1e-3..0.05_f64) {
        let there = strang(start, &inertia, torque, h as Real);
        let back = strang(there, &inertia, torque, -h as Real);
        prop_assert!(angle(back.orientation, start.orientation) <= bar(1e-13, 2e-5));
    }

    #[test]
    fn the_splittings_energy_error_stays_bounded((inertia, start, _) in any_body()) {
        // The fastest axis turns by a tenth of a radian per step.
        let rate = (2.0 * start.energy(&inertia) / inertia.principal().min_element()).sqrt();
        prop_assume!(rate > 0.1);
        let (before, mut spin, mut worst) = (start.energy(&inertia), start, 0.0);
        for _ in 0..2000 {
            spin = strang(spin, &inertia, Vec3::ZERO, 0.1 / rate);
            worst = Real::max(worst, (spin.energy(&inertia) / before - 1.0).abs());
        }
        prop_assert!(worst <= 5e-3, "{}", worst);
    }

    #[test]
    fn a_step_keeps_the_energy_however_fast_a_body_tumbles((inertia, start, _) in any_body(), turn in -2.0..4.0_f64) {
        let h = (10.0_f64).powf(turn) as Real / start.velocity.length().max(1e-3);
        for law in [RotationLaw::Strang, RotationLaw::RungeKutta] {
            let mut spin = start;
            for _ in 0..8 {
                let before = spin.energy(&inertia);
                spin = rotate(law, spin, &inertia, Vec3::ZERO, h);
                let change = (spin.energy(&inertia) / before - 1.0).abs();
                prop_assert!(change <= 1e-3, "{law:?}: {change}");
            }
        }
    }

    #[test]
    fn the_frame_only_names_the_axes((inertia, start, torque) in any_body()) {
        // The same body with its own axes along the principal ones.
        let aligned = PrincipalInertia::aligned(inertia.principal());
        let other = RotationState::new((start.orientation * inertia.frame()).normalize(), start.velocity);
        for law in [strang, runge_kutta] {
            let a = law(start, &inertia, torque, 0.01);
            let b = law(other, &aligned, torque, 0.01);
            prop_assert!(angle(a.orientation * inertia.frame(), b.orientation) <= bar(1e-13, 2e-5));
        }
    }

    #[test]
    fn many_bodies_get_the_bits_of_one(bodies in prop::collection::vec(any_body(), 1..3 * LANES)) {
        let mut spins: Vec<RotationState> = bodies.iter().map(|body| body.1).collect();
        let inertias: Vec<PrincipalInertia> = bodies.iter().map(|body| body.0).collect();
        let torques: Vec<Vec3> = bodies.iter().map(|body| body.2).collect();
        for _ in 0..3 {
            let alone: Vec<RotationState> =
                (0..spins.len()).map(|i| strang(spins[i], &inertias[i], torques[i], 1.0 / 60.0)).collect();
            strang_many(&mut spins, &inertias, &torques, 1.0 / 60.0);
            prop_assert_eq!(&spins, &alone);
        }
    }
}

#[test]
fn columns_of_unequal_length_are_a_defect() {
    let spin = RotationState::new(Quat::IDENTITY, Vec3::X);
    let inertia = PrincipalInertia::new(Vec3::ONE, Quat::IDENTITY);
    for (spins, inertias, torques) in [(2, 3, 3), (3, 2, 3), (3, 3, 2), (0, 1, 0)] {
        let step =
            || strang_many(&mut vec![spin; spins], &vec![inertia; inertias], &vec![Vec3::ZERO; torques], 1.0 / 60.0);
        let panic = std::panic::catch_unwind(step).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"columns of unequal length"));
    }
}

#[test]
fn a_body_whose_centre_is_not_its_origin_spins_about_its_centre_and_falls_on_its_heavy_side() {
    use dolmen::prelude::*;
    let mut world = hecs::World::new();
    let mut physics = Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() });
    let heavy = Vec3::new(0.3, 0.0, 0.0);
    let spun = Body::dynamic(Collider::cuboid(0.5, 0.2, 0.2)).center_of_mass(heavy);
    let e = world.spawn(spun.angular_velocity(Vec3::Z * 2.0).at(1.0, 2.0, 3.0));
    for step in 1..=60 {
        physics.step(&mut world, 1.0 / 60.0).unwrap();
        let turned = Quat::from_rotation_z(2.0 * step as Real / 60.0);
        let expected = Vec3::new(1.3, 2.0, 3.0) - turned * heavy;
        let at = world.get::<&Position>(e).unwrap().0;
        assert!((at - expected).length() < 1e-4, "{step}: {at} for {expected}");
        assert!((physics.center_of_mass(&world, e).unwrap() - Vec3::new(1.3, 2.0, 3.0)).length() < 1e-4);
    }
    // With its geometric centre above a corner, it tips towards its centre of mass.
    for side in [-0.15, 0.15] {
        let mut world = hecs::World::new();
        let mut physics = Physics::default();
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let post = Body::dynamic(Collider::cuboid(0.1, 0.5, 0.1)).center_of_mass(Vec3::new(side, 0.0, 0.0));
        let e = world.spawn(post.at(0.0, 0.5, 0.0));
        for _ in 0..180 {
            physics.step(&mut world, 1.0 / 60.0).unwrap();
        }
        let up = world.get::<&Orientation>(e).unwrap().0 * Vec3::Y;
        assert!(up.x * side.signum() > 0.9, "{side}: {up}");
    }
}

#[test]
fn a_force_on_a_point_moves_and_turns_as_its_torque_says() {
    use dolmen::prelude::*;
    let mut world = hecs::World::new();
    let mut physics = Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() });
    let (force, torque) = ExternalForce::at_point(Vec3::Y * 3.0, Vec3::new(2.0, 0.0, 0.0), Vec3::ZERO);
    let body = Body::free(2.0, Inertia::diagonal(3.0, 3.0, 4.0)).force(force.0).torque(torque.0);
    let e = world.spawn(body);
    for _ in 0..60 {
        physics.step(&mut world, 1.0 / 60.0).unwrap();
    }
    assert!((world.get::<&LinearVelocity>(e).unwrap().0 - Vec3::Y * 1.5).length() < 1e-4);
    assert!((world.get::<&AngularVelocity>(e).unwrap().0 - Vec3::Z * 1.5).length() < 1e-4);
}

#[test]
fn velocities_are_limited_where_the_game_asks_for_it_and_nowhere_else() {
    use dolmen::prelude::*;
    let mut world = hecs::World::new();
    let mut physics = Physics::default();
    let ball = || Body::dynamic(Collider::ball(0.1)).angular_velocity(Vec3::X * 50.0);
    let free = world.spawn(ball());
    let limited = world.spawn(ball().at(5.0, 0.0, 0.0));
    world.insert_one(limited, VelocityLimit { linear: 3.0, angular: 7.0 }).unwrap();
    for _ in 0..60 {
        physics.step(&mut world, 1.0 / 60.0).unwrap();
    }
    let speeds = |e| {
        let (v, w) = (world.get::<&LinearVelocity>(e).unwrap().0, world.get::<&AngularVelocity>(e).unwrap().0);
        (v.length(), w.length())
    };
    assert!((speeds(free).0 - 9.81).abs() < 1e-3 && (speeds(free).1 - 50.0).abs() < 1e-3);
    assert!((speeds(limited).0 - 3.0).abs() < 1e-5 && (speeds(limited).1 - 7.0).abs() < 1e-5);
}
