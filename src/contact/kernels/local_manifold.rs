//! Output of a contact kernel: a manifold in the frames of the two shapes.

use super::feature;
use crate::contact::MAX_POINTS;
use crate::math::{Pose, Real, Vec3};

/// Point of a [`LocalManifold`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalPoint {
    /// Point on the first shape's surface, in that shape's frame (m).
    pub point_a: Vec3,
    /// Point on the second shape's surface, in that shape's frame (m).
    pub point_b: Vec3,
    /// Distance from the first surface to the second along the normal (m): negative where they
    /// overlap.
    pub separation: Real,
    /// Feature of the first shape (upper half) and of the second (lower half).
    pub feature: u32,
}

/// Up to [`MAX_POINTS`] points with one normal where two shapes touch or are about to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LocalManifold {
    /// Unit normal in the first shape's axes, from the first shape towards the second.
    pub normal: Vec3,
    /// The number of points in use.
    pub count: u32,
    /// The points. Entries from `count` on are unspecified.
    pub points: [LocalPoint; MAX_POINTS],
    /// Without points: a lower bound of the distance of the shapes (m); else 0.
    pub clearance: Real,
}

impl LocalManifold {
    /// No contact. `clearance` is a lower bound of the distance of the shapes (m).
    #[inline]
    pub(crate) fn apart(clearance: Real) -> Self {
        Self { clearance, ..Self::default() }
    }

    /// A manifold without points.
    #[inline]
    pub fn with_normal(normal: Vec3) -> Self {
        Self { normal, ..Self::default() }
    }

    /// The points in use.
    #[inline]
    pub fn points(&self) -> &[LocalPoint] {
        &self.points[..self.count as usize]
    }

    /// The points in use.
    #[inline]
    pub fn points_mut(&mut self) -> &mut [LocalPoint] {
        &mut self.points[..self.count as usize]
    }

    /// Adds a point. The manifold must hold fewer than [`MAX_POINTS`].
    #[inline]
    pub(crate) fn push(&mut self, point: LocalPoint) {
        self.points[self.count as usize] = point;
        self.count += 1;
    }

    /// The least separation (m), or infinity without points.
    #[inline]
    pub fn deepest(&self) -> Real {
        self.points().iter().fold(Real::INFINITY, |least, p| least.min(p.separation))
    }

    /// The same contact with the shapes exchanged. `a_in_b` is the pose of the first shape in the
    /// frame of the second.
    pub fn mirrored(&self, a_in_b: &Pose) -> Self {
        let mut out = Self::with_normal(-(a_in_b.rotation * self.normal));
        for p in self.points() {
            out.push(LocalPoint {
                point_a: p.point_b,
                point_b: p.point_a,
                separation: p.separation,
                feature: feature::mirrored(p.feature),
            });
        }
        out
    }
}
