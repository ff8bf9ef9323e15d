//! Whether a scene can be: every number in its range, every index there, nothing impossible.

mod body;
mod joint;
mod number;
mod shape;

use super::error::SceneError;
use super::format::{BodyRef, OutputSpec, Scene, SelectionSpec, SettingsSpec, SurfaceSpec};
use number::{Must, Shown, number, vector};

/// The most threads that a scene may ask for: more are a slip of the pen, and a pool of that size might not start.
const MOST_THREADS: usize = 1024;

/// Checks everything that needs no geometry; [`build`](super::build) finds what does (a flat hull, a mesh with a hole).
///
/// # Errors
/// The first thing that is wrong, in the order of the format, with the path of its field.
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

fn surface(surface: &SurfaceSpec) -> Result<(), SceneError> {
    for (path, friction) in
        [("static_friction", surface.static_friction), ("dynamic_friction", surface.dynamic_friction)]
    {
        friction.map_or(Ok(()), |friction| number(path, friction, Must::NotBeNegative))?;
    }
    if let (Some(sticking), Some(sliding)) = (surface.static_friction, surface.dynamic_friction)
        && sticking < sliding
    {
        let (sticking, sliding) = (Shown(sticking), Shown(sliding));
        let problem = format!("must be at least dynamic_friction, {sliding}, got {sticking}");
        return Err(SceneError::new("static_friction", problem));
    }
    match surface.restitution {
        Some(restitution) if !(0.0..=1.0).contains(&restitution) => {
            Err(SceneError::new("restitution", format!("must be 0 to 1, got {}", Shown(restitution))))
        }
        _ => Ok(()),
    }
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
