//! Tolerances of queries.

use crate::math::Real;

/// A ray that passes a body's bounding sphere by more than this much of its squared radius misses the body (no unit). Lower:
/// rounding loses hits at the very rim. Higher: more shapes are tried for nothing.
pub const RAY_SPHERE_SLACK: Real = 1.01;

/// A moving shape that comes this near to a surface touches it: as a part of the shape's own size (no unit). Lower: rounding of
/// the poses decides. Higher: shapes stop visibly before what they meet.
pub const CAST_TOUCH: Real = if size_of::<Real>() == 4 { 1e-5 } else { 1e-9 };

/// The most advances of a moving shape. A way that ends on a surface takes some five; a graze halves what is left with each.
pub const CAST_ADVANCES: u32 = 64;

/// A corner of a hull's face lies in the face's plane if the way to it from another leaves the plane by no more than this angle
/// (rad). Lower: rounding makes flat faces be cut at folds that they do not have, which costs time. Higher: hits lie off the surface by as
/// much of the face's width.
pub const HULL_FLAT: Real = if size_of::<Real>() == 4 { 1e-5 } else { 1e-12 };
