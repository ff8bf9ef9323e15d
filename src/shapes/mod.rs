//! What stands between a game's data and parry: checks of shapes before parry uses them. They are of
//! parry's types, and know nothing of components.

mod compound;
mod decompose;
mod difference;
#[cfg(feature = "serialize")]
mod foreign;
mod height_field;
mod hull;
mod lists;
mod merge_hulls;
mod mesh;
mod range;
mod scale;
mod voxels;

pub(crate) use compound::check_parts;
pub use decompose::Decomposition;
pub(crate) use decompose::decompose;
pub(crate) use difference::difference;
#[cfg(feature = "serialize")]
pub(crate) use foreign::ForeignShape;
pub(crate) use height_field::with_heights;
use height_field::with_scale;
pub(crate) use hull::checked_hull;
use lists::check_hull;
pub(crate) use lists::check_polyline;
use lists::check_triangles;
pub(crate) use mesh::checked_mesh;
pub(crate) use range::check_range;
pub(crate) use scale::scaled;
pub(crate) use voxels::merge_cells;
