//! Scene files: parsing, error messages, spawning and output.

use dolmen::math::{Real, Vec3};
use dolmen::scene::{Scene, build, generators, read};
use dolmen::*;
use hecs::{Entity, World};
use proptest::prelude::*;

const EVERY_SHAPE: &str = include_str!("../data/scenes/every_shape.json");
pub(super) const EVERY_JOINT: &str = include_str!("../data/scenes/every_joint.json");

fn spawned(scene: &Scene) -> (World, Vec<Entity>, Settings) {
    let mut world = World::new();
    let built = build(scene, &mut world).unwrap();
    (world, built.entities, built.settings)
}

/// A component of an entity.
fn part<T: hecs::Component + Clone>(world: &World, entity: Entity) -> T {
    (*world.get::<&T>(entity).unwrap()).clone()
}

/// The error of a scene text, from reading or building.
pub(super) fn refusal(text: &str) -> String {
    let scene = match read(text) {
        Ok(scene) => scene,
        Err(error) => return error.to_string(),
    };
    let mut world = World::new();
    let error = build(&scene, &mut world).unwrap_err();
    assert_eq!(world.len(), 0, "something was spawned");
    error.to_string()
}

/// The error for a scene with this one body.
fn refused_body(body: &str) -> String {
    refusal(&format!(r#"{{ "bodies": [{body}] }}"#))
}

/// The error for a body of this shape.
fn refused_shape(shape: &str) -> String {
    refused_body(&format!(r#"{{ "shape": {shape} }}"#))
}

/// The error for a ball with these additional fields.
fn refused_ball(fields: &str) -> String {
    refused_body(&format!(r#"{{ "shape": {{ "ball": {{ "radius": 1 }} }}, {fields} }}"#))
}

#[track_caller]
pub(super) fn begins(text: String, start: &str) {
    assert!(text.starts_with(start), "{text}\n  does not begin with\n{start}");
}

#[test]
fn a_body_needs_only_a_shape_and_has_the_components_defaults() {
    let scene = read(r#"{ "bodies": [ { "shape": { "ball": { "radius": 0.5 } } } ] }"#).unwrap();
    assert_eq!((scene.steps, scene.dt, scene.gravity.0), (600, 1.0 / 60.0, [0.0, -9.81, 0.0]));
    assert_eq!((scene.output.every, scene.output.energy), (0, true));
    let (world, entities, settings) = spawned(&scene);
    assert_eq!(settings, Settings::default());
    let body = entities[0];
    assert_eq!(part::<RigidBody>(&world, body), RigidBody::Dynamic);
    assert_eq!(part::<Position>(&world, body), Position::default());
    assert_eq!(part::<Orientation>(&world, body), Orientation::default());
    assert_eq!(part::<Material>(&world, body), Material::default());
    assert_eq!(part::<Density>(&world, body), Density::default());
    assert!(world.get::<&Mass>(body).is_err() && world.get::<&LockedAxes>(body).is_err());
}

#[test]
fn every_shape_is_spawned_as_itself() {
    use dolmen::math::parry::shape::ShapeType;
    let scene = read(EVERY_SHAPE).unwrap();
    let (world, entities, _) = spawned(&scene);
    let shapes: Vec<Option<ShapeType>> =
        entities.iter().map(|&e| world.get::<&Collider>(e).ok().map(|c| c.shape().shape_type())).collect();
    use ShapeType::*;
    let expected = [
        Some(HalfSpace),
        Some(HeightField),
        Some(TriMesh),
        Some(Cuboid),
        Some(Ball),
        Some(Cuboid),
        Some(Capsule),
        Some(Cylinder),
        Some(Cone),
        Some(ConvexPolyhedron),
        Some(Compound),
        None,
        None,
        Some(TriMesh),
        None,
    ];
    assert_eq!(shapes, expected);
}

#[test]
fn shapes_have_the_sizes_and_places_of_the_file() {
    let scene = read(EVERY_SHAPE).unwrap();
    let (world, entities, _) = spawned(&scene);
    let extent = |i: usize| part::<Collider>(&world, entities[i]).shape().compute_local_aabb().half_extents();
    let near = |a: Vec3, b: [Real; 3]| assert!((a - Vec3::from_array(b)).length() < 1e-5, "{a} is not {b:?}");
    near(extent(1), [5.0, 1.25, 10.0]);
    near(extent(4), [0.5, 0.5, 0.5]);
    near(extent(5), [0.1, 0.2, 0.3]);
    near(extent(6), [0.25, 0.75, 0.25]);
    near(extent(7), [0.25, 0.5, 0.25]);
    near(extent(8), [0.25, 0.5, 0.25]);
    near(extent(9), [0.5, 0.5, 0.5]);
    // From the ball's far side at -1.5 to the bar's near side at 1.1: the bar is upright.
    near(extent(10), [1.3, 0.5, 0.5]);
    assert_eq!(part::<Collider>(&world, entities[0]).shape().as_halfspace().unwrap().normal, Vec3::Y);
    assert_eq!(part::<Position>(&world, entities[5]).0, Vec3::new(2.0, 3.0, 0.0));
    let upright = part::<Orientation>(&world, entities[5]).0;
    assert!((upright.length() - 1.0).abs() < 1e-6);
    assert!((upright * Vec3::X - Vec3::Y).length() < 1e-6);
    // The second row of heights, 2 and 3, times 0.5, is at z = 0.
    let hills = part::<Collider>(&world, entities[1]);
    let hills = hills.shape().as_heightfield().unwrap();
    let at = |x: Real, z: Real| {
        use dolmen::math::parry::query::{Ray, RayCast};
        let down = Ray::new(Vec3::new(x, 9.0, z), Vec3::NEG_Y);
        9.0 - hills.cast_local_ray(&down, 99.0, true).unwrap()
    };
    for (x, z, height) in [(-4.999, 0.0, 1.0), (4.999, 0.0, 1.5), (-4.999, 9.999, 2.0), (4.999, -9.999, 0.5)] {
        assert!((at(x, z) - height).abs() < 1e-3, "{} at {x}, {z}", at(x, z));
    }
}

#[test]
fn everything_a_body_may_say_becomes_its_component() {
    let scene = read(EVERY_SHAPE).unwrap();
    let (world, entities, settings) = spawned(&scene);
    assert_eq!(settings.accuracy, Accuracy::Exact);
    assert_eq!((settings.sleep, settings.threads, settings.resting_tolerance), (false, Some(1), Some(1e-5)));
    let kinds: Vec<RigidBody> = entities.iter().map(|&e| part::<RigidBody>(&world, e)).collect();
    assert_eq!(
        kinds[..5],
        [RigidBody::Static, RigidBody::Static, RigidBody::Static, RigidBody::Kinematic, RigidBody::Dynamic]
    );
    assert_eq!(kinds[14], RigidBody::Static);
    assert_eq!(part::<LinearVelocity>(&world, entities[3]).0, Vec3::new(0.0, 0.5, 0.0));
    let surface = |i: usize| {
        let material = part::<Material>(&world, entities[i]);
        (material.static_friction, material.dynamic_friction, material.restitution)
    };
    assert_eq!(surface(4), (0.6, 0.4, 0.9));
    // One coefficient of friction given: the other is the scene's, adjusted if necessary.
    assert_eq!(surface(6), (0.9, 0.9, 0.2));
    assert_eq!(surface(13), (0.1, 0.1, 0.2));
    assert_eq!(part::<Mass>(&world, entities[5]), Mass(10.0));
    assert_eq!(part::<Density>(&world, entities[6]), Density(500.0));
    assert_eq!(part::<LockedAxes>(&world, entities[7]), LockedAxes::PLANE_XY);
    assert_eq!(part::<LockedAxes>(&world, entities[8]), LockedAxes::TRANSLATION_X | LockedAxes::ROTATION);
    assert_eq!(part::<Ccd>(&world, entities[9]), Ccd);
    assert_eq!(part::<GravityScale>(&world, entities[9]), GravityScale(0.5));
    assert_eq!(part::<ExternalForce>(&world, entities[9]).0, Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(part::<ExternalTorque>(&world, entities[9]).0, Vec3::new(4.0, 5.0, 6.0));
    assert_eq!(part::<Inertia>(&world, entities[11]), Inertia::diagonal(1.0, 2.0, 3.0));
    assert_eq!(part::<CenterOfMass>(&world, entities[11]).0, Vec3::new(0.0, 0.1, 0.0));
    assert_eq!(part::<AngularVelocity>(&world, entities[11]).0, Vec3::new(0.1, 5.0, 0.1));
}

#[test]
fn an_inertia_matrix_becomes_principal_moments_and_their_frame() {
    for matrix in ["[[2, 1, 0], [1, 2, 0], [0, 0, 2.5]]", "[2, 1, 0, 1, 2, 0, 0, 0, 2.5]"] {
        let text = format!(r#"{{ "bodies": [{{ "shape": "none", "mass": 2, "inertia": {matrix} }}] }}"#);
        let (world, entities, _) = spawned(&read(&text).unwrap());
        let Inertia { principal, frame } = part::<Inertia>(&world, entities[0]);
        let tensor = dolmen::math::rotated_diagonal(principal, frame);
        for (i, column) in [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 2.5]].into_iter().enumerate() {
            assert!((tensor.col(i) - Vec3::from_array(column)).length() < 1e-5, "{tensor}");
        }
        let mut sorted = principal.to_array();
        sorted.sort_by(Real::total_cmp);
        assert!((Vec3::from_array(sorted) - Vec3::new(1.0, 2.5, 3.0)).length() < 1e-5);
    }
}

#[test]
fn equal_shapes_are_shared() {
    let (world, entities, _) = spawned(&generators::make("wall", Some(4)).unwrap().scene);
    let collider = |i: usize| part::<Collider>(&world, entities[i]);
    assert_eq!(collider(1), collider(2));
    // Half bricks between full ones.
    assert_ne!(collider(5), collider(6));
    assert_eq!(collider(6), collider(1));
}

#[test]
fn a_scene_survives_being_written_and_read() {
    let generated = generators::ALL.iter().map(|generator| generator.make(30).scene);
    for scene in [EVERY_SHAPE, EVERY_JOINT].map(|text| read(text).unwrap()).into_iter().chain(generated) {
        assert_eq!(read(&serde_json::to_string(&scene).unwrap()).unwrap(), scene);
    }
}

#[test]
fn a_wrong_number_names_its_field() {
    assert_eq!(refused_shape(r#"{ "ball": { "radius": -1 } }"#), "bodies[0].shape.radius: must be positive, got -1");
    let third = r#"{ "shape": { "ball": { "radius": 1 } } }"#;
    begins(
        refusal(&format!(r#"{{ "bodies": [{third}, {third}, {{ "shape": {{ "ball": {{ "radius": 0 }} }} }}] }}"#)),
        "bodies[2].shape.radius: must be positive, got 0",
    );
    let cases = [
        (
            refused_shape(r#"{ "cuboid": { "half_extents": [1, 0, 1] } }"#),
            "bodies[0].shape.half_extents[1]: must be positive, got 0",
        ),
        (
            refused_shape(r#"{ "capsule": { "half_height": -2, "radius": 1 } }"#),
            "bodies[0].shape.half_height: must be positive, got -2",
        ),
        (
            refused_shape(r#"{ "cylinder": { "half_height": 1, "radius": -0.5 } }"#),
            "bodies[0].shape.radius: must be positive, got -0.5",
        ),
        (
            refused_shape(r#"{ "cone": { "half_height": 1, "radius": 0 } }"#),
            "bodies[0].shape.radius: must be positive, got 0",
        ),
        (refused_ball(r#""density": -1"#), "bodies[0].density: must be positive, got -1"),
        (refused_ball(r#""mass": 0"#), "bodies[0].mass: must be positive, got 0"),
        (refused_ball(r#""orientation": [0, 0, 0, 0]"#), "bodies[0].orientation: must not be the zero quaternion"),
        (refused_ball(r#""static_friction": -0.1"#), "bodies[0].static_friction: must be at least 0, got -0.1"),
        (
            refused_ball(r#""static_friction": 0.1, "dynamic_friction": 0.2"#),
            "bodies[0].static_friction: must be at least dynamic_friction, 0.2, got 0.1",
        ),
        (refused_ball(r#""restitution": 1.5"#), "bodies[0].restitution: must be 0 to 1, got 1.5"),
        (refused_ball(r#""kind": "static", "linear_velocity": [0, 1, 0]"#), "bodies[0].linear_velocity: must be zero"),
        (refusal(r#"{ "bodies": [], "dt": 0 }"#), "dt: must be positive, got 0"),
        (refusal(r#"{ "bodies": [], "settings": { "threads": 0 } }"#), "settings.threads: must be 1 to 1024, got 0"),
        (
            refusal(r#"{ "bodies": [], "settings": { "resting_tolerance": -1e-7 } }"#),
            "settings.resting_tolerance: must be positive, got -1e-7",
        ),
        (
            refusal(r#"{ "bodies": [], "materials": { "restitution": -1 } }"#),
            "materials.restitution: must be 0 to 1, got -1",
        ),
        (
            refusal(r#"{ "bodies": [], "output": { "bodies": [0] } }"#),
            "output.bodies[0]: there is no body 0 (the scene has 0)",
        ),
        (refusal(r#"{ "bodies": [], "output": { "bodies": ["a"] } }"#), "output.bodies[0]: there is no body \"a\""),
    ];
    for (error, start) in cases {
        begins(error, start);
    }
}

#[test]
fn a_number_that_is_not_finite_names_its_field() {
    begins(refused_ball(r#""position": [0, 1e999, 0]"#), "bodies[0].position[1]: number out of range");
    begins(refused_ball(r#""angular_velocity": [0, 0, NaN]"#), "bodies[0].angular_velocity[2]: ");
    begins(refused_ball(r#""gravity_scale": Infinity"#), "bodies[0].gravity_scale: ");
    // Finite and positive as given, but not in the engine's scalar.
    #[cfg(not(feature = "f64"))]
    {
        begins(refused_ball(r#""force": [0, 1e39, 0]"#), "bodies[0].force[1]: must be finite in f32, got 1e39");
        begins(refused_ball(r#""mass": 1e-50"#), "bodies[0].mass: must be positive in f32, got 1e-50");
        begins(
            refused_shape(r#"{ "ball": { "radius": 1e20 } }"#),
            "bodies[0].shape: its mass must be positive and finite in f32",
        );
    }
    // Scenes made in code may contain values that no file can.
    let mut scene = read(r#"{ "bodies": [] }"#).unwrap();
    scene.gravity.0[2] = f64::NAN;
    begins(build(&scene, &mut World::new()).unwrap_err().to_string(), "gravity[2]: must be finite, got NaN");
}

#[test]
fn unknown_missing_and_mistyped_fields_are_named() {
    let cases = [
        (refusal("{}"), "bodies: is required and missing"),
        (refusal("[]"), "scene: invalid length"),
        (refusal(r#"{ "bodies": [] } ]"#), "scene: trailing characters"),
        (refusal(r#"{ "bodies": [], "gravty": 1 }"#), "gravty: unknown field `gravty`, expected one of `gravity`"),
        (refusal(r#"{ "bodies": [], "settings": { "acuracy": 1 } }"#), "settings.acuracy: unknown field"),
        (
            refusal(r#"{ "bodies": [], "settings": { "accuracy": "fast" } }"#),
            "settings.accuracy: unknown variant `fast`",
        ),
        (refusal(r#"{ "bodies": [], "steps": -1 }"#), "steps: invalid value: integer `-1`"),
        (refusal(r#"{ "bodies": [], "output": { "bodies": "some" } }"#), "output.bodies: must be \"all\", or a list"),
        (refused_body(r#"{ "name": "a" }"#), "bodies[0].shape: is required and missing"),
        (refused_body(r#"{ "shape": { "ball": {} } }"#), "bodies[0].shape.radius: is required and missing"),
        (refused_shape(r#"{ "ball": { "radius": "big" } }"#), "bodies[0].shape.radius: invalid type: string \"big\""),
        (refused_shape(r#"{ "ball": { "radius": 1, "diameter": 2 } }"#), "bodies[0].shape.diameter: unknown field"),
        (
            refused_shape(r#"{ "sphere": { "radius": 1 } }"#),
            "bodies[0].shape: unknown variant `sphere`, expected one of `ball`",
        ),
        (refused_shape(r#""ball""#), "bodies[0].shape: "),
        (refused_shape(r#"{ "ball": { "radius": 1 }, "cuboid": {} }"#), "bodies[0].shape: "),
        (refused_ball(r#""kind": "fixed""#), "bodies[0].kind: unknown variant `fixed`, expected one of `dynamic`"),
        (refused_ball(r#""position": [1, 2]"#), "bodies[0].position: invalid length 2, expected an array of 3"),
        (refused_ball(r#""position": [1, 2, 3, 4]"#), "bodies[0].position: invalid length 4, expected an array of 3"),
        (
            refused_ball(r#""orientation": [0, 0, 1]"#),
            "bodies[0].orientation: invalid length 3, expected an array of 4",
        ),
        (refused_ball(r#""locked": "plane""#), "bodies[0].locked: must be one of none, translation"),
        (refused_ball(r#""locked": ["rotation", "plane"]"#), "bodies[0].locked: must be one of none, translation"),
        (refused_ball(r#""inertia": [1, 2]"#), "bodies[0].inertia: must be three principal moments, or a 3x3 matrix"),
        (refused_ball(r#""mass": 1, "mass": 2"#), "bodies[0].mass: is there twice"),
    ];
    for (error, start) in cases {
        begins(error, start);
    }
}

#[test]
fn an_impossible_weight_is_refused() {
    let cases = [
        (refused_shape(r#""none""#), "bodies[0].mass: is required and missing"),
        (refused_body(r#"{ "shape": "none", "mass": 1 }"#), "bodies[0].inertia: is required and missing"),
        (refused_ball(r#""inertia": [1, 0, 1]"#), "bodies[0].inertia[1]: must be positive, got 0"),
        (refused_ball(r#""inertia": [1, 1, 3]"#), "bodies[0].inertia: no body has the principal moments"),
        (refused_ball(r#""inertia": [[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]"#), "bodies[0].inertia: must be symmetric"),
        (refused_ball(r#""inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]"#), "bodies[0].inertia: the principal moments"),
        (
            refused_shape(r#"{ "half_space": { "normal": [0, 1, 0] } }"#),
            "bodies[0].kind: must be static or kinematic for a half_space",
        ),
        (
            refused_shape(
                r#"{ "heightfield": { "rows": 2, "columns": 2, "heights": [0, 0, 0, 0], "scale": [1, 1, 1] } }"#,
            ),
            "bodies[0].mass: is required and missing: a heightfield",
        ),
        (
            refused_shape(r#"{ "trimesh": { "vertices": [[0,0,0],[1,0,0],[0,1,0]], "indices": [[0, 1, 2]] } }"#),
            "bodies[0].shape: has no mass properties",
        ),
    ];
    for (error, start) in cases {
        begins(error, start);
    }
    // An open mesh with given mass is valid, and so is a disc, with one moment equal to the sum of
    // the others.
    let mesh = r#"{ "trimesh": { "vertices": [[0,0,0],[1,0,0],[0,1,0]], "indices": [[0, 1, 2]] } }"#;
    let text = format!(r#"{{ "bodies": [{{ "shape": {mesh}, "mass": 1, "inertia": [0.1, 0.1, 0.2] }}] }}"#);
    assert!(build(&read(&text).unwrap(), &mut World::new()).is_ok());
}

#[test]
fn an_impossible_shape_is_refused() {
    let part = |shape: &str| {
        refused_shape(&format!(
            r#"{{ "compound": [{{ "shape": {{ "ball": {{ "radius": 1 }} }} }}, {{ "shape": {shape} }}] }}"#
        ))
    };
    let cases = [
        (refused_shape(r#"{ "half_space": { "normal": [0, 0, 0] } }"#), "bodies[0].shape.normal: must not be zero"),
        (
            refused_shape(r#"{ "convex_hull": { "points": [[0,0,0],[1,0,0],[0,1,0]] } }"#),
            "bodies[0].shape.points: must be at least 4, got 3",
        ),
        (
            refused_shape(r#"{ "convex_hull": { "points": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]] } }"#),
            "bodies[0].shape.points: the points span no volume",
        ),
        (
            refused_shape(r#"{ "trimesh": { "vertices": [[0,0,0]], "indices": [] } }"#),
            "bodies[0].shape.indices: must be at least 1, got 0",
        ),
        (
            refused_shape(r#"{ "trimesh": { "vertices": [[0,0,0],[1,0,0],[0,1,0]], "indices": [[0,1,2],[0,3,1]] } }"#),
            "bodies[0].shape.indices[1][1]: there is no vertex 3 (the mesh has 3)",
        ),
        (
            refused_shape(r#"{ "heightfield": { "rows": 1, "columns": 2, "heights": [0, 0], "scale": [1, 1, 1] } }"#),
            "bodies[0].shape.rows: must be at least 2, got 1",
        ),
        (
            refused_shape(r#"{ "heightfield": { "rows": 2, "columns": 2, "heights": [0, 0], "scale": [1, 1, 1] } }"#),
            "bodies[0].shape.heights: must be 2 rows of 2, got 2",
        ),
        (
            refused_shape(
                r#"{ "heightfield": { "rows": 2, "columns": 2, "heights": [0, 0, 0, 0], "scale": [0, 1, 1] } }"#,
            ),
            "bodies[0].shape.scale[0]: must be positive",
        ),
        (refused_shape(r#"{ "compound": [] }"#), "bodies[0].shape: must be at least 1, got 0"),
        (part(r#"{ "ball": { "radius": -1 } }"#), "bodies[0].shape[1].shape.radius: must be positive, got -1"),
        (part(r#"{ "ball": { "radius": 1, "x": 1 } }"#), "bodies[0].shape[1].shape.x: unknown field"),
        (
            part(r#"{ "half_space": { "normal": [0, 1, 0] } }"#),
            "bodies[0].shape[1].shape: must be convex and bounded in a compound, got half_space",
        ),
        (part(r#""none""#), "bodies[0].shape[1].shape: must be convex and bounded in a compound, got none"),
        (
            part(r#"{ "convex_hull": { "points": [[0,0,0],[1,0,0],[2,0,0],[3,0,0]] } }"#),
            "bodies[0].shape[1].shape.points: the points span no volume",
        ),
    ];
    for (error, start) in cases {
        begins(error, start);
    }
}

proptest! {
    #[test]
    fn any_numbers_of_a_body_survive_being_written_and_read(
        position in prop::array::uniform3(-1e6..1e6_f64), orientation in prop::array::uniform4(-1.0..1.0_f64),
        radius in 1e-3..1e3_f64, friction in 0.0..2.0_f64,
    ) {
        prop_assume!(orientation.iter().any(|&x| x != 0.0));
        let mut scene = read(r#"{ "bodies": [{ "shape": { "ball": { "radius": 1 } } }] }"#).unwrap();
        scene.bodies[0].shape = dolmen::scene::format::ShapeSpec::Ball { radius };
        scene.bodies[0].position.0 = position;
        scene.bodies[0].orientation.0 = orientation;
        scene.bodies[0].static_friction = Some(friction);
        prop_assert_eq!(read(&serde_json::to_string(&scene).unwrap()).unwrap(), scene);
    }
}
