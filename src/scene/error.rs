//! What is wrong with a scene, and where in the file.

use std::fmt;

/// What is wrong with a scene: `bodies[12].shape.radius: must be positive, got -1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// The field, from the top of the file; empty where the file as a whole is meant. The kind of a shape is no part of
    /// it: `bodies[12].shape.radius`.
    pub path: String,
    /// What is wrong with it.
    pub problem: String,
}

impl SceneError {
    /// A problem of the field at `path`.
    pub fn new(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }

    /// The same problem, its path taken as one inside `outer`.
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
