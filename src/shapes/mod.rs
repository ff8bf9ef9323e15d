//! What stands between a game's data and parry: checks of shapes before parry uses them. They are of
//! parry's types, and know nothing of components.

mod compound;
#[cfg(feature = "serialize")]
mod foreign;
mod hull;
mod lists;
mod range;

pub(crate) use compound::check_parts;
#[cfg(feature = "serialize")]
pub(crate) use foreign::ForeignShape;
pub(crate) use hull::convex_hull;
pub(crate) use lists::{check_hull, check_triangles};
pub(crate) use range::check_range;
