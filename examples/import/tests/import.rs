//! Levels and robots: shapes at their places, motion against closed forms, each error by its name.

use dolmen::math::consts::PI;
use dolmen::prelude::*;
use dolmen_import::urdf::Stand;
use dolmen_import::{ImportError, Imported, Name, gltf, urdf};
use hecs::World;
use std::path::{Path, PathBuf};

const DT: Real = 1.0 / 60.0;

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(file)
}

fn level() -> (World, Physics, Imported) {
    let mut world = World::new();
    let imported = gltf::load(&mut world, &data("level.gltf")).unwrap();
    (world, Physics::default(), imported)
}

fn run(world: &mut World, physics: &mut Physics, steps: u32) {
    for _ in 0..steps {
        physics.step(world, DT).unwrap();
    }
}

fn at(world: &World, entity: Entity) -> Vec3 {
    world.get::<&Position>(entity).unwrap().0
}

#[test]
fn nodes_become_bodies_and_colliders_by_name_and_by_extras() {
    let (mut world, mut physics, imported) = level();
    assert_eq!((imported.bodies.len(), imported.colliders.len(), imported.joints.len()), (8, 2, 0));
    let find = |name: &str| imported.find(&world, name).unwrap_or_else(|| panic!("{name}"));
    let kind = |name: &str| *world.get::<&RigidBody>(find(name)).unwrap();
    assert_eq!(kind("floor_col"), RigidBody::Static);
    assert_eq!([kind("crate_dyn"), kind("crate_dyn.001"), kind("table")], [RigidBody::Dynamic; 3]);
    assert_eq!(kind("lift"), RigidBody::Kinematic);
    assert!(world.satisfies::<&Sensor>(find("goal")) && imported.find(&world, "decoration").is_none());
    assert!(world.get::<&Material>(find("crate_dyn.001")).unwrap().static_friction == 0.8);
    let leg = find("left_leg_hull");
    let of = *world.get::<&ColliderOf>(leg).unwrap();
    assert!(of.body == find("table") && (of.position - Vec3::new(-0.9, -0.55, 0.0)).length() < 1e-5, "{of:?}");
    // Volumes: 2 by 0.1 by 1, and legs of 0.1 by 1 by 0.9.
    let [table, crate_] = [find("table"), find("crate_dyn.001")];
    physics.step(&mut world, DT).unwrap();
    let bodies = &physics.state().bodies;
    let mass = |entity: Entity| bodies.mass[bodies.entity.iter().position(|&other| other == entity).unwrap()];
    let legs = 2.0 * 0.1 * 1.0 * 0.9 * 1000.0;
    assert!((mass(table) / (0.2 * 600.0 + legs) - 1.0).abs() < 1e-4, "{}", mass(table));
    assert!((mass(crate_) / (1.0 * 0.5 * 2.0 * 500.0) - 1.0).abs() < 1e-4, "{}", mass(crate_));
}

#[test]
fn a_level_comes_to_rest_and_a_ball_rolls_down_both_ramps() {
    let (mut world, mut physics, imported) = level();
    let find = |world: &World, name: &str| imported.find(world, name).unwrap();
    // The mirrored ramp falls to the other side; both are met from outside.
    let balls = [6.0, -6.0].map(|x| world.spawn(Body::dynamic(Collider::ball(0.3)).at(x, 3.0, 0.0)));
    run(&mut world, &mut physics, 150);
    let crate_ = at(&world, find(&world, "crate_dyn"));
    assert!((crate_ - Vec3::new(0.0, 0.5, 0.0)).length() < 5e-3, "{crate_}");
    assert!((at(&world, find(&world, "crate_dyn.001")).y - 0.25).abs() < 5e-3);
    assert!((at(&world, find(&world, "table")).y - 1.05).abs() < 5e-3);
    assert!(at(&world, balls[0]).x > 9.0 && at(&world, balls[1]).x < -9.0, "{:?}", balls.map(|b| at(&world, b)));
    assert!(balls.iter().all(|&ball| (at(&world, ball).y - 0.3).abs() < 0.05));
}

#[test]
fn a_mirrored_mesh_is_not_inside_out() {
    let (world, _, imported) = level();
    for name in ["floor_col", "mirrored_ramp_col"] {
        let collider = world.get::<&Collider>(imported.find(&world, name).unwrap()).unwrap();
        let mass = dolmen::mass::of_shape(&*collider.0.0, 1.0).unwrap().mass;
        let expected = if name == "floor_col" { 1600.0 } else { 16.0 };
        assert!((mass / expected - 1.0).abs() < 1e-4, "{name}: {mass}");
    }
}

#[test]
fn each_error_of_a_level_names_its_node() {
    let text = std::fs::read_to_string(data("level.gltf")).unwrap();
    let refused = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        let mut world = World::new();
        let error = gltf::load_bytes(&mut world, text.replacen(from, to, 1).as_bytes(), None).unwrap_err();
        assert_eq!(world.len(), 0, "nothing was spawned");
        error.to_string()
    };
    let named = |from: &str, to: &str, words: &[&str]| {
        let error = refused(from, to);
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    named("\"density\": 500", "\"density\": -5", &["crate_dyn.001", "density", "-5"]);
    named("\"density\": 500", "\"colour\": 500", &["crate_dyn.001", "colour"]);
    named("\"body\": \"kinematic\"", "\"body\": \"floating\"", &["lift", "floating"]);
    named("\"shape\": \"box\",\n     \"sensor\"", "\"mass\": 5,\n     \"sensor\"", &["goal", "mass"]);
    named("\"shape\": \"box\",\n     \"density\": 600", "\"shape\": \"mesh\"", &["table", "mesh"]);
    named("\"friction\": 0.8", "\"friction\": -1", &["crate_dyn.001", "friction"]);
    named("\"friction\": 0.8", "\"restitution\": 2", &["crate_dyn.001", "restitution"]);
    named("\"name\": \"floor_col\",\n   \"mesh\": 0,", "\"name\": \"floor_col\",", &["floor_col", "no mesh"]);
    named("base64,AA", "base64,!A", &["buffer 0"]);
    named("\"uri\": \"data:", "\"uri\": \"../data:", &["buffer 0"]);
    named("\"count\": 36", "\"count\": 360", &["floor_col", "accessor"]);
    named("40,\n    1,\n    40", "40,\n    0,\n    40", &["floor_col", "scale"]);
    assert!(matches!(gltf::load_bytes(&mut World::new(), b"no glTF", None), Err(ImportError::Gltf(_))));
    let missing = gltf::load(&mut World::new(), &data("nothing.gltf")).unwrap_err();
    assert!(missing.to_string().contains("nothing.gltf"));
}

#[test]
fn changed_files_are_imported_or_refused_and_never_panic() {
    let mut numbers = fastrand::Rng::with_seed(11);
    let files = ["level.gltf", "arm.urdf", "press.urdf"].map(|file| std::fs::read(data(file)).unwrap());
    let (mut taken, mut refused) = (0, 0);
    for k in 0..3000 {
        let mut bytes = files[k % 3].clone();
        for _ in 0..numbers.usize(1..4) {
            let place = numbers.usize(0..bytes.len());
            match numbers.u8(0..4) {
                0 => bytes[place] = numbers.u8(..),
                1 => bytes[place] = b"0123456789-.e\"[]{}<>/"[numbers.usize(0..21)],
                2 => bytes.truncate(place + 1),
                _ => drop(bytes.drain(place..(place + numbers.usize(1..9)).min(bytes.len()))),
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        let mut world = World::new();
        let made = match k % 3 {
            0 => gltf::load_bytes(&mut world, &bytes, None),
            _ => urdf::load_str(&mut world, &String::from_utf8_lossy(&bytes), &Stand::default()),
        };
        match made {
            // What the import takes, a step takes or refuses with an error.
            Ok(_) => {
                taken += 1;
                let mut physics = Physics::new(Settings { threads: Some(1), ..Settings::default() });
                let _ = physics.step(&mut world, DT);
            }
            Err(_) => {
                refused += 1;
                assert_eq!(world.len(), 0);
            }
        }
    }
    assert!(taken > 100 && refused > 100, "{taken} taken, {refused} refused");
}

#[test]
fn a_pendulum_of_two_links_hangs_and_swings_with_its_period() {
    let mut world = World::new();
    let imported = urdf::load(&mut world, &data("arm.urdf"), &Stand::default()).unwrap();
    let mut physics = Physics::new(Settings { accuracy: Accuracy::Exact, ..Settings::default() });
    let [base, upper, lower] = ["base", "upper", "lower"].map(|name| imported.find(&world, name).unwrap());
    assert_eq!(*world.get::<&RigidBody>(base).unwrap(), RigidBody::Static);
    assert!((at(&world, lower) - Vec3::Y * 2.0).length() < 1e-5, "z of the file is up: {}", at(&world, lower));
    run(&mut world, &mut physics, 60);
    assert!((at(&world, lower) - Vec3::Y * 2.0).length() < 1e-3, "it hangs straight");
    // The elbow is welded to swing as one rod of 2 m; small swings take 2 pi sqrt(2 L / 3 g).
    let elbow = imported.find(&world, "elbow").unwrap();
    world.get::<&mut Joint>(elbow).unwrap().kind = JointKind::Fixed;
    for link in [upper, lower] {
        let arm = at(&world, link) - Vec3::Y * 3.0;
        let center = world.get::<&Orientation>(link).unwrap().0 * Vec3::NEG_Z * 0.5;
        world.get::<&mut AngularVelocity>(link).unwrap().0 = Vec3::Z * 0.05;
        world.get::<&mut LinearVelocity>(link).unwrap().0 = (Vec3::Z * 0.05).cross(arm + center);
    }
    let mut crossings = Vec::new();
    let mut last = 0.0;
    for step in 0..600 {
        physics.step(&mut world, DT).unwrap();
        let x = at(&world, lower).x;
        if last < 0.0 && x >= 0.0 {
            crossings.push(step as Real + 1.0 - x / (x - last));
        }
        last = x;
    }
    let period = (crossings[2] - crossings[0]) / 2.0 * DT;
    let expected = 2.0 * PI * (2.0 * 2.0 / (3.0 * 9.81) as Real).sqrt();
    assert!((period / expected - 1.0).abs() < 0.01, "{period} and {expected}");
}

#[test]
fn limits_damping_and_welds_of_a_robot_hold() {
    let mut world = World::new();
    let imported = urdf::load(&mut world, &data("press.urdf"), &Stand::default()).unwrap();
    let mut physics = Physics::default();
    let [ram, plate] = ["ram", "plate"].map(|name| imported.find(&world, name).unwrap());
    // Terminal speed against the damper: 6 g / 10.
    run(&mut world, &mut physics, 3);
    let offset = at(&world, plate) - at(&world, ram);
    assert!((offset + Vec3::Y * 0.2).length() < 1e-3, "{offset}");
    run(&mut world, &mut physics, 300);
    assert!((at(&world, ram).y - 1.5).abs() < 2e-3, "it stops at its limit: {}", at(&world, ram));
    let slide = imported.find(&world, "slide").unwrap();
    assert!((world.get::<&JointState>(slide).unwrap().position.x + 0.5).abs() < 2e-3);
    assert_eq!(world.get::<&Name>(slide).unwrap().0, "slide");
}

#[test]
fn a_free_robot_falls_and_stands() {
    let mut world = World::new();
    world.spawn(Body::fixed(Collider::half_space(Vec3::Y)));
    let stand = Stand { fixed: false, position: Vec3::Y * 0.5, ..Stand::default() };
    let imported = urdf::load(&mut world, &data("press.urdf"), &stand).unwrap();
    let mut physics = Physics::default();
    run(&mut world, &mut physics, 120);
    let frame = imported.find(&world, "frame").unwrap();
    assert!((at(&world, frame).y - 0.05).abs() < 5e-3, "{}", at(&world, frame));
}

#[test]
fn each_error_of_a_robot_names_its_link_or_joint() {
    let text = std::fs::read_to_string(data("press.urdf")).unwrap();
    let named = |from: &str, to: &str, words: &[&str]| {
        assert!(text.contains(from), "{from}");
        let mut world = World::new();
        let error = urdf::load_str(&mut world, &text.replacen(from, to, 1), &Stand::default()).unwrap_err();
        assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}");
        assert_eq!(world.len(), 0);
    };
    named("<mass value=\"5\"/>", "<mass value=\"-5\"/>", &["link `ram`", "-5"]);
    named("iyy=\"0.05\"", "iyy=\"9\"", &["link `ram`"]);
    named("radius=\"0.1\"", "radius=\"-0.1\"", &["link `ram`", "-0.1"]);
    named("<sphere radius=\"0.1\"/>", "<mesh filename=\"ram.stl\"/>", &["link `ram`", "ram.stl"]);
    named("lower=\"-0.5\"", "lower=\"0.5\"", &["joint `slide`", "0.5"]);
    named("<axis xyz=\"0 0 1\"/>", "<axis xyz=\"0 0 0\"/>", &["joint `slide`", "axis"]);
    named("damping=\"10\"", "damping=\"-1\"", &["joint `slide`", "damping"]);
    named("<child link=\"ram\"/>", "<child link=\"rim\"/>", &["joint `slide`", "rim"]);
    named("<child link=\"plate\"/>", "<child link=\"ram\"/>", &["joint `bolts`", "two parents"]);
    named("<parent link=\"frame\"/>", "<parent link=\"plate\"/>", &["loop"]);
    named("<link name=\"plate\">", "<link name=\"ram\">", &["link `ram`", "two"]);
    assert!(matches!(urdf::load_str(&mut World::new(), "<robot", &Stand::default()), Err(ImportError::Urdf(_))));
    let missing = urdf::load(&mut World::new(), &data("nothing.urdf"), &Stand::default()).unwrap_err();
    assert!(missing.to_string().contains("nothing.urdf"));
}
