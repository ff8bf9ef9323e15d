//! What stands between a game's data and parry: checks of shapes before parry uses them. They are of
//! parry's types, and know nothing of components.

mod compound;
mod decompose;
#[cfg(feature = "serialize")]
mod foreign;
mod height_field;
mod hull;
mod lists;
mod merge_hulls;
mod mesh;
mod range;
mod scale;

pub(crate) use compound::check_parts;
pub use decompose::Decomposition;
pub(crate) use decompose::decompose;
#[cfg(feature = "serialize")]
pub(crate) use foreign::ForeignShape;
use height_field::with_scale;
pub(crate) use hull::checked_hull;
use lists::check_hull;
pub(crate) use lists::check_polyline;
use lists::check_triangles;
pub(crate) use mesh::checked_mesh;
pub(crate) use range::check_range;
pub(crate) use scale::scaled;
