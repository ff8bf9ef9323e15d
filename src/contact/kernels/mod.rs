//! Contact kernels: from two shapes and their relative pose to the points where they touch. Pure laws.
//!
//! [`collide`] picks the kernel. Balls, capsules, cuboids and half-spaces have their own, which allocate nothing and
//! work relative to the smaller body. Other convex shapes go through parry's GJK and EPA for a direction, and through
//! our own clipping for the points. Composites are collided part by part. [`PairKernels`] of the game's own come before all.
//!
//! Points are speculative: those at most `prediction` apart are reported, with positive separations.

mod axis;
mod ball_ball;
mod ball_capsule;
mod ball_cuboid;
mod cache;
mod capsule_capsule;
mod capsule_cuboid;
mod collide;
mod composite;
mod convex;
mod cuboid_axis;
mod cuboid_cuboid;
mod custom;
mod distance;
mod feature;
mod form;
mod geometry;
mod gjk;
mod graze;
mod half_space;
mod local;
mod matching;
mod memory;
mod polygon;
mod reduce;
mod seams;
mod segments;
mod simplex;
mod solid;

pub use ball_ball::ball_ball;
pub use ball_capsule::capsule_ball;
pub use ball_cuboid::cuboid_ball;
pub use cache::{AxisCache, Corners, PairCache};
pub use capsule_capsule::{CapsuleShape, capsule_capsule};
pub use capsule_cuboid::cuboid_capsule;
pub(crate) use collide::collide_remembering;
pub use collide::{Manifolds, UnsupportedPair, collide, collide_with};
pub(crate) use composite::{Part, for_parts};
pub use cuboid_cuboid::cuboid_cuboid;
pub use custom::{PairKernels, Touches};
pub(crate) use distance::between;
pub use distance::{Distance, distance};
pub(crate) use form::Form;
pub use geometry::Geometry;
pub(crate) use graze::Ahead;
pub use local::{LocalManifold, LocalPoint};
pub use matching::{FeaturePoint, match_features};
pub(crate) use memory::PartsMemory;
pub(crate) use reduce::reduce;
pub(crate) use solid::Solid;
