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
    /// A core, and the radius of the border about it (m), as of the next four.
    RoundCuboid(Vec3, Real),
    RoundCylinder(Real, Real, Real),
    RoundCone(Real, Real, Real),
    RoundHull(Vec<Vec3>, Real),
    RoundTriangle([Vec3; 3], Real),
    Triangle([Vec3; 3]),
    Segment([Vec3; 2]),
    Polyline(Vec<Vec3>),
    /// Sizes of a cell (m), and the cells.
    Voxels(Vec3, Vec<[i32; 3]>),
    /// A shape, and the factors along its axes.
    Scaled(Box<Shape>, Vec3),
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
            Self::RoundCuboid(half, border) => Collider::round_cuboid(half.x, half.y, half.z, *border),
            Self::RoundCylinder(half, radius, border) => Collider::round_cylinder(*half, *radius, *border),
            Self::RoundCone(half, radius, border) => Collider::round_cone(*half, *radius, *border),
            Self::RoundHull(points, border) => Collider::round_convex_hull(points, *border)?,
            Self::RoundTriangle([a, b, c], border) => Collider::round_triangle(*a, *b, *c, *border),
            Self::Triangle([a, b, c]) => Collider::triangle(*a, *b, *c),
            Self::Segment([a, b]) => Collider::segment(*a, *b),
            Self::Polyline(vertices) => Collider::polyline(vertices.clone(), None)?,
            Self::Voxels(size, cells) => Collider::voxels(*size, cells)?,
            Self::Scaled(shape, by) => shape.collider()?.scaled(*by)?,
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
            Self::RoundCuboid(half, border) => half.length() + border,
            Self::RoundCylinder(half, radius, border) | Self::RoundCone(half, radius, border) => {
                half.hypot(*radius) + border
            }
            Self::RoundHull(points, border) => farthest(points) + border,
            Self::RoundTriangle(corners, border) => farthest(corners) + border,
            Self::Triangle(corners) => farthest(corners),
            Self::Segment(ends) => farthest(ends),
            Self::Polyline(vertices) => farthest(vertices),
            Self::Voxels(size, cells) => {
                let farthest = |at: i32| (at as Real).abs().max((at as Real + 1.0).abs());
                let corner = |cell: &[i32; 3]| (Vec3::from(cell.map(farthest)) * size).length();
                cells.iter().map(corner).fold(0.0, Real::max)
            }
            Self::Scaled(shape, by) => shape.reach() * by.abs().max_element(),
        }
    }

    /// True if the origin lies inside for certain.
    pub fn holds_origin(&self) -> bool {
        match self {
            Self::Ball(_) | Self::Cuboid(_) | Self::Capsule(..) | Self::Cylinder(..) | Self::Cone(..) => true,
            Self::RoundCuboid(..) | Self::RoundCylinder(..) | Self::RoundCone(..) => true,
            Self::Scaled(shape, _) => shape.holds_origin(),
            _ => false,
        }
    }

    /// True if a body of this shape has mass properties of its own.
    pub fn is_solid(&self) -> bool {
        match self {
            Self::HalfSpace(_) | Self::Mesh(..) | Self::Field { .. } => false,
            Self::Triangle(_) | Self::Segment(_) | Self::Polyline(_) => false,
            Self::Scaled(shape, _) => shape.is_solid(),
            _ => true,
        }
    }
}
