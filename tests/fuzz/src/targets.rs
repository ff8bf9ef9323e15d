//! Targets that take arbitrary bytes, as those of cargo-fuzz do. What is valid in the bytes is
//! stepped; anything else must be an error. A panic is a fault.

use arbitrary::{Result, Unstructured};
use dolmen::prelude::*;
use dolmen::{Snapshot, scene};
use hecs::World;

/// A target by its name.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
}

pub const ALL: [Target; 5] = [
    Target { name: "scene", run: scene_file },
    Target { name: "snapshot", run: snapshot },
    Target { name: "hull", run: |data| _ = hull(data) },
    Target { name: "mesh", run: |data| _ = mesh(data) },
    Target { name: "compound", run: |data| _ = compound(data) },
];

/// Most bodies and joints of a scene that is stepped, and most points of a shape.
const MOST: usize = 200;

/// A scene file: read, built and stepped.
fn scene_file(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(scene) = scene::read(text) else { return };
    if scene.bodies.len().max(scene.joints.len()) > MOST || scene.settings.threads.is_some() {
        return;
    }
    let mut world = World::new();
    let Ok(built) = scene::build(&scene, &mut world) else { return };
    let mut physics = Physics::new(Settings { threads: Some(1), ..built.settings });
    for _ in 0..3 {
        _ = physics.step(&mut world, built.dt);
    }
    check(&world);
}

/// A snapshot behind a header that fits it: read, restored and stepped.
fn snapshot(data: &[u8]) {
    let (mut world, mut physics) = crate::seeds::saved_world();
    let Ok(snapshot) = Snapshot::from_bytes(&crate::seeds::sealed(data)) else { return };
    physics.restore(&mut world, &snapshot);
    for _ in 0..2 {
        _ = physics.step(&mut world, 1.0 / 60.0);
    }
}

/// Points of a hull.
fn hull(data: &[u8]) -> Result<()> {
    let mut bytes = Unstructured::new(data);
    let points = points(&mut bytes)?;
    if let Ok(hull) = Collider::convex_hull(&points) {
        fall(Body::dynamic(hull));
    }
    Ok(())
}

/// Vertices and indices of a mesh.
fn mesh(data: &[u8]) -> Result<()> {
    let mut bytes = Unstructured::new(data);
    let vertices = points(&mut bytes)?;
    let count = bytes.int_in_range(0..=MOST)?;
    let index = |bytes: &mut Unstructured| bytes.int_in_range(0..=vertices.len() as u32);
    let triangles = (0..count).map(|_| Ok([index(&mut bytes)?, index(&mut bytes)?, index(&mut bytes)?]));
    let triangles = triangles.collect::<Result<Vec<_>>>()?;
    if let Ok(mesh) = Collider::trimesh(vertices, triangles) {
        fall(Body::dynamic(mesh.clone()));
        let mut world = World::new();
        world.spawn(Body::fixed(mesh));
        for (k, shape) in [Collider::ball(0.3), Collider::cuboid(0.3, 0.2, 0.4)].into_iter().enumerate() {
            world.spawn(Body::dynamic(shape).at(k as Real, 0.4, 0.0));
        }
        step(world);
    }
    Ok(())
}

/// Parts of a compound.
fn compound(data: &[u8]) -> Result<()> {
    let mut bytes = Unstructured::new(data);
    let mut parts = Vec::new();
    for _ in 0..bytes.int_in_range(0..=8)? {
        let (at, turned) = (vector(&mut bytes)?, quaternion(&mut bytes)?);
        let (a, b, c) = (number(&mut bytes)?, number(&mut bytes)?, number(&mut bytes)?);
        let shape = match bytes.int_in_range(0..=7)? {
            0 => Collider::ball(a),
            1 => Collider::cuboid(a, b, c),
            2 => Collider::capsule(a, b),
            3 => Collider::cylinder(a, b),
            4 => Collider::cone(a, b),
            5 => Collider::half_space(Vec3::new(a, b, c)),
            6 => match Collider::convex_hull(&points(&mut bytes)?) {
                Ok(hull) => hull,
                Err(_) => continue,
            },
            _ => match Collider::compound(parts.clone()) {
                Ok(nested) => nested,
                Err(_) => continue,
            },
        };
        parts.push((at, turned, shape));
    }
    if let Ok(compound) = Collider::compound(parts) {
        fall(Body::dynamic(compound));
    }
    Ok(())
}

/// A number: any bits, or one that is likely to be valid.
fn number(bytes: &mut Unstructured) -> Result<Real> {
    Ok(match bytes.int_in_range(0..=3)? {
        0 => bytes.arbitrary()?,
        1 => Real::from(bytes.arbitrary::<i8>()?),
        2 => Real::from(bytes.arbitrary::<i16>()?) / 4096.0,
        _ => Real::from(bytes.arbitrary::<u16>()?) / 65536.0 + 0.01,
    })
}

fn vector(bytes: &mut Unstructured) -> Result<Vec3> {
    Ok(Vec3::new(number(bytes)?, number(bytes)?, number(bytes)?))
}

fn quaternion(bytes: &mut Unstructured) -> Result<Quat> {
    let q = Quat::from_xyzw(number(bytes)?, number(bytes)?, number(bytes)?, number(bytes)?);
    Ok(if bytes.arbitrary()? { q } else { q.normalize() })
}

fn points(bytes: &mut Unstructured) -> Result<Vec<Vec3>> {
    let count = bytes.int_in_range(0..=64)?;
    (0..count).map(|_| vector(bytes)).collect()
}

/// Lets a body fall on a floor and a box, with a mass if it has none.
fn fall(body: Body) {
    for weighed in [false, true] {
        let mut world = World::new();
        world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 0.5, 0.0));
        let body = body.clone().at(0.1, 1.2, 0.0);
        world.spawn(if weighed { body.mass(1.0).inertia(Inertia::diagonal(1.0, 1.0, 1.0)) } else { body });
        step(world);
    }
}

/// Takes steps, up to one that is refused.
fn step(mut world: World) {
    let mut physics = Physics::new(Settings { threads: Some(1), ..Settings::default() });
    for _ in 0..4 {
        if physics.step(&mut world, 1.0 / 60.0).is_err() {
            return;
        }
    }
    check(&world);
}

/// Positions are numbers.
fn check(world: &World) {
    for p in world.query::<&Position>().iter() {
        assert!(p.0.is_finite(), "{p:?}");
    }
}
