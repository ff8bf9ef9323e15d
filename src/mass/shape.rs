//! Mass properties of parry shapes.

use glam::{DQuat, DVec3};

use super::{
    MassError, MassProperties, combine,
    error::positive,
    revolution::{rounded_cone, rounded_cylinder},
    rounded_mesh, solid_mesh, solids,
};
use crate::math::{
    Vec3,
    parry::{
        math::Pose,
        shape::{Cuboid, Shape, TypedShape, Voxels},
    },
    to_f64,
};

/// Corners of a box by the bits of their index: x, y, z.
pub(crate) const BOX_TRIANGLES: [[u32; 3]; 12] = [
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
];

/// Mass properties of any parry shape of uniform `density` (kg/m³), in the shape's axes and about
/// its origin.
///
/// Basic solids use closed forms, rounded ones are exact too, convex polyhedra and triangle meshes
/// are solids, and voxels and compounds are summed part by part (overlaps count twice). A custom
/// shape provides its own (`Shape::mass_properties`), in the engine's scalar.
///
/// # Errors
/// [`MassError::Unbounded`] for a half-space, [`MassError::NoVolume`] for a height field, a
/// segment, a polyline or a flat triangle, those of [`solid_mesh`] for an open or wrongly wound
/// mesh, [`MassError::Part`] for a part of a compound.
///
/// ```
/// # #[cfg(not(feature = "f64"))] {
/// use dolmen::{mass::{of_shape, MassError}, math::parry::shape::{Ball, HalfSpace}, math::Vec3};
/// let ball = of_shape(&Ball::new(0.5), 1000.0).unwrap();
/// assert!((ball.principal.x - 0.4 * ball.mass * 0.25).abs() < 1e-12);
/// assert_eq!(of_shape(&HalfSpace::new(Vec3::Y), 1.0), Err(MassError::Unbounded { shape: "half-space" }));
/// # }
/// ```
pub fn of_shape(shape: &dyn Shape, density: f64) -> Result<MassProperties, MassError> {
    positive("density", density)?;
    match shape.as_typed_shape() {
        TypedShape::Ball(s) => solids::ball(f64::from(s.radius), density),
        TypedShape::Cuboid(s) => solids::cuboid(to_f64(s.half_extents), density),
        TypedShape::Capsule(s) => {
            solids::capsule(to_f64(s.segment.a), to_f64(s.segment.b), f64::from(s.radius), density)
        }
        TypedShape::Cylinder(s) => solids::cylinder(f64::from(s.half_height), f64::from(s.radius), density),
        TypedShape::Cone(s) => solids::cone(f64::from(s.half_height), f64::from(s.radius), density),
        TypedShape::ConvexPolyhedron(s) => {
            let (vertices, triangles) = s.to_trimesh();
            solid_mesh(&in_f64(&vertices), &triangles, density)
        }
        TypedShape::TriMesh(s) => solid_mesh(&in_f64(s.vertices()), s.indices(), density),
        TypedShape::Voxels(s) => voxels(s, density),
        TypedShape::Compound(s) => {
            let parts = s.shapes().iter().enumerate().map(|(part, (pose, shape))| match of_shape(&**shape, density) {
                Ok(body) => Ok(moved(&body, pose)),
                Err(error) => Err(MassError::Part { part, error: Box::new(error) }),
            });
            combine(&parts.collect::<Result<Vec<_>, _>>()?)
        }
        TypedShape::RoundCuboid(s) => {
            rounded_mesh(&box_corners(&s.inner_shape), &BOX_TRIANGLES, f64::from(s.border_radius), density)
        }
        TypedShape::RoundTriangle(s) => {
            let corners = [s.inner_shape.a, s.inner_shape.b, s.inner_shape.c];
            rounded_mesh(&in_f64(&corners), &[[0, 1, 2], [0, 2, 1]], f64::from(s.border_radius), density)
        }
        TypedShape::RoundCylinder(s) => {
            let inner = &s.inner_shape;
            rounded_cylinder(f64::from(inner.half_height), f64::from(inner.radius), f64::from(s.border_radius), density)
        }
        TypedShape::RoundCone(s) => {
            let inner = &s.inner_shape;
            rounded_cone(f64::from(inner.half_height), f64::from(inner.radius), f64::from(s.border_radius), density)
        }
        TypedShape::RoundConvexPolyhedron(s) => {
            let (vertices, triangles) = s.inner_shape.to_trimesh();
            rounded_mesh(&in_f64(&vertices), &triangles, f64::from(s.border_radius), density)
        }
        TypedShape::HalfSpace(_) => Err(MassError::Unbounded { shape: "half-space" }),
        TypedShape::HeightField(_) => Err(MassError::NoVolume { shape: "height field" }),
        TypedShape::Triangle(_) => Err(MassError::NoVolume { shape: "triangle" }),
        TypedShape::Segment(_) => Err(MassError::NoVolume { shape: "segment" }),
        TypedShape::Polyline(_) => Err(MassError::NoVolume { shape: "polyline" }),
        TypedShape::Custom(s) => custom(s, density),
    }
}

fn in_f64(vertices: &[Vec3]) -> Vec<DVec3> {
    vertices.iter().map(|&v| to_f64(v)).collect()
}

/// Applies a pose of the engine's scalar in `f64`: its quaternion has unit length to the engine's
/// precision only.
fn moved(body: &MassProperties, pose: &Pose) -> MassProperties {
    let q = pose.rotation;
    let rotation = DQuat::from_xyzw(f64::from(q.x), f64::from(q.y), f64::from(q.z), f64::from(q.w)).normalize();
    body.moved(rotation, to_f64(pose.translation))
}

/// Corners of a box, by the bits of their index.
pub(crate) fn box_corners(shape: &Cuboid) -> [DVec3; 8] {
    let half = to_f64(shape.half_extents);
    std::array::from_fn(|i| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * DVec3::new(sign(0), sign(1), sign(2))
    })
}

fn voxels(shape: &Voxels, density: f64) -> Result<MassProperties, MassError> {
    let one = solids::cuboid(to_f64(shape.voxel_size()) * 0.5, density)?;
    let filled = shape.voxels().filter(|voxel| !voxel.state.is_empty());
    combine(&filled.map(|voxel| MassProperties { center: to_f64(voxel.center), ..one }).collect::<Vec<_>>())
}

fn custom(shape: &dyn Shape, density: f64) -> Result<MassProperties, MassError> {
    let own = shape.mass_properties(density as crate::math::Real);
    let q = own.principal_inertia_local_frame;
    let inverse = to_f64(own.inv_principal_inertia);
    if own.inv_mass <= 0.0 {
        return Err(MassError::NoVolume { shape: "custom shape that gives no mass" });
    }
    let body = MassProperties {
        mass: 1.0 / f64::from(own.inv_mass),
        center: to_f64(own.local_com),
        principal: DVec3::ONE / inverse,
        frame: DQuat::from_xyzw(f64::from(q.x), f64::from(q.y), f64::from(q.z), f64::from(q.w)).normalize(),
    };
    body.validate()?;
    Ok(body)
}
