//! Composite shapes in a whole world: bodies that stand on them, roll over them and leave them.

use crate::game::{DT, position, run};
use dolmen::Event;
use dolmen::prelude::*;
use hecs::{Entity, World};

/// Flat ground of many triangles, its top at 0.
fn grounds() -> [Collider; 2] {
    let at = |i: usize| Vec3::new((i % 21) as Real - 10.0, 0.0, (i / 21) as Real - 10.0);
    let cells = (0..20).flat_map(|z| (0..20).map(move |x| (z * 21 + x) as u32));
    let triangles = cells.flat_map(|a| [[a, a + 21, a + 22], [a, a + 22, a + 1]]).collect();
    let mesh = Collider::trimesh((0..441).map(at).collect(), triangles).unwrap();
    [mesh, Collider::heightfield(21, 21, &[0.0; 441], Vec3::new(20.0, 1.0, 20.0)).unwrap()]
}

/// A table of five boxes, 1 m high, its origin on the ground between its feet.
fn table() -> Collider {
    let leg = |x: Real, z: Real| (Vec3::new(x, 0.45, z), Quat::IDENTITY, Collider::cuboid(0.1, 0.45, 0.1));
    let top = (Vec3::Y * 0.95, Quat::IDENTITY, Collider::cuboid(0.8, 0.05, 0.8));
    Collider::compound(vec![top, leg(0.7, 0.7), leg(-0.7, 0.7), leg(0.7, -0.7), leg(-0.7, -0.7)]).unwrap()
}

#[test]
fn tables_stand_on_tables_on_every_ground_and_fall_asleep() {
    for ground in grounds() {
        let (mut world, mut physics) = (World::new(), Physics::default());
        world.spawn(Body::fixed(ground.clone()));
        let tables: Vec<Entity> = (0..3).map(|i| world.spawn(Body::dynamic(table()).at(0.3, i as Real, 0.2))).collect();
        let mut began = 0;
        for _ in 0..300 {
            physics.step(&mut world, DT).unwrap();
            for event in physics.events() {
                match event {
                    Event::ContactBegan { .. } => began += 1,
                    Event::ContactEnded { .. } => panic!("{ground:?}: {event:?}"),
                    _ => {}
                }
            }
        }
        assert_eq!(began, 3, "{ground:?}: a pair of colliders begins once, however many parts touch");
        for (i, &e) in tables.iter().enumerate() {
            assert!((position(&world, e) - Vec3::new(0.3, i as Real, 0.2)).length() < 5e-3, "{ground:?}, {i}");
        }
        assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 3, "{ground:?}");
        let weight: Real = physics.contacts().map(|c| c.impulse.y.abs()).sum();
        let mass = 1000.0 * (1.6 * 0.1 * 1.6 + 4.0 * 0.2 * 0.9 * 0.2);
        assert!(
            (weight / (6.0 * mass * 9.81 * DT) - 1.0).abs() < 2e-2,
            "{ground:?}: one, two and three tables: {weight}"
        );
    }
}

#[test]
fn a_ball_rolls_over_internal_edges_as_over_a_plane() {
    for ground in grounds() {
        let (mut world, mut physics) = (World::new(), Physics::default());
        world.spawn(Body::fixed(ground.clone()));
        let ball = Body::dynamic(Collider::ball(0.5)).mass(1.0).at(-6.0, 0.5, 0.35);
        let ball = ball.linear_velocity(Vec3::new(3.0, 0.0, 0.4)).angular_velocity(Vec3::new(0.8, 0.0, -6.0));
        let ball = world.spawn(ball);
        run(&mut world, &mut physics, 20);
        for step in 0..160 {
            physics.step(&mut world, DT).unwrap();
            let impulse: Vec3 = physics.contacts().map(|c| c.impulse).sum();
            assert!(((impulse.y / (9.81 * DT)).abs() - 1.0).abs() < 0.05, "{ground:?}, {step}: {impulse}");
            let y = position(&world, ball).y;
            assert!((y - 0.5).abs() < 1e-3, "{ground:?}, {step}: {y}");
        }
        let v = world.get::<&LinearVelocity>(ball).unwrap().0;
        assert!((v - Vec3::new(3.0, 0.0, 0.4)).length() < 2e-2, "{ground:?}: {v}");
    }
}

#[test]
fn a_pile_on_a_mesh_stays_above_it_and_what_leaves_its_border_falls() {
    for ground in grounds() {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let ground_name = format!("{ground:?}");
        world.spawn(Body::fixed(ground));
        let shapes = [Collider::cuboid(0.4, 0.4, 0.4), table(), Collider::ball(0.4), Collider::capsule(0.3, 0.3)];
        let pile: Vec<Entity> = (0..60)
            .map(|i| {
                let at = Vec3::new(
                    (i % 4) as Real * 1.7 - 3.0,
                    0.5 + (i / 16) as Real * 1.6,
                    (i / 4 % 4) as Real * 1.7 - 3.0,
                );
                world.spawn(Body::dynamic(shapes[i % 4].clone()).position(at))
            })
            .collect();
        let leaver = Body::dynamic(Collider::cuboid(0.3, 0.3, 0.3)).at(9.0, 0.3, 0.0).material(Material::new(0.0, 0.0));
        let leaver = world.spawn(leaver.linear_velocity(Vec3::X * 2.0));
        run(&mut world, &mut physics, 300);
        assert!(position(&world, leaver).y < -1.0, "{ground_name}");
        for &e in &pile {
            let p = position(&world, e);
            let over = p.x.abs() < 9.0 && p.z.abs() < 9.0;
            assert!(!over || p.y > -0.1, "{ground_name}: {p}");
        }
    }
}

#[test]
fn hundreds_of_bodies_rest_on_one_half_space() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let bodies: Vec<Entity> = (0..400)
        .map(|i| world.spawn(Body::dynamic(table()).at((i % 20) as Real * 3.0, 0.01, (i / 20) as Real * 3.0)))
        .collect();
    run(&mut world, &mut physics, 120);
    let report = physics.step(&mut world, DT).unwrap();
    assert_eq!((report.counts.asleep, report.counts.pairs, report.counts.collided), (400, 400, 0));
    assert!(bodies.iter().all(|&e| position(&world, e).y.abs() < 2e-3));
}
