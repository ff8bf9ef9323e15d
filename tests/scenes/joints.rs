//! Joints in scene files: each kind does in a scene what its fields say.

use crate::files::{EVERY_JOINT, begins, refusal};
use dolmen::math::{Quat, Real, Vec3, consts::TAU};
use dolmen::scene::{Simulation, read};
use dolmen::*;

const G: Real = 9.81;
/// Axes along z, along x.
const ALONG_Z: &str = r#""axes": [[0, 0, 1], [0, 0, 1]]"#;
const ALONG_X: &str = r#""axes": [[1, 0, 0], [1, 0, 0]]"#;

/// The error for two balls and this joint.
fn refused_joint(fields: &str) -> String {
    let ball = r#"{ "shape": { "ball": { "radius": 1 } } }"#;
    let floor = r#"{ "shape": "none", "kind": "static" }"#;
    refusal(&format!(r#"{{ "bodies": [{ball}, {ball}, {floor}, {floor}], "joints": [{{ {fields} }}] }}"#))
}

/// A body of 2 kg and 0.1 kg m² about each axis, without a shape.
fn bob(at: [f64; 3], fields: &str) -> String {
    format!(r#"{{ "shape": "none", "mass": 2, "inertia": [0.1, 0.1, 0.1], "position": {at:?}{fields} }}"#)
}

/// A joint of body 0, which is static and at the origin, to another at a point of the world.
fn mount(kind: &str, body: usize, at: [f64; 3], fields: &str) -> String {
    joint(kind, [0, body], &format!(r#""anchors": [{at:?}, [0, 0, 0]], {fields}"#))
}

fn joint(kind: &str, bodies: [usize; 2], fields: &str) -> String {
    format!(r#"{{ "kind": "{kind}", "bodies": {bodies:?}, {fields} }}"#)
}

/// A scene of a static body and these, after some seconds. It survives being written and read.
fn run(bodies: &[String], joints: &[String], seconds: f64) -> Simulation {
    let (bodies, joints) = (bodies.join(", "), joints.join(", "));
    let ground = r#"{ "kind": "static", "shape": "none" }"#;
    let scene = read(&format!(r#"{{ "bodies": [{ground}, {bodies}], "joints": [{joints}] }}"#)).unwrap();
    assert_eq!(read(&serde_json::to_string(&scene).unwrap()).unwrap(), scene);
    let mut simulation = Simulation::new(&scene).unwrap();
    for _ in 0..(60.0 * seconds) as usize {
        simulation.step().unwrap();
    }
    assert_finite(&mut simulation);
    simulation
}

fn assert_finite(simulation: &mut Simulation) {
    for entity in simulation.entities().to_vec() {
        let (position, orientation) =
            (part::<Position>(simulation, entity).0, part::<Orientation>(simulation, entity).0);
        assert!(position.is_finite() && orientation.is_finite(), "{position} {orientation}");
    }
}

fn part<T: hecs::Component + Clone>(simulation: &mut Simulation, entity: hecs::Entity) -> T {
    (*simulation.world().get::<&T>(entity).unwrap()).clone()
}

fn state(simulation: &mut Simulation, joint: usize) -> JointState {
    let entity = simulation.joints()[joint];
    part(simulation, entity)
}

fn velocity(simulation: &mut Simulation, body: usize) -> Vec3 {
    let entity = simulation.entities()[body];
    part::<LinearVelocity>(simulation, entity).0
}

fn spin(simulation: &mut Simulation, body: usize) -> Vec3 {
    let entity = simulation.entities()[body];
    part::<AngularVelocity>(simulation, entity).0
}

#[track_caller]
fn near(value: Real, expected: Real, bound: Real) {
    assert!((value - expected).abs() < bound, "{value} for {expected}");
}

/// How far a weight sags (m) on a spring of a natural frequency (Hz).
fn sag(frequency: Real) -> Real {
    G / (TAU * frequency * TAU * frequency)
}

#[test]
fn a_soft_weld_sags_by_its_frequency_and_turns_by_its_stiffness() {
    // It keeps the relative orientation of the file, a quarter turn.
    let body = bob([0.0; 3], r#", "orientation": [0, 0, 1, 1], "torque": [0, 0, 0.5]"#);
    let springs = r#""linear": { "frequency": 2, "damping_ratio": 1 }, "angular": { "stiffness": 5, "damping": 1 }"#;
    let mut run = run(&[body], &[joint("soft_weld", [0, 1], springs)], 5.0);
    let state = state(&mut run, 0);
    near(state.position.y, -sag(2.0), 1e-4);
    near(state.angle.z, 0.5 / 5.0, 1e-3);
}

#[test]
fn a_drag_sags_by_its_frequency_and_pulls_with_its_greatest_force() {
    let spring = r#""spring": { "frequency": 3, "damping_ratio": 1 }"#;
    let bodies = [bob([0.0; 3], ""), bob([5.0, 0.0, 0.0], "")];
    let weak = format!(r#"{spring}, "max_force": 10"#);
    let joints = [mount("drag", 1, [0.0; 3], spring), mount("drag", 2, [5.0, 0.0, 0.0], &weak)];
    near(state(&mut run(&bodies, &joints, 3.0), 0).position.y, -sag(3.0), 1e-4);
    // 10 N of the 19.62 N that it weighs.
    near(velocity(&mut run(&bodies, &joints, 1.0), 2).y, 10.0 / 2.0 - G, 0.02 * G);
}

#[test]
fn a_wheel_sags_steers_and_spins() {
    let frame = r#""axes": [[0, 1, 0], [0, 1, 0]], "y_axes": [[0.5, 0, 1], [0.5, 0, 1]]"#;
    let position = |at: f64, spring: &str| format!(r#"{{ "motor": {{ "position": {at}, "spring": {spring} }} }}"#);
    let suspension = position(0.0, r#"{ "stiffness": 400, "damping": 40 }"#);
    let steering = position(0.3, r#"{ "frequency": 5, "damping_ratio": 1 }"#);
    let drive = r#"{ "motor": { "velocity": 4, "max_force": 10 } }"#;
    let fields = format!(r#"{frame}, "suspension": {suspension}, "steering": {steering}, "drive": {drive}"#);
    let mut driven = run(&[bob([0.0; 3], "")], &[joint("wheel", [0, 1], &fields)], 4.0);
    let wheel = state(&mut driven, 0);
    near(wheel.position.x, -2.0 * G / 400.0, 1e-4);
    near(wheel.angle.x, 0.3, 1e-3);
    // The axle, perpendicular to the axis, is turned by the steering.
    let axle = Quat::from_rotation_y(0.3) * Vec3::new(0.5, 0.0, 1.0).normalize();
    assert!((spin(&mut driven, 1) - 4.0 * axle).length() < 0.02, "{}", spin(&mut driven, 1));
    // Without steering and drive it only spins, and its suspension ends at its limit.
    let fields = format!(r#"{frame}, "suspension": {{ "limits": [-0.1, 0.1] }}"#);
    let mut free = run(&[bob([0.0; 3], r#", "torque": [0, 1, 0]"#)], &[joint("wheel", [0, 1], &fields)], 2.0);
    let wheel = state(&mut free, 0);
    near(wheel.position.x, -0.1, 1e-3);
    near(wheel.angle.x, 0.0, 1e-3);
}

#[test]
fn gears_turn_at_their_ratio() {
    let motor = format!(r#"{ALONG_Z}, "motor": {{ "velocity": 3, "max_force": 100 }}"#);
    let joints = [
        mount("revolute", 1, [0.0; 3], &motor),
        mount("revolute", 2, [3.0, 0.0, 0.0], ALONG_Z),
        joint("gear", [1, 2], &format!(r#"{ALONG_Z}, "ratio": 2"#)),
    ];
    let mut run = run(&[bob([0.0; 3], ""), bob([3.0, 0.0, 0.0], "")], &joints, 1.0);
    near(spin(&mut run, 1).z, 3.0, 1e-3);
    near(spin(&mut run, 2).z, -1.5, 1e-3);
}

#[test]
fn a_rack_moves_by_the_arc_of_its_pinion() {
    let motor = format!(r#"{ALONG_Z}, "motor": {{ "velocity": 2, "max_force": 100 }}"#);
    let joints = [
        mount("revolute", 1, [0.0; 3], &motor),
        mount("prismatic", 2, [0.0, -0.3, 0.0], ALONG_X),
        joint("rack_and_pinion", [1, 2], r#""axes": [[0, 0, 1], [1, 0, 0]], "radius": 0.3"#),
    ];
    let mut run = run(&[bob([0.0; 3], ""), bob([0.0, -0.3, 0.0], "")], &joints, 1.0);
    near(velocity(&mut run, 2).x, 0.6, 1e-3);
}

#[test]
fn two_winches_on_a_drum_are_a_pulley() {
    let motor = format!(r#"{ALONG_Z}, "motor": {{ "velocity": 2, "max_force": 100 }}"#);
    let rope =
        |load: usize, radius: f64| joint("winch", [1, load], &format!(r#"{ALONG_Z}, "radius": {radius}, "length": 2"#));
    let joints = [mount("revolute", 1, [0.0; 3], &motor), rope(2, 0.2), rope(3, -0.1)];
    let bodies = [bob([0.0; 3], ""), bob([0.2, -2.0, 0.0], ""), bob([-0.1, -2.0, 0.0], "")];
    let mut run = run(&bodies, &joints, 1.0);
    near(velocity(&mut run, 2).y, 0.4, 0.01);
    near(velocity(&mut run, 3).y, -0.2, 0.01);
}

#[test]
fn a_pulley_moves_two_bodies_by_its_ratio() {
    // Without a ratio both weigh the same and stand.
    for (ratio, length, acceleration) in [("", "3", 0.0), (r#", "ratio": 2"#, "[1, 4]", G * (2.0 - 4.0) / (2.0 + 8.0))]
    {
        let fields = format!(r#""points": [[0, 2, 0], [1, 2, 0]], "length": {length}{ratio}"#);
        let bodies = [bob([0.0, 0.0, 0.0], ""), bob([1.0, 1.0, 0.0], "")];
        let mut run = run(&bodies, &[joint("pulley", [1, 2], &fields)], 0.5);
        near(velocity(&mut run, 2).y, -0.5 * acceleration, 1e-3);
        near(velocity(&mut run, 1).y, 0.5 * acceleration * if ratio.is_empty() { 1.0 } else { 2.0 }, 2e-3);
        let state = state(&mut run, 0);
        near(state.position.x, if ratio.is_empty() { 3.0 } else { 4.0 }, 1e-3);
    }
}

#[test]
fn a_swing_twist_joint_ends_at_its_limits() {
    // The y axis of the joint is y of the world, or z: the arm falls about its z, or its y.
    for (y, fall) in [("[0, 1, 0]", 0.5), ("[0, 0, 1]", 0.2)] {
        let arm = bob([1.0, 0.0, 0.0], r#", "torque": [0.1, 0, 0]"#);
        let fields = format!(
            r#"{ALONG_X}, "anchors": [[0, 0, 0], [-1, 0, 0]], "y_axes": [{y}, {y}], "cone": [0.2, 0.5], "limits": [-0.3, 0.3]"#
        );
        let mut run = run(&[arm], &[joint("swing_twist", [0, 1], &fields)], 5.0);
        let angle = state(&mut run, 0).angle;
        near(angle.with_x(0.0).length(), fall, 0.01);
        near(angle.x, 0.3, 0.01);
    }
}

#[test]
fn a_swing_twist_joint_has_motors_and_friction() {
    let to = |angle: f64| {
        format!(r#"{{ "position": {angle}, "spring": {{ "frequency": 3, "damping_ratio": 1 }}, "max_force": 50 }}"#)
    };
    let fields = format!(r#"{ALONG_X}, "motor": {}, "swing_motors": [{}, {}]"#, to(0.2), to(-0.1), to(0.4));
    let bodies = [bob([0.0; 3], ""), bob([0.0; 3], r#", "torque": [1, -1, 1]"#)];
    let holding = format!(r#"{ALONG_X}, "friction": 2"#);
    let joints = [joint("swing_twist", [0, 1], &fields), joint("swing_twist", [0, 2], &holding)];
    let mut run = run(&bodies, &joints, 3.0);
    let angle = state(&mut run, 0).angle;
    assert!((angle - Vec3::new(0.2, -0.1, 0.4)).length() < 1e-3, "{angle}");
    near(state(&mut run, 1).angle.length(), 0.0, 1e-3);
}

#[test]
fn mistakes_of_joints_are_named() {
    let turning = |fields: &str| {
        refused_joint(&format!(r#""kind": "revolute", "bodies": [0, 1], "axes": [[0,0,1],[0,0,1]], {fields}"#))
    };
    let cases = [
        (refused_joint(r#""bodies": [0, 1]"#), "joints[0].kind: is required and missing"),
        (refused_joint(r#""kind": "hinge", "bodies": [0, 1]"#), "joints[0].kind: unknown variant `hinge`"),
        (refused_joint(r#""kind": "fixed""#), "joints[0].bodies: is required and missing"),
        (
            refused_joint(r#""kind": "fixed", "bodies": [0, 7]"#),
            "joints[0].bodies[1]: there is no body 7 (the scene has 4)",
        ),
        (
            refused_joint(r#""kind": "fixed", "bodies": [0, 1, 2]"#),
            "joints[0].bodies: invalid length 3, expected an array of 2",
        ),
        (
            refused_joint(r#""kind": "fixed", "bodies": [1, 1]"#),
            "joints[0].bodies: must be two different bodies, got 1 twice",
        ),
        (refused_joint(r#""kind": "fixed", "bodies": [2, 3]"#), "joints[0].bodies: neither 2 nor 3 is dynamic"),
        (
            refused_joint(r#""kind": "fixed", "bodies": [0, 1], "anchors": [[0,0,0],[0,1e999,0]]"#),
            "joints[0].anchors[1][1]: number out of range",
        ),
        (refused_joint(r#""kind": "revolute", "bodies": [0, 1]"#), "joints[0].axes: is required and missing"),
        (
            refused_joint(r#""kind": "revolute", "bodies": [0, 1], "axes": [[0,0,1],[0,0,0]]"#),
            "joints[0].axes[1]: must not be zero",
        ),
        (turning(r#""limits": [1.5, -1.5]"#), "joints[0].limits: the least must come first, got [1.5, -1.5]"),
        (turning(r#""motor": { "velocity": 1 }"#), "joints[0].motor.max_force: is required and missing"),
        (
            turning(r#""motor": { "velocity": 1, "max_force": -1 }"#),
            "joints[0].motor.max_force: must be at least 0, got -1",
        ),
        (turning(r#""stiffness": 1"#), "joints[0].stiffness: unknown field: a revolute joint has none"),
        (
            refused_joint(r#""kind": "spherical", "bodies": [0, 1], "limits": [0, 1]"#),
            "joints[0].limits: unknown field: a spherical joint has none",
        ),
        (refused_joint(r#""kind": "distance", "bodies": [0, 1]"#), "joints[0].length: is required and missing"),
        (
            refused_joint(r#""kind": "distance", "bodies": [0, 1], "length": [2, 1]"#),
            "joints[0].length: the least must come first, got [2, 1]",
        ),
        (
            refused_joint(r#""kind": "distance", "bodies": [0, 1], "length": "long""#),
            "joints[0].length: must be a length or [least, most]",
        ),
        (
            refused_joint(r#""kind": "pulley", "bodies": [0, 1], "length": 1"#),
            "joints[0].points: is required and missing",
        ),
        (
            refused_joint(r#""kind": "pulley", "bodies": [0, 1], "points": [[0,0,0],[0,1e999,0]], "length": 1"#),
            "joints[0].points[1][1]: number out of range",
        ),
        (
            refused_joint(r#""kind": "pulley", "bodies": [0, 1], "points": [[0,0,0],[0,1,0]], "length": [0, 0]"#),
            "joints[0].length: must be positive, got 0",
        ),
        (
            refused_joint(
                r#""kind": "pulley", "bodies": [0, 1], "points": [[0,0,0],[0,1,0]], "length": 1, "ratio": -1"#,
            ),
            "joints[0].ratio: must be positive, got -1",
        ),
        (
            refused_joint(r#""kind": "spring", "bodies": [0, 1], "rest_length": 1"#),
            "joints[0].stiffness: is required and missing",
        ),
        (
            refused_joint(r#""kind": "spring", "bodies": [0, 1], "rest_length": 1, "stiffness": -2"#),
            "joints[0].stiffness: must be at least 0, got -2",
        ),
    ];
    for (error, start) in cases {
        begins(error, start);
    }
}

#[test]
fn every_kind_of_joint_is_spawned_and_steps() {
    let scene = read(EVERY_JOINT).expect("the scene is sound");
    let mut simulation = Simulation::new(&scene).expect("the scene can be built");
    assert_eq!(simulation.joints().len(), scene.joints.len());
    for _ in 0..10 {
        simulation.step().expect("the joints can be");
    }
    assert_eq!(simulation.physics().state().counts.joints, scene.joints.len());
    assert_finite(&mut simulation);
}

#[test]
fn each_kind_takes_its_fields_and_no_others() {
    let fault = |kind: &str, fields: &str| refused_joint(&format!(r#""kind": "{kind}", "bodies": [0, 1], {fields}"#));
    let x = ALONG_X;
    let y = r#""y_axes": [[0, 1, 0], [0, 1, 0]]"#;
    let spring = r#"{ "frequency": 1 }"#;
    let turning = |motor: &str| fault("revolute", &format!(r#"{x}, "motor": {motor}"#));
    let wheel = |axis: &str| fault("wheel", &format!(r#"{x}, {y}, "suspension": {axis}"#));
    let shoulder = |fields: &str| fault("swing_twist", &format!("{x}, {fields}"));
    let cases = [
        (fault("gear", r#""ratio": 2"#), "axes: is required and missing: a gear joint needs it"),
        (fault("gear", x), "ratio: is required and missing: a gear joint needs it"),
        (fault("gear", &format!(r#"{x}, "ratio": 0"#)), "ratio: must be other than 0, got 0"),
        (fault("gear", &format!(r#"{x}, "ratio": -1"#)), "ratio: must not be -1"),
        (fault("gear", &format!(r#"{x}, "ratio": 2, "radius": 1"#)), "radius: unknown field: a gear joint has none"),
        (fault("rack_and_pinion", x), "radius: is required and missing: a rack_and_pinion joint needs it"),
        (fault("rack_and_pinion", &format!(r#"{x}, "radius": 0"#)), "radius: must be other than 0, got 0"),
        (fault("winch", &format!(r#"{x}, "radius": 1"#)), "length: is required and missing: a winch joint needs it"),
        (fault("winch", &format!(r#"{x}, "length": 1"#)), "radius: is required and missing: a winch joint needs it"),
        (fault("winch", &format!(r#"{x}, "length": [1, 2], "radius": 1"#)), "length: must be one length"),
        (fault("winch", &format!(r#"{x}, "length": -1, "radius": 1"#)), "length: must be at least 0, got -1"),
        (fault("drag", x), "axes: unknown field: a drag joint has none"),
        (fault("drag", r#""max_force": 1"#), "spring: is required and missing: a drag joint needs it"),
        (fault("drag", &format!(r#""spring": {spring}, "max_force": -1"#)), "max_force: must be at least 0, got -1"),
        (fault("drag", r#""spring": 5"#), "spring: must be { stiffness, damping } or { frequency, damping_ratio }"),
        (fault("drag", r#""spring": { "frequency": 1, "damping": 1 }"#), "spring: must be { stiffness, damping } or"),
        (fault("drag", r#""spring": { "frequency": -1 }"#), "spring.frequency: must be at least 0, got -1"),
        (fault("soft_weld", &format!(r#""linear": {spring}"#)), "angular: is required and missing: a soft_weld joint"),
        (
            fault("soft_weld", &format!(r#""linear": {spring}, "angular": {{ "stiffness": 1, "damping": -1 }}"#)),
            "angular.damping: must be at least 0, got -1",
        ),
        (fault("wheel", x), "y_axes: is required and missing: a wheel joint needs it"),
        (fault("wheel", &format!("{x}, {y}")), "suspension: is required and missing: a wheel joint needs it"),
        (
            fault("wheel", &format!(r#"{x}, "y_axes": [[0, 1, 0], [-2, 0, 0]], "suspension": {{}}"#)),
            "y_axes[1]: must not be along axes[1]",
        ),
        (wheel(r#"{ "spring": 1 }"#), "suspension.spring: unknown field"),
        (wheel(r#"{ "limits": [1, 0] }"#), "suspension.limits: the least must come first, got [1, 0]"),
        (wheel(r#"{ "motor": { "velocity": 1 } }"#), "suspension.motor.max_force: is required and missing"),
        (wheel(r#"{ "friction": -1 }"#), "suspension.friction: must be at least 0, got -1"),
        (wheel(&format!(r#"{{}}, "motor": {{ "position": 1, "spring": {spring} }}"#)), "motor: unknown field: a wheel"),
        (turning("{}"), "motor.velocity: is required and missing: a velocity motor needs it"),
        (turning(r#"{ "position": 1 }"#), "motor.spring: is required and missing: a position motor needs it"),
        (
            turning(&format!(r#"{{ "velocity": 1, "position": 1, "spring": {spring} }}"#)),
            "motor.velocity: unknown field: a position motor has none",
        ),
        (
            turning(r#"{ "position": 1, "spring": { "stiffness": -1 } }"#),
            "motor.spring.stiffness: must be at least 0, got -1",
        ),
        (fault("fixed", y), "y_axes: unknown field: a fixed joint has none"),
        (fault("spherical", r#""friction": -1"#), "friction: must be at least 0, got -1"),
        (fault("swing_twist", r#""cone": [1, 1]"#), "axes: is required and missing: a swing_twist joint needs it"),
        (shoulder(r#""cone": [1, 0]"#), "cone[1]: must be 0.001 to 3.14159"),
        (shoulder(r#""limits": [-4, 1]"#), "limits[0]: must be -3.14159"),
        (shoulder(r#""limits": [1, 0.5]"#), "limits: the least must come first, got [1, 0.5]"),
        (
            shoulder(r#""swing_motors": [null, { "velocity": 1 }]"#),
            "swing_motors[1].max_force: is required and missing",
        ),
        (shoulder(r#""ratio": 1"#), "ratio: unknown field: a swing_twist joint has none"),
    ];
    for (error, start) in cases {
        begins(error, &format!("joints[0].{start}"));
    }
    #[cfg(not(feature = "f64"))]
    begins(
        fault("gear", &format!(r#"{x}, "ratio": -1e-50"#)),
        "joints[0].ratio: must be other than 0 in f32, got -1e-50",
    );
}
