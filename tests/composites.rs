//! Composites: sliding over inner edges, merging, and composites on composites.

use dolmen::contact::kernels::{Geometry, LocalManifold, Manifolds, PairCache, collide};
use dolmen::math::parry::shape::{HeightField, HeightFieldFlags, SharedShape, TriMeshFlags};
use dolmen::math::parry::utils::Array2;
use dolmen::math::{Pose, Quat, Real, Vec3, consts};
use dolmen::prelude::{Body, Collider, Physics};
use hecs::World;

fn manifolds(a: &SharedShape, b: &SharedShape, b_in_a: &Pose, prediction: Real) -> Vec<LocalManifold> {
    let mut out = Manifolds::default();
    collide(&a.into(), &b.into(), b_in_a, prediction, &mut PairCache::default(), &mut out).expect("supported");
    out.as_slice().to_vec()
}

/// A flat square of `n` by `n` cells of one metre, cut both ways.
fn flat_mesh(n: u32, flags: TriMeshFlags) -> SharedShape {
    let half = n as Real / 2.0;
    let vertex = |i: u32, k: u32| Vec3::new(i as Real - half, 0.0, k as Real - half);
    let vertices: Vec<Vec3> = (0..=n).flat_map(|i| (0..=n).map(move |k| vertex(i, k))).collect();
    let at = |i: u32, k: u32| i * (n + 1) + k;
    let mut triangles = Vec::new();
    for i in 0..n {
        for k in 0..n {
            let (a, b, c, d) = (at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k));
            if (i + k) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    SharedShape::trimesh_with_flags(vertices, triangles, flags).expect("a mesh")
}

fn flat_field(flags: HeightFieldFlags) -> SharedShape {
    let heights = Array2::new(9, 9, vec![0.0; 81]);
    SharedShape::new(HeightField::with_flags(heights, Vec3::new(8.0, 1.0, 8.0), flags))
}

fn grounds() -> Vec<SharedShape> {
    vec![
        flat_mesh(8, TriMeshFlags::FIX_INTERNAL_EDGES),
        flat_mesh(8, TriMeshFlags::empty()),
        flat_field(HeightFieldFlags::FIX_INTERNAL_EDGES),
        flat_field(HeightFieldFlags::empty()),
    ]
}

/// The shape, its height over the ground when it touches, its turn about its own axes, and how many points carry it.
fn sliders() -> Vec<(SharedShape, Real, Quat, u32)> {
    let half_turn = consts::FRAC_PI_2;
    vec![
        (SharedShape::ball(0.3), 0.3, Quat::IDENTITY, 1),
        (SharedShape::cuboid(0.5, 0.3, 0.4), 0.3, Quat::IDENTITY, 4),
        (SharedShape::cuboid(0.7, 0.3, 0.9), 0.3, Quat::from_rotation_y(0.6), 4),
        (SharedShape::capsule_y(0.5, 0.25), 0.25, Quat::from_rotation_z(half_turn), 2),
        (SharedShape::capsule_y(0.5, 0.25), 0.75, Quat::IDENTITY, 1),
        (SharedShape::cylinder(0.4, 0.3), 0.4, Quat::IDENTITY, 4),
    ]
}

#[test]
fn no_inner_edge_bends_the_normal_of_a_shape_that_slides_over_a_plane() {
    for (g, ground) in grounds().iter().enumerate() {
        for (shape, height, turn, count) in sliders() {
            for depth in [1e-4, 1e-3, 5e-3, -1e-3] {
                for step in 0..200 {
                    let s = step as Real;
                    let place = Vec3::new(-2.0 + 0.0203 * s, height - depth, -1.5 + 0.0131 * s);
                    let pose = Pose::from_parts(place, Quat::from_rotation_y(0.01 * s) * turn);
                    let found = manifolds(ground, &shape, &pose, 0.02);
                    let kind = shape.shape_type();
                    assert_eq!(found.len(), 1, "ground {g}, {kind:?}, depth {depth}, step {step}: {found:?}");
                    let m = &found[0];
                    assert!((m.normal - Vec3::Y).length() < 1e-3, "ground {g}, {kind:?}, step {step}: {}", m.normal);
                    assert!((m.deepest() + depth).abs() < 1e-5, "ground {g}, {kind:?}, step {step}: {}", m.deepest());
                    assert_eq!(m.count, count, "ground {g}, {kind:?}, depth {depth}, step {step}: {m:?}");
                }
            }
        }
    }
}

#[test]
fn exchanging_a_mesh_and_a_box_mirrors_the_manifold() {
    let ground = flat_mesh(8, TriMeshFlags::FIX_INTERNAL_EDGES);
    let shape = SharedShape::cuboid(0.5, 0.3, 0.4);
    let pose = Pose::from_parts(Vec3::new(0.3, 0.299, 0.7), Quat::from_rotation_y(0.4));
    let one = manifolds(&ground, &shape, &pose, 0.02);
    let other = manifolds(&shape, &ground, &pose.inverse(), 0.02);
    assert_eq!((one.len(), other.len()), (1, 1));
    let back = other[0].mirrored(&pose);
    assert!((one[0].normal - back.normal).length() < 1e-5);
    assert!((one[0].deepest() - back.deepest()).abs() < 1e-5);
    for p in one[0].points() {
        assert!(back.points().iter().any(|q| q.point_a.distance(p.point_a) < 1e-4), "{p:?}");
    }
}

#[test]
fn a_box_in_a_valley_touches_both_slopes() {
    let slope = 1.0;
    let vertices: Vec<Vec3> = [(-2.0, slope * 2.0), (0.0, 0.0), (2.0, slope * 2.0)]
        .into_iter()
        .flat_map(|(x, y)| [Vec3::new(x, y, -2.0), Vec3::new(x, y, 2.0)])
        .collect();
    let triangles = vec![[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]];
    for flags in [TriMeshFlags::FIX_INTERNAL_EDGES, TriMeshFlags::empty()] {
        let valley = SharedShape::trimesh_with_flags(vertices.clone(), triangles.clone(), flags).unwrap();
        let ball = SharedShape::ball(0.5);
        let found = manifolds(&valley, &ball, &Pose::from_translation(Vec3::Y * consts::FRAC_1_SQRT_2), 0.02);
        assert_eq!(found.len(), 2, "{found:?}");
        for m in &found {
            assert!((m.normal.x.abs() - consts::FRAC_1_SQRT_2).abs() < 1e-4 && m.deepest().abs() < 1e-5, "{m:?}");
        }
    }
}

#[test]
fn a_ball_on_a_ridge_is_pushed_along_the_ridges_own_normal() {
    let vertices: Vec<Vec3> = [(-2.0, -1.0), (0.0, 0.0), (2.0, -1.0)]
        .into_iter()
        .flat_map(|(x, y)| [Vec3::new(x, y, -2.0), Vec3::new(x, y, 2.0)])
        .collect();
    let triangles = vec![[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]];
    for flags in [TriMeshFlags::FIX_INTERNAL_EDGES, TriMeshFlags::empty()] {
        let ridge = SharedShape::trimesh_with_flags(vertices.clone(), triangles.clone(), flags).unwrap();
        let found = manifolds(&ridge, &SharedShape::ball(0.5), &Pose::from_translation(Vec3::Y * 0.499), 0.02);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!((found[0].normal - Vec3::Y).length() < 1e-3);
        assert!((found[0].deepest() + 1e-3).abs() < 1e-5);
    }
}

fn table() -> SharedShape {
    let leg = |x: Real, z: Real| (Pose::from_translation(Vec3::new(x, -0.4, z)), SharedShape::cuboid(0.05, 0.4, 0.05));
    SharedShape::compound(vec![
        (Pose::from_translation(Vec3::Y * 0.05), SharedShape::cuboid(0.8, 0.05, 0.5)),
        leg(0.7, 0.4),
        leg(-0.7, 0.4),
        leg(0.7, -0.4),
        leg(-0.7, -0.4),
    ])
}

#[test]
fn a_table_stands_on_its_four_legs_on_every_ground() {
    let mut all = grounds();
    all.push(SharedShape::cuboid(5.0, 1.0, 5.0));
    all.push(SharedShape::halfspace(Vec3::Y));
    for (g, ground) in all.iter().enumerate() {
        let top = if g == 4 { 1.0 } else { 0.0 };
        let pose = Pose::from_parts(Vec3::new(0.31, top + 0.799, 0.17), Quat::from_rotation_y(0.3));
        let found = manifolds(ground, &table(), &pose, 0.02);
        assert_eq!(found.len(), 1, "ground {g}: {found:?}");
        let m = &found[0];
        assert!((m.normal - Vec3::Y).length() < 1e-3 && m.count == 4, "ground {g}: {m:?}");
        for p in m.points() {
            assert!((p.separation + 1e-3).abs() < 1e-5, "ground {g}: {p:?}");
            assert!(p.point_b.x.abs() > 0.74 && p.point_b.z.abs() > 0.44, "the outer corners carry it: {p:?}");
        }
        let turned = manifolds(&table(), ground, &pose.inverse(), 0.02);
        assert_eq!(turned.len(), 1);
        assert!((turned[0].deepest() + 1e-3).abs() < 1e-5);
    }
}

#[test]
fn every_composite_meets_every_other() {
    let cube = {
        let vertices: Vec<Vec3> = (0..8)
            .map(|k: u32| Vec3::new((k & 1) as Real, ((k >> 1) & 1) as Real, ((k >> 2) & 1) as Real) - Vec3::splat(0.5))
            .collect();
        let triangles = vec![
            [0, 2, 1],
            [1, 2, 3],
            [4, 5, 6],
            [5, 7, 6],
            [0, 1, 4],
            [1, 5, 4],
            [2, 6, 3],
            [3, 6, 7],
            [0, 4, 2],
            [2, 4, 6],
            [1, 3, 5],
            [3, 7, 5],
        ];
        SharedShape::trimesh(vertices, triangles).unwrap()
    };
    for ground in grounds() {
        for (shape, height) in [(table(), 0.8), (cube.clone(), 0.5)] {
            let pose = Pose::from_translation(Vec3::new(0.2, height - 1e-3, 0.3));
            let found = manifolds(&ground, &shape, &pose, 0.01);
            let up: Vec<_> = found.iter().filter(|m| (m.normal - Vec3::Y).length() < 1e-3).collect();
            assert_eq!(up.len(), 1, "{found:?}");
            assert!((up[0].deepest() + 1e-3).abs() < 1e-5 && up[0].count == 4);
        }
    }
}

#[test]
fn a_hole_in_the_ground_carries_nothing() {
    let mesh = flat_mesh(8, TriMeshFlags::FIX_INTERNAL_EDGES);
    let beside = Pose::from_translation(Vec3::new(4.8, 0.3, 0.0));
    assert!(manifolds(&mesh, &SharedShape::cuboid(0.5, 0.3, 0.4), &beside, 0.02).is_empty());
}

#[test]
fn a_mesh_reuses_its_room_and_gives_the_same_bits_again() {
    let ground = Geometry::from(&flat_mesh(8, TriMeshFlags::FIX_INTERNAL_EDGES));
    let shape = Geometry::from(&SharedShape::cuboid(0.5, 0.3, 0.4));
    let pose = Pose::from_parts(Vec3::new(0.31, 0.2987, 0.17), Quat::from_rotation_y(0.3));
    let (mut out, mut fresh) = (Manifolds::default(), Manifolds::default());
    for k in 0..20 {
        let other = Pose::from_translation(Vec3::new(0.1 * k as Real, 0.3, 0.0));
        collide(&ground, &shape, &other, 0.02, &mut PairCache::default(), &mut out).unwrap();
    }
    collide(&ground, &shape, &pose, 0.02, &mut PairCache::default(), &mut out).unwrap();
    collide(&ground, &shape, &pose, 0.02, &mut PairCache::default(), &mut fresh).unwrap();
    assert_eq!(out.as_slice(), fresh.as_slice());
}

/// Two bodies fly side by side and turn together: what was found of them once is all there is to know.
#[test]
fn compounds_that_do_not_move_against_each_other_are_not_collided_again() {
    let bar = |x, y, z| (Vec3::ZERO, Quat::IDENTITY, Collider::cuboid(x, y, z));
    let jack = Collider::compound(vec![bar(0.5, 0.1, 0.1), bar(0.1, 0.5, 0.1), bar(0.1, 0.1, 0.5)]).unwrap();
    for gap in [0.035, -1e-4] {
        let mut world = World::new();
        for x in [0.0, 1.0 + gap] {
            world.spawn(Body::dynamic(jack.clone()).at(x, 0.0, 0.0).linear_velocity(Vec3::new(0.0, 3.0, 1.0)));
        }
        let mut physics = Physics::default();
        physics.settings.gravity = Vec3::ZERO;
        let collided: usize = (0..60).map(|_| physics.step(&mut world, 1.0 / 60.0).unwrap().counts.collided).sum();
        assert!((1..=3).contains(&collided), "{collided} times, {gap} m apart");
    }
}
