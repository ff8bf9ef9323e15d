//! The root of the narrow phase: from two shapes to the kernel that knows them.

use super::ball_ball::ball_ball;
use super::ball_capsule::capsule_ball;
use super::ball_cuboid::cuboid_ball;
use super::cache::PairCache;
use super::capsule_capsule::capsule_capsule;
use super::capsule_cuboid::cuboid_capsule;
use super::composite::{CompositeScratch, Tools, composite};
use super::convex::{ConvexScratch, convex_convex};
use super::cuboid_cuboid::cuboid_cuboid;
use super::custom::{PairKernels, Touches};
use super::geometry::Geometry;
use super::graze::Ahead;
use super::half_space::half_space_solid;
use super::local::LocalManifold;
use super::memory::{PartsMemory, Recollection, Remembered};
use super::reduce::reduce;
use crate::math::parry::shape::ShapeType;
use crate::math::{Pose, Real};

/// The manifolds of one call of [`collide`], and room to find them. Keep one for each thread: then no call allocates
/// once the room has grown to what the scene needs.
#[derive(Default)]
pub struct Manifolds {
    found: Vec<LocalManifold>,
    clearance: Real,
    convex: ConvexScratch,
    composite: CompositeScratch,
    touches: Touches,
    recollection: Recollection,
}

impl Manifolds {
    /// The manifolds found, none of them empty.
    #[inline]
    pub fn as_slice(&self) -> &[LocalManifold] {
        &self.found
    }

    /// Where nothing was found: the shapes are at least this far apart (m). It may be more than was asked for.
    #[inline]
    pub fn clearance(&self) -> Real {
        self.clearance
    }

    #[inline]
    fn push(&mut self, manifold: LocalManifold) {
        self.found.push(manifold);
        self.drop_empty();
    }

    /// Leaves out the one manifold of two convex shapes that only slide past each other, or puts that in its place which they have
    /// when one has come over the other.
    #[inline]
    fn drop_grazing(&mut self, a: &Geometry, b: &Geometry, b_in_a: &Pose, prediction: Real, ahead: Option<Ahead>) {
        if let (Some(ahead), Some(manifold)) = (ahead, self.found.last())
            && let (Some(p), Some(q)) = (a.solid(), b.solid())
            && let Some(face) = ahead.grazes(&p, &q, b_in_a, manifold.normal, manifold.points())
        {
            let gap = manifold.deepest();
            let known = collide(a, b, &ahead.b_in_a, prediction, &mut PairCache::default(), self);
            let comes_over = |found: &mut LocalManifold| {
                let normal = std::mem::replace(&mut found.normal, face);
                ahead.bring_back(b_in_a, face, normal, found.points_mut())
            };
            if known.is_err() || !self.found.last_mut().is_some_and(comes_over) {
                self.found.clear();
                self.clearance = gap;
            }
        }
    }

    /// Of a last manifold without points keeps no more than how far apart the shapes are.
    #[inline]
    fn drop_empty(&mut self) {
        if let Some(empty) = self.found.last().filter(|last| last.count == 0) {
            self.clearance = self.clearance.max(empty.clearance);
            self.found.pop();
        }
    }
}

/// Two kinds of shape that no kernel collides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnsupportedPair {
    /// Kind of the first shape. A composite's stands for the kind of its parts too.
    pub a: ShapeType,
    /// Kind of the second shape.
    pub b: ShapeType,
}

impl std::fmt::Display for UnsupportedPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no contact kernel for a shape of kind {:?} with one of kind {:?}", self.a, self.b)
    }
}

impl std::error::Error for UnsupportedPair {}

/// Finds where two shapes touch or are at most `prediction` (m) apart: the manifolds are left in `out`.
///
/// `b_in_a` is the pose of the second shape in the first one's frame. Convex pairs give at most one manifold, composites
/// one for each direction in which they touch. Exchanging the shapes gives the mirrored manifold. Give the larger shape
/// first where sizes differ much: the pose is then measured in the frame that loses no digits.
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
/// [`UnsupportedPair`] if no kernel knows the shapes or the parts of a composite: two half-spaces, voxels, and custom
/// shapes that give neither a support map nor polygonal features. `out` is then empty.
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

/// The same, with kernels of the game's own, which come before the built-in ones.
///
/// # Errors
/// [`UnsupportedPair`] as for [`collide`], and if a kernel gave a number that is not finite. What was found beside that is
/// left in `out`.
pub fn collide_with(
    kernels: &PairKernels,
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    cache: &mut PairCache,
    out: &mut Manifolds,
) -> Result<(), UnsupportedPair> {
    collide_remembering(kernels, a, b, b_in_a, prediction, (cache, None), None, out)
}

/// The same, with what the parts of shapes remember from call to call, and how far any point of either shape has moved against the other
/// since, at most (m). What only slides past on its way `ahead` is left out.
#[allow(clippy::too_many_arguments)]
pub(crate) fn collide_remembering(
    kernels: &PairKernels,
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    (cache, memory): (&mut PairCache, Option<(&mut PartsMemory, Real)>),
    ahead: Option<Ahead>,
    out: &mut Manifolds,
) -> Result<(), UnsupportedPair> {
    use Geometry::{Composite, HalfSpace};
    out.found.clear();
    out.clearance = prediction;
    let unsupported = || UnsupportedPair { a: a.shape_type(), b: b.shape_type() };
    if !kernels.is_empty() {
        let Manifolds { found, composite, touches, .. } = &mut *out;
        let answer = a.with_shape(|a| {
            b.with_shape(|b| kernels.manifolds((a, b), b_in_a, prediction, touches, (composite, found)))
        });
        if let Some(answer) = answer {
            out.clearance = 0.0;
            return answer.map_err(|_| unsupported());
        }
    }
    // What a kernel finds is made where it will lie: it is three cache lines.
    out.found.push(LocalManifold::default());
    if primitives(a, b, b_in_a, prediction, cache, &mut out.found[0]) {
        out.drop_empty();
        out.drop_grazing(a, b, b_in_a, prediction, ahead);
        return Ok(());
    }
    out.found.clear();
    match (a, b) {
        // Each part is measured over the plane at once, and remembers nothing.
        (Composite(_), HalfSpace { .. }) => return flipped(kernels, a, b, b_in_a, prediction, cache, out),
        (Composite(_), _) | (_, Composite(_)) => {
            let Manifolds { found, convex, composite: room, touches, recollection, .. } = out;
            let memory = memory.map(|(memory, moved)| Remembered::begin(memory, moved, recollection));
            let tools = Tools { kernels, convex, touches, memory, ahead };
            out.clearance = composite(a, b, b_in_a, prediction, tools, room, found).map_err(|_| unsupported())?;
        }
        _ => {
            other_pairs(kernels, a, b, b_in_a, prediction, cache, out)?;
            out.drop_grazing(a, b, b_in_a, prediction, ahead);
        }
    }
    Ok(())
}

/// Finds the manifold of two shapes that are balls, capsules or cuboids; false of others.
pub(super) fn primitives(
    a: &Geometry,
    b: &Geometry,
    b_in_a: &Pose,
    prediction: Real,
    cache: &mut PairCache,
    out: &mut LocalManifold,
) -> bool {
    use Geometry::{Ball, Capsule, Cuboid};
    match (a, b) {
        (Ball { radius: p }, Ball { radius: q }) => *out = ball_ball(*p, *q, b_in_a, prediction),
        (Cuboid { half: p }, Cuboid { half: q }) => {
            let mut axis = cache.axis();
            *out = cuboid_cuboid(*p, *q, b_in_a, prediction, &mut axis);
            *cache = PairCache::Axis(axis);
        }
        (Cuboid { half }, Ball { radius }) => *out = cuboid_ball(*half, *radius, b_in_a, prediction),
        (Capsule { a, b, radius }, Ball { radius: ball }) => {
            *out = capsule_ball(*a, *b, *radius, *ball, b_in_a, prediction);
        }
        (Ball { .. }, Cuboid { .. } | Capsule { .. }) | (Capsule { .. }, Cuboid { .. }) => {
            if !primitives(b, a, &b_in_a.inverse(), prediction, cache, out) {
                return false;
            }
            *out = LocalManifold { clearance: out.clearance, ..out.mirrored(b_in_a) };
        }
        _ => {
            let Some(capsule) = b.capsule() else { return false };
            match (a, a.capsule()) {
                (_, Some(first)) => *out = capsule_capsule(&first, &capsule, b_in_a, prediction),
                (Cuboid { half }, _) => *out = cuboid_capsule(*half, &capsule, b_in_a, prediction),
                _ => return false,
            }
        }
    }
    true
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
    match (a, a.solid(), b, b.solid()) {
        (Geometry::HalfSpace { normal }, _, _, Some(solid)) => {
            out.convex.points.clear();
            half_space_solid(*normal, &solid, b_in_a, prediction, &mut out.convex.points);
            let mut manifold = LocalManifold::with_normal(*normal);
            reduce(&out.convex.points, &mut manifold);
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

/// Collides the shapes the other way round and mirrors what comes out.
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
