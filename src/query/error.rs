use crate::math::parry::shape::ShapeType;
use std::fmt;

/// Why a question was refused: nothing was asked, and nothing changed.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum QueryError {
    /// A coordinate is infinite or not a number.
    NotFinite {
        /// Which argument: `origin`, `direction`, `point`, `position`, `orientation`, `mins` or `maxs`.
        argument: &'static str,
        /// Its value.
        value: String,
    },
    /// A direction, or an orientation, of length zero.
    ZeroLength {
        /// Which argument: `direction` or `orientation`.
        argument: &'static str,
    },
    /// A reach that is negative or not a number.
    Reach {
        /// Its value (m).
        value: f64,
    },
    /// A box whose least corner lies above its greatest.
    EmptyBox,
    /// A shape that cannot be moved about: a half-space, a height field, or one that no kernel knows.
    Shape {
        /// The kind of shape.
        kind: ShapeType,
    },
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { argument, value } => write!(f, "{argument} must be finite, got {value}"),
            Self::ZeroLength { argument } => write!(f, "{argument} must not be of length zero"),
            Self::Reach { value } => write!(f, "the reach must be at least 0, got {value}"),
            Self::EmptyBox => write!(f, "the box's mins must not lie above its maxs"),
            Self::Shape { kind } => write!(f, "a shape of kind {kind:?} cannot be asked with"),
        }
    }
}

impl std::error::Error for QueryError {}
