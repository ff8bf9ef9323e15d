//! Constructors of shapes: rounded, without volume, scaled and decomposed.

use crate::game::{floor, position, run};
use dolmen::ShapeError;
use dolmen::mass::of_shape;
use dolmen::prelude::*;
use hecs::World;
use std::f64::consts::PI;

fn mass_of(collider: &Collider) -> f64 {
    of_shape(&*collider.shape().0, 1.0).unwrap().mass
}

fn corners(half: Vec3) -> Vec<Vec3> {
    let sign = |i: usize, bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|i| half * Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect()
}

/// A tube with walls on all sides but the top: a cup of a mesh, with its volume (m³).
fn cup() -> (Vec<Vec3>, Vec<[u32; 3]>, f64) {
    let ring = |half: Real, y: Real| {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| Vec3::new(x * half, y, z * half))
    };
    let rings = [ring(1.0, 0.0), ring(1.0, 1.0), ring(0.8, 1.0), ring(0.8, 0.2)];
    let mut triangles = vec![[0, 1, 2], [0, 2, 3], [12, 14, 13], [12, 15, 14]];
    for band in 0..3 {
        for k in 0..4 {
            let [a, b] = [band * 4 + k, band * 4 + (k + 1) % 4];
            triangles.extend([[a, a + 4, b], [b, a + 4, b + 4]]);
        }
    }
    (rings.concat(), triangles, 4.0 - 1.6 * 1.6 * 0.8)
}

#[test]
fn rounded_shapes_have_their_mass_and_rest_at_core_and_border() {
    let [h, r, b] = [0.3, 0.4, 0.1_f64];
    let rounded_box = 8.0 * h * h * h + 6.0 * (2.0 * h) * (2.0 * h) * b + 3.0 * (2.0 * h) * PI * b * b;
    let rounded_box = rounded_box + 4.0 / 3.0 * PI * b.powi(3);
    // Minkowski's sum of a cylinder and a ball: Steiner's formula with the mean width of a cylinder.
    let rounded_cylinder = PI * r * r * 2.0 * h
        + (2.0 * PI * r * r + 2.0 * PI * r * 2.0 * h) * b
        + (PI * PI * r + PI * 2.0 * h) * b * b
        + 4.0 / 3.0 * PI * b.powi(3);
    let [hh, rr, bb] = [h, r, b].map(|x| x as Real);
    let cube = Collider::round_convex_hull(&corners(Vec3::splat(hh)), bb).unwrap();
    let shapes = [
        (Collider::round_cuboid(hh, hh, hh, bb), Some(rounded_box)),
        (cube, Some(rounded_box)),
        (Collider::round_cylinder(hh, rr, bb), Some(rounded_cylinder)),
        (Collider::round_cone(hh, rr, bb), None),
    ];
    for (shape, mass) in shapes {
        if let Some(mass) = mass {
            assert!((mass_of(&shape) / mass - 1.0).abs() < 1e-5, "{shape:?}: {} and {mass}", mass_of(&shape));
        }
        let (mut world, mut physics) = (World::new(), Physics::default());
        floor(&mut world);
        let body = world.spawn(Body::dynamic(shape.clone()).at(0.0, 0.5, 0.0));
        run(&mut world, &mut physics, 120);
        assert!((position(&world, body).y - hh - bb).abs() < 2e-3, "{shape:?}: {}", position(&world, body));
    }
    assert!(Collider::round_triangle(Vec3::ZERO, Vec3::X, Vec3::Y, bb).check().is_ok());
    assert!(matches!(Collider::round_cuboid(hh, hh, hh, -1.0).check(), Err(ShapeError::Size { .. })));
    let flat: Vec<Vec3> = corners(Vec3::ONE).into_iter().map(|p| p * Vec3::new(1.0, 0.0, 1.0)).collect();
    assert_eq!(Collider::round_convex_hull(&flat, bb).unwrap_err(), ShapeError::FlatHull);
    let bad = Collider::round_convex_hull(&corners(Vec3::ONE), Real::NAN).unwrap_err();
    assert!(matches!(bad, ShapeError::Size { .. }), "{bad}");
}

#[test]
fn a_ball_rests_on_a_polyline_a_segment_and_a_triangle() {
    let rail = |z: Real| vec![Vec3::new(-2.0, 0.0, z), Vec3::new(0.0, 0.0, z), Vec3::new(2.0, 0.0, z)];
    let ends = |z: Real| (Vec3::new(-2.0, 0.0, z), Vec3::new(2.0, 0.0, z));
    let rails = |pair: fn(&[Vec3]) -> Collider| [-0.3, 0.3].map(|z| pair(&rail(z)));
    let joined = rails(|at| Collider::polyline(at.to_vec(), None).unwrap());
    let named = rails(|at| Collider::polyline(at.to_vec(), Some(vec![[2, 1], [0, 1]])).unwrap());
    let straight = [-0.3, 0.3].map(|z| Collider::segment(ends(z).0, ends(z).1));
    // Half the gauge of the rails, and the radius.
    let height = (0.5 * 0.5 - 0.3 * 0.3_f32).sqrt() as Real;
    let table = Collider::triangle(Vec3::new(-3.0, 0.0, -3.0), Vec3::new(0.0, 0.0, 4.0), Vec3::new(3.0, 0.0, -3.0));
    let cases: [(Vec<Collider>, Real); 4] =
        [(joined.to_vec(), height), (named.to_vec(), height), (straight.to_vec(), height), (vec![table], 0.5)];
    for (k, (supports, height)) in cases.into_iter().enumerate() {
        let (mut world, mut physics) = (World::new(), Physics::default());
        for support in supports {
            world.spawn(Body::fixed(support));
        }
        let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.3, height + 0.05, 0.0));
        run(&mut world, &mut physics, 120);
        assert!((position(&world, ball).y - height).abs() < 3e-3, "{k}: {}", position(&world, ball));
    }
    let lonely = Collider::polyline(vec![Vec3::ZERO], None).unwrap_err();
    let none = Collider::polyline(vec![Vec3::ZERO, Vec3::X], Some(vec![])).unwrap_err();
    assert_eq!([lonely, none], [ShapeError::EmptyPolyline, ShapeError::EmptyPolyline]);
    let beyond = Collider::polyline(vec![Vec3::ZERO, Vec3::X], Some(vec![[0, 1], [1, 2]])).unwrap_err();
    assert_eq!(beyond, ShapeError::SegmentOutOfRange { segment: 1 });
    let far = Collider::polyline(vec![Vec3::ZERO, Vec3::X * Real::INFINITY], None).unwrap_err();
    assert_eq!(far, ShapeError::NotFinite { index: 1 });
}

#[test]
fn scaled_shapes_have_the_volume_and_the_box_of_their_factors() {
    let (vertices, triangles, _) = cup();
    let parts = vec![
        (Vec3::X, Quat::IDENTITY, Collider::cuboid(0.5, 0.2, 0.3)),
        (Vec3::Y, Quat::from_rotation_z(0.5), Collider::ball(0.4)),
    ];
    let straight = vec![parts[0].clone()];
    let even = [Vec3::splat(2.0)];
    let about_y = [Vec3::new(2.0, 0.5, 2.0), Vec3::new(-2.0, 3.0, 2.0)];
    let any = [Vec3::new(2.0, 0.5, 3.0), Vec3::new(-2.0, 0.5, 3.0), Vec3::new(-1.0, -1.0, -1.0)];
    let all: Vec<(Collider, Vec<Vec3>)> = vec![
        (Collider::ball(0.5), even.to_vec()),
        (Collider::capsule(0.5, 0.2), even.to_vec()),
        (Collider::cuboid(0.5, 0.2, 0.3), any.to_vec()),
        (Collider::cylinder(0.5, 0.2), about_y.to_vec()),
        (Collider::cone(0.5, 0.2), about_y.to_vec()),
        (Collider::convex_hull(&corners(Vec3::new(1.0, 2.0, 3.0))).unwrap(), any.to_vec()),
        (Collider::trimesh(vertices, triangles).unwrap(), any.to_vec()),
        (Collider::compound(parts).unwrap(), even.to_vec()),
        (Collider::compound(straight).unwrap(), any.to_vec()),
        (Collider::round_cuboid(0.3, 0.3, 0.3, 0.1), even.to_vec()),
        (Collider::round_cylinder(0.3, 0.3, 0.1), even.to_vec()),
        (Collider::round_cone(0.3, 0.3, 0.1), even.to_vec()),
        (Collider::round_convex_hull(&corners(Vec3::ONE), 0.1).unwrap(), even.to_vec()),
    ];
    for (shape, factors) in all {
        for by in factors.into_iter().chain([Vec3::ONE]) {
            let made = shape.scaled(by).unwrap_or_else(|error| panic!("{shape:?} by {by}: {error}"));
            let expected = mass_of(&shape) * f64::from((by.x * by.y * by.z).abs());
            assert!((mass_of(&made) / expected - 1.0).abs() < 1e-5, "{shape:?} by {by}: {}", mass_of(&made));
            let [before, after] = [&shape, &made].map(|shape| shape.shape().compute_local_aabb());
            let (a, b) = (before.mins * by, before.maxs * by);
            let off = (after.mins - a.min(b)).abs().max((after.maxs - a.max(b)).abs()).max_element();
            assert!(off < 1e-5, "{shape:?} by {by}: {off}");
        }
    }
    let slope = Collider::half_space(Vec3::new(1.0, 1.0, 0.0)).scaled(Vec3::new(2.0, 1.0, 1.0)).unwrap();
    let normal = slope.shape().as_halfspace().unwrap().normal;
    assert!(normal.dot(Vec3::new(2.0, -1.0, 0.0)).abs() < 1e-6, "{normal}");
    let field = Collider::heightfield(2, 2, &[1.0; 4], Vec3::ONE).unwrap().scaled(Vec3::new(4.0, 3.0, 2.0)).unwrap();
    let heights = field.shape().as_heightfield().unwrap();
    assert_eq!(heights.scale(), Vec3::new(4.0, 3.0, 2.0));
    assert!(Collider::segment(Vec3::X, Vec3::Y).scaled(Vec3::splat(2.0)).is_ok());
    assert!(Collider::triangle(Vec3::X, Vec3::Y, Vec3::Z).scaled(Vec3::splat(2.0)).is_ok());
    assert!(Collider::polyline(vec![Vec3::X, Vec3::Y], None).unwrap().scaled(Vec3::splat(2.0)).is_ok());
    assert!(Collider::round_triangle(Vec3::X, Vec3::Y, Vec3::Z, 0.1).scaled(Vec3::splat(2.0)).is_ok());
}

#[test]
fn scales_that_a_shape_cannot_take_are_errors() {
    let uneven = Vec3::new(1.0, 2.0, 1.0);
    let turned = (Vec3::ZERO, Quat::from_rotation_x(1.0), Collider::cuboid(1.0, 1.0, 1.0));
    let refused = [
        (Collider::ball(1.0), uneven),
        (Collider::capsule(1.0, 1.0), uneven),
        (Collider::cylinder(1.0, 1.0), Vec3::new(1.0, 1.0, 2.0)),
        (Collider::cone(1.0, 1.0), Vec3::new(1.0, -1.0, 1.0)),
        (Collider::round_cuboid(1.0, 1.0, 1.0, 0.1), uneven),
        (Collider::compound(vec![turned]).unwrap(), uneven),
        (Collider::heightfield(2, 2, &[0.0; 4], Vec3::ONE).unwrap(), Vec3::new(1.0, -1.0, 1.0)),
        (Collider::cuboid(1.0, 1.0, 1.0), Vec3::new(1.0, 0.0, 1.0)),
        (Collider::cuboid(1.0, 1.0, 1.0), Vec3::splat(Real::NAN)),
    ];
    for (shape, by) in refused {
        let error = shape.scaled(by).unwrap_err();
        assert!(matches!(error, ShapeError::Scale { .. }), "{shape:?} by {by}: {error}");
    }
    assert!(matches!(Collider::ball(1.0).scaled(Vec3::splat(1e20)), Err(ShapeError::Size { .. })));
}

#[test]
fn a_decomposed_cup_holds_a_ball_and_has_the_volume_of_the_mesh() {
    let (vertices, triangles, volume) = cup();
    let mut shares = Vec::new();
    let how = Decomposition { parts: 12, concavity: 1e-3, ..Decomposition::default() };
    let cup = Collider::convex_decomposition(&vertices, &triangles, &how, |share| shares.push(share)).unwrap();
    let parts = cup.shape().as_compound().unwrap().shapes().len();
    assert!((5..=12).contains(&parts), "{parts}");
    assert!(shares.is_sorted() && shares.last() == Some(&1.0));
    assert!((mass_of(&cup) / volume - 1.0).abs() < 0.1, "{} of {volume}", mass_of(&cup));
    let (mut world, mut physics) = (World::new(), Physics::default());
    floor(&mut world);
    let body = world.spawn(Body::dynamic(cup).at(0.0, 0.01, 0.0));
    let ball = world.spawn(Body::dynamic(Collider::ball(0.3)).at(0.1, 1.5, 0.0));
    run(&mut world, &mut physics, 180);
    let height = (position(&world, ball) - position(&world, body)).y;
    assert!((height - 0.5).abs() < 0.03, "{height}");

    let flat = [Vec3::ZERO, Vec3::X, Vec3::Y];
    let none = Collider::convex_decomposition(&flat, &[[0, 1, 2]], &how, |_| ()).unwrap_err();
    let empty = Collider::convex_decomposition(&flat, &[], &how, |_| ()).unwrap_err();
    let beyond = Collider::convex_decomposition(&flat, &[[0, 1, 3]], &how, |_| ()).unwrap_err();
    assert_eq!(
        [none, empty, beyond],
        [ShapeError::FlatHull, ShapeError::EmptyMesh, ShapeError::IndexOutOfRange { triangle: 0 }]
    );
}

#[test]
fn decomposing_any_mesh_gives_hulls_or_an_error() {
    let mut numbers = fastrand::Rng::with_seed(3);
    let mut made = 0;
    for _ in 0..60 {
        let count = numbers.usize(3..12);
        let size = (10.0 as Real).powi(numbers.i32(-6..7));
        let mut coordinate = || (numbers.f32() as Real - 0.5) * size;
        let vertices: Vec<Vec3> = (0..count).map(|_| Vec3::new(coordinate(), coordinate(), coordinate())).collect();
        let triangles: Vec<[u32; 3]> =
            (0..numbers.usize(1..20)).map(|_| [(); 3].map(|()| numbers.u32(0..count as u32))).collect();
        let how = Decomposition { parts: numbers.u32(0..9), resolution: numbers.u32(0..20), concavity: 0.05 };
        if let Ok(collider) = Collider::convex_decomposition(&vertices, &triangles, &how, |_| ()) {
            made += 1;
            assert_eq!(collider.check(), Ok(()));
            assert!(collider.shape().as_compound().unwrap().shapes().len() <= how.parts.max(1) as usize);
        }
    }
    assert!(made > 20, "{made}");
}
