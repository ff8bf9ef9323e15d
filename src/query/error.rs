use crate::error::ShapeError;
use crate::math::parry::shape::ShapeType;
use std::fmt;

/// Reason for rejecting the input of a query.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum QueryError {
    /// A coordinate is infinite or not a number.
    NotFinite {
        /// The argument: `origin`, `direction`, `velocity` and so on.
        argument: &'static str,
        /// Its value.
        value: String,
    },
    /// A direction, or an orientation, of length zero.
    ZeroLength {
        /// The argument: `direction` or `orientation`.
        argument: &'static str,
    },
    /// A negative or NaN reach.
    Reach {
        /// Its value (m).
        value: f64,
    },
    /// A shape that cannot be cast: a half-space, a height field, or one that the kernels do not
    /// support.
    Shape {
        /// Type of the shape.
        kind: ShapeType,
    },
    /// A shape that is impossible ([`Collider::check`](crate::components::Collider::check)).
    Collider(ShapeError),
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { argument, value } => write!(f, "{argument} must be finite, got {value}"),
            Self::ZeroLength { argument } => write!(f, "{argument} must not be of length zero"),
            Self::Reach { value } => write!(f, "the reach must be at least 0, got {value}"),
            Self::Shape { kind } => write!(f, "a shape of type {kind:?} cannot be used in a query"),
            Self::Collider(error) => write!(f, "the collider of a query: {error}"),
        }
    }
}

impl std::error::Error for QueryError {}
