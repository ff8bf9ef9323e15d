//! Runs of scenes: generators, quality figures, samples and output.

use dolmen::math::{Quat, Real, Vec3};
use dolmen::scene::format::{BodyRef, SelectionSpec};
use dolmen::scene::metrics::Probe;
use dolmen::scene::{Scene, Simulation, build, generators, read};
use dolmen::*;
use hecs::{Entity, World};
use proptest::prelude::*;
use serde_json::{Value, json};

const EVERY_SHAPE: &str = include_str!("../data/scenes/every_shape.json");

fn spawned(scene: &Scene) -> (World, Vec<Entity>, Settings) {
    let mut world = World::new();
    let built = build(scene, &mut world).unwrap();
    (world, built.entities, built.settings)
}

#[test]
fn generators_make_as_many_bodies_as_asked() {
    let dynamic = |name: &str, size: usize| generators::make(name, Some(size)).unwrap().dynamic();
    assert_eq!(dynamic("pyramid", 20), 210);
    assert_eq!(dynamic("tower", 20), 20);
    // Odd rows: one full brick less, two half bricks more.
    assert_eq!(dynamic("wall", 20), 10 * 20 + 10 * 21);
    assert_eq!(dynamic("towers", 7), 490);
    assert_eq!(dynamic("arch", 21), 21);
    assert_eq!(dynamic("mass_ratio", 10), 11);
    assert_eq!(dynamic("net", 20), 400 - 7);
    assert_eq!(generators::make("net", None).unwrap().scene.joints.len(), 19_800 - 6);
    assert_eq!(dynamic("breach", 4), 121);
    assert_eq!(dynamic("shots", 20), 140);
    assert_eq!(dynamic("toppled", 5), 75);
    assert_eq!(dynamic("thrown", 4), 80);
    assert_eq!(dynamic("crush", 100), 101);
    assert_eq!((dynamic("walls", 3), dynamic("dominoes", 40)), (303, 40));
    assert_eq!((dynamic("chains", 3), dynamic("ragdolls", 5)), (90, 55));
    let heaps = ["pile", "balls", "mixed", "funnel", "sizes", "heap", "capsules", "planks", "rocks", "hulls"];
    for name in heaps {
        assert_eq!(dynamic(name, 500), 500, "{name}");
    }
    assert!(generators::make("palace", None).is_none());
    for generator in generators::ALL {
        assert!(generator.make(0).dynamic() >= 1, "{} of the least size", generator.name);
        assert_eq!(generators::make(generator.name, None), Some(generator.make(generator.usual)));
    }
}

#[test]
fn generated_scenes_start_without_overlaps_and_with_nothing_lost() {
    for generator in generators::ALL {
        for size in [generator.usual.min(1000), 3] {
            let generated = generator.make(size);
            let (world, entities, _) = spawned(&generated.scene);
            let mut probe = Probe::new(&world, &entities, glam::DVec3::NEG_Y).unwrap();
            let quality = probe.measure(&world);
            // Stones of the arch share faces; their corners are rounded to `f32`.
            assert!(quality.penetration_worst < 1e-5, "{} {size}: {quality:?}", generator.name);
            assert_eq!(generated.lost(&world, &entities), 0, "{}", generator.name);
            let top = generated.top_error(&world, &entities).unwrap_or(0.0);
            assert!(top.abs() < 1e-6, "{}: {top}", generator.name);
        }
    }
}

#[test]
fn fixed_joints_keep_the_relative_orientation() {
    let turned = [0.0, 0.0, (0.3_f64).sin(), (0.3_f64).cos()];
    let scene = json!({
        "gravity": [0, 0, 0], "dt": 1.0 / 60.0, "steps": 60,
        "bodies": [
            { "kind": "dynamic", "shape": { "ball": { "radius": 0.4 } }, "density": 1000.0, "orientation": turned },
            { "kind": "dynamic", "shape": { "ball": { "radius": 0.4 } }, "density": 1000.0, "position": [0, 1, 0] },
        ],
        "joints": [{ "kind": "fixed", "bodies": [0, 1], "anchors": [[0.5 * (0.6_f64).sin(), 0.5 * (0.6_f64).cos(), 0], [0, -0.5, 0]] }],
    });
    let scene = read(&scene.to_string()).unwrap();
    let (mut world, entities, settings) = spawned(&scene);
    let mut physics = Physics::new(settings);
    for _ in 0..60 {
        physics.step(&mut world, 1.0 / 60.0).unwrap();
        for &body in &entities {
            let (v, w) =
                (world.get::<&LinearVelocity>(body).unwrap().0, world.get::<&AngularVelocity>(body).unwrap().0);
            assert!(v.length() < 1e-5 && w.length() < 1e-5, "{v} {w}");
        }
    }
}

#[test]
fn a_sunken_and_shifted_stack_shows_in_its_figures() {
    let generated = generators::make("tower", Some(3)).unwrap();
    let (mut world, entities, _) = spawned(&generated.scene);
    let mut probe = Probe::new(&world, &entities, glam::DVec3::NEG_Y * 9.81).unwrap();
    let shift = |world: &mut World, i: usize, by: Vec3| world.get::<&mut Position>(entities[i]).unwrap().0 += by;
    // The upper two sink by 0.25 and move sideways by 5, off the lowest; the top one sinks into the
    // middle one.
    shift(&mut world, 2, Vec3::new(3.0, -0.25, 4.0));
    shift(&mut world, 3, Vec3::new(3.0, -0.375, 4.0));
    let quality = probe.measure(&world);
    assert_eq!((quality.pairs, quality.penetration_worst), (1, 0.125));
    assert!((quality.drift - 5.0).abs() < 1e-6);
    assert_eq!(generated.top_error(&world, &entities), Some(-0.375));
    shift(&mut world, 1, Vec3::new(0.0, -0.25, 0.0));
    let quality = probe.measure(&world);
    assert_eq!((quality.pairs, quality.penetration_mean, quality.penetration_worst), (2, 0.1875, 0.25));
    world.get::<&mut LinearVelocity>(entities[1]).unwrap().0 = Vec3::new(0.0, 2.0, 0.0);
    world.get::<&mut AngularVelocity>(entities[1]).unwrap().0 = Vec3::new(0.0, 0.0, 3.0);
    // A cube of 1000 kg: m v²/2 + (m/6) w²/2.
    assert!((probe.measure(&world).kinetic - (2000.0 + 750.0)).abs() < 1e-3);
    world.get::<&mut Position>(entities[3]).unwrap().0.y = Real::NAN;
    assert_eq!(probe.measure(&world).not_finite, 1);
    assert_eq!(generated.lost(&world, &entities), 1);
}

#[test]
fn pairs_of_other_shapes_are_measured_too() {
    let scene = read(
        r#"{ "bodies": [
            { "kind": "static", "shape": { "half_space": { "normal": [0, 1, 0] } } },
            { "shape": { "ball": { "radius": 1 } }, "position": [0, 0.75, 0] },
            { "shape": { "cylinder": { "half_height": 1, "radius": 1 } }, "position": [10, 0.875, 0] },
            { "shape": { "compound": [{ "shape": { "cuboid": { "half_extents": [1, 1, 1] } } }] }, "position": [20, 0.5, 0] },
            { "kind": "static", "shape": { "cuboid": { "half_extents": [1, 1, 1] } }, "position": [20, 0, 0] },
            { "shape": { "ball": { "radius": 1 } }, "position": [30, 1, 0] },
            { "shape": { "capsule": { "half_height": 1, "radius": 1 } }, "position": [31.5, 2, 0] } ] }"#,
    )
    .unwrap();
    let (world, entities, _) = spawned(&scene);
    let quality = Probe::new(&world, &entities, glam::DVec3::ZERO).unwrap().measure(&world);
    // 0.25, 0.125, 0.5, 1.5 (box in box, upwards) and 0.5; the static pair does not count.
    assert_eq!(quality.pairs, 5);
    assert!((quality.penetration_worst - 1.5).abs() < 1e-4, "{quality:?}");
    assert!((quality.penetration_mean - 2.875 / 5.0).abs() < 1e-4, "{quality:?}");
}

#[test]
fn energy_counts_spin_about_principal_axes_and_height_of_the_centre_of_mass() {
    let scene = read(
        r#"{ "gravity": [0, -10, 0], "bodies": [
            { "shape": "none", "mass": 2, "inertia": [1, 2, 3], "center_of_mass": [0, 0, 0.5], "position": [0, 3, 0],
              "orientation": [1, 0, 0, -1], "angular_velocity": [0, 2, 0], "linear_velocity": [3, 0, 0] } ] }"#,
    )
    .unwrap();
    let (world, entities, settings) = spawned(&scene);
    let gravity = dolmen::math::to_f64(settings.gravity);
    // A quarter turn about -x turns the body's +z up: the centre is at 3.5, the rotation about the
    // third axis.
    let expected = 0.5 * 2.0 * 9.0 + 0.5 * 3.0 * 4.0 + 2.0 * 10.0 * 3.5;
    let energy = Probe::new(&world, &entities, gravity).unwrap().energy(&world);
    assert!((energy - expected).abs() < 1e-4, "{energy} is not {expected}");
}

#[test]
fn samples_contain_the_selected_bodies_at_the_given_interval() {
    let mut scene = read(EVERY_SHAPE).unwrap();
    scene.output.bodies = SelectionSpec::These(vec![BodyRef::Name("ball".into()), BodyRef::Index(11)]);
    let mut simulation = Simulation::new(&scene).unwrap();
    while simulation.steps() < scene.steps {
        simulation.step().unwrap();
    }
    let result = serde_json::to_value(simulation.result()).unwrap();
    let samples = result["samples"].as_array().unwrap();
    assert_eq!(samples.iter().map(|s| s["step"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 5, 10]);
    assert!((samples[2]["time"].as_f64().unwrap() - 0.05).abs() < 1e-8);
    let names: Vec<&Value> = samples[1]["bodies"].as_array().unwrap().iter().map(|body| &body["name"]).collect();
    assert_eq!(names, [&json!("ball"), &json!("top")]);
    assert!(samples[0]["energy"].is_number());
    assert_eq!(result["bodies"].as_array().unwrap().len(), scene.bodies.len());
    assert_eq!(result["bodies"][11], samples[2]["bodies"][1]);
}

#[test]
fn the_result_has_the_fields_of_the_format() {
    let mut scene = read(r#"{ "bodies": [{ "shape": { "ball": { "radius": 1 } } }], "steps": 3 }"#).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>().join(" ");
    let run = |scene: &Scene| {
        let mut simulation = Simulation::new(scene).unwrap();
        while simulation.steps() < scene.steps {
            simulation.step().unwrap();
        }
        serde_json::to_value(simulation.result()).unwrap()
    };
    let result = run(&scene);
    assert_eq!(keys(&result), "bodies contacts counts energy engine ms samples scalar simd steps threads version");
    assert_eq!(keys(&result["ms"]), "max median p95 stages total");
    assert_eq!(
        keys(&result["counts"]),
        "bodies fallbacks impacts islands lp_solves manifolds pairs parked pivot_solves points"
    );
    assert_eq!(keys(&result["energy"]), "end max start");
    assert_eq!(keys(&result["bodies"][0]), "angular_velocity linear_velocity name orientation position");
    assert_eq!(result["ms"]["stages"].as_object().unwrap().len(), Stage::ALL.len());
    assert_eq!((&result["engine"], &result["steps"]), (&json!("dolmen"), &json!(3)));
    scene.output.energy = false;
    scene.steps = 0;
    let result = run(&scene);
    assert!(result["energy"].is_null());
    assert_eq!((&result["counts"]["bodies"], &result["samples"]), (&json!(1), &json!([])));
}

#[test]
fn a_falling_ball_is_where_it_should_be_and_keeps_its_energy() {
    let scene = read(
        r#"{ "steps": 60, "bodies": [{ "shape": { "ball": { "radius": 0.5 } }, "linear_velocity": [1, 2, 0] }] }"#,
    )
    .unwrap();
    let mut simulation = Simulation::new(&scene).unwrap();
    while simulation.steps() < scene.steps {
        simulation.step().unwrap();
    }
    let result = simulation.result();
    let [x, y, _] = result.bodies[0].position.map(f64::from);
    assert!((x - 1.0).abs() < 1e-4 && (y - (2.0 - 9.81 / 2.0)).abs() < 1e-4, "{x} {y}");
    let energy = result.energy.unwrap();
    assert!((energy.end / energy.start - 1.0).abs() < 1e-4, "{energy:?}");
    assert!(energy.max >= energy.start && energy.max >= energy.end);
}

/// Finite numbers of the engine's scalar of every size.
fn any_real() -> impl Strategy<Value = Real> {
    #[cfg(not(feature = "f64"))]
    return prop::num::f32::NORMAL | prop::num::f32::SUBNORMAL | prop::num::f32::ZERO;
    #[cfg(feature = "f64")]
    return prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO;
}

proptest! {
    #[test]
    fn printed_numbers_read_back_to_the_same_bits(
        values in prop::array::uniform3(any_real()),
    ) {
        let mut world = World::new();
        let body = world.spawn(Body::dynamic(Collider::ball(1.0)).position(Vec3::from_array(values)));
        world.get::<&mut Orientation>(body).unwrap().0 = Quat::from_xyzw(values[0], values[1], values[2], 1.0);
        let printed = serde_json::to_string(&dolmen::scene::result::BodyState::of(&world, body, None)).unwrap();
        let parsed: Value = serde_json::from_str(&printed).unwrap();
        for (i, value) in values.into_iter().enumerate() {
            for field in ["position", "orientation"] {
                prop_assert_eq!((parsed[field][i].as_f64().unwrap() as Real).to_bits(), value.to_bits());
            }
        }
    }
}
