//! Tolerances of collision.

use super::QUERY;
use crate::math::Real;
use crate::math::consts::FRAC_1_SQRT_2;

/// Tolerances of coincident points and parallel directions.
pub(crate) struct Geometry {
    /// Distance of two coincident points (m). Larger: real offsets of millimetre-sized bodies
    /// vanish. Smaller: directions are made of rounding.
    pub coincident: Real,
    /// Distance of equal unit normals. Larger: a bent surface counts as flat. Smaller: rounding
    /// counts as a turn.
    pub same_normal: Real,
    /// Distance of equal points of a composite (m). Larger: features that small are lost. Smaller:
    /// corners shared by neighbours fill the manifold twice.
    pub same_point: Real,
}

/// The values.
pub(crate) const GEOMETRY: Geometry = Geometry { coincident: 1e-9, same_normal: 1e-3, same_point: 1e-4 };

/// Tolerances of the separating-axis test.
pub(crate) struct SeparatingAxis {
    /// Hysteresis of the separating axis: share of the least half extent by which another axis must
    /// be better. Larger: the normal lags by that depth. Smaller: it flickers between equal axes.
    pub hysteresis: Real,
    /// Share of the depth across the best face by which a pair of edges of two cuboids must be
    /// shallower. Larger: crossed edges part along a face, too far. Smaller: deep boxes turn about
    /// a single point that jumps from edge to edge.
    pub edge_over_face: Real,
    /// Angle (rad) between an edge-edge normal and a face's up to which the face of equal depth is
    /// taken; half of it if the edges led. Larger: crossed boxes change from one to the other.
    /// Smaller: flush planks meet in a single point that jumps. Also the angle that a shape subtends
    /// on a round surface up to which it meets the tangent plane. Larger: it hovers by an eighth of
    /// that share of its size. Smaller: it rocks on a single point that jumps.
    pub flat_angle: Real,
    /// Squared sine below which the cross product of two edges is no separating axis. Larger:
    /// crossing edges are missed. Smaller: the axis is made of rounding.
    pub parallel_squared_sine: Real,
}

/// The values.
pub(crate) const SEPARATING_AXIS: SeparatingAxis =
    SeparatingAxis { hysteresis: 1e-3, edge_over_face: 0.1, flat_angle: 0.1, parallel_squared_sine: 1e-5 };

/// Tolerances of contact manifolds.
pub(crate) struct Manifold {
    /// Share of a face's size by which a clipped corner may lie outside a side. Larger: points hang
    /// over the edge. Smaller: the features of aligned boxes flicker with rounding.
    pub clip_slack: Real,
    /// Sine of the angle between capsules or edges up to which they touch at two points. Larger:
    /// the points leave the surface. Smaller: a capsule lying on another rocks.
    pub parallel_sine: Real,
    /// Cosine between a face normal and the contact normal above which the face is clipped. Larger:
    /// noise in the normal loses the face. Smaller: faces are clipped that the contact only touches
    /// at their rim.
    pub face_cosine: Real,
}

/// The values.
pub(crate) const MANIFOLD: Manifold = Manifold { clip_slack: 1e-5, parallel_sine: 0.02, face_cosine: 0.999 };

/// Tolerances of GJK.
pub(crate) struct Gjk {
    /// Distance of overlapping cores in GJK, as a share of the largest distance met. Larger: gaps
    /// are taken for overlaps. Smaller: the normal of touching cores is made of rounding.
    pub overlap: f64,
    /// Gap between the bounds of the distance at which GJK ends, as a share of the largest distance
    /// met. Larger: nearest points of rims are off by its root. Smaller: iterations spent on
    /// rounding.
    pub gap: f64,
    /// Overlap, as a share of the smaller shape's size, above which directions besides that between
    /// the centres are tried. Larger: the way out may be longer than the shortest by that much.
    /// Smaller: every contact pays for the search.
    pub deep_overlap: Real,
    /// Gain of separation, as a share of the smaller shape's size, at which the search for the
    /// least overlap ends. Larger: normals on rims are off by its root. Smaller: iterations spent
    /// on rounding.
    pub depth_gain: Real,
}

/// The values.
pub(crate) const GJK: Gjk = Gjk {
    overlap: if size_of::<Real>() == 4 { 1e-7 } else { 1e-13 },
    gap: if size_of::<Real>() == 4 { 3e-7 } else { 3e-13 },
    deep_overlap: 0.02,
    depth_gain: 1e-5,
};

/// Tolerances of internal edges of meshes.
pub(crate) struct InternalEdges {
    /// Greatest growth of the depth of a contact when its normal is projected to what a mesh
    /// allows. Larger: bodies that touch the border of a mesh are thrown over it. Smaller: contacts
    /// near inner edges go missing.
    pub depth_ratio: Real,
}

/// The values.
pub(crate) const INTERNAL_EDGES: InternalEdges = InternalEdges { depth_ratio: 5.0 };

/// `GJK.deep_overlap` for a pair whose last direction is cached: it was optimal when found, and moves
/// with the bodies. Larger and smaller: as there.
pub(crate) const DEEP_OVERLAP_CACHED: Real = 10.0 * GJK.deep_overlap;

/// Thickness of a convex hull, as a share of its length, below which it is refused as flat.
/// Smaller: hulls whose faces `f32` cannot tell apart. Larger: thin plates are refused.
pub(crate) const FLAT_HULL: Real = QUERY.touch;

/// Squared sine below which the nearest points of two segments are also searched from their ends.
/// Larger: only cost. Smaller: rounding misplaces the nearest points.
pub(crate) const SKEW_SQUARED_SINE: Real = MANIFOLD.parallel_sine * MANIFOLD.parallel_sine;

/// `SEPARATING_AXIS.hysteresis` between two faces of cuboids that look against each other. Larger:
/// mirrored stacks diverge, for the lead depends on the order of the shapes. Smaller: it flickers
/// with rounding, hence the large value in `f32`.
pub(crate) const FACE_HYSTERESIS: Real =
    if size_of::<Real>() == 4 { SEPARATING_AXIS.hysteresis } else { 1e-8 * SEPARATING_AXIS.hysteresis };

/// One less the cosine of the angle within which a face normal replaces the direction found between
/// separate shapes. Larger: faces are tried in vain. Smaller: near-parallel faces keep the noise of
/// GJK.
pub(crate) const NORMAL_CONE_SLACK: Real = 0.5 * GEOMETRY.same_normal * GEOMETRY.same_normal;

/// `MANIFOLD.face_cosine` where the normal was projected to the range that a mesh allows at its
/// inner edges: half a right angle.
pub(crate) const PROJECTED_FACE_COSINE: Real = FRAC_1_SQRT_2;

/// Share of a triangle's size by which a point may lie outside it and count as covered. Larger:
/// edges near a face lose their contacts. Smaller: rounding uncovers an inner edge and bodies bump
/// over it.
pub(crate) const INTERNAL_EDGE_SLACK: Real = 10.0 * MANIFOLD.clip_slack;

/// Least length of a normal given by a pair kernel or a contact source. Larger: small normals are
/// refused. Smaller: directions made of rounding are accepted.
pub(crate) const MIN_KERNEL_NORMAL: Real = GEOMETRY.coincident;
