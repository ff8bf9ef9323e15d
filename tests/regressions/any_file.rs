//! Shapes from files: what was written is read as it was, and a file with any number changed is
//! refused or is another shape, which a step and a query take.
//!
//! Lists that named what does not exist, and trees of boxes that led nowhere, ended the game.

use crate::{alone, position};
use dolmen::components::{Body, Collider};
use dolmen::math::{Pose, Quat, Real, Vec3};
use dolmen::parry::shape::{Compound, CompoundFlags, RoundShape, Segment, SharedShape, Triangle, Voxels};
use dolmen::query::{Filter, Probe, Ray};
use hecs::World;
use serde_json::{Value, from_value, json, to_value};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A shape of each kind, some metres wide, its top near the origin.
fn shapes() -> Vec<(&'static str, Collider)> {
    let corners: Vec<Vec3> = (0..8)
        .map(|k| Vec3::new((k & 1) as Real * 4.0 - 2.0, (k >> 1 & 1) as Real - 1.0, (k >> 2) as Real * 3.0 - 1.5))
        .chain([Vec3::new(0.0, 0.2, 0.1)])
        .collect();
    let hull = Collider::convex_hull(&corners).unwrap();
    let polyhedron = hull.0.as_convex_polyhedron().unwrap().clone();
    let low = Pose::from_translation(Vec3::new(-1.0, -0.5, 0.0));
    let boxes = vec![(low, SharedShape::cuboid(1.0, 0.5, 1.0)), (low.inverse(), SharedShape::cuboid(1.0, 0.5, 1.0))];
    let mesh = Collider::trimesh(corners.clone(), vec![[2, 6, 3], [3, 6, 7], [2, 3, 8], [0, 1, 4]]).unwrap();
    let parts = vec![
        (Vec3::new(-1.0, -0.5, 0.0), Quat::from_rotation_y(0.3), Collider::cuboid(1.0, 0.5, 1.0)),
        (Vec3::new(0.5, -0.5, 0.0), Quat::IDENTITY, hull.clone()),
        (Vec3::X * 3.0, Quat::IDENTITY, Collider::cylinder(0.5, 0.4)),
    ];
    let field = Collider::heightfield(3, 4, &[0.0, 0.1, -0.2, 0.0, 0.0, 0.3, 0.1, 0.0, 0.2, 0.0, 0.0, 0.1], Vec3::ONE);
    let flagged = Compound::with_flags(boxes, CompoundFlags::FIX_INTERNAL_EDGES, None);
    vec![
        ("ball", Collider::ball(1.0)),
        ("cuboid", Collider::cuboid(2.0, 1.0, 2.0)),
        ("capsule", Collider::capsule(1.0, 0.5)),
        ("cylinder", Collider::cylinder(1.0, 0.5)),
        ("cone", Collider::cone(1.0, 0.5)),
        ("half-space", Collider::half_space(Vec3::new(0.1, 1.0, 0.0))),
        ("hull", hull),
        ("mesh", mesh),
        ("height field", field.unwrap()),
        ("compound", Collider::compound(parts).unwrap()),
        ("compound without inner edges", Collider(SharedShape::new(flagged))),
        ("polyline", Collider(SharedShape::polyline(corners[..4].to_vec(), None))),
        ("round hull", Collider(SharedShape::new(RoundShape { inner_shape: polyhedron, border_radius: 0.1 }))),
        ("round cuboid", Collider(SharedShape::round_cuboid(1.0, 0.5, 1.0, 0.1))),
        ("triangle", Collider(SharedShape::new(Triangle::new(corners[2], corners[6], corners[3])))),
        ("segment", Collider(SharedShape::new(Segment::new(corners[2], corners[3])))),
    ]
}

/// Where a box comes to that falls on the shape, and what queries say of it.
fn answers(collider: &Collider, steps: usize) -> String {
    let mut world = World::new();
    world.spawn(Body::fixed(collider.clone()));
    let above = Vec3::new(0.05, 0.35, 0.1);
    let falling = world.spawn(Body::dynamic(Collider::cuboid(0.2, 0.1, 0.3)).position(above));
    let mut physics = alone();
    let mut refused = None;
    for _ in 0..steps {
        refused = physics.step(&mut world, 1.0 / 60.0).err();
    }
    let (query, all) = (physics.query(), Filter::default());
    let ray = query.ray_all(&Ray::new(Vec3::new(0.1, 9.0, 0.2), -Vec3::Y, 99.0).unwrap(), &all);
    let probe = Probe::new(&Collider::cone(0.3, 0.2), Vec3::new(0.3, 0.0, 0.0), Quat::IDENTITY).unwrap();
    let near = [Vec3::ZERO, above].map(|at| query.nearest(at, 9.0, &all));
    let touching = query.touching(&probe, 0.5, &all);
    format!("{:?} {refused:?} {ray:?} {near:?} {touching:?}", position(&world, falling).to_array())
}

#[test]
fn a_shape_from_a_file_answers_as_the_one_that_was_written() {
    for (name, collider) in shapes() {
        let read: Collider = from_value(to_value(&collider).unwrap()).unwrap();
        assert_eq!(answers(&read, 40), answers(&collider, 40), "{name}");
    }
}

/// Lists the place of every number of a file.
fn each_number(file: &Value, path: &mut Vec<String>, found: &mut Vec<String>) {
    match file {
        Value::Array(items) => {
            for (k, item) in items.iter().enumerate() {
                path.push(k.to_string());
                each_number(item, path, found);
                path.pop();
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                path.push(name.clone());
                each_number(field, path, found);
                path.pop();
            }
        }
        Value::Number(_) => found.push(format!("/{}", path.join("/"))),
        _ => {}
    }
}

#[test]
fn a_file_with_any_number_changed_is_refused_or_is_a_shape_that_can_be_used() {
    let (mut read, mut refused, mut faults) = (0, 0, Vec::new());
    for (name, collider) in shapes() {
        let mut file = to_value(&collider).unwrap();
        let mut places = Vec::new();
        each_number(&file, &mut Vec::new(), &mut places);
        for place in places {
            let was = file.pointer(&place).unwrap().clone();
            for value in [json!(0), json!(1), json!(7), json!(100_000), json!(u32::MAX), json!(-3e20), json!(2.5e-5)] {
                *file.pointer_mut(&place).unwrap() = value.clone();
                let used = catch_unwind(AssertUnwindSafe(|| match from_value::<Collider>(file.clone()) {
                    Ok(collider) => {
                        answers(&collider, 1);
                        read += 1;
                    }
                    Err(_) => refused += 1,
                }));
                if used.is_err() {
                    faults.push(format!("{name}: {value} at {place}"));
                }
            }
            *file.pointer_mut(&place).unwrap() = was;
        }
    }
    assert!(faults.is_empty(), "{} files:\n{}", faults.len(), faults[..faults.len().min(12)].join("\n"));
    assert!(read > 2_000 && refused > 1_000, "{read} {refused}");
}

#[test]
fn impossible_shapes_of_files_are_refused_by_the_error_of_their_constructor() {
    let impossible = [
        Collider::ball(-1.0),
        Collider::cuboid(1.0, 0.0, 1.0),
        Collider::capsule(1e12, 1.0),
        Collider(SharedShape::round_cuboid(1.0, 1.0, 1.0, -0.1)),
        Collider(SharedShape::compound(vec![(Pose::IDENTITY, SharedShape::ball(0.0))])),
    ];
    for collider in impossible {
        let error = from_value::<Collider>(to_value(&collider).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), collider.check().unwrap_err().to_string());
    }
}

#[test]
fn voxels_are_refused_since_their_chunks_cannot_be_checked() {
    let voxels = Collider(SharedShape::new(Voxels::new(Vec3::ONE, &[])));
    let error = from_value::<Collider>(to_value(&voxels).unwrap()).unwrap_err();
    assert!(error.to_string().contains("voxels"), "{error}");
}
