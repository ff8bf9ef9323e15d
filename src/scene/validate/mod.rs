//! Validation of scenes: ranges of numbers, indices, and consistency.

mod body;
mod joint;
mod number;
mod shape;
mod surface;

use super::error::SceneError;
use super::format::{BodyRef, OutputSpec, Scene, SelectionSpec, SettingsSpec};
use number::{Must, number, vector};
use surface::surface;

/// Greatest number of threads in a scene. A larger one is probably a mistake, and such a pool might
/// not start.
const MOST_THREADS: usize = 1024;

/// Validates everything but geometry; [`build`](super::build) reports flat hulls and open meshes.
///
/// # Errors
/// The first problem in the order of the format, with the path of its field.
pub fn validate(scene: &Scene) -> Result<(), SceneError> {
    vector("gravity", &scene.gravity, Must::BeFinite)?;
    number("dt", scene.dt, Must::BePositive)?;
    settings(&scene.settings).map_err(|e| e.within("settings"))?;
    surface(&scene.materials).map_err(|e| e.within("materials"))?;
    for (i, body) in scene.bodies.iter().enumerate() {
        body::validate(body).map_err(|e| e.within(&format!("bodies[{i}]")))?;
    }
    for (i, joint) in scene.joints.iter().enumerate() {
        joint::validate(joint, &scene.bodies).map_err(|e| e.within(&format!("joints[{i}]")))?;
    }
    output(&scene.output, scene).map_err(|e| e.within("output"))
}

fn settings(settings: &SettingsSpec) -> Result<(), SceneError> {
    if let Some(threads) = settings.threads
        && !(1..=MOST_THREADS).contains(&threads)
    {
        return Err(SceneError::new("threads", format!("must be 1 to {MOST_THREADS}, got {threads}")));
    }
    settings.resting_tolerance.map_or(Ok(()), |height| number("resting_tolerance", height, Must::BePositive))
}

fn output(output: &OutputSpec, scene: &Scene) -> Result<(), SceneError> {
    let SelectionSpec::These(bodies) = &output.bodies else { return Ok(()) };
    for (i, body) in bodies.iter().enumerate() {
        let (known, shown) = match body {
            BodyRef::Index(index) => (*index < scene.bodies.len(), index.to_string()),
            BodyRef::Name(name) => {
                (scene.bodies.iter().any(|body| body.name.as_deref() == Some(name)), format!("{name:?}"))
            }
        };
        if !known {
            let problem = format!("there is no body {shown} (the scene has {})", scene.bodies.len());
            return Err(SceneError::new(format!("bodies[{i}]"), problem));
        }
    }
    Ok(())
}
