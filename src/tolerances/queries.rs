//! Tolerances of queries.

use crate::math::Real;

/// Tolerances of queries.
pub(crate) struct Query {
    /// Distance, as a share of the moving shape's size, at which a shape cast ends in a touch.
    /// Larger: shapes stop visibly early. Smaller: rounding of the poses decides.
    pub touch: Real,
}

/// The values.
pub(crate) const QUERY: Query = Query { touch: if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 } };

/// Angle (rad) up to which a corner lies in the plane of a hull's face. Larger: ray hits lie off
/// the surface by that share of the face's width. Smaller: rounding splits flat faces, which costs
/// time.
pub(crate) const HULL_FLAT: Real = QUERY.touch;
