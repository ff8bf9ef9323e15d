//! Validation of joints.

use super::number::{Must, between, direction, number, ordered, vector};
use crate::components::SwingTwist;
use crate::math::{Real, consts::PI};
use crate::scene::error::SceneError;
use crate::scene::format::{AxisSpec, BodySpec, JointKind, JointSpec, KindSpec, LengthSpec, MotorSpec, SpringSpec};

/// The least angle between the x and y axes of a joint (rad).
const LEAST_ANGLE: f64 = 1e-3;

pub(super) fn validate(joint: &JointSpec, bodies: &[BodySpec]) -> Result<(), SceneError> {
    for (i, &body) in joint.bodies.iter().enumerate() {
        if body >= bodies.len() {
            let problem = format!("there is no body {body} (the scene has {})", bodies.len());
            return Err(SceneError::new(format!("bodies[{i}]"), problem));
        }
    }
    let [first, second] = joint.bodies.0;
    if first == second {
        return Err(SceneError::new("bodies", format!("must be two different bodies, got {first} twice")));
    }
    if [first, second].iter().all(|&i| bodies[i].kind != KindSpec::Dynamic) {
        return Err(SceneError::new("bodies", format!("neither {first} nor {second} is dynamic")));
    }
    for (i, anchor) in joint.anchors.iter().enumerate() {
        vector(&format!("anchors[{i}]"), anchor, Must::BeFinite)?;
    }
    for (i, point) in joint.points.iter().flat_map(|points| points.iter()).enumerate() {
        vector(&format!("points[{i}]"), point, Must::BeFinite)?;
    }
    fields_of_kind(joint)?;
    axes(joint)?;
    values(joint)
}

fn axes(joint: &JointSpec) -> Result<(), SceneError> {
    for (path, axes) in [("axes", &joint.axes), ("y_axes", &joint.y_axes)] {
        for (i, axis) in axes.iter().flat_map(|axes| axes.iter()).enumerate() {
            direction(&format!("{path}[{i}]"), axis)?;
        }
    }
    if let (Some(x), Some(y)) = (&joint.axes, &joint.y_axes)
        && let Some(i) = (0..2).find(|&i| x[i].direction().cross(y[i].direction()).length() < LEAST_ANGLE)
    {
        return Err(SceneError::new(format!("y_axes[{i}]"), format!("must not be along axes[{i}]")));
    }
    Ok(())
}

fn values(joint: &JointSpec) -> Result<(), SceneError> {
    let JointSpec { limits, motor: drive, friction, .. } = *joint;
    axis(AxisSpec { limits, motor: drive, friction })?;
    if joint.kind == JointKind::SwingTwist {
        limits.map_or(Ok(()), |limits| between("limits", &limits, [-PI, PI]))?;
    }
    match &joint.length {
        Some(LengthSpec::Exact(length)) => number("length", *length, Must::NotBeNegative)?,
        Some(LengthSpec::Range(_)) if joint.kind == JointKind::Winch => {
            return Err(SceneError::new("length", "must be one length for a winch"));
        }
        Some(LengthSpec::Range(range)) => ordered("length", range, Must::NotBeNegative)?,
        None => {}
    }
    if joint.kind == JointKind::Pulley {
        joint.length.map_or(Ok(()), |length| number("length", length.range()[1], Must::BePositive))?;
        joint.ratio.map_or(Ok(()), |ratio| number("ratio", ratio, Must::BePositive))?;
    }
    for (path, value, must) in [
        ("rest_length", joint.rest_length, Must::NotBeNegative),
        ("stiffness", joint.stiffness, Must::NotBeNegative),
        ("damping", joint.damping, Must::NotBeNegative),
        ("ratio", joint.ratio, Must::NotBeZero),
        ("radius", joint.radius, Must::NotBeZero),
        ("max_force", joint.max_force, Must::NotBeNegative),
    ] {
        value.map_or(Ok(()), |value| number(path, value, must))?;
    }
    if joint.ratio.is_some_and(|ratio| ratio as Real == -1.0) {
        return Err(SceneError::new("ratio", "must not be -1: a ring gear is larger than the gear in it"));
    }
    joint.cone.map_or(Ok(()), |cone| between("cone", &cone, [SwingTwist::MIN_HALF_ANGLE, PI]))?;
    for (i, given) in joint.swing_motors.iter().flat_map(|motors| motors.iter()).enumerate() {
        given.map_or(Ok(()), |given| motor(given).map_err(|e| e.within(&format!("swing_motors[{i}]"))))?;
    }
    for (path, given) in [("suspension", joint.suspension), ("steering", joint.steering), ("drive", joint.drive)] {
        given.map_or(Ok(()), |given| axis(given).map_err(|e| e.within(path)))?;
    }
    for (path, given) in [("spring", joint.spring), ("linear", joint.linear), ("angular", joint.angular)] {
        given.map_or(Ok(()), |given| spring(given).map_err(|e| e.within(path)))?;
    }
    Ok(())
}

fn axis(axis: AxisSpec) -> Result<(), SceneError> {
    let AxisSpec { limits, motor: given, friction } = axis;
    limits.map_or(Ok(()), |limits| ordered("limits", &limits, Must::BeFinite))?;
    given.map_or(Ok(()), |given| motor(given).map_err(|e| e.within("motor")))?;
    friction.map_or(Ok(()), |friction| number("friction", friction, Must::NotBeNegative))
}

fn motor(motor: MotorSpec) -> Result<(), SceneError> {
    let MotorSpec { velocity, position, spring: to, max_force } = motor;
    let (kind, needed, allowed): (_, &[&str], &[&str]) = if position.is_some() {
        ("position motor", &["position", "spring"], &["max_force"])
    } else {
        ("velocity motor", &["velocity", "max_force"], &[])
    };
    let given = [
        ("velocity", velocity.is_some()),
        ("position", position.is_some()),
        ("spring", to.is_some()),
        ("max_force", max_force.is_some()),
    ];
    fields(kind, needed, allowed, &given)?;
    for (path, value, must) in [
        ("velocity", velocity, Must::BeFinite),
        ("position", position, Must::BeFinite),
        ("max_force", max_force, Must::NotBeNegative),
    ] {
        value.map_or(Ok(()), |value| number(path, value, must))?;
    }
    to.map_or(Ok(()), |to| spring(to).map_err(|e| e.within("spring")))
}

fn spring(spring: SpringSpec) -> Result<(), SceneError> {
    let (first, second) = match spring {
        SpringSpec::Si { stiffness, damping } => (("stiffness", stiffness), ("damping", damping)),
        SpringSpec::Tuned { frequency, damping_ratio } => (("frequency", frequency), ("damping_ratio", damping_ratio)),
    };
    [first, second].into_iter().try_for_each(|(path, value)| number(path, value, Must::NotBeNegative))
}

/// Each kind has required and optional fields; all others are errors.
fn fields_of_kind(joint: &JointSpec) -> Result<(), SceneError> {
    let (needed, allowed): (&[&str], &[&str]) = match joint.kind {
        JointKind::Fixed => (&[], &[]),
        JointKind::Spherical => (&[], &["friction"]),
        JointKind::Revolute | JointKind::Prismatic => (&["axes"], &["limits", "motor", "friction"]),
        JointKind::Distance => (&["length"], &[]),
        JointKind::Spring => (&["rest_length", "stiffness"], &["damping"]),
        JointKind::SwingTwist => (&["axes"], &["y_axes", "limits", "motor", "friction", "cone", "swing_motors"]),
        JointKind::Gear => (&["axes", "ratio"], &[]),
        JointKind::RackAndPinion => (&["axes", "radius"], &[]),
        JointKind::Winch => (&["axes", "length", "radius"], &[]),
        JointKind::Pulley => (&["length", "points"], &["ratio"]),
        JointKind::Wheel => (&["axes", "y_axes", "suspension"], &["steering", "drive"]),
        JointKind::Drag => (&["spring"], &["max_force"]),
        JointKind::SoftWeld => (&["linear", "angular"], &[]),
    };
    let given = [
        ("axes", joint.axes.is_some()),
        ("y_axes", joint.y_axes.is_some()),
        ("limits", joint.limits.is_some()),
        ("motor", joint.motor.is_some()),
        ("friction", joint.friction.is_some()),
        ("length", joint.length.is_some()),
        ("rest_length", joint.rest_length.is_some()),
        ("stiffness", joint.stiffness.is_some()),
        ("damping", joint.damping.is_some()),
        ("cone", joint.cone.is_some()),
        ("swing_motors", joint.swing_motors.is_some()),
        ("ratio", joint.ratio.is_some()),
        ("radius", joint.radius.is_some()),
        ("points", joint.points.is_some()),
        ("suspension", joint.suspension.is_some()),
        ("steering", joint.steering.is_some()),
        ("drive", joint.drive.is_some()),
        ("spring", joint.spring.is_some()),
        ("max_force", joint.max_force.is_some()),
        ("linear", joint.linear.is_some()),
        ("angular", joint.angular.is_some()),
    ];
    fields(&format!("{} joint", joint.kind.name()), needed, allowed, &given)
}

/// Checks which fields are given against those that a thing needs, or may have.
fn fields(of: &str, needed: &[&str], allowed: &[&str], given: &[(&str, bool)]) -> Result<(), SceneError> {
    for (field, given) in given {
        if needed.contains(field) && !given {
            return Err(SceneError::new(*field, format!("is required and missing: a {of} needs it")));
        }
        if *given && !needed.contains(field) && !allowed.contains(field) {
            return Err(SceneError::new(*field, format!("unknown field: a {of} has none")));
        }
    }
    Ok(())
}
