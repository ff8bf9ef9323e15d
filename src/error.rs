//! Errors: what is wrong, where, and with which value.

pub use crate::ranges::MAX_TIME_STEP;

use crate::math::{Quat, Real, Vec3};
use crate::ranges::{LARGEST, SMALLEST};
use hecs::Entity;
use std::fmt;

/// Checks a time step (s).
///
/// # Errors
/// [`StepError::TimeStep`].
pub(crate) fn check_time_step(dt: Real) -> Result<(), StepError> {
    if dt > 0.0 && dt <= MAX_TIME_STEP { Ok(()) } else { Err(StepError::TimeStep { dt: f64::from(dt) }) }
}

/// The reason why a step was refused. Nothing was changed: the world and the caches are as before,
/// and the next step works once the cause is removed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StepError {
    /// The time step is not a positive number of seconds, or longer than [`MAX_TIME_STEP`].
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
    /// The collider of an entity has a shape that is impossible ([`Collider::check`]).
    ///
    /// [`Collider::check`]: crate::components::Collider::check
    Shape {
        /// The entity.
        entity: Entity,
        /// What is wrong with it.
        error: ShapeError,
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

impl StepError {
    /// The entity that the step was refused for, if it was for one.
    pub fn entity(&self) -> Option<Entity> {
        match self {
            Self::Shape { entity, .. } | Self::Component { entity, .. } => Some(*entity),
            Self::TimeStep { .. } | Self::Setting { .. } | Self::ContactSource { .. } => None,
        }
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TimeStep { dt } => {
                write!(f, "the time step must be positive and at most {MAX_TIME_STEP} s, got {dt} s")
            }
            Self::Setting { setting, problem } => write!(f, "setting `{setting}`: {problem}"),
            Self::ContactSource { source, problem } => write!(f, "contact source `{source}`: {problem}"),
            Self::Shape { entity, error } => write!(f, "entity {entity:?}: Collider: {error}"),
            Self::Component { entity, component, problem } => write!(f, "entity {entity:?}: {component}: {problem}"),
        }
    }
}

impl std::error::Error for StepError {}

/// The reason why a shape cannot be made or used. Constructors, [`Collider::check`], steps and
/// queries refuse the same.
///
/// [`Collider::check`]: crate::components::Collider::check
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A coordinate is infinite or not a number.
    NotFinite {
        /// The index of the point or height.
        index: usize,
    },
    /// A coordinate, or a height times its scale, is beyond 1e9 m.
    TooFar {
        /// The index of the point or height.
        index: usize,
    },
    /// A radius, half extent, half height or extent is not from 1e-9 m to 1e9 m.
    Size {
        /// Which of the shape's sizes.
        what: &'static str,
        /// Its value (m).
        value: Real,
    },
    /// The normal of a half-space is no unit vector: it was zero or not finite.
    Normal {
        /// Its value.
        value: Vec3,
    },
    /// The box around a shape reaches beyond 1e9 m, is inside out, or is not a number.
    Bounds {
        /// Its least corner (m).
        mins: Vec3,
        /// Its greatest corner (m).
        maxs: Vec3,
    },
    /// The points of a hull are within 1e-9 m.
    TooSmall {
        /// The distance of the first point and the farthest from it (m).
        size: f64,
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
    /// The factor on a height field's heights is not from 0 to 1e9.
    HeightFactor {
        /// Its value.
        value: Real,
    },
    /// A compound without parts.
    EmptyCompound,
    /// A shape of another kind than the one that can be edited so.
    OtherKind {
        /// The kind that is needed.
        needed: &'static str,
    },
    /// A part of a compound that is itself not convex or not bounded.
    NestedCompound {
        /// The index of the part.
        part: usize,
    },
    /// A part of a compound is beyond 1e9 m, or its pose is not finite or no rotation.
    PartPose {
        /// The index of the part.
        part: usize,
        /// Its position (m).
        position: Vec3,
        /// Its orientation.
        orientation: Quat,
    },
    /// A part of a compound is impossible itself.
    Part {
        /// The index of the part.
        part: usize,
        /// What is wrong with it.
        error: Box<ShapeError>,
    },
    /// A polyline of fewer than two vertices, or without segments.
    EmptyPolyline,
    /// A segment of a polyline refers to a vertex that does not exist.
    SegmentOutOfRange {
        /// The index of the segment.
        segment: usize,
    },
    /// A shape that is not of its kind once it is scaled, or a factor that is zero or not finite.
    Scale {
        /// The factors.
        value: Vec3,
        /// The shape, and the reason.
        problem: &'static str,
    },
    /// A shape from a file whose lists contradict each other, or cannot be checked.
    Unreadable {
        /// Which lists.
        problem: &'static str,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { index } => write!(f, "point or height {index} is not finite"),
            Self::TooFar { index } => write!(f, "point or height {index} is beyond {LARGEST:e} m"),
            Self::Size { what, value } => {
                write!(f, "{what} must be from {SMALLEST:e} to {LARGEST:e} m, got {value}")
            }
            Self::Normal { value } => write!(f, "the half-space's normal must be a unit vector, got {value}"),
            Self::Bounds { mins, maxs } => {
                write!(f, "the shape must lie within {LARGEST:e} m, got bounds from {mins} to {maxs}")
            }
            Self::TooSmall { size } => write!(f, "a hull of {size:e} m is smaller than {SMALLEST:e} m"),
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
                    rows.saturating_mul(*columns)
                )
            }
            Self::HeightFactor { value } => {
                write!(f, "the height field's factor on heights must be from 0 to {LARGEST:e}, got {value}")
            }
            Self::EmptyCompound => write!(f, "the compound has no parts"),
            Self::OtherKind { needed } => write!(f, "the collider is no {needed}"),
            Self::NestedCompound { part } => write!(f, "part {part} is not convex and bounded"),
            Self::PartPose { part, position, orientation } => write!(
                f,
                "part {part}: the position must be within {LARGEST:e} m and the orientation a unit quaternion, \
                 got {position} and {orientation}"
            ),
            Self::Part { part, error } => write!(f, "part {part}: {error}"),
            Self::EmptyPolyline => write!(f, "the polyline has no segments"),
            Self::SegmentOutOfRange { segment } => {
                write!(f, "segment {segment} refers to a vertex that does not exist")
            }
            Self::Scale { value, problem } => write!(f, "the shape cannot be scaled by {value}: {problem}"),
            Self::Unreadable { problem } => write!(f, "the file contradicts itself in {problem}"),
        }
    }
}

impl std::error::Error for ShapeError {}
