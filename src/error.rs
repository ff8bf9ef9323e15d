//! Errors: what is wrong, where, and with which value.

use hecs::Entity;
use std::fmt;

/// The reason why a step was refused. Nothing was changed: the world and the caches are as before,
/// and the next step works once the cause is removed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// The time step is not a positive finite number of seconds.
    TimeStep {
        /// The value given (s).
        dt: f64,
    },
    /// A setting is out of its range.
    Setting {
        /// The field of `Settings`.
        setting: &'static str,
        /// The problem, with the value.
        problem: String,
    },
    /// A contact source emitted an impossible contact.
    ContactSource {
        /// The source's name.
        source: String,
        /// The problem, with the value.
        problem: String,
    },
    /// A component of an entity is impossible.
    Component {
        /// The entity.
        entity: Entity,
        /// The component's name.
        component: &'static str,
        /// The problem, with the value.
        problem: String,
    },
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeStep { dt } => write!(f, "the time step must be a positive number of seconds, got {dt}"),
            Self::Setting { setting, problem } => write!(f, "setting `{setting}`: {problem}"),
            Self::ContactSource { source, problem } => write!(f, "contact source `{source}`: {problem}"),
            Self::Component { entity, component, problem } => write!(f, "entity {entity:?}: {component}: {problem}"),
        }
    }
}

impl std::error::Error for StepError {}

/// The reason why a shape cannot be made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A coordinate is infinite or not a number.
    NotFinite {
        /// The index of the point or height.
        index: usize,
    },
    /// The points of a hull are too few, or lie in a plane.
    FlatHull,
    /// A mesh without triangles.
    EmptyMesh,
    /// A triangle refers to a vertex that does not exist.
    IndexOutOfRange {
        /// The index of the triangle.
        triangle: usize,
    },
    /// The mesh cannot be built, with parry's reason.
    BadMesh(String),
    /// The count of heights is not rows times columns, or there are fewer than two of either.
    HeightCount {
        /// Rows asked for.
        rows: usize,
        /// Columns asked for.
        columns: usize,
        /// Heights given.
        got: usize,
    },
    /// A compound without parts.
    EmptyCompound,
    /// A part of a compound that is itself not convex or not bounded.
    NestedCompound {
        /// The index of the part.
        part: usize,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { index } => write!(f, "point or height {index} is not finite"),
            Self::FlatHull => write!(f, "the points span no volume"),
            Self::EmptyMesh => write!(f, "the mesh has no triangles"),
            Self::IndexOutOfRange { triangle } => {
                write!(f, "triangle {triangle} refers to a vertex that does not exist")
            }
            Self::BadMesh(why) => write!(f, "the mesh cannot be built: {why}"),
            Self::HeightCount { rows, columns, got } => {
                write!(
                    f,
                    "{rows} rows and {columns} columns, at least two each, need {} heights, got {got}",
                    rows * columns
                )
            }
            Self::EmptyCompound => write!(f, "the compound has no parts"),
            Self::NestedCompound { part } => write!(f, "part {part} is not convex and bounded"),
        }
    }
}

impl std::error::Error for ShapeError {}
