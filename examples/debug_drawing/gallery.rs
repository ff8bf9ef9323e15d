//! One of each: shapes of every kind and joints of every kind.

use dolmen::math::parry::bounding_volume::Aabb;
use dolmen::math::parry::shape::{Ball, RoundShape, Segment, SharedShape, Triangle, Voxels};
use dolmen::math::{
    Pose,
    consts::{FRAC_PI_2, TAU},
};
use dolmen::prelude::*;

/// A torus about y, with its own drawing.
pub struct Torus {
    /// Radius of the centre circle (m).
    pub major: Real,
    /// Radius of the tube (m).
    pub minor: Real,
}

impl CustomShape for Torus {
    fn bounds(&self) -> Aabb {
        let out = self.major + self.minor;
        Aabb::from_half_extents(Vec3::ZERO, Vec3::new(out, self.minor, out))
    }

    fn draw(&self, line: &mut dyn FnMut(Vec3, Vec3)) -> bool {
        const PIECES: u32 = 24;
        let at = |around: u32, about: u32| {
            let [along, across] = [around, about].map(|k| TAU * k as Real / PIECES as Real);
            let out = self.major + self.minor * across.cos();
            Vec3::new(out * along.cos(), self.minor * across.sin(), out * along.sin())
        };
        for k in 0..PIECES {
            for fixed in [0, PIECES / 4, PIECES / 2, 3 * PIECES / 4] {
                line(at(k, fixed), at(k + 1, fixed));
                line(at(fixed, k), at(fixed, k + 1));
            }
        }
        true
    }
}

/// A box of which nothing is known but its bounds.
pub struct Crate;

impl CustomShape for Crate {
    fn bounds(&self) -> Aabb {
        Aabb::new(Vec3::new(-0.3, -0.2, -0.4), Vec3::new(0.5, 0.3, 0.2))
    }
}

/// Physics that takes all shapes of [`shapes`]: those without a kernel of their own pass through balls.
pub fn physics() -> Physics {
    let mut physics = Physics::default();
    physics.kernels.register(|_: &Voxels, _: &Ball, _, _, _| {});
    physics.kernels.register(|_: &Custom<Torus>, _: &Ball, _, _, _| {});
    physics.kernels.register(|_: &Custom<Crate>, _: &Ball, _, _, _| {});
    physics
}

/// Corners of a box of half extents `half`.
fn corners(half: Vec3) -> Vec<Vec3> {
    let sign = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
    (0..8).map(|k| half * Vec3::new(sign(k, 0), sign(k, 1), sign(k, 2))).collect()
}

/// A shape of every kind, by name.
pub fn shapes() -> Vec<(&'static str, Collider)> {
    let octahedron: Vec<Vec3> = Vec3::AXES.into_iter().flat_map(|axis| [axis * 0.6, -axis * 0.6]).collect();
    let tent = [Vec3::ZERO, Vec3::X, Vec3::Z, Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.5, 0.8, 0.5)];
    let tent = tent.map(|corner| corner - Vec3::new(0.5, 0.4, 0.5)).to_vec();
    let heights: Vec<Real> = (0..20).map(|i| 0.15 * ((i * 5) % 7) as Real - 0.4).collect();
    let dumbbell = vec![
        (Vec3::X * 0.4, Quat::from_rotation_y(0.4), Collider::cuboid(0.2, 0.3, 0.2)),
        (Vec3::X * -0.4, Quat::IDENTITY, Collider::ball(0.25)),
    ];
    let triangle = Triangle::new(Vec3::new(-0.5, -0.3, 0.1), Vec3::new(0.5, -0.2, -0.2), Vec3::new(0.1, 0.5, 0.2));
    let slanted = SharedShape::capsule(Vec3::new(-0.3, -0.3, 0.0), Vec3::new(0.3, 0.2, 0.2), 0.2);
    let box_hull = Collider::convex_hull(&corners(Vec3::new(0.4, 0.3, 0.2))).expect("a box");
    let inner_shape = box_hull.shape().as_convex_polyhedron().expect("a hull").clone();
    let zigzag = vec![Vec3::new(-0.5, -0.3, 0.0), Vec3::new(-0.2, 0.4, 0.1), Vec3::new(0.2, -0.3, 0.0), Vec3::X * 0.5];
    let voxels = Voxels::new(Vec3::splat(0.4), &[0, 1].map(|x| dolmen::glam::IVec3::new(x, 0, 0).into()));
    vec![
        ("ball", Collider::ball(0.5)),
        ("cuboid", Collider::cuboid(0.5, 0.3, 0.4)),
        ("capsule", Collider::capsule(0.3, 0.25)),
        ("slanted capsule", Collider(slanted)),
        ("cylinder", Collider::cylinder(0.4, 0.35)),
        ("cone", Collider::cone(0.4, 0.4)),
        ("hull", Collider::convex_hull(&octahedron).expect("an octahedron")),
        ("rounded cuboid", Collider(SharedShape::round_cuboid(0.4, 0.25, 0.3, 0.1))),
        ("rounded cylinder", Collider(SharedShape::round_cylinder(0.3, 0.3, 0.1))),
        ("rounded cone", Collider(SharedShape::round_cone(0.3, 0.3, 0.1))),
        ("rounded hull", Collider(SharedShape::new(RoundShape { inner_shape, border_radius: 0.1 }))),
        ("triangle", Collider(SharedShape::new(triangle))),
        ("rounded triangle", Collider(SharedShape::new(RoundShape { inner_shape: triangle, border_radius: 0.1 }))),
        ("segment", Collider(SharedShape::new(Segment::new(Vec3::new(-0.4, -0.4, 0.0), Vec3::new(0.4, 0.4, 0.2))))),
        ("polyline", Collider(SharedShape::polyline(zigzag, None))),
        ("mesh", Collider::trimesh(tent, vec![[0, 4, 1], [1, 4, 3], [3, 4, 2], [2, 4, 0]]).expect("a tent")),
        ("height field", Collider::heightfield(4, 5, &heights, Vec3::new(1.2, 1.0, 1.0)).expect("a field")),
        ("voxels", Collider(SharedShape::new(voxels))),
        ("compound", Collider::compound(dumbbell).expect("two parts")),
        ("half-space", Collider::half_space(Vec3::new(0.2, 1.0, 0.1))),
        ("custom", Collider::custom(Torus { major: 0.4, minor: 0.15 })),
        ("custom by its bounds", Collider::custom(Crate)),
    ]
}

/// A joint of every kind, by name, with limits, and with the place and the turn of the second joint
/// frame in the first at which it is shown.
pub fn joints() -> Vec<(&'static str, JointKind, Pose)> {
    let limits = |least: Real, greatest: Real| JointAxis { limits: Some([least, greatest]), ..JointAxis::default() };
    let (mut universal, mut planar) = ([JointFreedom::Locked; 6], [JointFreedom::Locked; 6]);
    universal[3] = JointFreedom::limited(-0.8, 0.9);
    universal[4] = JointFreedom::limited(-0.5, 0.7);
    planar[0] = JointFreedom::limited(-0.3, 0.4);
    planar[1] = JointFreedom::limited(-0.2, 0.5);
    planar[5] = JointFreedom::limited(-1.0, 1.0);
    let spring = JointSpring::Si { stiffness: 400.0, damping: 5.0 };
    let at = |x: Real, y: Real, z: Real| Vec3::new(x, y, z);
    let turned = Quat::from_rotation_x;
    vec![
        ("fixed", JointKind::Fixed, Pose::IDENTITY),
        ("spherical", JointKind::Spherical { friction: 0.0 }, Pose::from_parts(Vec3::ZERO, turned(0.4))),
        ("revolute", JointKind::Revolute(limits(-0.6, 1.2)), Pose::from_parts(Vec3::ZERO, turned(0.5))),
        ("prismatic", JointKind::Prismatic(limits(-0.5, 0.3)), Pose::from_translation(at(0.2, 0.0, 0.0))),
        ("distance", JointKind::Distance { least: 0.3, greatest: 0.9 }, Pose::from_translation(at(0.3, -0.6, 0.1))),
        ("spring", JointKind::Spring { length: 0.5, spring }, Pose::from_translation(at(0.2, -0.6, 0.1))),
        (
            "universal",
            JointKind::Generic(Box::new(universal)),
            Pose::from_parts(Vec3::ZERO, turned(0.3) * Quat::from_rotation_y(-0.2)),
        ),
        (
            "swing-twist",
            JointKind::SwingTwist(Box::new(SwingTwist::new([0.5, 0.9], [-0.6, 0.8]))),
            Pose::from_parts(Vec3::ZERO, Quat::from_scaled_axis(at(0.0, 0.3, -0.5)) * turned(0.4)),
        ),
        ("gear", JointKind::Gear { ratio: 2.0 }, Pose::from_translation(at(0.0, 0.6, 0.0))),
        ("winch", JointKind::Winch { radius: 0.2, length: 0.9 }, Pose::from_translation(at(0.1, -0.8, 0.2))),
        (
            "pulley",
            JointKind::Pulley {
                points: [at(0.0, 1.0, 0.2), at(0.5, 1.0, 0.2)],
                ratio: 2.0,
                least: 0.0,
                greatest: Real::INFINITY,
            },
            Pose::from_translation(at(0.4, -0.5, 0.1)),
        ),
        (
            "rack and pinion",
            JointKind::RackAndPinion { radius: 0.3 },
            Pose::from_parts(at(0.0, 0.1, -0.3), Quat::from_rotation_z(FRAC_PI_2)),
        ),
        (
            "planar",
            JointKind::Generic(Box::new(planar)),
            Pose::from_parts(at(0.2, -0.1, 0.0), Quat::from_rotation_z(0.4)),
        ),
    ]
}
