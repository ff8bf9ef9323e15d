//! Validation of joints.

use super::number::{Must, direction, number, ordered, vector};
use crate::scene::error::SceneError;
use crate::scene::format::{BodySpec, JointKind, JointSpec, KindSpec, LengthSpec};

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
    fields_of_kind(joint)?;
    for (i, axis) in joint.axes.iter().flat_map(|axes| axes.iter()).enumerate() {
        direction(&format!("axes[{i}]"), axis)?;
    }
    if let Some(limits) = &joint.limits {
        ordered("limits", limits, Must::BeFinite)?;
    }
    if let Some(motor) = &joint.motor {
        number("motor.velocity", motor.velocity, Must::BeFinite)?;
        number("motor.max_force", motor.max_force, Must::NotBeNegative)?;
    }
    match &joint.length {
        Some(LengthSpec::Exact(length)) => number("length", *length, Must::NotBeNegative)?,
        Some(LengthSpec::Range(range)) => ordered("length", range, Must::NotBeNegative)?,
        None => {}
    }
    for (path, value) in
        [("rest_length", joint.rest_length), ("stiffness", joint.stiffness), ("damping", joint.damping)]
    {
        value.map_or(Ok(()), |value| number(path, value, Must::NotBeNegative))?;
    }
    Ok(())
}

/// Each kind has required and optional fields; all others are errors.
fn fields_of_kind(joint: &JointSpec) -> Result<(), SceneError> {
    let kind = joint.kind.name();
    let (needed, allowed): (&[&str], &[&str]) = match joint.kind {
        JointKind::Fixed | JointKind::Spherical => (&[], &[]),
        JointKind::Revolute | JointKind::Prismatic => (&["axes"], &["limits", "motor"]),
        JointKind::Distance => (&["length"], &[]),
        JointKind::Spring => (&["rest_length", "stiffness"], &["damping"]),
    };
    for (field, given) in [
        ("axes", joint.axes.is_some()),
        ("limits", joint.limits.is_some()),
        ("motor", joint.motor.is_some()),
        ("length", joint.length.is_some()),
        ("rest_length", joint.rest_length.is_some()),
        ("stiffness", joint.stiffness.is_some()),
        ("damping", joint.damping.is_some()),
    ] {
        if needed.contains(&field) && !given {
            return Err(SceneError::new(field, format!("is required and missing: a {kind} joint needs it")));
        }
        if given && !needed.contains(&field) && !allowed.contains(&field) {
            return Err(SceneError::new(field, format!("unknown field: a {kind} joint has none")));
        }
    }
    Ok(())
}
