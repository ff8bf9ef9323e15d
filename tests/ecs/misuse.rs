//! What newcomers write first: it works, or the step says what to write instead.

use super::*;

fn problem(world: &mut World) -> (Entity, &'static str, String) {
    match Physics::default().step(world, 1.0 / 60.0) {
        Err(StepError::Component { entity, component, problem }) => (entity, component, problem),
        other => panic!("{other:?}"),
    }
}

fn ball() -> Body {
    Body::dynamic(Collider::ball(0.5))
}

#[test]
fn a_body_spawned_in_a_tuple_is_an_error_that_names_the_cure() {
    let mut world = World::new();
    let wrong = world.spawn((ball(), "name"));
    let (entity, component, problem) = problem(&mut world);
    assert_eq!((entity, component), (wrong, "Body"));
    assert!(problem.contains(".with("), "{problem}");
}

#[test]
fn bodies_spawned_in_a_batch_are_an_error() {
    let mut world = World::new();
    world.spawn_batch([ball(), ball()].map(|body| (body,)));
    assert_eq!(problem(&mut world).1, "Body");
}

#[test]
fn a_body_with_components_of_the_game_has_all_of_them() {
    let mut world = World::new();
    let other = world.spawn(ball().at(3.0, 0.0, 0.0).mass(2.0));
    let hero = world.spawn(ball().mass(2.0).with("hero").with(7_u8).with([0.5_f64; 3]));
    assert_eq!((*world.get::<&&str>(hero).unwrap(), *world.get::<&u8>(hero).unwrap()), ("hero", 7));
    assert_eq!(*world.get::<&[f64; 3]>(hero).unwrap(), [0.5; 3]);
    Physics::default().step(&mut world, 1.0 / 60.0).unwrap();
    let [a, b] = [hero, other].map(|e| world.get::<&LinearVelocity>(e).unwrap().0);
    assert!(a == b && a.y < 0.0, "{a} {b}");
}

#[test]
fn a_target_of_a_body_that_is_not_kinematic_is_an_error() {
    for body in [ball(), Body::fixed(Collider::ball(0.5))] {
        let mut world = World::new();
        let wrong = world.spawn(body);
        world.insert_one(wrong, KinematicTarget::at(Vec3::X)).unwrap();
        let (entity, component, problem) = problem(&mut world);
        assert_eq!((entity, component), (wrong, "KinematicTarget"));
        assert!(problem.contains("kinematic"), "{problem}");
    }
}

#[test]
fn a_turned_platform_keeps_its_orientation_on_its_way() {
    let mut world = World::new();
    let turned = Quat::from_rotation_y(0.7);
    let lift = world.spawn(Body::kinematic(Collider::cuboid(1.0, 0.1, 1.0)).orientation(turned));
    let mut physics = Physics::default();
    for step in 1..=10 {
        world.insert_one(lift, KinematicTarget::at(Vec3::Y * (0.1 * step as Real))).unwrap();
        physics.step(&mut world, 1.0 / 60.0).unwrap();
    }
    assert!((world.get::<&Position>(lift).unwrap().0.y - 1.0).abs() < 1e-5);
    assert_eq!(world.get::<&Orientation>(lift).unwrap().0, turned);
    assert_eq!(world.get::<&AngularVelocity>(lift).unwrap().0, Vec3::ZERO);
}

#[test]
fn limits_motors_and_friction_on_joints_without_an_axis_are_errors() {
    let motor = Motor { target: MotorTarget::Velocity(1.0), max_force: 1.0 };
    let spring = JointSpring::Si { stiffness: 1.0, damping: 0.0 };
    type Set = fn(Joint, Motor) -> Joint;
    let sets: [(&str, Set); 3] = [
        ("limits", |joint, _| joint.limits(-1.0, 1.0)),
        ("a motor", Joint::motor),
        ("friction", |joint, _| joint.friction(1.0)),
    ];
    for (what, set) in sets {
        for kind in 0..4 {
            let mut world = World::new();
            let [a, b] = [0.0, 2.0].map(|x| world.spawn(ball().at(x, 0.0, 0.0)));
            let joint = match kind {
                0 => Joint::fixed(a, b),
                1 => Joint::distance(a, b, 0.0, 2.0),
                2 => Joint::spring(a, b, 1.0, spring),
                _ if what == "friction" => continue, // a spherical joint has it
                _ => Joint::spherical(a, b),
            };
            let entity = world.spawn((set(joint, motor),));
            let (named, component, problem) = problem(&mut world);
            assert_eq!((named, component), (entity, "Joint"));
            assert!(problem.starts_with(what), "{problem}");
        }
    }
}

#[test]
fn contacts_of_a_body_are_seen_from_its_side_whatever_its_slot() {
    let mut world = World::new();
    let below = world.spawn(Body::fixed(Collider::cuboid(5.0, 0.5, 5.0)).at(0.0, -0.5, 0.0));
    let hero = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 0.5, 0.0).mass(2.0));
    let above = world.spawn(Body::dynamic(Collider::cuboid(0.5, 0.5, 0.5)).at(0.0, 1.5, 0.0).mass(2.0));
    let mut physics = Physics::default();
    for _ in 0..60 {
        physics.step(&mut world, 1.0 / 60.0).unwrap();
    }
    for (body, others, force) in
        [(hero, vec![below, above], 19.62), (above, vec![hero], 19.62), (below, vec![hero], -39.24)]
    {
        let contacts: Vec<_> = physics.contacts_of(body).collect();
        assert!(contacts.iter().all(|c| c.entities[1] == body && others.contains(&c.entities[0])));
        assert!(others.iter().all(|&other| contacts.iter().any(|c| c.entities[0] == other)));
        let sum: Vec3 = contacts.iter().map(|c| c.force).sum();
        assert!((sum.y - force).abs() < 0.01 * force.abs() && (sum - physics.force_on(body)).length() < 1e-3, "{sum}");
    }
    assert_eq!(physics.contacts_of(Entity::DANGLING).count(), 0);
}

#[test]
fn an_impulse_at_a_point_needs_no_centre_by_hand() {
    let mut world = World::new();
    let club = world.spawn(ball().mass(2.0).center_of_mass(Vec3::X * 0.3).orientation(Quat::from_rotation_z(1.0)));
    let mut physics = Physics::new(Settings { gravity: Vec3::ZERO, ..Settings::default() });
    let impulse = Vec3::new(0.0, 0.0, 3.0);
    assert!(physics.apply_impulse(&mut world, club, impulse, Vec3::ZERO).is_err(), "its centre is not known yet");
    physics.step(&mut world, 1.0 / 60.0).unwrap();
    let center = physics.center_of_mass(&world, club).unwrap();
    physics.apply_impulse(&mut world, club, impulse, center).unwrap();
    physics.apply_impulse(&mut world, club, impulse, center).unwrap();
    physics.step(&mut world, 1.0 / 60.0).unwrap();
    assert!(world.get::<&AngularVelocity>(club).unwrap().0.length() < 1e-6, "through the centre");
    let moved = physics.center_of_mass(&world, club).unwrap() - center;
    assert!((moved * 60.0 - impulse).length() < 1e-4, "two impulses on two kilograms: {moved}");
    let table = world.spawn(());
    assert!(physics.apply_impulse(&mut world, table, impulse, center).is_err());
}

#[test]
fn the_report_counts_colliders_without_a_body_and_what_came_and_went() {
    let (mut world, mut physics) = (World::new(), Physics::default());
    let first = world.spawn(ball());
    world.spawn(ball().at(3.0, 0.0, 0.0));
    world.spawn((Collider::ball(0.5),));
    let counts = physics.step(&mut world, 1.0 / 60.0).unwrap().counts;
    assert_eq!((counts.loose_colliders, counts.added, counts.removed), (1, 2, 0));
    world.despawn(first).unwrap();
    let counts = physics.step(&mut world, 1.0 / 60.0).unwrap().counts;
    assert_eq!((counts.loose_colliders, counts.added, counts.removed), (1, 0, 1));
    let counts = physics.step(&mut world, 1.0 / 60.0).unwrap().counts;
    assert_eq!((counts.added, counts.removed), (0, 0));
    // Another world with the same physics: all its bodies are new.
    let mut other = World::new();
    other.spawn(ball());
    let counts = physics.step(&mut other, 1.0 / 60.0).unwrap().counts;
    assert_eq!((counts.added, counts.removed), (1, 1));
}
