//! Tolerances of collision.

use crate::math::Real;

/// A hull thinner than this fraction of its length is flat (no unit). Lower: hulls whose faces cannot be told apart in
/// `f32`. Higher: thin plates are refused.
pub const FLAT_HULL: Real = 1e-5;

/// Length below which two points are one (m). Larger, it would hide real offsets of millimetre-sized bodies; smaller, a
/// direction would be taken from rounding.
pub const COINCIDENT: crate::math::Real = 1e-9;

/// Squared sine, or ratio of lengths, below which two directions, or two ends, are one. Larger, nearest points of
/// slightly skew segments go astray; smaller, they are divided out of rounding.
pub const SAME_DIRECTION: crate::math::Real = 1e-9;

/// Squared sine below which two segments count as nearly parallel and the nearest points are sought from their ends too.
/// Smaller, rounding misplaces the nearest points; larger, time is lost.
pub const SKEW_SQUARED_SINE: crate::math::Real = 1e-4;

/// How much better another separating axis must be before it replaces a preferred one, as a share of the smaller body's
/// least half extent. Larger, the normal lags behind the geometry by that depth; smaller, it flickers between axes that
/// are equally good.
pub const AXIS_SWITCH: crate::math::Real = 1e-3;

/// As [`AXIS_SWITCH`], between faces of two cuboids that look against each other. In `f64` it is little more than rounding: which of
/// them leads then hangs on how the two stand to each other, not on which comes first, so that mirrored stacks move as mirror
/// images. Larger, these part by the angle between the faces. In `f32` rounding of resting bodies would let the lead flicker.
pub const FACE_SWITCH: crate::math::Real = if size_of::<crate::math::Real>() == 4 { AXIS_SWITCH } else { 1e-11 };

/// How much shallower two cuboids must be across their edges than across a face before the edges are taken, as a share of
/// the depth across the face. Smaller, boxes pressed deep into each other meet in a single point that jumps from edge to
/// edge, turn about it and are squeezed through; larger, crossed edges part along a face and further than they need.
pub const EDGE_OVER_FACE: crate::math::Real = 0.1;

/// How far the normal across two cuboids' edges may lean on that of a face (rad) for the faces to be taken, where these overlap hardly
/// deeper; half of it where the edges were taken before. Smaller, planks that lie on each other meet in a single point that jumps
/// from end to end, and a heap of them never rests; larger, boxes that cross at an angle change from one to the other.
pub const FLAT_LEAN: crate::math::Real = 0.1;

/// Squared sine of the angle between two edges below which their cross product is not tried as an axis. Larger, crossing
/// edges are missed; smaller, the axis is made of rounding.
pub const EDGE_PARALLEL: crate::math::Real = 1e-5;

/// How far outside a side a corner of the incident face may lie and still count as inside, as a share of the face's
/// size. Larger, points hang over the edge; smaller, the features of aligned boxes flicker with rounding.
pub const CLIP_SLACK: crate::math::Real = 1e-5;

/// Sine of the angle between two axes below which capsules, or edges, lie side by side and touch at two points. Larger,
/// the two points leave the surface; smaller, a capsule resting on another one rocks.
pub const CAPSULE_PARALLEL_SINE: crate::math::Real = 0.02;

/// How far the axes of two capsules may part sideways where they lie side by side, as a share of the sum of the radii.
/// Larger, the separations at both ends are wrong; smaller, long capsules at a slight angle rock.
pub const CAPSULE_SIDE_SLIP: crate::math::Real = 0.1;

/// Sine of the angle to the plane of contact up to which both ends of a capsule, or all corners of a rounded face, are
/// contact points. Larger, they leave the surface by the radius times half the angle squared; smaller, a capsule that
/// comes to lie flat finds its second point late.
pub const ROUNDED_SLANT: crate::math::Real = 0.1;

/// Separations this close are equally deep when points are chosen (m). Larger, a deeper point may be passed over by
/// that much; smaller, rounding chooses.
pub const REDUCE_DEPTH_TIE: crate::math::Real = 1e-5;

/// Distances or areas this close, relatively, are equal when points are chosen. Larger, the manifold loses that share of
/// its area; smaller, rounding chooses.
pub const REDUCE_SCORE_TIE: crate::math::Real = 1e-3;

/// Ratio of width to length below which a manifold is a line. Larger, narrow planks lose their width; smaller, points of
/// a line are kept for their rounding.
pub const REDUCE_SLIVER: crate::math::Real = 1e-3;

/// Distance of two cores below which they overlap, as a share of the largest distance met. Larger, gaps are taken for
/// overlaps; smaller, the direction between touching cores is made of rounding.
pub const GJK_OVERLAP: f64 = 1e-7;

/// Gap between the bounds of a distance at which the search ends, as a share of the largest distance met. Larger, the
/// nearest points of rims are off by its root; smaller, steps are spent on rounding of the supports.
pub const GJK_GAP: f64 = 3e-7;

/// Overlap, as a share of the smaller shape's size, above which more than the direction between the centres is
/// tried. Larger, the way out may be longer than the shortest by that much; smaller, every contact pays for the search.
pub const DEEP_OVERLAP: crate::math::Real = 0.02;

/// The same where the direction of the last step is known. It may be larger: that direction was the best when it was
/// found, and moves with the bodies.
pub const DEEP_OVERLAP_KEPT: crate::math::Real = 0.2;

/// Gain in separation, as a share of the smaller shape's size, below which a direction of overlap is good enough. Larger,
/// normals on rims are off by its root; smaller, steps are spent on rounding.
pub const MOVE_GAIN: crate::math::Real = 1e-5;

/// One less the cosine of the angle within which a face's normal may replace a direction found between separate shapes.
/// Larger, faces are tried in vain; smaller, faces nearly parallel keep the noise of the iteration.
pub const FACE_CONE: crate::math::Real = 1e-6;

/// Cosine of the angle to a face's normal up to which the face carries a contact. Smaller, faces that only graze are
/// clipped; larger, noise in the normal loses the face.
pub const FACE_ALIGNED: crate::math::Real = 0.999;

/// The same where the normal was turned to what a composite's part allows.
pub const FACE_ALIGNED_CONSTRAINED: crate::math::Real = 0.7;

/// Distance of two unit normals below which they are the same. Larger, a bent surface counts as flat; smaller, rounding
/// counts as a turn.
pub const NORMAL_KEPT: crate::math::Real = 1e-3;

/// Distance of two unit normals up to which the parts of a composite share one manifold. Larger, bent surfaces are
/// flattened by that angle; smaller, rounding splits a plane into manifolds that each carry too few points.
pub const NORMAL_MERGED: crate::math::Real = 1e-3;

/// Distance up to which two points of a composite are one (m). Larger, features that small are lost; smaller, corners
/// that neighbours share fill the manifold twice.
pub const POINTS_MERGED: crate::math::Real = 1e-4;

/// How far outside a triangle a point may lie and still count as covered by it, as a share of the triangle's size.
/// Larger, edges near a face lose their contacts; smaller, rounding uncovers an inner edge and bodies bump over it.
pub const SEAM_SLACK: crate::math::Real = 1e-4;

/// How many times deeper a contact may become when its normal is turned to what a composite's part allows. Larger, a
/// body grazing a mesh's border is thrown over it; smaller, contacts near inner edges go missing.
pub const FORCED_DEPTH_RATIO: crate::math::Real = 5.0;

/// Depth that a contact with a turned normal may have in any case, as a share of the smaller shape's size. It moves with
/// [`FORCED_DEPTH_RATIO`]: smaller, a corner just over an inner edge loses its contact for a moment.
pub const FORCED_DEPTH_ALLOWANCE: crate::math::Real = 0.02;

/// A normal that a pair kernel or a contact source gives must be longer than this (no unit). Lower: the direction of a normal
/// that is all rounding is believed. Higher: small normals that were never normalised are refused.
pub const KERNEL_NORMAL: Real = 1e-12;

/// What a contact source emits is the contact of the step before, and wakes no parked body, while each point lies no more than
/// this nearer, farther or elsewhere (m, for bodies of about 1 m). Lower: rounding far from the origin never lets bodies rest.
/// Higher: ground may sink away under a body unnoticed.
pub const SOURCE_MOVED: Real = 1e-4;

/// The same for the normal: by its difference (no unit).
pub const SOURCE_TURNED: Real = 1e-3;
