//! Fields against closed forms: draughts, terminal speeds, orbits, explosions.

use dolmen::StepError;
use dolmen::control::fields::*;
use dolmen::prelude::*;
use hecs::{Entity, World};
use std::f64::consts::{PI, TAU};

const DT: Real = 1.0 / 60.0;
const G: Real = 9.81;

struct Sea {
    world: World,
    physics: Physics,
}

impl Sea {
    fn new() -> Self {
        Self { world: World::new(), physics: Physics::default() }
    }

    /// With water below zero.
    fn with_water() -> Self {
        let mut sea = Self::new();
        sea.world.spawn((Water::fresh(Vec3::splat(100.0)),));
        sea
    }

    fn step(&mut self, dt: Real) {
        step_fields(&mut self.world, &self.physics, dt).unwrap();
        self.physics.step(&mut self.world, dt).unwrap();
    }

    fn run(&mut self, seconds: Real) {
        (0..(seconds / DT).round() as usize).for_each(|_| self.step(DT));
    }

    fn at(&self, entity: Entity) -> Vec3 {
        self.world.get::<&Position>(entity).unwrap().0
    }

    fn velocity(&self, entity: Entity) -> Vec3 {
        self.world.get::<&LinearVelocity>(entity).unwrap().0
    }
}

#[test]
fn what_floats_displaces_its_mass_whatever_its_shape() {
    let corners: Vec<Vec3> =
        (0..8).map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real) - 0.5).collect();
    // Depth of the lowest point below the surface.
    let cap = |radius: f64, share: f64| {
        let (mut low, mut high) = (0.0, 2.0 * radius);
        for _ in 0..60 {
            let h: f64 = 0.5 * (low + high);
            if h * h * (3.0 * radius - h) < share * 4.0 * radius.powi(3) { low = h } else { high = h }
        }
        low as Real
    };
    let low_parts = vec![
        (Vec3::X * 0.5, Quat::IDENTITY, Collider::cuboid(0.5, 0.1, 1.0)),
        (Vec3::X * -0.5, Quat::IDENTITY, Collider::cuboid(0.5, 0.1, 1.0)),
    ];
    let cases = [
        (Collider::cuboid(1.0, 0.25, 1.0), 500.0, 0.25, 0.25),
        (Collider::cuboid(1.0, 0.25, 1.0), 900.0, 0.25, 0.45),
        (Collider::convex_hull(&corners).unwrap().scaled(Vec3::new(2.0, 0.4, 2.0)).unwrap(), 250.0, 0.2, 0.1),
        (Collider::ball(0.5), 300.0, 0.5, cap(0.5, 0.3)),
        (Collider::ball(0.5), 700.0, 0.5, cap(0.5, 0.7)),
        (Collider::cylinder(0.2, 1.0), 500.0, 0.2, 0.2),
        (Collider::compound(low_parts).unwrap(), 500.0, 0.1, 0.1),
    ];
    for (shape, density, bottom, draught) in cases {
        let mut sea = Sea::with_water();
        let ship = sea.world.spawn(Body::dynamic(shape.clone()).at(0.0, 0.5, 0.0).density(density));
        sea.run(20.0);
        let got = bottom - sea.at(ship).y;
        assert!((got / draught - 1.0).abs() < 0.01, "{shape:?} of {density}: {got} and {draught}");
        assert!(sea.velocity(ship).length() < 1e-3);
    }
}

#[test]
fn further_colliders_float_too_and_sensors_do_not() {
    let mut sea = Sea::with_water();
    let hull = sea.world.spawn(Body::dynamic(Collider::cuboid(1.0, 0.25, 1.0)).mass(800.0).at(0.0, 0.2, 0.0));
    let of = |x: Real| ColliderOf { body: hull, position: Vec3::X * x, orientation: Quat::IDENTITY };
    // Pontoons double the area; a sensor does not.
    sea.world.spawn((Collider::cuboid(0.5, 0.25, 1.0), of(1.5)));
    sea.world.spawn((Collider::cuboid(0.5, 0.25, 1.0), of(-1.5)));
    sea.world.spawn((Collider::cuboid(9.0, 9.0, 9.0), of(0.0), Sensor));
    sea.run(20.0);
    assert!((0.25 - sea.at(hull).y - 0.1).abs() < 1e-3, "{}", sea.at(hull));
}

#[test]
fn a_plate_on_its_edge_falls_over_and_a_keel_rights_a_ship() {
    let mut sea = Sea::with_water();
    let plate = Body::dynamic(Collider::cuboid(1.0, 0.1, 1.0)).density(500.0);
    let edge = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2 as Real - 0.05);
    let plate = sea.world.spawn(plate.orientation(edge).at(0.0, 0.0, 0.0));
    let keel = Body::dynamic(Collider::ball(0.5)).mass(300.0).center_of_mass(Vec3::Y * -0.3);
    let keel = sea.world.spawn(keel.orientation(Quat::from_rotation_x(2.5)).at(20.0, 0.0, 0.0));
    sea.run(30.0);
    let up = |entity: Entity| sea.world.get::<&Orientation>(entity).unwrap().0 * Vec3::Y;
    assert!(up(plate).y.abs() > 0.999 && up(keel).y > 0.999, "{} {}", up(plate), up(keel));
}

#[test]
fn what_is_wholly_below_is_lifted_by_archimedes_and_the_current_carries_it() {
    let mut sea = Sea::new();
    let mut water = Water::fresh(Vec3::splat(100.0));
    (water.flow, water.linear_drag) = (Vec3::X * 2.0, 0.0);
    sea.world.spawn((water,));
    let body = Body::dynamic(Collider::round_cuboid(0.3, 0.2, 0.2, 0.1)).density(2000.0).at(0.0, -10.0, 0.0);
    let stone = sea.world.spawn(body);
    sea.step(DT);
    let before = sea.velocity(stone);
    sea.step(DT);
    let fall = (sea.velocity(stone) - before) / DT;
    assert!((fall + Vec3::Y * 0.5 * G).length() < 1e-3 * G, "{fall}");
    sea.world.query_mut::<&mut Water>().into_iter().for_each(|water| water.linear_drag = 1.0);
    sea.world.insert_one(stone, Density(1000.0)).unwrap();
    sea.run(15.0);
    assert!((sea.velocity(stone) - Vec3::X * 2.0).length() < 0.01, "{}", sea.velocity(stone));
    // Drag of any strength takes the motion out and does not turn it round.
    sea.world.query_mut::<&mut Water>().into_iter().for_each(|water| water.linear_drag = 1e6);
    sea.world.get::<&mut LinearVelocity>(stone).unwrap().0 = Vec3::new(-30.0, 5.0, 8.0);
    for _ in 0..5 {
        sea.step(0.1);
        let v = sea.velocity(stone);
        assert!((v - Vec3::X * 2.0).length() < 1.0, "{v}");
    }
}

#[test]
fn terminal_speed_is_that_of_the_square_law_at_any_time_step() {
    for dt in [1.0 / 240.0, 1.0 / 60.0, 1.0 / 20.0] {
        let mut sea = Sea::new();
        sea.world.spawn((Wind::everywhere(Vec3::X * 5.0),));
        let (mass, area) = (80.0, 0.7);
        let diver = sea.world.spawn(Body::dynamic(Collider::ball(0.5)).mass(mass).with(Drag(area)));
        let calm = sea.world.spawn(Body::dynamic(Collider::ball(0.5)).mass(mass).at(9.0, 0.0, 0.0));
        (0..(40.0 / dt) as usize).for_each(|_| sea.step(dt));
        let expected = (2.0 * mass * G / (1.2 * area)).sqrt();
        let v = sea.velocity(diver);
        assert!((-v.y / expected - 1.0).abs() < 0.01 && (v.x - 5.0).abs() < 0.05, "{dt}: {v}, {expected}");
        assert_eq!(sea.velocity(calm).x, 0.0);
    }
    // A feather in a storm takes the storm's speed, and no more.
    let mut sea = Sea::new();
    sea.world.spawn((Wind::everywhere(Vec3::X * 50.0),));
    let feather = sea.world.spawn(Body::dynamic(Collider::ball(0.1)).mass(1e-3).gravity_scale(0.0).with(Drag(1.0)));
    for _ in 0..20 {
        sea.step(0.1);
        assert!((0.0..=50.001).contains(&sea.velocity(feather).x));
    }
    assert!(sea.velocity(feather).x > 49.0);
}

#[test]
fn an_orbit_closes_and_its_period_is_keplers() {
    for (radius, period) in [(20.0, 10.0), (500.0, 60.0)] {
        let mut sea = Sea::new();
        let mu = TAU * TAU * radius * radius * radius / (period * period);
        sea.world.spawn((Position::new(3.0, 0.0, 0.0), GravityField::planet(mu as Real)));
        let speed = (mu / radius).sqrt() as Real;
        let start = Vec3::new(3.0 + radius as Real, 0.0, 0.0);
        let moon = Body::dynamic(Collider::ball(0.5)).position(start).linear_velocity(Vec3::Z * speed);
        let moon = sea.world.spawn(moon.with(SleepControl::Never));
        // The first step knows the body; it begins from there.
        sea.physics.settings.gravity = Vec3::ZERO;
        sea.physics.step(&mut sea.world, DT).unwrap();
        sea.world.get::<&mut Position>(moon).unwrap().0 = start;
        sea.physics.settings.gravity = Vec3::new(0.0, -G, 0.0);
        sea.run(period as Real + 1e-3);
        let off = (sea.at(moon) - start).length() / radius as Real;
        assert!(off < 1e-4 * (TAU * 2.0) as Real, "{off} of {radius}");
        let far = (sea.at(moon) - Vec3::X * 3.0).length() / radius as Real;
        assert!((far - 1.0).abs() < 1e-4, "{far}");
    }
}

#[test]
fn bodies_rest_and_sleep_all_around_a_planet() {
    let mut sea = Sea::new();
    sea.world.spawn(Body::fixed(Collider::ball(30.0)).with(GravityField::planet(G * 900.0)));
    let crates: Vec<Entity> = (0..12)
        .map(|k| {
            let turn = Quat::from_rotation_z(0.5 * k as Real) * Quat::from_rotation_x(0.9 * k as Real);
            let body = Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).orientation(turn);
            sea.world.spawn(body.position(turn * Vec3::Y * 30.7))
        })
        .collect();
    sea.run(10.0);
    for &crate_ in &crates {
        assert!((sea.at(crate_).length() - 30.5).abs() < 0.02, "{}", sea.at(crate_));
    }
    assert_eq!(sea.physics.state().counts.asleep, 12);
    // What they weigh is taken away: they wake and rise.
    sea.world.query_mut::<&mut GravityField>().into_iter().for_each(|field| field.law = GravityLaw::Central(-1.0));
    sea.run(1.0);
    assert!(crates.iter().all(|&crate_| sea.at(crate_).length() > 30.9));
}

#[test]
fn the_highest_priority_wins_down_to_the_first_that_replaces() {
    let mut sea = Sea::new();
    let zone = |half: Real| Region::Cuboid { half: Vec3::splat(half) };
    let adds = GravityField { replaces: false, ..GravityField::zone(zone(5.0), Vec3::X) };
    let room = GravityField { priority: 1, ..GravityField::zone(zone(3.0), Vec3::Z * 2.0) };
    let lift = GravityField { priority: 2, replaces: false, ..GravityField::zone(zone(2.0), Vec3::Y) };
    let turned = Orientation(Quat::from_rotation_z(std::f32::consts::PI as Real));
    sea.world.spawn((adds,));
    sea.world.spawn((room,));
    sea.world.spawn((lift, turned));
    let ball = |x: Real| Body::dynamic(Collider::ball(0.1)).at(x, 0.0, 0.0);
    let scale = GravityScale(0.5);
    let all = [9.0, 4.0, 2.5, 1.0].map(|x| sea.world.spawn(ball(x)));
    let half = sea.world.spawn(ball(-1.0).with(scale));
    sea.physics.step(&mut sea.world, DT).unwrap();
    let before = all.map(|ball| sea.velocity(ball));
    let half_before = sea.velocity(half);
    sea.step(DT);
    let earth = Vec3::Y * -G;
    let expected = [earth, earth + Vec3::X, Vec3::Z * 2.0, Vec3::Z * 2.0 - Vec3::Y];
    for ((ball, before), expected) in all.into_iter().zip(before).zip(expected) {
        let got = (sea.velocity(ball) - before) / DT;
        assert!((got - expected).length() < 1e-3, "{got} and {expected}");
    }
    let got = (sea.velocity(half) - half_before) / DT;
    assert!((got - 0.5 * expected[3]).length() < 1e-3, "{got}");
}

#[test]
fn the_games_own_forces_stay_beside_those_of_fields() {
    let mut sea = Sea::new();
    sea.world.spawn((GravityField::zone(Region::Everywhere, Vec3::ZERO),));
    let ball = sea.world.spawn(Body::dynamic(Collider::ball(0.5)).mass(2.0).force(Vec3::X * 4.0));
    sea.physics.settings.gravity = Vec3::ZERO;
    sea.run(0.5);
    sea.physics.settings.gravity = Vec3::Y * -G;
    let before = sea.velocity(ball);
    sea.run(1.0);
    let gained = sea.velocity(ball) - before;
    assert!((gained - Vec3::X * 2.0).length() < 1e-3, "{gained}");
    sea.world.get::<&mut ExternalForce>(ball).unwrap().0 = Vec3::ZERO;
    let before = sea.velocity(ball);
    sea.run(1.0);
    assert!((sea.velocity(ball) - before).length() < 1e-3);
}

#[test]
fn an_explosion_falls_off_and_walls_shield_from_it() {
    let ring = |shielded: bool| {
        let mut sea = Sea::new();
        sea.physics.settings.gravity = Vec3::ZERO;
        let barrels: Vec<Entity> = (0..8)
            .map(|k| {
                let at = Quat::from_rotation_y(k as Real * (PI / 4.0) as Real) * Vec3::X * 4.0;
                sea.world.spawn(Body::dynamic(Collider::ball(0.4)).position(at).mass(5.0))
            })
            .collect();
        sea.world.spawn(Body::fixed(Collider::cuboid(0.1, 2.0, 1.0)).at(2.0, 0.0, 0.0));
        let far = sea.world.spawn(Body::dynamic(Collider::ball(0.4)).at(0.0, 11.0, 0.0));
        sea.step(DT);
        let mut blast = RadialImpulse::new(Vec3::ZERO, 10.0, 100.0);
        blast.shielded = shielded;
        let pushed = radial_impulse(&mut sea.world, &sea.physics, &blast).unwrap();
        sea.step(DT);
        assert_eq!(sea.velocity(far), Vec3::ZERO);
        let speeds: Vec<Real> = barrels.iter().map(|&barrel| sea.velocity(barrel).length()).collect();
        (pushed.len(), speeds)
    };
    let (pushed, speeds) = ring(false);
    assert!(pushed == 8 && speeds.iter().all(|v| (v - 12.0).abs() < 1e-3), "{speeds:?}");
    let (pushed, speeds) = ring(true);
    assert!(pushed == 7 && speeds[0] == 0.0 && speeds[1..].iter().all(|v| (v - 12.0).abs() < 1e-3), "{speeds:?}");
    let law = Falloff::InverseSquare { core: 1.0 };
    assert_eq!([0.5, 1.0, 2.0, 4.0].map(|d| law.at(d, 9.0)), [1.0, 1.0, 0.25, 0.0625]);
    assert_eq!(Falloff::Constant.at(3.0, 4.0), 1.0);
}

#[test]
fn impossible_fields_are_errors_that_name_them_and_change_nothing() {
    let refused = |spawn: &dyn Fn(&mut World) -> Entity, component: &str, value: &str| {
        let mut sea = Sea::with_water();
        let body = sea.world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, -1.0, 0.0));
        sea.physics.step(&mut sea.world, DT).unwrap();
        let bad = spawn(&mut sea.world);
        let error = step_fields(&mut sea.world, &sea.physics, DT).unwrap_err();
        let StepError::Component { entity, component: named, problem } = &error else { panic!("{error}") };
        assert!(*entity == bad && *named == component && problem.contains(value), "{error}");
        assert!(!sea.world.satisfies::<&ExternalForce>(body));
    };
    let nan = Real::NAN;
    let ball = |radius: Real| Region::Ball { radius };
    refused(&|w| w.spawn((Wind { density: -1.0, ..Wind::everywhere(Vec3::X) },)), "Wind", "-1");
    refused(&|w| w.spawn((Wind::everywhere(Vec3::X * nan),)), "Wind", "NaN");
    refused(&|w| w.spawn((Wind { region: ball(-2.0), ..Wind::everywhere(Vec3::X) },)), "Wind", "-2");
    refused(&|w| w.spawn((Drag(-3.0),)), "Drag", "-3");
    refused(&|w| w.spawn((GravityField::planet(nan),)), "GravityField", "NaN");
    refused(&|w| w.spawn((GravityField::zone(ball(0.0), Vec3::X),)), "GravityField", "0");
    refused(&|w| w.spawn((Water::fresh(Vec3::new(1.0, -4.0, 1.0)),)), "Water", "-4");
    refused(&|w| w.spawn((Water { density: nan, ..Water::fresh(Vec3::ONE) },)), "Water", "density");
    refused(&|w| w.spawn((Water { flow: Vec3::X * nan, ..Water::fresh(Vec3::ONE) },)), "Water", "flow");
    let mut sea = Sea::with_water();
    assert!(matches!(step_fields(&mut sea.world, &sea.physics, -1.0), Err(StepError::TimeStep { .. })));
    for bad in [
        RadialImpulse::new(Vec3::X * nan, 1.0, 1.0),
        RadialImpulse::new(Vec3::X, -1.0, 1.0),
        RadialImpulse::new(Vec3::X, 1.0, nan),
        RadialImpulse { falloff: Falloff::InverseSquare { core: nan }, ..RadialImpulse::new(Vec3::X, 1.0, 1.0) },
    ] {
        assert!(radial_impulse(&mut sea.world, &sea.physics, &bad).is_err(), "{bad:?}");
    }
}

#[test]
fn the_bits_depend_neither_on_the_order_of_fields_nor_on_threads() {
    let run = |reverse: bool, threads: usize| {
        let mut sea = Sea::new();
        sea.physics.settings.threads = Some(threads);
        let mut order: Vec<usize> = (0..6).collect();
        if reverse {
            order.reverse();
        }
        for k in order {
            let at = Position::new(k as Real, 0.3, -1.0);
            let mut pull = GravityField::planet(3.0 + k as Real);
            pull.replaces = k == 3;
            sea.world.spawn((at, pull, Wind::everywhere(Vec3::new(0.1 * k as Real, 0.7, 0.3))));
        }
        let bodies: Vec<Entity> = (0..20)
            .map(|k| {
                let body = Body::dynamic(Collider::ball(0.3)).at(1.1 * k as Real, 4.0, 0.5);
                sea.world.spawn(body.with(Drag(0.3)))
            })
            .collect();
        sea.run(1.0);
        bodies.iter().map(|&body| sea.at(body).to_array()).collect::<Vec<_>>()
    };
    let first = run(false, 1);
    assert!(first == run(true, 1) && first == run(false, 2));
}

#[test]
fn waters_at_one_place_act_in_one_order_however_they_were_spawned() {
    let flows = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.8, 0.0)];
    let run = |order: [usize; 4]| {
        let mut sea = Sea::new();
        for k in order {
            let water = Water::fresh(Vec3::splat(50.0));
            sea.world.spawn((Water { flow: flows[k], angular_drag: 0.3 + k as Real, density: 300.0, ..water },));
        }
        let body = Body::dynamic(Collider::cuboid(0.5, 0.3, 0.4)).at(0.1, -0.2, 0.3).angular_velocity(Vec3::splat(0.7));
        let body = sea.world.spawn(body);
        sea.run(1.0);
        (sea.at(body), sea.velocity(body))
    };
    let first = run([0, 1, 2, 3]);
    for order in [[3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1], [0, 2, 1, 3]] {
        assert_eq!(run(order), first, "{order:?}");
    }
}
