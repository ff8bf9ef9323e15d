//! Bodies end on the ground and not in it.
//!
//! Flat boxes sank: of the eight corners near the ground, those of the upper face reach a little
//! further out as the box tilts, and took the places of lower ones in its manifold of four. And
//! what is small kept its manifold for a path that was longer than the margin within which the
//! points had been searched. Small round bodies with rolling friction fell: arms of a millimetre
//! counted as none, and with them the mobility of the whole body. Bodies born in one place flew
//! apart, since the speeds of push-out add up from body to body. And what heavy bodies pressed into a mesh
//! by more than half fell through: the shortest way out of a triangle led through its back.

use super::{DT, alone, position, prism, run, square_mesh, velocity};
use dolmen::prelude::*;

/// Lowest height of a corner of a box (m).
fn lowest_corner(world: &hecs::World, body: hecs::Entity, half: Vec3) -> Real {
    let down = world.get::<&Orientation>(body).unwrap().0.inverse() * Vec3::Y;
    position(world, body).y - half.dot(down.abs())
}

/// Lets a box fall from just above a half-space; returns how deep it went and where it is at last,
/// relative to the ground (m), and whether it sleeps.
fn drop_box(settings: Settings, half: Vec3, turned: Quat, spin: Vec3, dt: Real) -> (Real, Real, bool) {
    let (mut world, mut physics) = (hecs::World::new(), Physics::new(settings));
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let height = half.dot((turned.inverse() * Vec3::Y).abs()) + 0.03 * half.x;
    let body = Body::dynamic(Collider::cuboid(half.x, half.y, half.z)).at(0.0, height, 0.0).orientation(turned);
    let body = world.spawn(body.angular_velocity(spin).density(1200.0).material(Material::new(0.5, 0.0)));
    let mut deepest = Real::INFINITY;
    for _ in 0..(5.0 / dt) as usize {
        physics.step(&mut world, dt).unwrap();
        deepest = deepest.min(lowest_corner(&world, body, half));
        if physics.state().counts.asleep == 1 {
            break;
        }
    }
    (deepest, lowest_corner(&world, body, half), physics.state().counts.asleep == 1)
}

#[test]
fn flat_boxes_end_on_top_of_the_ground() {
    let halves = [
        Vec3::new(0.075, 0.01, 0.03),
        Vec3::new(0.1, 0.006, 0.025),
        Vec3::new(0.5, 0.02, 0.2),
        Vec3::new(1.0, 0.005, 0.8),
    ];
    let axes = [Vec3::Z, Vec3::X, Vec3::new(0.8, 0.0, 0.6)];
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for (half, axis) in halves.into_iter().flat_map(|half| axes.map(|axis| (half, axis))) {
            for tilt in [0.01, 0.2, 0.7] {
                let settings = Settings { accuracy, threads: Some(1), ..Settings::default() };
                let turned = Quat::from_axis_angle(axis, tilt);
                let (deepest, end, sleeps) = drop_box(settings, half, turned, Vec3::ZERO, 1.0 / 60.0);
                let case = format!("{accuracy:?}, {half}, {tilt} about {axis}: {deepest} {end}");
                assert!(deepest > -half.y && end.abs() < 1e-3 && sleeps, "{case}");
            }
        }
    }
}

#[test]
fn spun_bars_end_on_top_of_the_ground() {
    let half = Vec3::new(0.1, 0.006, 0.025);
    for k in 0..12 {
        let at = |phase: Real| (1.7 * k as Real + phase).sin();
        let turned = Quat::from_xyzw(at(0.3), at(1.9), at(4.0), at(5.2)).normalize();
        let spin = 8.0 * Vec3::new(at(0.0), at(1.0), at(2.0));
        let settings = Settings { threads: Some(1), ..Settings::default() };
        let (_, end, sleeps) = drop_box(settings, half, turned, spin, 1.0 / 60.0);
        assert!(end.abs() < 1e-3 && sleeps, "drop {k}: {end}");
    }
}

/// Islands with rolling friction were left to substeps, in which a plate sank by its thickness under a load of
/// two hundred times its mass, though nothing on three points or more can roll.
#[test]
fn light_plates_with_rolling_friction_under_heavy_boxes_lie_on_the_ground() {
    for (half, mass) in [(Vec3::new(0.062, 0.0052, 0.077), 0.045), (Vec3::new(0.3, 0.01, 0.2), 0.3)] {
        for ratio in [50.0, 200.0, 1000.0] {
            for rolling_friction in [1e-3, 0.03] {
                let material = Material { rolling_friction, ..Material::new(0.7, 0.0) };
                let (mut world, mut physics) = (hecs::World::new(), alone());
                world.spawn(Body::fixed(Collider::half_space(Vec3::Y)).material(material));
                let plate = Body::dynamic(Collider::cuboid(half.x, half.y, half.z)).at(0.0, half.y, 0.0);
                let plate = world.spawn(plate.material(material).with(Mass(mass)));
                let size = 0.8 * half.z;
                let load = Body::dynamic(Collider::cuboid(size, size, size)).at(0.0, 2.0 * half.y + size + 0.005, 0.0);
                world.spawn(load.material(material).with(Mass(ratio * mass)));
                run(&mut world, &mut physics, 240);
                let height = position(&world, plate).y;
                assert!(height > 0.9 * half.y, "{half}, {ratio}, {rolling_friction}: {height}");
            }
        }
    }
}

#[test]
fn small_round_bodies_with_rolling_friction_rest_on_the_ground() {
    for size in [1e-3, 2.5e-3, 0.02, 0.5] {
        for rolling_friction in [1e-6, 1e-5, 1e-3] {
            let (mut world, mut physics) = (hecs::World::new(), alone());
            world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
            let material = Material { rolling_friction, ..Material::default() };
            let shapes = [Collider::ball(size), Collider::capsule(size, size), Collider::cylinder(size, size)];
            let heights = [size, 2.0 * size, size];
            let bodies = shapes.into_iter().zip(heights).enumerate().map(|(k, (shape, height))| {
                world.spawn(Body::dynamic(shape).at(10.0 * size * k as Real, height, 0.0).material(material))
            });
            let bodies = bodies.collect::<Vec<_>>();
            run(&mut world, &mut physics, 120);
            for (body, height) in bodies.into_iter().zip(heights) {
                let off = position(&world, body).y - height;
                assert!(off.abs() < 0.05 * size, "{size} with {rolling_friction}: {off}");
            }
        }
    }
}

/// Steps so many bodies born in one place for some seconds; gives their greatest speed within half a second (m/s),
/// and how far to the side one of them ends (m).
fn born_together(number: usize, shape: &Collider, dt: Real, seconds: Real) -> [Real; 2] {
    let (mut world, mut physics) = (hecs::World::new(), alone());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let bodies: Vec<_> = (0..number)
        .map(|k| {
            let k = k as Real;
            let at = Vec3::new(0.01 * (k % 7.0), 0.5 + 0.02 * k, 0.013 * (k % 5.0));
            world.spawn(Body::dynamic(shape.clone()).at(at.x, at.y, at.z))
        })
        .collect();
    let mut fastest: Real = 0.0;
    for step in 0..(seconds / dt).round() as usize {
        physics.step(&mut world, dt).unwrap();
        if (step as Real) < 0.5 / dt - 0.5 {
            let speeds = bodies.iter().map(|&body| velocity(&world, body).length());
            fastest = speeds.fold(fastest, Real::max);
        }
    }
    let away = bodies.iter().map(|&body| position(&world, body).with_y(0.0).length());
    [fastest, away.fold(0.0, Real::max)]
}

#[test]
fn bodies_born_in_one_place_part_no_faster_than_push_out() {
    let shapes = [Collider::cuboid(0.5, 0.5, 0.5), Collider::ball(0.5), Collider::cylinder(0.5, 0.5)];
    // Half a second of free fall adds to it.
    let bound = Settings::default().push_out_speed + 1.0;
    for (shape, number) in shapes.iter().flat_map(|shape| [10, 40].map(|number| (shape, number))) {
        let [fastest, _] = born_together(number, shape, DT, 0.5);
        assert!(fastest < bound, "{number}: {fastest} m/s");
    }
}

/// Forty boxes part upwards into a tower of 4.5 m, from which they fall to 6.6 to 7.3 m away, in `f64`
/// forty prisms to 6.1 m, and what is round rolls on: all are open.
#[test]
fn bodies_born_in_one_place_end_within_six_metres() {
    let prism = prism(6, 0.5, 0.5);
    let (cube, plank) = (Collider::cuboid(0.5, 0.5, 0.5), Collider::cuboid(0.8, 0.1, 0.3));
    let ends = |name: &str, shape: &Collider, number: usize, dt: Real| {
        let [_, away] = born_together(number, shape, dt, 20.0 / 3.0);
        assert!(away < 6.0, "{number} of {name}, {dt} s: {away} m");
    };
    for dt in [1.0 / 30.0, 1.0 / 60.0, 1.0 / 120.0] {
        ends("cube", &cube, 10, dt);
        ends("plank", &plank, 10, dt);
        ends("prism", &prism, 10, dt);
    }
    if size_of::<Real>() == 4 {
        ends("prism", &prism, 40, DT);
    }
}

/// Convex shapes, each with points and a radius around them that reach as far as it does (m).
fn pressed_shapes() -> [(&'static str, Collider, Vec<Vec3>, Real); 5] {
    let rim = |radius: Real, y: Real| {
        (0..32).map(move |k| Quat::from_rotation_y(0.2 * k as Real) * Vec3::new(0.0, y, radius))
    };
    let side = |k: u32, bit: u32, half: Real| if k & bit == 0 { -half } else { half };
    let corners = (0..8).map(|k| Vec3::new(side(k, 1, 0.05), side(k, 2, 0.01), side(k, 4, 0.03))).collect();
    let hull = vec![
        Vec3::new(0.02, 0.0, 0.03),
        Vec3::new(-0.04, 0.01, 0.01),
        Vec3::new(0.01, 0.03, -0.03),
        Vec3::new(0.01, -0.03, -0.01),
    ];
    [
        ("box", Collider::cuboid(0.05, 0.01, 0.03), corners, 0.0),
        ("cylinder", Collider::cylinder(0.02, 0.03), rim(0.03, 0.02).chain(rim(0.03, -0.02)).collect(), 0.0),
        ("tetrahedron", Collider::convex_hull(&hull).unwrap(), hull, 0.0),
        ("cone", Collider::cone(0.03, 0.04), rim(0.04, -0.03).chain([Vec3::Y * 0.03]).collect(), 0.0),
        ("capsule", Collider::capsule(0.05, 0.02), vec![Vec3::Y * 0.05, Vec3::Y * -0.05], 0.02),
    ]
}

#[test]
fn what_is_pressed_into_a_surface_by_more_than_half_comes_back_out() {
    let floors = [
        ("one square", square_mesh(1, 2.0)),
        ("40 by 40 squares", square_mesh(40, 2.0)),
        ("field", Collider::heightfield(9, 9, &[0.0; 81], Vec3::new(2.0, 1.0, 2.0)).unwrap()),
    ];
    let mut rng = fastrand::Rng::with_seed(7);
    let mut between = |low: f64, high: f64| (low + (high - low) * rng.f64()) as Real;
    let mut passed = Vec::new();
    for ((floor_name, floor), (name, shape, points, radius)) in
        floors.iter().flat_map(|floor| pressed_shapes().map(|shape| (floor, shape)))
    {
        for round in 0..12 {
            let (mut world, mut physics) = (hecs::World::new(), alone());
            world.spawn(Body::fixed(floor.clone()));
            let axis = Vec3::new(between(-1.0, 1.0), between(-1.0, 1.0), between(-1.0, 1.0)).normalize_or(Vec3::Y);
            let turned = Quat::from_axis_angle(axis, between(0.0, 3.0));
            let heights = || points.iter().map(|&point| (turned * point).y);
            let lowest = heights().fold(0.0, Real::min) - radius;
            let highest = heights().fold(0.0, Real::max) + radius;
            let above = Vec3::new(between(-0.8, 0.8), 1e-4 - lowest, between(-0.8, 0.8));
            let body = world.spawn(Body::dynamic(shape.clone()).position(above).orientation(turned));
            physics.step(&mut world, DT).unwrap();
            let pressed = above - Vec3::Y * (between(0.55, 0.85) * (highest - lowest));
            world.insert(body, (Position(pressed), Orientation(turned), LinearVelocity(Vec3::ZERO))).unwrap();
            run(&mut world, &mut physics, 60);
            let height = position(&world, body).y;
            if height < 0.0 {
                passed.push(format!("{name} on {floor_name}, {round}: {height}"));
            }
        }
    }
    assert!(passed.is_empty(), "{} of 180:\n{}", passed.len(), passed.join("\n"));
}
