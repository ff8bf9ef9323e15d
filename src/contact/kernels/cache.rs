//! What a pair remembers from one call to the next.

use crate::math::Vec3;

/// The axis that decided the last test of two cuboids.
///
/// It is tried first, which ends most tests of pairs that stay apart, and it is preferred among axes that are as good,
/// which keeps the normal from flickering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct AxisCache {
    /// 0 for none; 1 to 3 for the faces of the first cuboid, 4 to 6 for those of the second, and 7 + 3 i + j for the
    /// edge i of the first with the edge j of the second.
    pub(crate) axis: u8,
}

impl AxisCache {
    /// Whether it was one across two edges.
    #[inline]
    pub(crate) fn is_edges(self) -> bool {
        self.axis >= 7
    }
}

/// What a pair remembers from one call of [`collide`](super::collide) to the next. Plain data: it may be copied into
/// a snapshot. A fresh one gives the same contacts up to the choice among equally good ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum PairCache {
    /// Nothing yet.
    #[default]
    Empty,
    /// Two cuboids.
    Axis(AxisCache),
    /// Two other convex shapes.
    Convex {
        /// The last direction of least distance, in the first one's axes.
        direction: Vec3,
        /// The corners that carried the nearest points.
        corners: Corners,
    },
}

/// Up to three corners of two convex shapes, by their numbers, between which their nearest points lay: where the next search
/// begins, and mostly ends. They name the same points however the shapes move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Corners {
    pub(crate) of_a: [u8; 3],
    pub(crate) of_b: [u8; 3],
    pub(crate) count: u8,
}

/// Where a search begins: where it is known, with the corners between which the nearest points of the same cores lay before.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Start {
    /// A guess of the direction from first to second.
    pub direction: Option<Vec3>,
    pub corners: Corners,
}

impl PairCache {
    #[inline]
    pub(crate) fn axis(&self) -> AxisCache {
        if let Self::Axis(axis) = self { *axis } else { AxisCache::default() }
    }

    #[inline]
    pub(crate) fn start(&self) -> Start {
        let Self::Convex { direction, corners } = *self else { return Start::default() };
        Start { direction: Some(direction), corners }
    }
}
