//! Pair kernels for a shape that is not convex: a ring. A chain of rings hangs link in link from a
//! fixed one, and rings lie on every type of ground.

use dolmen::contact::kernels::{KernelPoints, PairKernels};
use dolmen::glam::DVec3;
use dolmen::mass::MassProperties;
use dolmen::math::Pose;
use dolmen::math::consts::{PI, TAU};
use dolmen::math::parry::bounding_volume::Aabb;
use dolmen::math::parry::shape;
use dolmen::prelude::*;
use hecs::{Entity, World};
use std::process::ExitCode;

/// A torus about y.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    /// Radius of the centre circle (m).
    pub major: Real,
    /// Radius of the tube (m).
    pub minor: Real,
}

/// Sample points along the circle.
const PLACES: u32 = 48;

impl Ring {
    fn place(&self, k: u32) -> Vec3 {
        let angle = TAU * k as Real / PLACES as Real;
        Vec3::new(angle.cos(), 0.0, angle.sin()) * self.major
    }

    /// The point of the middle circle closest to `point`.
    fn middle(&self, point: Vec3) -> Vec3 {
        Vec3::new(point.x, 0.0, point.z).try_normalize().unwrap_or(Vec3::X) * self.major
    }
}

impl CustomShape for Ring {
    fn bounds(&self) -> Aabb {
        let out = self.major + self.minor;
        let half = Vec3::new(out, self.minor, out);
        Aabb::new(-half, half)
    }

    fn mass_properties(&self, density: f64) -> Option<MassProperties> {
        let (major, minor) = (f64::from(self.major), f64::from(self.minor));
        let mass = density * 2.0 * std::f64::consts::PI * std::f64::consts::PI * major * minor * minor;
        let (across, along) = (0.5 * major * major + 0.625 * minor * minor, major * major + 0.75 * minor * minor);
        let principal = DVec3::new(across, along, across) * mass;
        Some(MassProperties { mass, center: DVec3::ZERO, principal, frame: dolmen::glam::DQuat::IDENTITY })
    }
}

/// A ring against any shape with closest-point queries: the ring is sampled as a string of balls.
fn against<S: shape::Shape>(ring: &Custom<Ring>, other: &S, pose: &Pose, prediction: Real, out: &mut KernelPoints) {
    for k in 0..PLACES {
        let centre = ring.place(k);
        let local = pose.inverse_transform_point(centre);
        let nearest = other.project_local_point(local, false);
        let away = (nearest.point - local) * if nearest.is_inside { -1.0 } else { 1.0 };
        let Some(towards) = away.try_normalize() else { continue };
        let gap = if nearest.is_inside { -away.length() } else { away.length() } - ring.minor;
        if gap <= prediction {
            let normal = pose.rotation * towards;
            out.push(normal, centre + normal * ring.minor, nearest.point, gap, k);
        }
    }
}

/// Two rings: each sample point of one against the other's circle.
fn ring_and_ring(a: &Custom<Ring>, b: &Custom<Ring>, b_in_a: &Pose, prediction: Real, out: &mut KernelPoints) {
    let deepest = |of: &Ring, on: &Ring, pose: &Pose| {
        let gap = |k: u32| {
            let p = pose.inverse_transform_point(of.place(k));
            (p - on.middle(p)).length()
        };
        let k = (0..PLACES).min_by(|&i, &j| gap(i).total_cmp(&gap(j))).expect("there are places");
        // Alternating projections between the circles converge to the closest points.
        let mut on_first = of.place(k);
        for _ in 0..40 {
            let p = pose.inverse_transform_point(on_first);
            on_first = of.middle(pose.transform_point(on.middle(p)));
        }
        on_first
    };
    let p = deepest(a, b, b_in_a);
    let q = b_in_a.transform_point(b.middle(b_in_a.inverse_transform_point(p)));
    let separation = (q - p).length() - a.minor - b.minor;
    if let Some(normal) = (q - p).try_normalize().filter(|_| separation <= prediction) {
        let on_b = b_in_a.inverse_transform_point(q - normal * b.minor);
        out.push(normal, p + normal * a.minor, on_b, separation, 0);
    }
}

/// The kernels of rings with all shapes.
pub fn register(kernels: &mut PairKernels) {
    kernels.register(against::<shape::Ball>);
    kernels.register(against::<shape::Cuboid>);
    kernels.register(against::<shape::Capsule>);
    kernels.register(against::<shape::Cylinder>);
    kernels.register(against::<shape::Cone>);
    kernels.register(against::<shape::ConvexPolyhedron>);
    kernels.register(against::<shape::HalfSpace>);
    kernels.register(against::<shape::Triangle>);
    kernels.register(ring_and_ring);
}

/// A physics with the kernels of rings.
pub fn physics() -> Physics {
    let mut physics = Physics::default();
    register(&mut physics.kernels);
    physics
}

/// The link of the example's chain.
pub const LINK: Ring = Ring { major: 0.5, minor: 0.08 };

/// Positions of the links of a chain below a fixed one after some seconds (m, from it downwards).
pub fn hang(links: usize, seconds: usize) -> Vec<Vec3> {
    let (mut world, mut physics) = (World::new(), physics());
    let collider = Collider::custom(LINK);
    let pitch = 2.0 * (LINK.major - LINK.minor);
    let turned = |i: usize| {
        let upright = Quat::from_rotation_x(0.5 * PI);
        if i.is_multiple_of(2) { upright } else { Quat::from_rotation_y(0.5 * PI) * upright }
    };
    world.spawn(Body::fixed(collider.clone()).orientation(turned(0)));
    let hangs =
        |i: usize| Body::dynamic(collider.clone()).at(0.0, -pitch * i as Real + 0.02, 0.0).orientation(turned(i));
    let chain: Vec<Entity> = (1..=links).map(|i| world.spawn(hangs(i).damping(0.5, 0.5))).collect();
    for _ in 0..60 * seconds {
        physics.step(&mut world, 1.0 / 60.0).expect("the world is sound");
    }
    chain.iter().map(|e| world.get::<&Position>(*e).expect("it is there").0).collect()
}

#[allow(dead_code, reason = "a test includes this file for what is above")]
fn main() -> ExitCode {
    let pitch = 2.0 * (LINK.major - LINK.minor);
    let mut worst: Real = 0.0;
    for (i, place) in hang(5, 10).into_iter().enumerate() {
        let off = (place + Vec3::Y * pitch * (i + 1) as Real).length();
        println!("link {} hangs at {place}, {:.2} mm off", i + 1, off * 1e3);
        worst = worst.max(off);
    }
    let fine = worst < 1e-2;
    println!("{}: five rings hang linked within {:.1} mm", if fine { "ok" } else { "WRONG" }, worst * 1e3);
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
