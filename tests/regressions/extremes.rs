//! What a game may get wrong by orders of magnitude: sizes, places, forces, times. A step gives an
//! error that names the value, or an event that names the body; it never panics, and it ends.

use dolmen::prelude::*;
use dolmen::{ShapeError, StepError};
use hecs::{Entity, World};

const DT: Real = 1.0 / 60.0;

fn single(settings: Settings) -> Physics {
    Physics::new(Settings { threads: Some(1), ..settings })
}

fn compound() -> Collider {
    let parts = vec![
        (Vec3::X * 0.5, Quat::IDENTITY, Collider::ball(0.3)),
        (Vec3::ZERO, Quat::IDENTITY, Collider::cuboid(0.2, 0.2, 0.2)),
    ];
    Collider::compound(parts).unwrap()
}

fn mesh() -> Collider {
    let corners = [[-5.0, -5.0], [5.0, -5.0], [5.0, 5.0], [-5.0, 5.0]].map(|[x, z]| Vec3::new(x, 0.0, z));
    Collider::trimesh(corners.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap()
}

fn named(physics: &Physics) -> Vec<Entity> {
    let entity = |event: &Event| match *event {
        Event::OutOfRange { entity } => Some(entity),
        _ => None,
    };
    physics.events().iter().filter_map(entity).collect()
}

/// Cause: the step's joints were those with a dynamic body, and the joint solver's those with a body
/// that can move: contacts belonged to an island whose joints it did not have.
#[test]
fn a_joint_none_of_whose_ends_can_move_does_nothing() {
    for shape in [Collider::ball(0.5), Collider::cuboid(0.5, 0.5, 0.5), compound()] {
        for to_world in [true, false] {
            let (mut world, mut physics) = (World::new(), single(Settings::default()));
            let all = LockedAxes::TRANSLATION | LockedAxes::ROTATION;
            let held = world.spawn(Body::dynamic(shape.clone()).at(0.0, 3.0, 0.0).locked(all));
            let falls = world.spawn(Body::dynamic(Collider::ball(0.2)).at(0.1, 3.75, 0.1));
            let other = (!to_world).then(|| world.spawn(Body::dynamic(Collider::ball(0.2)).at(2.0, 3.0, 0.0)));
            let joint = Joint::spherical(other, held).placed(&world, Vec3::new(1.0, 3.0, 0.0), Vec3::X).unwrap();
            let joint = world.spawn((joint,));
            for _ in 0..60 {
                physics.step(&mut world, DT).unwrap();
                assert!(named(&physics).is_empty());
            }
            assert_eq!(world.get::<&Position>(held).unwrap().0, Vec3::new(0.0, 3.0, 0.0));
            assert!(world.get::<&Position>(falls).unwrap().0.y < 3.75);
            let force = world.get::<&JointState>(joint).unwrap().force;
            assert!(if to_world { force == Vec3::ZERO } else { force.is_finite() });
        }
    }
}

/// Cause: numbers that overflow reached the sweeps of continuous collision detection.
#[test]
fn what_the_game_drives_out_of_range_is_as_if_it_were_gone() {
    // Crates on each other, and a compound that slides on the mesh beside them.
    let run = |drive: Option<(&str, Real)>, on: bool| {
        let (mut world, mut physics) = (World::new(), single(Settings::default()));
        world.spawn(Body::fixed(mesh()));
        let mut others: Vec<Entity> = (0..3)
            .map(|i| world.spawn(Body::dynamic(Collider::cuboid(0.4, 0.4, 0.4)).at(-2.0, 0.4 + 0.8 * i as Real, 0.0)))
            .collect();
        others.push(world.spawn(Body::dynamic(compound()).at(2.0, 0.3, 0.0).linear_velocity(Vec3::Z)));
        if on {
            let driven = world.spawn(Body::dynamic(compound()).at(-1.3, 0.25, 0.05));
            match drive {
                Some(("impulse", size)) => {
                    let impulse = ExternalImpulse { linear: Vec3::ONE * size, angular: Vec3::ZERO };
                    world.insert_one(driven, impulse).unwrap();
                }
                Some(("twist", size)) => {
                    let impulse = ExternalImpulse { linear: Vec3::ZERO, angular: Vec3::ONE * size };
                    world.insert_one(driven, impulse).unwrap();
                }
                Some(("force", size)) => world.insert_one(driven, ExternalForce(Vec3::ONE * size)).unwrap(),
                Some(("torque", size)) => world.insert_one(driven, ExternalTorque(Vec3::ONE * size)).unwrap(),
                _ => {}
            }
        }
        let mut all = Vec::new();
        let steps = if matches!(drive, Some(("force" | "torque", _))) { 40 } else { 1 };
        let mut lost = 0;
        for _ in 0..steps {
            physics.step(&mut world, DT).unwrap();
            lost += named(&physics).len();
            all.extend(others.iter().map(|&e| {
                let (p, v) = (world.get::<&Position>(e).unwrap().0, world.get::<&LinearVelocity>(e).unwrap().0);
                [p, v].map(|v| v.to_array().map(Real::to_bits))
            }));
        }
        (all, lost, steps)
    };
    for what in ["impulse", "twist", "force", "torque"] {
        let gone = run(Some((what, 0.0)), false).0;
        for size in [1e20, 1e30, 3e38] {
            let (all, lost, steps) = run(Some((what, size)), true);
            assert_eq!(lost, steps, "{what} of {size:e}");
            assert!(all == gone, "{what} of {size:e} moves what it does not touch any more");
        }
    }
}

#[test]
fn impulses_forces_and_velocities_of_any_size_panic_nowhere() {
    for what in ["impulse", "twist", "velocity", "spin", "force", "torque"] {
        for size in [1e6, 1e10, 1e14, 1e15, 1e20, 1e30, 3e38] {
            for floor in [mesh(), compound(), Collider::half_space(Vec3::Y)] {
                let (mut world, mut physics) = (World::new(), single(Settings::default()));
                let low = floor.shape().as_compound().is_some();
                world.spawn(Body::fixed(floor));
                let body = world.spawn(Body::dynamic(compound()).at(0.1, if low { 0.45 } else { 0.25 }, 0.05));
                let v = Vec3::ONE * size;
                match what {
                    "impulse" => world.insert_one(body, ExternalImpulse { linear: v, angular: Vec3::ZERO }),
                    "twist" => world.insert_one(body, ExternalImpulse { linear: Vec3::ZERO, angular: v }),
                    "velocity" => world.insert_one(body, LinearVelocity(v)),
                    "spin" => world.insert_one(body, AngularVelocity(v)),
                    "force" => world.insert_one(body, ExternalForce(v)),
                    _ => world.insert_one(body, ExternalTorque(v)),
                }
                .unwrap();
                for _ in 0..3 {
                    if physics.step(&mut world, DT).is_err() {
                        break;
                    }
                    assert!(world.get::<&Position>(body).unwrap().0.is_finite());
                }
            }
        }
    }
}

/// Cause: the work on an impact of continuous collision detection had no bound, and laws for several
/// contacts may leave the one that asks for an impact without one.
#[test]
fn every_impact_model_ends() {
    for model in [ImpactModel::Batch, ImpactModel::Simultaneous, ImpactModel::Propagation] {
        for restitution in [0.0, 0.5, 1.0] {
            let settings = Settings { impact_model: model, ..Settings::default() };
            let (mut world, mut physics) = (World::new(), single(settings));
            let material = Material::new(0.5, restitution);
            let floor = world.spawn(Body::fixed(Collider::cuboid(30.0, 1.0, 30.0)).at(0.0, -1.0, 0.0));
            world.insert_one(floor, material).unwrap();
            for i in 0..8 {
                let k = i as Real;
                let half = [Vec3::new(0.21, 0.06, 0.63), Vec3::new(0.3, 0.3, 0.3)][i % 2];
                let turned = Quat::from_rotation_x(0.4 * k) * Quat::from_rotation_z(0.7 * k);
                let body = Body::dynamic(Collider::cuboid(half.x, half.y, half.z)).at(0.2 * k, 1.0 + 0.7 * k, 0.1 * k);
                let body = world.spawn(body.orientation(turned).linear_velocity(Vec3::NEG_Y * 20.0 * (k - 3.0).abs()));
                world.insert(body, (material, Ccd)).unwrap();
            }
            for k in 0..120 {
                physics.step(&mut world, [DT, 0.04, 0.006][k % 3]).unwrap();
            }
        }
    }
}

/// Cause: substeps keep their length, so their number grew with the step without bound.
#[test]
fn a_time_step_is_at_most_a_second() {
    let (mut world, mut physics) = (World::new(), single(Settings::default()));
    let bob = world.spawn(Body::dynamic(Collider::ball(0.1)).at(1.0, 0.0, 0.0));
    world.spawn((Joint::spherical(None, bob).anchors(Vec3::ZERO, Vec3::NEG_X),));
    for dt in [1.001, 10.0, 1e3, 1e5, 1e9, Real::MAX, Real::INFINITY, Real::NAN, 0.0, -1.0] {
        assert!(matches!(physics.step(&mut world, dt), Err(StepError::TimeStep { .. })), "{dt}");
    }
    assert_eq!(world.get::<&Position>(bob).unwrap().0, Vec3::X);
    for dt in [1.0, 0.5, 0.1, 1e-3, 1e-6] {
        physics.step(&mut world, dt).unwrap();
        assert!((world.get::<&Position>(bob).unwrap().0.length() - 1.0).abs() < 0.05, "{dt}");
    }
}

fn motor(spring: JointSpring) -> Motor {
    Motor::position(-0.9, spring, Real::INFINITY)
}

fn driven(spring: JointSpring, limits: Option<[Real; 2]>) -> JointFreedom {
    JointFreedom::Free(JointAxis { limits, motor: Some(motor(spring)), friction: 0.0 })
}

/// Cause: a motor along an axis that is locked divides by a response of zero.
#[test]
fn a_motor_along_a_locked_axis_does_nothing() {
    let stiff = JointSpring::Si { stiffness: 2000.0, damping: 0.0 };
    let tuned = JointSpring::Tuned { frequency: 9.0, damping_ratio: 1.8 };
    let free = JointFreedom::FREE;
    for accuracy in [Accuracy::Game, Accuracy::Exact] {
        for spring in [stiff, tuned] {
            let mixed = [
                free,
                driven(tuned, Some([-0.3, 0.6])),
                free,
                JointFreedom::limited(0.0, 0.0),
                driven(spring, Some([-1.0, 0.017])),
                JointFreedom::Locked,
            ];
            type Make = Box<dyn Fn(Entity) -> Joint>;
            let kinds: Vec<(&str, LockedAxes, Make)> = vec![
                ("hinge", LockedAxes::PLANE_XY, Box::new(move |b| Joint::revolute(None, b).motor(motor(spring)))),
                ("slider", LockedAxes::TRANSLATION, Box::new(move |b| Joint::prismatic(None, b).motor(motor(spring)))),
                (
                    "generic",
                    LockedAxes::PLANE_XY,
                    Box::new(move |b| Joint::generic(None, b, [free, free, free, free, driven(spring, None), free])),
                ),
                (
                    "held",
                    LockedAxes::NONE,
                    Box::new(move |b| {
                        Joint::generic(None, b, [free, free, free, free, driven(spring, Some([0.0, 0.0])), free])
                    }),
                ),
                ("spring", LockedAxes::TRANSLATION, Box::new(move |b| Joint::spring(None, b, 0.1, spring))),
                ("mixed", LockedAxes::PLANE_XY, Box::new(move |b| Joint::generic(None, b, mixed))),
            ];
            for (name, locked, joint) in kinds {
                let (mut world, mut physics) = (World::new(), single(Settings { accuracy, ..Settings::default() }));
                let body = Body::dynamic(Collider::cuboid(0.3, 0.2, 0.4)).at(1.0, 5.0, 0.3).angular_velocity(Vec3::Z);
                let body = world.spawn(body.locked(locked));
                let joint = joint(body).placed(&world, Vec3::new(0.5, 5.5, 0.0), Vec3::X).unwrap();
                world.spawn((joint,));
                for step in 0..60 {
                    physics.step(&mut world, DT).unwrap();
                    assert!(named(&physics).is_empty(), "{name} with {spring:?} in {accuracy:?}, step {step}");
                    let speed = world.get::<&LinearVelocity>(body).unwrap().0.length();
                    assert!(speed < 30.0, "{name} with {spring:?} in {accuracy:?}, step {step}: {speed} m/s");
                }
            }
        }
    }
}

fn shapes(size: Real) -> Vec<(&'static str, Collider)> {
    let s = size;
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE].map(|v| v * s);
    vec![
        ("ball", Collider::ball(s)),
        ("cuboid", Collider::cuboid(s, 0.7 * s, s)),
        ("plate", Collider::cuboid(s, 1e-4 * s, s)),
        ("capsule", Collider::capsule(s, 0.3 * s)),
        ("cylinder", Collider::cylinder(s, 0.3 * s)),
        ("disc", Collider::cylinder(1e-4 * s, s)),
        ("cone", Collider::cone(s, 0.3 * s)),
        ("hull", Collider::convex_hull(&corners).unwrap()),
        (
            "compound",
            Collider::compound(vec![
                (Vec3::X * s, Quat::IDENTITY, Collider::ball(0.5 * s)),
                (Vec3::ZERO, Quat::from_rotation_x(0.3), Collider::cone(s, s)),
            ])
            .unwrap(),
        ),
    ]
}

fn grounds(size: Real) -> Vec<(&'static str, Collider)> {
    let far = vec![
        Vec3::new(-5.0, 0.1, -5.0),
        Vec3::new(5.0, 0.1, -5.0),
        Vec3::new(5.0, size, 5.0),
        Vec3::new(-5.0, 0.1, 5.0),
    ];
    let flat = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, z]| Vec3::new(x * size, 0.0, z * size));
    let two = vec![[0, 2, 1], [0, 3, 2]];
    let mut all = shapes(size);
    all.push(("half-space", Collider::half_space(Vec3::Y)));
    all.push(("far vertex", Collider::trimesh(far, two.clone()).unwrap()));
    all.push(("flat mesh", Collider::trimesh(flat.to_vec(), two).unwrap()));
    all.push((
        "field",
        Collider::heightfield(3, 3, &[0.0, 0.1, 0.0, 0.1, 0.0, 0.1, 0.0, 0.1, 0.0], Vec3::splat(size)).unwrap(),
    ));
    all
}

/// Cause: parry's EPA indexed out of bounds in contacts of far vertices.
#[test]
fn no_pair_of_shapes_of_any_size_panics() {
    for ground_size in [1e-4, 1e-2, 1.0, 1e4, 1e8] {
        for (ground, fixed) in grounds(ground_size) {
            for size in [1e-3, 0.5, 1e4] {
                for (name, shape) in shapes(size) {
                    let (mut world, mut physics) = (World::new(), single(Settings::default()));
                    world.spawn(Body::fixed(fixed.clone()));
                    for (x, y) in [(4.0, 0.1), (2.0, 0.1), (-2.0, 0.3), (0.0, 0.2)] {
                        let turned = Quat::from_rotation_x(x) * Quat::from_rotation_z(0.7 * y);
                        let at = Vec3::new(x, y, 0.0) * size.min(1.0);
                        let body = Body::dynamic(shape.clone()).position(at).orientation(turned);
                        world.spawn(body.mass(1.0).linear_velocity(Vec3::NEG_Y * 20.0 * size));
                    }
                    for _ in 0..2 {
                        let step = physics.step(&mut world, DT);
                        assert!(
                            step.is_ok(),
                            "{name} of {size:e} on {ground} of {ground_size:e}: {}",
                            step.unwrap_err()
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn points_that_are_too_far_are_named_by_index() {
    for far in [1e10, 1e15, 1e19, 1e30, 1e38] {
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::new(5.0, far, 5.0), Vec3::Z];
        let mesh = Collider::trimesh(corners.clone(), vec![[0, 2, 1], [0, 3, 2]]);
        assert_eq!(mesh.unwrap_err(), ShapeError::TooFar { index: 2 });
        assert_eq!(Collider::convex_hull(&corners).unwrap_err(), ShapeError::TooFar { index: 2 });
        let field = Collider::heightfield(2, 2, &[0.0, 0.0, 0.0, far], Vec3::ONE);
        assert_eq!(field.unwrap_err(), ShapeError::TooFar { index: 3 });
    }
    let tiny = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z].map(|v| v * 1e-12);
    assert!(matches!(Collider::convex_hull(&tiny), Err(ShapeError::TooSmall { .. })));
}

/// A hull is refused when it is made, or never.
#[test]
fn a_hull_that_is_made_can_be_stepped() {
    let mut made = 0;
    for exponent in -9..=8 {
        for flatness in [1.0, 1e-2, 1e-4, 1e-5, 1e-6] {
            let s = Real::powi(10.0, exponent);
            let corners: Vec<Vec3> = (0..8)
                .map(|i| Vec3::new((i & 1) as Real, (i >> 1 & 1) as Real * flatness, (i >> 2) as Real + 0.1) * s)
                .collect();
            let Ok(hull) = Collider::convex_hull(&corners) else { continue };
            made += 1;
            let (mut world, mut physics) = (World::new(), single(Settings::default()));
            let body = world.spawn(Body::dynamic(hull));
            world.insert(body, (Mass(1.0), Inertia { principal: Vec3::ONE, frame: Quat::IDENTITY })).unwrap();
            let step = physics.step(&mut world, DT);
            assert!(step.is_ok(), "{s:e}, {flatness:e}: {}", step.unwrap_err());
        }
    }
    assert!(made > 30, "{made}");
}

/// The rule of all constructors: sizes never panic, and the check and the step refuse what is
/// impossible with one error.
#[test]
fn constructors_take_any_size_and_the_step_names_what_is_impossible() {
    type Make = fn(Real) -> Collider;
    let all: [(&str, Make); 8] = [
        ("ball", |v| Collider::ball(v)),
        ("cuboid", |v| Collider::cuboid(v, 1.0, 1.0)),
        ("capsule", |v| Collider::capsule(0.5, v)),
        ("cylinder's height", |v| Collider::cylinder(v, 0.5)),
        ("cylinder", |v| Collider::cylinder(0.5, v)),
        ("cone's height", |v| Collider::cone(v, 0.5)),
        ("cone", |v| Collider::cone(0.5, v)),
        ("half-space", |v| Collider::half_space(Vec3::new(v * 0.0, 0.0, 0.0))),
    ];
    for v in [-1.0, 0.0, -0.0, Real::NAN, -Real::NAN, Real::INFINITY, 1e12, 1e-12] {
        for (name, make) in all {
            let (mut world, mut physics) = (World::new(), single(Settings::default()));
            let made = make(v);
            let body = world.spawn(Body::fixed(made.clone()));
            let refused = physics.step(&mut world, DT).expect_err(&format!("{name} of {v}"));
            let named = matches!(&refused, StepError::Shape { entity, error } if *entity == body && made.check().map_err(|e| e.to_string()) == Err(error.to_string()));
            assert!(named, "{name} of {v}: {refused}");
        }
    }
}

#[test]
fn velocities_and_anchors_out_of_range_are_errors() {
    for wild in [Real::INFINITY, Real::NEG_INFINITY, Real::NAN] {
        let (mut world, mut physics) = (World::new(), single(Settings::default()));
        let floor = world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
        physics.step(&mut world, DT).unwrap();
        world.insert_one(floor, LinearVelocity(Vec3::X * wild)).unwrap();
        let refused = physics.step(&mut world, DT).unwrap_err();
        let named =
            matches!(refused, StepError::Component { entity, component: "LinearVelocity", .. } if entity == floor);
        assert!(named, "{refused}");
        world.insert_one(floor, LinearVelocity(Vec3::ZERO)).unwrap();
        physics.step(&mut world, DT).unwrap();
    }
    for far in [1e16, 1e30, Real::MAX] {
        let (mut world, mut physics) = (World::new(), single(Settings::default()));
        let body = world.spawn(Body::dynamic(Collider::ball(0.5)));
        let joint = world.spawn((Joint::spherical(None, body).anchors(Vec3::X * far, Vec3::ZERO),));
        let refused = physics.step(&mut world, DT).unwrap_err();
        assert!(
            matches!(refused, StepError::Component { entity, component: "Joint", .. } if entity == joint),
            "{refused}"
        );
    }
    // Anchors within range, however far apart, leave numbers behind that can be saved.
    for far in [1e6, 1e12, 1e15] {
        let (mut world, mut physics) = (World::new(), single(Settings::default()));
        let body = world.spawn(Body::dynamic(Collider::ball(0.5)).mass(1e30));
        let mut joint = Joint::fixed(None, body).anchors(Vec3::X * far, Vec3::ZERO);
        joint.max_force = 1.0;
        let joint = world.spawn((joint,));
        for _ in 0..3 {
            physics.step(&mut world, DT).unwrap();
            let state = *world.get::<&JointState>(joint).unwrap();
            assert!(state.force.is_finite() && state.torque.is_finite() && state.position.is_finite());
            for event in physics.events() {
                if let Event::JointBroke { force, torque, .. } = *event {
                    assert!(force.is_finite() && torque.is_finite());
                }
            }
        }
    }
}

/// Cause: a fast kinematic body pressed one without translation with 1e23 N at a point that was no
/// number, and the snapshot kept the manifold. Of a body of 1e-20 kg and a compound that spins at
/// 1e12 rad/s it kept the velocity that the body had before it was held.
#[test]
fn what_fast_kinematic_bodies_do_is_refused_by_name_or_told_in_numbers_and_can_be_saved() {
    let shapes = [
        Collider::ball(0.5),
        Collider::cuboid(0.5, 0.5, 0.5),
        Collider::cylinder(0.5, 0.5),
        Collider::capsule(0.5, 0.3),
        mesh(),
        compound(),
    ];
    let (mut told, mut refused) = (0, 0);
    for (fast, held) in shapes.iter().flat_map(|fast| shapes.iter().map(move |held| (fast, held))) {
        if held.shape().as_trimesh().is_some() {
            continue;
        }
        for speed in [1.0, 1e6, 1e10, 1e12, 1e15, 1e16, Real::INFINITY] {
            for (spin, mass, locked) in [
                (0.0, 1.0, LockedAxes::TRANSLATION),
                (1e3, 1.0, LockedAxes::TRANSLATION),
                (1e12, 1e-20, LockedAxes::TRANSLATION),
                (0.0, 1.0, LockedAxes::NONE),
            ] {
                let (mut world, mut physics) = (World::new(), single(Settings::default()));
                let body = Body::kinematic(fast.clone()).at(0.1, -0.7, 0.05).force_threshold(0.0);
                let body = body.linear_velocity(Vec3::new(0.0, speed, 0.0)).angular_velocity(Vec3::splat(spin));
                let body = world.spawn(body);
                world.spawn(Body::dynamic(held.clone()).mass(mass).locked(locked).force_threshold(0.0));
                for _ in 0..4 {
                    match physics.step(&mut world, DT) {
                        Ok(_) => assert!(speed <= 1e15),
                        Err(StepError::Component { entity, component: "LinearVelocity", .. }) => {
                            assert!(entity == body && speed > 1e15, "{speed:e} m/s");
                            refused += 1;
                            break;
                        }
                        Err(other) => panic!("{speed:e} m/s: {other}"),
                    }
                    for event in physics.events() {
                        if let Event::ContactForce { force, point, .. } = *event {
                            assert!(force.is_finite() && point.is_finite(), "{speed:e} m/s: {event:?}");
                            told += 1;
                        }
                    }
                    let saved = physics.save(&world).to_bytes();
                    assert!(dolmen::Snapshot::from_bytes(&saved).is_ok(), "{speed:e} m/s, {spin:e} rad/s");
                }
            }
        }
    }
    assert!(told > 200 && refused > 150, "{told} forces told, {refused} worlds refused");
}

#[test]
fn a_restored_world_keeps_the_impulse_that_waits_on_a_body_that_cannot_take_it() {
    for body in [Body::fixed(Collider::ball(0.5)), Body::kinematic(Collider::ball(0.5)).linear_velocity(Vec3::X)] {
        let (mut world, mut physics) = (World::new(), single(Settings::default()));
        let body = world.spawn(body);
        let waits = ExternalImpulse { linear: Vec3::X, angular: Vec3::Y };
        world.insert_one(body, waits).unwrap();
        physics.step(&mut world, DT).unwrap();
        let saved = physics.save(&world);
        physics.step(&mut world, DT).unwrap();
        physics.restore(&mut world, &saved);
        assert_eq!(*world.get::<&ExternalImpulse>(body).unwrap(), waits);
    }
}
