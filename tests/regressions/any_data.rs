//! Shapes of every kind, tiny, huge, flat and far: a step and a query answer or refuse, and no panic
//! of the shapes' library leaves them.
//!
//! The library's trees over boxes that are no boxes, its points inside a hull and its casts against
//! far shapes ended the game.

use crate::{alone, position};
use dolmen::components::{Body, Collider, Inertia, Mass, Orientation, Position};
use dolmen::math::{Pose, Quat, Real, Vec3};
use dolmen::parry::shape::{Segment, SharedShape, Triangle, Voxels};
use dolmen::query::{Filter, Probe, Ray, ShapeCast};
use dolmen::{Physics, ShapeError, StepError};
use hecs::World;
use std::panic::{AssertUnwindSafe, catch_unwind};

const KINDS: usize = 19;

/// A shape of a kind, of a size (m), `flat` times as high; `None` if no constructor makes it.
fn shape(kind: usize, size: Real, flat: Real) -> Option<Collider> {
    let high = size * flat;
    let corners: Vec<Vec3> = (0..8)
        .map(|k| Vec3::new((k & 1) as Real * size, (k >> 1 & 1) as Real * high, (k >> 2) as Real * size))
        .chain([Vec3::new(1.5 * size, 0.5 * high, 0.5 * size)])
        .collect();
    let corner = [Vec3::ZERO, Vec3::new(size, 0.0, 0.0), Vec3::new(0.3 * size, 0.2 * high, high)];
    let quad = vec![corner[0], corner[1], corner[2], Vec3::new(size, high, high)];
    let made = |shape| Some(Collider(shape));
    match kind {
        0 => Some(Collider::ball(size)),
        1 => Some(Collider::cuboid(size, high, size)),
        2 => Some(Collider::capsule(high, size)),
        3 => Some(Collider::cylinder(high, size)),
        4 => Some(Collider::cone(high, size)),
        5 => Some(Collider::half_space(Vec3::new(0.1, 1.0, 0.2))),
        6 => Collider::convex_hull(&corners).ok(),
        7 => Collider::trimesh(quad, vec![[0, 1, 2], [2, 1, 3], [0, 1, 2], [0, 0, 1]]).ok(),
        8 => Collider::heightfield(3, 2, &[0.0, 1.0, 0.5, -1.0, 0.0, 0.1], Vec3::new(size, high, size)).ok(),
        9 => {
            let part =
                |k: usize| (Vec3::ONE * (k as Real * size), Quat::from_rotation_x(k as Real), shape(k, size, flat));
            let parts = [0, 1, 3, 6].map(part).into_iter().filter_map(|(at, turn, part)| Some((at, turn, part?)));
            Collider::compound(parts.collect()).ok()
        }
        10 => made(SharedShape::new(Triangle::new(corner[0], corner[1], corner[2]))),
        11 => made(SharedShape::new(Segment::new(corner[0], corner[2]))),
        12 => made(SharedShape::round_cuboid(size, high, size, 0.1 * high)),
        13 => made(SharedShape::round_cylinder(high, size, 0.1 * high)),
        14 => made(SharedShape::round_cone(high, size, 0.1 * high)),
        15 => made(SharedShape::round_triangle(corner[0], corner[1], corner[2], 0.1 * high)),
        16 => made(SharedShape::polyline(quad, None)),
        17 => {
            made(SharedShape::new(Voxels::from_points(Vec3::new(size, high, size), &[Vec3::ZERO, Vec3::splat(size)])))
        }
        _ => {
            let hull = Collider::convex_hull(&corners).ok()?;
            let hull = hull.0.as_convex_polyhedron()?.clone();
            made(SharedShape::new(dolmen::parry::shape::RoundShape { inner_shape: hull, border_radius: 0.1 * high }))
        }
    }
}

/// Sizes (m) and heights in sizes: ordinary, flat, tiny, tiny and flat, huge, huge and flat.
const SIZES: [(Real, Real); 7] =
    [(1.0, 1.0), (1.0, 1e-6), (1e-6, 1.0), (1e-8, 1.0), (1e-4, 1e-4), (3e8, 1.0), (3e8, 1e-9)];

fn all_shapes() -> Vec<(String, Real, Collider)> {
    let all = (0..KINDS).flat_map(|kind| SIZES.map(|(size, flat)| (kind, size, flat)));
    all.filter_map(|(kind, size, flat)| {
        let name = format!("kind {kind} of {size:e} m, {flat:e} as high");
        Some((name, size, shape(kind, size, flat)?))
    })
    .collect()
}

/// What a panic of a case says, with its name.
fn case(name: &str, run: impl FnOnce()) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(run)).err()?;
    let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
    Some(format!("{name}: {}", text.unwrap_or_default()))
}

fn none_of(faults: impl Iterator<Item = String>) {
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{} cases:\n{}", faults.len(), faults[..faults.len().min(12)].join("\n"));
}

/// A world with a fixed shape, and another one in it, at its edge, beyond it and far away.
fn world_of(fixed: &Collider, moving: &Collider, size: Real) -> World {
    let mut world = World::new();
    let turn = Quat::from_xyzw(0.1, -0.2, 0.4, 0.8).normalize();
    world.spawn(Body::fixed(fixed.clone()).orientation(turn));
    for at in [Vec3::ZERO, Vec3::new(0.9, 0.3, -0.2) * size, Vec3::Y * (2.1 * size), Vec3::new(1e12, -1e9, 3.0)] {
        let body = world.spawn(Body::dynamic(moving.clone()));
        world.insert(body, (Position(at), Orientation(turn), Mass(1.0))).unwrap();
        world.insert_one(body, Inertia { principal: Vec3::ONE, frame: Quat::IDENTITY }).unwrap();
    }
    world
}

#[test]
fn every_pair_of_shapes_of_any_size_is_stepped_or_refused() {
    let shapes = all_shapes();
    let mut stepped = 0;
    let pairs = shapes.iter().enumerate().flat_map(|(k, a)| shapes[k..].iter().map(move |b| (a, b)));
    let faults = pairs.filter_map(|((a, size, fixed), (b, other, moving))| {
        case(&format!("{a} and {b}"), || {
            let mut world = world_of(fixed, moving, size.max(*other));
            let mut physics = alone();
            for _ in 0..2 {
                match physics.step(&mut world, 1.0 / 60.0) {
                    Ok(_) => stepped += 1,
                    Err(StepError::Shape { error, .. }) => {
                        assert!(fixed.check() == Err(error.clone()) || moving.check() == Err(error));
                    }
                    Err(StepError::Component { component: "Collider", .. }) => {}
                    Err(other) => panic!("{other}"),
                }
            }
            for (at, turn) in world.query_mut::<(&Position, &Orientation)>() {
                assert!(at.0.is_finite() && turn.0.is_normalized(), "{} {}", at.0, turn.0);
            }
        })
    });
    none_of(faults);
    assert!(stepped > 5_000, "{stepped}");
}

#[test]
fn every_query_of_shapes_of_any_size_answers_or_refuses() {
    let shapes = all_shapes();
    let mut asked = 0;
    // Each third: every kind and every size.
    let pairs = shapes.iter().flat_map(|a| shapes.iter().step_by(3).map(move |b| (a, b)));
    let mut worlds = None;
    let faults = pairs.filter_map(|((a, size, fixed), (b, other, probe))| {
        case(&format!("{a} asked with {b}"), || {
            // One world serves all that is asked of it.
            if !matches!(&worlds, Some((name, _)) if name == a) {
                let mut world = World::new();
                world.spawn(Body::fixed(fixed.clone()).orientation(Quat::from_xyzw(0.1, -0.2, 0.4, 0.8).normalize()));
                let mut physics = alone();
                let _ = physics.step(&mut world, 1.0 / 60.0);
                worlds = Some((a.clone(), physics));
            }
            let query = worlds.as_ref().unwrap().1.query();
            let all = Filter::default();
            let size = size.max(*other);
            for at in [Vec3::ZERO, Vec3::new(0.3, 0.1, 0.2) * size, Vec3::Y * (3.0 * size), Vec3::new(1e15, -1e9, 1e30)]
            {
                for direction in [Vec3::Y, -at, Vec3::new(1.0, 1e-9, -1e-20), Vec3::splat(1e-30)] {
                    let Ok(ray) = Ray::new(at, direction, Real::INFINITY) else { continue };
                    let hits = query.ray(&ray, &all).into_iter().chain(query.ray(&ray.hollow(), &all));
                    hits.chain(query.ray_all(&ray, &all)).for_each(|hit| assert!(hit.distance >= 0.0, "{hit:?}"));
                    asked += 1;
                }
                query
                    .nearest(at, Real::INFINITY, &all)
                    .into_iter()
                    .for_each(|hit| assert!(!hit.distance.is_nan(), "{hit:?}"));
                query.containing(at, &all);
                query.in_box(at, at + Vec3::ONE, &all);
                let Ok(probe) = Probe::new(probe, at, Quat::from_xyzw(0.3, 0.1, 0.0, -0.9)) else { continue };
                query.overlapping(&probe, &all);
                query.touching(&probe, 0.1 * size, &all);
                for direction in [-Vec3::Y, -at] {
                    let Ok(cast) = ShapeCast::new(probe.clone(), direction, Real::INFINITY) else { continue };
                    let hit = query.shape_cast(&cast, &all);
                    hit.into_iter().for_each(|hit| assert!(hit.distance >= 0.0, "{hit:?}"));
                    asked += 1;
                }
            }
        })
    });
    none_of(faults);
    assert!(asked > 20_000, "{asked}");
}

#[test]
fn the_mass_of_a_shape_of_any_size_is_found_or_refused() {
    none_of(all_shapes().iter().filter_map(|(name, _, collider)| {
        case(name, || {
            let mut world = World::new();
            let body = world.spawn(Body::dynamic(collider.clone()));
            let mut physics = alone();
            match physics.step(&mut world, 1.0 / 60.0) {
                Ok(_) => assert!(position(&world, body).is_finite()),
                Err(error) => assert_eq!(error.entity(), Some(body)),
            }
        })
    }));
}

/// Lists that are wrong somewhere: the error has the place.
#[test]
fn lists_say_where_they_are_wrong() {
    let points = |spoilt: usize, with: Vec3| -> Vec<Vec3> {
        let at = |k: usize| Vec3::new((k % 2) as Real, (k / 2 % 2) as Real, (k / 4) as Real);
        (0..12).map(|k| if k == spoilt { with } else { at(k) }).collect()
    };
    for index in 0..12 {
        for (with, error) in [
            (Vec3::new(0.0, Real::NAN, 0.0), ShapeError::NotFinite { index }),
            (Vec3::new(Real::INFINITY, 0.0, 0.0), ShapeError::NotFinite { index }),
            (Vec3::new(0.0, 0.0, -2e9), ShapeError::TooFar { index }),
        ] {
            let points = points(index, with);
            assert_eq!(Collider::convex_hull(&points).unwrap_err(), error);
            assert_eq!(Collider::trimesh(points.clone(), vec![[0, 1, 2]]).unwrap_err(), error);
            let heights: Vec<Real> = points.iter().map(|p| p.x + p.y + p.z).collect();
            assert_eq!(Collider::heightfield(3, 4, &heights, Vec3::ONE).unwrap_err(), error);
        }
    }
    let good = points(99, Vec3::ZERO);
    for triangle in 0..5 {
        let indices = (0..5).map(|k| if k == triangle { [0, 12, 1] } else { [0, 1, 2] }).collect();
        assert_eq!(Collider::trimesh(good.clone(), indices).unwrap_err(), ShapeError::IndexOutOfRange { triangle });
    }
    for scale in [Vec3::new(0.0, 1.0, 1.0), Vec3::new(1.0, 1.0, Real::NAN), Vec3::new(1.0, 1.0, 2e9)] {
        let field = Collider::heightfield(2, 2, &[0.0; 4], scale);
        assert!(matches!(field, Err(ShapeError::Size { .. })), "{scale}");
    }
    for factor in [-1.0, Real::NAN, 2e9] {
        let field = Collider::heightfield(2, 2, &[0.0; 4], Vec3::new(1.0, factor, 1.0));
        assert!(matches!(field, Err(ShapeError::HeightFactor { .. })), "{factor}");
    }
    let flat = Collider::heightfield(2, 2, &[0.0; 4], Vec3::ONE).unwrap();
    for part in 0..3 {
        let with = |at: Vec3, turn: Quat, bad: Collider| {
            let ball = || (Vec3::ZERO, Quat::IDENTITY, Collider::ball(1.0));
            Collider::compound((0..3).map(|k| if k == part { (at, turn, bad.clone()) } else { ball() }).collect())
        };
        let small = Box::new(ShapeError::Size { what: "the ball's radius", value: 0.0 });
        let good = || Collider::ball(1.0);
        assert_eq!(
            with(Vec3::ZERO, Quat::IDENTITY, Collider::ball(0.0)).unwrap_err(),
            ShapeError::Part { part, error: small }
        );
        for whole in [flat.clone(), Collider::half_space(Vec3::Y)] {
            assert_eq!(with(Vec3::ZERO, Quat::IDENTITY, whole).unwrap_err(), ShapeError::NestedCompound { part });
        }
        for (at, turn) in [
            (Vec3::splat(Real::NAN), Quat::IDENTITY),
            (Vec3::splat(2e9), Quat::IDENTITY),
            (Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)),
            (Vec3::ZERO, Quat::from_xyzw(Real::NAN, 0.0, 0.0, 1.0)),
        ] {
            let error = with(at, turn, good()).unwrap_err();
            assert!(matches!(error, ShapeError::PartPose { part: named, .. } if named == part), "{error}");
        }
        assert!(with(Vec3::ZERO, Quat::from_xyzw(0.0, 3.0, 0.0, 4.0), good()).is_ok(), "orientations are normalised");
    }
}

/// Shapes that a game makes with the shapes' library itself.
#[test]
fn what_the_library_makes_of_bad_data_is_refused_by_check_and_step() {
    let segment = |end: Vec3| Collider(SharedShape::new(Segment::new(Vec3::ZERO, end)));
    let bent = Pose::from_parts(Vec3::ZERO, Quat::from_xyzw(0.0, 3.0, 0.0, 4.0));
    let bad = [
        segment(Vec3::splat(Real::NAN)),
        segment(Vec3::splat(1e20)),
        Collider(SharedShape::trimesh(vec![Vec3::ZERO, Vec3::X, Vec3::splat(Real::NAN)], vec![[0, 1, 2]]).unwrap()),
        Collider(SharedShape::polyline(vec![Vec3::ZERO, Vec3::splat(1e20)], None)),
        Collider(SharedShape::round_cuboid(1.0, 1.0, 1.0, -0.1)),
        Collider(SharedShape::round_cylinder(1.0, Real::NAN, 0.1)),
        Collider(SharedShape::compound(vec![(bent, SharedShape::ball(1.0))])),
        Collider(SharedShape::halfspace(Vec3::new(0.0, 2.0, 0.0))),
    ];
    for (k, collider) in bad.into_iter().enumerate() {
        let error = collider.check().expect_err(&format!("shape {k}"));
        let mut world = World::new();
        let body = world.spawn(Body::fixed(collider));
        let refused = Physics::default().step(&mut world, 1.0 / 60.0).unwrap_err();
        assert_eq!(refused.entity(), Some(body), "shape {k}");
        assert_eq!(refused.to_string(), format!("entity {body:?}: Collider: {error}"));
    }
}
