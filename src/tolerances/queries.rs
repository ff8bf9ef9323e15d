//! Tolerances of queries.

use crate::math::Real;

/// Factor on the squared radius of a body's bounding sphere in the first test of a ray. Larger:
/// more shapes are tested. Smaller: rounding loses hits at the rim.
pub const RAY_SPHERE_SLACK: Real = 1.01;

/// Distance, as a share of the moving shape's size, at which a shape cast ends in a touch. Larger:
/// shapes stop visibly early. Smaller: rounding of the poses decides.
pub const CAST_TOUCH: Real = if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 };

/// Iteration limit of a shape cast. A hit takes about five; a near miss halves the rest with each.
pub const CAST_ADVANCES: u32 = 64;

/// Angle (rad) up to which a corner lies in the plane of a hull's face. Larger: ray hits lie off
/// the surface by that share of the face's width. Smaller: rounding splits flat faces, which costs
/// time.
pub const HULL_FLAT: Real = if size_of::<Real>() == 4 { 1e-5 } else { 1e-12 };
