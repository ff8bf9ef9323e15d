//! Errors of scene files.

use std::fmt;

/// An error in a scene: `bodies[12].shape.radius: must be positive, got -1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// Path of the field from the top of the file; empty for the file as a whole. It does not
    /// contain the type of a shape: `bodies[12].shape.radius`.
    pub path: String,
    /// Description of the problem.
    pub problem: String,
}

impl SceneError {
    /// A problem of the field at `path`.
    pub fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }

    /// The same error with the path prefixed by `outer`.
    pub(super) fn within(self, outer: &str) -> Self {
        let dot = if outer.is_empty() || self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{outer}{dot}{}", self.path), ..self }
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "scene" } else { &self.path };
        write!(f, "{path}: {}", self.problem)
    }
}

impl std::error::Error for SceneError {}
