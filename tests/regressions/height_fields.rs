//! "Rays fall through a terrain along its cell lines", and casts that begin in overlap name the way
//! out of one triangle. A ray through the common edge of two triangles missed both by rounding, and
//! so did a box without width on a cell line. A cast took the normal of the triangle it met first. And
//! bodies of a millimetre passed between the triangles of a corner: each took the body for one that slides
//! past its edge, whose depth there is allowed.

use crate::{DT, alone, position, square_mesh};
use dolmen::math::consts::FRAC_PI_2;
use dolmen::prelude::*;
use dolmen::query::{Filter, Probe, Ray, ShapeCast};
use hecs::World;

/// Numbers of rows and columns, and the extents (m).
const FIELDS: [(usize, usize, [Real; 2]); 7] = [
    (11, 11, [10.0, 10.0]),
    (2, 2, [1.0, 1.0]),
    (50, 7, [3.7, 91.0]),
    (7, 64, [1000.0, 0.3]),
    (33, 14, [0.05, 0.07]),
    (3, 101, [777.0, 777.0]),
    (29, 29, [1.0, 1.0]),
];

/// A world with one field, and the heights of its corners row by row.
fn terrain(rows: usize, columns: usize, [x, z]: [Real; 2], bumpy: bool) -> (World, Physics, Vec<Vec3>) {
    let height = |k: usize| if bumpy { ((k * 37) % 11) as Real * 0.01 * x.min(z) } else { 0.0 };
    let heights: Vec<Real> = (0..rows * columns).map(height).collect();
    let (mut world, mut physics) = (World::new(), alone());
    world.spawn(Body::fixed(Collider::heightfield(rows, columns, &heights, Vec3::new(x, 1.0, z)).unwrap()));
    physics.step(&mut world, DT).unwrap();
    let share = |k: usize, count: usize| k as Real / (count - 1) as Real - 0.5;
    let corner = |k: usize| Vec3::new(share(k % columns, columns) * x, heights[k], share(k / columns, rows) * z);
    let corners = (0..rows * columns).map(corner).collect();
    (world, physics, corners)
}

#[test]
fn every_ray_through_a_corner_or_along_a_line_of_cells_hits() {
    let filter = Filter::default();
    let (mut missed, mut total) = (Vec::new(), 0);
    for (rows, columns, extents) in FIELDS {
        for bumpy in [false, true] {
            let (_world, physics, corners) = terrain(rows, columns, extents, bumpy);
            let query = physics.query();
            let mut cast = |from: Vec3, to: Vec3| {
                total += 1;
                let length = 2.0 * from.distance(to);
                let hit = query.ray(&Ray::new(from, to - from, length).unwrap(), &filter);
                if hit.is_none() {
                    missed.push(format!("{rows} by {columns} over {extents:?}: from {from} to {to}"));
                }
            };
            let up = extents[0].min(extents[1]);
            for (k, &corner) in corners.iter().enumerate() {
                let (row, column) = (k / columns, k % columns);
                // Between this corner and the next ones, along the lines of cells and across.
                let next = |rows: usize| corners.get(k + rows).copied().unwrap_or(corner);
                let middle = corner.lerp(next(columns), 0.37).with_x(corner.x);
                cast(corner + Vec3::Y * up, corner);
                cast(corner - Vec3::Y * up, corner);
                if row + 1 < rows {
                    cast(middle + Vec3::Y * up, middle);
                }
                // Slanted ones are rounded, and may leave a corner of the border aside.
                if row > 0 && column > 0 && row + 1 < rows && column + 1 < columns {
                    for aside in [Vec3::X, Vec3::Z, Vec3::new(0.7, 0.0, -0.4)] {
                        cast(corner + Vec3::new(0.0, up, 0.0) + aside * (0.3 * up), corner);
                    }
                }
            }
        }
    }
    assert!(total > 10_000 && missed.is_empty(), "{} of {total} missed: {}", missed.len(), missed[..5].join("\n"));
}

#[test]
fn points_and_casts_find_the_surface_on_lines_of_cells() {
    let filter = Filter::default();
    for (rows, columns, extents) in FIELDS {
        let (_world, physics, corners) = terrain(rows, columns, extents, false);
        let (size, rounding) = (extents[0].min(extents[1]), 1e-6 * extents[0].max(extents[1]));
        let (query, ball) = (physics.query(), Collider::ball(1e-4 * size));
        for &corner in &corners {
            let on = query.nearest(corner, rounding, &filter);
            assert!(on.is_some(), "{rows} by {columns}: {corner}");
            let above = query.nearest(corner + Vec3::Y * size, Real::INFINITY, &filter).unwrap();
            assert!((above.distance - size).abs() < 1e-3 * size && above.normal.y > 0.999, "{corner} {above:?}");
            let probe = Probe::new(&ball, corner + Vec3::Y * size, Quat::IDENTITY).unwrap();
            let cast = query.shape_cast(&ShapeCast::new(probe, -Vec3::Y, 2.0 * size).unwrap(), &filter);
            assert!(cast.is_some_and(|hit| (hit.distance - size).abs() < 1e-3 * size), "{corner} {cast:?}");
        }
    }
}

#[test]
fn a_cast_that_begins_in_overlap_names_the_shortest_way_out() {
    let field = Collider::heightfield(11, 11, &[0.0; 121], Vec3::new(10.0, 1.0, 10.0)).unwrap();
    let lying = Quat::from_rotation_z(1.3);
    let jack = Collider::compound(vec![
        (Vec3::ZERO, Quat::IDENTITY, Collider::capsule(0.5, 0.2)),
        (Vec3::ZERO, lying, Collider::capsule(0.5, 0.2)),
    ]);
    let probes = [
        (Collider::ball(0.5), Quat::IDENTITY, 0.3),
        (Collider::capsule(0.4, 0.3), lying, 0.35),
        (Collider::capsule(0.4, 0.3), Quat::IDENTITY, 0.6),
        (Collider::cuboid(0.3, 0.4, 0.5), Quat::from_rotation_x(0.2), 0.4),
        (jack.unwrap(), Quat::IDENTITY, 0.6),
    ];
    for ground in [field, square_mesh(10, 10.0), square_mesh(1, 10.0), Collider::cuboid(5.0, 1.0, 5.0)] {
        let (mut world, mut physics) = (World::new(), alone());
        let top = ground.0.compute_local_aabb().maxs.y;
        world.spawn(Body::fixed(ground.clone()));
        physics.step(&mut world, DT).unwrap();
        let (query, filter) = (physics.query(), Filter::default());
        for (shape, turn, height) in &probes {
            for k in 0..40 {
                let place = |m: usize| ((k * m + 7) % 41) as Real / 41.0 * 6.0 - 3.0;
                let at = Vec3::new(place(13), top + height, place(29));
                let probe = Probe::new(shape, at, *turn).unwrap();
                let angle = k as Real;
                let along = Vec3::new(angle.cos(), 0.3 * angle.sin(), angle.sin());
                let cast = query.shape_cast(&ShapeCast::new(probe, along, 3.0).unwrap(), &filter).unwrap();
                assert_eq!(cast.distance, 0.0);
                assert!(
                    cast.normal.y > 0.9999,
                    "{:?} on {:?} at {at}: {cast:?}",
                    shape.0.shape_type(),
                    ground.0.shape_type()
                );
            }
        }
    }
}

/// A body that touched and parted was followed from where it would be clear without gravity: then below.
#[test]
fn small_bodies_that_hop_by_less_than_a_tolerance_stay_above() {
    let size = 8e-4;
    let shapes = [
        Collider::cuboid(size, 0.5 * size, size),
        Collider::cylinder(0.5 * size, size),
        Collider::capsule(size, 0.5 * size),
    ];
    let (mut passed, mut count) = (Vec::new(), 0);
    for (rows, columns, extents) in [(9, 12, [0.12, 0.12]), (5, 5, [2.0, 2.0])] {
        for speed in [1e-5, 2e-5, 3.5e-5, 6e-5, 1e-4, 1e-3, 1e-2, 0.1] {
            for (k, shape) in shapes.iter().enumerate() {
                let (mut world, mut physics, _) = terrain(rows, columns, extents, false);
                let turned = if k == 2 { Quat::from_rotation_x(FRAC_PI_2) } else { Quat::IDENTITY };
                let at = Vec3::new(-0.0149, 0.5 * size + 1e-7, 0.0361);
                let body = Body::dynamic(shape.clone()).position(at).orientation(turned);
                let body = world.spawn(body.linear_velocity(Vec3::new(0.3, speed, 0.01)));
                for _ in 0..6 {
                    physics.step(&mut world, DT).unwrap();
                }
                count += 1;
                let y = position(&world, body).y;
                if y < 0.0 {
                    passed.push(format!("{rows} by {columns}, shape {k}, {speed} m/s: {y}"));
                }
            }
        }
    }
    assert!(count == 48 && passed.is_empty(), "{} of {count}: {}", passed.len(), passed.join("\n"));
}

#[test]
fn small_bodies_that_fall_on_corners_and_lines_of_cells_stay_above() {
    let size = 8e-4;
    let shapes = [
        Collider::cuboid(size, size, size),
        Collider::cuboid(size, 0.4 * size, 0.7 * size),
        Collider::cylinder(0.5 * size, size),
    ];
    let (mut passed, mut count) = (Vec::new(), 0);
    for (rows, columns, extents) in [(3, 3, [0.17, 0.17]), (9, 12, [0.12, 0.12]), (5, 5, [2.0, 2.0])] {
        for bumpy in [false, true] {
            let (mut world, mut physics, corners) = terrain(rows, columns, extents, bumpy);
            let mut bodies = Vec::new();
            for (k, &corner) in corners.iter().enumerate() {
                let (row, column) = (k / columns, k % columns);
                if row == 0 || column == 0 || row + 1 == rows || column + 1 == columns {
                    continue;
                }
                let line = corner.lerp(corners[k + columns], 0.4);
                for (at, offset) in [(corner, 0.0), (line, 0.2)] {
                    let shape = shapes[bodies.len() % shapes.len()].clone();
                    let at = at + Vec3::new(offset * size, 0.05 + 0.001 * (k % 7) as Real, 0.5 * offset * size);
                    let turned = Quat::from_rotation_z(0.4 * (k % 3) as Real);
                    bodies.push(world.spawn(Body::dynamic(shape).position(at).orientation(turned)));
                }
            }
            // They fall for a tenth of a second.
            for _ in 0..20 {
                physics.step(&mut world, DT).unwrap();
            }
            let lowest = corners.iter().fold(Real::INFINITY, |least, corner| least.min(corner.y));
            let inside = |at: &Vec3| at.x.abs() < 0.45 * extents[0] && at.z.abs() < 0.45 * extents[1];
            for (k, &body) in bodies.iter().enumerate() {
                let at = position(&world, body);
                if at.y < lowest - size && inside(&at) {
                    passed.push(format!("{rows} by {columns}, bumpy {bumpy}, body {k}: {at}"));
                }
            }
            count += bodies.len();
        }
    }
    assert!(count > 250 && passed.is_empty(), "{} of {count}: {}", passed.len(), passed.join("\n"));
}
