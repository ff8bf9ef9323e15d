//! Validation of bodies.

use super::number::{Must, number, rotation, vector};
use super::shape;
use super::surface::surface;
use crate::mass::{principal_axes, validate_inertia};
use crate::scene::error::SceneError;
use crate::scene::format::{BodySpec, InertiaSpec, KindSpec, ShapeSpec};
use crate::tolerances::ROUNDING;

pub(super) fn validate(body: &BodySpec) -> Result<(), SceneError> {
    shape::validate(&body.shape).map_err(|e| e.within("shape"))?;
    vector("position", &body.position, Must::BeFinite)?;
    rotation("orientation", &body.orientation)?;
    for (path, velocity) in [("linear_velocity", &body.linear_velocity), ("angular_velocity", &body.angular_velocity)] {
        vector(path, velocity, Must::BeFinite)?;
        if body.kind == KindSpec::Static && velocity.iter().any(|&x| x != 0.0) {
            return Err(SceneError::new(path, "must be zero: a static body does not move (kinematic ones do)"));
        }
    }
    for (path, value) in [("density", body.density), ("mass", body.mass)] {
        value.map_or(Ok(()), |value| number(path, value, Must::BePositive))?;
    }
    if let Some(inertia_given) = &body.inertia {
        inertia(inertia_given)?;
    }
    if let Some(center) = &body.center_of_mass {
        vector("center_of_mass", center, Must::BeFinite)?;
    }
    surface(&body.surface())?;
    vector("force", &body.force, Must::BeFinite)?;
    vector("torque", &body.torque, Must::BeFinite)?;
    number("gravity_scale", body.gravity_scale, Must::BeFinite)?;
    weight(body)
}

/// A dynamic body needs mass and inertia, which some shapes do not define.
fn weight(body: &BodySpec) -> Result<(), SceneError> {
    let reason = match body.shape {
        _ if body.kind != KindSpec::Dynamic => return Ok(()),
        ShapeSpec::None => "a dynamic body of shape none has no other",
        ShapeSpec::Heightfield { .. } => "a heightfield encloses no volume to take it from",
        ShapeSpec::HalfSpace { .. } => {
            return Err(SceneError::new("kind", "must be static or kinematic for a half_space, which has no end"));
        }
        _ => return Ok(()),
    };
    for (path, given) in [("mass", body.mass.is_some()), ("inertia", body.inertia.is_some())] {
        if !given {
            return Err(SceneError::new(path, format!("is required and missing: {reason}")));
        }
    }
    Ok(())
}

fn inertia(inertia: &InertiaSpec) -> Result<(), SceneError> {
    let path = "inertia";
    match inertia {
        InertiaSpec::Principal(principal) => vector(path, principal, Must::BePositive)?,
        InertiaSpec::Rows(rows) => rows
            .iter()
            .enumerate()
            .try_for_each(|(i, row)| vector(&format!("[{i}]"), row, Must::BeFinite))
            .map_err(|e| e.within(path))?,
        InertiaSpec::Flat(entries) => vector(path, entries, Must::BeFinite)?,
    }
    let matrix = inertia.matrix();
    let off_symmetry = (matrix - matrix.transpose()).abs().to_cols_array().into_iter().fold(0.0, f64::max);
    let largest = matrix.abs().to_cols_array().into_iter().fold(0.0, f64::max);
    if off_symmetry > ROUNDING.single * largest {
        return Err(SceneError::new(path, "must be symmetric"));
    }
    let principal = match inertia {
        InertiaSpec::Principal(principal) => principal.vec(),
        _ => principal_axes(matrix).0,
    };
    validate_inertia(principal).map_err(|e| SceneError::new(path, e.to_string()))
}
