//! A scene out of a file's text.

use super::error::SceneError;
use super::format::Scene;
use super::validate::validate;
use serde_path_to_error::{Path, Segment};
use std::fmt::Write;

/// Reads and checks a scene.
///
/// # Errors
/// The first thing that is wrong, with the path of its field.
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

/// The path in the style of this module: `bodies[12].shape.radius`. The kind of a shape (serde's variant) is left out, and so
/// is a place that serde does not know.
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

/// The error for what serde found at `path`. Serde reports a field that is missing or there twice at its object: the field is
/// what the reader looks for.
fn in_format(path: String, problem: &str) -> SceneError {
    for (found, said) in [("missing field `", "is required and missing"), ("duplicate field `", "is there twice")] {
        if let Some((field, place)) = problem.strip_prefix(found).and_then(|rest| rest.split_once('`')) {
            return SceneError::new(field, format!("{said}{place}")).within(&path);
        }
    }
    SceneError::new(path, problem)
}
