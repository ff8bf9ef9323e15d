//! Approximate decomposition of a mesh into convex hulls, by parry's V-HACD (Mamou 2016).

use super::merge_hulls::merge;
use super::{check_triangles, checked_hull};
use crate::error::ShapeError;
use crate::mass;
use crate::math::parry::math::Pose;
use crate::math::parry::shape::SharedShape;
use crate::math::parry::transformation::vhacd::{VHACD, VHACDParameters};
use crate::math::parry::transformation::voxelization::VoxelizedVolume;
use crate::math::{Real, Vec3};

/// How finely [`Collider::convex_decomposition`](crate::Collider::convex_decomposition) divides a
/// mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decomposition {
    /// Greatest number of hulls, from 1 to 1024.
    pub parts: u32,
    /// Number of voxels along the longest side of the mesh: from 8 to 256. Time and memory grow with
    /// its third power.
    pub resolution: u32,
    /// Volume that a hull may enclose beyond the mesh's, as a share of the whole hull's: from 0 to 1.
    pub concavity: Real,
}

impl Default for Decomposition {
    /// At most 32 hulls, 64 voxels, one hundredth.
    fn default() -> Self {
        Self { parts: 32, resolution: 64, concavity: 0.01 }
    }
}

/// Cap on the hulls: the costs of merging grow with the square of their number.
const MOST_PARTS: u32 = 1024;

/// Shares of the time that voxels, and their division, take.
const VOXELS: f32 = 0.1;
const DIVISION: f32 = 0.9;

/// The convex hulls of the parts of a closed mesh.
///
/// # Errors
/// [`ShapeError`] for an impossible mesh, or one that encloses no volume.
pub(crate) fn decompose(
    vertices: &[Vec3],
    triangles: &[[u32; 3]],
    how: &Decomposition,
    progress: &mut dyn FnMut(f32),
) -> Result<Vec<(Pose, SharedShape)>, ShapeError> {
    check_triangles(vertices, triangles)?;
    let whole = mass::of_shape(&checked_hull(vertices)?, 1.0).map_err(|_| ShapeError::FlatHull)?;
    let parameters = VHACDParameters {
        resolution: how.resolution.clamp(8, 256),
        concavity: how.concavity.clamp(0.0, 1.0),
        max_convex_hulls: how.parts.clamp(1, MOST_PARTS),
        ..VHACDParameters::default()
    };
    let VHACDParameters { resolution, fill_mode, .. } = parameters;
    let voxels = VoxelizedVolume::voxelize(vertices, triangles, resolution, fill_mode, true);
    progress(VOXELS);
    let divided = VHACD::from_voxels(&parameters, voxels.into());
    progress(DIVISION);
    let parts = divided.voxel_parts();
    let mut hulls = Vec::with_capacity(parts.len());
    for (k, part) in parts.iter().enumerate() {
        // What the mesh has in the voxels of a part; deep inside it has nothing, and the voxels count.
        let surface = part.compute_primitive_intersections(vertices, triangles);
        let hull = checked_hull(&surface).or_else(|_| checked_hull(&part.compute_convex_hull(1).0));
        hulls.extend(hull.ok());
        progress(DIVISION + (1.0 - DIVISION) * k as f32 / parts.len() as f32);
    }
    // parry divides until there may be four times as many, and merges none.
    let free = f64::from(parameters.concavity) * whole.mass;
    let hulls = merge(hulls, parameters.max_convex_hulls as usize, free);
    progress(1.0);
    if hulls.is_empty() {
        return Err(ShapeError::FlatHull);
    }
    Ok(hulls.into_iter().map(|hull| (Pose::IDENTITY, SharedShape::new(hull))).collect())
}
