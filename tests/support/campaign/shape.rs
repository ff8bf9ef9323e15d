//! Shapes as plain data.

use dolmen::ShapeError;
use dolmen::components::Collider;
use dolmen::math::{Quat, Real, Vec3};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    Ball(Real),
    Cuboid(Vec3),
    /// Half the height and the radius, as of the next two.
    Capsule(Real, Real),
    Cylinder(Real, Real),
    Cone(Real, Real),
    Hull(Vec<Vec3>),
    HalfSpace(Vec3),
    Mesh(Vec<Vec3>, Vec<[u32; 3]>),
    /// Heights row by row, and the scale.
    Field {
        rows: usize,
        columns: usize,
        heights: Vec<Real>,
        scale: Vec3,
    },
    Compound(Vec<(Vec3, Quat, Shape)>),
}

impl Shape {
    pub fn collider(&self) -> Result<Collider, ShapeError> {
        Ok(match self {
            Self::Ball(radius) => Collider::ball(*radius),
            Self::Cuboid(half) => Collider::cuboid(half.x, half.y, half.z),
            Self::Capsule(half, radius) => Collider::capsule(*half, *radius),
            Self::Cylinder(half, radius) => Collider::cylinder(*half, *radius),
            Self::Cone(half, radius) => Collider::cone(*half, *radius),
            Self::Hull(points) => Collider::convex_hull(points)?,
            Self::HalfSpace(normal) => Collider::half_space(*normal),
            Self::Mesh(vertices, indices) => Collider::trimesh(vertices.clone(), indices.clone())?,
            Self::Field { rows, columns, heights, scale } => Collider::heightfield(*rows, *columns, heights, *scale)?,
            Self::Compound(parts) => {
                let made = parts.iter().map(|(at, turned, part)| Ok((*at, *turned, part.collider()?)));
                Collider::compound(made.collect::<Result<_, _>>()?)?
            }
        })
    }

    /// Radius of a ball about the origin that contains it (m).
    pub fn reach(&self) -> Real {
        let farthest = |points: &[Vec3]| points.iter().fold(0.0, |most: Real, p| most.max(p.length()));
        match self {
            Self::Ball(radius) => *radius,
            Self::Cuboid(half) => half.length(),
            Self::Capsule(half, radius) => half + radius,
            Self::Cylinder(half, radius) | Self::Cone(half, radius) => half.hypot(*radius),
            Self::Hull(points) | Self::Mesh(points, _) => farthest(points),
            Self::HalfSpace(_) => Real::INFINITY,
            Self::Field { heights, scale, .. } => {
                let height = heights.iter().fold(0.0, |most: Real, h| most.max(h.abs()));
                Vec3::new(scale.x, height * scale.y, scale.z).length()
            }
            Self::Compound(parts) => {
                parts.iter().fold(0.0, |most: Real, (at, _, part)| most.max(at.length() + part.reach()))
            }
        }
    }

    /// True if the origin lies inside for certain.
    pub fn holds_origin(&self) -> bool {
        matches!(self, Self::Ball(_) | Self::Cuboid(_) | Self::Capsule(..) | Self::Cylinder(..) | Self::Cone(..))
    }

    /// True if a body of this shape has mass properties of its own.
    pub fn is_solid(&self) -> bool {
        !matches!(self, Self::HalfSpace(_) | Self::Mesh(..) | Self::Field { .. })
    }
}
