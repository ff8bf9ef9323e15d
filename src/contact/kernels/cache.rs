//! Caches of a pair between calls.

use crate::math::Vec3;

/// Separating axis of the last test of two cuboids.
///
/// It is tried first, which ends most tests of pairs that stay apart. It is preferred among equal
/// axes, which keeps the normal from flickering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct AxisCache {
    /// 0 for none; 1 to 3 for the faces of the first cuboid, 4 to 6 for those of the second, and
    /// `7 + 3 i + j` for the edge i of the first with the edge j of the second.
    pub(crate) axis: u8,
}

impl AxisCache {
    /// True if it is a cross product of two edges.
    #[inline]
    pub(crate) fn is_edges(self) -> bool {
        self.axis >= 7
    }
}

/// Cache of a pair between calls of [`collide`](super::collide). Plain data: it may be copied into
/// a snapshot. An empty one gives the same contacts up to the choice among equal ones.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum PairCache {
    /// Empty.
    #[default]
    Empty,
    /// Two cuboids.
    Axis(AxisCache),
    /// Two other convex shapes.
    Convex {
        /// The last direction of least distance, in the first one's axes.
        direction: Vec3,
        /// The corners that supported the closest points.
        corners: Corners,
    },
}

/// Up to three corners of two convex shapes, by their numbers, that supported their closest points:
/// warm start of the next search. They stay valid however the shapes move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Corners {
    pub(crate) of_a: [u8; 3],
    pub(crate) of_b: [u8; 3],
    pub(crate) count: u8,
}

/// Warm start of a search: a direction, and the corners that supported the closest points of the
/// same cores.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SearchStart {
    /// Guess of the direction from first to second.
    pub direction: Option<Vec3>,
    pub corners: Corners,
}

impl PairCache {
    #[inline]
    pub(crate) fn axis(&self) -> AxisCache {
        if let Self::Axis(axis) = self { *axis } else { AxisCache::default() }
    }

    #[inline]
    pub(crate) fn start(&self) -> SearchStart {
        let Self::Convex { direction, corners } = *self else { return SearchStart::default() };
        SearchStart { direction: Some(direction), corners }
    }
}
