//! Parses scene files.

use super::error::SceneError;
use super::format::Scene;
use super::validate::validate;
use serde_path_to_error::{Path, Segment};
use std::fmt::Write;

/// Parses and validates a scene.
///
/// # Errors
/// The first problem, with the path of its field.
///
/// ```
/// let scene = dolmen::scene::read(r#"{ "bodies": [ { "shape": { "ball": { "radius": 0.5 } } } ] }"#)?;
/// assert_eq!(scene.bodies.len(), 1);
/// let error = dolmen::scene::read(r#"{ "bodies": [ { "shape": { "ball": { "radius": -1 } } } ] }"#).unwrap_err();
/// assert_eq!(error.to_string(), "bodies[0].shape.radius: must be positive, got -1");
/// # Ok::<(), dolmen::scene::SceneError>(())
/// ```
pub fn read(text: &str) -> Result<Scene, SceneError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let scene: Scene = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = field_path(error.path());
        in_format(path, &error.into_inner().to_string())
    })?;
    json.end().map_err(|error| SceneError::new("", error.to_string()))?;
    validate(&scene)?;
    Ok(scene)
}

/// The path in the form `bodies[12].shape.radius`, without the types of shapes (serde's enum
/// variants) and unknown segments.
fn field_path(path: &Path) -> String {
    let mut text = String::new();
    for segment in path.iter() {
        match segment {
            Segment::Seq { index } => _ = write!(text, "[{index}]"),
            Segment::Map { key } if text.is_empty() => text.push_str(key),
            Segment::Map { key } => _ = write!(text, ".{key}"),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    text
}

/// The error for a problem that serde reports at `path`. For a missing or duplicate field, serde
/// gives the path of its object: the field is appended.
fn in_format(path: String, problem: &str) -> SceneError {
    for (found, said) in [("missing field `", "is required and missing"), ("duplicate field `", "is there twice")] {
        if let Some((field, place)) = problem.strip_prefix(found).and_then(|rest| rest.split_once('`')) {
            return SceneError::new(field, format!("{said}{place}")).within(&path);
        }
    }
    SceneError::new(path, problem)
}
