//! Tolerances of collision.

use crate::math::Real;

/// Thickness of a convex hull, as a share of its length, below which it is refused as flat.
/// Smaller: hulls whose faces `f32` cannot tell apart. Larger: thin plates are refused.
pub const FLAT_HULL: Real = 1e-5;

/// Distance of two coincident points (m). Larger: real offsets of millimetre-sized bodies vanish.
/// Smaller: directions are made of rounding.
pub const COINCIDENT: crate::math::Real = 1e-9;

/// Squared sine of parallel directions, and ratio of lengths of coincident ends. Larger: nearest
/// points of slightly skew segments go astray. Smaller: they are divided out of rounding.
pub const SAME_DIRECTION: crate::math::Real = 1e-9;

/// Squared sine below which the nearest points of two segments are also searched from their ends.
/// Larger: only cost. Smaller: rounding misplaces the nearest points.
pub const SKEW_SQUARED_SINE: crate::math::Real = 1e-4;

/// Hysteresis of the separating axis: share of the least half extent by which another axis must be
/// better. Larger: the normal lags by that depth. Smaller: it flickers between equal axes.
pub const AXIS_SWITCH: crate::math::Real = 1e-3;

/// [`AXIS_SWITCH`] between two faces of cuboids that look against each other. Larger: mirrored
/// stacks diverge, for the lead depends on the order of the shapes. Smaller: it flickers with
/// rounding, hence the large value in `f32`.
pub const FACE_SWITCH: crate::math::Real = if size_of::<crate::math::Real>() == 4 { AXIS_SWITCH } else { 1e-11 };

/// Share of the depth across the best face by which a pair of edges of two cuboids must be
/// shallower. Larger: crossed edges part along a face, too far. Smaller: deep boxes turn about a
/// single point that jumps from edge to edge.
pub const EDGE_OVER_FACE: crate::math::Real = 0.1;

/// Angle (rad) between an edge-edge normal and a face's up to which the face of equal depth is
/// taken; half of it if the edges led. Larger: crossed boxes change from one to the other. Smaller:
/// flush planks meet in a single point that jumps.
pub const FLAT_LEAN: crate::math::Real = 0.1;

/// Squared sine below which the cross product of two edges is no separating axis. Larger: crossing
/// edges are missed. Smaller: the axis is made of rounding.
pub const EDGE_PARALLEL: crate::math::Real = 1e-5;

/// Share of a face's size by which a clipped corner may lie outside a side. Larger: points hang
/// over the edge. Smaller: the features of aligned boxes flicker with rounding.
pub const CLIP_SLACK: crate::math::Real = 1e-5;

/// Sine of the angle between capsules or edges up to which they touch at two points. Larger: the
/// points leave the surface. Smaller: a capsule lying on another rocks.
pub const CAPSULE_PARALLEL_SINE: crate::math::Real = 0.02;

/// Sideways offset of the axes of parallel capsules, as a share of the sum of radii, up to which
/// both ends share a normal. Larger: wrong separations at the ends. Smaller: long capsules at a
/// slight angle rock.
pub const CAPSULE_SIDE_SLIP: crate::math::Real = 0.1;

/// Sine of the angle to the contact plane up to which both ends of a capsule, or all corners of a
/// rounded face, are contact points. Larger: they leave the surface. Smaller: a capsule that comes
/// to lie flat finds its second point late.
pub const ROUNDED_SLANT: crate::math::Real = 0.1;

/// Difference of equal separations when points are chosen (m). Larger: a point deeper by that much
/// may be dropped. Smaller: rounding chooses.
pub const REDUCE_DEPTH_TIE: crate::math::Real = 1e-5;

/// Relative difference of equal distances or areas when points are chosen. Larger: the manifold
/// loses that share of its area. Smaller: rounding chooses.
pub const REDUCE_SCORE_TIE: crate::math::Real = 1e-3;

/// Ratio of width to length below which a manifold is a line. Larger: narrow planks lose their
/// width. Smaller: collinear points are kept for their rounding.
pub const REDUCE_SLIVER: crate::math::Real = 1e-3;

/// Distance of overlapping cores in GJK, as a share of the largest distance met. Larger: gaps are
/// taken for overlaps. Smaller: the normal of touching cores is made of rounding.
pub const GJK_OVERLAP: f64 = 1e-7;

/// Gap between the bounds of the distance at which GJK ends, as a share of the largest distance
/// met. Larger: nearest points of rims are off by its root. Smaller: iterations spent on rounding.
pub const GJK_GAP: f64 = 3e-7;

/// Overlap, as a share of the smaller shape's size, above which directions besides that between the
/// centres are tried. Larger: the way out may be longer than the shortest by that much. Smaller:
/// every contact pays for the search.
pub const DEEP_OVERLAP: crate::math::Real = 0.02;

/// [`DEEP_OVERLAP`] for a pair whose last direction is cached: it was optimal when found, and moves
/// with the bodies. Larger and smaller: as there.
pub const DEEP_OVERLAP_KEPT: crate::math::Real = 0.2;

/// Gain of separation, as a share of the smaller shape's size, at which the search for the least
/// overlap ends. Larger: normals on rims are off by its root. Smaller: iterations spent on
/// rounding.
pub const MOVE_GAIN: crate::math::Real = 1e-5;

/// One less the cosine of the angle within which a face normal replaces the direction found between
/// separate shapes. Larger: faces are tried in vain. Smaller: near-parallel faces keep the noise of
/// GJK.
pub const FACE_CONE: crate::math::Real = 1e-6;

/// Cosine between a face normal and the contact normal above which the face is clipped. Larger:
/// noise in the normal loses the face. Smaller: faces are clipped that the contact only touches at
/// their rim.
pub const FACE_ALIGNED: crate::math::Real = 0.999;

/// [`FACE_ALIGNED`] where the normal was projected to the range that a mesh allows at its inner
/// edges.
pub const FACE_ALIGNED_CONSTRAINED: crate::math::Real = 0.7;

/// Distance of equal unit normals. Larger: a bent surface counts as flat. Smaller: rounding counts
/// as a turn.
pub const NORMAL_KEPT: crate::math::Real = 1e-3;

/// Distance of unit normals up to which parts of a composite share a manifold. Larger: bent
/// surfaces are flattened by that angle. Smaller: rounding splits a plane into manifolds of too few
/// points.
pub const NORMAL_MERGED: crate::math::Real = 1e-3;

/// Distance of equal points of a composite (m). Larger: features that small are lost. Smaller:
/// corners shared by neighbours fill the manifold twice.
pub const POINTS_MERGED: crate::math::Real = 1e-4;

/// Share of a triangle's size by which a point may lie outside it and count as covered. Larger:
/// edges near a face lose their contacts. Smaller: rounding uncovers an inner edge and bodies bump
/// over it.
pub const SEAM_SLACK: crate::math::Real = 1e-4;

/// Greatest growth of the depth of a contact when its normal is projected to what a mesh allows.
/// Larger: bodies that touch the border of a mesh are thrown over it. Smaller: contacts near inner
/// edges go missing.
pub const FORCED_DEPTH_RATIO: crate::math::Real = 5.0;

/// Depth that a contact with a projected normal may always have, as a share of the smaller shape's
/// size. Larger: as [`FORCED_DEPTH_RATIO`]. Smaller: a corner just over an inner edge loses its
/// contact for a moment.
pub const FORCED_DEPTH_ALLOWANCE: crate::math::Real = 0.02;

/// Least length of a normal given by a pair kernel or a contact source. Larger: small normals are
/// refused. Smaller: directions made of rounding are accepted.
pub const KERNEL_NORMAL: Real = 1e-12;

/// Displacement of the points of an emitted contact up to which it is unchanged and wakes no
/// sleeping body (m, at unit length). Larger: ground may sink unnoticed. Smaller: rounding far from
/// the origin keeps bodies awake.
pub const SOURCE_MOVED: Real = 1e-4;

/// [`SOURCE_MOVED`] for the normal: distance of unit normals.
pub const SOURCE_TURNED: Real = 1e-3;
