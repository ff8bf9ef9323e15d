//! Third-party shapes: parry shapes, and shape types with pair kernels.

use crate::custom_shape::{Ellipsoid, bodies, settle};
use crate::pair_kernel::{self, LINK, Ring};
use crate::{DT, cube, momentum, position, run, velocity};
use dolmen::StepError;
use dolmen::contact::kernels::{KernelPoints, PairKernels};
use dolmen::math::Pose;
use dolmen::math::parry::bounding_volume::{Aabb, BoundingSphere};
use dolmen::math::parry::mass_properties::MassProperties;
use dolmen::math::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use dolmen::math::parry::shape::{
    Ball, Cuboid, FeatureId, PolygonalFeature, PolygonalFeatureMap, Shape, ShapeType, SharedShape, SupportMap,
    TypedShape,
};
use dolmen::prelude::*;
use hecs::{Entity, World};

/// A box that does not reveal its type, only its faces.
#[derive(Clone, Copy)]
struct Brick(Cuboid);

impl Brick {
    fn collider(half: Vec3) -> Collider {
        Collider(SharedShape::new(Self(Cuboid::new(half))))
    }
}

impl SupportMap for Brick {
    fn local_support_point(&self, direction: Vec3) -> Vec3 {
        self.0.local_support_point(direction)
    }
}

impl PolygonalFeatureMap for Brick {
    fn local_support_feature(&self, direction: Vec3, out: &mut PolygonalFeature) {
        PolygonalFeatureMap::local_support_feature(&self.0, direction, out);
    }
}

impl PointQuery for Brick {
    fn project_local_point(&self, point: Vec3, solid: bool) -> PointProjection {
        self.0.project_local_point(point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vec3) -> (PointProjection, FeatureId) {
        self.0.project_local_point_and_get_feature(point)
    }
}

impl RayCast for Brick {
    fn cast_local_ray_and_get_normal(&self, ray: &Ray, most: Real, solid: bool) -> Option<RayIntersection> {
        self.0.cast_local_ray_and_get_normal(ray, most, solid)
    }
}

impl Shape for Brick {
    fn compute_local_aabb(&self) -> Aabb {
        self.0.compute_local_aabb()
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.0.compute_local_bounding_sphere()
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(*self)
    }

    fn scale_dyn(&self, _scale: Vec3, _subdivisions: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn mass_properties(&self, density: Real) -> MassProperties {
        self.0.mass_properties(density)
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> Real {
        self.0.ccd_thickness()
    }

    fn ccd_angular_thickness(&self) -> Real {
        self.0.ccd_angular_thickness()
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn as_support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }

    fn as_polygonal_feature_map(&self) -> Option<(&dyn PolygonalFeatureMap, Real)> {
        Some((self, 0.0))
    }
}

#[test]
fn a_custom_convex_shape_rests_on_every_kind_of_ground_alone_and_in_a_compound() {
    for (how, collider) in bodies() {
        for (ground, off) in settle(Physics::default, |at| Body::dynamic(collider.clone()).position(at), 0.25) {
            assert!(off < 2e-3, "{how} on a {ground}: {off} m off");
        }
    }
}

#[test]
fn bricks_of_custom_faces_stand_in_a_tower_as_cuboids_do() {
    let half = Vec3::new(0.5, 0.25, 0.4);
    let part = |x: Real, brick: &Collider| (Vec3::X * x, Quat::IDENTITY, brick.clone());
    let brick = Brick::collider(half);
    let pair = Collider::compound(vec![part(-0.5, &brick), part(0.5, &brick)]).unwrap();
    for (collider, single) in [(brick, true), (pair, false)] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        world.spawn(Body::fixed(Brick::collider(Vec3::new(5.0, 0.5, 5.0))).at(0.0, -0.5, 0.0));
        let tower: Vec<Entity> =
            (0..6).map(|i| world.spawn(Body::dynamic(collider.clone()).at(0.0, 0.25 + 0.5 * i as Real, 0.0))).collect();
        run(&mut world, &mut physics, 480);
        for (i, &e) in tower.iter().enumerate() {
            let off = (position(&world, e) - Vec3::Y * (0.25 + 0.5 * i as Real)).length();
            assert!(off < 3e-3, "{i}: {off}");
        }
        if single {
            assert_eq!(physics.step(&mut world, DT).unwrap().counts.asleep, 6);
        }
    }
}

/// Throws a body at another one of mass 3 kg from the left, both free. Checks the momentum and that
/// they separate.
fn collide(physics: impl Fn() -> Physics, thrown: Collider, target: Collider, turn: Quat, what: &str) {
    let (mut world, mut physics) = (World::new(), physics());
    physics.settings.gravity = Vec3::ZERO;
    let surface = Material::new(0.3, 0.8);
    let a = world
        .spawn(Body::dynamic(thrown).at(-2.0, 0.02, 0.01).mass(2.0).material(surface).linear_velocity(Vec3::X * 3.0));
    let b = world.spawn(Body::dynamic(target).orientation(turn).mass(3.0).material(surface));
    let both = [(a, 2.0), (b, 3.0)];
    let mut hits = 0;
    for _ in 0..90 {
        physics.step(&mut world, DT).unwrap();
        hits += physics.events().iter().filter(|e| matches!(e, Event::Impact { .. })).count();
        assert!((momentum(&world, &both) - Vec3::X * 6.0).length() < 1e-4, "{what}");
        assert!(physics.kinetic_energy() <= 9.0 * (1.0 + 1e-5), "{what}: {}", physics.kinetic_energy());
    }
    assert!(hits > 0 && velocity(&world, b).x > 0.5, "{what}: {hits} hits, {}", velocity(&world, b));
}

/// A body of every kind that can move, some half a metre large.
fn movers() -> Vec<(&'static str, Collider)> {
    let corner = |i: i32| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real, (i >> 2) as Real) * 0.8 - Vec3::splat(0.4);
    let hull = Collider::convex_hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(corner)).unwrap();
    let half = Collider::cuboid(0.2, 0.4, 0.4);
    let parts = vec![(Vec3::X * 0.2, Quat::IDENTITY, half.clone()), (Vec3::X * -0.2, Quat::IDENTITY, half)];
    vec![
        ("ball", Collider::ball(0.4)),
        ("cuboid", Collider::cuboid(0.4, 0.4, 0.4)),
        ("capsule", Collider::capsule(0.3, 0.3)),
        ("cylinder", Collider::cylinder(0.4, 0.4)),
        ("cone", Collider::cone(0.4, 0.4)),
        ("hull", hull),
        ("compound", Collider::compound(parts).unwrap()),
        ("round cuboid", Collider(SharedShape::round_cuboid(0.3, 0.3, 0.3, 0.1))),
    ]
}

#[test]
fn a_custom_convex_shape_collides_with_every_kind_and_with_itself_whichever_comes_first() {
    let own = Ellipsoid { axes: Vec3::new(0.5, 0.3, 0.4) }.collider();
    let turn = Quat::from_rotation_z(0.3) * Quat::from_rotation_y(0.7);
    for (kind, other) in movers() {
        collide(Physics::default, own.clone(), other.clone(), turn, kind);
        collide(Physics::default, other, own.clone(), turn, kind);
    }
    collide(Physics::default, own.clone(), own, turn, "itself");
}

#[test]
fn a_shape_with_a_kernel_collides_with_every_kind_and_with_itself_whichever_comes_first() {
    let ring = Ring { major: 0.4, minor: 0.15 };
    let turn = Quat::from_rotation_z(0.3);
    let physics = || {
        let mut physics = pair_kernel::physics();
        physics.kernels.register(sdf_of_round_cuboid);
        physics
    };
    let own = Collider::custom(ring);
    for (kind, other) in movers() {
        collide(physics, own.clone(), other.clone(), turn, kind);
        collide(physics, other, own.clone(), turn, kind);
    }
    collide(physics, own.clone(), own.clone(), Quat::from_rotation_x(1.2), "itself");
    let with = vec![(Vec3::ZERO, Quat::IDENTITY, own.clone()), (Vec3::Y * 0.3, Quat::IDENTITY, cube())];
    let part = Collider::compound(with).unwrap();
    collide(physics, part.clone(), own, turn, "a compound that holds one");
    collide(physics, part.clone(), part, turn, "two such compounds");
}

/// A kernel for a type that the example leaves out: the ring's centre line against a rounded box.
fn sdf_of_round_cuboid(
    ring: &Custom<Ring>,
    other: &dolmen::math::parry::shape::RoundCuboid,
    pose: &Pose,
    prediction: Real,
    out: &mut KernelPoints,
) {
    for k in 0..48 {
        let (sin, cos) = (dolmen::math::consts::TAU * k as Real / 48.0).sin_cos();
        let place = Vec3::new(cos, 0.0, sin) * ring.major;
        let local = pose.inverse_transform_point(place);
        let on_box = local.clamp(-other.inner_shape.half_extents, other.inner_shape.half_extents);
        let Some(towards) = (on_box - local).try_normalize() else { continue };
        let gap = (on_box - local).length() - other.border_radius - ring.minor;
        if gap <= prediction {
            let normal = pose.rotation * towards;
            out.push(normal, place + normal * ring.minor, on_box - towards * other.border_radius, gap, k);
        }
    }
}

#[test]
fn rings_lie_on_every_kind_of_ground_by_their_kernels() {
    let ring = Collider::custom(Ring { major: 0.5, minor: 0.1 });
    for (ground, off) in settle(pair_kernel::physics, |at| Body::dynamic(ring.clone()).position(at), 0.1) {
        assert!(off < 2e-3, "on a {ground}: {off} m off");
    }
}

#[test]
fn a_ring_hangs_in_a_ring() {
    let pitch = 2.0 * (LINK.major - LINK.minor);
    for (i, place) in pair_kernel::hang(2, 8).into_iter().enumerate() {
        let expected = -pitch * (i + 1) as Real * Vec3::Y;
        assert!((place - expected).length() < 5e-3, "{i}: {place}, not {expected}");
    }
}

#[test]
fn a_kernel_takes_the_place_of_the_built_in_one_while_the_game_runs() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    world.spawn(Body::fixed(Collider::ball(1.0)));
    let ball = world.spawn(Body::dynamic(Collider::ball(0.5)).at(0.0, 1.5, 0.0).locked(LockedAxes::ROTATION));
    run(&mut world, &mut physics, 120);
    assert!((position(&world, ball).y - 1.5).abs() < 1e-3);
    let mut began = 0;
    physics.kernels.register(|a: &Ball, b: &Ball, b_in_a: &Pose, prediction, out: &mut KernelPoints| {
        let (d, reach) = (b_in_a.translation, 0.5 * (a.radius + b.radius));
        let normal = d.normalize();
        if d.length() - reach <= prediction {
            let on_b = b_in_a.rotation.inverse() * (normal * (-0.5 * b.radius));
            out.push(normal, normal * (0.5 * a.radius), on_b, d.length() - reach, 0);
        }
    });
    for _ in 0..120 {
        physics.step(&mut world, DT).unwrap();
        began += physics.events().iter().filter(|e| matches!(e, Event::ContactBegan { .. })).count();
    }
    let y = position(&world, ball).y;
    assert!((y - 0.75).abs() < 2e-3, "it sinks to where the new kernel says: {y}");
    assert_eq!(began, 1, "it fell, and touched again");
}

#[test]
fn an_unsupported_shape_is_an_error_that_says_what_is_missing() {
    let ring = Collider::custom(LINK);
    let part = Collider(SharedShape::compound(vec![
        (Pose::IDENTITY, SharedShape::ball(0.5)),
        (Pose::IDENTITY, ring.0.clone()),
    ]));
    for (collider, place) in [(ring, "custom shape"), (part, "part 1: the custom shape")] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let ground = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        let odd = world.spawn(Body::dynamic(collider).at(0.0, 3.0, 0.0));
        match physics.step(&mut world, DT) {
            Err(StepError::Component { entity, component: "Collider", problem }) => {
                assert_eq!(entity, odd);
                for word in [place, "support map", "polygonal features", "pair kernel"] {
                    assert!(problem.contains(word), "{problem}");
                }
            }
            other => panic!("{other:?}"),
        }
        assert!(world.get::<&BodySlot>(ground).is_ok_and(|slot| slot.get().is_none()), "nothing was changed");
        pair_kernel::register(&mut physics.kernels);
        physics.step(&mut world, DT).unwrap();
    }
}

#[test]
fn a_pair_without_a_kernel_is_reported_once_and_counted_and_its_other_parts_collide() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.kernels.register(|_: &Custom<Ring>, _: &Ball, _: &Pose, _, _: &mut KernelPoints| {});
    let floor = world.spawn(Body::fixed(cube()).at(0.0, -0.5, 0.0));
    // The ring reaches below the cube that it is part of.
    let upright = Quat::from_rotation_x(0.5 * dolmen::math::consts::PI);
    let parts = vec![(Vec3::ZERO, upright, Collider::custom(LINK)), (Vec3::ZERO, Quat::IDENTITY, cube())];
    let body = world.spawn(Body::dynamic(Collider::compound(parts).unwrap()).at(0.0, 0.55, 0.0));
    let mut reported = Vec::new();
    for _ in 0..120 {
        let report = physics.step(&mut world, DT).unwrap();
        reported.extend(physics.events().iter().copied().filter(|e| matches!(e, Event::NotCollided { .. })));
        assert_eq!(report.counts.not_collided, 1);
    }
    let [Event::NotCollided { entities }] = reported[..] else { panic!("{reported:?}") };
    assert!(entities.contains(&floor) && entities.contains(&body));
    assert!((position(&world, body).y - 0.5).abs() < 2e-3, "the cube in it stands");
    world.despawn(body).unwrap();
    assert_eq!(physics.step(&mut world, DT).unwrap().counts.not_collided, 0);
}

#[test]
fn a_kernel_that_returns_nan_is_reported() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let broken = |_: &Ball, _: &Ball, _: &Pose, _: Real, out: &mut KernelPoints| {
        out.push(Vec3::Y, Vec3::NAN, Vec3::ZERO, 0.0, 0);
    };
    let mut kernels = PairKernels::default();
    kernels.register(broken);
    physics.kernels = kernels;
    world.spawn(Body::fixed(Collider::ball(1.0)));
    let ball = world.spawn(Body::dynamic(Collider::ball(1.0)).at(0.0, 1.9, 0.0));
    physics.step(&mut world, DT).unwrap();
    assert!(physics.events().iter().any(|e| matches!(e, Event::NotCollided { .. })));
    assert!(position(&world, ball).is_finite());
}
