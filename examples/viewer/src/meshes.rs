//! Triangle meshes of colliders. Balls, boxes, cylinders and cones of any size are one mesh each,
//! scaled; each other shape has its own.

use dolmen::glam::Vec3;
use dolmen::math::orthonormal_basis;
use dolmen::parry::shape::{Ball, Cone, Cuboid, Cylinder, Shape, SharedShape, TypedShape};
use std::collections::HashMap;

/// Half the side of the square that stands for a half-space (m).
const PLANE: f32 = 200.0;
/// Number of sides around an axis, and from pole to pole.
const ROUND: (u32, u32) = (20, 12);
/// Cosine of the angle between faces up to which their edge is shaded smooth.
const SMOOTH: f32 = 0.8;

/// Positions with normals, and triples of indices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    pub vertices: Vec<[[f32; 3]; 2]>,
    pub indices: Vec<u32>,
}

/// What shares a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    Ball,
    Cuboid,
    Cylinder,
    Cone,
    /// The address of a shape.
    Own(usize),
}

/// The mesh that a shape uses, and its scale along the axes of the body.
pub fn key(shape: &SharedShape) -> (Key, Vec3) {
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => (Key::Ball, Vec3::splat(ball.radius)),
        TypedShape::Cuboid(cuboid) => (Key::Cuboid, cuboid.half_extents),
        TypedShape::Cylinder(c) => (Key::Cylinder, Vec3::new(c.radius, c.half_height, c.radius)),
        TypedShape::Cone(c) => (Key::Cone, Vec3::new(c.radius, c.half_height, c.radius)),
        _ => (Key::Own(std::sync::Arc::as_ptr(&shape.0) as *const u8 as usize), Vec3::ONE),
    }
}

/// The mesh of a key; `shape` is one that has it.
pub fn mesh(key: Key, shape: &dyn Shape) -> Mesh {
    let triangles = match key {
        Key::Ball => triangles(&Ball::new(1.0)),
        Key::Cuboid => triangles(&Cuboid::new(Vec3::ONE)),
        Key::Cylinder => triangles(&Cylinder::new(1.0, 1.0)),
        Key::Cone => triangles(&Cone::new(1.0, 1.0)),
        Key::Own(_) => triangles(shape),
    };
    shaded(&triangles)
}

/// The triangles of a shape's surface, counter-clockwise seen from outside.
pub fn triangles(shape: &dyn Shape) -> Vec<[Vec3; 3]> {
    let (around, along) = ROUND;
    match shape.as_typed_shape() {
        TypedShape::Ball(ball) => convex(ball.to_trimesh(around, along)),
        TypedShape::Cuboid(cuboid) => convex(cuboid.to_trimesh()),
        TypedShape::Capsule(capsule) => convex(capsule.to_trimesh(around, along)),
        TypedShape::Cylinder(cylinder) => convex(cylinder.to_trimesh(around)),
        TypedShape::Cone(cone) => convex(cone.to_trimesh(around)),
        TypedShape::ConvexPolyhedron(hull) => convex(hull.to_trimesh()),
        TypedShape::Triangle(t) => vec![[t.a, t.b, t.c], [t.a, t.c, t.b]],
        TypedShape::TriMesh(mesh) => listed((mesh.vertices().to_vec(), mesh.indices().to_vec())),
        TypedShape::HeightField(field) => listed(field.to_trimesh()),
        TypedShape::Voxels(voxels) => listed(voxels.to_trimesh()),
        TypedShape::HalfSpace(half_space) => plane(half_space.normal),
        TypedShape::Compound(compound) => {
            let parts = compound.shapes().iter();
            let placed = parts.flat_map(|(pose, part)| {
                triangles(&**part).into_iter().map(move |t| t.map(|corner| pose.transform_point(corner)))
            });
            placed.collect()
        }
        _ => supported(shape),
    }
}

/// Triangles of a convex mesh, turned outward.
fn convex((vertices, indices): (Vec<Vec3>, Vec<[u32; 3]>)) -> Vec<[Vec3; 3]> {
    let centre = vertices.iter().sum::<Vec3>() / vertices.len().max(1) as f32;
    let outward = |t: [Vec3; 3]| if normal(t).dot(t[0] - centre) < 0.0 { [t[0], t[2], t[1]] } else { t };
    listed((vertices, indices)).into_iter().map(outward).collect()
}

fn listed((vertices, indices): (Vec<Vec3>, Vec<[u32; 3]>)) -> Vec<[Vec3; 3]> {
    indices.iter().map(|t| t.map(|i| vertices[i as usize])).collect()
}

/// A square of a half-space's surface around the origin.
fn plane(normal: Vec3) -> Vec<[Vec3; 3]> {
    let (a, b) = orthonormal_basis(normal);
    let corner = |i: f32, j: f32| (a * i + b * j) * PLANE;
    let [p, q, r, s] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
    vec![[p, q, r], [p, r, s]]
}

/// Any other convex shape by its support points in the directions of a ball, any other shape by its
/// box.
fn supported(shape: &dyn Shape) -> Vec<[Vec3; 3]> {
    let (around, along) = ROUND;
    match shape.as_support_map() {
        Some(map) => {
            let (directions, indices) = Ball::new(1.0).to_trimesh(around, along);
            convex((directions.into_iter().map(|d| map.local_support_point(d)).collect(), indices))
        }
        None => {
            let bounds = shape.compute_local_aabb();
            let (vertices, indices) = Cuboid::new(bounds.half_extents()).to_trimesh();
            convex((vertices.into_iter().map(|v| v + bounds.center()).collect(), indices))
        }
    }
}

/// The normal of a triangle, as long as twice its area.
fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a)
}

/// A mesh with a normal at each corner: the mean over the faces at the corner that are nearly in
/// its plane, so that round shapes look round and edges sharp.
fn shaded(triangles: &[[Vec3; 3]]) -> Mesh {
    // Positions of one corner, given by two rounded sums, are one.
    let place = |v: Vec3| (v * 1e4).round().as_ivec3();
    let mut at: HashMap<_, Vec<Vec3>> = HashMap::new();
    for &t in triangles {
        t.iter().for_each(|&corner| at.entry(place(corner)).or_default().push(normal(t)));
    }
    let (mut mesh, mut known) = (Mesh::default(), HashMap::new());
    for &t in triangles {
        let face = normal(t);
        if face == Vec3::ZERO {
            continue;
        }
        for corner in t {
            let near = at[&place(corner)].iter().filter(|n| n.dot(face) >= SMOOTH * n.length() * face.length());
            let vertex = [corner, near.sum::<Vec3>().normalize_or(face.normalize())].map(|v| v.to_array());
            let index = *known.entry(vertex.map(|v| v.map(f32::to_bits))).or_insert_with(|| {
                mesh.vertices.push(vertex);
                mesh.vertices.len() as u32 - 1
            });
            mesh.indices.push(index);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use dolmen::prelude::*;

    /// Half extents of a box with rounded edges without them, and their radius (m).
    const INNER: Vec3 = Vec3::new(0.5, 0.4, 0.3);
    const BORDER: f32 = 0.1;

    fn rock() -> Collider {
        let points: Vec<Vec3> = (0..14)
            .map(|k| {
                let (angle, y) = (k as f32 * 2.1, (k as f32 - 6.5) / 7.0);
                let wide = (1.0 - y * y).sqrt();
                Vec3::new(wide * angle.cos(), y, wide * angle.sin())
            })
            .collect();
        Collider::convex_hull(&points).unwrap()
    }

    fn closed() -> Vec<(&'static str, Collider)> {
        let bar = vec![
            (Vec3::X, Quat::IDENTITY, Collider::ball(0.5)),
            (Vec3::NEG_X, Quat::from_rotation_z(1.0), Collider::capsule(0.3, 0.4)),
        ];
        vec![
            ("ball", Collider::ball(0.7)),
            ("cuboid", Collider::cuboid(0.5, 1.0, 2.0)),
            ("capsule", Collider::capsule(0.5, 0.25)),
            ("cylinder", Collider::cylinder(0.5, 0.8)),
            ("cone", Collider::cone(0.5, 0.8)),
            ("hull", rock()),
            ("round", Collider(SharedShape::round_cuboid(INNER.x, INNER.y, INNER.z, BORDER))),
            ("compound", Collider::compound(bar).unwrap()),
        ]
    }

    #[test]
    fn meshes_of_solids_lie_on_their_surface_and_enclose_their_volume() {
        for (name, collider) in closed() {
            let shape = collider.shape();
            let triangles = triangles(&**shape);
            for corner in triangles.iter().flatten() {
                // Parry projects onto shapes with rounded edges less exactly than this.
                let off = match name {
                    "round" => (*corner - corner.clamp(-INNER, INNER)).length() - BORDER,
                    _ => (shape.project_local_point(*corner, false).point - *corner).length(),
                };
                assert!(off.abs() < 1e-4, "{name}: {corner} is {off} m off");
            }
            let volume: f32 = triangles.iter().map(|[a, b, c]| a.dot(b.cross(*c)) / 6.0).sum();
            let real = match name {
                "round" => {
                    let [a, b, c] = (2.0 * INNER).to_array();
                    let (faces, edges) = (2.0 * (a * b + b * c + c * a), std::f32::consts::PI * (a + b + c));
                    a * b * c + BORDER * (faces + BORDER * (edges + BORDER * 4.0 / 3.0 * std::f32::consts::PI))
                }
                _ => shape.mass_properties(1.0).mass(),
            };
            assert!(volume > 0.9 * real && volume < 1.001 * real, "{name}: {volume} of {real}");
        }
    }

    #[test]
    fn open_surfaces_are_drawn_from_their_outside() {
        let heights: Vec<f32> = (0..12).map(|i| 0.1 * (i % 3) as f32).collect();
        let corners = [[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [1.0, 0.5, 1.0], [-1.0, 0.5, 1.0]].map(Vec3::from);
        for (name, collider) in [
            ("field", Collider::heightfield(3, 4, &heights, Vec3::new(4.0, 1.0, 3.0)).unwrap()),
            ("mesh", Collider::trimesh(corners.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).unwrap()),
            ("plane", Collider::half_space(Vec3::Y)),
        ] {
            let triangles = triangles(&**collider.shape());
            assert!(!triangles.is_empty() && triangles.iter().all(|&t| normal(t).y > 0.0), "{name}");
        }
    }

    #[test]
    fn edges_are_sharp_and_round_sides_smooth() {
        let cuboid = mesh(Key::Cuboid, &Cuboid::new(Vec3::ONE));
        assert_eq!((cuboid.vertices.len(), cuboid.indices.len()), (24, 36));
        assert!(cuboid.vertices.iter().all(|[_, n]| n.iter().filter(|x| x.abs() > 0.999).count() == 1));
        let ball = mesh(Key::Ball, &Ball::new(1.0));
        for [position, normal] in &ball.vertices {
            assert!(Vec3::from(*position).dot(Vec3::from(*normal)) > 0.98, "{position:?} {normal:?}");
        }
    }

    #[test]
    fn equal_kinds_of_all_sizes_share_a_mesh_and_others_have_their_own() {
        let [a, b] = [Collider::cuboid(1.0, 2.0, 3.0), Collider::cuboid(0.1, 0.2, 0.3)];
        assert_eq!(key(a.shape()).0, key(b.shape()).0);
        assert_eq!(key(b.shape()).1, Vec3::new(0.1, 0.2, 0.3));
        let [a, b] = [rock(), rock()];
        assert_ne!(key(a.shape()).0, key(b.shape()).0);
        assert_eq!(key(a.shape()).0, key(a.clone().shape()).0);
    }
}
