//! Queries against brute force by parry over the components, against closed forms, and against the
//! surfaces they name.

use dolmen::contact::kernels::{Distance, Geometry, distance};
use dolmen::math::Pose;
use dolmen::math::parry::bounding_volume::{Aabb, BoundingVolume};
use dolmen::math::parry::query as parry;
use dolmen::math::parry::shape::{Shape, SharedShape, Triangle};
use dolmen::prelude::*;
use dolmen::query::{Filter, Hit, MotionCast, Probe, Queries, QueryError, Ray, Sensors, ShapeCast};
use hecs::{Entity, World};
use proptest::prelude::*;

const DT: Real = 1.0 / 60.0;

/// Greatest distance from a surface at which a shape cast may stop (m), for shapes of about 1 m
/// some metres from the origin.
const CAST: Real = if size_of::<Real>() == 4 { 3e-5 } else { 1e-6 };

/// Error of parry's iterative results (m), for shapes of about 1 m.
const ITERATIVE: Real = 2e-3;

fn hull() -> Collider {
    let point = |k: usize| {
        let turn = 1.1 * k as Real;
        Vec3::new(0.6 * turn.cos(), 0.12 * k as Real - 0.5, 0.6 * turn.sin())
    };
    Collider::convex_hull(&(0..10).map(point).collect::<Vec<_>>()).unwrap()
}

fn ground() -> Collider {
    let heights: Vec<Real> = (0..49).map(|i| 0.15 * ((i * 5) % 7) as Real).collect();
    Collider::heightfield(7, 7, &heights, Vec3::new(9.0, 1.0, 9.0)).unwrap()
}

fn tent() -> Collider {
    let v = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.5, 0.8, 0.5)];
    Collider::trimesh(v.to_vec(), vec![[0, 4, 1], [1, 4, 3], [3, 4, 2], [2, 4, 0]]).unwrap()
}

fn bar() -> Collider {
    Collider::compound(vec![
        (Vec3::X * 0.5, Quat::from_rotation_y(0.4), Collider::cuboid(0.4, 0.2, 0.2)),
        (Vec3::X * -0.4, Quat::IDENTITY, Collider::ball(0.3)),
        (Vec3::Y * 0.3, Quat::from_rotation_z(1.0), Collider::cylinder(0.3, 0.15)),
    ])
    .unwrap()
}

fn convex_shapes() -> Vec<Collider> {
    vec![
        Collider::ball(0.5),
        Collider::cuboid(0.5, 0.3, 0.7),
        Collider::capsule(0.4, 0.3),
        Collider::cylinder(0.5, 0.4),
        Collider::cone(0.5, 0.4),
        hull(),
    ]
}

/// Every kind of shape; the last two are the ground.
fn shapes() -> Vec<Collider> {
    let mut all = convex_shapes();
    all.extend([bar(), tent(), ground(), Collider::half_space(Vec3::Y)]);
    all
}

fn a_vector(reach: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-reach..reach).prop_map(|v| Vec3::from_array(v.map(|x| x as Real)))
}

fn a_rotation() -> impl Strategy<Value = Quat> {
    prop::array::uniform4(-1.0..1.0_f64).prop_filter_map("too short", |q| {
        let q = Quat::from_array(q.map(|x| x as Real));
        (q.length() > 0.1).then(|| q.normalize())
    })
}

fn a_scene() -> impl Strategy<Value = Vec<(usize, Vec3, Quat, Vec3)>> {
    prop::collection::vec((0..8_usize, a_vector(4.0), a_rotation(), a_vector(3.0)), 1..24)
}

struct Scene {
    world: World,
    physics: Physics,
}

/// Shapes that fly about for three steps over a field of heights and a half-space; without gravity
/// and contacts.
fn scene(bodies: &[(usize, Vec3, Quat, Vec3)]) -> Scene {
    let mut world = World::new();
    let shapes = shapes();
    let nothing = CollisionLayers { layers: 1, mask: 0 };
    world.spawn((RigidBody::Static, shapes[8].clone(), Position::new(0.0, -5.5, 0.0), nothing));
    world.spawn((RigidBody::Static, shapes[9].clone(), Position::new(0.0, -6.0, 0.0), nothing));
    for &(shape, position, orientation, velocity) in bodies {
        let kind = if shape % 3 == 0 { RigidBody::Kinematic } else { RigidBody::Static };
        world.spawn((
            kind,
            shapes[shape].clone(),
            Position(position),
            Orientation(orientation),
            LinearVelocity(velocity),
            AngularVelocity(velocity * 0.7),
            nothing,
        ));
    }
    let mut physics = Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() });
    for _ in 0..3 {
        physics.step(&mut world, DT).unwrap();
    }
    Scene { world, physics }
}

impl Scene {
    fn query(&self) -> Queries<'_> {
        self.physics.query()
    }

    /// All colliders, from the components.
    fn colliders(&self) -> Vec<(Entity, Collider, Pose)> {
        let mut query = self.world.query::<(Entity, &Collider, &Position, Option<&Orientation>)>();
        let pose = |p: &Position, q: Option<&Orientation>| Pose::from_parts(p.0, q.copied().unwrap_or_default().0);
        query.iter().map(|(e, c, p, q)| (e, c.clone(), pose(p, q))).collect()
    }
}

/// Distance of a point from the surface of a hit's collider, by parry.
fn off_surface(scene: &Scene, hit: &Hit) -> Real {
    let (_, collider, pose) = scene.colliders().into_iter().find(|(e, ..)| *e == hit.collider).unwrap();
    if let Some(compound) = collider.0.as_compound() {
        let part = &compound.shapes()[hit.part as usize];
        return part.1.project_point(&(pose * part.0), hit.point, false).point.distance(hit.point);
    }
    collider.0.project_point(&pose, hit.point, false).point.distance(hit.point)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn rays_hit_what_brute_force_hits(
        bodies in a_scene(),
        rays in prop::collection::vec((a_vector(7.0), a_vector(4.0)), 8),
    ) {
        let scene = scene(&bodies);
        for (from, to) in rays {
            let Ok(ray) = Ray::between(from, to) else { continue };
            let length = from.distance(to);
            let parrys = parry::Ray::new(from, ray.direction());
            let mut expected: Vec<(Real, Entity)> = Vec::new();
            for (entity, collider, pose) in scene.colliders() {
                // parry's solids reach a little beyond their rims, where a ray passes by and enters nothing.
                let enters = |t: Real| {
                    let inside = |k: i32| collider.0.contains_point(&pose, ray.at(t + ITERATIVE * k as Real));
                    collider.0.as_support_map().is_none() || (1..8).any(inside)
                };
                if let Some(t) = collider.0.cast_ray(&pose, &parrys, length, true)
                    && (t == 0.0 || enters(t))
                {
                    expected.push((t, entity));
                }
            }
            let nearest = expected.iter().fold(Real::INFINITY, |least, (t, _)| least.min(*t));
            let hit = scene.query().ray(&ray, &Filter::default());
            match hit {
                Some(hit) => {
                    prop_assert!((hit.distance - nearest).abs() < ITERATIVE, "{hit:?}, brute force {nearest}");
                    prop_assert!(hit.normal.dot(ray.direction()) <= 1e-4 && (hit.normal.length() - 1.0).abs() < 1e-4);
                    if hit.distance > 0.0 {
                        prop_assert!(off_surface(&scene, &hit) < ITERATIVE, "{hit:?} {}", off_surface(&scene, &hit));
                    }
                }
                // At the very end of the ray rounding decides.
                None => prop_assert!(nearest > length - ITERATIVE, "missed {nearest} of {length}"),
            }
            let all = scene.query().ray_all(&ray, &Filter::default());
            prop_assert_eq!(all.first().copied(), hit);
            prop_assert!(all.windows(2).all(|w| w[0].distance <= w[1].distance));
            let sure = |t: Real| t < length - ITERATIVE;
            for (t, entity) in expected.iter().filter(|(t, _)| sure(*t)) {
                let found = all.iter().find(|hit| hit.entity == *entity);
                prop_assert!(found.is_some_and(|hit| (hit.distance - t).abs() < ITERATIVE), "{entity:?} at {t}: {found:?}");
            }
        }
    }

    #[test]
    fn nearest_points_are_those_of_brute_force(bodies in a_scene(), points in prop::collection::vec(a_vector(6.0), 8)) {
        let scene = scene(&bodies);
        for point in points {
            let mut nearest = Real::INFINITY;
            let mut inside: Vec<Entity> = Vec::new();
            for (entity, collider, pose) in scene.colliders() {
                let parts: Vec<_> = match collider.0.as_compound() {
                    Some(compound) => compound.shapes().iter().map(|(local, part)| (pose * *local, part.clone())).collect(),
                    None => vec![(pose, collider.0.clone())],
                };
                let mut least = Real::INFINITY;
                for (pose, part) in parts {
                    let projected = part.project_point(&pose, point, false);
                    let solid = projected.is_inside && (part.is_convex() || part.as_halfspace().is_some());
                    least = least.min(projected.point.distance(point) * if solid { -1.0 } else { 1.0 });
                }
                if least < -ITERATIVE {
                    inside.push(entity);
                }
                nearest = nearest.min(least);
            }
            let hit = scene.query().nearest(point, Real::INFINITY, &Filter::default()).unwrap();
            prop_assert!((hit.distance - nearest).abs() < ITERATIVE, "{hit:?}, brute force {nearest}");
            prop_assert!((hit.point.distance(point) - hit.distance.abs()).abs() < ITERATIVE, "{hit:?} {point}");
            let found = scene.query().containing(point, &Filter::default());
            for entity in inside {
                prop_assert!(found.iter().any(|o| o.entity == entity));
            }
            let reach = nearest.abs() * 0.99 - ITERATIVE;
            if nearest > 0.0 && reach > 0.0 {
                prop_assert!(scene.query().nearest(point, reach, &Filter::default()).is_none());
                prop_assert!(found.is_empty() || nearest < ITERATIVE);
            }
        }
    }

    #[test]
    fn a_moving_shape_goes_as_far_as_it_can_and_no_farther(
        bodies in a_scene(),
        shape in 0..7_usize,
        start in a_vector(6.0),
        turn in a_rotation(),
        direction in a_vector(1.0),
    ) {
        prop_assume!(direction.length() > 0.1);
        let (scene, moving) = (scene(&bodies), shapes()[shape].clone());
        let probe = Probe::new(&moving, start, turn).unwrap();
        let at_start = scene.query().overlapping(&probe, &Filter::default());
        let cast = ShapeCast::new(probe, direction, 12.0).unwrap();
        let hit = scene.query().shape_cast(&cast, &Filter::default());
        let direction = direction.normalize();
        let pose = |distance: Real| Pose::from_parts(start + direction * distance, turn);
        let gap = |distance: Real| {
            let nearer = |least: Real, (_, c, place): &(_, Collider, Pose)| least.min(gap(c, place, &moving, &pose(distance)));
            scene.colliders().iter().fold(Real::INFINITY, nearer)
        };
        let way = hit.map_or(12.0, |hit| hit.distance);
        if at_start.is_empty() {
            for k in 0..40 {
                let t = way * k as Real / 40.0;
                prop_assert!(gap(t) > -5.0 * ITERATIVE, "{hit:?} is {} deep after {t} of {way}", gap(t));
                prop_assert!(clearance(&scene, &moving, &pose(t)) > -CAST, "{hit:?} after {t} of {way}");
            }
            if let Some(hit) = hit {
                // Surfaces closer than a ten millionth of their size count as overlapping: start a
                // little further away.
                let off = Pose::from_translation(hit.normal * (0.5 * CAST)) * pose(hit.distance);
                let left = clearance(&scene, &moving, &off);
                prop_assert!(left.abs() < CAST, "{hit:?} stops {left} before");
                prop_assert!((hit.normal.length() - 1.0).abs() < 1e-4);
                prop_assert!(off_surface(&scene, &hit) < ITERATIVE, "{hit:?} is {} off", off_surface(&scene, &hit));
            }
        } else {
            prop_assert!(way == 0.0, "{hit:?} overlaps {at_start:?}");
        }
    }

    #[test]
    fn contacts_of_a_shape_are_its_overlaps_and_moving_out_frees_it(
        bodies in a_scene(), shape in 0..7_usize, at in a_vector(5.0), turn in a_rotation(),
    ) {
        let (scene, moving) = (scene(&bodies), shapes()[shape].clone());
        let probe = Probe::new(&moving, at, turn).unwrap();
        let overlapping = scene.query().overlapping(&probe, &Filter::default());
        let hits = scene.query().touching(&probe, 0.0, &Filter::default());
        for hit in &hits {
            prop_assert!(hit.distance <= 0.0 && (hit.normal.length() - 1.0).abs() < 1e-4, "{hit:?}");
            let close = hit.distance > -ITERATIVE;
            prop_assert!(close || overlapping.iter().any(|o| o.entity == hit.entity), "{hit:?} of {overlapping:?}");
        }
        // A convex shape in another: out along the normal by its depth, and no shorter way.
        if let ([hit], true) = (&hits[..], shape < 6) {
            let of = scene.colliders().iter().position(|(e, ..)| *e == hit.entity).unwrap();
            let (_, other, place) = &scene.colliders()[of];
            if other.0.is_convex() || other.0.as_halfspace().is_some() {
                let out = Pose::from_parts(at - hit.normal * hit.distance, turn);
                let left = gap(other, place, &moving, &out);
                prop_assert!(left > -5.0 * ITERATIVE, "{hit:?} leaves {left}");
            }
        }
    }

    #[test]
    fn overlaps_are_those_of_brute_force(bodies in a_scene(), shape in 0..7_usize, at in a_vector(5.0), turn in a_rotation()) {
        let (scene, moving) = (scene(&bodies), shapes()[shape].clone());
        let probe = Probe::new(&moving, at, turn).unwrap();
        let found = scene.query().overlapping(&probe, &Filter::default());
        let here = Pose::from_parts(at, turn);
        let aabb = moving.0.compute_aabb(&here);
        let boxed = scene.query().in_box(aabb.mins, aabb.maxs, &Filter::default());
        for (entity, collider, pose) in scene.colliders() {
            let ours = found.iter().any(|o| o.entity == entity);
            prop_assert!(!ours || boxed.iter().any(|o| o.entity == entity));
            let gap = gap(&collider, &pose, &moving, &here);
            prop_assert!(if ours { gap < ITERATIVE } else { gap > -ITERATIVE }, "{entity:?}: ours {ours}, gap {gap}");
        }
    }
}

/// The convex parts of a shape that come near a box.
fn parts(collider: &Collider, pose: &Pose, around: &Aabb) -> Vec<(Pose, SharedShape)> {
    let triangles = |triangles: Vec<Triangle>| {
        let near = |t: &Triangle| t.compute_aabb(pose).intersects(around);
        triangles.into_iter().filter(near).map(|t| (*pose, SharedShape::new(t))).collect()
    };
    if let Some(compound) = collider.0.as_compound() {
        compound.shapes().iter().map(|(local, part)| (*pose * *local, part.clone())).collect()
    } else if let Some(field) = collider.0.as_heightfield() {
        triangles(field.triangles().collect())
    } else if let Some(mesh) = collider.0.as_trimesh() {
        triangles(mesh.triangles().collect())
    } else {
        vec![(*pose, collider.0.clone())]
    }
}

/// Distance of a shape from the whole scene by our own function; minus a metre for an overlap.
fn clearance(scene: &Scene, moving: &Collider, place: &Pose) -> Real {
    let moving = Geometry::from(&moving.0);
    scene.colliders().iter().fold(Real::INFINITY, |least, (_, still, at)| {
        least.min(match distance(&Geometry::from(&still.0), &moving, &at.inv_mul(place), 0.01) {
            Distance::Apart => Real::INFINITY,
            Distance::Near { distance, .. } => distance,
            Distance::Overlap => -1.0,
        })
    })
}

/// Distance of two shapes part by part by parry, negative for an overlap; infinite beyond 5 cm.
fn gap(a: &Collider, p: &Pose, b: &Collider, q: &Pose) -> Real {
    let mut least = Real::INFINITY;
    for (p, a) in parts(a, p, &b.0.compute_aabb(q).loosened(0.1)) {
        for (q, b) in parts(b, q, &a.compute_aabb(&p).loosened(0.1)) {
            least = parry::contact(&p, &*a, &q, &*b, 0.05).unwrap().map_or(least, |c| least.min(c.dist));
        }
    }
    least
}
#[test]
fn before_the_first_step_there_is_nothing() {
    let mut world = World::new();
    let mut physics = Physics::new(Settings::default());
    let floor = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let ray = Ray::new(Vec3::Y, -Vec3::Y, Real::INFINITY).unwrap();
    assert_eq!(physics.query().ray(&ray, &Filter::default()), None);
    assert_eq!(physics.query().nearest(Vec3::Y, Real::INFINITY, &Filter::default()), None);
    assert!(physics.query().overlapping(&probe(Vec3::ZERO), &Filter::default()).is_empty());
    physics.step(&mut world, DT).unwrap();
    assert_eq!(physics.query().ray(&ray, &Filter::default()).unwrap().entity, floor);
}

fn probe(at: Vec3) -> Probe {
    Probe::new(&Collider::ball(0.5), at, Quat::IDENTITY).unwrap()
}

#[test]
fn invalid_inputs_are_errors_that_name_the_argument() {
    let nan = Vec3::new(0.0, Real::NAN, 0.0);
    assert!(matches!(Ray::new(nan, Vec3::X, 1.0), Err(QueryError::NotFinite { argument: "origin", .. })));
    assert!(matches!(Ray::new(Vec3::ZERO, nan, 1.0), Err(QueryError::NotFinite { argument: "direction", .. })));
    assert_eq!(Ray::new(Vec3::ZERO, Vec3::ZERO, 1.0), Err(QueryError::ZeroLength { argument: "direction" }));
    assert_eq!(Ray::new(Vec3::ZERO, Vec3::X, -1.0), Err(QueryError::Reach { value: -1.0 }));
    assert!(Ray::new(Vec3::ZERO, Vec3::X, Real::NAN).is_err());
    let tiny = Ray::new(Vec3::ZERO, Vec3::splat(Real::MIN_POSITIVE), 1.0).unwrap();
    assert!((tiny.direction() - Vec3::ONE.normalize()).length() < 1e-6);
    let half_space = Collider::half_space(Vec3::Y);
    assert!(matches!(Probe::new(&half_space, Vec3::ZERO, Quat::IDENTITY), Err(QueryError::Shape { .. })));
    assert!(Probe::new(&ground(), Vec3::ZERO, Quat::IDENTITY).is_err());
    assert!(Probe::new(&Collider::ball(1.0), Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)).is_err());
    assert!(ShapeCast::new(probe(Vec3::ZERO), Vec3::ZERO, 1.0).is_err());
}

#[test]
fn nothing_is_near_or_in_what_is_no_place() {
    let mut world = World::new();
    let mut physics = Physics::new(Settings::default());
    world.spawn(Body::fixed(Collider::ball(1.0)));
    physics.step(&mut world, 1e-3).unwrap();
    let (query, all, nan) = (physics.query(), Filter::default(), Vec3::splat(Real::NAN));
    assert!(query.nearest(Vec3::ZERO, 1.0, &all).is_some() && !query.containing(Vec3::ZERO, &all).is_empty());
    assert_eq!(query.nearest(nan, 1.0, &all), None);
    assert_eq!(query.nearest(Vec3::ZERO, -1.0, &all), None);
    assert_eq!(query.nearest(Vec3::ZERO, Real::NAN, &all), None);
    assert!(query.nearests(&[Vec3::ZERO, nan], 1.0, &all)[0].is_some());
    assert_eq!(query.nearests(&[Vec3::ZERO, nan], 1.0, &all)[1], None);
    assert_eq!(query.containing(nan, &all), []);
    assert_eq!(query.in_box(Vec3::ONE, Vec3::ZERO, &all), []);
    assert_eq!(query.in_box(nan, Vec3::ONE, &all), []);
    let probe = Probe::new(&Collider::ball(1.0), Vec3::ZERO, Quat::IDENTITY).unwrap();
    assert_eq!(query.touching(&probe, Real::NAN, &all), []);
}

#[test]
fn hits_of_equal_distance_come_in_the_order_of_slots() {
    let mut world = World::new();
    // Behind each other in the tree, abreast before the ray.
    let shape = Collider::cuboid(0.5, 0.5, 0.5);
    let row: Vec<Entity> = (0..40)
        .map(|i| {
            world
                .spawn(Body::fixed(shape.clone()).at(0.0, 0.0, 0.01 * ((i * 17) % 40) as Real).density(1.0 + i as Real))
        })
        .collect();
    let mut physics = Physics::new(Settings::default());
    physics.step(&mut world, DT).unwrap();
    let ray = Ray::new(Vec3::new(-5.0, 0.0, 0.2), Vec3::X, 10.0).unwrap();
    let slot = |e: Entity| world.get::<&BodySlot>(e).unwrap().get().unwrap();
    let all = physics.query().ray_all(&ray, &Filter::default());
    assert_eq!(all.len(), row.len());
    assert!(all.windows(2).all(|w| w[0].distance == w[1].distance && slot(w[0].entity) < slot(w[1].entity)));
    assert_eq!(physics.query().ray(&ray, &Filter::default()), Some(all[0]));
    let cast = ShapeCast::new(probe(Vec3::new(-5.0, 0.0, 0.2)), Vec3::X, 10.0).unwrap();
    let hit = physics.query().shape_cast(&cast, &Filter::default()).unwrap();
    assert!((hit.distance - 4.0).abs() < 1e-3);
}

#[test]
fn filters_choose_by_layers_kinds_sensors_entities_and_predicate() {
    let mut world = World::new();
    let shape = Collider::ball(0.5);
    let near = world.spawn(Body::fixed(shape.clone()).at(1.0, 0.0, 0.0));
    let zone = world.spawn(Body::fixed(shape.clone()).at(2.0, 0.0, 0.0).sensor());
    let red = CollisionLayers { layers: 2, mask: u32::MAX };
    let layered = world.spawn(Body::kinematic(shape.clone()).at(3.0, 0.0, 0.0).layers(red));
    let free = world.spawn(Body::dynamic(shape.clone()).at(4.5, 0.0, 0.0));
    let part = world.spawn((shape, ColliderOf { body: free, position: Vec3::X * 1.2, orientation: Quat::IDENTITY }));
    let mut physics = Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() });
    physics.step(&mut world, DT).unwrap();
    let ray = Ray::new(Vec3::ZERO, Vec3::X, 100.0).unwrap();
    let of =
        |filter: Filter| -> Vec<Entity> { physics.query().ray_all(&ray, &filter).iter().map(|h| h.collider).collect() };
    let all = Filter::default();
    assert_eq!(of(all), [near, layered, free, part]);
    assert_eq!(of(all.sensors(Sensors::In)), [near, zone, layered, free, part]);
    assert_eq!(of(all.sensors(Sensors::Only)), [zone]);
    assert_eq!(of(all.kinds(&[RigidBody::Dynamic])), [free, part]);
    assert_eq!(of(all.kinds(&[RigidBody::Static, RigidBody::Kinematic])), [near, layered]);
    assert!(of(all.kinds(&[])).is_empty());
    assert_eq!(of(all.layers(CollisionLayers { layers: 1, mask: 2 })), [layered]);
    assert_eq!(of(all.exclude(&[free, near])), [layered]);
    assert_eq!(of(all.exclude(&[part])), [near, layered, free]);
    assert_eq!(of(all.predicate(&|body, _| body == free)), [free, part]);
    let hit = physics.query().ray(&ray, &all.predicate(&|_, collider| collider == part)).unwrap();
    assert_eq!((hit.entity, hit.collider), (free, part));
    assert!((hit.distance - 5.2).abs() < 1e-5);
}

#[test]
fn a_collider_that_left_its_box_in_the_step_is_found_where_it_is() {
    let mut world = World::new();
    let shape = Collider::cuboid(0.5, 0.5, 0.5);
    let bodies: Vec<Entity> =
        (0..50).map(|i| world.spawn(Body::dynamic(shape.clone()).at(3.0 * i as Real, 0.0, 0.0))).collect();
    let mut physics = Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() });
    physics.step(&mut world, DT).unwrap();
    // A change of velocity between the broad phase and the motion, which no box includes.
    let kicked: Vec<u32> =
        bodies.iter().step_by(5).map(|&e| world.get::<&BodySlot>(e).unwrap().get().unwrap()).collect();
    physics.schedule.add_after(Stage::Impacts, move |_, state| {
        for &slot in &kicked {
            state.bodies.linear_velocity[slot as usize] = Vec3::Y * 600.0;
        }
    });
    physics.step(&mut world, DT).unwrap();
    for (i, &body) in bodies.iter().enumerate() {
        let at = world.get::<&Position>(body).unwrap().0;
        assert_eq!(at.y > 9.0, i % 5 == 0, "{at}");
        let ray = Ray::new(at - Vec3::Z * 9.0, Vec3::Z, 100.0).unwrap();
        let hit = physics.query().ray(&ray, &Filter::default()).unwrap();
        assert_eq!(hit.entity, body);
        assert!((hit.distance - 8.5).abs() < 1e-4);
        assert_eq!(physics.query().containing(at, &Filter::default())[0].entity, body);
        let left = Ray::new(Vec3::new(at.x, 0.0, -9.0), Vec3::Z, 100.0).unwrap();
        assert_eq!(physics.query().ray(&left, &Filter::default()).is_none(), i % 5 == 0);
    }
}

#[test]
fn one_or_two_of_many_that_left_their_boxes_are_found_where_they_are() {
    for throw in [1, 2, 3] {
        let (mut world, mut physics) = (World::new(), Physics::default());
        let balls: Vec<Entity> =
            (0..9).map(|i| world.spawn(Body::dynamic(Collider::ball(0.3)).at(2.0 * i as Real, 50.0, 0.0))).collect();
        physics.step(&mut world, DT).unwrap();
        for &ball in &balls[9 - throw..] {
            world.get::<&mut LinearVelocity>(ball).unwrap().0 = Vec3::Z * 300.0;
        }
        physics.step(&mut world, DT).unwrap();
        let found = |at: Vec3| physics.query().containing(at, &Filter::default());
        for &ball in &balls {
            let at = world.get::<&Position>(ball).unwrap().0;
            assert_eq!(found(at).iter().map(|o| o.entity).collect::<Vec<_>>(), [ball]);
        }
        assert!(found(Vec3::new(16.0, 50.0, 0.0)).is_empty());
    }
}

#[test]
fn bodies_that_the_game_moved_or_despawned_are_seen_after_the_next_step() {
    let mut world = World::new();
    let block = world.spawn(Body::fixed(Collider::cuboid(0.5, 0.5, 0.5)));
    let ball = world.spawn(Body::fixed(Collider::ball(0.5)).at(0.0, 0.0, 9.0));
    let mut physics = Physics::new(Settings::default());
    physics.step(&mut world, DT).unwrap();
    world.get::<&mut Position>(block).unwrap().0.x = 7.0;
    world.despawn(ball).unwrap();
    let hit = |physics: &Physics, x: Real, z: Real| {
        let ray = Ray::new(Vec3::new(x, 5.0, z), -Vec3::Y, 9.0).unwrap();
        physics.query().ray(&ray, &Filter::default()).map(|hit| hit.entity)
    };
    assert_eq!([hit(&physics, 0.0, 0.0), hit(&physics, 7.0, 0.0)], [Some(block), None]);
    assert_eq!(hit(&physics, 0.0, 9.0), Some(ball));
    physics.step(&mut world, DT).unwrap();
    assert_eq!([hit(&physics, 0.0, 0.0), hit(&physics, 7.0, 0.0)], [None, Some(block)]);
    assert_eq!(hit(&physics, 0.0, 9.0), None);
}

#[test]
fn a_ray_from_a_kilometre_away_is_as_good_as_a_short_one() {
    let mut world = World::new();
    for (i, shape) in convex_shapes().into_iter().enumerate() {
        world.spawn(Body::fixed(shape).at(3.0 * i as Real, 0.0, 0.0));
    }
    let mut physics = Physics::new(Settings::default());
    physics.step(&mut world, DT).unwrap();
    for k in 0..600 {
        let x = 0.025 * k as Real - 0.5;
        let from = |height: Real| {
            let ray = Ray::new(Vec3::new(x, height, 0.13), -Vec3::Y, 2000.0).unwrap();
            physics.query().ray(&ray, &Filter::default()).map(|hit| height - hit.distance)
        };
        match (from(1024.0), from(2.0)) {
            (Some(far), Some(near)) => assert!((far - near).abs() < 2e-4, "{x}: {far} {near}"),
            (far, near) => assert_eq!(far, near, "{x}"),
        }
    }
}

#[test]
fn a_moving_shape_stops_where_closed_forms_say() {
    let cast = |still: Collider, place: Vec3, moving: Collider, from: Vec3, along: Vec3| {
        let (mut world, mut physics) = (World::new(), Physics::default());
        world.spawn(Body::fixed(still).position(place));
        physics.step(&mut world, DT).unwrap();
        let probe = Probe::new(&moving, from, Quat::IDENTITY).unwrap();
        let hit = physics.query().shape_cast(&ShapeCast::new(probe, along, 1e4).unwrap(), &Filter::default());
        hit.map(|hit| (hit.distance, hit.normal))
    };
    let ball = || Collider::ball(0.5);
    // Balls whose paths pass at a distance of 0.6: they meet at sqrt(1 - 0.36) before the nearest
    // point.
    let (way, normal) = cast(ball(), Vec3::ZERO, ball(), Vec3::new(-8.0, 0.6, 0.0), Vec3::X).unwrap();
    assert!((way - 7.2).abs() < CAST && (normal - Vec3::new(-0.8, 0.6, 0.0)).length() < 1e-4, "{way} {normal}");
    // A box falls on a slope of one in two: its lower corner leads.
    let slope = Collider::half_space(Vec3::new(-1.0, 2.0, 0.0));
    let (way, _) =
        cast(slope, Vec3::ZERO, Collider::cuboid(0.5, 0.25, 0.5), Vec3::new(0.5, 3.0, 0.0), -Vec3::Y).unwrap();
    assert!((way - 2.25).abs() < CAST, "{way}");
    // A ball that meets an edge along a diagonal.
    let (way, normal) =
        cast(Collider::cuboid(1.0, 1.0, 5.0), Vec3::ZERO, ball(), Vec3::new(4.0, 4.0, 0.3), Vec3::new(-1.0, -1.0, 0.0))
            .unwrap();
    assert!((way - (3.0 * (2.0 as Real).sqrt() - 0.5)).abs() < CAST, "{way}");
    assert!((normal - Vec3::new(1.0, 1.0, 0.0).normalize()).length() < 1e-3, "{normal}");
    // A ball that just misses, and one that moves along a surface without approaching it.
    assert_eq!(cast(ball(), Vec3::ZERO, ball(), Vec3::new(-8.0, 1.001, 0.0), Vec3::X), None);
    assert_eq!(cast(Collider::half_space(Vec3::Y), Vec3::ZERO, ball(), Vec3::Y * 0.5, Vec3::X), None);
}

/// A shape known only to pair kernels, of which there are none here.
struct Cloud;

impl CustomShape for Cloud {
    fn bounds(&self) -> Aabb {
        Aabb::new(Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 3.0, 1.0))
    }
}

#[test]
fn a_custom_shape_known_only_to_kernels_is_met_at_its_bounds() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    physics.kernels.register::<Custom<Cloud>, dolmen::math::parry::shape::Ball>(|_, _, _, _, _| {});
    let cloud = world.spawn(Body::fixed(Collider::custom(Cloud)).at(0.0, 1.0, 0.0));
    physics.step(&mut world, DT).unwrap();
    let at = |height: Real| Probe::new(&Collider::ball(0.5), Vec3::Y * height, Quat::IDENTITY).unwrap();
    let hit = physics.query().shape_cast(&ShapeCast::new(at(9.0), -Vec3::Y, 9.0).unwrap(), &Filter::default()).unwrap();
    assert!(hit.entity == cloud && (hit.distance - 4.5).abs() < CAST && hit.normal == Vec3::Y, "{hit:?}");
    assert_eq!(physics.query().overlapping(&at(4.4), &Filter::default()).len(), 1);
    assert!(physics.query().overlapping(&at(4.6), &Filter::default()).is_empty());
    let hits = physics.query().touching(&at(4.6), 0.2, &Filter::default());
    assert!((hits[0].distance - 0.1).abs() < CAST, "{hits:?}");
}

#[test]
fn hollow_shapes_are_hit_from_within() {
    let mut world = World::new();
    for (i, shape) in convex_shapes().into_iter().enumerate() {
        world.spawn(Body::fixed(shape).at(0.0, 0.0, 3.0 * i as Real));
    }
    let mut physics = Physics::new(Settings::default());
    physics.step(&mut world, DT).unwrap();
    for (i, _) in convex_shapes().iter().enumerate() {
        let ray = Ray::new(Vec3::Z * 3.0 * i as Real, Vec3::X, 5.0).unwrap();
        let solid = physics.query().ray(&ray, &Filter::default()).unwrap();
        assert_eq!((solid.distance, solid.normal), (0.0, -Vec3::X));
        let hollow = physics.query().ray(&ray.hollow(), &Filter::default()).unwrap();
        assert!(hollow.distance > 0.19 && hollow.distance < 0.7 && hollow.normal.x < 0.0, "{i} {hollow:?}");
        let back = Ray::new(hollow.point + Vec3::X * 2.0, -Vec3::X, 5.0).unwrap();
        let outer = physics.query().ray(&back, &Filter::default()).unwrap();
        assert!((outer.distance - 2.0).abs() < ITERATIVE, "{i} {outer:?}");
    }
}

#[test]
fn batches_answer_as_single_queries_do_whatever_the_threads() {
    let bodies: Vec<_> = (0..200)
        .map(|i| {
            let i = i as Real;
            (
                i as usize % 8,
                Vec3::new((i * 0.7).sin(), (i * 1.3).cos(), (i * 2.1).sin()) * 6.0,
                Quat::from_rotation_y(i),
                Vec3::ZERO,
            )
        })
        .collect();
    let rays: Vec<Ray> = (0..1000)
        .map(|i| {
            let i = i as Real;
            Ray::new(
                Vec3::new(i.sin() * 9.0, 8.0, i.cos() * 9.0),
                Vec3::new((i * 3.0).cos(), -1.0, (i * 5.0).sin()),
                40.0,
            )
            .unwrap()
        })
        .collect();
    let points: Vec<Vec3> = rays.iter().map(|ray| ray.at(5.0)).collect();
    let casts: Vec<ShapeCast> =
        rays.iter().step_by(5).map(|ray| ShapeCast::new(probe(ray.at(0.0)), ray.direction(), 20.0).unwrap()).collect();
    let mut scene = scene(&bodies);
    let all = Filter::default();
    let single: Vec<_> = rays.iter().map(|ray| scene.query().ray(ray, &all)).collect();
    let near: Vec<_> = points.iter().map(|&point| scene.query().nearest(point, 9.0, &all)).collect();
    let swept: Vec<_> = casts.iter().map(|cast| scene.query().shape_cast(cast, &all)).collect();
    assert!(single.iter().filter(|hit| hit.is_some()).count() > 500);
    for threads in [1, 2, 3, 8] {
        scene.physics.settings.threads = Some(threads);
        scene.physics.step(&mut scene.world, DT).unwrap();
        assert_eq!(scene.query().rays(&rays, &all), single);
        assert_eq!(scene.query().nearests(&points, 9.0, &all), near);
        assert_eq!(scene.query().shape_casts(&casts, &all), swept);
    }
}

#[test]
fn queries_can_be_shared_by_threads() {
    fn shared<T: Send + Sync + Copy>(_: &T) {}
    let physics = Physics::new(Settings::default());
    shared(&physics.query());
}

/// Distance (m) of a shape at a pose from a collider, zero for an overlap; by the kernels.
fn apart(shape: &Collider, pose: &Pose, other: &(Entity, Collider, Pose)) -> Real {
    let (a, b) = (Geometry::from(&other.1.0), Geometry::from(&shape.0));
    match distance(&a, &b, &other.2.inv_mul(pose), 1e3) {
        Distance::Near { distance, .. } => distance.max(0.0),
        Distance::Overlap => 0.0,
        Distance::Apart => Real::INFINITY,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn the_separation_of_two_entities_spans_its_points_and_no_plane_is_nearer(bodies in a_scene()) {
        let scene = scene(&bodies);
        let all = scene.colliders();
        for pair in all.windows(2).filter(|pair| pair.iter().all(|(_, c, _)| c.0.as_support_map().is_some())) {
            let [(a, of_a, at_a), (b, of_b, at_b)] = pair else { unreachable!() };
            let found = scene.query().separation(*a, *b, Real::INFINITY).unwrap();
            let expected = parry::distance(at_a, &*of_a.0.0, at_b, &*of_b.0.0).unwrap().distance;
            // parry ends its search early, with too large a distance. No distance is less than the gap
            // between support planes.
            let reach = |of: &Collider, at: &Pose, along: Vec3| {
                of.0.as_support_map().unwrap().support_point(at, along).dot(along)
            };
            let gap = -reach(of_b, at_b, -found.normal) - reach(of_a, at_a, found.normal);
            prop_assert!(found.distance < expected + ITERATIVE, "{found:?}, parry {expected}");
            prop_assert!(found.distance < 0.0 || found.distance < gap + 1e-4, "{found:?}, gap {gap}");
            prop_assert_eq!(found.colliders, [*a, *b]);
            let [p, q] = found.points;
            // Points of an overlap may lie side by side.
            let off = q - p - found.normal * found.distance;
            prop_assert!(off.dot(found.normal).abs() < 1e-3, "{found:?}");
            prop_assert!(found.distance < 0.0 || off.length() < 1e-3, "{found:?}");
            let back = scene.query().separation(*b, *a, Real::INFINITY).unwrap();
            prop_assert!((back.distance - found.distance).abs() < ITERATIVE);
            let near = scene.query().separation(*a, *b, 0.5);
            prop_assert!(near.is_some() == (found.distance <= 0.5) || (found.distance - 0.5).abs() < 1e-4);
        }
    }

    #[test]
    fn a_cast_through_everything_finds_what_casts_at_each_alone_find(
        bodies in a_scene(),
        shape in 0..7_usize,
        way in (a_vector(5.0), a_vector(5.0)),
    ) {
        let scene = scene(&bodies);
        let probe = Probe::new(&shapes()[shape].clone(), way.0, Quat::from_rotation_x(0.4)).unwrap();
        prop_assume!(way.0 != way.1);
        let cast = ShapeCast::new(probe, way.1 - way.0, way.0.distance(way.1)).unwrap();
        let all = scene.query().shape_cast_all(&cast, &Filter::default());
        prop_assert_eq!(all.first().copied(), scene.query().shape_cast(&cast, &Filter::default()));
        prop_assert!(all.windows(2).all(|pair| pair[0].distance <= pair[1].distance));
        for (entity, ..) in scene.colliders() {
            let alone = |_, collider: Entity| collider == entity;
            let expected = scene.query().shape_cast(&cast, &Filter::default().predicate(&alone));
            let found = all.iter().find(|hit| hit.collider == entity).copied();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn a_motion_ends_where_shapes_touch_first_and_not_before(
        bodies in a_scene(),
        shape in 0..6_usize,
        start in (a_vector(5.0), a_rotation()),
        motion in (a_vector(6.0), a_vector(4.0), a_vector(0.5)),
    ) {
        let scene = scene(&bodies);
        let collider = shapes()[shape].clone();
        let probe = Probe::new(&collider, start.0, start.1).unwrap();
        let (velocity, spin, center) = motion;
        let cast = MotionCast::new(probe, velocity, spin, 1.0).unwrap().about(center);
        let met = scene.query().motion_cast(&cast, &Filter::default());
        let until = met.map_or(1.0, |met| met.time);
        let others = scene.colliders();
        let least = |time: Real| {
            others.iter().map(|other| apart(&collider, &cast.pose_at(time), other)).fold(Real::INFINITY, Real::min)
        };
        if let Some(met) = met {
            prop_assert!(least(met.time) < 1e-3, "{met:?}: {}", least(met.time));
            prop_assert!((met.hit.normal.length() - 1.0).abs() < 1e-3);
        }
        for k in 0..40 {
            // Not the last moments, in which rounding decides.
            let time = until * k as Real / 40.0;
            prop_assert!(met.is_some_and(|met| met.time == 0.0) || least(time) > 0.0, "{met:?} at {time}");
        }
        // The start is the body's, whatever it turns about.
        prop_assert!((cast.pose_at(0.0).translation - start.0).length() < 1e-5);
    }

    #[test]
    fn planes_hold_out_what_brute_force_holds_out(
        bodies in a_scene(),
        planes in prop::collection::vec((a_vector(1.0), -1.0..4.0_f64), 0..6),
    ) {
        let scene = scene(&bodies);
        let planes: Vec<(Vec3, Real)> = planes.into_iter().map(|(normal, offset)| (normal, offset as Real)).collect();
        let found = scene.query().in_planes(&planes, &Filter::default());
        for (entity, collider, pose) in scene.colliders().into_iter().filter(|(_, c, _)| c.0.as_halfspace().is_none()) {
            let aabb = collider.0.compute_aabb(&pose);
            let slack = |normal: Vec3, offset: Real| {
                offset - Vec3::select(normal.cmplt(Vec3::ZERO), aabb.maxs, aabb.mins).dot(normal)
            };
            let least = planes.iter().map(|&(normal, offset)| slack(normal, offset)).fold(Real::INFINITY, Real::min);
            let listed = found.iter().any(|overlap| overlap.collider == entity);
            prop_assert!(listed == (least >= 0.0) || least.abs() < 1e-4, "{entity:?}: {least}");
        }
    }
}

#[test]
fn further_colliders_count_for_their_body_and_alone() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let body = world.spawn(Body::fixed(Collider::ball(0.5)));
    let of = ColliderOf { body, position: Vec3::X * 2.0, orientation: Quat::IDENTITY };
    let part = world.spawn((Collider::ball(0.5), of));
    let other = world.spawn(Body::fixed(Collider::ball(0.5)).at(5.0, 0.0, 0.0));
    let deep = world.spawn(Body::fixed(Collider::cuboid(1.0, 1.0, 1.0)).at(5.0, 1.2, 0.0));
    physics.step(&mut world, DT).unwrap();
    let query = physics.query();
    let of_body = query.separation(body, other, Real::INFINITY).unwrap();
    assert!((of_body.distance - 2.0).abs() < 1e-5 && of_body.colliders == [part, other]);
    assert!((query.separation(part, other, Real::INFINITY).unwrap().distance - 2.0).abs() < 1e-5);
    let overlap = query.separation(other, deep, 0.0).unwrap();
    assert!((overlap.distance + 0.3).abs() < 1e-4 && overlap.normal.y > 0.99, "{overlap:?}");
    let [a, b] = overlap.points;
    assert!((b - a - overlap.normal * overlap.distance).length() < 1e-4);
    let nobody = world.spawn(());
    assert_eq!(physics.query().separation(body, nobody, Real::INFINITY), None);
    assert_eq!(physics.query().separation(body, other, -1.0), None);
}

#[test]
fn motions_that_cannot_be_are_errors() {
    let probe = || Probe::new(&Collider::ball(0.5), Vec3::ZERO, Quat::IDENTITY).unwrap();
    let nan = Vec3::X * Real::NAN;
    assert!(matches!(MotionCast::new(probe(), nan, Vec3::ZERO, 1.0), Err(QueryError::NotFinite { .. })));
    assert!(matches!(MotionCast::new(probe(), Vec3::ZERO, nan, 1.0), Err(QueryError::NotFinite { .. })));
    assert!(matches!(MotionCast::new(probe(), Vec3::ZERO, Vec3::ZERO, -1.0), Err(QueryError::Reach { .. })));
}
