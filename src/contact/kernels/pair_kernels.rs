//! User-defined pair kernels for pairs of shape types.
//!
//! A shape type is a Rust type that implements parry's [`Shape`]: one of parry's, a user's, or
//! [`CustomShape`]. A kernel is a function of two shapes and their relative pose. It replaces the
//! built-in kernel for its types, alone and as parts of compounds and meshes.
//!
//! [`CustomShape`]: crate::CustomShape

use super::feature;
use super::geometry::Geometry;
use super::groups::CompositeScratch;
use super::local_manifold::{LocalManifold, LocalPoint};
use crate::math::parry::shape::Shape;
use crate::math::{Pose, Real, Vec3};
use crate::tolerances::MIN_KERNEL_NORMAL;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::any::{Any, TypeId};

/// Output of a pair kernel.
#[derive(Default)]
pub struct KernelPoints {
    points: Vec<(Vec3, LocalPoint)>,
    invalid: bool,
}

impl KernelPoints {
    /// Adds a point where the two shapes touch or are about to.
    ///
    /// `normal` points from the first shape to the second, in the first one's axes, with any
    /// length. `point_a` and `point_b` lie on the two surfaces, each in its own shape's frame (m).
    /// `separation` is the distance from the first surface to the second along the normal (m),
    /// negative for an overlap. `feature` identifies the pair of features: stable from step to
    /// step, and distinct for distinct points.
    ///
    /// A value that is not finite or a normal without direction is rejected, and the pair is
    /// reported as [`NotCollided`](crate::Event::NotCollided).
    #[inline]
    pub fn push(&mut self, normal: Vec3, point_a: Vec3, point_b: Vec3, separation: Real, feature: u32) {
        let length = normal.length();
        let finite = point_a.is_finite() && point_b.is_finite() && separation.is_finite() && length.is_finite();
        if !finite || length <= MIN_KERNEL_NORMAL {
            self.invalid = true;
            return;
        }
        self.points.push((normal / length, LocalPoint { point_a, point_b, separation, feature }));
    }

    fn clear(&mut self) {
        self.points.clear();
        self.invalid = false;
    }

    /// Exchanges the shapes. `first_in_second` is the pose of the first shape in the frame of the
    /// other.
    fn mirror(&mut self, first_in_second: &Pose) {
        for (normal, p) in &mut self.points {
            *normal = -(first_in_second.rotation * *normal);
            (p.point_a, p.point_b) = (p.point_b, p.point_a);
            p.feature = feature::mirrored(p.feature);
        }
    }

    /// Points found, each with its normal.
    pub(super) fn points(&self) -> &[(Vec3, LocalPoint)] {
        &self.points
    }
}

type Kernel = Box<dyn Fn(&dyn Shape, &dyn Shape, &Pose, Real, &mut KernelPoints) + Send + Sync>;

/// The pair kernels of a [`Physics`](crate::Physics).
///
/// ```
/// use dolmen::contact::kernels::PairKernels;
/// use dolmen::math::parry::shape::Ball;
/// use dolmen::math::Vec3;
///
/// let mut kernels = PairKernels::default();
/// // Balls of rubber sink into each other by a tenth of their radius before they push.
/// kernels.register(|a: &Ball, b: &Ball, b_in_a, prediction, out| {
///     let (between, reach) = (b_in_a.translation, 0.9 * (a.radius + b.radius));
///     let separation = between.length() - reach;
///     if separation <= prediction {
///         let normal = between.try_normalize().unwrap_or(Vec3::Y);
///         let on_b = b_in_a.rotation.inverse() * -normal;
///         out.push(normal, normal * (0.9 * a.radius), on_b * (0.9 * b.radius), separation, 0);
///     }
/// });
/// assert!(kernels.collides::<Ball, Ball>());
/// ```
pub struct PairKernels {
    kernels: Vec<Kernel>,
    /// Index of the kernel of two shape types, and whether it takes them in reverse order. Looked
    /// up, never iterated.
    index: FxHashMap<(TypeId, TypeId), (u32, bool)>,
}

impl Default for PairKernels {
    fn default() -> Self {
        Self::NONE
    }
}

impl PairKernels {
    /// No kernels.
    pub(crate) const NONE: Self = Self { kernels: Vec::new(), index: FxHashMap::with_hasher(FxBuildHasher) };

    /// Registers a kernel for shapes of the types `A` and `B`, in any order of a pair. It replaces
    /// an earlier one, and the built-in one.
    ///
    /// Arguments: the two shapes, the second one's pose in the first one's frame, and the
    /// prediction distance (m): points further apart may be left out. It must be a pure function,
    /// for it runs on several threads in no order, and only when the pair has moved.
    pub fn register<A: Shape, B: Shape>(
        &mut self,
        kernel: impl Fn(&A, &B, &Pose, Real, &mut KernelPoints) + Send + Sync + 'static,
    ) {
        let number = self.kernels.len() as u32;
        self.kernels.push(Box::new(move |a, b, b_in_a, prediction, out| {
            let (a, b) = (a.as_shape::<A>().expect(FOUND), b.as_shape::<B>().expect(FOUND));
            kernel(a, b, b_in_a, prediction, out);
        }));
        let (a, b) = (TypeId::of::<A>(), TypeId::of::<B>());
        self.index.insert((b, a), (number, true));
        self.index.insert((a, b), (number, false));
    }

    /// True if a kernel is registered for two shape types.
    pub fn collides<A: Shape, B: Shape>(&self) -> bool {
        self.index.contains_key(&(TypeId::of::<A>(), TypeId::of::<B>()))
    }

    /// True if any kernel is registered for the type of a shape.
    pub fn knows(&self, shape: &dyn Shape) -> bool {
        let kind = kind(shape);
        self.index.keys().any(|(a, _)| *a == kind)
    }

    /// Revision number: the number of registered kernels.
    pub(crate) fn revision(&self) -> usize {
        self.kernels.len()
    }

    /// True if none is registered.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.kernels.is_empty()
    }

    /// True if there is a kernel for two shapes.
    pub(crate) fn has(&self, a: &dyn Shape, b: &dyn Shape) -> bool {
        !self.is_empty() && self.index.contains_key(&(kind(a), kind(b)))
    }

    /// True if neither two shapes nor any of their parts use a registered kernel, so that
    /// [`distance`](super::distance()) applies to them.
    pub(crate) fn uses_builtin_kernels(&self, a: &Geometry, b: &Geometry) -> bool {
        if [a, b].iter().any(|shape| matches!(shape, Geometry::Other(_))) {
            return false;
        }
        self.is_empty() || !(a.is_composite() || b.is_composite() || a.with_shape(|a| b.with_shape(|b| self.has(a, b))))
    }

    /// Runs the kernel for the types of two shapes, if there is one, and writes the points to
    /// `out`. The result tells whether its output is valid.
    pub(super) fn run(
        &self,
        a: &dyn Shape,
        b: &dyn Shape,
        b_in_a: &Pose,
        prediction: Real,
        out: &mut KernelPoints,
    ) -> Option<Result<(), InvalidOutput>> {
        if self.is_empty() {
            return None;
        }
        let &(number, flipped) = self.index.get(&(kind(a), kind(b)))?;
        let kernel = &self.kernels[number as usize];
        out.clear();
        if flipped {
            kernel(b, a, &b_in_a.inverse(), prediction, out);
            out.mirror(b_in_a);
        } else {
            kernel(a, b, b_in_a, prediction, out);
        }
        out.points.retain(|(_, p)| p.separation <= prediction);
        Some(if out.invalid { Err(InvalidOutput) } else { Ok(()) })
    }

    /// The same for two whole shapes: the points become manifolds, one for each normal, appended to
    /// `found`.
    pub(super) fn manifolds(
        &self,
        (a, b): (&dyn Shape, &dyn Shape),
        b_in_a: &Pose,
        prediction: Real,
        out: &mut KernelPoints,
        (buffers, found): (&mut CompositeScratch, &mut Vec<LocalManifold>),
    ) -> Option<Result<(), InvalidOutput>> {
        let answer = self.run(a, b, b_in_a, prediction, out)?;
        buffers.collect(out.points(), found);
        Some(answer)
    }
}

/// A kernel returned a value that is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InvalidOutput;

const FOUND: &str = "a kernel is found by the kinds of its shapes";

fn kind(shape: &dyn Shape) -> TypeId {
    let shape: &dyn Any = shape;
    shape.type_id()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use crate::math::parry::shape::{Ball, Cuboid};

    fn kernels() -> PairKernels {
        let mut kernels = PairKernels::default();
        kernels.register(|a: &Ball, b: &Cuboid, b_in_a, _, out| {
            let on_a = Vec3::Y * a.radius;
            let top = b_in_a.translation.y - b.half_extents.y;
            out.push(Vec3::Y * 3.0, on_a, b_in_a.inverse_transform_point(Vec3::Y * top), top - a.radius, 0x0002_0001);
        });
        kernels
    }

    #[test]
    fn a_kernel_serves_both_orders_of_its_kinds_alike() {
        let kernels = kernels();
        let (ball, cuboid) = (Ball::new(1.0), Cuboid::new(Vec3::ONE));
        let b_in_a = Pose::from_parts(Vec3::new(0.3, 1.9, 0.0), Quat::from_rotation_y(0.4));
        let (mut straight, mut turned) = (KernelPoints::default(), KernelPoints::default());
        assert_eq!(kernels.run(&ball, &cuboid, &b_in_a, 0.1, &mut straight), Some(Ok(())));
        assert_eq!(kernels.run(&cuboid, &ball, &b_in_a.inverse(), 0.1, &mut turned), Some(Ok(())));
        let [(normal, p)] = straight.points() else { panic!() };
        let [(other, q)] = turned.points() else { panic!() };
        assert_eq!(*normal, Vec3::Y);
        assert!((*other + b_in_a.rotation.inverse() * Vec3::Y).length() < 1e-6);
        assert!((p.point_a - q.point_b).length() < 1e-6 && (p.point_b - q.point_a).length() < 1e-6);
        assert_eq!((p.feature, q.feature), (0x0002_0001, 0x0001_0002));
        assert_eq!(kernels.run(&ball, &ball, &b_in_a, 0.1, &mut straight), None);
    }

    #[test]
    fn points_beyond_the_prediction_and_numbers_that_are_none_are_left_out() {
        let mut kernels = kernels();
        let (ball, cuboid) = (Ball::new(1.0), Cuboid::new(Vec3::ONE));
        let mut out = KernelPoints::default();
        let far = Pose::from_translation(Vec3::Y * 2.5);
        assert_eq!(kernels.run(&ball, &cuboid, &far, 0.1, &mut out), Some(Ok(())));
        assert!(out.points().is_empty());
        kernels.register(|_: &Ball, _: &Ball, _, _, out| out.push(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 0.0, 0));
        assert_eq!(kernels.run(&ball, &ball, &far, 0.1, &mut out), Some(Err(InvalidOutput)));
    }
}
