//! Once its buffers have grown to the needs of the pairs, the narrow phase allocates nothing.

use crate::allocations;
use dolmen::contact::kernels::{Geometry, Manifolds, PairCache, collide};
use dolmen::math::parry::shape::{SharedShape, TriMeshFlags};
use dolmen::math::{Pose, Quat, Real, Vec3};

fn shapes() -> Vec<SharedShape> {
    let corners: Vec<Vec3> = (0..24)
        .map(|k| {
            let (height, turn) = (1.0 - (2.0 * k as Real + 1.0) / 24.0, 2.4 * k as Real);
            let radius = (1.0 - height * height).sqrt();
            Vec3::new(radius * turn.cos(), height, radius * turn.sin()) * 0.5
        })
        .collect();
    let ground =
        [Vec3::new(-2.0, 0.0, -2.0), Vec3::new(-2.0, 0.0, 2.0), Vec3::new(2.0, 0.0, 2.0), Vec3::new(2.0, 0.0, -2.0)];
    vec![
        SharedShape::ball(0.4),
        SharedShape::cuboid(0.5, 0.3, 0.7),
        SharedShape::capsule_y(0.5, 0.3),
        SharedShape::convex_hull(&corners).unwrap(),
        SharedShape::cylinder(0.5, 0.4),
        SharedShape::cone(0.5, 0.4),
        SharedShape::round_cuboid(0.4, 0.2, 0.3, 0.1),
        SharedShape::trimesh_with_flags(ground.to_vec(), vec![[0, 1, 2], [0, 2, 3]], TriMeshFlags::FIX_INTERNAL_EDGES)
            .unwrap(),
        SharedShape::compound(vec![
            (Pose::from_translation(Vec3::X * 0.3), SharedShape::ball(0.4)),
            (Pose::from_translation(Vec3::Y * 0.2), SharedShape::cuboid(0.3, 0.2, 0.3)),
        ]),
    ]
}

#[test]
fn a_second_pass_over_the_same_pairs_allocates_nothing() {
    let geometries: Vec<Geometry> = shapes().iter().map(Geometry::from).collect();
    let poses: Vec<Pose> = (0..40)
        .map(|k| {
            let s = k as Real;
            let turn = Quat::from_rotation_x(0.3 * s) * Quat::from_rotation_y(0.7 * s);
            Pose::from_parts(Vec3::new((0.9 * s).sin(), 0.3 + 0.02 * s, (1.3 * s).cos()) * 0.6, turn)
        })
        .collect();
    let mut out = Manifolds::default();
    let mut pass = || {
        let before = allocations::asked();
        let mut points = 0;
        for a in &geometries {
            for b in &geometries {
                for pose in &poses {
                    collide(a, b, pose, 0.02, &mut PairCache::default(), &mut out).unwrap();
                    points += out.as_slice().iter().map(|m| m.points().len()).sum::<usize>();
                }
            }
        }
        (points, allocations::asked() - before)
    };
    let (points, _) = pass();
    assert!(points > 1000, "{points}");
    assert_eq!(pass(), (points, 0));
}
