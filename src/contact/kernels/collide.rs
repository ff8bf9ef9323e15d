//! Dispatch of the contact kernels.

use super::cache::PairCache;
use super::composite::{PartContext, composite};
use super::convex::{ConvexScratch, convex_convex};
use super::geometry::Geometry;
use super::ghost_contacts::PredictedPose;
use super::groups::CompositeScratch;
use super::half_space::half_space_convex;
use super::local_manifold::LocalManifold;
use super::pair_kernels::{KernelPoints, PairKernels};
use super::part_cache::{PartCache, PartCacheAccess, PartCacheBuffer};
use super::primitives::primitives;
use super::reduce::{reduce, reduce_vertices};
use super::tangent_plane::tangent_plane;
use crate::math::parry::shape::ShapeType;
use crate::math::{Pose, Real};

/// Manifolds of one call of [`collide`], and its buffers. Keep one for each thread: calls stop
/// allocating once the buffers have grown to what the scene needs.
#[derive(Default)]
pub struct Manifolds {
    found: Vec<LocalManifold>,
    clearance: Real,
    convex: ConvexScratch,
    composite: CompositeScratch,
    kernel_points: KernelPoints,
    part_buffer: PartCacheBuffer,
}

impl Manifolds {
    /// The manifolds found, none of them empty.
    #[inline]
    pub fn as_slice(&self) -> &[LocalManifold] {
        &self.found
    }

    /// Without manifolds: a lower bound of the distance of the shapes (m), possibly more than was
    /// asked for.
    #[inline]
    pub fn clearance(&self) -> Real {
        self.clearance
    }

    #[inline]
    fn push(&mut self, manifold: LocalManifold) {
        self.found.push(manifold);
        self.drop_empty();
    }

    /// Removes a ghost contact of two convex shapes, or replaces it by their predicted contact if
    /// one comes to lie over the other.
    #[inline]
    fn drop_ghosts(
        &mut self,
        a: &Geometry,
        b: &Geometry,
        b_in_a: &Pose,
        prediction: Real,
        predicted: Option<PredictedPose>,
    ) {
        if let (Some(predicted), Some(manifold)) = (predicted, self.found.last())
            && let (Some(p), Some(q)) = (a.as_convex(), b.as_convex())
            && let Some(face) = predicted.separating_face(&p, &q, b_in_a, manifold.normal, manifold.points())
        {
            let gap = manifold.deepest();
            let known = collide(a, b, &predicted.b_in_a, prediction, &mut PairCache::default(), self);
            let comes_over = |found: &mut LocalManifold| {
                let normal = std::mem::replace(&mut found.normal, face);
                predicted.transfer_points(b_in_a, face, normal, found.points_mut())
            };
            if known.is_err() || !self.found.last_mut().is_some_and(comes_over) {
                self.found.clear();
                self.clearance = gap;
            }
        }
    }

    /// Removes a last manifold without points and keeps its lower bound of the distance.
    #[inline]
    fn drop_empty(&mut self) {
        if let Some(empty) = self.found.last().filter(|last| last.count == 0) {
            self.clearance = self.clearance.max(empty.clearance);
            self.found.pop();
        }
    }
}

/// A pair of shape types that no kernel supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedPair {
    /// Type of the first shape. For a composite it stands for the types of its parts too.
    pub a: ShapeType,
    /// Type of the second shape.
    pub b: ShapeType,
}

impl std::fmt::Display for UnsupportedPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no contact kernel for a shape of kind {:?} with one of kind {:?}", self.a, self.b)
    }
}

impl std::error::Error for UnsupportedPair {}

/// Finds where two shapes touch or are at most `prediction` (m) apart. The manifolds are written to
/// `out`.
///
/// `b_in_a` is the pose of the second shape in the first one's frame. Convex pairs give at most one
/// manifold, composites one for each direction of contact. Exchanging the shapes mirrors the
/// manifold. Give the larger shape first where sizes differ much: the frame of the pose then loses
/// no digits.
///
/// ```
/// use dolmen::contact::kernels::{Geometry, Manifolds, PairCache, collide};
/// use dolmen::math::{Pose, Vec3, parry::shape::SharedShape};
///
/// let slab = Geometry::from(&SharedShape::cuboid(200.0, 0.5, 200.0));
/// let block = Geometry::from(&SharedShape::cuboid(0.5, 0.5, 0.5));
/// let (mut cache, mut out) = (PairCache::default(), Manifolds::default());
/// collide(&slab, &block, &Pose::from_translation(Vec3::Y), 0.02, &mut cache, &mut out)?;
/// assert_eq!(out.as_slice()[0].normal, Vec3::Y);
/// assert_eq!(out.as_slice()[0].points().len(), 4);
/// # Ok::<(), dolmen::contact::kernels::UnsupportedPair>(())
/// ```
///
/// # Errors
/// [`UnsupportedPair`] if no kernel supports the shapes or the parts of a composite: two
/// half-spaces, voxels, and custom shapes with neither a support map nor polygonal features. `out`
/// is then empty.
pub fn collide(
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    cache: &mut PairCache,
    out: &mut Manifolds,
) -> Result<(), UnsupportedPair> {
    collide_with(&PairKernels::NONE, a, b, b_in_a, prediction, cache, out)
}

/// [`collide`] with user-defined kernels, which precede the built-in ones.
///
/// # Errors
/// [`UnsupportedPair`] as for [`collide`], and if a kernel returned a value that is not finite.
/// `out` then contains the valid manifolds.
pub fn collide_with(
    kernels: &PairKernels,
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    cache: &mut PairCache,
    out: &mut Manifolds,
) -> Result<(), UnsupportedPair> {
    collide_cached(kernels, a, b, b_in_a, prediction, (cache, None), None, out)
}

/// [`collide_with`] with a cache of the parts of composites, and a bound of the relative
/// displacement of any point of the shapes since the last call (m). Ghost contacts are removed if a
/// predicted pose is given.
#[allow(clippy::too_many_arguments)]
pub(crate) fn collide_cached(
    kernels: &PairKernels,
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    (cache, part_cache): (&mut PairCache, Option<(&mut PartCache, Real)>),
    predicted: Option<PredictedPose>,
    out: &mut Manifolds,
) -> Result<(), UnsupportedPair> {
    use Geometry::{Composite, HalfSpace};
    out.found.clear();
    out.clearance = prediction;
    let unsupported = || UnsupportedPair { a: a.shape_type(), b: b.shape_type() };
    if !kernels.is_empty() {
        let Manifolds { found, composite, kernel_points, .. } = &mut *out;
        let answer = a.with_shape(|a| {
            b.with_shape(|b| kernels.manifolds((a, b), b_in_a, prediction, kernel_points, (composite, found)))
        });
        if let Some(answer) = answer {
            out.clearance = 0.0;
            return answer.map_err(|_| unsupported());
        }
    }
    if let Some(manifold) = tangent_plane(a, b, b_in_a, prediction, &mut out.convex.points) {
        out.push(manifold);
        return Ok(());
    }
    // The kernel writes in place: a manifold takes three cache lines.
    out.found.push(LocalManifold::default());
    if primitives(a, b, b_in_a, prediction, cache, &mut out.found[0]) {
        out.drop_empty();
        out.drop_ghosts(a, b, b_in_a, prediction, predicted);
        return Ok(());
    }
    out.found.clear();
    match (a, b) {
        // Parts are measured over the plane directly and need no cache.
        (Composite(_), HalfSpace { .. }) => return flipped(kernels, a, b, b_in_a, prediction, cache, out),
        (Composite(_), _) | (_, Composite(_)) => {
            let Manifolds { found, convex, composite: buffers, kernel_points, part_buffer, .. } = out;
            let part_cache =
                part_cache.map(|(part_cache, moved)| PartCacheAccess::begin(part_cache, moved, part_buffer));
            let context = PartContext { kernels, convex, kernel_points, part_cache, predicted };
            out.clearance = composite(a, b, b_in_a, prediction, context, buffers, found).map_err(|_| unsupported())?;
        }
        _ => {
            other_pairs(kernels, a, b, b_in_a, prediction, cache, out)?;
            out.drop_ghosts(a, b, b_in_a, prediction, predicted);
        }
    }
    Ok(())
}

fn other_pairs(
    kernels: &PairKernels,
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    cache: &mut PairCache,
    out: &mut Manifolds,
) -> Result<(), UnsupportedPair> {
    match (a, a.as_convex(), b, b.as_convex()) {
        (Geometry::HalfSpace { normal }, _, _, Some(solid)) => {
            out.convex.points.clear();
            half_space_convex(*normal, &solid, b_in_a, prediction, &mut out.convex.points);
            let mut manifold = LocalManifold::with_normal(*normal);
            reduce_vertices(&out.convex.points, &mut manifold);
            out.push(manifold);
            Ok(())
        }
        (_, Some(_), Geometry::HalfSpace { .. }, _) => flipped(kernels, a, b, b_in_a, prediction, cache, out),
        (_, Some(p), _, Some(q)) => {
            let outcome = convex_convex(&p, &q, b_in_a, prediction, cache.start(), (None, None), &mut out.convex);
            *cache = PairCache::Convex { direction: outcome.direction, corners: outcome.corners };
            let mut manifold =
                LocalManifold { clearance: outcome.clearance, ..LocalManifold::with_normal(outcome.normal) };
            reduce(&out.convex.points, &mut manifold);
            out.push(manifold);
            Ok(())
        }
        _ => Err(UnsupportedPair { a: a.shape_type(), b: b.shape_type() }),
    }
}

/// Collides the shapes in reverse order and mirrors the manifolds.
fn flipped(
    kernels: &PairKernels,
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    cache: &mut PairCache,
    out: &mut Manifolds,
) -> Result<(), UnsupportedPair> {
    let mirrored = |pair: UnsupportedPair| UnsupportedPair { a: pair.b, b: pair.a };
    let answer = collide_with(kernels, b, a, &b_in_a.inverse(), prediction, cache, out).map_err(mirrored);
    out.found.iter_mut().for_each(|manifold| *manifold = manifold.mirrored(b_in_a));
    answer
}
