//! Composites: sliding over internal edges, merging, and composites on composites.

use dolmen::contact::kernels::{Geometry, LocalManifold, Manifolds, PairCache, collide};
use dolmen::math::parry::shape::{HeightField, HeightFieldFlags, SharedShape, TriMeshFlags};
use dolmen::math::parry::utils::Array2;
use dolmen::math::{Pose, Quat, Real, Vec3, consts};
use dolmen::prelude::{Body, Collider, LinearVelocity, Material, Physics, Position};
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

/// The shape, its height over the ground in contact, its rotation about its own axes, and its
/// number of contact points.
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
fn no_internal_edge_bends_the_normal_of_a_shape_that_slides_over_a_plane() {
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
fn a_mesh_reuses_its_buffers_and_gives_the_same_bits_again() {
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

/// Two bodies fly side by side and rotate together: their narrow-phase result stays valid.
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

/// Position and velocity of a body after some steps, and the greatest change of its height (m).
fn slid(ground: Vec<Body>, at: Vec3, body: Body, pull: Vec3, steps: u32) -> (Vec3, Vec3, Real) {
    let mut world = World::new();
    for part in ground {
        world.spawn(part);
    }
    let body = world.spawn(body.position(at));
    let mut physics = Physics::default();
    physics.settings.gravity = pull;
    let mut off: Real = 0.0;
    for _ in 0..steps {
        physics.step(&mut world, 1.0 / 60.0).unwrap();
        off = off.max((world.get::<&Position>(body).unwrap().0.y - at.y).abs());
    }
    let place = world.get::<&Position>(body).unwrap().0;
    (place - at, world.get::<&LinearVelocity>(body).unwrap().0, off)
}

fn material(friction: Real) -> Material {
    Material { static_friction: friction, dynamic_friction: friction, restitution: 0.0, ..Material::default() }
}

fn slab() -> Body {
    Body::fixed(Collider::cuboid(30.0, 1.0, 30.0)).at(0.0, -1.0, 0.0)
}

/// The same floor in one piece, in tiles that are bodies, and in tiles that are parts of one.
fn floors(friction: Real) -> [(&'static str, Vec<Body>); 3] {
    let tile = || Collider::cuboid(0.5, 1.0, 30.0);
    let along = |k: i32| -29.5 + k as Real;
    let tiles = (0..60).map(|k| Body::fixed(tile()).at(along(k), -1.0, 0.0).material(material(friction))).collect();
    let parts = (0..60).map(|k| (Vec3::X * along(k), Quat::IDENTITY, tile())).collect();
    let compound = Body::fixed(Collider::compound(parts).unwrap()).at(0.0, -1.0, 0.0);
    [
        ("one", vec![slab().material(material(friction))]),
        ("tiles", tiles),
        ("parts", vec![compound.material(material(friction))]),
    ]
}

#[test]
fn tiles_that_lie_flush_are_one_floor() {
    let (down, at) = (Vec3::Y * -9.81, Vec3::new(-8.3, 0.3, 0.21));
    let corner = |k: i32| {
        let (sine, cosine) = (consts::FRAC_PI_3 * (k / 2) as Real).sin_cos();
        Vec3::new(0.3 * cosine, if k % 2 == 0 { -0.3 } else { 0.3 }, 0.3 * sine)
    };
    let hexagon: Vec<Vec3> = (0..12).map(corner).collect();
    let sliders = [
        ("box", Collider::cuboid(0.3, 0.3, 0.3), 0.1),
        ("drum", Collider::cylinder(0.3, 0.3), 0.1),
        ("hull", Collider::convex_hull(&hexagon).unwrap(), 0.1),
        ("ball", Collider::ball(0.3), 0.5),
    ];
    for (name, collider, friction) in sliders {
        for speed in [0.7, 1.9, 3.0] {
            let rolls = if name == "ball" { Vec3::Z * (-speed / 0.3) } else { Vec3::ZERO };
            let body = || {
                let body = Body::dynamic(collider.clone()).material(material(friction));
                body.linear_velocity(Vec3::X * speed).angular_velocity(rolls)
            };
            let [on_one, others @ ..] =
                floors(friction).map(|(floor, ground)| (floor, slid(ground, at, body(), down, 90)));
            let (_, (way, velocity, _)) = on_one;
            for (floor, (there, then, off)) in others {
                let what = format!("{name} at {speed} m/s over {floor}");
                assert!((there - way).length() < 0.01 * way.length(), "{what}: {there}, {way}");
                assert!((then - velocity).length() < 0.02, "{what}: {then}, {velocity}");
                assert!(off < 2e-3, "{what}: {off} m up or down");
            }
        }
    }
}

/// Two balls on one axle, and two wheels: they roll as fast as a ball and as a cylinder do, `g
/// sin(slope) / (1 + I / (m r²))`.
#[test]
fn compounds_of_round_parts_roll_on_every_ground() {
    let (radius, slope, steps) = (0.3, 0.35 as Real, 120);
    let pull = Vec3::new(slope.sin(), -slope.cos(), 0.0) * 9.81;
    let apart = |part: Collider, turn: Quat| {
        Collider::compound([-0.5, 0.5].map(|z| (Vec3::Z * z, turn, part.clone())).to_vec()).unwrap()
    };
    let wheel_turn = Quat::from_rotation_x(consts::FRAC_PI_2);
    let rollers = [
        (apart(Collider::ball(radius), Quat::IDENTITY), 0.4),
        (apart(Collider::cylinder(0.05, radius), wheel_turn), 0.5),
    ];
    let mesh = |flags| Body::fixed(Collider(flat_mesh(60, flags)));
    for (roller, inertia) in rollers {
        let grounds = [slab(), mesh(TriMeshFlags::FIX_INTERNAL_EDGES), mesh(TriMeshFlags::empty())];
        for (number, ground) in grounds.into_iter().enumerate() {
            let ground = vec![ground.material(material(1.0))];
            let body = Body::dynamic(roller.clone()).material(material(1.0));
            let at = Vec3::new(-8.3, radius, 0.21);
            let time = steps as Real / 60.0;
            let way = 0.5 * 9.81 * slope.sin() / (1.0 + inertia) * time * time;
            let (there, _, off) = slid(ground, at, body, pull, steps);
            assert!((there.x - way).abs() < 5e-3 * way, "inertia {inertia}, ground {number}: {there}, {way}");
            assert!(off < 3e-3, "inertia {inertia}, ground {number}: {off} m up or down");
        }
    }
}

/// A box that rotates about the vertical is fast enough for CCD: internal edges of the mesh under
/// it must not hold it.
#[test]
fn bodies_that_spin_on_a_mesh_slide_on() {
    for ground in [slab(), Body::fixed(Collider(flat_mesh(60, TriMeshFlags::empty())))] {
        let (ground, at) = (vec![ground.material(material(0.01))], Vec3::new(-8.3, 0.3, 0.21));
        let body = Body::dynamic(Collider::cuboid(0.3, 0.3, 0.3)).material(material(0.01));
        let body = body.linear_velocity(Vec3::X * 3.0).angular_velocity(Vec3::Y * 20.0);
        let (way, ..) = slid(ground, at, body, Vec3::Y * -9.81, 60);
        // At most the friction of one second: 0.1 m/s, half of it on the mean.
        assert!((2.9..=3.0).contains(&way.x), "{way}");
    }
}
