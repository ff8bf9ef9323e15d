//! Continuous collision detection: fast bodies, thin walls, spinning rods.

use crate::game::{DT, position};
use dolmen::prelude::*;
use hecs::{Entity, World};

/// Pseudorandom numbers in [0, 1).
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as f64 / (1u64 << 31) as f64) as Real
    }

    fn between(&mut self, low: Real, high: Real) -> Real {
        low + (high - low) * self.next()
    }

    fn vector(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            if v.length() > 0.1 && v.length() < 1.0 {
                return v.normalize();
            }
        }
    }
}

fn weightless() -> Physics {
    Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() })
}

/// A flat floor of `2 n²` triangles over `[-size, size]²` at height 0.
fn floor_mesh(size: Real, n: u32) -> Collider {
    let at = |i: u32| -size + 2.0 * size * i as Real / n as Real;
    let vertices = (0..=n).flat_map(|i| (0..=n).map(move |j| Vec3::new(at(i), 0.0, at(j)))).collect();
    let corner = |i: u32, j: u32| i * (n + 1) + j;
    let squares = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let triangles = squares.flat_map(|(i, j)| {
        let [a, b, c, d] = [corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)];
        [[a, b, c], [a, c, d]]
    });
    Collider::trimesh(vertices, triangles.collect()).unwrap()
}

#[test]
fn a_thousand_bullets_all_stop_at_a_wall_of_a_millimetre() {
    for restitution in [0.0, 0.8] {
        let (mut world, mut physics) = (World::new(), weightless());
        let surface = Material::new(0.3, restitution);
        world.spawn(Body::fixed(Collider::cuboid(0.0005, 40.0, 40.0)).material(surface));
        let mut noise = Noise(1);
        let bullets: Vec<Entity> = (0..1000)
            .map(|i| {
                let (y, z) = (0.1 * (i % 40) as Real - 2.0, 0.1 * (i / 40) as Real - 1.0);
                let speed = noise.between(50.0, 500.0);
                let aim = Vec3::new(1.0, noise.between(-0.5, 0.5), noise.between(-0.5, 0.5)).normalize();
                let body = Body::dynamic(Collider::ball(0.01)).at(-noise.between(0.02, 12.0), y, z);
                world.spawn(body.linear_velocity(aim * speed).material(surface))
            })
            .collect();
        let mut caught = 0;
        for step in 0..20 {
            let counts = physics.step(&mut world, DT).unwrap().counts;
            caught += counts.ccd_impacts;
            assert_eq!(counts.ccd_stopped, 0);
            for &e in &bullets {
                let x = position(&world, e).x;
                assert!(x < -0.0095, "step {step}: {x}");
            }
        }
        assert!(caught >= 1000, "{caught}");
    }
}

#[test]
fn a_bullet_bounces_at_the_moment_and_place_where_it_meets_the_wall() {
    let (mut world, mut physics) = (World::new(), weightless());
    let surface = Material::new(0.0, 1.0);
    world.spawn(Body::fixed(Collider::cuboid(0.0005, 1.0, 1.0)).material(surface));
    let bullet = Body::dynamic(Collider::ball(0.01)).at(-2.0, 0.0, 0.0).material(surface);
    let bullet = world.spawn(bullet.linear_velocity(Vec3::new(300.0, 6.0, 0.0)));
    physics.step(&mut world, DT).unwrap();
    // To the wall in (2 - 0.0105) m, and back for the rest of 5 m.
    let expected = Vec3::new(-0.0105 - (300.0 * DT - (2.0 - 0.0105)), 6.0 * DT, 0.0);
    assert!((position(&world, bullet) - expected).length() < 3e-4, "{}", position(&world, bullet));
}

#[test]
fn a_bullet_that_misses_a_post_flies_past_it_untouched() {
    let (mut world, mut physics) = (World::new(), weightless());
    world.spawn(Body::fixed(Collider::cuboid(0.05, 1.0, 0.05)).at(3.0, 0.0, 0.0));
    world.spawn(Body::fixed(floor_mesh(1.0, 4)).at(3.0, -0.5, 1.5));
    let start = Vec3::new(0.0, 0.1, 0.3);
    let bullet = world.spawn(Body::dynamic(Collider::ball(0.01)).position(start).linear_velocity(Vec3::X * 400.0));
    for step in 1..4 {
        physics.step(&mut world, DT).unwrap();
        let at = position(&world, bullet);
        assert!((at - start - Vec3::X * (400.0 * DT * step as Real)).length() < 1e-4, "{at}");
    }
}

#[test]
fn a_thousand_bullets_all_stop_at_a_floor_of_triangles() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(floor_mesh(60.0, 40)).material(Material::new(0.3, 0.5)));
    let mut noise = Noise(2);
    let bullets: Vec<Entity> = (0..1000)
        .map(|i| {
            let (x, z) = (0.1 * (i % 40) as Real - 2.0, 0.1 * (i / 40) as Real - 1.0);
            let aim = Vec3::new(noise.between(-0.7, 0.7), -1.0, noise.between(-0.7, 0.7)).normalize();
            let body = Body::dynamic(Collider::ball(0.01)).at(x, noise.between(0.02, 12.0), z);
            let body = body.linear_velocity(aim * noise.between(50.0, 500.0)).material(Material::new(0.3, 0.5));
            world.spawn(body)
        })
        .collect();
    for step in 0..8 {
        physics.step(&mut world, DT).unwrap();
        for &e in &bullets {
            let at = position(&world, e);
            let on_floor = at.x.abs() < 60.0 && at.z.abs() < 60.0;
            assert!(!on_floor || at.y > 0.0095, "step {step}: {at}");
        }
    }
}

#[test]
fn bullets_that_ask_for_it_meet_each_other() {
    let (mut world, mut physics) = (World::new(), weightless());
    let surface = Material::new(0.0, 1.0);
    let mut noise = Noise(3);
    let pairs: Vec<[Entity; 2]> = (0..500)
        .map(|i| {
            let (y, z) = (0.1 * (i % 25) as Real, 0.1 * (i / 25) as Real);
            [-1.0, 1.0].map(|side| {
                let body = Body::dynamic(Collider::ball(0.01)).at(side * noise.between(0.5, 4.0), y, z);
                let body = body.linear_velocity(Vec3::X * -side * noise.between(50.0, 500.0));
                world.spawn(body.material(surface).ccd())
            })
        })
        .collect();
    let energy = physics_energy(&mut physics, &mut world);
    for step in 0..8 {
        physics.step(&mut world, DT).unwrap();
        for [left, right] in &pairs {
            let (l, r) = (position(&world, *left).x, position(&world, *right).x);
            assert!(r - l > 0.0195, "step {step}: {l} {r}");
        }
    }
    assert!((physics.kinetic_energy() / energy - 1.0).abs() < 1e-5);
}

/// Kinetic energy after a very short step.
fn physics_energy(physics: &mut Physics, world: &mut World) -> f64 {
    physics.step(world, 1e-9).unwrap();
    physics.kinetic_energy()
}

#[test]
fn thin_rods_that_spin_and_fly_fast_do_not_pass_a_thin_wall() {
    for (seed, restitution) in [(4, 0.0), (5, 0.5), (6, 1.0)] {
        let (mut world, mut physics) = (World::new(), weightless());
        let surface = Material::new(0.2, restitution);
        world.spawn(Body::fixed(Collider::cuboid(0.0005, 40.0, 40.0)).material(surface));
        let mut noise = Noise(seed);
        let rods: Vec<Entity> = (0..100)
            .map(|i| {
                let shape = match i % 3 {
                    0 => Collider::cuboid(0.005, 0.5, 0.005),
                    1 => Collider::capsule(0.5, 0.005),
                    _ => Collider::cylinder(0.5, 0.005),
                };
                let (y, z) = (3.0 * (i % 10) as Real - 15.0, 3.0 * (i / 10) as Real - 15.0);
                let body = Body::dynamic(shape).at(-noise.between(0.6, 3.0), y, z);
                let body = body.orientation(Quat::from_rotation_arc(Vec3::Y, noise.vector()));
                let spin = noise.vector() * noise.between(5.0, 200.0);
                let speed = noise.between(0.5, 60.0);
                world.spawn(body.linear_velocity(Vec3::X * speed).angular_velocity(spin).material(surface))
            })
            .collect();
        for step in 0..60 {
            physics.step(&mut world, DT).unwrap();
            for &rod in &rods {
                let axis = world.get::<&Orientation>(rod).unwrap().0 * Vec3::Y;
                let at = position(&world, rod).x;
                // Both ends on the near side, except for a part of the thickness.
                let end = at + 0.5 * axis.x.abs();
                assert!(at < 0.0 && end < 0.0045, "step {step}: centre {at}, end {end}");
            }
        }
    }
}

/// Impacts extrapolate points in straight lines: those on the end of a rod that spins about its
/// length would fly off into the wall beside it.
#[test]
fn a_rod_that_spins_about_its_length_does_not_hit_a_wall_that_it_never_reaches() {
    let mut noise = Noise(9);
    for k in 0..200 {
        let (mut world, mut physics) = (World::new(), weightless());
        world.spawn(Body::fixed(Collider::cuboid(0.0005, 4.0, 4.0)));
        // A millimetre of clearance beyond the rim of its end.
        let lean = noise.between(0.3, 1.2);
        let axis = Vec3::new(lean.sin(), lean.cos(), 0.0);
        let off = 0.5 * axis.x + 0.005 * lean.cos() + 0.0015;
        let turned = Quat::from_axis_angle(axis, noise.between(0.0, 6.0)) * Quat::from_rotation_arc(Vec3::Y, axis);
        let spin = axis * noise.between(100.0, 300.0);
        let body = Body::dynamic(Collider::cylinder(0.5, 0.005)).at(-off, 0.0, 0.0).orientation(turned);
        world.spawn(body.angular_velocity(spin));
        assert_eq!(physics.step(&mut world, DT).unwrap().counts.impacts, 0, "{k}");
    }
}

#[test]
fn no_body_leaves_the_box_of_a_pile_of_which_half_is_fast() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let surface = Material::new(0.5, 0.3);
    for axis in Vec3::AXES {
        for side in [-1.0, 1.0] {
            let half = Vec3::ONE * 1.002 - axis;
            let wall = Body::fixed(Collider::cuboid(half.x, half.y, half.z)).position(axis * 1.001 * side);
            world.spawn(wall.material(surface));
        }
    }
    let mut noise = Noise(7);
    let heap: Vec<Entity> = (0..500)
        .map(|i| {
            let at = Vec3::new((i % 8) as Real, (i / 64) as Real, (i / 8 % 8) as Real) * 0.12 - 0.42;
            let shape = match i % 3 {
                0 => Collider::ball(0.04),
                1 => Collider::cuboid(0.04, 0.03, 0.02),
                _ => Collider::capsule(0.03, 0.02),
            };
            let body = Body::dynamic(shape).position(at).material(surface);
            world.spawn(if i % 2 == 0 { body.linear_velocity(noise.vector() * 100.0) } else { body })
        })
        .collect();
    for step in 0..60 {
        physics.step(&mut world, DT).unwrap();
        for &e in &heap {
            let at = position(&world, e);
            assert!(at.abs().max_element() < 1.0, "step {step}: {at}");
        }
    }
}

#[test]
fn a_force_however_strong_drives_nothing_through_a_wall() {
    for strength in [1e3, 2e4, 1e5] {
        let (mut world, mut physics) = (World::new(), weightless());
        world.spawn(Body::fixed(Collider::cuboid(0.01, 5.0, 5.0)).at(2.0, 0.0, 0.0));
        let shapes = [Collider::ball(0.1), Collider::cuboid(0.1, 0.1, 0.1), Collider::capsule(0.1, 0.05)];
        let driven = shapes.map(|shape| {
            let z = world.len() as Real;
            world.spawn(Body::dynamic(shape).at(0.0, 0.0, z).mass(1.0).force(Vec3::X * strength))
        });
        for step in 0..120 {
            physics.step(&mut world, DT).unwrap();
            for e in driven {
                assert!(position(&world, e).x < 2.0, "{strength}, step {step}: {}", position(&world, e));
            }
        }
    }
}

#[test]
fn a_swung_bat_hits_a_ball_that_lies_in_its_way() {
    let (mut world, mut physics) = (World::new(), weightless());
    let bat = Body::kinematic(Collider::cuboid(1.0, 0.05, 0.05)).angular_velocity(Vec3::Y * 40.0);
    world.spawn(bat);
    // Half a step's rotation ahead of the bat.
    let angle: Real = -0.5 * 40.0 * DT;
    let start = Vec3::new(angle.cos(), 0.0, angle.sin()) * 0.8;
    let ball = world.spawn(Body::dynamic(Collider::ball(0.02)).position(start).material(Material::new(0.0, 1.0)));
    physics.step(&mut world, DT).unwrap();
    let velocity = world.get::<&LinearVelocity>(ball).unwrap().0;
    assert!(velocity.length() > 30.0, "{velocity}");
}

#[test]
fn a_ball_that_rattles_in_a_slit_is_stopped_and_counted() {
    let (mut world, mut physics) = (World::new(), weightless());
    let surface = Material::new(0.0, 1.0);
    for side in [-1.0, 1.0] {
        world.spawn(Body::fixed(Collider::cuboid(0.5, 1.0, 1.0)).at(side * 0.53, 0.0, 0.0).material(surface));
    }
    let ball = Body::dynamic(Collider::ball(0.01)).linear_velocity(Vec3::X * 300.0).material(surface);
    let ball = world.spawn(ball);
    let counts = physics.step(&mut world, DT).unwrap().counts;
    assert_eq!((counts.ccd_bodies, counts.ccd_impacts, counts.ccd_stopped), (1, 16, 1));
    let velocity = world.get::<&LinearVelocity>(ball).unwrap().0;
    assert!((velocity.length() - 300.0).abs() < 1e-3, "{velocity}");
    for _ in 0..100 {
        physics.step(&mut world, DT).unwrap();
        assert!(position(&world, ball).x.abs() < 0.0205);
    }
}

/// A floor with a wall at `x = 0` that rises from it, in one shape.
fn corner_of(kind: &str) -> Collider {
    match kind {
        "triangles" => {
            let floor = [(-60.0, 0.0, -2.0), (-60.0, 0.0, 2.0), (0.0, 0.0, 2.0), (0.0, 0.0, -2.0)];
            let wall = [(0.0, 2.0, -2.0), (0.0, 2.0, 2.0)];
            let vertices = floor.iter().chain(&wall).map(|&(x, y, z)| Vec3::new(x, y, z)).collect();
            Collider::trimesh(vertices, vec![[0, 1, 2], [0, 2, 3], [3, 2, 5], [3, 5, 4]]).unwrap()
        }
        _ => Collider::compound(vec![
            (Vec3::new(-30.0, -0.5, 0.0), Quat::IDENTITY, Collider::cuboid(30.0, 0.5, 2.0)),
            (Vec3::new(0.005, 1.0, 0.0), Quat::IDENTITY, Collider::cuboid(0.005, 1.0, 2.0)),
        ])
        .unwrap(),
    }
}

#[test]
fn what_slides_fast_over_the_floor_of_a_shape_meets_its_wall() {
    for kind in ["triangles", "cuboids"] {
        for speed in [20.0, 60.0, 200.0] {
            for (shape, half) in [(Collider::ball(0.1), 0.1), (Collider::cuboid(0.1, 0.1, 0.1), 0.1)] {
                let (mut world, mut physics) = (World::new(), Physics::default());
                let smooth = Material::new(0.0, 0.0);
                world.spawn(Body::fixed(corner_of(kind)).material(smooth));
                let sledge =
                    Body::dynamic(shape).at(-50.0, half, 0.0).linear_velocity(Vec3::X * speed).material(smooth);
                let sledge = world.spawn(sledge);
                for step in 0..240 {
                    let counts = physics.step(&mut world, DT).unwrap().counts;
                    assert_eq!(counts.ccd_stopped, 0, "{kind}, {speed} m/s, step {step}");
                    let at = position(&world, sledge);
                    assert!(at.x < 0.0 && at.y > 0.5 * half, "{kind}, {speed} m/s, step {step}: {at}");
                }
                let at = position(&world, sledge);
                assert!(at.x > -50.0 && (at.y - half).abs() < 2e-3, "{kind}, {speed} m/s: {at}");
            }
        }
    }
}

/// A body that turns a thousand times in a step comes near the ground in steps of its own: no search finds
/// its impact, and none may be made up on the way.
#[test]
fn bodies_that_spin_at_a_million_radians_a_second_meet_the_ground_at_the_ground() {
    for (spin, shape) in [
        (1e6, Collider::cuboid(0.06, 0.02, 0.04)),
        (1e5, Collider::capsule(0.06, 0.01)),
        (3e6, Collider::cone(0.05, 0.02)),
    ] {
        let (mut world, mut physics) = (World::new(), weightless());
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let body = Body::dynamic(shape).at(0.0, 5.0, 0.0).linear_velocity(Vec3::Y * -60.0);
        let body = world.spawn(body.angular_velocity(Vec3::new(0.6, 0.48, 0.64) * spin));
        let energy = physics_energy(&mut physics, &mut world);
        for step in 0..60 {
            physics.step(&mut world, DT).unwrap();
            for event in physics.events() {
                if let Event::Impact { point, .. } = event {
                    assert!(point.y.abs() < 0.1, "{spin} rad/s, step {step}: {point}");
                }
            }
            assert!(position(&world, body).y > -0.1, "{spin} rad/s, step {step}: {}", position(&world, body));
            assert!(physics.kinetic_energy() < 1.01 * energy, "{spin} rad/s, step {step}");
        }
    }
}
