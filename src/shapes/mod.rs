//! What stands between a game's data and parry: hulls, and checks of shapes before parry uses them.

#[cfg(feature = "serialize")]
mod foreign;
mod hull;
mod range;

#[cfg(feature = "serialize")]
pub(crate) use foreign::ForeignShape;
pub(crate) use hull::convex_hull;
pub(crate) use range::{check_range, is_direction, part, points};
