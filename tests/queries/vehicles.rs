//! Anti-roll bars, drive trains and tracks against closed forms.

use dolmen::control::{AntiRollBar, DriveTrain, Vehicle, Wheel, step_vehicles};
use dolmen::prelude::*;
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;
const MASS: Real = 1200.0;
const G: Real = 9.81;
const TRACK: Real = 1.5;

fn position(world: &World, entity: Entity) -> Vec3 {
    world.get::<&Position>(entity).unwrap().0
}

fn velocity(world: &World, entity: Entity) -> Vec3 {
    world.get::<&LinearVelocity>(entity).unwrap().0
}

fn on_a_plain(vehicle: Vehicle) -> (World, Physics, Entity) {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let chassis = Body::dynamic(Collider::cuboid(2.0, 0.3, 0.8)).mass(MASS).at(0.0, 0.7, 0.0);
    let car = world.spawn(chassis.with(vehicle));
    run(&mut world, &mut physics, 240);
    (world, physics, car)
}

fn run(world: &mut World, physics: &mut Physics, steps: usize) {
    for _ in 0..steps {
        step_vehicles(world, physics, DT).unwrap();
        physics.step(world, DT).unwrap();
    }
}

fn car() -> Vehicle {
    Vehicle::four_wheels(Wheel::default(), 2.6, TRACK, 0.0)
}

fn tank() -> Vehicle {
    let wheel = Wheel { radius: 0.3, stiffness: 30_000.0, damping: 3000.0, ..Wheel::default() };
    Vehicle::tracked(wheel, 5, 2.2, 2.0, 0.0)
}

/// Angle of the chassis about its long axis (rad), positive with the left side down.
fn roll(world: &World, car: Entity) -> Real {
    let turn = world.get::<&Orientation>(car).unwrap().0;
    -(turn * Vec3::NEG_Z).y.asin()
}

#[test]
fn a_car_on_anti_roll_bars_leans_by_the_moment_over_its_roll_stiffness() {
    let mut leans = Vec::new();
    for bar in [0.0, 10_000.0, 40_000.0] {
        let wheel = Wheel { friction: 10.0, ..Wheel::default() };
        let vehicle = Vehicle::four_wheels(wheel, 2.6, TRACK, 0.0).with_anti_roll_bars(bar);
        assert_eq!(vehicle.anti_roll_bars.len(), 2);
        let (mut world, mut physics, car) = on_a_plain(vehicle);
        let torque = 1500.0;
        world.insert_one(car, ExternalTorque(Vec3::NEG_X * torque)).unwrap();
        run(&mut world, &mut physics, 600);
        // Two axles of two springs, and a bar at each; the wheels stay where they are on the ground.
        let stiffness = 2.0 * (Wheel::default().stiffness * TRACK * TRACK / 2.0 + bar * TRACK * TRACK);
        // The weight leans with the chassis.
        let closed = torque / (stiffness - MASS * G * position(&world, car).y);
        let leans_by = roll(&world, car).abs();
        assert!((leans_by / closed - 1.0).abs() < 0.01, "bar {bar}: {leans_by} for {closed}");
        leans.push(leans_by);
        // The bar carries no weight.
        let loads = world.get::<&Vehicle>(car).unwrap().wheels.iter().map(|wheel| wheel.state.load).sum::<Real>();
        assert!((loads - MASS * G).abs() < 0.01 * MASS * G, "{loads}");
    }
    assert!(leans[0] > leans[1] && leans[1] > leans[2]);
}

#[test]
fn heave_is_the_same_with_and_without_bars_of_any_stiffness() {
    let heights = [0.0, 1e4, 1e7].map(|bar| {
        let (mut world, mut physics, car) = on_a_plain(car().with_anti_roll_bars(bar));
        world.get::<&mut LinearVelocity>(car).unwrap().0 = Vec3::NEG_Y * 1.5;
        (0..60)
            .map(|_| {
                run(&mut world, &mut physics, 1);
                position(&world, car).y
            })
            .collect::<Vec<_>>()
    });
    for (free, barred) in heights[0].iter().zip(heights[1].iter().zip(&heights[2])) {
        assert!((free - barred.0).abs() < 1e-3 && (free - barred.1).abs() < 1e-3, "{free} {barred:?}");
    }
}

#[test]
fn a_wheel_in_the_air_hangs_on_its_bar_and_gets_no_load() {
    let (mut world, mut physics, car) = on_a_plain(car().with_anti_roll_bars(30_000.0));
    world.insert_one(car, ExternalTorque(Vec3::NEG_X * 0.75 * MASS * G)).unwrap();
    run(&mut world, &mut physics, 20);
    let vehicle = world.get::<&Vehicle>(car).unwrap();
    assert!(vehicle.wheels.iter().any(|wheel| wheel.state.ground.is_none()));
    assert!(vehicle.wheels.iter().all(|wheel| wheel.state.ground.is_some() || wheel.state.load == 0.0));
}

/// A manual drive train with a constant torque (N m) in one gear.
fn constant(torque: Real) -> DriveTrain {
    DriveTrain { torque: vec![[100.0, torque]], automatic: None, throttle: 1.0, ..DriveTrain::default() }
}

#[test]
fn an_engine_accelerates_by_its_torque_times_the_ratio_over_the_radius() {
    for gear in [1, 3, -1] {
        let (mut world, mut physics, car) = on_a_plain(car());
        let train = DriveTrain { gear, ..constant(100.0) };
        let ratio = match gear {
            -1 => -train.reverse,
            gear => train.gears[gear as usize - 1],
        };
        let force = 100.0 * ratio * train.final_drive * train.efficiency / Wheel::default().radius;
        world.insert_one(car, train).unwrap();
        run(&mut world, &mut physics, 60);
        let speed = velocity(&world, car).x;
        assert!((speed / (force / MASS) - 1.0).abs() < 0.02, "gear {gear}: {speed} for {}", force / MASS);
    }
}

#[test]
fn a_car_in_first_gear_goes_as_fast_as_its_engine_turns_and_brakes_by_it() {
    let (mut world, mut physics, car) = on_a_plain(car());
    world.insert_one(car, constant(200.0)).unwrap();
    run(&mut world, &mut physics, 900);
    let train = (*world.get::<&DriveTrain>(car).unwrap()).clone();
    let fastest = train.max_speed / (train.gears[0] * train.final_drive) * Wheel::default().radius;
    let speed = velocity(&world, car).x;
    assert!((speed / fastest - 1.0).abs() < 0.03, "{speed} for {fastest}");
    // With the throttle closed, the drag is linear in the speed above idle: an exponential.
    world.get::<&mut DriveTrain>(car).unwrap().throttle = 0.0;
    let above = |speed: Real| speed - train.idle / train.max_speed * fastest;
    let start = above(velocity(&world, car).x);
    run(&mut world, &mut physics, 120);
    let ratio = train.gears[0] * train.final_drive / Wheel::default().radius;
    let rate = train.engine_braking / (train.max_speed - train.idle) * ratio * ratio * train.efficiency / MASS;
    let (left, closed) = (above(velocity(&world, car).x) / start, (-2.0 * rate).exp());
    assert!((left - closed).abs() < 0.02, "{left} for {closed}");
}

#[test]
fn tracks_drive_straight_ahead_and_turn_in_place() {
    let (mut world, mut physics, tank) = on_a_plain(tank());
    world.get::<&mut Vehicle>(tank).unwrap().engine = 2400.0;
    run(&mut world, &mut physics, 120);
    let speed = velocity(&world, tank);
    // Its tracks of 100 kg are set in motion as well.
    let closed = 2400.0 / (MASS + 200.0) * 2.0;
    assert!((speed.x - closed).abs() < 0.03 && speed.z.abs() < 1e-2, "{speed} for {closed}");
    world.get::<&mut Vehicle>(tank).unwrap().engine = 0.0;
    world.get::<&mut Vehicle>(tank).unwrap().brake = 1e5;
    run(&mut world, &mut physics, 120);
    let before = position(&world, tank);
    {
        let mut vehicle = world.get::<&mut Vehicle>(tank).unwrap();
        (vehicle.brake, vehicle.engine, vehicle.tracks) = (0.0, 12_000.0, [-0.5, 0.5]);
    }
    run(&mut world, &mut physics, 120);
    let spin = world.get::<&AngularVelocity>(tank).unwrap().0;
    assert!(spin.y > 0.5, "to the left: {spin}");
    assert!(position(&world, tank).distance(before) < 0.2, "{}", position(&world, tank));
    // Its wheels turn with their tracks.
    let vehicle = world.get::<&Vehicle>(tank).unwrap();
    let spins: Vec<Real> = vehicle.wheels.iter().map(|wheel| wheel.state.spin).collect();
    assert!(spins[..5].iter().all(|spin| *spin == spins[0]) && spins[5..].iter().all(|spin| *spin == spins[5]));
    assert!(spins[0] < 0.0 && spins[5] > 0.0, "{spins:?}");
}

#[test]
fn braked_tracks_hold_on_a_slope() {
    let (mut world, mut physics, tank) = on_a_plain(tank());
    physics.settings.gravity = Vec3::new(-0.5, -1.0, 0.0) * 0.9 * G;
    world.get::<&mut Vehicle>(tank).unwrap().brake = 1e5;
    run(&mut world, &mut physics, 120);
    let before = position(&world, tank);
    run(&mut world, &mut physics, 300);
    assert!(position(&world, tank).distance(before) < 1e-3, "{} {before}", position(&world, tank));
}

#[test]
fn a_track_drives_by_the_wheels_that_are_on_the_ground() {
    // The front wheels of each side stand over the edge of a table.
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::cuboid(5.0, 1.0, 5.0)).at(-4.7, -1.0, 0.0));
    let chassis = Body::dynamic(Collider::cuboid(2.0, 0.2, 0.8)).mass(MASS).at(0.0, 0.7, 0.0);
    let tank = world.spawn(chassis.at(-0.5, 0.65, 0.0).with(tank()));
    run(&mut world, &mut physics, 60);
    let before = velocity(&world, tank).x;
    world.get::<&mut Vehicle>(tank).unwrap().engine = -2400.0;
    run(&mut world, &mut physics, 30);
    let hanging =
        world.get::<&Vehicle>(tank).unwrap().wheels.iter().filter(|wheel| wheel.state.ground.is_none()).count();
    assert!(hanging >= 2, "{hanging}");
    let gained = velocity(&world, tank).x - before;
    let closed = -2400.0 / (MASS + 200.0) * 0.5;
    assert!((gained - closed).abs() < 0.02, "{gained} for {closed}");
}

#[test]
fn impossible_bars_and_trains_are_errors_that_name_them() {
    let (mut world, physics, car) = on_a_plain(car());
    let refused = |world: &mut World, component: &str, text: &str| {
        let error = step_vehicles(world, &physics, DT).unwrap_err();
        assert!(matches!(&error, StepError::Component { entity, component: name, .. }
            if *entity == car && *name == component));
        assert!(error.to_string().contains(text), "{error}");
    };
    let set = |world: &World, bars: Vec<AntiRollBar>| world.get::<&mut Vehicle>(car).unwrap().anti_roll_bars = bars;
    set(&world, vec![AntiRollBar { wheels: [0, 4], stiffness: 1.0 }]);
    refused(&mut world, "Vehicle", "wheel 4 of 4");
    set(&world, vec![AntiRollBar { wheels: [0, 0], stiffness: 1.0 }]);
    refused(&mut world, "Vehicle", "wheel 0 is twice");
    set(&world, vec![AntiRollBar { wheels: [0, 1], stiffness: Real::NAN }]);
    refused(&mut world, "Vehicle", "anti-roll bar 0: stiffness");
    set(&world, Vec::new());
    world.get::<&mut Vehicle>(car).unwrap().tracks[0] = Real::INFINITY;
    refused(&mut world, "Vehicle", "tracks");
    world.get::<&mut Vehicle>(car).unwrap().tracks[0] = 0.5;
    world.insert_one(car, DriveTrain { gear: 9, ..DriveTrain::default() }).unwrap();
    refused(&mut world, "DriveTrain", "gear must be");
}
