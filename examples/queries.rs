//! Queries on a tower of blocks: the hit of a ray, the surroundings of a point, the fall of a ball,
//! the bodies in a zone.

use dolmen::prelude::*;
use dolmen::query::{Filter, Probe, Ray, Sensors, ShapeCast};
use std::collections::BTreeMap;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut world = hecs::World::new();
    let mut physics = Physics::new(Settings::default());
    let mut names = BTreeMap::new();
    names.insert(world.spawn(Body::fixed(Collider::half_space(Vec3::Y))), "the floor".to_owned());
    names.insert(
        world.spawn(Body::fixed(Collider::cuboid(2.0, 1.0, 2.0)).at(0.0, 1.0, 0.0).sensor()),
        "the zone".to_owned(),
    );
    let block = Collider::cuboid(0.5, 0.25, 0.5);
    for k in 0..8 {
        let entity = world.spawn(Body::dynamic(block.clone()).at(0.0, 0.25 + 0.5 * k as Real, 0.0));
        names.insert(entity, format!("block {k}"));
    }
    for _ in 0..120 {
        physics.step(&mut world, 1.0 / 60.0)?;
    }
    let (query, all) = (physics.query(), Filter::default());

    let down = Ray::new(Vec3::new(0.2, 10.0, 0.1), -Vec3::Y, 100.0)?;
    let top = query.ray(&down, &all).ok_or("the ray misses everything")?;
    println!("first on the way down: {} after {:.3} m, normal {}", names[&top.entity], top.distance, top.normal);
    let every = query.ray_all(&down, &all);
    println!("all on the way down: {}", every.iter().map(|h| names[&h.entity].as_str()).collect::<Vec<_>>().join(", "));

    let beside = Vec3::new(1.5, 1.1, 0.0);
    let near = query.nearest(beside, 5.0, &all).ok_or("nothing is near")?;
    println!("nearest to {beside}: {} at {:.3} m", names[&near.entity], near.distance);

    let ball = Probe::new(&Collider::ball(0.5), Vec3::new(0.9, 8.0, 0.0), Quat::IDENTITY)?;
    let stop = query.shape_cast(&ShapeCast::new(ball, -Vec3::Y, 100.0)?, &all).ok_or("the ball falls for ever")?;
    println!("a ball falls {:.3} m onto {}", stop.distance, names[&stop.entity]);

    let zones = all.sensors(Sensors::Only);
    let inside = query.containing(Vec3::Y, &zones);
    println!("sensors around the point (0, 1, 0): {}", inside.len());
    let low = query.in_box(Vec3::new(-2.0, 0.0, -2.0), Vec3::new(2.0, 2.0, 2.0), &all.kinds(&[RigidBody::Dynamic]));
    println!("blocks in the zone: {}", low.len());

    let good = names[&top.entity] == "block 7"
        && (top.distance - 6.0).abs() < 0.01
        && every.len() == 9
        && (near.distance - 1.0).abs() < 0.01
        && stop.distance > 3.5
        && inside.len() == 1
        && (4..=5).contains(&low.len());
    println!("verdict: {}", if good { "every answer is as it must be" } else { "an answer is off" });
    Ok(ExitCode::from(u8::from(!good)))
}
