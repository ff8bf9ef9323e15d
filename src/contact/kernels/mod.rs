//! Contact kernels: pure functions from two shapes and their relative pose to contact points.
//!
//! [`collide`] selects the kernel. Balls, capsules, cuboids and half-spaces have kernels of their
//! own, which allocate nothing and measure from the smaller body. Other convex shapes use GJK and
//! EPA for the normal and polygon clipping for the points. A shape far smaller than the radius of a
//! round one meets its tangent plane. Composites are collided part by part.
//! User-defined [`PairKernels`] take precedence.
//!
//! Points are speculative: points up to `prediction` apart are reported, with positive separations.

mod ball_ball;
mod ball_capsule;
mod ball_cuboid;
mod cache;
mod capsule_capsule;
mod capsule_cuboid;
mod collide;
mod composite;
mod convex;
mod convex_axis;
mod convex_distance;
mod cuboid_axis;
mod cuboid_cuboid;
mod distance;
mod expanding_polytope;
mod feature;
mod geometry;
mod ghost_contacts;
mod gjk;
mod groups;
mod half_space;
mod internal_edges;
mod local_manifold;
mod matching;
mod minkowski;
mod pair_kernels;
mod part_cache;
mod polygon;
mod primitives;
mod query_shape;
mod reduce;
mod rounded_convex;
mod segments;
mod simplex;
mod tangent_plane;

pub use ball_ball::ball_ball;
pub use ball_capsule::capsule_ball;
pub use ball_cuboid::cuboid_ball;
pub use cache::{AxisCache, Corners, PairCache};
pub use capsule_capsule::{CapsuleShape, capsule_capsule};
pub use capsule_cuboid::cuboid_capsule;
pub(crate) use collide::collide_cached;
pub use collide::{Manifolds, UnsupportedPair, collide, collide_with};
pub(crate) use composite::{ShapePart, for_each_part};
pub use convex_distance::Distance;
pub(crate) use convex_distance::convex_distance;
pub use cuboid_cuboid::cuboid_cuboid;
pub use distance::distance;
pub use geometry::Geometry;
pub(crate) use ghost_contacts::{MeshEdge, PredictedPose};
pub use local_manifold::{LocalManifold, LocalPoint};
pub use matching::{FeaturePoint, match_features};
pub use pair_kernels::{KernelPoints, PairKernels};
pub(crate) use part_cache::PartCache;
pub(crate) use query_shape::QueryShape;
pub(crate) use reduce::reduce;
pub(crate) use rounded_convex::{Core, RoundedConvex};
pub(crate) use tangent_plane::meets_tangent_plane;
