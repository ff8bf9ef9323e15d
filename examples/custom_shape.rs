//! A user-defined shape: an ellipsoid, by its support function alone. It falls on every type of
//! ground, in a compound too, collides with its own type, and comes to rest flat.

use dolmen::math::parry::bounding_volume::{Aabb, BoundingSphere};
use dolmen::math::parry::mass_properties::MassProperties;
use dolmen::math::parry::query::gjk::VoronoiSimplex;
use dolmen::math::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection, details};
use dolmen::math::parry::shape::{FeatureId, Shape, ShapeType, SharedShape, SupportMap, TypedShape};
use dolmen::prelude::*;
use hecs::{Entity, World};
use std::process::ExitCode;

/// All points p with |p / axes| at most 1.
#[derive(Clone, Copy, Debug)]
pub struct Ellipsoid {
    /// Half axes (m).
    pub axes: Vec3,
}

impl Ellipsoid {
    /// As a collider.
    pub fn collider(self) -> Collider {
        Collider(SharedShape::new(self))
    }
}

impl SupportMap for Ellipsoid {
    fn local_support_point(&self, direction: Vec3) -> Vec3 {
        self.axes * (self.axes * direction).try_normalize().unwrap_or(Vec3::X)
    }
}

impl PointQuery for Ellipsoid {
    fn project_local_point(&self, point: Vec3, solid: bool) -> PointProjection {
        details::local_point_projection_on_support_map(self, &mut VoronoiSimplex::new(), point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vec3) -> (PointProjection, FeatureId) {
        (self.project_local_point(point, false), FeatureId::Unknown)
    }
}

impl RayCast for Ellipsoid {
    fn cast_local_ray_and_get_normal(&self, ray: &Ray, most: Real, solid: bool) -> Option<RayIntersection> {
        // Scaled by the axes, the ellipsoid is the unit ball.
        let (o, d) = (ray.origin / self.axes, ray.dir / self.axes);
        let (a, b, c) = (d.length_squared(), o.dot(d), o.length_squared() - 1.0);
        if c <= 0.0 && solid {
            return Some(RayIntersection::new(0.0, Vec3::ZERO, FeatureId::Unknown));
        }
        let root = (b * b - a * c).max(-1.0);
        let time = if root < 0.0 { None } else { Some((-b + if c <= 0.0 { root.sqrt() } else { -root.sqrt() }) / a) };
        let time = time.filter(|t| (0.0..=most).contains(t))?;
        let normal = ((o + d * time) / self.axes).normalize();
        Some(RayIntersection::new(time, if c <= 0.0 { -normal } else { normal }, FeatureId::Unknown))
    }
}

impl Shape for Ellipsoid {
    fn compute_local_aabb(&self) -> Aabb {
        Aabb::new(-self.axes, self.axes)
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        BoundingSphere::new(Vec3::ZERO, self.axes.max_element())
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(*self)
    }

    fn scale_dyn(&self, scale: Vec3, _subdivisions: u32) -> Option<Box<dyn Shape>> {
        Some(Box::new(Self { axes: self.axes * scale.abs() }))
    }

    fn mass_properties(&self, density: Real) -> MassProperties {
        let s = self.axes * self.axes;
        let mass = density * 4.0 / 3.0 * dolmen::math::consts::PI * self.axes.element_product();
        MassProperties::new(Vec3::ZERO, mass, Vec3::new(s.y + s.z, s.z + s.x, s.x + s.y) * (mass / 5.0))
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> Real {
        self.axes.min_element()
    }

    fn ccd_angular_thickness(&self) -> Real {
        dolmen::math::consts::FRAC_PI_4
    }

    fn is_convex(&self) -> bool {
        true
    }

    fn as_support_map(&self) -> Option<&dyn SupportMap> {
        Some(self)
    }
}

/// The ground of each kind, its top at 0.
pub fn grounds() -> Vec<(&'static str, Collider, Vec3)> {
    let corners = [(-9.0, -9.0), (9.0, -9.0), (9.0, 9.0), (-9.0, 9.0)].map(|(x, z)| Vec3::new(x, 0.0, z)).to_vec();
    let mesh = Collider::trimesh(corners, vec![[0, 2, 1], [0, 3, 2]]).expect("two triangles");
    let field = Collider::heightfield(7, 7, &[0.0; 49], Vec3::new(18.0, 1.0, 18.0)).expect("flat");
    let slab = Collider::cuboid(9.0, 0.5, 9.0);
    let compound = Collider::compound(vec![(Vec3::Y * -0.5, Quat::IDENTITY, slab.clone())]).expect("one part");
    let corner =
        |i: i32| Vec3::new((i & 1) as Real * 18.0 - 9.0, (i >> 1 & 1) as Real - 1.0, (i >> 2) as Real * 18.0 - 9.0);
    let hull = Collider::convex_hull(&[0, 1, 2, 3, 4, 5, 6, 7].map(corner)).expect("a box");
    vec![
        ("half-space", Collider::half_space(Vec3::Y), Vec3::ZERO),
        ("cuboid", slab, Vec3::Y * -0.5),
        ("hull", hull, Vec3::ZERO),
        ("cylinder", Collider::cylinder(0.5, 9.0), Vec3::Y * -0.5),
        ("mesh", mesh, Vec3::ZERO),
        ("height field", field, Vec3::ZERO),
        ("compound", compound, Vec3::ZERO),
    ]
}

/// Distance from `expected` (m) of the centres of bodies at rest after a fall on each type of
/// ground, and the number of them. `body` makes one at a position.
pub fn settle(physics: impl Fn() -> Physics, body: impl Fn(Vec3) -> Body, expected: Real) -> Vec<(&'static str, Real)> {
    let settled = |(name, ground, at): (&'static str, Collider, Vec3)| {
        let (mut world, mut physics) = (World::new(), physics());
        world.spawn(Body::fixed(ground).position(at));
        let bodies: Vec<Entity> =
            (0..2).map(|i| world.spawn(body(Vec3::new(i as Real * 3.0 - 1.5, expected + 0.3, 0.4)))).collect();
        for _ in 0..300 {
            physics.step(&mut world, 1.0 / 60.0).expect("the world is sound");
        }
        let off = |e: &Entity| (world.get::<&Position>(*e).expect("it is there").0.y - expected).abs();
        (name, bodies.iter().map(off).fold(0.0, Real::max))
    };
    grounds().into_iter().map(settled).collect()
}

/// The flat ellipsoid of the example, alone and as two parts of a compound.
pub fn bodies() -> [(&'static str, Collider); 2] {
    let lens = Ellipsoid { axes: Vec3::new(0.6, 0.25, 0.5) };
    let part = |x: Real| (Vec3::X * x, Quat::IDENTITY, lens.collider());
    [("alone", lens.collider()), ("in a compound", Collider::compound(vec![part(-0.5), part(0.5)]).expect("two parts"))]
}

#[allow(dead_code, reason = "a test includes this file for what is above")]
fn main() -> ExitCode {
    let mut worst: Real = 0.0;
    for (how, collider) in bodies() {
        for (ground, off) in settle(Physics::default, |at| Body::dynamic(collider.clone()).position(at), 0.25) {
            println!("{how:>14} on a {ground:<12} {:>6.3} mm off", off * 1e3);
            worst = worst.max(off);
        }
    }
    let fine = worst < 2e-3;
    println!("{}: at rest within {:.2} mm on every kind of ground", if fine { "ok" } else { "WRONG" }, worst * 1e3);
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
